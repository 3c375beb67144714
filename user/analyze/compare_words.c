/* What a comparison says in words: verdicts, and notes on what the reader must know before believing it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_internal.h"
#include "analyze/statistics.h"
#include "base/auto.h"
#include "base/fmt.h"

static const double significance = 0.05;

/* ---- verdicts ---- */

/* The least p that the rank test can give for samples of these sizes: all of one before all of the other, 2 / C(n+m,
 * n). */
static double least_p(size_t left, size_t right)
{
	double arrangements = 1;

	for (size_t i = 1; i <= left; i++)
		arrangements = arrangements * (double)(right + i) / (double)i;
	return 2 / arrangements < 1 ? 2 / arrangements : 1;
}

static const char *words_of(const struct comparison_stat *before, const struct comparison_stat *after,
			    const struct comparison_difference *difference)
{
	bool is_faster = difference->first_request_change < 0;
	/* The interval too: with few runs or many ties the two tests can differ, and the careful one counts. */
	bool is_sure = difference->p_value < significance &&
		       (difference->interval95_high < 0 || difference->interval95_low > 0);

	if (is_sure)
		return is_faster ? "faster" : "slower";
	if (least_p(before->count, after->count) < significance)
		return "no difference that these runs can show";
	if (after->max < before->min)
		return "faster in every run, but too few runs to be sure";
	if (after->min > before->max)
		return "slower in every run, but too few runs to be sure";
	return "too few runs to tell";
}

static bool is_cache_unused(const struct comparison_scenario *scenario)
{
	return scenario->is_aot_requested && !scenario->aot_mapped;
}

static void judge(struct arena *arena, const struct comparison_stat *before, const struct comparison_stat *after,
		  bool is_unused, struct comparison_difference *difference)
{
	struct interval95 interval =
		statistics_change_interval(before->values, before->count, after->values, after->count);
	const char *words;

	difference->first_request_change = (double)after->median / (double)before->median - 1;
	difference->interval95_low = interval.low;
	difference->interval95_high = interval.high;
	difference->p_value = statistics_mann_whitney(before->values, before->count, after->values, after->count);
	if (least_p(before->count, after->count) < significance) {
		double change = statistics_detectable_change(before->values, before->count, after->count);

		if (change > 0)
			difference->detectable_change = (struct maybe_real){KNOWN, change};
	}
	words = words_of(before, after, difference);
	difference->verdict = is_unused ? arena_format(arena, "cache not used; %s", words) : words;
}

void compare_judge(struct compare *compare, const struct comparison_scenario *baseline,
		   const struct comparison_scenario *scenario, struct comparison_difference *difference)
{
	judge(&compare->result.arena, &baseline->first_request_ns, &scenario->first_request_ns,
	      is_cache_unused(scenario), difference);
}

static bool is_sure(const struct comparison_difference *difference)
{
	return strstr(difference->verdict, "faster") == difference->verdict ||
	       strstr(difference->verdict, "slower") == difference->verdict;
}

static const struct comparison_scenario *named(const struct comparison *result, const char *name)
{
	for (size_t i = 0; i < result->scenarios_count; i++)
		if (strcmp(result->scenarios[i].name, name) == 0)
			return &result->scenarios[i];
	return NULL;
}

/* What a verdict is about: the first request, or the whole run of commands that serve nothing. */
struct subject {
	const char *words; /* "First request" */
	const struct comparison_difference *differences;
	size_t count;
	bool is_wall;
};

static const struct comparison_stat *stat_of(const struct comparison_scenario *scenario,
					     const struct subject *subject)
{
	return subject->is_wall ? &scenario->wall_ns : &scenario->first_request_ns;
}

static const char *verdict_of_two(struct arena *arena, const struct comparison *result, const struct subject *subject)
{
	const struct comparison_difference *difference = &subject->differences[0];
	const struct comparison_scenario *before = named(result, difference->baseline);
	const struct comparison_scenario *after = named(result, difference->scenario);
	const char *detectable = "";

	if (!is_sure(difference) && difference->detectable_change.state == KNOWN)
		detectable = arena_format(arena, " (a change of %s would have shown)",
					  fmt_percent(difference->detectable_change.value).text);
	return arena_format(arena, "%s: %s with %s, %s with %s, %s: %s%s.", subject->words,
			    fmt_duration(stat_of(before, subject)->median).text, before->name,
			    fmt_duration(stat_of(after, subject)->median).text, after->name,
			    fmt_change(difference->first_request_change).text, difference->verdict, detectable);
}

