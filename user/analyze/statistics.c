#include "analyze/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"

enum { RESAMPLES = 10000, EXACT_MAX = 20 };

static int compare_values(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static int compare_reals(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median_of_sorted(const int64_t *sorted, size_t count)
{
	if (!count)
		return 0;
	if (count % 2)
		return (double)sorted[count / 2];
	return ((double)sorted[count / 2 - 1] + (double)sorted[count / 2]) / 2;
}

static int64_t *sorted_copy(const int64_t *values, size_t count)
{
	int64_t *copy = malloc((count + !count) * sizeof(*copy));

	if (!copy)
		memory_exhausted();
	if (count)
		memcpy(copy, values, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), compare_values);
	return copy;
}

int64_t statistics_median(const int64_t *values, size_t count)
{
	auto_free int64_t *sorted = sorted_copy(values, count);

	return llround(median_of_sorted(sorted, count));
}

double statistics_mean(const int64_t *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)values[i];
	return count ? sum / (double)count : 0;
}

double statistics_deviation(const int64_t *values, size_t count)
{
	double mean = statistics_mean(values, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ((double)values[i] - mean) * ((double)values[i] - mean);
	return count > 1 ? sqrt(sum / (double)(count - 1)) : 0;
}

/* ---- the bootstrap ---- */

/* xorshift64*: small, and good enough for drawing indices. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

/* Samples of runs are small, and sorted by the ten thousand. */
static void sort_small(int64_t *values, size_t count)
{
	enum { SMALL = 64 };

	if (count > SMALL) {
		qsort(values, count, sizeof(*values), compare_values);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		int64_t value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

static double resampled_median(const int64_t *values, size_t count, int64_t *room, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		room[i] = values[draw(state) % count];
	sort_small(room, count);
	return median_of_sorted(room, count);
}

struct interval95 statistics_change_interval(const int64_t *baseline, size_t baseline_count, const int64_t *scenario,
					     size_t scenario_count)
{
	auto_free double *changes = malloc(RESAMPLES * sizeof(*changes));
	auto_free int64_t *room = malloc((baseline_count + scenario_count + 1) * sizeof(*room));
	uint64_t state = 0x9e3779b97f4a7c15ull;

	if (!changes || !room)
		memory_exhausted();
	if (!baseline_count || !scenario_count)
		return (struct interval95){0, 0};
	for (int i = 0; i < RESAMPLES; i++) {
		double before = resampled_median(baseline, baseline_count, room, &state);
		double after = resampled_median(scenario, scenario_count, room, &state);

		changes[i] = before != 0 ? after / before - 1 : 0;
	}
	qsort(changes, RESAMPLES, sizeof(*changes), compare_reals);
	return (struct interval95){changes[RESAMPLES * 25 / 1000], changes[RESAMPLES * 975 / 1000 - 1]};
}

/* ---- Mann-Whitney ---- */

struct ranked {
	int64_t value;
	int is_left;
};

static int compare_ranked(const void *left, const void *right)
{
	return compare_values(&((const struct ranked *)left)->value, &((const struct ranked *)right)->value);
}

/* Twice the left sample's rank sum (so that mid-ranks stay whole), and the sum of t^3 - t over groups of ties. */
static void rank(const int64_t *left, size_t left_count, const int64_t *right, size_t right_count, double *ret_doubled_sum,
		 double *ret_ties)
{
	size_t count = left_count + right_count;
	auto_free struct ranked *all = malloc(count * sizeof(*all));
	double doubled_sum = 0, ties = 0;

	if (!all)
		memory_exhausted();
	for (size_t i = 0; i < count; i++)
		all[i] = i < left_count ? (struct ranked){left[i], 1} : (struct ranked){right[i - left_count], 0};
	qsort(all, count, sizeof(*all), compare_ranked);
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first; next < count && all[next].value == all[first].value;)
			next++;

		double size = (double)(next - first);

		for (size_t i = first; i < next; i++)
			if (all[i].is_left)
				doubled_sum += (double)(first + 1 + next);
		ties += size * size * size - size;
	}
	*ret_doubled_sum = doubled_sum;
	*ret_ties = ties;
}

/* P(U <= u) for samples of these sizes without ties: counts of arrangements by the usual recurrence
 * f(n, m, u) = f(n - 1, m, u - m) + f(n, m - 1, u). */
static double exact_probability(size_t n, size_t m, size_t u)
{
	size_t width = n * m + 1;
	auto_free double *counts = calloc((n + 1) * (m + 1) * width, sizeof(*counts));
	double below = 0, all = 0;

	if (!counts)
		memory_exhausted();
#define AT(i, j, k) counts[((i) * (m + 1) + (j)) * width + (k)]
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++)
			for (size_t k = 0; k <= i * j; k++) {
				if (i == 0 || j == 0) {
					AT(i, j, k) = k == 0;
					continue;
				}
				AT(i, j, k) = (k >= j ? AT(i - 1, j, k - j) : 0) + AT(i, j - 1, k);
			}
	for (size_t k = 0; k < width; k++) {
		all += AT(n, m, k);
		if (k <= u)
			below += AT(n, m, k);
	}
#undef AT
	return below / all;
}

double statistics_mann_whitney(const int64_t *left, size_t left_count, const int64_t *right, size_t right_count)
{
	double doubled_sum, ties, n = (double)left_count, m = (double)right_count;

	if (!left_count || !right_count)
		return 1;
	rank(left, left_count, right, right_count, &doubled_sum, &ties);

	double u = doubled_sum / 2 - n * (n + 1) / 2;
	double smaller = u < n * m - u ? u : n * m - u;

	if (ties == 0 && left_count <= EXACT_MAX && right_count <= EXACT_MAX) {
		double p = 2 * exact_probability(left_count, right_count, (size_t)llround(smaller));

		return p > 1 ? 1 : p;
	}

	double total = n + m;
	double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));

	if (variance <= 0)
		return 1;

	double z = (n * m / 2 - smaller - 0.5) / sqrt(variance);

	return z <= 0 ? 1 : erfc(z / sqrt(2));
}

double statistics_detectable_change(const int64_t *baseline, size_t baseline_count, size_t scenario_count)
{
	/* Two-sided 5 % and power 80 %: (1.96 + 0.84) standard errors of a difference of medians, each of which needs pi/2 times
	 * the variance of a mean (asymptotic, normal data). The rank test alone would show a little less. */
	double median = (double)statistics_median(baseline, baseline_count);
	double deviation = statistics_deviation(baseline, baseline_count);

	if (baseline_count < 2 || !scenario_count || median == 0)
		return 0;
	return 2.8 * deviation * sqrt((1.0 / (double)baseline_count + 1.0 / (double)scenario_count) * M_PI / 2) / median;
}
