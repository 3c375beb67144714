/* The way back: how long each record is, from KINDS and the tails; then headers and tails in the order of the
 * records; then each field's column, unpacked into an array and stored across the records of its kind. */
#include "format/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "format/pack.h"
#include "format/recording.h"
#include "format/scratch.h"

struct tail {
	const uint8_t *bytes;
	uint32_t length_bytes;
};

struct place {
	uint32_t offset_bytes; /* of the record in records */
	uint32_t thread;
};

/* What the loops need to know of a kind, in one cache line for all kinds that are common. */
struct kind_sizes {
	uint16_t fixed_bytes; /* in this program's layout; 0: unknown */
	bool has_tail;
	bool must_clear; /* fields are missing in the recording */
};

struct columns_decoder {
	/* The frame in work. */
	const struct layout *layout;
	const uint8_t *column_starts[COLUMN_COUNT_MAX + 1];
	size_t column_count;
	uint32_t count;
	uint32_t kind_counts[LAYOUT_KINDS_MAX];
	struct kind_sizes sizes[LAYOUT_KINDS_MAX];
	uint32_t thread_count, tail_count;
	size_t record_bytes;

	struct scratch records;
	struct scratch kinds;	 /* uint8_t of each record */
	struct scratch tail_ids; /* uint32_t of each record, index plus one, 0 without a tail */
	struct scratch tails;
	struct scratch threads; /* struct thread */
	struct scratch places;	/* of the records, kind by kind */
	struct scratch last_by_thread;
	struct scratch values[3], indexes; /* columns unpacked */
};

struct thread {
	uint32_t pid, tid;
};

_Static_assert(LAYOUT_KINDS_MAX <= 256, "a kind is kept in a byte");

struct columns_decoder *columns_decoder_new(void)
{
	struct columns_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		memory_exhausted();
	return decoder;
}

void columns_decoder_free(struct columns_decoder *decoder)
{
	if (!decoder)
		return;
	scratch_done(&decoder->records);
	scratch_done(&decoder->kinds);
	scratch_done(&decoder->tail_ids);
	scratch_done(&decoder->tails);
	scratch_done(&decoder->threads);
	scratch_done(&decoder->places);
	scratch_done(&decoder->last_by_thread);
	for (size_t i = 0; i < array_length(decoder->values); i++)
		scratch_done(&decoder->values[i]);
	scratch_done(&decoder->indexes);
	free(decoder);
}

/* ---- columns ---- */

static bool read_directory(struct columns_decoder *decoder, const uint8_t *content, size_t content_bytes)
{
	uint32_t count, length;

	if (content_bytes < sizeof(count))
		return false;
	memcpy(&count, content, sizeof(count));
	if (count < COLUMN_FIELDS || count > COLUMN_COUNT_MAX || content_bytes / sizeof(count) < (size_t)count + 1)
		return false;

	const uint8_t *at = content + ((size_t)count + 1) * sizeof(count);
	const uint8_t *end = content + content_bytes;

	for (uint32_t i = 0; i < count; i++) {
		memcpy(&length, content + (i + 1) * sizeof(length), sizeof(length));
		if (length > (size_t)(end - at))
			return false;
		decoder->column_starts[i] = at;
		at += length;
	}
	decoder->column_starts[count] = at;
	decoder->column_count = count;
	return at == end;
}

static struct unpack column_of(const struct columns_decoder *decoder, size_t column)
{
	return (struct unpack){decoder->column_starts[column], decoder->column_starts[column + 1]};
}

/* The next `count` numbers of a column, at most as many as there are records, in the decoder's array of that number;
 * NULL where they are damaged. */
static const uint64_t *take_numbers(struct columns_decoder *decoder, struct unpack *from, uint32_t count,
				    unsigned array)
{
	uint64_t *values = scratch_reserve(&decoder->values[array], decoder->count * sizeof(*values));
	uint32_t *indexes = scratch_reserve(&decoder->indexes, decoder->count * sizeof(*indexes));

	return unpack_numbers(from, values, indexes, count) ? values : NULL;
}

/* All numbers of a column that must have `count`. */
static const uint64_t *column_numbers(struct columns_decoder *decoder, enum column column, uint32_t count,
				      unsigned array)
{
	struct unpack from = column_of(decoder, column);
	const uint64_t *values = take_numbers(decoder, &from, count, array);

	return from.at == from.end ? values : NULL;
}

