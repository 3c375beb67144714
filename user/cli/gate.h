/* Gates for CI: `--fail-if 'first_request > 300ms'`, and against a baseline `'first_request.median > +5%'`.
 *
 *	METRIC[.STATISTIC] OPERATOR VALUE
 *
 * OPERATOR is > >= < or <=. VALUE is a duration (300ms), a size (64M) or a count (10); with a sign it is a change
 *against the baseline, absolute (+10, +20ms) or relative (+5%). A metric is a moment or a duration of the run, the
 *name of a cause or of a group of causes (its time in the first request), a count of the run or of a phase, or
 *memory: the man page has the list.
 *
 * A gate is parsed without knowing the data. Where its metric was not observed it fires: a check that saw nothing
 *must not pass. */
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
	const char *expression;		/* as given, borrowed */
	char metric[GATE_METRIC_BYTES]; /* without the statistic */
	enum gate_statistic statistic;	/* GATE_PLAIN where none was given; of several runs that is the median */
	enum gate_operator operator;
	enum gate_unit unit;
	bool is_change;	  /* the value is a difference from the baseline */
	bool is_relative; /* … in parts of the baseline's value */
	double value;	  /* in ns, bytes, counts or parts (0.05 is 5 %) */
};

/* Kind ERR_USAGE: what is wrong and what would be right. `expression` must outlive the gate. */
struct err *gate_parse(const char *expression, struct gate *ret_gate) must_check;

/* The gate's metric in one run; false where it was not observed. */
bool gate_metric(const struct gate *gate, const struct report *report, int64_t *ret_value);

/* The gate's metric in several runs, the values of gate_metric of those in which it was observed: `count` 0 is not
 * observed. */
struct gate_values {
	const int64_t *items;
	size_t count;
};

/* NULL where the gate does not fire, else the line that says so (the caller frees): "gate failed, on 'EXPRESSION': it
 * is 434 ms". `baseline` is NULL where there is none (then no gate may be a change); `where` names the scenario, NULL
 * for none. */
char *gate_check(const struct gate *gate, const char *where, const struct gate_values *baseline,
		 const struct gate_values *values) must_check;
