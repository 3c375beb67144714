/* Comparisons of made-up runs: figures, causes, caches, squares, notes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "analyze/compare.h"
#include "base/auto.h"

#define MS 1000000ll

struct made {
	int64_t first_request_ns;   /* 0: not answered */
	int64_t find_ns;	    /* of it class.find, the rest is code.interpreted */
	const char *cache, *reason; /* cache NULL: none asked for; reason NULL: used */
	const char *kernel;
	bool has_ended_itself;
	int64_t lost_events;
	bool is_cache_stale;
};

static void add(struct compare *compare, uint32_t scenario, const struct made *made)
{
	static const char *const command[] = {"java", "-jar", "app.jar"};
	struct run_figures figures = {
		.wall_ns = {KNOWN, 5000 * MS},
		.ready_ns = {KNOWN, 900 * MS},
		.command = command,
		.command_count = 3,
		.place = {.kernel = made->kernel ? made->kernel : "",
			  .arch = "",
			  .runtime = "",
			  .gc = "",
			  .tool_version = ""},
		.has_ended_itself = made->has_ended_itself,
		.lost_events = made->lost_events,
		.is_cache_stale = made->is_cache_stale,
		.cache = {.requested = {made->cache ? KNOWN : NONE, made->cache},
			  .is_mapped = made->cache && !made->reason,
			  .reason = made->reason},
	};

	if (made->first_request_ns) {
		figures.first_request_ns = (struct maybe){KNOWN, made->first_request_ns};
		figures.causes[CAUSE_CLASS_FIND] = made->find_ns;
		figures.causes[CAUSE_CODE_INTERPRETED] = made->first_request_ns - made->find_ns;
	}
	figures.counts[COUNT_EXCEPTIONS] = (struct maybe){KNOWN, 7};
	compare_add_run(compare, scenario, &figures);
}

static void add_times(struct compare *compare, uint32_t scenario, const int64_t *times_ms, size_t count,
		      const char *cache)
{
	for (size_t i = 0; i < count; i++)
		add(compare, scenario,
		    &(struct made){.first_request_ns = times_ms[i] * MS, .find_ns = MS, .cache = cache});
}

#define ADD(compare, scenario, cache, ...)                                                                           \
	add_times(compare, scenario, (const int64_t[]){__VA_ARGS__},                                                 \
		  sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), cache)

static bool has_note(const struct comparison *comparison, const char *part)
{
	for (size_t i = 0; i < comparison->note_count; i++)
		if (strstr(comparison->notes[i], part))
			return true;
	return false;
}

/* ---- figures ---- */

static void test_stats(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};
	uint32_t a = compare_add_scenario(compare, "a", NULL, 0);

	(void)state;
	ADD(compare, a, NULL, 30, 10, 20, 40);
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.scenarios_count, 1);

	const struct comparison_stat *stat = &comparison.scenarios[0].first_request_ns;

	assert_int_equal(stat->count, 4);
	assert_int_equal(stat->values[0], 30 * MS); /* in the order of the runs */
	assert_int_equal(stat->min, 10 * MS);
	assert_int_equal(stat->median, 25 * MS);
	assert_int_equal(stat->max, 40 * MS);
	assert_true(stat->mean == 25e6);
	assert_true(fabs(stat->stddev - 12909944.487358) < 1e-3);
	assert_int_equal(comparison.scenarios[0].counts[COUNT_EXCEPTIONS].median, 7);
	assert_int_equal(comparison.scenarios[0].peak_rss.count, 0);	    /* not observed */
	assert_string_equal(comparison.scenarios[0].command[2], "app.jar"); /* of the first run */
	assert_int_equal(comparison.differences_count, 0);
	assert_string_equal(comparison.baseline, "a");
}

/* Three runs of 10, 10 and 11 ns in three causes: thirds that do not come out even. */
static void test_causes_add_up(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};
	static const int64_t find_ns[] = {3, 3, 4}, whole_ns[] = {10, 10, 11};
	int64_t sum = 0;

	(void)state;
	compare_add_scenario(compare, "a", NULL, 0);
	compare_add_scenario(compare, "b", NULL, 0);
	for (int i = 0; i < 3; i++) {
		add(compare, 0, &(struct made){.first_request_ns = whole_ns[i], .find_ns = find_ns[i]});
		add(compare, 1, &(struct made){.first_request_ns = 20});
	}
	compare_finish(compare, &comparison);

	const struct comparison_difference *difference = &comparison.differences[0];

	/* Means are 10.33 = 3.33 + 7: the largest remainder (find's third) gets nothing, since the whole is 10. */
	assert_int_equal(difference->causes_count, 2);
	for (size_t i = 0; i < difference->causes_count; i++)
		sum += difference->causes[i].baseline_ns;
	assert_int_equal(sum, 10);
	/* By change, largest saving first. */
	assert_int_equal(difference->causes[0].cause, CAUSE_CLASS_FIND);
	assert_int_equal(difference->causes[0].baseline_ns, 3);
	assert_int_equal(difference->causes[0].scenario_ns, 0);
	assert_int_equal(difference->causes[0].change_ns, -3);
	assert_int_equal(difference->causes[1].cause, CAUSE_CODE_INTERPRETED);
	assert_int_equal(difference->causes[1].change_ns, 13);
	/* No start was walked: none is shown. */
	assert_int_equal(difference->startup_causes_count, 0);
}

