/* Chooses the mode of one column of field values and writes it (format/columns.h, enum column_mode). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/scratch.h"

/* One column: `count` values (at least one), and for each the index of its thread, below thread_count. */
struct column_values {
	const uint64_t *values;
	const uint32_t *threads;
	uint32_t count;
	uint32_t thread_count;
};

/* Memory kept between columns; a zeroed struct is ready for use. */
struct value_coder {
	struct scratch slots, table, last_by_thread;
	size_t slot_count;
	uint32_t table_count;
};

/* Bytes that a column of so many values can take. */
size_t value_coder_room(uint32_t count);

/* Writes the mode and the values, returns the end. */
uint8_t *value_coder_put(struct value_coder *coder, struct column_values column, uint8_t *at);

size_t value_coder_bytes(const struct value_coder *coder); /* memory in use */
void value_coder_done(struct value_coder *coder);