static bool read_kinds(struct columns_decoder *decoder)
{
	const uint64_t *values = column_numbers(decoder, COLUMN_KINDS, decoder->count, 0);
	uint8_t *kinds = scratch_reserve(&decoder->kinds, decoder->count);
	size_t columns = COLUMN_FIELDS;

	if (!values)
		return false;
	memset(decoder->kind_counts, 0, sizeof(decoder->kind_counts));
	for (uint32_t i = 0; i < decoder->count; i++) {
		if (values[i] >= LAYOUT_KINDS_MAX)
			return false;
		kinds[i] = (uint8_t)values[i];
		decoder->kind_counts[kinds[i]]++;
	}
	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; id++) {
		const struct layout_kind *kind = &decoder->layout->kinds[id];

		if (!decoder->kind_counts[id])
			continue;
		if (!kind->is_stored)
			return false;
		columns += kind->field_count;
		decoder->sizes[id] = (struct kind_sizes){
			.fixed_bytes = kind->known ? (uint16_t)kind->known->fixed_bytes : 0,
			.has_tail = kind->has_tail,
			.must_clear = !kind->is_same,
		};
	}
	return columns == decoder->column_count;
}

static bool read_threads(struct columns_decoder *decoder)
{
	struct unpack from = column_of(decoder, COLUMN_THREADS);
	const uint64_t *count = take_numbers(decoder, &from, 1, 0);

	/* No thread is without a record. */
	if (!count || *count > decoder->count)
		return false;
	decoder->thread_count = (uint32_t)*count;

	const uint64_t *pids = take_numbers(decoder, &from, decoder->thread_count, 0);
	const uint64_t *tids = take_numbers(decoder, &from, decoder->thread_count, 1);
	struct thread *threads = scratch_reserve(&decoder->threads, decoder->count * sizeof(*threads));

	if (!pids || !tids || from.at != from.end)
		return false;
	for (uint32_t i = 0; i < decoder->thread_count; i++)
		threads[i] = (struct thread){(uint32_t)pids[i], (uint32_t)tids[i]};
	return true;
}

/* ---- tails ---- */

/* The index plus one of the tail that a reference means, 0 where there is no such tail. */
static uint32_t tail_of_ref(struct recent_tails *recent, uint64_t ref, uint32_t *new_count)
{
	unsigned place = TAIL_RECENT_COUNT - 1;
	uint64_t index = ref - TAIL_INDEX;

	if (ref == TAIL_NEW) {
		index = (*new_count)++;
	} else if (ref < TAIL_INDEX) {
		place = (unsigned)ref - TAIL_RECENT;
		index = recent->index[place];
	}
	if (index >= *new_count)
		return 0;
	recent_tails_use(recent, place, (uint32_t)index);
	return (uint32_t)index + 1;
}

static bool read_tail_refs(struct columns_decoder *decoder)
{
	const uint8_t *kinds = decoder->kinds.bytes;
	uint32_t *tail_ids = scratch_reserve(&decoder->tail_ids, decoder->count * sizeof(*tail_ids));
	struct recent_tails recent = {};
	uint32_t ref_count = 0;

	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; id++)
		if (decoder->kind_counts[id] && decoder->sizes[id].has_tail)
			ref_count += decoder->kind_counts[id];

	const uint64_t *refs = column_numbers(decoder, COLUMN_TAIL_REFS, ref_count, 0);

	if (!refs)
		return false;
	decoder->tail_count = 0;
	for (uint32_t i = 0; i < decoder->count; i++) {
		uint64_t ref = decoder->sizes[kinds[i]].has_tail ? *refs++ : TAIL_EMPTY;

		tail_ids[i] = 0;
		if (ref != TAIL_EMPTY && !(tail_ids[i] = tail_of_ref(&recent, ref, &decoder->tail_count)))
			return false;
	}
	return true;
}

static bool read_tails(struct columns_decoder *decoder)
{
	const uint64_t *lengths = column_numbers(decoder, COLUMN_TAIL_LENGTHS, decoder->tail_count, 0);
	struct tail *tails = scratch_reserve(&decoder->tails, decoder->count * sizeof(*tails));
	struct unpack bytes = column_of(decoder, COLUMN_TAIL_BYTES);

	if (!lengths)
		return false;
	for (uint32_t i = 0; i < decoder->tail_count; i++) {
		if (lengths[i] > (size_t)(bytes.end - bytes.at))
			return false;
		tails[i] = (struct tail){bytes.at, (uint32_t)lengths[i]};
		bytes.at += lengths[i];
	}
	return bytes.at == bytes.end;
}