static void test_failed_runs_are_in_no_figure(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "a", NULL, 0);
	compare_add_scenario(compare, "b", NULL, 0);
	ADD(compare, 0, NULL, 100, 101, 102);
	ADD(compare, 1, NULL, 50);
	add(compare, 1, &(struct made){.first_request_ns = 0});
	compare_add_failure(compare, 1, "the command ended with status 3");
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.scenarios[1].runs, 3);
	assert_int_equal(comparison.scenarios[1].failed_runs, 2);
	assert_int_equal(comparison.scenarios[1].first_request_ns.count, 1);
	assert_int_equal(comparison.scenarios[1].wall_ns.count, 1);
	assert_true(has_note(&comparison, "2 of 3 runs of b failed: the command ended with status 3."));
}

/* ---- verdicts ---- */

static void test_no_requests_compare_whole_runs(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "a", NULL, 0);
	compare_add_scenario(compare, "b", NULL, 0);
	add(compare, 0, &(struct made){});
	add(compare, 1, &(struct made){});
	add(compare, 1, &(struct made){.has_ended_itself = true}); /* with a status */
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.differences_count, 0);
	assert_int_equal(comparison.scenarios[1].failed_runs, 1);
	assert_string_equal(comparison.verdict,
			    "No run answered a request. From start to end: 5 s with a, 5 s with b, 0 %: too few "
			    "runs to tell.");
}

static void test_nothing_to_compare_with(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "a", NULL, 0);
	compare_add_scenario(compare, "b", NULL, 0);
	compare_add_failure(compare, 0, NULL);
	ADD(compare, 1, NULL, 50);
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.differences_count, 0);
	assert_string_equal(comparison.verdict, "No run of a answered a request: there is nothing to compare with.");
}

/* ---- caches ---- */

static void test_unused_cache_is_never_called_one(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "baseline-g1-fat", NULL, 0);
	compare_add_scenario(compare, "aot-g1-fat", NULL, 0);
	compare_add_scenario(compare, "aot-zgc-fat", NULL, 0);
	compare_add_scenario(compare, "aot-serial-fat", NULL, 0);
	ADD(compare, 0, NULL, 450, 451, 452, 453, 454);
	ADD(compare, 1, "g1.aot", 330, 331, 332, 333, 334);
	for (int i = 0; i < 5; i++)
		add(compare, 2,
		    &(struct made){
			    .first_request_ns = (100 + i) * MS, .cache = "g1.aot", .reason = "seen from outside"});
	compare_set_refusal(compare, 2, "the JVM's words");
	compare_expect_cache(compare, 3);
	compare_set_refusal(compare, 3, "the training run made no cache");
	compare_finish(compare, &comparison);

	assert_int_equal(comparison.scenarios[0].aot_mapped, 0);
	assert_false(comparison.scenarios[0].is_aot_requested);
	assert_int_equal(comparison.scenarios[0].aot_reason.state, NONE);
	assert_int_equal(comparison.scenarios[1].aot_mapped, 5);
	assert_int_equal(comparison.scenarios[1].aot_reason.state, NONE);
	assert_int_equal(comparison.scenarios[2].aot_mapped, 0);
	assert_true(comparison.scenarios[2].is_aot_requested);
	assert_string_equal(comparison.scenarios[2].aot_reason.text, "the JVM's words");
	assert_int_equal(comparison.scenarios[3].runs, 0);
	assert_string_equal(comparison.scenarios[3].aot_reason.text, "the training run made no cache");
	/* However fast it was. */
	assert_string_equal(comparison.differences[0].verdict, "faster");
	assert_string_equal(comparison.differences[1].verdict, "cache not used; faster");
	assert_string_equal(comparison.verdict, "First request: shortest with aot-g1-fat, 332 ms instead of the 452 "
						"ms of baseline-g1-fat, -27 %: faster.");
}

static void test_stale_cache_is_said(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "baseline", NULL, 0);
	compare_add_scenario(compare, "aot", NULL, 0);
	ADD(compare, 0, NULL, 450, 451);
	for (int i = 0; i < 3; i++)
		add(compare, 1,
		    &(struct made){.first_request_ns = (200 + i) * MS, .cache = "g1.aot", .is_cache_stale = i > 0});
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.note_count, 1);
	assert_string_equal(
		comparison.notes[0],
		"A jar was changed after the cache of aot was made, and the JVM accepted it all the same: old "
		"code ran in 2 of 3 runs. Make the cache again.");
}

