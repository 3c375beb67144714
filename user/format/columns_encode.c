/* Passes over a batch: what all records have, in the order of the records; their tails; then each kind's fields,
 * gathered into an array first, so that choosing and coding are loops over plain numbers (format/column_values.c). */
#include "format/columns.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/column_values.h"
#include "format/pack.h"
#include "format/recording.h"
#include "format/scratch.h"

/* A tail that was met in the batch. */
struct tail {
	const char *bytes;
	uint32_t length_bytes;
	uint32_t hash;
};

/* Where a record is, and on which thread: all that is needed of it once the first passes are over. */
struct place {
	uint32_t offset_bytes;
	uint32_t thread;
};

struct columns_encoder {
	const struct schema_kind *schema[EVENT_KIND_END];

	/* The content being made. */
	struct pack pack;
	uint32_t ends[COLUMN_COUNT_MAX];
	size_t column_count;

	/* The batch. */
	const struct event_header *first;
	uint32_t count;
	uint32_t kind_counts[EVENT_KIND_END];

	/* Arrays of `count`, or of as many as were met. */
	struct scratch places;	/* kind by kind, in each in the order of the records */
	struct scratch threads; /* pid << 32 | tid */
	uint32_t thread_count;
	struct scratch tails;
	uint32_t tail_count;
	struct scratch slots;
	struct scratch values, value_threads;
	struct value_coder coder;
};

struct columns_encoder *columns_encoder_new(void)
{
	struct columns_encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder)
		memory_exhausted();
	for (uint32_t id = 0; id < EVENT_KIND_END; id++)
		encoder->schema[id] = schema_by_id(id);
	return encoder;
}

void columns_encoder_free(struct columns_encoder *encoder)
{
	if (!encoder)
		return;
	pack_done(&encoder->pack);
	scratch_done(&encoder->places);
	scratch_done(&encoder->threads);
	scratch_done(&encoder->tails);
	scratch_done(&encoder->slots);
	scratch_done(&encoder->values);
	scratch_done(&encoder->value_threads);
	value_coder_done(&encoder->coder);
	free(encoder);
}

size_t columns_encoder_bytes(const struct columns_encoder *encoder)
{
	return sizeof(*encoder) + pack_memory_bytes(&encoder->pack) + encoder->places.capacity_bytes +
	       encoder->threads.capacity_bytes + encoder->tails.capacity_bytes + encoder->slots.capacity_bytes +
	       encoder->values.capacity_bytes + encoder->value_threads.capacity_bytes +
	       value_coder_bytes(&encoder->coder);
}

/* ---- the content ---- */

static void column_end(struct columns_encoder *encoder)
{
	encoder->ends[encoder->column_count++] = (uint32_t)encoder->pack.length_bytes;
	pack_break(&encoder->pack);
}

/* The directory is filled in at the end; its size is known as soon as the kinds are counted. */
static void directory_begin(struct columns_encoder *encoder)
{
	size_t columns = COLUMN_FIELDS;

	for (uint32_t id = 0; id < EVENT_KIND_END; id++)
		if (encoder->kind_counts[id])
			columns += encoder->schema[id]->field_count;
	pack_clear(&encoder->pack);
	pack_bytes(&encoder->pack, (columns + 1) * sizeof(uint32_t));
	pack_break(&encoder->pack);
	encoder->column_count = 0;
}

static void directory_end(struct columns_encoder *encoder)
{
	uint32_t count = (uint32_t)encoder->column_count;
	uint32_t start = (count + 1) * (uint32_t)sizeof(uint32_t);
	uint8_t *at = encoder->pack.bytes;

	memcpy(at, &count, sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t length = encoder->ends[i] - start;

		memcpy(at += sizeof(uint32_t), &length, sizeof(length));
		start = encoder->ends[i];
	}
}

/* The array in which a column's numbers are collected; column_numbers packs it. */
static uint64_t *column_values(struct columns_encoder *encoder)
{
	return scratch_reserve(&encoder->values, encoder->count * sizeof(uint64_t));
}

static void column_numbers(struct columns_encoder *encoder, uint32_t count)
{
	pack_numbers(&encoder->pack, encoder->values.bytes, count);
}

/* ---- what all records have ---- */

static const struct event_header *record_after(const struct event_header *event)
{
	return (const struct event_header *)((const char *)event + record_stride(event->size));
}

static void count_kinds(struct columns_encoder *encoder)
{
	const struct event_header *event = encoder->first;

	memset(encoder->kind_counts, 0, sizeof(encoder->kind_counts));
	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event))
		encoder->kind_counts[event->kind]++;
}

