#include "cli/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "base/vec.h"
#include "cli/gate_metrics.h"
#include "cli/option_values.h"

/* ---- parsing ---- */

static const char *const statistic_names[] = {
	[GATE_MIN] = "min",   [GATE_MEDIAN] = "median", [GATE_MAX] = "max",
	[GATE_MEAN] = "mean", [GATE_STDDEV] = "stddev",
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static struct err *parse_metric(const char **at, struct gate *gate)
{
	size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
	char *dot;

	if (!length || length >= sizeof(gate->metric))
		return err_new(ERR_USAGE, "it must begin with a metric such as first_request");
	memcpy(gate->metric, *at, length);
	gate->metric[length] = '\0';
	*at += length;
	dot = strrchr(gate->metric, '.');
	for (size_t i = 0; dot && i < array_length(statistic_names); i++)
		if (statistic_names[i] && strcmp(dot + 1, statistic_names[i]) == 0) {
			gate->statistic = (enum gate_statistic)i;
			*dot = '\0';
			break;
		}
	if (metric_find(gate->metric, &gate->unit))
		return NULL;

	struct err *err = err_new(ERR_USAGE, "there is no metric '%s'", gate->metric);
	const char *nearest = metric_nearest(gate->metric);

	return nearest ? err_hint(err, "did you mean %s?", nearest) : err;
}

static struct err *parse_operator(const char **at, struct gate *gate)
{
	static const struct {
		const char *text;
		enum gate_operator operator;
	} operators[] = {{">=", GATE_AT_LEAST}, {"<=", GATE_AT_MOST}, {">", GATE_ABOVE}, {"<", GATE_BELOW}};

	*at = skip_blanks(*at);
	for (size_t i = 0; i < array_length(operators); i++)
		if (strncmp(*at, operators[i].text, strlen(operators[i].text)) == 0) {
			gate->operator= operators[i].operator;
			*at = skip_blanks(*at + strlen(operators[i].text));
			return NULL;
		}
	return err_new(ERR_USAGE, "after '%s' one of > >= < <= is needed", gate->metric);
}

static bool is_bare_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789.")];
}

static struct err *parse_unsigned(const char *text, struct gate *gate)
{
	uint64_t value;
	double parts;
	char *end;

	if (*text && text[strlen(text) - 1] == '%') {
		auto_free char *number = strndup(text, strlen(text) - 1);

		if (!gate->is_change)
			return err_new(ERR_USAGE, "a change has a sign: +%s", text);
		if (!number || !is_bare_number(number))
			return err_new(ERR_USAGE, "a percentage such as +5%% is needed");
		parts = strtod(number, &end);
		if (*end)
			return err_new(ERR_USAGE, "a percentage such as +5%% is needed");
		gate->is_relative = true;
		gate->value = parts / 100;
		return NULL;
	}
	switch (gate->unit) {
	case GATE_DURATION:
		/* 300 would be seconds by the rule of the options, and was hardly meant so. */
		if (is_bare_number(text) && strtod(text, NULL) != 0)
			return err_new(ERR_USAGE, "'%s' is a time: a value such as %sms is needed", gate->metric,
				       text);
		TRY(value_duration(text, &value));
		break;
	case GATE_SIZE:
		TRY(value_size(text, &value));
		break;
	case GATE_COUNT:
		TRY(value_count(text, 0, INT64_MAX, &value));
		break;
	}
	gate->value = (double)value;
	return NULL;
}

struct err *gate_parse(const char *expression, struct gate *ret_gate)
{
	struct gate gate = {.expression = expression};
	const char *at = skip_blanks(expression);
	bool is_negative;

	TRY(parse_metric(&at, &gate));
	TRY(parse_operator(&at, &gate));
	is_negative = *at == '-';
	gate.is_change = is_negative || *at == '+';

	auto_free char *text = strdup(at + gate.is_change);