static const char *verdict_of_many(struct arena *arena, const struct comparison *result,
				   const struct subject *subject)
{
	const struct comparison_difference *best = NULL;
	const struct comparison_scenario *baseline = &result->scenarios[0], *scenario;

	for (size_t i = 0; i < subject->count; i++) {
		const struct comparison_difference *difference = &subject->differences[i];

		/* What did not use its cache is not what its name says, and no candidate. */
		if (is_cache_unused(named(result, difference->scenario)) ||
		    strncmp(difference->verdict, "faster", 6) != 0)
			continue;
		if (!best || difference->first_request_change < best->first_request_change)
			best = difference;
	}
	if (!best)
		return arena_format(arena, "%s: none is shorter than the %s of %s, as far as these runs can show.",
				    subject->words, fmt_duration(stat_of(baseline, subject)->median).text,
				    baseline->name);
	scenario = named(result, best->scenario);
	return arena_format(arena, "%s: shortest with %s, %s instead of the %s of %s, %s: %s.", subject->words,
			    scenario->name, fmt_duration(stat_of(scenario, subject)->median).text,
			    fmt_duration(stat_of(baseline, subject)->median).text, baseline->name,
			    fmt_change(best->first_request_change).text, best->verdict);
}

static const char *verdict_of(struct arena *arena, const struct comparison *result, const struct subject *subject)
{
	return result->scenarios_count == 2 ? verdict_of_two(arena, result, subject)
					    : verdict_of_many(arena, result, subject);
}

/* Commands that serve nothing are compared by how long they take; that is said, and no difference of first requests.
 */
static const char *verdict_of_wall(struct arena *arena, const struct comparison *result)
{
	const struct comparison_scenario *before = &result->scenarios[0];
	struct comparison_difference *list =
		arena_array(arena, struct comparison_difference, result->scenarios_count);
	struct subject subject = {
		.words = "No run answered a request. From start to end", .differences = list, .is_wall = true};

	for (size_t i = 1; i < result->scenarios_count; i++) {
		const struct comparison_scenario *after = &result->scenarios[i];

		if (!before->wall_ns.count || !after->wall_ns.count || before->wall_ns.median <= 0)
			continue;
		list[subject.count] =
			(struct comparison_difference){.baseline = before->name, .scenario = after->name};
		judge(arena, &before->wall_ns, &after->wall_ns, is_cache_unused(after), &list[subject.count++]);
	}
	if (!subject.count)
		return arena_format(arena,
				    "No run answered a request, and no runs beside those of %s can be compared.",
				    before->name);
	return verdict_of(arena, result, &subject);
}

const char *compare_verdict(struct compare *compare)
{
	const struct comparison *result = &compare->result;
	struct arena *arena = &compare->result.arena;

	if (!result->scenarios_count)
		return "There is nothing to compare.";
	if (!compare->has_requests)
		return verdict_of_wall(arena, result);
	if (!result->scenarios[0].first_request_ns.count)
		return arena_format(arena, "No run of %s answered a request: there is nothing to compare with.",
				    result->baseline);
	if (!result->differences_count)
		return arena_format(arena,
				    "No run beside those of %s answered a request: there is nothing to compare.",
				    result->baseline);
	return verdict_of(arena, result,
			  &(struct subject){.words = "First request",
					    .differences = result->differences,
					    .count = result->differences_count});
}

/* ---- notes ---- */

enum { NOTES_MOST = 64 };

struct notes {
	struct compare *compare;
	const char **list;
	size_t count;
};

static void note(struct notes *notes, const char *text)
{
	if (notes->count < NOTES_MOST)
		notes->list[notes->count++] = text;
}

static void note_failures(struct notes *notes)
{
	struct arena *arena = &notes->compare->result.arena;
	const struct comparison *result = &notes->compare->result;

	for (size_t i = 0; i < result->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &result->scenarios[i];
		const char *why = notes->compare->scenarios.items[i].why_failed;

		if (scenario->failed_runs)
			note(notes,
			     arena_format(arena, "%s of %s runs of %s failed%s%s.",
					  fmt_count(scenario->failed_runs).text, fmt_count(scenario->runs).text,
					  scenario->name, why ? ": " : "", why ? why : ", and are in no figure"));
	}
}

