#include "analyze/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/compare_internal.h"
#include "analyze/statistics.h"
#include "base/auto.h"

struct compare *compare_new(void)
{
	struct compare *compare = calloc(1, sizeof(*compare));

	if (!compare)
		memory_exhausted();
	return compare;
}

void compare_free(struct compare **pointer)
{
	struct compare *compare = take(pointer);

	if (!compare)
		return;
	for vec_each(scenario, &compare->scenarios)
		vec_done(&scenario->runs);
	vec_done(&compare->scenarios);
	vec_done(&compare->pairs);
	vec_done(&compare->squares);
	vec_done(&compare->notes);
	comparison_done(&compare->result);
	free(compare);
}

void comparison_done(struct comparison *comparison)
{
	arena_done(&comparison->arena);
	*comparison = (struct comparison){};
}

/* ---- what is given ---- */

static const char *copy(struct compare *compare, const char *text)
{
	return text ? arena_copy(&compare->result.arena, text, strlen(text)) : NULL;
}

static const char *const *copy_words(struct compare *compare, const char *const *words, size_t count)
{
	const char **list = arena_array(&compare->result.arena, const char *, count + 1);

	for (size_t i = 0; i < count; i++)
		list[i] = copy(compare, words[i]);
	return list;
}

uint32_t compare_add_scenario(struct compare *compare, const char *name, const char *const *command,
			      size_t command_count)
{
	*vec_push(&compare->scenarios) = (struct compare_scenario){
		.name = copy(compare, name),
		.command = command ? copy_words(compare, command, command_count) : NULL,
		.command_count = command ? command_count : 0,
	};
	return (uint32_t)(compare->scenarios.count - 1);
}

static void copy_coverage(struct compare *compare, struct coverage *coverage)
{
	struct coverage_group *groups = arena_array(&compare->result.arena, struct coverage_group, coverage->groups_count + 1);

	for (size_t i = 0; i < coverage->groups_count; i++) {
		groups[i] = coverage->groups[i];
		groups[i].why = copy(compare, groups[i].why);
		for (int k = 0; k < COVERAGE_EXAMPLES; k++)
			groups[i].examples[k] = copy(compare, groups[i].examples[k]);
	}
	coverage->groups = groups;
}

void compare_add_run(struct compare *compare, uint32_t index, const struct run_figures *figures)
{
	struct compare_scenario *scenario = &compare->scenarios.items[index];
	struct run_figures *run = vec_push(&scenario->runs);

	*run = *figures;
	run->command = copy_words(compare, figures->command, figures->command_count);
	run->place.kernel = copy(compare, figures->place.kernel);
	run->place.arch = copy(compare, figures->place.arch);
	run->place.runtime = copy(compare, figures->place.runtime);
	run->place.gc = copy(compare, figures->place.gc);
	run->place.tool_version = copy(compare, figures->place.tool_version);
	run->cache.requested.text = copy(compare, figures->cache.requested.text);
	run->cache.reason = copy(compare, figures->cache.reason);
	copy_coverage(compare, &run->coverage);
	compare->has_requests |= run->first_request_ns.state == KNOWN;
	scenario->has_cache |= run->cache.requested.state == KNOWN;
	if (!scenario->command) {
		scenario->command = run->command;
		scenario->command_count = run->command_count;
	}
}

void compare_add_failure(struct compare *compare, uint32_t index, const char *why)
{
	struct compare_scenario *scenario = &compare->scenarios.items[index];

	scenario->failures++;
	if (why && !scenario->why_failed)
		scenario->why_failed = copy(compare, why);
}

void compare_expect_cache(struct compare *compare, uint32_t scenario)
{
	compare->scenarios.items[scenario].has_cache = true;
}

void compare_set_refusal(struct compare *compare, uint32_t scenario, const char *reason)
{
	compare->scenarios.items[scenario].refusal = copy(compare, reason);
}

void compare_add_pair(struct compare *compare, uint32_t baseline, uint32_t scenario)
{
	*vec_push(&compare->pairs) = (struct compare_pair){baseline, scenario};
}

