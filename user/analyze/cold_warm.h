/* The first request of each route against its warm baseline, and what follows: routes, what-if, until_warm. */
#pragma once

#include "analyze/report.h"
#include "analyze/selection.h"

/* Fills cold_vs_warm, routes and what_if; report->requests are there. */
void analyze_cold_warm(const struct model *model, const struct selection *selection, struct report *report);

/* The answer in one sentence, in the report's arena; routes and cold_vs_warm are there. */
const char *verdict_of(const struct report *report, struct arena *arena);

/* Means of `count` sums over `divisor` things, as integers that add up to the rounded mean of the sums' total: each
 * is rounded down, and the largest remainders get one more. Returns the total. */
int64_t share_means(const int64_t *sums, size_t count, int64_t divisor, int64_t *ret_means);

/* How many requests it takes until latency is within 10 % of `warm_ns`: the first whose own latency is, and whose
 * next few are in the median. -1 where that never happens. */
int64_t until_warm(const int64_t *latencies_ns, size_t count, int64_t warm_ns);
