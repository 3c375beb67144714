/* The numbers of the text form: decimal or 0x hexadecimal, with a unit where the field has one, exact or refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/span.h"

struct number_unit {
	const char *name;
	uint64_t factor;
	unsigned decimals; /* that may follow a point */
};

/* Lists end with a unit without a name. */
extern const struct number_unit number_times[]; /* ns (also without a unit), us, ms, s; the value is nanoseconds */
extern const struct number_unit number_sizes[]; /* bytes, KiB, MiB, GiB */
extern const struct number_unit number_plain[]; /* no unit */

/* All of the text must be the number. False also where it does not fit, or is finer than the unit allows. */
bool number_parse(struct span text, const struct number_unit *units, uint64_t *ret_value);
bool number_parse_u32(struct span text, uint32_t *ret_value);

/* With a sign, and the names of errors: -2 and -ENOENT are the same. */
bool number_parse_signed(struct span text, uint64_t *ret_value);

/* The value of a hexadecimal digit, 16 for another byte. */
int number_digit(char byte);
