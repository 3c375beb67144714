#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/cold_warm.h"
#include "base/auto.h"

static void means_add_up(void **state)
{
	const int64_t sums[] = {10, 11, 12, 0};
	int64_t means[4];

	(void)state;
	/* 33 / 3 = 11: 3, 3, 4 and one more for the largest remainder, 11's 2. */
	assert_int_equal(share_means(sums, 4, 3, means), 11);
	assert_int_equal(means[0], 3);
	assert_int_equal(means[1], 4);
	assert_int_equal(means[2], 4);
	assert_int_equal(means[3], 0);
	/* 33 / 2 = 16.5, rounded up: the only remainder is 11's. */
	assert_int_equal(share_means(sums, 4, 2, means), 17);
	assert_int_equal(means[1], 6);
	assert_int_equal(share_means(sums, 4, 1, means), 33);
}

static void k_of_n(void **state)
{
	const uint32_t expected[][2] = {{0, 0}, {1, 1}, {2, 1}, {3, 2}, {6, 4}, {29, 19}, {30, 20}, {1000, 20}};

	(void)state;
	for (size_t i = 0; i < array_length(expected); i++)
		assert_int_equal(warm_count_of(expected[i][0]), expected[i][1]);
}

static void warmth_is_reached_and_kept(void **state)
{
	const int64_t falling[] = {400, 200, 120, 110, 100, 105, 95, 100};
	const int64_t lucky[] = {400, 100, 300, 300, 300, 105, 95, 100};
	const int64_t never[] = {400, 300, 200};
	const int64_t at_once[] = {100};

	(void)state;
	assert_int_equal(until_warm(falling, array_length(falling), 100), 3); /* 110 is within 10 % */
	/* One fast request among slow ones is luck: the median of 100 300 300 300 105 is not warm. */
	assert_int_equal(until_warm(lucky, array_length(lucky), 100), 5);
	assert_int_equal(until_warm(never, array_length(never), 100), -1);
	assert_int_equal(until_warm(at_once, 1, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_add_up),
		cmocka_unit_test(k_of_n),
		cmocka_unit_test(warmth_is_reached_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