/* The JVM's own check can miss a jar that was changed: then the runs are those of another program. */
static void note_stale_caches(struct notes *notes)
{
	struct arena *arena = &notes->compare->result.arena;

	for vec_each(scenario, &notes->compare->scenarios) {
		int64_t counted = 0, stale = 0;

	for vec_each(run, &scenario->runs) {
		if (!compare_counts(notes->compare, run))
			continue;
		counted++;
		stale += run->is_cache_stale;
	}
	if (stale)
		note(notes, arena_format(arena,
					 "A jar was changed after the cache of %s was made, and the JVM "
					 "accepted it all the same: "
					 "old code ran in %s of %s runs. Make the cache again.",
					 scenario->name, fmt_count(stale).text, fmt_count(counted).text));
	}
}

/* A baseline that has a cache of its own is none without. */
static void note_caches(struct notes *notes)
{
	struct arena *arena = &notes->compare->result.arena;
	const struct comparison *result = &notes->compare->result;
	bool has_expectation = false;

	for (size_t i = 1; i < result->scenarios_count; i++)
		has_expectation |= result->scenarios[i].is_aot_requested;
	if (has_expectation && result->scenarios_count && result->scenarios[0].is_aot_requested)
		note(notes,
		     arena_format(arena,
				  "%s asks for a cache as well: what it is compared with is not the gain of a cache.",
				  result->baseline));
	for (size_t i = 0; i < result->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &result->scenarios[i];
		int64_t counted = scenario->runs - scenario->failed_runs;

		if (scenario->is_aot_requested && scenario->aot_mapped && scenario->aot_mapped < counted)
			note(notes,
			     arena_format(
				     arena, "%s used its cache in %s of %s runs only: its figures are a mixture.",
				     scenario->name, fmt_count(scenario->aot_mapped).text, fmt_count(counted).text));
	}
}

/* A property of the place that a run was made in, as text; "" not known. */
typedef const char *place_text(struct arena *arena, const struct run_place *place);

static const char *machine_text(struct arena *arena, const struct run_place *place)
{
	if (!*place->arch || place->cpus <= 0)
		return "";
	if (place->cpu_quota.state == KNOWN)
		return arena_format(arena, "%s, %lld CPUs of which %.3g may be used", place->arch,
				    (long long)place->cpus, place->cpu_quota.value);
	return arena_format(arena, "%s, %lld CPUs", place->arch, (long long)place->cpus);
}

static const char *kernel_text(struct arena *arena, const struct run_place *place)
{
	(void)arena;
	return place->kernel;
}

static const char *runtime_text(struct arena *arena, const struct run_place *place)
{
	(void)arena;
	return place->runtime;
}

static const char *limit_text(struct arena *arena, const struct run_place *place)
{
	return place->memory_limit.state == KNOWN
		       ? arena_format(arena, "%s", fmt_bytes(place->memory_limit.value).text)
		       : "none";
}

static const char *tool_text(struct arena *arena, const struct run_place *place)
{
	(void)arena;
	return place->tool_version;
}

static const struct place_row {
	const char *what;
	place_text *text;
} place_rows[] = {
	{"on different machines", machine_text},
	{"on different kernels", kernel_text},
	{"with different JVMs", runtime_text},
	{"with different limits of memory", limit_text},
	{"with different versions of warmtrace", tool_text},
};

/* "17.0.15 (a), 25.0.3 (b)": each value once, with the first scenario that has it. NULL where there is one or none.
 */
static const char *different_values(struct compare *compare, place_text *text)
{
	enum { VALUES_MOST = 4 };
	struct arena *arena = &compare->result.arena;
	const char *seen[VALUES_MOST] = {}, *list = "";
	size_t count = 0;

	for vec_each(scenario, &compare->scenarios) {
	for vec_each(run, &scenario->runs) {
		const char *value = text(arena, &run->place);
		bool is_new = *value && count < VALUES_MOST;

		for (size_t i = 0; i < count; i++)
			is_new &= strcmp(seen[i], value) != 0;
		if (!is_new)
			continue;
		seen[count++] = value;
		list = arena_format(arena, "%s%s%s (%s)", list, *list ? ", " : "", value,
				    scenario->name);
	}
	}
	return count > 1 ? list : NULL;
}

static void note_places(struct notes *notes)
{
	for (size_t i = 0; i < array_length(place_rows); i++) {
		const char *values = different_values(notes->compare, place_rows[i].text);

		if (values)
			note(notes, arena_format(&notes->compare->result.arena, "The runs were made %s: %s.",
						 place_rows[i].what, values));
	}
}

