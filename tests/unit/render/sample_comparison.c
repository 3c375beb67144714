#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "unit/render/sample.h"

#define MS 1000000ll
#define MIB 1048576ll

static int ascending(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static struct comparison_stat stat_of(struct comparison *comparison, const int64_t *values, size_t count,
				      int64_t unit)
{
	int64_t *copy = arena_array(&comparison->arena, int64_t, count);
	int64_t *sorted = arena_array(&comparison->arena, int64_t, count);
	struct comparison_stat stat = {.values = copy, .count = count};
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		copy[i] = sorted[i] = values[i] * unit;
		stat.mean += (double)copy[i] / (double)count;
	}
	for (size_t i = 0; i < count; i++)
		squares += ((double)copy[i] - stat.mean) * ((double)copy[i] - stat.mean);
	qsort(sorted, count, sizeof(*sorted), ascending);
	stat.min = sorted[0];
	stat.max = sorted[count - 1];
	stat.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
	stat.stddev = sqrt(squares / (double)(count - 1));
	return stat;
}

#define STAT(comparison, unit, ...)                                                                                  \
	stat_of(comparison, (const int64_t[]){__VA_ARGS__}, array_length(((const int64_t[]){__VA_ARGS__})), unit)

static const char *const baseline_command[] = {"java", "-XX:+UseG1GC", "-jar", "petclinic-rest.jar"};
static const char *const aot_command[] = {"java", "-XX:+UseG1GC", "-XX:AOTCache=app.aot", "-jar",
					  "extracted/petclinic-rest.jar"};
static const char *const refused_command[] = {"java", "-XX:+UseZGC", "-XX:AOTCache=app.aot", "-jar",
					      "petclinic-rest.jar"};

/* Before 451,000,000, after 112,000,000. */
static const struct comparison_cause_row aot_rows[] = {
	{CAUSE_CLASS_FIND, 92000000, 3100000, -88900000},
	{CAUSE_CLASS_READ, 61000000, 1200000, -59800000},
	{CAUSE_CLASS_PARSE, 55000000, 4000000, -51000000},
	{CAUSE_CODE_INTERPRETED, 98000000, 61000000, -37000000},
	{CAUSE_CLASS_LINK, 31000000, 2000000, -29000000},
	{CAUSE_CPU_RUNNABLE, 34000000, 9000000, -25000000},
	{CAUSE_EXCEPTION_FILL, 19000000, 900000, -18100000},
	{CAUSE_CLASS_INIT, 16000000, 5000000, -11000000},
	{CAUSE_CODE_VM, 22000000, 12000000, -10000000},
	{CAUSE_GC_PAUSE, 9000000, 2000000, -7000000},
	{CAUSE_FILE_READ, 6000000, 700000, -5300000},
	{CAUSE_LOCK_VM, 4000000, 1000000, -3000000},
	{CAUSE_UNEXPLAINED, 3000000, 1100000, -1900000},
	{CAUSE_KERNEL_SYSCALL, 1000000, 1000000, 0},
	{CAUSE_CODE_C1, 0, 8000000, 8000000},
};
static const struct comparison_cause_row refused_rows[] = {
	{CAUSE_CLASS_FIND, 92000000, 95000000, 3000000},
	{CAUSE_CODE_INTERPRETED, 359000000, 402000000, 43000000},
};

static const struct comparison_cause_row startup_rows[] = {
	{CAUSE_CLASS_FIND, 4100000000, 300000000, -3800000000},
	{CAUSE_CODE_INTERPRETED, 3800000000, 2100000000, -1700000000},
	{CAUSE_CPU_RUNNABLE, 1000000000, 1250000000, 250000000},
};

/* 1,127 classes of the first request, 1,013 of them from the cache. */
static const struct coverage_group missing[] = {
	{"made at run time (lambdas, proxies, method handles)",
	 108,
	 9300000,
	 {"java.lang.invoke.LambdaForm$MH", "jdk.proxy2.$Proxy140"}},
	{"from a signed jar", 5, 700000, {"org.example.Signed", "org.example.Signed$1", "org.example.Signed$2"}},
	{"not loaded in the training run", 1, 0, {"org.example.Rare"}},
};

static const char *const notes[] = {
	"The cache of zgc-aot was refused in every run: its figures are those of a run without a cache."};

