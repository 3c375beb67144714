/* Chooses the mode of one column of field values and writes it (format/columns.h, enum column_mode). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/pack.h"
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
	struct scratch slots, table, last_by_thread, coded;
	size_t slot_count;
	uint32_t table_count;
};

/* Packs the mode and the values, without a break at the end. */
void value_coder_put(struct value_coder *coder, struct column_values column, struct pack *pack);

size_t value_coder_bytes(const struct value_coder *coder); /* memory in use */
void value_coder_done(struct value_coder *coder);