/* The share of the mean first request that was spent waiting for a CPU. */
static double crowding(const struct comparison_scenario *scenario)
{
	for (size_t i = 0; i < scenario->causes_count; i++)
		if (scenario->causes[i].cause == CAUSE_CPU_RUNNABLE && scenario->first_request_ns.mean > 0)
			return scenario->causes[i].stat.mean / scenario->first_request_ns.mean;
	return 0;
}

/* Times of a machine that does other things as well are times of that, too; the compiler threads of a JVM on few CPUs
 * take some in any case. */
static void note_contention(struct notes *notes)
{
	static const double crowded = 0.3;
	struct arena *arena = &notes->compare->result.arena;
	const struct comparison *result = &notes->compare->result;
	double least = 1, most = 0;
	const char *whose = NULL, *range;
	size_t count = 0;

	for (size_t i = 0; i < result->scenarios_count; i++) {
		double share = crowding(&result->scenarios[i]);

		if (share <= crowded)
			continue;
		count++;
		whose = result->scenarios[i].name;
		least = share < least ? share : least;
		most = share > most ? share : most;
	}
	if (!count)
		return;
	range = arena_format(arena, "%s", fmt_percent(least).text);
	if (count > 1)
		range = arena_format(arena, "%s to %s", range, fmt_percent(most).text);
	note(notes,
	     arena_format(arena,
			  "Waiting for a CPU makes %s of the first request of %s: on a quieter machine, or with more "
			  "CPUs, times are shorter and nearer to each other.",
			  range, count > 1 ? arena_format(arena, "%zu scenarios", count) : whose));
}

static void note_losses(struct notes *notes)
{
	struct arena *arena = &notes->compare->result.arena;

	for vec_each(scenario, &notes->compare->scenarios) {
		int64_t runs = 0;

	for vec_each(run, &scenario->runs)
		runs += run->lost_events > 0;
	if (runs)
		note(notes,
		     arena_format(
			     arena,
			     "Events were lost in %s of the %s runs of %s: their counts are lower bounds.",
			     fmt_count(runs).text, fmt_count((int64_t)scenario->runs.count).text,
			     scenario->name));
	}
}

static int compare_values(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* Far outliers by Tukey's rule: beyond three times the middle half's width. Needs enough runs to have a middle half.
 */
static void note_outliers(struct notes *notes)
{
	enum { RUNS_LEAST = 5, WIDTHS = 3 };
	struct arena *arena = &notes->compare->result.arena;
	const struct comparison *result = &notes->compare->result;

	for (size_t i = 0; i < result->scenarios_count; i++) {
		const struct comparison_stat *stat = &result->scenarios[i].first_request_ns;
		auto_free int64_t *sorted = calloc(stat->count + 1, sizeof(*sorted));
		const char *list = "";

		if (!sorted)
			memory_exhausted();
		if (stat->count < RUNS_LEAST)
			continue;
		memcpy(sorted, stat->values, stat->count * sizeof(*sorted));
		qsort(sorted, stat->count, sizeof(*sorted), compare_values);

		int64_t low = sorted[(stat->count - 1) / 4], high = sorted[stat->count - 1 - (stat->count - 1) / 4];

		for (size_t run = 0; run < stat->count; run++)
			if (stat->values[run] > high + WIDTHS * (high - low) ||
			    stat->values[run] < low - WIDTHS * (high - low))
				list = arena_format(arena, "%s%s%s", list, *list ? ", " : "",
						    fmt_duration(stat->values[run]).text);
		if (*list)
			note(notes,
			     arena_format(
				     arena,
				     "%s has first requests far from its others: %s (median %s). They are counted.",
				     result->scenarios[i].name, list, fmt_duration(stat->median).text));
	}
}

void compare_notes(struct compare *compare)
{
	struct notes notes = {.compare = compare,
			      .list = arena_array(&compare->result.arena, const char *, NOTES_MOST)};

	note_failures(&notes);
	note_caches(&notes);
	note_stale_caches(&notes);
	note_places(&notes);
	note_contention(&notes);
	note_losses(&notes);
	note_outliers(&notes);
	for vec_each(given, &compare->notes)
		note(&notes, *given);
	compare->result.notes = notes.list;
	compare->result.note_count = notes.count;
}
