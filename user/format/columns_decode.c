/* The way back: how long each record is, from KINDS and the tails; then headers and tails in the order of the records;
 * then each field's column, stored across the records of its kind. Loops are kept free of calls and of branches that
 * data decides: reading is to keep up with ten million records a second. */
#include "format/columns.h"

#include <stdlib.h>
#include <string.h>

#include "format/recording.h"
#include "format/scratch.h"
#include "format/varint.h"

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
	struct scratch kinds;	    /* uint8_t of each record */
	struct scratch tail_ids;    /* uint32_t of each record, index plus one, 0 without a tail */
	struct scratch tails;
	struct scratch threads;	    /* struct thread */
	struct scratch places;	    /* of the records, kind by kind */
	struct scratch refs, table; /* of one column */
	struct scratch last_by_thread;
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
	scratch_done(&decoder->refs);
	scratch_done(&decoder->table);
	scratch_done(&decoder->last_by_thread);
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

static struct varint_cursor column_cursor(const struct columns_decoder *decoder, size_t column)
{
	return (struct varint_cursor){decoder->column_starts[column], decoder->column_starts[column + 1], false};
}

static size_t column_bytes(const struct columns_decoder *decoder, size_t column)
{
	return (size_t)(decoder->column_starts[column + 1] - decoder->column_starts[column]);
}

static bool read_kinds(struct columns_decoder *decoder)
{
	struct varint_cursor cursor = column_cursor(decoder, COLUMN_KINDS);
	uint8_t *kinds = scratch_reserve(&decoder->kinds, decoder->count);
	size_t columns = COLUMN_FIELDS;

	memset(decoder->kind_counts, 0, sizeof(decoder->kind_counts));
	for (uint32_t i = 0; i < decoder->count; i++) {
		uint64_t kind = varint_get(&cursor);

		if (kind >= LAYOUT_KINDS_MAX)
			return false;
		kinds[i] = (uint8_t)kind;
		decoder->kind_counts[kind]++;
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
	return varint_done(&cursor) && columns == decoder->column_count;
}

static bool read_threads(struct columns_decoder *decoder)
{
	struct varint_cursor cursor = column_cursor(decoder, COLUMN_THREADS);
	struct thread *threads = scratch_reserve(&decoder->threads, decoder->count * sizeof(*threads));

	for (decoder->thread_count = 0; cursor.at < cursor.end; decoder->thread_count++) {
		if (decoder->thread_count == decoder->count)
			return false; /* a thread without a record */
		threads[decoder->thread_count].pid = (uint32_t)varint_get(&cursor);
		threads[decoder->thread_count].tid = (uint32_t)varint_get(&cursor);
	}
	return varint_done(&cursor);
}

/* ---- tails ---- */

static bool read_tails(struct columns_decoder *decoder)
{
	struct varint_cursor cursor = column_cursor(decoder, COLUMN_TAIL_LENGTHS);
	struct tail *tails = scratch_reserve(&decoder->tails, decoder->count * sizeof(*tails));
	const uint8_t *at = decoder->column_starts[COLUMN_TAIL_BYTES];
	size_t room = column_bytes(decoder, COLUMN_TAIL_BYTES);

	for (decoder->tail_count = 0; cursor.at < cursor.end; decoder->tail_count++) {
		uint64_t length = varint_get(&cursor);

		if (decoder->tail_count == decoder->count || length > room)
			return false;
		tails[decoder->tail_count] = (struct tail){at, (uint32_t)length};
		at += length;
		room -= length;
	}
	return varint_done(&cursor) && room == 0;
}

/* Which tail each record has, and so how much room all records take. */
static bool read_tail_refs(struct columns_decoder *decoder)
{
	struct varint_cursor cursor = column_cursor(decoder, COLUMN_TAIL_REFS);
	const uint8_t *kinds = decoder->kinds.bytes;
	const struct tail *tails = decoder->tails.bytes;
	uint32_t *tail_ids = scratch_reserve(&decoder->tail_ids, decoder->count * sizeof(*tail_ids));
	struct recent_tails recent = {};
	uint32_t next = 0;
	uint64_t record_bytes = 0;

	for (uint32_t i = 0; i < decoder->count; i++) {
		struct kind_sizes sizes = decoder->sizes[kinds[i]];
		uint64_t ref = sizes.has_tail ? varint_get(&cursor) : TAIL_EMPTY;
		uint32_t length = 0;

		tail_ids[i] = 0;
		if (ref != TAIL_EMPTY) {
			unsigned place = TAIL_RECENT_COUNT - 1;
			uint64_t index = ref - TAIL_INDEX;

			if (ref == TAIL_NEW) {
				index = next++;
			} else if (ref < TAIL_INDEX) {
				place = (unsigned)ref - TAIL_RECENT;
				index = recent.index[place];
			}
			if (index >= next || index >= decoder->tail_count)
				return false;
			recent_tails_use(&recent, place, (uint32_t)index);
			tail_ids[i] = (uint32_t)index + 1;
			length = tails[index].length_bytes;
		}
		if (sizes.fixed_bytes)
			record_bytes += record_stride(sizes.fixed_bytes + length);
		if (record_bytes > FRAME_BYTES_MAX)
			return false;
	}
	decoder->record_bytes = (size_t)record_bytes;
	return varint_done(&cursor) && next == decoder->tail_count;
}

/* ---- records ---- */

/* Writes headers and tails, and notes where each record is, kind by kind. Records of unknown kinds take part in what
 * follows from the records before them (times, threads), and take no room. */
static bool write_records(struct columns_decoder *decoder, uint32_t *ret_known_count)
{
	struct varint_cursor times = column_cursor(decoder, COLUMN_TIMES);
	struct varint_cursor cpus = column_cursor(decoder, COLUMN_CPUS);
	struct varint_cursor thread_refs = column_cursor(decoder, COLUMN_THREAD_REFS);
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

	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; places += decoder->kind_counts[id++])
		fill[id] = places;
	for (uint32_t i = 0; i < decoder->count; i++) {
		struct kind_sizes sizes = decoder->sizes[kinds[i]];
		uint16_t cpu = (uint16_t)varint_get(&cpus);
		uint64_t thread_ref = varint_get(&thread_refs);
		uint32_t *likely = &thread_of_cpu[cpu % COLUMN_CPUS_REMEMBERED];

		time_ns += unzigzag(varint_get(&times));
		if (thread_ref)
			*likely = thread_ref <= decoder->thread_count ? (uint32_t)thread_ref - 1 : UINT32_MAX;
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
			.cpu = cpu,
			.size = size_bytes,
		};
		if (tail.length_bytes)
			memcpy((char *)header + sizes.fixed_bytes, tail.bytes, tail.length_bytes);
		at += stride_bytes;
		known_count++;
	}
	*ret_known_count = known_count;
	return varint_done(&times) && varint_done(&cpus) && varint_done(&thread_refs);
}