void compare_add_square(struct compare *compare, const char *const names[2], uint32_t neither, uint32_t first,
			uint32_t second, uint32_t both)
{
	*vec_push(&compare->squares) = (struct compare_square){
		.names = {copy(compare, names[0]), copy(compare, names[1])},
		.neither = neither,
		.first = first,
		.second = second,
		.both = both,
	};
}

void compare_add_note(struct compare *compare, const char *note)
{
	*vec_push(&compare->notes) = copy(compare, note);
}

/* ---- figures ---- */

/* The STAT of a field of struct run_figures that is a `struct maybe`. */
static struct comparison_stat field_stat(struct compare *compare, const struct compare_scenario *from, size_t offset)
{
	auto_free int64_t *values = calloc(from->runs.count + 1, sizeof(*values));
	size_t count = 0;

	if (!values)
		memory_exhausted();
	for vec_each(run, &from->runs) {
		const struct maybe *field = (const struct maybe *)((const char *)run + offset);

		if (compare_counts(compare, run) && field->state == KNOWN)
			values[count++] = field->value;
	}
	return compare_stat(&compare->result.arena, values, count);
}

#define FIELD_STAT(field) field_stat(compare, from, offsetof(struct run_figures, field))

/* Of the runs whose cache was used the one whose first request is nearest to the median: a coverage is one run's. */
static const struct run_figures *typical_run(const struct compare *compare, const struct compare_scenario *from,
					     const struct comparison_stat *first_request)
{
	const struct run_figures *typical = NULL;
	int64_t nearest = 0;

	for vec_each(run, &from->runs) {
		int64_t distance = first_request->count ? llabs(run->first_request_ns.value - first_request->median) : 0;

		if (!compare_counts(compare, run) || !run->cache.is_mapped)
			continue;
		if (!typical || distance < nearest) {
			typical = run;
			nearest = distance;
		}
	}
	return typical;
}

static void take_cache(struct compare *compare, const struct compare_scenario *from, struct comparison_scenario *to)
{
	const struct run_figures *typical;

	to->is_aot_requested = from->has_cache;
	to->aot_reason.state = NONE;
	for vec_each(run, &from->runs) {
		if (!compare_counts(compare, run))
			continue;
		to->aot_mapped += run->cache.is_mapped;
		if (from->has_cache && !run->cache.is_mapped && to->aot_reason.state != KNOWN) {
			const char *reason = from->refusal ? from->refusal : run->cache.reason;

			to->aot_reason = (struct maybe_text){KNOWN, reason ? reason : "the JVM was not told to use it"};
		}
	}
	/* Also where no run was counted: a VM that dies of its cache leaves none. */
	if (from->refusal && !to->aot_mapped)
		to->aot_reason = (struct maybe_text){KNOWN, from->refusal};
	typical = typical_run(compare, from, &to->first_request_ns);
	if (!typical)
		return;
	to->has_cache = true;
	to->cache = (struct comparison_cache){
		.is_heap_used = typical->cache.is_heap_used,
		.startup_classes = typical->cache.startup_classes,
		.startup_shared = typical->cache.startup_shared,
		.request_classes = typical->cache.request_classes,
		.request_shared = typical->cache.request_shared,
		.missing = typical->coverage.groups,
		.missing_count = typical->coverage.groups_count,
	};
}

static void fill_scenario(struct compare *compare, const struct compare_scenario *from, struct comparison_scenario *to)
{
	*to = (struct comparison_scenario){
		.name = from->name,
		.command = from->command,
		.command_count = from->command_count,
		.runs = (int64_t)from->runs.count + from->failures,
		.failed_runs = from->failures,
		.first_request_ns = FIELD_STAT(first_request_ns),
		.ready_ns = FIELD_STAT(ready_ns),
		.first_response_ns = FIELD_STAT(first_response_ns),
		.warm_ns = FIELD_STAT(warm_ns),
		.wall_ns = FIELD_STAT(wall_ns),
		.peak_rss = FIELD_STAT(peak_rss),
		.cpu_ns = FIELD_STAT(cpu_ns),
	};
	for vec_each(run, &from->runs)
		to->failed_runs += !compare_counts(compare, run);
	for (int count = 0; count < COUNT_COUNT; count++)
		to->counts[count] = FIELD_STAT(counts[count]);
	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++)
		to->memory[kind] = FIELD_STAT(memory[kind]);
	compare_cause_stats(compare, from, false, &to->causes, &to->causes_count);
	compare_cause_stats(compare, from, true, &to->startup_causes, &to->startup_causes_count);
	take_cache(compare, from, to);
}

