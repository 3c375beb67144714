#include "format/column_values.h"

#include <string.h>

#include "format/columns.h"

/* So many values are looked at to choose a mode: choosing may cost a fraction of writing. */
enum { SAMPLE_VALUES = 1024 };

size_t value_coder_bytes(const struct value_coder *coder)
{
	return coder->slots.capacity_bytes + coder->table.capacity_bytes + coder->last_by_thread.capacity_bytes +
	       coder->coded.capacity_bytes;
}

void value_coder_done(struct value_coder *coder)
{
	scratch_done(&coder->slots);
	scratch_done(&coder->table);
	scratch_done(&coder->last_by_thread);
	scratch_done(&coder->coded);
}

/* ---- the table of distinct values ---- */

static void table_clear(struct value_coder *coder, uint32_t count)
{
	coder->slot_count = scratch_slot_count(count);
	memset(scratch_reserve(&coder->slots, coder->slot_count * sizeof(uint32_t)), 0,
	       coder->slot_count * sizeof(uint32_t));
	scratch_reserve(&coder->table, count * sizeof(uint64_t));
	coder->table_count = 0;
}

/* The value's index plus one, or 0 after it was added. */
static inline uint32_t table_ref(struct value_coder *coder, uint64_t value)
{
	uint32_t *slots = coder->slots.bytes;
	uint64_t *table = coder->table.bytes;
	size_t mask = coder->slot_count - 1;
	uint64_t hash = value * 0x9e3779b97f4a7c15ull;
	size_t at = (hash ^ hash >> 32) & mask;

	for (; slots[at]; at = (at + 1) & mask)
		if (table[slots[at] - 1] == value)
			return slots[at];
	table[coder->table_count++] = value;
	slots[at] = coder->table_count;
	return 0;
}

/* Of the threads that the first `count` values have, all zero. Not of all threads: a rare kind has few. */
static uint64_t *cleared_last_values(struct value_coder *coder, struct column_values column, uint32_t count)
{
	uint64_t *last_by_thread = scratch_reserve(&coder->last_by_thread, column.thread_count * sizeof(uint64_t));

	for (uint32_t i = 0; i < count; i++)
		last_by_thread[column.threads[i]] = 0;
	return last_by_thread;
}

/* ---- choosing ---- */

static inline uint64_t bits_of(uint64_t value)
{
	return 65 - (uint64_t)__builtin_clzll(value | 1) - (value == 0);
}

/* Estimates by the numbers' widths what each mode takes, since what comes after squeezes the bytes to about that. */
static enum column_mode choose_mode(struct value_coder *coder, struct column_values column)
{
	uint32_t count = column.count < SAMPLE_VALUES ? column.count : SAMPLE_VALUES;
	uint64_t costs[] = {[MODE_CONSTANT] = UINT64_MAX, [MODE_TABLE] = 0};
	uint64_t *last_by_thread = cleared_last_values(coder, column, count);
	uint64_t last = 0, last_new = 0;

	table_clear(coder, count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = column.values[i];
		uint64_t *last_of_thread = &last_by_thread[column.threads[i]];
		uint32_t ref = table_ref(coder, value);

		costs[MODE_PLAIN] += bits_of(value);
		costs[MODE_ZIGZAG] += bits_of(zigzag(value));
		costs[MODE_STEP] += bits_of(zigzag(value - last));
		costs[MODE_THREAD_STEP] += bits_of(zigzag(value - *last_of_thread));
		costs[MODE_TABLE] += ref ? bits_of(ref) : 1 + bits_of(zigzag(value - last_new));
		last = value;
		*last_of_thread = value;
		if (!ref)
			last_new = value;
	}

	enum column_mode best = MODE_PLAIN;

	for (enum column_mode mode = MODE_PLAIN; mode <= MODE_TABLE; mode++)
		if (costs[mode] < costs[best])
			best = mode;
	return best;
}

static bool is_constant(struct column_values column)
{
	for (uint32_t i = 1; i < column.count; i++)
		if (column.values[i] != column.values[0])
			return false;
	return true;
}

/* ---- coding ---- */

static void code_steps(const uint64_t *values, uint32_t count, uint64_t *coded)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = values[i];

		coded[i] = zigzag(value - last);
		last = value;
	}
}

static void code_thread_steps(struct value_coder *coder, struct column_values column, uint64_t *coded)
{
	uint64_t *last_by_thread = cleared_last_values(coder, column, column.count);

	for (uint32_t i = 0; i < column.count; i++) {
		uint64_t *last = &last_by_thread[column.threads[i]];

		coded[i] = zigzag(column.values[i] - *last);
		*last = column.values[i];
	}
}

/* The new values come after all references, so that like stands beside like. */
static void put_table(struct value_coder *coder, struct column_values column, uint64_t *coded, struct pack *pack)
{
	table_clear(coder, column.count);
	for (uint32_t i = 0; i < column.count; i++)
		coded[i] = table_ref(coder, column.values[i]);
	pack_numbers(pack, coded, column.count);
	code_steps(coder->table.bytes, coder->table_count, coded);
	pack_numbers(pack, coded, coder->table_count);
}

void value_coder_put(struct value_coder *coder, struct column_values column, struct pack *pack)
{
	enum column_mode mode = is_constant(column) ? MODE_CONSTANT : choose_mode(coder, column);
	uint64_t *coded = scratch_reserve(&coder->coded, column.count * sizeof(*coded));

	*pack_bytes(pack, 1) = (uint8_t)mode;
	switch (mode) {
	case MODE_CONSTANT:
		coded[0] = column.values[0];
		pack_numbers(pack, coded, 1);
		return;
	case MODE_PLAIN:
		memcpy(coded, column.values, column.count * sizeof(*coded));
		break;
	case MODE_ZIGZAG:
		for (uint32_t i = 0; i < column.count; i++)
			coded[i] = zigzag(column.values[i]);
		break;
	case MODE_STEP:
		code_steps(column.values, column.count, coded);
		break;
	case MODE_THREAD_STEP:
		code_thread_steps(coder, column, coded);
		break;
	case MODE_TABLE:
		put_table(coder, column, coded, pack);
		return;
	}
	pack_numbers(pack, coded, column.count);
}