/* ---- fields ---- */

/* One field of all records of a kind. */
struct field_target {
	char *at; /* of the field in a record at offset 0 */
	const struct place *places;
	uint32_t count;
};

#define store(target, i, value, bytes) memcpy((target).at + (target).places[i].offset_bytes, &(value), (bytes))

/* Inlined into one loop for each width, so that a store is one instruction. */
#define inlined static inline __attribute__((always_inline))

inlined void store_constant(struct varint_cursor *cursor, struct field_target target, const size_t bytes)
{
	uint64_t value = varint_get(cursor);

	for (uint32_t i = 0; i < target.count; i++)
		store(target, i, value, bytes);
}

inlined void store_plain(struct varint_cursor *cursor, struct field_target target, const size_t bytes)
{
	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t value = varint_get(cursor);

		store(target, i, value, bytes);
	}
}

inlined void store_zigzag(struct varint_cursor *cursor, struct field_target target, const size_t bytes)
{
	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t value = unzigzag(varint_get(cursor));

		store(target, i, value, bytes);
	}
}

inlined void store_steps(struct varint_cursor *cursor, struct field_target target, const size_t bytes)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < target.count; i++) {
		value += unzigzag(varint_get(cursor));
		store(target, i, value, bytes);
	}
}

inlined void store_thread_steps(struct varint_cursor *cursor, struct field_target target, uint64_t *last_by_thread,
				const size_t bytes)
{
	for (uint32_t i = 0; i < target.count; i++)
		last_by_thread[target.places[i].thread] = 0;
	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t *value = &last_by_thread[target.places[i].thread];

		*value += unzigzag(varint_get(cursor));
		store(target, i, *value, bytes);
	}
}

inlined void store_table(struct varint_cursor *cursor, struct field_target target, uint32_t *refs, uint64_t *table,
			 const size_t bytes)
{
	uint32_t new_count = 0, next = 0;
	uint64_t value = 0;

	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t ref = varint_get(cursor);

		new_count += ref == 0;
		if (ref > new_count)
			cursor->is_bad = true;
		refs[i] = (uint32_t)ref;
	}
	if (cursor->is_bad)
		return;
	for (uint32_t i = 0; i < new_count; i++) {
		value += unzigzag(varint_get(cursor));
		table[i] = value;
	}
	for (uint32_t i = 0; i < target.count; i++) {
		uint64_t *entry = &table[refs[i] ? refs[i] - 1 : next];

		next += refs[i] == 0;
		store(target, i, *entry, bytes);
	}
}

inlined bool store_field(struct columns_decoder *decoder, struct varint_cursor cursor, struct field_target target,
			 const size_t bytes)
{
	uint8_t mode = cursor.at < cursor.end ? *cursor.at++ : UINT8_MAX;

	switch (mode) {
	case MODE_CONSTANT:
		store_constant(&cursor, target, bytes);
		break;
	case MODE_PLAIN:
		store_plain(&cursor, target, bytes);
		break;
	case MODE_ZIGZAG:
		store_zigzag(&cursor, target, bytes);
		break;
	case MODE_STEP:
		store_steps(&cursor, target, bytes);
		break;
	case MODE_THREAD_STEP:
		store_thread_steps(&cursor, target,
				   scratch_reserve(&decoder->last_by_thread, decoder->thread_count * sizeof(uint64_t)),
				   bytes);
		break;
	case MODE_TABLE:
		store_table(&cursor, target, scratch_reserve(&decoder->refs, decoder->count * sizeof(uint32_t)),
			    scratch_reserve(&decoder->table, decoder->count * sizeof(uint64_t)), bytes);
		break;
	default:
		return false;
	}
	return varint_done(&cursor);
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
			struct varint_cursor cursor = column_cursor(decoder, column);
			struct field_target target = {
				records + field->target_offset_bytes,
				places,
				decoder->kind_counts[id],
			};

			if (!field->target_bytes)
				continue;
			if (!(field->target_bytes == 8 ? store_field(decoder, cursor, target, 8)
						       : store_field(decoder, cursor, target, 4)))
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
	    !read_kinds(decoder) || !read_threads(decoder) || !read_tails(decoder) || !read_tail_refs(decoder) ||
	    !write_records(decoder, &known_count) || !write_fields(decoder))
		return false;
	*ret_records = (struct columns_records){
		.first = decoder->records.bytes,
		.length_bytes = decoder->record_bytes,
		.count = known_count,
		.unknown_count = count - known_count,
	};
	return true;
}
