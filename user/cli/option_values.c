#include "cli/option_values.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Decimal digits at *at; false where there are none or the number does not fit. */
static bool read_digits(const char **at, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (!is_digit(**at))
		return false;
	for (; is_digit(**at); (*at)++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(**at - '0'), &number))
			return false;
	*ret_number = number;
	return true;
}

struct err *value_count(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *ret_count)
{
	const char *at = text;
	uint64_t count;

	if (read_digits(&at, &count) && !*at && count >= minimum && count <= maximum) {
		*ret_count = count;
		return NULL;
	}
	if (maximum >= INT64_MAX)
		return err_new(ERR_USAGE, "a whole number from %s up is needed", fmt_count((int64_t)minimum).text);
	return err_new(ERR_USAGE, "a whole number from %s to %s is needed", fmt_count((int64_t)minimum).text,
		       fmt_count((int64_t)maximum).text);
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* digits [. digits] unit. The fraction is exact down to the ninth place, which is the nanosecond of a second. */
static bool read_quantity(const char *text, const struct unit *units, size_t unit_count, uint64_t *ret_value)
{
	uint64_t whole, fraction = 0, scale = 1, value;
	const char *at = text;

	if (!read_digits(&at, &whole))
		return false;
	if (*at == '.') {
		at++;
		if (!is_digit(*at))
			return false;
		for (; is_digit(*at); at++)
			if (scale < 1000000000) {
				fraction = fraction * 10 + (uint64_t)(*at - '0');
				scale *= 10;
			}
	}
	for (size_t i = 0; i < unit_count; i++) {
		if (strcmp(at, units[i].name) != 0)
			continue;

		unsigned __int128 part = (unsigned __int128)fraction * units[i].factor / scale;

		if (__builtin_mul_overflow(whole, units[i].factor, &value) ||
		    __builtin_add_overflow(value, (uint64_t)part, &value) || value > INT64_MAX)
			return false;
		*ret_value = value;
		return true;
	}
	return false;
}

struct err *value_duration(const char *text, uint64_t *ret_duration_ns)
{
	static const struct unit units[] = {
		{"", 1000000000},      {"s", 1000000000},	{"ms", 1000000},
		{"us", 1000},	       {"\u00b5s", 1000},	{"ns", 1},
		{"m", 60000000000ull}, {"min", 60000000000ull}, {"h", 3600000000000ull},
	};

	if (read_quantity(text, units, array_length(units), ret_duration_ns))
		return NULL;
	return err_new(ERR_USAGE, "a duration such as 30, 30s, 500ms or 2m is needed");
}

struct err *value_size(const char *text, uint64_t *ret_size_bytes)
{
	static const struct unit units[] = {
		{"", 1},	  {"B", 1},	  {"K", 1 << 10}, {"KiB", 1 << 10}, {"k", 1 << 10}, {"M", 1 << 20},
		{"MiB", 1 << 20}, {"m", 1 << 20}, {"G", 1 << 30}, {"GiB", 1 << 30}, {"g", 1 << 30},
	};

	if (read_quantity(text, units, array_length(units), ret_size_bytes))
		return NULL;
	return err_new(ERR_USAGE, "a size such as 65536, 512K, 16M or 1G is needed");
}

static bool is_same_name(const char *left, const char *right)
{
	for (; *left || *right; left++, right++) {
		char a = *left == '-' ? '_' : *left, b = *right == '-' ? '_' : *right;

		if (a != b)
			return false;
	}
	return true;
}

struct err *value_choice(const char *text, const char *const *names, unsigned *ret_index)
{
	auto_free char *list = NULL;
	size_t size = 0;

	for (unsigned i = 0; names[i]; i++)
		if (is_same_name(text, names[i])) {
			*ret_index = i;
			return NULL;
		}

	auto_file FILE *stream = open_memstream(&list, &size);

	for (unsigned i = 0; stream && names[i]; i++)
		fprintf(stream, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
	if (stream)
		fflush(stream);
	return err_new(ERR_USAGE, "%s is needed", list ? list : "another value");
}

enum { NEAREST_LENGTH_MAX = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Letters to insert, drop, change or exchange with their neighbour (optimal string alignment). */
static unsigned distance(const char *left, const char *right)
{
	unsigned rows[3][NEAREST_LENGTH_MAX + 1];
	size_t left_length = strlen(left), right_length = strlen(right);

	for (size_t j = 0; j <= right_length; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= left_length; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= right_length; j++) {
			unsigned change = above[j - 1] + (left[i - 1] != right[j - 1]);

			row[j] = least(change, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[left_length % 3][right_length];
}

const char *value_nearest(const char *text, const char *const *names)
{
	size_t length = strlen(text);
	unsigned best = length < 4 ? 2 : length < 8 ? 3 : 4;
	const char *nearest = NULL;

	if (length < 2 || length > NEAREST_LENGTH_MAX)
		return NULL;
	for (size_t i = 0; names[i]; i++) {
		if (strlen(names[i]) > NEAREST_LENGTH_MAX)
			continue;

		/* The start of a name is taken for the name, however much of it is missing. */
		unsigned here = strncmp(text, names[i], length) == 0 ? 1 : distance(text, names[i]);

		if (here < best) {
			best = here;
			nearest = names[i];
		}
	}
	return nearest;
}
