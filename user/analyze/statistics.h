/* Statistics of small samples, as far as comparisons of runs need them. Deterministic: resampling starts from a fixed
 * seed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The median of values (in any order), the mean of the middle two where their number is even, rounded half away from
 * zero; 0 of none. */
int64_t statistics_median(const int64_t *values, size_t count);
double statistics_mean(const int64_t *values, size_t count);

/* The sample's standard deviation (n - 1); 0 of fewer than two. */
double statistics_deviation(const int64_t *values, size_t count);

struct interval95 {
	double low, high;
};

/* The percentile bootstrap interval of median(scenario) / median(baseline) - 1, both resampled. Needs both non-empty and
 * a baseline without zeros. */
struct interval95 statistics_change_interval(const int64_t *baseline, size_t baseline_count, const int64_t *scenario,
					     size_t scenario_count);

/* Mann-Whitney U, two-sided: the probability that two samples of one distribution lie apart as far as these do. Exact
 * for samples without ties of up to 20 values each, otherwise the normal approximation with tie and continuity
 * correction. 1 where either is empty. */
double statistics_mann_whitney(const int64_t *left, size_t left_count, const int64_t *right, size_t right_count);

/* The smallest relative change of the median that samples of these sizes with the baseline's spread would have shown, by an
 * interval without 0 and p < 0.05, in four of five repeats. 0 where the baseline's spread is not known. */
double statistics_detectable_change(const int64_t *baseline, size_t baseline_count, size_t scenario_count);
