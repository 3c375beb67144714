#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "base/fmt.h"

static void durations(void **state)
{
	static const struct {
		int64_t duration_ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1 µs"},
		{12345, "12.3 µs"},
		{999499, "999 µs"},
		{999500, "1 ms"},
		{9994999, "9.99 ms"},
		{9995000, "10 ms"},
		{434127418, "434 ms"},
		{8900000000, "8.9 s"},
		{59949999999, "59.9 s"},
		{312000000000, "312 s"},
		{599400000000, "599 s"},
		{600000000000, "10 min 0 s"},
		{3599600000000, "1 h 0 min"},
		{7384000000000, "2 h 3 min"},
		{-12345, "-12.3 µs"},
		{INT64_MAX, "2562047 h 47 min"},
		{INT64_MIN, "-2562047 h 47 min"},
	};

	(void)state;
	for (size_t i = 0; i < array_length(cases); i++)
		assert_string_equal(fmt_duration(cases[i].duration_ns).text, cases[i].text);
}

static void sizes_and_counts(void **state)
{
	(void)state;
	assert_string_equal(fmt_bytes(0).text, "0 B");
	assert_string_equal(fmt_bytes(1023).text, "1 KiB"); /* 1,023 has four digits */
	assert_string_equal(fmt_bytes(999).text, "999 B");
	assert_string_equal(fmt_bytes(1536).text, "1.5 KiB");
	assert_string_equal(fmt_bytes(297512960).text, "284 MiB");
	assert_string_equal(fmt_bytes(INT64_MAX).text, "8192 PiB");
	assert_string_equal(fmt_count(0).text, "0");
	assert_string_equal(fmt_count(999).text, "999");
	assert_string_equal(fmt_count(12441).text, "12,441");
	assert_string_equal(fmt_count(-1234567).text, "-1,234,567");
	assert_string_equal(fmt_count(INT64_MIN).text, "-9,223,372,036,854,775,808");
}

static void shares(void **state)
{
	(void)state;
	assert_string_equal(fmt_percent(0).text, "0 %");
	assert_string_equal(fmt_percent(0.0004).text, "0 %");
	assert_string_equal(fmt_percent(0.004).text, "0.4 %");
	assert_string_equal(fmt_percent(0.05).text, "5 %");
	assert_string_equal(fmt_percent(0.3149).text, "31 %");
	assert_string_equal(fmt_percent(-0.031).text, "-3.1 %");
	assert_string_equal(fmt_percent(-0.0001).text, "0 %");
	assert_string_equal(fmt_percent(1).text, "100 %");
	assert_string_equal(fmt_change(0.052).text, "+5.2 %");
	assert_string_equal(fmt_change(-0.27).text, "-27 %");
	assert_string_equal(fmt_change(0).text, "0 %");
	assert_string_equal(fmt_percent(NAN).text, "? %");
	assert_string_equal(fmt_percent(INFINITY).text, "? %");
	assert_string_equal(fmt_factor(32.2).text, "32");
	assert_string_equal(fmt_factor(1.84).text, "1.8");
}

static void times(void **state)
{
	(void)state;
	assert_string_equal(fmt_time(0).text, "1970-01-01T00:00:00.000000000Z");
	/* 2026-03-01 is 20,513 days after the epoch; noon. */
	assert_string_equal(fmt_time(1772366400000000001).text, "2026-03-01T12:00:00.000000001Z");
	assert_string_equal(fmt_time(-1).text, "1969-12-31T23:59:59.999999999Z");
	assert_string_equal(fmt_time(INT64_MAX).text, "2262-04-11T23:47:16.854775807Z");
}

static void fixed(void **state)
{
	(void)state;
	assert_string_equal(fmt_fixed(4341, 1, false).text, "434.1");
	assert_string_equal(fmt_fixed(4341, 1, true).text, "+434.1");
	assert_string_equal(fmt_fixed(0, 1, true).text, "0.0");
	assert_string_equal(fmt_fixed(-5, 2, false).text, "-0.05");
	assert_string_equal(fmt_fixed(12345678, 0, false).text, "12,345,678");
	assert_string_equal(fmt_fixed(INT64_MIN, 1, false).text, "-922,337,203,685,477,580.8");
	assert_int_equal(fmt_round(149, 100), 1);
	assert_int_equal(fmt_round(150, 100), 2);
	assert_int_equal(fmt_round(-150, 100), -1);
	assert_int_equal(fmt_round(-151, 100), -2);
}

/* 33 + 33 + 34 of a step of 100 is 1: the largest remainder gets it. 250 - 130 = 120 is 1: -130 becomes -1 (floor -2,
 * remainder 70), 250 stays 2 (remainder 50). */
static void rounding_together(void **state)
{
	const int64_t thirds[] = {33, 33, 34}, mixed[] = {250, -130}, ties[] = {50, 50, 0, 100};
	const int64_t extremes[] = {INT64_MAX, INT64_MAX, INT64_MIN};
	int64_t units[4];

	(void)state;
	fmt_round_together(thirds, 3, 100, units);
	assert_int_equal(units[0], 0);
	assert_int_equal(units[1], 0);
	assert_int_equal(units[2], 1);
	fmt_round_together(mixed, 2, 100, units);
	assert_int_equal(units[0], 2);
	assert_int_equal(units[1], -1);
	fmt_round_together(ties, 4, 100, units);
	assert_int_equal(units[0], 1);
	assert_int_equal(units[1], 0);
	assert_int_equal(units[2], 0);
	assert_int_equal(units[3], 1);
	fmt_round_together(ties, 0, 100, units);
	fmt_round_together(extremes, 3, 1, units);
	assert_int_equal(units[2], INT64_MIN);
	assert_int_equal(fmt_add(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(fmt_add(INT64_MIN, -1), INT64_MIN);
	assert_int_equal(fmt_subtract(0, INT64_MIN), INT64_MAX);
	assert_int_equal(fmt_subtract(-2, INT64_MAX), INT64_MIN);
	assert_int_equal(fmt_subtract(5, 7), -2);
}

/* For any values the units add up to the rounded sum, and none is a whole step away from its value. */
static void rounding_together_always_adds_up(void **state)
{
	uint64_t seed = 12345;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int64_t values[20], units[20], sum = 0, total = 0;
		size_t count = (size_t)round % array_length(values) + 1;

		for (size_t i = 0; i < count; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			values[i] = (int64_t)(seed >> 33) % 1000000 - 300000;
			sum += values[i];
		}
		fmt_round_together(values, count, 1000, units);
		for (size_t i = 0; i < count; i++) {
			total += units[i];
			assert_true(llabs(units[i] * 1000 - values[i]) < 1000);
		}
		assert_int_equal(total, fmt_round(sum, 1000));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes_and_counts),
		cmocka_unit_test(shares),
		cmocka_unit_test(times),
		cmocka_unit_test(fixed),
		cmocka_unit_test(rounding_together),
		cmocka_unit_test(rounding_together_always_adds_up),
	};

	return cmocka_run_group_tests_name("fmt", tests, NULL, NULL);
}
