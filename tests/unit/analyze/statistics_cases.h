/* Samples with the answers of scipy 1.17.1; made by make_statistics_cases.py. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct statistics_case {
	const char *name;
	int64_t left[30], right[30];
	size_t left_count, right_count;
	double left_median, left_mean, left_deviation, p_value, interval_low, interval_high;
};

static const struct statistics_case statistics_cases[] = {
	{"three of each, apart",
	 {451000000, 398000000, 581000000},
	 {97000000, 112000000, 136000000},
	 3, 3, 451000000.0, 476666666.6666667, 94161209.28138791,
	 0.1, -0.8330464716006885, -0.6582914572864322},
	{"four of each, apart",
	 {5, 6, 7, 8},
	 {1, 2, 3, 4},
	 4, 4, 6.5, 6.5, 1.2909944487358056,
	 0.02857142857142857, -0.8461538461538461, -0.36363636363636365},
	{"one of each",
	 {451000000},
	 {330000000},
	 1, 1, 451000000.0, 451000000.0, 0.0,
	 1.0, -0.2682926829268293, -0.2682926829268293},
	{"interlaced",
	 {1, 3, 5, 7, 9},
	 {2, 4, 6, 8, 10},
	 5, 5, 5.0, 5.0, 3.1622776601683795,
	 0.6904761904761905, -0.6, 5.0},
	{"unequal sizes",
	 {12, 15, 11, 19, 23, 14, 17},
	 {16, 21, 25},
	 7, 3, 15.0, 15.857142857142858, 4.180453381654971,
	 0.18333333333333335, -0.1578947368421053, 1.0833333333333335},
	{"the same values",
	 {4, 4, 4, 4},
	 {4, 4, 4, 4},
	 4, 4, 4.0, 4.0, 0.0,
	 1.0, 0.0, 0.0},
