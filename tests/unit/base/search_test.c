/* The first place where a condition holds: every border of small ranges, equal values, and the type of the count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/auto.h"
#include "base/search.h"

static void every_border(void **state)
{
	(void)state;
	for (size_t count = 0; count < 40; count++)
		for (size_t border = 0; border <= count; border++)
			assert_int_equal(first_where(count, i, i >= border), border);
}

static void equal_values(void **state)
{
	static const int values[] = {1, 3, 3, 3, 7};

	(void)state;
	assert_int_equal(first_where(array_length(values), i, values[i] >= 3), 1);
	assert_int_equal(first_where(array_length(values), i, values[i] > 3), 4);
	assert_int_equal(first_where(array_length(values), i, values[i] >= 1), 0);
	assert_int_equal(first_where(array_length(values), i, values[i] > 7), 5);
	assert_int_equal(first_where(array_length(values), i, values[array_length(values) - 1 - i] <= 3), 1);
}

static size_t times_asked;

static bool is_at_least(uint32_t value, uint32_t limit)
{
	times_asked++;
	return value >= limit;
}

/* The sum of two places does not fit into the type. */
static void large_counts(void **state)
{
	const uint32_t count = UINT32_MAX;

	(void)state;
	times_asked = 0;
	assert_int_equal(first_where(count, i, is_at_least(i, count - 1)), count - 1);
	assert_true(times_asked <= 32);
	assert_int_equal(sizeof(first_where(count, i, i > 0)), sizeof(count));
	assert_int_equal(first_where(UINT64_MAX, i, i >= UINT64_MAX - 1), UINT64_MAX - 1);
}

static void asks_nothing_of_an_empty_range(void **state)
{
	uint32_t count = 0;

	(void)state;
	times_asked = 0;
	assert_int_equal(first_where(count, i, is_at_least(i, 0)), 0);
	assert_int_equal(times_asked, 0);
	count = 3;
	assert_int_equal(first_where(count++, i, i > 1), 2);
	assert_int_equal(count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_border),
		cmocka_unit_test(equal_values),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(asks_nothing_of_an_empty_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
