#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "analyze/report.h"
#include "base/auto.h"
#include "cli/gate.h"

static struct gate parse(const char *expression)
{
	struct gate gate;

	assert_null(gate_parse(expression, &gate));
	return gate;
}

static void assert_no_gate(const char *expression)
{
	struct gate gate;
	struct err *err = gate_parse(expression, &gate);

	if (!err)
		fail_msg("taken for a gate: %s", expression);
	assert_int_equal(err->kind, ERR_USAGE);
	err_free(err);
}

static void test_parse(void **state)
{
	struct gate gate = parse("first_request > 300ms");

	(void)state;
	assert_string_equal(gate.metric, "first_request");
	assert_int_equal(gate.statistic, GATE_PLAIN);
	assert_int_equal(gate.operator, GATE_ABOVE);
	assert_int_equal(gate.unit, GATE_DURATION);
	assert_true(!gate.is_change && gate.value == 3e8);

	gate = parse(" first_request.median>=+5% ");
	assert_string_equal(gate.metric, "first_request");
	assert_int_equal(gate.statistic, GATE_MEDIAN);
	assert_int_equal(gate.operator, GATE_AT_LEAST);
	assert_true(gate.is_change && gate.is_relative && gate.value == 0.05);

	gate = parse("exceptions > +10");
	assert_true(gate.is_change && !gate.is_relative && gate.value == 10);
	assert_int_equal(gate.unit, GATE_COUNT);

	gate = parse("fault.minor.heap.max <= -2.5ms");
	assert_string_equal(gate.metric, "fault.minor.heap");
	assert_int_equal(gate.statistic, GATE_MAX);
	assert_true(gate.is_change && gate.value == -2.5e6);

	gate = parse("memory.heap < 64M");
	assert_int_equal(gate.unit, GATE_SIZE);
	assert_true(gate.value == 67108864.0);

	assert_int_equal(parse("startup.opens.mean > 3").unit, GATE_COUNT);
	assert_int_equal(parse("class > 0").unit, GATE_DURATION);
}

static void test_what_is_no_gate(void **state)
{
	(void)state;
	assert_no_gate("");
	assert_no_gate("median > 3");
	assert_no_gate("first_request.middle > 3ms");
	assert_no_gate("first_request > 3");
	assert_no_gate("first_request > 5%");
	assert_no_gate("first_request > +%");
	assert_no_gate("first_request > +1.2.3%");
	assert_no_gate("first_request > 3ms and warm > 1ms");
	assert_no_gate("exceptions > +-3");
	assert_no_gate("clas > 3ms");
	assert_no_gate("class. > 3ms");
	assert_no_gate("startup.first_request > 3ms");
	assert_no_gate("a-metric-whose-name-is-longer-than-any-that-the-program-could-ever-know > 1");
}

static void assert_line(const char *expression, const int64_t *before, size_t before_count, const int64_t *after,
			size_t after_count, const char *expected)
{
	struct gate gate = parse(expression);
	struct gate_values baseline = {before, before_count}, values = {after, after_count};
	auto_free char *line = gate_check(&gate, NULL, &baseline, &values);

	if (expected) {
		assert_non_null(line);
		assert_string_equal(line, expected);
	} else {
		assert_null(line);
	}
}

/* Baseline of 5 runs: median 100 ms, mean 104 ms, deviation of the sample sqrt((144+196+16+36+64)/4) = 10.677 ms.
 * Scenario of 4 runs: median between 106 and 110 ms, i.e. 108 ms. */
static const int64_t before[] = {92000000, 118000000, 100000000, 98000000, 112000000};
static const int64_t after[] = {106000000, 90000000, 150000000, 110000000};

static void test_changes(void **state)
{
	(void)state;
	assert_line("first_request > +7%", before, 5, after, 4,
		    "gate failed, on 'first_request > +7%': it changed by +8 %, from 100 ms to 108 ms");
	assert_line("first_request.median > +8%", before, 5, after, 4, NULL);
	assert_line("first_request > +7ms", before, 5, after, 4,
		    "gate failed, on 'first_request > +7ms': it went from 100 ms to 108 ms");
	assert_line("first_request > +8ms", before, 5, after, 4, NULL);
	assert_line("first_request.min > -1ms", before, 5, after, 4, NULL);
	assert_line("first_request.min < -1ms", before, 5, after, 4,
		    "gate failed, on 'first_request.min < -1ms': it went from 92 ms to 90 ms");
	assert_line("first_request.max > 149ms", before, 5, after, 4,
		    "gate failed, on 'first_request.max > 149ms': it is 150 ms");
	assert_line("first_request.mean >= 114ms", before, 5, after, 4,
		    "gate failed, on 'first_request.mean >= 114ms': it is 114 ms");
	assert_line("first_request.stddev > 10.677ms", before, 5, before, 5,
		    "gate failed, on 'first_request.stddev > 10.677ms': it is 10.7 ms");
	assert_line("first_request.stddev > 10.678ms", before, 5, before, 5, NULL);
}