	if (!text)
		memory_exhausted();
	for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]); length--)
		text[length - 1] = '\0';
	TRY(parse_unsigned(text, &gate));
	if (is_negative)
		gate.value = -gate.value;
	*ret_gate = gate;
	return NULL;
}

/* ---- checking ---- */

bool gate_metric(const struct gate *gate, const struct report *report, int64_t *ret_value)
{
	return metric_value(gate->metric, report, ret_value);
}

static int compare_values(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static double mean_of(const int64_t *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)values[i];
	return sum / (double)count;
}

/* Of the sample: divided by n - 1. */
static double deviation_of(const int64_t *values, size_t count)
{
	double mean = mean_of(values, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ((double)values[i] - mean) * ((double)values[i] - mean);
	return count > 1 ? sqrt(sum / (double)(count - 1)) : 0;
}

static double statistic_of(enum gate_statistic statistic, const struct gate_values *values)
{
	auto_free int64_t *sorted = malloc(values->count * sizeof(*sorted));
	size_t count = values->count;

	if (!sorted)
		memory_exhausted();
	memcpy(sorted, values->items, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_values);
	switch (statistic) {
	case GATE_MIN:
		return (double)sorted[0];
	case GATE_MAX:
		return (double)sorted[count - 1];
	case GATE_MEAN:
		return mean_of(sorted, count);
	case GATE_STDDEV:
		return deviation_of(sorted, count);
	case GATE_PLAIN:
	case GATE_MEDIAN:
		break;
	}
	return ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) / 2;
}

static bool is_true(const struct gate *gate, double value)
{
	switch (gate->operator) {
	case GATE_ABOVE:
		return value > gate->value;
	case GATE_AT_LEAST:
		return value >= gate->value;
	case GATE_BELOW:
		return value < gate->value;
	case GATE_AT_MOST:
		return value <= gate->value;
	}
	return true;
}

static struct fmt value_text(const struct gate *gate, double value)
{
	int64_t rounded = llround(value);

	return gate->unit == GATE_DURATION ? fmt_duration(rounded)
	       : gate->unit == GATE_SIZE   ? fmt_bytes(rounded)
					   : fmt_count(rounded);
}

__attribute__((format(printf, 3, 4))) static char *failed_line(const struct gate *gate, const char *where,
							       const char *format, ...)
{
	auto_free char *why = NULL;
	char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&why, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	if (asprintf(&line, "gate failed, on '%s'%s%s: %s", gate->expression, where ? " of " : "", where ? where : "",
		     why) < 0)
		memory_exhausted();
	return line;
}

static char *check_change(const struct gate *gate, const char *where, double before, double after)
{
	double change = after - before;

	if (gate->is_relative) {
		/* From nothing to something is more than any percentage. */
		double parts = before != 0 ? change / before : change > 0 ? INFINITY : change < 0 ? -INFINITY : 0;

		if (!is_true(gate, parts))
			return NULL;
		if (isfinite(parts))
			return failed_line(gate, where, "it changed by %s, from %s to %s", fmt_change(parts).text,
					   value_text(gate, before).text, value_text(gate, after).text);
	} else if (!is_true(gate, change)) {
		return NULL;
	}
	return failed_line(gate, where, "it went from %s to %s", value_text(gate, before).text,
			   value_text(gate, after).text);
}

char *gate_check(const struct gate *gate, const char *where, const struct gate_values *baseline,
		 const struct gate_values *values)
{
	if (!values->count)
		return failed_line(gate, where, "it was not observed");

	double value = statistic_of(gate->statistic, values);

	if (!gate->is_change)
		return is_true(gate, value) ? failed_line(gate, where, "it is %s", value_text(gate, value).text)
					    : NULL;
	if (!baseline || !baseline->count)
		return failed_line(gate, where, "it was not observed in the baseline");
	return check_change(gate, where, statistic_of(gate->statistic, baseline), value);
}
