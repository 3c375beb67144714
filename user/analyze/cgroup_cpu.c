#include "analyze/cgroup_cpu.h"

#include <stdlib.h>

#include "base/auto.h"
#include "model/snapshots.h"

struct stretch {
	uint64_t start_ns, end_ns;
};

struct stretches {
	VEC(struct stretch) list;
};

static void stretches_done(struct stretches *stretches)
{
	vec_done(&stretches->list);
}

static int compare_stretches(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* When some thread stood still for the quota: by start, merged. */
static void find_throttled(const struct model *model, struct stretches *throttled)
{
	size_t count = 0;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const struct intervals *intervals = &model->threads.list.items[i].intervals;

		for (uint32_t k = 0; k < intervals->count; k++) {
			const struct interval *interval = &intervals->items[k];

			if (interval->state == INTERVAL_RUNNABLE && interval->flags & INTERVAL_THROTTLED)
				*vec_push(&throttled->list) =
					(struct stretch){interval->start_ns, model_interval_end(model, i, k)};
		}
	}
	if (throttled->list.count)
		qsort(throttled->list.items, throttled->list.count, sizeof(struct stretch), compare_stretches);
	for vec_each(stretch, &throttled->list) {
		struct stretch *last = count ? &throttled->list.items[count - 1] : NULL;

		if (last && stretch->start_ns <= last->end_ns)
			last->end_ns = stretch->end_ns > last->end_ns ? stretch->end_ns : last->end_ns;
		else
			throttled->list.items[count++] = *stretch;
	}
	throttled->list.count = count;
}

static int64_t throttled_within(const struct stretches *throttled, uint64_t start_ns, uint64_t end_ns)
{
	int64_t sum_ns = 0;

	for vec_each(stretch, &throttled->list) {
		uint64_t from_ns = stretch->start_ns > start_ns ? stretch->start_ns : start_ns;
		uint64_t to_ns = stretch->end_ns < end_ns ? stretch->end_ns : end_ns;

		sum_ns += to_ns > from_ns ? (int64_t)(to_ns - from_ns) : 0;
	}
	return sum_ns;
}

static bool are_periods_known(const struct cgroup_cpu *cpu)
{
	return cpu->periods != SNAPSHOT_UNKNOWN && cpu->throttled_periods != SNAPSHOT_UNKNOWN;
}

/* Counters that went down are those of another cgroup: the program was moved. */
static bool add_row(const struct cgroup_cpu *before, const struct cgroup_cpu *after, struct report_cgroup_cpu *ret_row)
{
	if (after->periods < before->periods || after->throttled_periods < before->throttled_periods)
		return false;
	ret_row->periods = (int64_t)(after->periods - before->periods);
	ret_row->throttled_periods = (int64_t)(after->throttled_periods - before->throttled_periods);
	ret_row->throttled_ns.state = NONE;
	if (before->throttled_ns != SNAPSHOT_UNKNOWN && after->throttled_ns != SNAPSHOT_UNKNOWN &&
	    after->throttled_ns >= before->throttled_ns)
		ret_row->throttled_ns = (struct maybe){KNOWN, (int64_t)(after->throttled_ns - before->throttled_ns)};
	return true;
}

void analyze_cgroup_cpu(const struct model *model, struct report *report)
{
	static const struct {
		enum moment moment;
		const char *name;
	} moments[] = {{MOMENT_EXEC, "exec"},
		       {MOMENT_READY, "ready"},
		       {MOMENT_FIRST_REQUEST, "first_request"},
		       {MOMENT_WARM, "warm"},
		       {MOMENT_EXIT, "exit"}};
	struct report_cgroup_cpu *rows = arena_array(&report->arena, struct report_cgroup_cpu, array_length(moments));
	struct stretches throttled auto_done(stretches_done) = {};
	struct cgroup_cpu before = {}, after;
	const char *from = NULL;
	int64_t periods = 0;
	size_t count = 0;

	find_throttled(model, &throttled);
	for (size_t i = 0; i < array_length(moments); i++) {
		if (!model_cgroup_cpu(model, moments[i].moment, &after) || !are_periods_known(&after))
			continue;
		rows[count] = (struct report_cgroup_cpu){.from = from, .to = moments[i].name};
		if (from && add_row(&before, &after, &rows[count])) {
			rows[count].seen_ns = throttled_within(&throttled, before.time_ns, after.time_ns);
			periods += rows[count++].periods;
		}
		before = after;
		from = moments[i].name;
	}
	report->machine.has_cgroup_cpu = from != NULL;
	report->machine.cgroup_cpu = rows;
	report->machine.cgroup_cpu_count = periods ? count : 0;
}
