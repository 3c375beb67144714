#include "analyze/what_if_rows.h"

#include <string.h>

#include "analyze/kept_requests.h"
#include "analyze/what_if.h"

/* Groups of causes that one remedy removes together. */
static const struct {
	const char *without;
	enum cause first, last; /* of the cause list, inclusive */
} removals[] = {
	{"finding and reading classes", CAUSE_CLASS_FIND, CAUSE_CLASS_READ},
	{"parsing and linking classes", CAUSE_CLASS_PARSE, CAUSE_CLASS_LINK},
	{"static initialisers' own code", CAUSE_CLASS_INIT, CAUSE_CLASS_INIT},
	{"filling exceptions' stack traces", CAUSE_EXCEPTION_FILL, CAUSE_EXCEPTION_FILL},
	{"page faults", CAUSE_FAULT_MINOR, CAUSE_COUNT - 1},
	{"opening, looking up, reading and writing files", CAUSE_FILE_OPEN, CAUSE_FILE_WRITE},
	{"waiting for compilations", CAUSE_JIT_WAIT, CAUSE_JIT_WAIT},
	{"collections and safepoints", CAUSE_GC_PAUSE, CAUSE_SAFEPOINT_WAIT},
	{"waiting for locks alone", CAUSE_LOCK_MONITOR, CAUSE_LOCK_VM},
	{"waiting for the disk", CAUSE_WAIT_DISK, CAUSE_WAIT_DISK},
	{"name look-ups", CAUSE_WAIT_NAME, CAUSE_WAIT_NAME},
	{"waiting for the random source", CAUSE_WAIT_RANDOM, CAUSE_WAIT_RANDOM},
	{"waiting for a CPU", CAUSE_CPU_RUNNABLE, CAUSE_CPU_RUNNABLE},
	{"CPU throttling", CAUSE_CPU_THROTTLED, CAUSE_CPU_THROTTLED},
	{"interpreted code", CAUSE_CODE_INTERPRETED, CAUSE_CODE_INTERPRETED},
};

enum { REMOVAL_COUNT = sizeof(removals) / sizeof(removals[0]) };

/* What goes on inside one thing, whatever its causes, and would go with it. */
static const struct {
	const char *without, *inclusive;
	enum tile_inside inside;
} whole_removals[] = {
	{"loading classes, with everything inside it", "class_loading", INSIDE_CLASS_LOADING},
	{"initialising classes, with everything inside it", "class_init", INSIDE_CLASS_INIT},
	{"waiting for locks, with what their holders did", "lock", INSIDE_LOCK},
};

enum {
	WHOLE_REMOVAL_COUNT = sizeof(whole_removals) / sizeof(whole_removals[0]),
	ROW_COUNT = (int)WHOLE_REMOVAL_COUNT + (int)REMOVAL_COUNT,
};

_Static_assert((int)ROW_COUNT <= (int)WHAT_IF_ITEMS_MAX, "each row is a bit");

static uint32_t rows_of_tile(void *context, const struct tile *tile)
{
	uint32_t rows = 0;

	(void)context;
	for (size_t i = 0; i < WHOLE_REMOVAL_COUNT; i++)
		rows |= tile->inside & whole_removals[i].inside ? 1u << i : 0;
	for (size_t i = 0; i < REMOVAL_COUNT; i++)
		rows |= tile->cause >= removals[i].first && tile->cause <= removals[i].last
				? 1u << (WHOLE_REMOVAL_COUNT + i)
				: 0;
	return rows;
}

static int64_t inclusive_of(const struct report_request *request, const char *name)
{
	for (size_t i = 0; i < request->inclusive_count; i++) {
		if (strcmp(request->inclusive[i].name, name) == 0)
			return request->inclusive[i].value;
	}
	return 0;
}

/* What the path holds of a row. */
static int64_t on_path(const struct report_request *cold, size_t row)
{
	int64_t sum_ns = 0;

	if (row < WHOLE_REMOVAL_COUNT)
		return inclusive_of(cold, whole_removals[row].inclusive);
	for (int cause = removals[row - WHOLE_REMOVAL_COUNT].first;
	     cause <= (int)removals[row - WHOLE_REMOVAL_COUNT].last; cause++)
		sum_ns += cold->causes[cause];
	return sum_ns;
}

/* A row that the path holds something of is there also where leaving it out saves nothing: another wait is as long.
 */
void what_if_fill(const struct model *model, uint32_t request, struct report *report)
{
	const struct report_request *cold = report_request_of(report, request);
	struct report_what_if *rows = arena_array(&report->arena, struct report_what_if, ROW_COUNT);
	int64_t saved_ns[ROW_COUNT];

	what_if_saved(model, &model->requests.list.items[request], rows_of_tile, NULL, ROW_COUNT, saved_ns);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (saved_ns[i] > 0 || on_path(cold, i) > 0)
			rows[report->what_if_count++] = (struct report_what_if){
				i < WHOLE_REMOVAL_COUNT ? whole_removals[i].without
							: removals[i - WHOLE_REMOVAL_COUNT].without,
				cold->latency_ns - saved_ns[i]};
	}
	report->what_if = rows;
}
