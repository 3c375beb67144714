/* Private to analyze: what compare.c gathers, compare_causes.c adds up and compare_words.c puts into words. */
#pragma once

#include "analyze/compare.h"
#include "base/vec.h"

struct compare_scenario {
	const char *name;
	const char *const *command;
	size_t command_count;
	VEC(struct run_figures) runs; /* also those that turn out to have failed */
	int64_t failures;	      /* without figures */
	const char *why_failed, *refusal; /* or NULL */
	bool has_cache; /* it was asked for, or a run shows that it was */
};

struct compare_pair {
	uint32_t baseline, scenario;
};

struct compare_square {
	const char *names[2];
	uint32_t neither, first, second, both;
};

struct compare {
	struct comparison result; /* its arena holds everything */
	VEC(struct compare_scenario) scenarios;
	VEC(struct compare_pair) pairs;
	VEC(struct compare_square) squares;
	VEC(const char *) notes; /* those given */
	bool has_requests;	 /* some run answered one */
};

/* Whether a run is in the figures. */
static inline bool compare_counts(const struct compare *compare, const struct run_figures *run)
{
	return compare->has_requests ? run->first_request_ns.state == KNOWN : !run->has_ended_itself;
}

/* ---- compare_causes.c ---- */

/* STATs by cause of the counted runs; causes that no run has are left out. */
void compare_cause_stats(struct compare *compare, const struct compare_scenario *from, bool is_startup,
			 const struct comparison_cause_stat **ret_list, size_t *ret_count);

/* Means by cause of two scenarios: each side adds up to its rounded mean. Empty where either has no run. */
void compare_cause_rows(struct compare *compare, const struct compare_scenario *baseline,
			const struct compare_scenario *scenario, bool is_startup,
			const struct comparison_cause_row **ret_rows, size_t *ret_count);

struct comparison_stat compare_stat(struct arena *arena, const int64_t *values, size_t count);

/* ---- compare_words.c ---- */

/* Fills change, p, interval, detectable change and verdict of a difference of first requests; both have some. */
void compare_judge(struct compare *compare, const struct comparison_scenario *baseline,
		   const struct comparison_scenario *scenario, struct comparison_difference *difference);

/* The comparison's own sentence, from what is in the result. */
const char *compare_verdict(struct compare *compare);

/* The comparison's notes, the given ones last. */
void compare_notes(struct compare *compare);
