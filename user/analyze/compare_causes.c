#include <stdlib.h>
#include <string.h>

#include "analyze/cold_warm.h"
#include "analyze/compare_internal.h"
#include "analyze/statistics.h"
#include "base/auto.h"

struct comparison_stat compare_stat(struct arena *arena, const int64_t *values, size_t count)
{
	struct comparison_stat stat = {.count = count};
	int64_t *copy;

	if (!count)
		return stat;
	copy = arena_array(arena, int64_t, count);
	memcpy(copy, values, count * sizeof(*copy));
	stat.values = copy;
	stat.min = stat.max = copy[0];
	for (size_t i = 1; i < count; i++) {
		stat.min = copy[i] < stat.min ? copy[i] : stat.min;
		stat.max = copy[i] > stat.max ? copy[i] : stat.max;
	}
	stat.median = statistics_median(copy, count);
	stat.mean = statistics_mean(copy, count);
	stat.stddev = statistics_deviation(copy, count);
	return stat;
}

/* The run's times by cause, or NULL where it has none. */
static const int64_t *causes_of(const struct compare *compare, const struct run_figures *run, bool is_startup)
{
	if (!compare_counts(compare, run))
		return NULL;
	if (is_startup)
		return run->has_startup_causes ? run->startup_causes : NULL;
	return run->first_request_ns.state == KNOWN ? run->causes : NULL;
}

void compare_cause_stats(struct compare *compare, const struct compare_scenario *from, bool is_startup,
			 const struct comparison_cause_stat **ret_list, size_t *ret_count)
{
	struct arena *arena = &compare->result.arena;
	struct comparison_cause_stat *list = arena_array(arena, struct comparison_cause_stat, CAUSE_COUNT);
	auto_free int64_t *values = calloc(from->runs.count + 1, sizeof(*values));
	size_t length = 0;

	if (!values)
		memory_exhausted();
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		size_t count = 0;
		bool is_seen = false;

		for vec_each(run, &from->runs) {
			const int64_t *causes = causes_of(compare, run, is_startup);

			if (!causes)
				continue;
			values[count++] = causes[cause];
			is_seen |= causes[cause] != 0;
		}
		if (is_seen)
			list[length++] = (struct comparison_cause_stat){(enum cause)cause, compare_stat(arena, values, count)};
	}
	*ret_list = list;
	*ret_count = length;
}

/* False where no run has causes. */
static bool means_of(const struct compare *compare, const struct compare_scenario *scenario, bool is_startup,
		     int64_t ret_means[CAUSE_COUNT])
{
	int64_t sums[CAUSE_COUNT] = {}, runs = 0;

	for vec_each(run, &scenario->runs) {
		const int64_t *causes = causes_of(compare, run, is_startup);

		if (!causes)
			continue;
		runs++;
		for (int cause = 0; cause < CAUSE_COUNT; cause++)
			sums[cause] += causes[cause];
	}
	if (runs)
		share_means(sums, CAUSE_COUNT, runs, ret_means);
	return runs;
}

static int compare_rows(const void *left, const void *right)
{
	const struct comparison_cause_row *a = left, *b = right;

	if (a->change_ns != b->change_ns)
		return a->change_ns < b->change_ns ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

void compare_cause_rows(struct compare *compare, const struct compare_scenario *baseline,
			const struct compare_scenario *scenario, bool is_startup,
			const struct comparison_cause_row **ret_rows, size_t *ret_count)
{
	struct comparison_cause_row *rows = arena_array(&compare->result.arena, struct comparison_cause_row, CAUSE_COUNT);
	int64_t before[CAUSE_COUNT], after[CAUSE_COUNT];
	size_t count = 0;

	*ret_rows = rows;
	*ret_count = 0;
	if (!means_of(compare, baseline, is_startup, before) || !means_of(compare, scenario, is_startup, after))
		return;
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (!before[cause] && !after[cause])
			continue;
		rows[count++] = (struct comparison_cause_row){
			.cause = (enum cause)cause,
			.baseline_ns = before[cause],
			.scenario_ns = after[cause],
			.change_ns = after[cause] - before[cause],
		};
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_rows);
	*ret_count = count;
}
