#include "cli/gate_metrics.h"

#include <stdio.h>
#include <string.h>

#include "analyze/report.h"
#include "base/auto.h"
#include "cli/option_values.h"

/* ---- moments, durations and figures that have a name of their own ---- */

static const struct report_request *first_cold(const struct report *report)
{
	const struct report_request *first = NULL;

	for (size_t i = 0; i < report->requests_count; i++)
		if (report->requests[i].is_cold && (!first || report->requests[i].start_ns < first->start_ns))
			first = &report->requests[i];
	return first;
}

static bool first_request(const struct report *report, int64_t *ret_value)
{
	const struct report_request *request = first_cold(report);

	if (request)
		*ret_value = request->latency_ns;
	return request;
}

static bool warm(const struct report *report, int64_t *ret_value)
{
	if (!report->cold_vs_warm_count || !report->cold_vs_warm[0].warm_count)
		return false;
	*ret_value = report->cold_vs_warm[0].warm_ns;
	return true;
}

static bool excess(const struct report *report, int64_t *ret_value)
{
	if (!report->cold_vs_warm_count || !report->cold_vs_warm[0].warm_count)
		return false;
	*ret_value = report->cold_vs_warm[0].excess_ns;
	return true;
}

static bool wall(const struct report *report, int64_t *ret_value)
{
	*ret_value = report->run.wall_ns;
	return true;
}

static bool cpu(const struct report *report, int64_t *ret_value)
{
	int64_t sum = 0;

	for (size_t i = 0; i < report->phases_count; i++) {
		if (report->phases[i].cpu_ns.state != KNOWN)
			return false;
		sum += report->phases[i].cpu_ns.value;
	}
	*ret_value = sum;
	return report->phases_count;
}

static bool lost_events(const struct report *report, int64_t *ret_value)
{
	*ret_value = report->lost_events;
	return true;
}

static bool requests(const struct report *report, int64_t *ret_value)
{
	*ret_value = 0;
	for (size_t i = 0; i < report->routes_count; i++)
		*ret_value += report->routes[i].requests;
	return true;
}

static bool errors(const struct report *report, int64_t *ret_value)
{
	*ret_value = 0;
	for (size_t i = 0; i < report->routes_count; i++)
		*ret_value += report->routes[i].errors;
	return true;
}

static bool peak_rss(const struct report *report, int64_t *ret_value)
{
	*ret_value = 0;
	for (size_t i = 0; i < report->memory_count; i++)
		if (report->memory[i].rss > *ret_value)
			*ret_value = report->memory[i].rss;
	return report->memory_count;
}

static bool maybe_value(const struct maybe *maybe, int64_t *ret_value)
{
	*ret_value = maybe->value;
	return maybe->state == KNOWN;
}

static bool cgroup_peak(const struct report *report, int64_t *ret_value)
{
	return maybe_value(&report->machine.cgroup_peak, ret_value);
}

static bool gc_pause(const struct report *report, int64_t *ret_value)
{
	return maybe_value(&report->gc_pause_ns, ret_value);
}

static const struct figure {
	const char *name;
	enum gate_unit unit;
	bool (*value)(const struct report *report, int64_t *ret_value);
} figures[] = {
	{"first_request", GATE_DURATION, first_request},
	{"warm", GATE_DURATION, warm},
	{"excess", GATE_DURATION, excess},
	{"wall", GATE_DURATION, wall},
	{"cpu", GATE_DURATION, cpu},
	{"gc_pause_time", GATE_DURATION, gc_pause},
	{"peak_rss", GATE_SIZE, peak_rss},
	{"cgroup_peak", GATE_SIZE, cgroup_peak},
	{"requests", GATE_COUNT, requests},
	{"errors", GATE_COUNT, errors},
	{"lost_events", GATE_COUNT, lost_events},
};

static const struct figure *figure_find(const char *name)
{
	for (size_t i = 0; i < array_length(figures); i++)
		if (strcmp(figures[i].name, name) == 0)
			return &figures[i];
	return NULL;
}

/* ---- families of names ---- */

static const char *const milestone_names[] = {"vm_created",    "main_class",	 "listening", "ready",
					      "first_arrival", "first_response", "exit",      NULL};

static bool is_milestone(const char *name)
{
	for (unsigned i = 0; milestone_names[i]; i++)
		if (strcmp(milestone_names[i], name) == 0)
			return true;
	return false;
}

static bool milestone_value(const char *name, const struct report *report, int64_t *ret_value)
{
	for (size_t i = 0; i < report->milestones_count; i++)
		if (strcmp(report->milestones[i].name, name) == 0) {
			*ret_value = report->milestones[i].time_ns;
			return true;
		}
	return false;
}

/* "class.read" is in the group "class", "fault.minor.heap" in "fault" and "fault.minor". */
static bool is_in_group(enum cause cause, const char *group)
{
	const char *name = cause_name(cause);
	size_t length = strlen(group);

	return strncmp(name, group, length) == 0 && (!name[length] || name[length] == '.');
}

static bool is_cause_group(const char *name)
{
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		if (is_in_group((enum cause)cause, name))
			return true;
	return false;
}

