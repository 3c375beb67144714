/* Gates for CI: `--fail-if 'first_request > 300ms'`, and against a baseline `'first_request.median > +5%'`.
 *
 *	METRIC[.STATISTIC] OPERATOR VALUE
 *
 * OPERATOR is > >= < <=. VALUE is a duration (300ms), a size (64M), a count (10); with a sign it is a change against the
 * baseline, absolute (+10, +20ms) or relative (+5%). A metric is a moment or duration, the name of a cause or of one of
 * its groups (time of it in the first request), a count, or memory: docs and man page have the list (gate_metrics).
 *
 * A gate is parsed without knowing the data; where the metric was not observed the gate fails: a check that saw nothing
 * must not pass. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct report;

enum gate_unit { GATE_DURATION, GATE_SIZE, GATE_COUNT };
enum gate_operator { GATE_ABOVE, GATE_AT_LEAST, GATE_BELOW, GATE_AT_MOST };
enum gate_statistic { GATE_PLAIN, GATE_MIN, GATE_MEDIAN, GATE_MAX, GATE_MEAN, GATE_STDDEV };

enum { GATE_METRIC_BYTES = 64 };

struct gate {
	const char *expression; /* as given, borrowed */
	char metric[GATE_METRIC_BYTES]; /* without the statistic */
	enum gate_statistic statistic;  /* GATE_PLAIN where none was given: the median where there are several runs */
	enum gate_operator operator;
	enum gate_unit unit;
	bool is_change;	  /* the value is a difference from the baseline */
	bool is_relative; /* … in parts of the baseline's value */
	double value;	  /* in ns, bytes, counts or parts (0.05 for 5 %) */
};

/* Kind ERR_USAGE: what is wrong and what would be right. `expression` must outlive the gate. */
struct err *gate_parse(const char *expression, struct gate *ret_gate) must_check;

/* What a metric is in one run; false where it was not observed there. The same names serve main, report and compare. */
bool gate_metric(const char *metric, const struct report *report, int64_t *ret_value);

/* Whether the gate fires: `value` is that of the run or scenario, `baseline` that of the baseline (for is_change). */
bool gate_is_true(const struct gate *gate, double value, double baseline);

/* The line about a gate that fired, or (values NULL) whose metric was not observed: "gate failed, on 'EXPR': it is 434 ms".
 * `where` names the scenario or is NULL. The caller frees. */
char *gate_line(const struct gate *gate, const char *where, const double *value, const double *baseline) must_check;