static void test_counts_from_and_to_nothing(void **state)
{
	static const int64_t none[] = {0}, some[] = {3};

	(void)state;
	assert_line("exceptions > +1000%", none, 1, some, 1,
		    "gate failed, on 'exceptions > +1000%': it went from 0 to 3");
	assert_line("exceptions > +0%", none, 1, none, 1, NULL);
	assert_line("exceptions <= -100%", some, 1, none, 1,
		    "gate failed, on 'exceptions <= -100%': it changed by -100 %, from 3 to 0");
}

static void test_not_observed(void **state)
{
	(void)state;
	assert_line("first_request > 1s", NULL, 0, NULL, 0,
		    "gate failed, on 'first_request > 1s': it was not observed");
	assert_line("first_request > +1s", NULL, 0, after, 4,
		    "gate failed, on 'first_request > +1s': it was not observed in the baseline");
}

static void test_names_the_scenario(void **state)
{
	struct gate gate = parse("first_request > 1ms");
	struct gate_values values = {after, 4};
	auto_free char *line = gate_check(&gate, "aot-g1-fat", NULL, &values);

	(void)state;
	assert_string_equal(line, "gate failed, on 'first_request > 1ms' of aot-g1-fat: it is 108 ms");
}

/* ---- what the names mean in a report ---- */

static bool value_in(const struct report *report, const char *metric, int64_t *ret_value)
{
	struct gate gate = {};

	strcpy(gate.metric, metric);
	return gate_metric(&gate, report, ret_value);
}

static void assert_value(const struct report *report, const char *metric, int64_t expected)
{
	int64_t value = -1;

	if (!value_in(report, metric, &value))
		fail_msg("not observed: %s", metric);
	assert_int_equal(value, expected);
}

static void test_metrics(void **state)
{
	struct report_phase phases[] = {
		{.phase = PHASE_STARTUP, .cpu_ns = {KNOWN, 40}, .counts.of[COUNT_OPENS] = {KNOWN, 11}},
		{.phase = PHASE_FIRST_REQUEST, .cpu_ns = {KNOWN, 2}, .counts.of[COUNT_OPENS] = {KNOWN, 3}},
	};
	struct report_request requests[] = {
		{.is_cold = false, .start_ns = 50, .latency_ns = 5},
		{.is_cold = true, .start_ns = 20, .latency_ns = 30},
		{.is_cold = true, .start_ns = 10, .latency_ns = 70},
	};
	struct report_milestone milestones[] = {{.name = "ready", .time_ns = 9}};
	struct report_memory_kind kinds[] = {{.kind = MAPPING_HEAP, .rss = 600}};
	struct report_memory memory[] = {{.at = "ready", .rss = 1000},
					 {.at = "exit", .rss = 900, .by_kind = kinds, .by_kind_count = 1}};
	struct report_observed observed[] = {{.what = "class_find", .state = "no"},
					     {.what = "class_read", .state = "partly"}};
	struct report report = {
		.phases = phases,
		.phases_count = 2,
		.requests = requests,
		.requests_count = 3,
		.milestones = milestones,
		.milestones_count = 1,
		.memory = memory,
		.memory_count = 2,
		.observed = observed,
		.observed_count = 2,
		.lost_events = 4,
		.run.wall_ns = 99,
	};
	int64_t value;

	(void)state;
	requests[2].causes[CAUSE_CLASS_READ] = 6;
	requests[2].causes[CAUSE_CLASS_INIT] = 7;
	requests[2].causes[cause_fault(false, MAPPING_HEAP)] = 8;
	requests[2].causes[cause_fault(true, MAPPING_JAR)] = 16;

	assert_value(&report, "first_request", 70); /* the first cold one to arrive */
	assert_value(&report, "wall", 99);
	assert_value(&report, "cpu", 42);
	assert_value(&report, "ready", 9);
	assert_value(&report, "lost_events", 4);
	assert_value(&report, "class.read", 6);
	assert_value(&report, "class", 13);
	assert_value(&report, "fault.minor", 8);
	assert_value(&report, "fault", 24);
	assert_value(&report, "gc.pause", 0);
	assert_value(&report, "opens", 14);
	assert_value(&report, "startup.opens", 11);
	assert_value(&report, "first_request.opens", 3);
	assert_value(&report, "peak_rss", 1000);
	assert_value(&report, "memory.heap", 600);
	assert_value(&report, "memory.stack", 0);

	assert_false(value_in(&report, "class.find", &value));
	assert_false(value_in(&report, "exceptions", &value)); /* of no phase */
	assert_false(value_in(&report, "warm.opens", &value)); /* there is no such phase in the run */
	assert_false(value_in(&report, "listening", &value));
	assert_false(value_in(&report, "warm", &value));
	assert_false(value_in(&report, "cgroup_peak", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),	     cmocka_unit_test(test_what_is_no_gate),
		cmocka_unit_test(test_changes),	     cmocka_unit_test(test_counts_from_and_to_nothing),
		cmocka_unit_test(test_not_observed), cmocka_unit_test(test_names_the_scenario),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