/* How much room all records take: a few tails, met again and again, can make many bytes of few. */
static bool measure_records(struct columns_decoder *decoder)
{
	const uint8_t *kinds = decoder->kinds.bytes;
	const uint32_t *tail_ids = decoder->tail_ids.bytes;
	const struct tail *tails = decoder->tails.bytes;
	uint64_t record_bytes = 0;

	for (uint32_t i = 0; i < decoder->count; i++) {
		uint32_t fixed_bytes = decoder->sizes[kinds[i]].fixed_bytes;
		uint32_t tail_bytes = tail_ids[i] ? tails[tail_ids[i] - 1].length_bytes : 0;

		if (fixed_bytes)
			record_bytes += record_stride(fixed_bytes + tail_bytes);
		if (record_bytes > FRAME_BYTES_MAX)
			return false;
	}
	decoder->record_bytes = (size_t)record_bytes;
	return true;
}

/* ---- records ---- */

/* Writes headers and tails, and notes where each record is, kind by kind. Records of unknown kinds take part in what
 * follows from the records before them (times, threads), and take no room. */
static bool write_records(struct columns_decoder *decoder, uint32_t *ret_known_count)
{
	const uint64_t *times = column_numbers(decoder, COLUMN_TIMES, decoder->count, 0);
	const uint64_t *cpus = column_numbers(decoder, COLUMN_CPUS, decoder->count, 1);
	const uint64_t *thread_refs = column_numbers(decoder, COLUMN_THREAD_REFS, decoder->count, 2);
	const uint8_t *kinds = decoder->kinds.bytes;
	const uint32_t *tail_ids = decoder->tail_ids.bytes;
	const struct tail *tails = decoder->tails.bytes;
	const struct thread *threads = decoder->threads.bytes;
	struct place *places = scratch_reserve(&decoder->places, decoder->count * sizeof(*places));
	char *records = scratch_reserve(&decoder->records, decoder->record_bytes + RECORD_ALIGNMENT_BYTES);
	struct place *fill[LAYOUT_KINDS_MAX];
	uint32_t thread_of_cpu[COLUMN_CPUS_REMEMBERED] = {};
	uint64_t time_ns = 0;
	uint32_t at = 0, known_count = 0;

	if (!times || !cpus || !thread_refs)
		return false;
	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; places += decoder->kind_counts[id++])
		fill[id] = places;
	for (uint32_t i = 0; i < decoder->count; i++) {
		struct kind_sizes sizes = decoder->sizes[kinds[i]];
		uint32_t *likely = &thread_of_cpu[cpus[i] % COLUMN_CPUS_REMEMBERED];

		time_ns += unzigzag(times[i]);
		if (thread_refs[i])
			*likely = thread_refs[i] <= decoder->thread_count ? (uint32_t)thread_refs[i] - 1 : UINT32_MAX;
		if (*likely >= decoder->thread_count)
			return false;

		*fill[kinds[i]]++ = (struct place){at, *likely};
		if (!sizes.fixed_bytes)
			continue;

		struct event_header *header = (struct event_header *)(records + at);
		struct tail tail = tail_ids[i] ? tails[tail_ids[i] - 1] : (struct tail){};
		uint32_t size_bytes = sizes.fixed_bytes + tail.length_bytes;
		uint32_t stride_bytes = record_stride(size_bytes);

		/* The last word first: it has the NUL, and what is not overwritten below is 0. */
		memset((char *)header + stride_bytes - RECORD_ALIGNMENT_BYTES, 0, RECORD_ALIGNMENT_BYTES);
		if (sizes.must_clear)
			memset(header, 0, sizes.fixed_bytes);
		*header = (struct event_header){
			.time_ns = time_ns,
			.pid = threads[*likely].pid,
			.tid = threads[*likely].tid,
			.kind = kinds[i],
			.cpu = (u16)cpus[i],
			.size = size_bytes,
		};
		if (tail.length_bytes)
			memcpy((char *)header + sizes.fixed_bytes, tail.bytes, tail.length_bytes);
		at += stride_bytes;
		known_count++;
	}
	*ret_known_count = known_count;
	return true;
}

/* ---- fields ---- */

/* One field of all records of a kind. */
struct field_target {
	char *at; /* of the field in a record at offset 0 */
	const struct place *places;
	uint32_t count;
};

/* Inlined into a loop for each width, so that a store is one instruction. */
#define inlined static inline __attribute__((always_inline))

inlined void store(struct field_target target, uint32_t i, uint64_t value, const size_t bytes)
{
	memcpy(target.at + target.places[i].offset_bytes, &value, bytes);
}

