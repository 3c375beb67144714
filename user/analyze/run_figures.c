#include "analyze/run_figures.h"

#include <string.h>

#include "analyze/path.h"
#include "analyze/phases.h"
#include "base/auto.h"

static const char *copy(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : "";
}

static struct maybe milestone(const struct report *report, const char *name)
{
	int64_t time_ns = report_milestone(report, name);

	return time_ns < 0 ? (struct maybe){.state = ABSENT} : (struct maybe){KNOWN, time_ns};
}

static const struct report_request *first_cold(const struct report *report)
{
	const struct report_request *first = NULL;

	for (size_t i = 0; i < report->requests_count; i++)
		if (report->requests[i].is_cold && (!first || report->requests[i].start_ns < first->start_ns))
			first = &report->requests[i];
	return first;
}

static void take_requests(const struct report *report, struct run_figures *figures)
{
	const struct report_request *first = first_cold(report);

	if (!first)
		return;
	figures->first_request_ns = (struct maybe){KNOWN, first->latency_ns};
	memcpy(figures->causes, first->causes, sizeof(figures->causes));
	for (size_t i = 0; i < report->cold_vs_warm_count; i++)
		if (strcmp(report->cold_vs_warm[i].route, first->route) == 0 &&
		    report->cold_vs_warm[i].warm_count > 0)
			figures->warm_ns = (struct maybe){KNOWN, report->cold_vs_warm[i].warm_ns};
}

/* A sum that lacks a part is not a sum. */
static void add_known(struct maybe *sum, struct maybe part, bool is_first)
{
	if (is_first)
		*sum = part;
	else if (sum->state == KNOWN && part.state == KNOWN)
		sum->value += part.value;
	else
		*sum = (struct maybe){.state = ABSENT};
}

static void take_phases(const struct report *report, struct run_figures *figures)
{
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *phase = &report->phases[i];

		add_known(&figures->cpu_ns, phase->cpu_ns, i == 0);
		for (int count = 0; count < COUNT_COUNT; count++)
			add_known(&figures->counts[count], phase->counts.of[count], i == 0);
	}
}

static void take_memory(const struct report *report, struct run_figures *figures)
{
	const struct report_memory *last = report->memory_count ? &report->memory[report->memory_count - 1] : NULL;

	for (size_t i = 0; i < report->memory_count; i++)
		if (figures->peak_rss.state != KNOWN || report->memory[i].rss > figures->peak_rss.value)
			figures->peak_rss = (struct maybe){KNOWN, report->memory[i].rss};
	for (size_t i = 0; last && i < last->by_kind_count; i++) {
		struct maybe *memory = &figures->memory[last->by_kind[i].kind];

		*memory = (struct maybe){KNOWN, memory->value + last->by_kind[i].rss};
	}
}

static void take_place(const struct report *report, struct arena *arena, struct run_figures *figures)
{
	figures->place = (struct run_place){
		.kernel = copy(arena, report->machine.kernel),
		.arch = copy(arena, report->machine.arch),
		.runtime = copy(arena, report->runtime.version.text),
		.gc = copy(arena, report->runtime.gc.text),
		.tool_version = copy(arena, report->tool_version),
		.cpus = report->machine.cpus,
		.cpu_quota = report->machine.cpu_quota,
		.memory_limit = report->machine.memory_limit,
	};
}

static void take_command(const struct report *report, struct arena *arena, struct run_figures *figures)
{
	const char **words = arena_array(arena, const char *, report->run.command_count + 1);

	for (size_t i = 0; i < report->run.command_count; i++)
		words[i] = copy(arena, report->run.command[i]);
	figures->command = words;
	figures->command_count = report->run.command_count;
}

/* The thread that became ready is followed back to exec, as a request's writer is to its arrival. */
static void take_startup(const struct model *model, struct run_figures *figures)
{
	struct request startup = {
		.connection = NO_INDEX, .writer = NO_INDEX, .read_event = NO_INDEX, .write_event = NO_INDEX};
	struct path_walker *walker;
	struct path path = {};
	bool is_estimated[CAUSE_COUNT];

	if (figures->ready_ns.state != KNOWN || figures->ready_ns.value <= 0)
		return;
	startup.arrival_ns = model->exec_ns;
	startup.end_ns = model->exec_ns + (uint64_t)figures->ready_ns.value;
	for vec_each(listener, &model->requests.listeners) {
		uint32_t event = listener->ready_ns == startup.end_ns	    ? listener->ready_event
				 : listener->listening_ns == startup.end_ns ? listener->listen_event
									    : NO_INDEX;

		if (event != NO_INDEX && startup.writer == NO_INDEX)
			startup.writer = model_thread_at(model, model->events[event]->tid, startup.end_ns);
	}
	if (startup.writer == NO_INDEX || !model->threads.has_schedule)
		return;
	walker = path_walker_new(model);
	path_walk(walker, &startup, &path);
	path_causes(&path, figures->startup_causes, is_estimated);
	figures->has_startup_causes = true;
	vec_done(&path.tiles);
	path_walker_free(walker);
}

/* Without the model: what the report says of its cache. */
static void take_cache(const struct report *report, struct arena *arena, struct run_figures *figures)
{
	const struct report_runtime *runtime = &report->runtime;

	figures->cache = (struct cache_use){.requested.state = NONE};
	if (runtime->aot_requested.state != KNOWN)
		return;
	figures->cache.requested = (struct maybe_text){KNOWN, copy(arena, runtime->aot_requested.text)};
	figures->cache.is_mapped = runtime->aot_mapped.state == KNOWN && runtime->aot_mapped.value;
	if (!figures->cache.is_mapped && runtime->aot_reason.state == KNOWN)
		figures->cache.reason = copy(arena, runtime->aot_reason.text);
}

void run_figures_make(const struct model *model, const struct report *report, const struct training *training,
		      struct arena *arena, struct run_figures *ret_figures)
{
	struct run_figures figures = {
		.ready_ns = milestone(report, "ready"),
		.first_response_ns = milestone(report, "first_response"),
		.wall_ns = {KNOWN, report->run.wall_ns},
		.lost_events = report->lost_events,
		.has_ended_itself = !report->run.exit_by_us && report->run.exit_kind != EXIT_KIND_RUNNING &&
				    (report->run.exit_kind == EXIT_KIND_SIGNAL || report->run.exit_code != 0),
	};

	for (size_t i = 0; i < report->findings_count; i++)
		figures.is_cache_stale |= strcmp(report->findings[i].id, "aot-cache-stale") == 0;
	take_requests(report, &figures);
	take_phases(report, &figures);
	take_memory(report, &figures);
	take_place(report, arena, &figures);
	take_command(report, arena, &figures);
	if (model) {
		take_startup(model, &figures);
		cache_use_find(model, report, arena, &figures.cache);
		/* Only a used cache has a coverage. */
		figures.has_coverage =
			figures.cache.is_mapped && coverage_find(model, report, training, arena, &figures.coverage);
	} else {
		take_cache(report, arena, &figures);
	}
	*ret_figures = figures;
}