void sample_comparison(struct comparison *comparison)
{
	struct comparison_scenario *scenarios;
	struct comparison_difference *differences;
	struct comparison_interaction *interactions;
	struct comparison_cause_stat *causes;

	*comparison = (struct comparison){};
	scenarios = arena_array(&comparison->arena, struct comparison_scenario, 3);
	scenarios[0] = (struct comparison_scenario){
		.name = "baseline-g1-fat",
		.command = baseline_command,
		.command_count = array_length(baseline_command),
		.runs = 10,
		.first_request_ns = STAT(comparison, MS, 451, 398, 581, 440, 462, 449, 471, 430, 455, 453),
		.ready_ns = STAT(comparison, MS, 8900, 9100, 8700),
		.first_response_ns = STAT(comparison, MS, 9440, 9600, 9200),
		.warm_ns = STAT(comparison, MS / 10, 135, 131, 142),
		.peak_rss = STAT(comparison, MIB, 354, 351, 360),
		.cpu_ns = STAT(comparison, MS, 16400, 16100, 16900),
		.aot_reason = {.state = NONE}};
	scenarios[0].counts[COUNT_CLASSES_LOADED] = STAT(comparison, 1, 18031, 18031, 18033);
	scenarios[0].counts[COUNT_EXCEPTIONS] = STAT(comparison, 1, 14727, 14727, 14730);
	scenarios[0].memory[MAPPING_HEAP] = STAT(comparison, MIB, 129, 131, 130);
	causes = arena_array(&comparison->arena, struct comparison_cause_stat, 1);
	causes[0] = (struct comparison_cause_stat){CAUSE_CLASS_FIND, STAT(comparison, MS, 92, 90, 94)};
	scenarios[0].causes = causes;
	scenarios[0].causes_count = 1;
	scenarios[1] = (struct comparison_scenario){
		.name = "aot-g1-extracted",
		.command = aot_command,
		.command_count = array_length(aot_command),
		.runs = 10,
		.failed_runs = 1,
		.first_request_ns = STAT(comparison, MS, 112, 97, 136, 110, 113, 111, 120, 108, 115),
		.ready_ns = STAT(comparison, MS, 3600, 3500, 3700),
		.first_response_ns = STAT(comparison, MS, 3730, 3620, 3850),
		.warm_ns = STAT(comparison, MS / 10, 154, 151, 158),
		.peak_rss = STAT(comparison, MIB, 376, 372, 380),
		.cpu_ns = STAT(comparison, MS, 6200, 6100, 6400),
		.is_aot_requested = true,
		.aot_mapped = 9,
		.has_cache = true,
		.cache = {.is_heap_used = {KNOWN, 1},
			  .startup_classes = {KNOWN, 16904},
			  .startup_shared = {KNOWN, 15213},
			  .request_classes = {KNOWN, 1127},
			  .request_shared = {KNOWN, 1013},
			  .missing = missing,
			  .missing_count = array_length(missing)},
		.wall_ns = STAT(comparison, MS, 4900, 4700, 5100),
		.aot_reason = {.state = NONE}};
	causes = arena_array(&comparison->arena, struct comparison_cause_stat, 1);
	causes[0] = (struct comparison_cause_stat){CAUSE_CLASS_FIND, STAT(comparison, MS, 300, 290, 310)};
	scenarios[1].startup_causes = causes;
	scenarios[1].startup_causes_count = 1;
	scenarios[1].counts[COUNT_EXCEPTIONS] = STAT(comparison, 1, 610, 610, 611);
	scenarios[2] = (struct comparison_scenario){
		.name = "zgc-aot",
		.command = refused_command,
		.command_count = array_length(refused_command),
		.runs = 10,
		.first_request_ns = STAT(comparison, MS, 500, 398, 525, 480, 497, 502, 510, 466, 499, 501),
		.is_aot_requested = true,
		.aot_reason = known_text("the cache was made with another collector (G1)")};
	comparison->scenarios = scenarios;
	comparison->scenarios_count = 3;
	comparison->baseline = "baseline-g1-fat";

	differences = arena_array(&comparison->arena, struct comparison_difference, 3);
	differences[0] = (struct comparison_difference){.baseline = "baseline-g1-fat",
							.scenario = "aot-g1-extracted",
							.first_request_change = 112.0 / 452 - 1,
							.interval95_low = -0.772,
							.interval95_high = -0.731,
							.p_value = 0.00002,
							.detectable_change = {KNOWN, 0.06},
							.verdict = "faster",
							.causes = aot_rows,
							.causes_count = array_length(aot_rows),
							.startup_causes = startup_rows,
							.startup_causes_count = array_length(startup_rows)};
	differences[1] = (struct comparison_difference){.baseline = "baseline-g1-fat",
							.scenario = "zgc-aot",
							.first_request_change = 0.104,
							.interval95_low = -0.02,
							.interval95_high = 0.142,
							.p_value = 0.0713,
							.detectable_change = {.state = ABSENT},
							.verdict = "no difference that these runs can show",
							.causes = refused_rows,
							.causes_count = array_length(refused_rows)};
	comparison->differences = differences;
	comparison->differences_count = 2;
	differences[2] = differences[0];
	differences[2].baseline = "zgc-aot";
	differences[2].first_request_change = 112.0 / 500 - 1;
	differences[2].causes_count = differences[2].startup_causes_count = 0;
	comparison->pairs = &differences[2];
	comparison->pairs_count = 1;
	interactions = arena_array(&comparison->arena, struct comparison_interaction, 1);
	interactions[0] = (struct comparison_interaction){
		{"AOT cache", "extracted layout"}, -154 * MS, "baseline-g1-fat", "aot-g1-extracted"};
	comparison->interactions = interactions;
	comparison->interactions_count = 1;
	comparison->verdict = "With the extracted layout and an AOT cache the first request takes a quarter of the "
			      "time: 112 ms instead of 452 ms.";
	comparison->notes = notes;
	comparison->note_count = array_length(notes);
}
