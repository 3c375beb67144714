/* The cgroup's counters during the run, and whether it was memory that ended it. */
#include "analyze/inventory_internal.h"

#include <signal.h>
#include <string.h>

#include "base/auto.h"
#include "model/snapshots.h"

static struct maybe difference(uint64_t before, uint64_t after)
{
	if (after == SNAPSHOT_UNKNOWN)
		return (struct maybe){.state = NONE};
	return known((int64_t)(before != SNAPSHOT_UNKNOWN && before <= after ? after - before : after));
}

/* The counters are the cgroup's since it was made: what happened in this run is what they grew by. */
static void count_cgroup_events(const struct inventory *inventory)
{
	static const enum moment latest_first[] = {MOMENT_EXIT, MOMENT_WARM, MOMENT_FIRST_REQUEST, MOMENT_READY};
	struct cgroup_memory before, after;
	struct report_machine *machine = &inventory->report->machine;
	bool has_after = false;

	for (size_t i = 0; i < array_length(latest_first) && !has_after; i++)
		has_after = model_cgroup_memory(inventory->model, latest_first[i], &after);
	if (!has_after || !model_cgroup_memory(inventory->model, MOMENT_EXEC, &before))
		return;
	machine->cgroup_oom = difference(before.oom, after.oom);
	machine->cgroup_oom_kill = difference(before.oom_kill, after.oom_kill);
	machine->cgroup_max = difference(before.max, after.max);
}

/* OutOfMemoryErrors that the VM keeps ready for a full heap or metaspace fill no stack trace and are not seen; those
 * that are made on the spot tell by their thrower what was short. */
static const char *what_was_short(const struct model *model, uint32_t pid)
{
	const char *found = NULL;

	for (struct event_walk walk = model_walk(model, EVENT_EXCEPTION); model_walk_next(&walk);) {
		const struct event_exception *event = MODEL_EVENT(model, walk.index, exception);
		struct frame_line lines[FRAME_LINES_MAX];
		uint32_t count, thrower;

		if (event->header.pid != pid || strcmp(event->tail, "java/lang/OutOfMemoryError") != 0)
			continue;
		count = stack_lines(model, event->stack_id, lines, FRAME_LINES_MAX);
		thrower = thrower_of(lines, count, "java/lang/OutOfMemoryError");
		if (thrower >= count)
			continue;
		if (strcmp(lines[thrower].class_name, "java/nio/Bits") == 0)
			found = "direct";
		else if (strcmp(lines[thrower].class_name, "java/lang/Thread") == 0 &&
			 strncmp(lines[thrower].method, "start", strlen("start")) == 0)
			found = "threads";
	}
	return found;
}

void inventory_limits(const struct inventory *inventory)
{
	struct report_run *run = &inventory->report->run;
	const struct report_machine *machine = &inventory->report->machine;
	bool is_kill = run->exit_kind == EXIT_KIND_SIGNAL && run->exit_code == SIGKILL;
	bool is_failure =
		run->exit_kind == EXIT_KIND_SIGNAL || (run->exit_kind == EXIT_KIND_EXIT && run->exit_code != 0);
	const char *kind = NULL;

	count_cgroup_events(inventory);
	run->exit_oom = (struct maybe_text){.state = NONE};
	if (!is_failure || run->exit_by_us)
		return;
	if (is_kill && machine->cgroup_oom_kill.state == KNOWN && machine->cgroup_oom_kill.value > 0)
		kind = "cgroup";
	else
		kind = what_was_short(inventory->model, run->main_pid);
	if (kind)
		run->exit_oom = (struct maybe_text){.state = KNOWN, .text = kind};
}