static void put_kinds_times_cpus(struct columns_encoder *encoder)
{
	const struct event_header *event = encoder->first;
	uint64_t *values = column_values(encoder);
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event))
		values[i] = event->kind;
	column_numbers(encoder, encoder->count);
	column_end(encoder);

	event = encoder->first;
	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event)) {
		values[i] = zigzag(event->time_ns - last_ns);
		last_ns = event->time_ns;
	}
	column_numbers(encoder, encoder->count);
	column_end(encoder);

	event = encoder->first;
	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event))
		values[i] = event->cpu;
	column_numbers(encoder, encoder->count);
	column_end(encoder);
}

static size_t slots_clear(struct columns_encoder *encoder)
{
	size_t slot_count = scratch_slot_count(encoder->count);
	size_t bytes = slot_count * sizeof(uint32_t);

	memset(scratch_reserve(&encoder->slots, bytes), 0, bytes);
	return slot_count - 1;
}

/* The index of a thread, which is added where it is new. */
static uint32_t thread_index(struct columns_encoder *encoder, uint64_t thread, size_t mask)
{
	uint32_t *slots = encoder->slots.bytes;
	uint64_t *threads = encoder->threads.bytes;
	uint64_t hash = thread * 0x9e3779b97f4a7c15ull;
	size_t at = (hash ^ hash >> 32) & mask;

	for (; slots[at]; at = (at + 1) & mask)
		if (threads[slots[at] - 1] == thread)
			return slots[at] - 1;
	threads[encoder->thread_count++] = thread;
	slots[at] = encoder->thread_count;
	return slots[at] - 1;
}

/* Also notes each record's place and thread under its kind. */
static void put_thread_refs(struct columns_encoder *encoder)
{
	const struct event_header *event = encoder->first;
	const uint64_t *threads = scratch_reserve(&encoder->threads, encoder->count * sizeof(uint64_t));
	struct place *places = scratch_reserve(&encoder->places, encoder->count * sizeof(*places));
	struct place *fill[EVENT_KIND_END];
	uint64_t *values = column_values(encoder);
	uint32_t thread_of_cpu[COLUMN_CPUS_REMEMBERED] = {};
	size_t mask = slots_clear(encoder);

	for (uint32_t id = 0; id < EVENT_KIND_END; places += encoder->kind_counts[id++])
		fill[id] = places;
	encoder->thread_count = 0;
	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event)) {
		uint64_t thread = (uint64_t)event->pid << 32 | event->tid;
		uint32_t *likely = &thread_of_cpu[event->cpu % COLUMN_CPUS_REMEMBERED];

		values[i] = 0;
		if (*likely >= encoder->thread_count || threads[*likely] != thread) {
			*likely = thread_index(encoder, thread, mask);
			values[i] = *likely + 1;
		}
		*fill[event->kind]++ = (struct place){
			.offset_bytes = (uint32_t)((const char *)event - (const char *)encoder->first),
			.thread = *likely,
		};
	}
	column_numbers(encoder, encoder->count);
	column_end(encoder);
}

static void put_threads(struct columns_encoder *encoder)
{
	const uint64_t *threads = encoder->threads.bytes;
	uint64_t *values = column_values(encoder);

	values[0] = encoder->thread_count;
	column_numbers(encoder, 1);
	for (uint32_t i = 0; i < encoder->thread_count; i++)
		values[i] = threads[i] >> 32;
	column_numbers(encoder, encoder->thread_count);
	for (uint32_t i = 0; i < encoder->thread_count; i++)
		values[i] = (uint32_t)threads[i];
	column_numbers(encoder, encoder->thread_count);
	column_end(encoder);
}

/* ---- tails ---- */

/* The index of a tail, which is added where it is new. */
static uint32_t tail_index(struct columns_encoder *encoder, const char *bytes, uint32_t length_bytes, size_t mask)
{
	uint32_t *slots = encoder->slots.bytes;
	struct tail *tails = encoder->tails.bytes;
	uint64_t hash = XXH3_64bits(bytes, length_bytes);
	size_t at = (hash >> 32) & mask;

	for (; slots[at]; at = (at + 1) & mask) {
		const struct tail *tail = &tails[slots[at] - 1];

		if (tail->hash == (uint32_t)hash && tail->length_bytes == length_bytes &&
		    memcmp(tail->bytes, bytes, length_bytes) == 0)
			return slots[at] - 1;
	}
	tails[encoder->tail_count++] = (struct tail){bytes, length_bytes, (uint32_t)hash};
	slots[at] = encoder->tail_count;
	return slots[at] - 1;
}