inlined void store_thread_steps(struct columns_decoder *decoder, struct field_target target, const uint64_t *values,
				const size_t bytes)
{
	uint64_t *last_by_thread =
		scratch_reserve(&decoder->last_by_thread, decoder->thread_count * sizeof(uint64_t));

	for (uint32_t i = 0; i < target.count; i++)
		last_by_thread[target.places[i].thread] = 0;
	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t *value = &last_by_thread[target.places[i].thread];

		*value += unzigzag(values[i]);
		store(target, i, *value, bytes);
	}
}

inlined bool store_table(struct columns_decoder *decoder, struct field_target target, struct unpack *from,
			 const uint64_t *refs, const size_t bytes)
{
	uint32_t new_count = 0;
	bool is_bad = false;

	for (uint32_t i = 0; i < target.count; i++) {
		new_count += refs[i] == 0;
		is_bad |= refs[i] > new_count;
	}

	uint64_t *table = is_bad ? NULL : (uint64_t *)take_numbers(decoder, from, new_count, 1);
	uint64_t value = 0;
	const uint64_t *next = table;

	if (!table)
		return false;
	for (uint32_t i = 0; i < new_count; i++)
		table[i] = value += unzigzag(table[i]);
	for (uint32_t i = 0; i < target.count; i++) {
		const uint64_t *entry = refs[i] ? &table[refs[i] - 1] : next;

		next += refs[i] == 0;
		store(target, i, *entry, bytes);
	}
	return true;
}

inlined bool store_field(struct columns_decoder *decoder, struct unpack from, struct field_target target,
			 const size_t bytes)
{
	uint8_t mode = from.at < from.end ? *from.at++ : UINT8_MAX;
	const uint64_t *values = take_numbers(decoder, &from, mode == MODE_CONSTANT ? 1 : target.count, 0);
	uint64_t value = 0;

	if (!values)
		return false;
	switch (mode) {
	case MODE_CONSTANT:
		for (uint32_t i = 0; i < target.count; i++)
			store(target, i, values[0], bytes);
		break;
	case MODE_PLAIN:
		for (uint32_t i = 0; i < target.count; i++)
			store(target, i, values[i], bytes);
		break;
	case MODE_ZIGZAG:
		for (uint32_t i = 0; i < target.count; i++)
			store(target, i, unzigzag(values[i]), bytes);
		break;
	case MODE_STEP:
		for (uint32_t i = 0; i < target.count; i++)
			store(target, i, value += unzigzag(values[i]), bytes);
		break;
	case MODE_THREAD_STEP:
		store_thread_steps(decoder, target, values, bytes);
		break;
	case MODE_TABLE:
		if (!store_table(decoder, target, &from, values, bytes))
			return false;
		break;
	default:
		return false;
	}
	return from.at == from.end;
}

static bool write_fields(struct columns_decoder *decoder)
{
	const struct place *places = decoder->places.bytes;
	char *records = decoder->records.bytes;
	size_t column = COLUMN_FIELDS;

	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; places += decoder->kind_counts[id++]) {
		const struct layout_kind *kind = &decoder->layout->kinds[id];
		const struct layout_field *field = decoder->layout->fields.items + kind->first_field;

		if (!decoder->kind_counts[id])
			continue;
		for (uint32_t i = 0; i < kind->field_count; i++, field++, column++) {
			struct unpack from = column_of(decoder, column);
			struct field_target target = {
				records + field->target_offset_bytes,
				places,
				decoder->kind_counts[id],
			};

			if (!field->target_bytes)
				continue;
			if (!(field->target_bytes == 8 ? store_field(decoder, from, target, 8)
						       : store_field(decoder, from, target, 4)))
				return false;
		}
	}
	return true;
}

bool columns_decode(struct columns_decoder *decoder, const struct layout *layout, const void *content,
		    size_t content_bytes, uint32_t count, struct columns_records *ret_records)
{
	uint32_t known_count;

	decoder->layout = layout;
	decoder->count = count;
	if (count == 0 || count > FRAME_EVENTS_MAX || !read_directory(decoder, content, content_bytes) ||
	    !read_kinds(decoder) || !read_threads(decoder) || !read_tail_refs(decoder) || !read_tails(decoder) ||
	    !measure_records(decoder) || !write_records(decoder, &known_count) || !write_fields(decoder))
		return false;
	*ret_records = (struct columns_records){
		.first = decoder->records.bytes,
		.length_bytes = decoder->record_bytes,
		.count = known_count,
		.unknown_count = count - known_count,
	};
	return true;
}