static void test_mixed_use_is_said(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "a", NULL, 0);
	compare_add_scenario(compare, "b", NULL, 0);
	ADD(compare, 0, "own.aot", 450, 451);
	ADD(compare, 1, "b.aot", 330);
	add(compare, 1,
	    &(struct made){.first_request_ns = 440 * MS, .cache = "b.aot", .reason = "the file was not found"});
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.scenarios[1].aot_mapped, 1);
	assert_string_equal(comparison.scenarios[1].aot_reason.text, "the file was not found");
	assert_true(has_note(&comparison, "b used its cache in 1 of 2 runs only"));
	assert_true(has_note(&comparison, "a asks for a cache as well"));
}

/* ---- the square ---- */

/* facts: fat 451, fat with cache 330, extracted 387, extracted with cache 112: together 154 ms more than the two
 * alone. */
static void make_square(struct compare *compare, const char *reason)
{
	static const char *const names[] = {"AOT cache", "extracted layout"};

	compare_add_scenario(compare, "baseline-g1-fat", NULL, 0);
	compare_add_scenario(compare, "aot-g1-fat", NULL, 0);
	compare_add_scenario(compare, "baseline-g1-extracted", NULL, 0);
	compare_add_scenario(compare, "aot-g1-extracted", NULL, 0);
	compare_add_square(compare, names, 0, 1, 2, 3);
	compare_add_pair(compare, 2, 3);
	ADD(compare, 0, NULL, 398, 451, 581);
	add(compare, 1, &(struct made){.first_request_ns = 330 * MS, .cache = "a.aot", .reason = reason});
	ADD(compare, 2, NULL, 346, 387, 437);
	ADD(compare, 3, "b.aot", 97, 112, 136);
}

static void test_square(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	make_square(compare, NULL);
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.interactions_count, 1);
	assert_int_equal(comparison.interactions[0].first_request_ns, -154 * MS);
	assert_string_equal(comparison.interactions[0].of[0], "AOT cache");
	assert_string_equal(comparison.interactions[0].of[1], "extracted layout");
	assert_string_equal(comparison.interactions[0].scenario, "aot-g1-extracted");
	assert_int_equal(comparison.differences_count, 3);
	assert_int_equal(comparison.pairs_count, 1);
	assert_string_equal(comparison.pairs[0].baseline, "baseline-g1-extracted");
	assert_true(fabs(comparison.pairs[0].first_request_change - (112.0 / 387 - 1)) < 1e-12);
}

/* A square of which one corner is not what it says has no interaction. */
static void test_square_with_an_unused_cache(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	make_square(compare, "the file is damaged");
	compare_finish(compare, &comparison);
	assert_int_equal(comparison.interactions_count, 0);
}

/* ---- notes ---- */

static void test_notes(void **state)
{
	auto_done(compare_free) struct compare *compare = compare_new();
	auto_done(comparison_done) struct comparison comparison = {};

	(void)state;
	compare_add_scenario(compare, "here", NULL, 0);
	compare_add_scenario(compare, "there", NULL, 0);
	for (int i = 0; i < 6; i++)
		add(compare, 0, &(struct made){.first_request_ns = (450 + i) * MS, .kernel = "Linux 6.1"});
	add(compare, 0, &(struct made){.first_request_ns = 723 * MS, .kernel = "Linux 6.1", .lost_events = 9});
	for (int i = 0; i < 7; i++)
		add(compare, 1, &(struct made){.first_request_ns = (440 + i) * MS, .kernel = "Linux 6.18"});
	compare_add_note(compare, "The last word.");
	compare_finish(compare, &comparison);
	assert_true(has_note(&comparison, "on different kernels: Linux 6.1 (here), Linux 6.18 (there)."));
	assert_true(has_note(&comparison, "Events were lost in 1 of the 7 runs of here"));
	assert_true(
		has_note(&comparison,
			 "here has first requests far from its others: 723 ms (median 453 ms). They are counted."));
	assert_false(has_note(&comparison, "there has first requests"));
	assert_int_equal(comparison.scenarios[0].first_request_ns.max, 723 * MS);
	assert_string_equal(comparison.notes[comparison.note_count - 1], "The last word.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_causes_add_up),
		cmocka_unit_test(test_failed_runs_are_in_no_figure),
		cmocka_unit_test(test_no_requests_compare_whole_runs),
		cmocka_unit_test(test_nothing_to_compare_with),
		cmocka_unit_test(test_unused_cache_is_never_called_one),
		cmocka_unit_test(test_stale_cache_is_said),
		cmocka_unit_test(test_mixed_use_is_said),
		cmocka_unit_test(test_square),
		cmocka_unit_test(test_square_with_an_unused_cache),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