static uint32_t tail_ref(struct recent_tails *recent, uint32_t index, bool is_new)
{
	if (is_new) {
		recent_tails_use(recent, TAIL_RECENT_COUNT - 1, index);
		return TAIL_NEW;
	}
	for (unsigned place = 0; place < TAIL_RECENT_COUNT; place++)
		if (recent->index[place] == index) {
			recent_tails_use(recent, place, index);
			return TAIL_RECENT + place;
		}
	recent_tails_use(recent, TAIL_RECENT_COUNT - 1, index);
	return TAIL_INDEX + index;
}

static void put_tail_refs(struct columns_encoder *encoder)
{
	const struct event_header *event = encoder->first;
	uint64_t *values = column_values(encoder);
	struct recent_tails recent;
	size_t mask = slots_clear(encoder);
	uint32_t ref_count = 0;

	scratch_reserve(&encoder->tails, encoder->count * sizeof(struct tail));
	memset(&recent, 0xff, sizeof(recent));
	encoder->tail_count = 0;
	for (uint32_t i = 0; i < encoder->count; i++, event = record_after(event)) {
		const struct schema_kind *kind = encoder->schema[event->kind];
		uint32_t known_count = encoder->tail_count;
		size_t length;
		const char *bytes = event_tail(event, kind->fixed_bytes, &length);

		if (!kind->tail_name[0])
			continue;
		values[ref_count] = TAIL_EMPTY;
		if (length) {
			uint32_t index = tail_index(encoder, bytes, (uint32_t)length, mask);

			values[ref_count] = tail_ref(&recent, index, index == known_count);
		}
		ref_count++;
	}
	column_numbers(encoder, ref_count);
	column_end(encoder);
}

static void put_tails(struct columns_encoder *encoder)
{
	const struct tail *tails = encoder->tails.bytes;
	uint64_t *values = column_values(encoder);
	size_t length_bytes = 0;

	for (uint32_t i = 0; i < encoder->tail_count; i++) {
		values[i] = tails[i].length_bytes;
		length_bytes += tails[i].length_bytes;
	}
	column_numbers(encoder, encoder->tail_count);
	column_end(encoder);

	uint8_t *at = pack_bytes(&encoder->pack, length_bytes);

	for (uint32_t i = 0; i < encoder->tail_count; at += tails[i++].length_bytes)
		memcpy(at, tails[i].bytes, tails[i].length_bytes);
	column_end(encoder);
}

/* ---- fields ---- */

static void gather(const struct columns_encoder *encoder, const struct schema_field *field,
		   const struct place *places, uint32_t count, uint64_t *values)
{
	const char *at = (const char *)encoder->first + field->offset_bytes;

	switch (field->type) {
	case FIELD_U64:
	case FIELD_I64:
		for (uint32_t i = 0; i < count; i++)
			memcpy(&values[i], at + places[i].offset_bytes, sizeof(uint64_t));
		break;
	case FIELD_U32:
	case FIELD_I32:
		for (uint32_t i = 0; i < count; i++) {
			uint32_t value;

			memcpy(&value, at + places[i].offset_bytes, sizeof(value));
			values[i] = layout_widen(field->type, value);
		}
		break;
	}
}

static void put_fields(struct columns_encoder *encoder)
{
	const struct place *places = encoder->places.bytes;
	uint64_t *values = column_values(encoder);
	uint32_t *value_threads = scratch_reserve(&encoder->value_threads, encoder->count * sizeof(*value_threads));

	for (uint32_t id = 0; id < EVENT_KIND_END; id++) {
		uint32_t count = encoder->kind_counts[id];

		if (!count)
			continue;
		for (uint32_t i = 0; i < count; i++)
			value_threads[i] = places[i].thread;
		for (size_t i = 0; i < encoder->schema[id]->field_count; i++) {
			struct column_values column = {values, value_threads, count, encoder->thread_count};

			gather(encoder, &encoder->schema[id]->fields[i], places, count, values);
			value_coder_put(&encoder->coder, column, &encoder->pack);
			column_end(encoder);
		}
		places += count;
	}
}

struct columns_content columns_encode(struct columns_encoder *encoder, const void *records, uint32_t count)
{
	encoder->first = records;
	encoder->count = count;
	count_kinds(encoder);
	directory_begin(encoder);
	put_kinds_times_cpus(encoder);
	put_thread_refs(encoder);
	put_threads(encoder);
	put_tail_refs(encoder);
	put_tails(encoder);
	put_fields(encoder);
	directory_end(encoder);
	return (struct columns_content){
		.bytes = encoder->pack.bytes,
		.length_bytes = encoder->pack.length_bytes,
		.breaks = encoder->pack.breaks,
		.break_count = encoder->pack.break_count,
	};
}
