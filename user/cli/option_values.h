/* Values of options as people write them: numbers, durations, sizes, lists, and the nearest of several names.
 *
 * A number is decimal and checked for its range; nothing after it is overlooked. Failures are of kind ERR_USAGE and
 * say what would have been right; they do not name the option, which the caller adds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct err *value_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *ret_count) must_check;

/* "30" and "30s" are seconds; "500ms", "1.5s", "2m", "1h", and us and ns for what is short. */
struct err *value_duration(const char *text, uint64_t *ret_duration_ns) must_check;

/* Bytes; "16M" and "16MiB" are binary multiples (K, M, G). */
struct err *value_size(const char *text, uint64_t *ret_size_bytes) must_check;

/* The index of `text` in a NULL-terminated list of names; underscores and hyphens are one. */
struct err *value_choice(const char *text, const char *const *names, unsigned *ret_index) must_check;

/* The name that was probably meant, of a NULL-terminated list; NULL where none is near. */
const char *value_nearest(const char *text, const char *const *names);