/* ---- differences ---- */

static bool fill_difference(struct compare *compare, uint32_t baseline, uint32_t scenario,
			    struct comparison_difference *to)
{
	const struct comparison_scenario *before = &compare->result.scenarios[baseline];
	const struct comparison_scenario *after = &compare->result.scenarios[scenario];
	const struct compare_scenario *from = compare->scenarios.items;

	*to = (struct comparison_difference){.baseline = before->name, .scenario = after->name};
	if (!before->first_request_ns.count || !after->first_request_ns.count || before->first_request_ns.median <= 0)
		return false;
	compare_judge(compare, before, after, to);
	compare_cause_rows(compare, &from[baseline], &from[scenario], false, &to->causes, &to->causes_count);
	compare_cause_rows(compare, &from[baseline], &from[scenario], true, &to->startup_causes, &to->startup_causes_count);
	return true;
}

static void fill_differences(struct compare *compare)
{
	struct comparison *result = &compare->result;
	struct comparison_difference *list =
		arena_array(&result->arena, struct comparison_difference, result->scenarios_count + 1);
	struct comparison_difference *pairs =
		arena_array(&result->arena, struct comparison_difference, compare->pairs.count + 1);

	for (uint32_t i = 1; i < result->scenarios_count; i++)
		result->differences_count += fill_difference(compare, 0, i, &list[result->differences_count]);
	result->differences = list;
	for vec_each(pair, &compare->pairs)
		result->pairs_count += fill_difference(compare, pair->baseline, pair->scenario, &pairs[result->pairs_count]);
	result->pairs = pairs;
}

/* Whether a scenario is what its name says: a cache that was asked for was used in every run. */
static bool is_as_named(const struct comparison_scenario *scenario)
{
	return scenario->first_request_ns.count &&
	       (!scenario->is_aot_requested || scenario->aot_mapped == scenario->runs - scenario->failed_runs);
}

static void fill_interactions(struct compare *compare)
{
	struct comparison *result = &compare->result;
	struct comparison_interaction *list =
		arena_array(&result->arena, struct comparison_interaction, compare->squares.count + 1);

	for vec_each(square, &compare->squares) {
		const struct comparison_scenario *neither = &result->scenarios[square->neither];
		const struct comparison_scenario *first = &result->scenarios[square->first];
		const struct comparison_scenario *second = &result->scenarios[square->second];
		const struct comparison_scenario *both = &result->scenarios[square->both];

		if (!is_as_named(neither) || !is_as_named(first) || !is_as_named(second) || !is_as_named(both))
			continue;
		list[result->interactions_count++] = (struct comparison_interaction){
			.of = {square->names[0], square->names[1]},
			.baseline = neither->name,
			.scenario = both->name,
			.first_request_ns = both->first_request_ns.median - first->first_request_ns.median -
					    second->first_request_ns.median + neither->first_request_ns.median,
		};
	}
	result->interactions = list;
}

void compare_finish(struct compare *compare, struct comparison *ret_comparison)
{
	struct comparison *result = &compare->result;
	struct comparison_scenario *scenarios =
		arena_array(&result->arena, struct comparison_scenario, compare->scenarios.count + 1);

	result->scenarios = scenarios;
	result->scenarios_count = compare->scenarios.count;
	for (size_t i = 0; i < compare->scenarios.count; i++)
		fill_scenario(compare, &compare->scenarios.items[i], &scenarios[i]);
	result->baseline = compare->scenarios.count ? compare->scenarios.items[0].name : "";
	fill_differences(compare);
	fill_interactions(compare);
	result->verdict = compare_verdict(compare);
	compare_notes(compare);
	*ret_comparison = *result;
	*result = (struct comparison){};
}