/* `observed` names a cause that cannot be seen here by its own name, dots or not. */
static bool is_observed(const struct report *report, const char *cause)
{
	for (size_t i = 0; i < report->observed_count; i++) {
		const char *a = report->observed[i].what, *b = cause;

		while (*a && (*a == *b || (*a == '_' && *b == '.'))) {
			a++;
			b++;
		}
		if (!*a && !*b && strcmp(report->observed[i].state, "no") == 0)
			return false;
	}
	return true;
}

static bool cause_value(const char *name, const struct report *report, int64_t *ret_value)
{
	const struct report_request *request = first_cold(report);
	int64_t sum = 0;

	if (!request || !is_observed(report, name))
		return false;
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		if (is_in_group((enum cause)cause, name))
			sum += request->causes[cause];
	*ret_value = sum;
	return true;
}

static const char *const count_names[] = {
#define N(NAME, name, words) name,
	COUNT_TABLE(N)
#undef N
		NULL};

static bool count_find(const char *name, unsigned *ret_count)
{
	for (unsigned i = 0; count_names[i]; i++)
		if (strcmp(count_names[i], name) == 0) {
			*ret_count = i;
			return true;
		}
	return false;
}

/* "startup.opens": the rest after the phase's name, or NULL where the name begins with no phase. */
static const char *after_phase(const char *name, enum phase *ret_phase)
{
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		size_t length = strlen(phase_name((enum phase)phase));

		if (strncmp(name, phase_name((enum phase)phase), length) == 0 && name[length] == '.') {
			*ret_phase = (enum phase)phase;
			return name + length + 1;
		}
	}
	return NULL;
}

/* A count is that of the whole run, from exec to exit, unless a phase stands before it. */
static bool is_count(const char *name)
{
	enum phase phase;
	const char *rest = after_phase(name, &phase);
	unsigned count;

	return count_find(rest ? rest : name, &count);
}

static bool count_value(const char *name, const struct report *report, int64_t *ret_value)
{
	enum phase phase = PHASE_COUNT;
	const char *rest = after_phase(name, &phase);
	bool is_seen = false;
	int64_t sum = 0;
	unsigned count;

	if (!count_find(rest ? rest : name, &count))
		return false;
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct maybe *value = &report->phases[i].counts.of[count];

		if (rest && report->phases[i].phase != phase)
			continue;
		if (value->state != KNOWN)
			return false;
		sum += value->value;
		is_seen = true;
	}
	*ret_value = sum;
	return is_seen;
}

static const char memory_prefix[] = "memory.";

static bool is_memory(const char *name)
{
	if (strncmp(name, memory_prefix, strlen(memory_prefix)) != 0)
		return false;
	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++)
		if (strcmp(name + strlen(memory_prefix), mapping_kind_name((enum mapping_kind)kind)) == 0)
			return true;
	return false;
}

/* Resident memory of that kind in the last snapshot. */
static bool memory_value(const char *name, const struct report *report, int64_t *ret_value)
{
	const struct report_memory *last;

	if (!report->memory_count)
		return false;
	last = &report->memory[report->memory_count - 1];
	*ret_value = 0;
	for (size_t i = 0; i < last->by_kind_count; i++)
		if (strcmp(name + strlen(memory_prefix), mapping_kind_name(last->by_kind[i].kind)) == 0)
			*ret_value += last->by_kind[i].rss;
	return true;
}

/* ---- all of them ---- */

static const struct family {
	enum gate_unit unit;
	bool (*has)(const char *name);
	bool (*value)(const char *name, const struct report *report, int64_t *ret_value);
} families[] = {
	{GATE_DURATION, is_milestone, milestone_value},
	{GATE_COUNT, is_count, count_value},
	{GATE_DURATION, is_cause_group, cause_value},
	{GATE_SIZE, is_memory, memory_value},
};

static const struct family *family_find(const char *name)
{
	for (size_t i = 0; i < array_length(families); i++)
		if (families[i].has(name))
			return &families[i];
	return NULL;
}

bool metric_find(const char *name, enum gate_unit *ret_unit)
{
	const struct figure *figure = figure_find(name);
	const struct family *family = figure ? NULL : family_find(name);

	if (!figure && !family)
		return false;
	*ret_unit = figure ? figure->unit : family->unit;
	return true;
}

bool metric_value(const char *name, const struct report *report, int64_t *ret_value)
{
	const struct figure *figure = figure_find(name);
	const struct family *family = figure ? NULL : family_find(name);

	return figure ? figure->value(report, ret_value) : family && family->value(name, report, ret_value);
}

const char *metric_nearest(const char *name)
{
	const char *names[array_length(figures) + array_length(milestone_names) + array_length(count_names) +
			  CAUSE_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < array_length(figures); i++)
		names[count++] = figures[i].name;
	for (size_t i = 0; milestone_names[i]; i++)
		names[count++] = milestone_names[i];
	for (size_t i = 0; count_names[i]; i++)
		names[count++] = count_names[i];
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		names[count++] = cause_name((enum cause)cause);
	names[count] = NULL;
	return value_nearest(name, names);
}
