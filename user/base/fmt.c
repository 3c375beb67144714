#include "base/fmt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/auto.h"
#include "base/vec.h"

enum { THREE_DIGITS = 1000 };

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void drop_trailing_zeros(char *text)
{
	char *point = strchr(text, '.');

	if (!point)
		return;

	char *last = text + strlen(text) - 1;

	while (*last == '0')
		*last-- = 0;
	if (last == point)
		*point = 0;
}

/* value/unit with three digits; false where that rounds to a thousand, so that the next unit has to take it. */
static bool three_digits(uint64_t value, uint64_t unit, char *text, size_t size_bytes)
{
	long double scaled = (long double)value / (long double)unit;
	int decimals = scaled >= 99.95L ? 0 : scaled >= 9.995L ? 1 : 2;

	snprintf(text, size_bytes, "%.*Lf", decimals, scaled);
	drop_trailing_zeros(text);
	return scaled < THREE_DIGITS - 0.5L;
}

struct unit {
	uint64_t size;
	const char *name;
};

static struct fmt in_units(int64_t value, const struct unit *units, size_t count)
{
	struct fmt result;
	char digits[32];
	size_t i = 0;

	while (!three_digits(magnitude(value), units[i].size, digits, sizeof(digits)) && i + 1 < count)
		i++;
	snprintf(result.text, sizeof(result.text), "%s%s %s", value < 0 ? "-" : "", digits, units[i].name);
	return result;
}

struct fmt fmt_duration(int64_t duration_ns)
{
	static const struct unit units[] = {{1, "ns"}, {1000, "µs"}, {1000000, "ms"}, {1000000000, "s"}};
	uint64_t seconds = (magnitude(duration_ns) + 500000000) / 1000000000;
	struct fmt result;

	if (seconds < 600)
		return in_units(duration_ns, units, array_length(units));

	uint64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
	const char *sign = duration_ns < 0 ? "-" : "";

	if (hours)
		snprintf(result.text, sizeof(result.text), "%s%" PRIu64 " h %" PRIu64 " min", sign, hours, minutes);
	else
		snprintf(result.text, sizeof(result.text), "%s%" PRIu64 " min %" PRIu64 " s", sign, minutes,
			 seconds % 60);
	return result;
}

struct fmt fmt_bytes(int64_t size_bytes)
{
	static const struct unit units[] = {{1, "B"},	      {1 << 10, "KiB"},	   {1 << 20, "MiB"},
					    {1 << 30, "GiB"}, {1ull << 40, "TiB"}, {1ull << 50, "PiB"}};

	return in_units(size_bytes, units, array_length(units));
}

struct fmt fmt_count(int64_t count)
{
	struct fmt result;
	char digits[24];
	char *out = result.text;
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, magnitude(count));

	if (count < 0)
		*out++ = '-';
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = 0;
	return result;
}

static struct fmt percent(double fraction, const char *plus)
{
	struct fmt result;
	double value = fraction * 100;

	if (!isfinite(value)) {
		snprintf(result.text, sizeof(result.text), "? %%");
		return result;
	}

	bool is_small = fabs(value) < 9.95 && fabs(value) >= 0.05;
	char digits[32];

	snprintf(digits, sizeof(digits), "%.*f", is_small ? 1 : 0, fabs(value) > 1e9 ? 1e9 : fabs(value));
	drop_trailing_zeros(digits);

	bool is_zero = strcmp(digits, "0") == 0;

	snprintf(result.text, sizeof(result.text), "%s%s %%", is_zero ? "" : value < 0 ? "-" : plus, digits);
	return result;
}

struct fmt fmt_percent(double fraction)
{
	return percent(fraction, "");
}

struct fmt fmt_change(double fraction)
{
	return percent(fraction, "+");
}

struct fmt fmt_factor(double factor)
{
	struct fmt result;

	snprintf(result.text, sizeof(result.text), "%.*f", factor < 9.95 ? 1 : 0, factor > 1e9 ? 1e9 : factor);
	return result;
}

struct fmt fmt_time(int64_t unix_ns)
{
	struct fmt result;
	int64_t nanoseconds = unix_ns % 1000000000;
	time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm parts = {};
	char date[32];

	if (nanoseconds < 0) {
		nanoseconds += 1000000000;
		seconds--;
	}
	/* 64 bits of nanoseconds reach from 1677 to 2262: every year has four digits. */
	gmtime_r(&seconds, &parts);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(result.text, sizeof(result.text), "%s.%09" PRId64 "Z", date, nanoseconds);
	return result;
}

struct fmt fmt_fixed(int64_t units, unsigned decimals, bool has_sign)
{
	struct fmt result;
	const char *sign = units < 0 ? "-" : has_sign && units > 0 ? "+" : "";
	uint64_t divisor = 1;

	for (unsigned i = 0; i < decimals; i++)
		divisor *= 10;

	struct fmt whole = fmt_count((int64_t)(magnitude(units) / divisor));

	if (decimals)
		snprintf(result.text, sizeof(result.text), "%s%.24s.%0*" PRIu64, sign, whole.text, (int)decimals,
			 magnitude(units) % divisor);
	else
		snprintf(result.text, sizeof(result.text), "%s%.24s", sign, whole.text);
	return result;
}

/* Towards minus infinity, so that every remainder is in [0, step). */
static int64_t floor_units(int64_t value, int64_t step)
{
	return value / step - (value % step < 0);
}

static int64_t remainder_of(int64_t value, int64_t step)
{
	return value % step < 0 ? value % step + step : value % step;
}

int64_t fmt_round(int64_t value, int64_t step)
{
	int64_t units = floor_units(value, step), remainder = remainder_of(value, step);

	return units + (remainder >= step - remainder);
}

int64_t fmt_add(int64_t left, int64_t right)
{
	int64_t sum;

	if (__builtin_add_overflow(left, right, &sum))
		return left < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int64_t fmt_subtract(int64_t left, int64_t right)
{
	int64_t difference;

	if (__builtin_sub_overflow(left, right, &difference))
		return left < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

void fmt_round_together(const int64_t *values, size_t count, int64_t step, int64_t *ret_units)
{
	__int128 remainders = 0;

	for (size_t i = 0; i < count; i++) {
		ret_units[i] = floor_units(values[i], step);
		remainders += remainder_of(values[i], step);
	}

	/* What the floors fall short of the rounded sum: less than one unit for each value that is no whole number of
	 * units. */
	size_t missing = (size_t)((remainders + (step - step / 2)) / step);
	auto_free bool *is_raised = calloc(count + 1, sizeof(*is_raised));

	if (!is_raised)
		memory_exhausted();
	for (; missing > 0; missing--) {
		size_t best = count;

		for (size_t i = 0; i < count; i++)
			if (!is_raised[i] && remainder_of(values[i], step) &&
			    (best == count || remainder_of(values[i], step) > remainder_of(values[best], step)))
				best = i;
		if (best == count)
			break;
		is_raised[best] = true;
		ret_units[best]++;
	}
}
