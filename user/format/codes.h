/* The names of enumerated values and flags, by the field that holds them: "network" for context 2 of a wake.
 *
 * One table, used to print and to read the text form of records. Values without a name are numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/schema.h"

struct code_name {
	uint32_t value;
	const char *name;
};

struct code_table {
	bool is_flags; /* the values are bits, which may be combined */
	size_t count;
	const struct code_name *names;
};

/* NULL where the field's values have no names. */
const struct code_table *codes_of(const struct schema_kind *kind, const struct schema_field *field);

/* The names of a stack frame's type. */
const struct code_table *codes_of_frame_type(void);

const char *code_name(const struct code_table *table, uint64_t value); /* NULL: none; flags one by one */
bool code_value(const struct code_table *table, const char *name, size_t length, uint64_t *ret_value);
