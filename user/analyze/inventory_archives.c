/* The archives that a JVM shares classes from: asked for, opened, mapped, or refused. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_sources.h"
#include "base/auto.h"

/* AOTMode=record and create make a cache: AOTCache names then what is written, not what is used. */
static const char *requested_cache(const struct model *model, uint32_t pid, struct arena *arena)
{
	const char *mode = jvm_option_value(model, pid, "AOTMode", arena);

	if (mode && (strcmp(mode, "record") == 0 || strcmp(mode, "create") == 0 || strcmp(mode, "off") == 0))
		return NULL;
	return jvm_option_value(model, pid, "AOTCache", arena);
}

struct refusing_option {
	const char *start, *reason;
};

static bool on_argument(void *context, const char *argument)
{
	/* What makes a JVM refuse a cache that was trained without it; found by experiment on 25. */
	static const struct refusing_option refusing[] = {
		{"-javaagent:", "a Java agent is loaded, which a cache trained without it does not allow"},
		{"-agentlib:jdwp", "a debugger is attached, which a cache does not allow"},
		{"-Xrunjdwp", "a debugger is attached, which a cache does not allow"},
		{"-XX:StartFlightRecording", "a flight recording is started, which a cache trained without it does not allow"},
		{"--add-opens", "--add-opens is given, which a cache does not allow"},
		{"--add-modules", "--add-modules is given, which a cache trained without it does not allow"},
	};
	const char **reason = context;

	for (size_t i = 0; i < array_length(refusing); i++) {
		if (strncmp(argument, refusing[i].start, strlen(refusing[i].start)) == 0) {
			*reason = refusing[i].reason;
			return true;
		}
	}
	return false;
}

/* A look-up or open of the path by the process that found nothing. */
static bool was_not_found(const struct model *model, uint32_t pid, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (uint32_t i = 0; i < model->event_count; i++) {
		const struct event_header *event = model->events[i];
		int64_t result = 0;
		const char *tried, *base;

		if (event->pid != pid)
			continue;
		if (event->kind == EVENT_FILE_OPEN)
			result = MODEL_EVENT(model, i, file_open)->result;
		else if (event->kind == EVENT_FILE_LOOKUP)
			result = MODEL_EVENT(model, i, file_lookup)->result;
		if (result >= 0)
			continue;
		tried = model_event_path(model, i);
		base = strrchr(tried, '/') ? strrchr(tried, '/') + 1 : tried;
		if (strcmp(base, name) == 0)
			return true;
	}
	return false;
}

/* The JVM's own word goes to its standard output, where there is any: this is what the recording shows. */
static const char *refusal_of(const struct inventory *inventory, const struct shared_archives *shared, uint32_t pid,
			      const char *requested)
{
	const struct model *model = inventory->model;
	const char *option = NULL;

	if (!shared->aot_file && was_not_found(model, pid, requested))
		return "the file was not found";
	if (!shared->aot_file)
		return "the JVM did not open it";
	jvm_each_argument(model, pid, on_argument, &option);
	if (option)
		return arena_format(&inventory->report->arena, "the JVM opened it and did not map it; %s", option);
	return "the JVM opened it and did not map it: something differs from the run that made it";
}

void inventory_archives(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report_runtime *runtime = &inventory->report->runtime;
	struct arena *arena = &inventory->report->arena;

	if (inventory->main_process == NO_INDEX || !model->threads.processes.items[inventory->main_process].is_jvm)
		return;

	uint32_t pid = model->threads.processes.items[inventory->main_process].pid;
	const struct shared_archives *shared = &inventory->sources->processes[inventory->main_process];
	const char *requested = requested_cache(model, pid, arena);
	const char *cds = model_file_path(model, shared->cds_file);

	runtime->cds_mapped = known(shared->is_cds_mapped);
	runtime->aot_mapped = known(shared->is_aot_mapped);
	runtime->cds_archive = (struct maybe_text){.state = NONE};
	runtime->aot_requested = runtime->aot_reason = runtime->cds_archive;
	if (shared->cds_file)
		runtime->cds_archive = (struct maybe_text){.state = KNOWN, .text = arena_copy(arena, cds, strlen(cds))};
	if (!requested)
		return;
	runtime->aot_requested = (struct maybe_text){.state = KNOWN, .text = requested};
	if (!shared->is_aot_mapped)
		runtime->aot_reason = (struct maybe_text){
			.state = KNOWN, .text = refusal_of(inventory, shared, pid, requested)};
}
