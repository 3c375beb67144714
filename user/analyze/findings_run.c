/* Findings about the run as a whole: lost events, threads that come at once, agents. */
#include "analyze/findings_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* ---- lost-events ---- */

bool finding_lost_events(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report *report = context->report;
	const char *kinds = "";

	if (report->lost_events == 0)
		return false;
	for (size_t i = 0; i < report->losses_by_kind_count; i++)
		kinds = arena_format(context->arena, "%s%s%s %s", kinds, i ? ", " : "",
				     fmt_count(report->losses_by_kind[i].value).text, report->losses_by_kind[i].name);
	finding_evidence(draft, "%s of %s events could not be recorded: %s.", fmt_count(report->lost_events).text,
			 fmt_count(report->lost_events + report->events_total).text, kinds);
	finding_evidence(draft, "Counts, lists and times that rest on these kinds are lower bounds, and what they "
				"would have explained "
				"may stand under \"not explained\".");
	finding_remedy(draft, "Record again with a larger ring: warmtrace --buffer 256M ... -- %s",
		       launch_text(&context->launch, context->arena));
	return true;
}

/* ---- thread-burst ---- */

/* "http-nio-8080-exec-" for "http-nio-8080-exec-12": threads of one pool differ by their number. */
static size_t pool_length(const char *name)
{
	size_t length = strlen(name);

	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length;
}

struct pool {
	const char *name;
	int64_t threads;
};

static int compare_pools(const void *left, const void *right)
{
	const struct pool *a = left, *b = right;

	if (a->threads != b->threads)
		return a->threads > b->threads ? -1 : 1;
	return strcmp(a->name, b->name);
}

static const char *new_pools(const struct finding_context *context)
{
	enum { NAMED_MOST = 3 };
	const struct model *model = context->model;
	struct map by_name auto_done(map_done) = {};
	VEC(struct pool) list = {};
	const char *text = "";

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const struct thread *thread = &model->threads.list.items[i];
		const char *name = model_thread_name(model, i, model->end_ns);
		bool is_new;
		uint64_t *place;

		if (thread->pid != context->report->run.main_pid ||
		    thread->created_ns < finding_cold_start(context) ||
		    thread->created_ns >= finding_cold_end(context))
			continue;
		place = map_set(&by_name, hash_bytes(name, pool_length(name)), list.count, &is_new);
		if (is_new)
			vec_push(&list)->name = arena_format(context->arena, "%.*s*", (int)pool_length(name), name);
		list.items[*place].threads++;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), compare_pools);
	for (size_t i = 0; i < list.count && i < NAMED_MOST; i++)
		text = arena_format(context->arena, "%s%s%s named %s", text, i ? ", " : "",
				    fmt_count(list.items[i].threads).text, list.items[i].name);
	vec_done(&list);
	return text;
}

bool finding_thread_burst(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t threads = context->cold ? finding_count(&context->cold->counts, COUNT_THREADS_STARTED) : 0;
	const char *pools;

	if (threads < LIMIT_THREADS)
		return false;
	pools = new_pools(context);
	finding_evidence(draft, "While the first %s was served, %s threads were started%s%s.", context->cold->route,
			 fmt_count(threads).text, *pools ? ": " : "", pools);
	finding_evidence(draft, "What that costs the request is in its path where it waited for them; no price is "
				"claimed beyond that.");
	finding_remedy(draft, "Start the pool's threads with the service (prestartAllCoreThreads, a minimum size), "
			      "or give it a smaller "
			      "bound.");
	return true;
}

/* ---- debug-agent-present ---- */

struct agents {
	VEC(const char *) list;
	struct arena *arena;
};

static bool on_argument(void *context, const char *argument)
{
	static const char *const starts[] = {"-agentlib:", "-agentpath:", "-javaagent:", "-Xrunjdwp",
					     "-XX:StartFlightRecording"};
	struct agents *agents = context;

	for (size_t i = 0; i < array_length(starts); i++) {
		bool is_known = false;

		if (strncmp(argument, starts[i], strlen(starts[i])) != 0)
			continue;
		for vec_each(known_agent, &agents->list)
			is_known |= strcmp(*known_agent, argument) == 0;
		if (!is_known)
			*vec_push(&agents->list) = arena_copy(agents->arena, argument, strlen(argument));
	}
	return false;
}

static size_t argument_index(const struct launch *launch, const char *argument)
{
	for (size_t i = 0; i < launch->count; i++) {
		if (strcmp(launch->arguments[i], argument) == 0)
			return i;
	}
	return launch->count;
}

bool finding_debug_agent_present(const struct finding_context *context, struct finding_draft *draft)
{
	struct agents agents = {.arena = context->arena};
	const struct report_classes *classes = &context->report->classes;
	size_t index;

	jvm_each_argument(context->model, context->report->run.main_pid, on_argument, &agents);
	if (agents.list.count == 0)
		return false;
	for vec_each(agent, &agents.list)
		finding_evidence(draft, "The JVM was started with %s.", *agent);
	if (classes->loaded.state == KNOWN && classes->from_cds.state == KNOWN)
		finding_evidence(draft,
				 "%s of %s classes came from a shared archive; agents that change classes or debug "
				 "can keep the JVM "
				 "from using one, and have classes of their own.",
				 fmt_count(classes->from_cds.value + classes->from_aot.value).text,
				 fmt_count(classes->loaded.value).text);
	finding_evidence(draft, "What it costs is not told apart from the program's own work: no price is claimed.");
	index = argument_index(&context->launch, agents.list.items[0]);
	if (index < context->launch.count)
		finding_remedy(draft, "Measure without it: %s",
			       launch_text_without(&context->launch, index, context->arena));
	else
		finding_remedy(draft, "Measure without it: it comes from a variable (JAVA_TOOL_OPTIONS, "
				      "JDK_JAVA_OPTIONS) or an options file.");
	vec_done(&agents.list);
	return true;
}
