/* Known answers, and the promise that matters most: what is the same is not called different. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "analyze/compare.h"
#include "analyze/statistics.h"
#include "base/auto.h"
#include "unit/analyze/statistics_cases.h"

static void near(double value, double expected, double tolerance, const char *name, const char *what)
{
	if (fabs(value - expected) > tolerance)
		fail_msg("%s: %s is %.12g, not %.12g", name, what, value, expected);
}

static void test_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < array_length(statistics_cases); i++) {
		const struct statistics_case *of = &statistics_cases[i];

		near((double)statistics_median(of->left, of->left_count), of->left_median, 0.5, of->name,
		     "the median");
		near(statistics_mean(of->left, of->left_count), of->left_mean, 1e-9 * of->left_mean, of->name,
		     "the mean");
		near(statistics_deviation(of->left, of->left_count), of->left_deviation, 1e-9 * of->left_mean,
		     of->name, "the deviation");
		near(statistics_mann_whitney(of->left, of->left_count, of->right, of->right_count), of->p_value, 1e-9,
		     of->name, "p");
		near(statistics_mann_whitney(of->right, of->right_count, of->left, of->left_count), of->p_value, 1e-9,
		     of->name, "p the other way");
	}
}

/* Both resample: scipy's quantiles beside the end of the interval are its bounds. */
static void test_interval_is_that_of_scipy(void **state)
{
	const double little = 1e-9;

	(void)state;
	for (size_t i = 0; i < array_length(statistics_cases); i++) {
		const struct statistics_case *of = &statistics_cases[i];
		struct interval95 interval =
			statistics_change_interval(of->left, of->left_count, of->right, of->right_count);

		if (interval.low < of->low_least - little || interval.low > of->low_most + little ||
		    interval.high < of->high_least - little || interval.high > of->high_most + little)
			fail_msg("%s: the interval is %.6f to %.6f; it begins in %.6f..%.6f and ends in %.6f..%.6f",
				 of->name, interval.low, interval.high, of->low_least, of->low_most, of->high_least,
				 of->high_most);
	}
}

static void test_nothing_to_compare(void **state)
{
	const int64_t one = 5;

	(void)state;
	assert_int_equal(statistics_median(NULL, 0), 0);
	assert_true(statistics_mean(NULL, 0) == 0);
	assert_true(statistics_deviation(&one, 1) == 0);
	assert_true(statistics_mann_whitney(NULL, 0, &one, 1) == 1);
	assert_true(statistics_mann_whitney(&one, 1, NULL, 0) == 1);
	assert_true(statistics_detectable_change(&one, 1, 1) == 0);
}

static void test_median_of_an_even_number(void **state)
{
	const int64_t values[] = {4, 1, 3, 2};
	const int64_t negative[] = {-3, -2};

	(void)state;
	assert_int_equal(statistics_median(values, 4), 3); /* 2.5, half away from zero */
	assert_int_equal(statistics_median(negative, 2), -3);
}

/* ---- simulated runs ---- */

struct randomness {
	uint64_t state;
};

static double draw(struct randomness *randomness)
{
	randomness->state = randomness->state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(randomness->state >> 11) / 9007199254740992.0;
}

/* Log-normal by the polar method, as latencies are. */
static int64_t latency(struct randomness *randomness, double median_ns, double spread)
{
	double normal = sqrt(-2 * log(1 - draw(randomness))) * cos(6.283185307179586 * draw(randomness));

	return llround(median_ns * exp(spread * normal));
}

static void add_runs(struct compare *compare, uint32_t scenario, size_t runs, double median_ns, double spread,
		     struct randomness *randomness)
{
	for (size_t i = 0; i < runs; i++) {
		struct run_figures figures = {
			.first_request_ns = {KNOWN, latency(randomness, median_ns, spread)},
			.wall_ns = {KNOWN, 1},
			.place = {.kernel = "", .arch = "", .runtime = "", .gc = "", .tool_version = ""}};

		figures.causes[CAUSE_CODE_UNSPLIT] = figures.first_request_ns.value;
		compare_add_run(compare, scenario, &figures);
	}
}

/* How many of `repeats` comparisons have a verdict that begins with `words`. */
static int count_verdicts(size_t runs, double change, double spread, int repeats, const char *words)
{
	struct randomness randomness = {.state = 20240607 + runs};
	int count = 0;

	for (int repeat = 0; repeat < repeats; repeat++) {
		auto_done(compare_free) struct compare *compare = compare_new();
		auto_done(comparison_done) struct comparison comparison = {};
		uint32_t a = compare_add_scenario(compare, "a", NULL, 0),
			 b = compare_add_scenario(compare, "b", NULL, 0);

		add_runs(compare, a, runs, 450e6, spread, &randomness);
		add_runs(compare, b, runs, 450e6 * (1 + change), spread, &randomness);
		compare_finish(compare, &comparison);
		assert_int_equal(comparison.differences_count, 1);
		count += strncmp(comparison.differences[0].verdict, words, strlen(words)) == 0;
	}
	return count;
}

static void test_same_is_no_difference(void **state)
{
	static const size_t runs[] = {4, 5, 10, 20, 30};

	(void)state;
	for (size_t i = 0; i < array_length(runs); i++) {
		int same = count_verdicts(runs[i], 0, 0.15, 100, "no difference");

		if (same < 95)
			fail_msg("%zu runs: %d of 100 comparisons with itself say \"no difference\"", runs[i], same);
	}
}

static void test_large_change_is_seen(void **state)
{
	(void)state;
	assert_in_range(count_verdicts(10, -0.27, 0.12, 100, "faster"), 95, 100);
	assert_in_range(count_verdicts(10, 0.3, 0.12, 100, "slower"), 95, 100);
	assert_int_equal(count_verdicts(3, -0.75, 0.1, 50, "faster in every run, but too few"), 50);
}

/* The change that is called detectable shows in about four of five repeats. */
static void test_detectable_change_is_detected(void **state)
{
	struct randomness randomness = {.state = 99};
	double sum = 0, change;
	int seen;

	(void)state;
	for (int repeat = 0; repeat < 200; repeat++) {
		int64_t values[20];

		for (size_t i = 0; i < array_length(values); i++)
			values[i] = latency(&randomness, 450e6, 0.1);
		sum += statistics_detectable_change(values, array_length(values), array_length(values));
	}
	change = sum / 200;
	assert_in_range((uintmax_t)(change * 1000), 100, 125); /* 2.8 x 0.1 x sqrt(2 / 20 x pi / 2) = 11.1 % */
	seen = count_verdicts(20, change, 0.1, 200, "slower");
	if (seen < 140 || seen > 180)
		fail_msg("a change of %.1f %% is seen in %d of 200 repeats", change * 100, seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_interval_is_that_of_scipy),
		cmocka_unit_test(test_nothing_to_compare),
		cmocka_unit_test(test_median_of_an_even_number),
		cmocka_unit_test(test_same_is_no_difference),
		cmocka_unit_test(test_large_change_is_seen),
		cmocka_unit_test(test_detectable_change_is_detected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
