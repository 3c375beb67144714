/* The archives that a JVM shares classes from: asked for, opened, mapped, or refused. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/cache_use.h"
#include "analyze/inventory_sources.h"
#include "base/auto.h"

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
		{"-XX:StartFlightRecording",
		 "a flight recording is started, which a cache trained without it does not allow"},
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

/* The JVM's own word goes to its standard output, where there is any: this is what the recording shows. */
static const char *refusal_of(const struct inventory *inventory, const struct cache_use *use, uint32_t pid)
{
	const char *option = NULL;

	if (!use->was_opened)
		return use->reason;
	jvm_each_argument(inventory->model, pid, on_argument, &option);
	return arena_format(&inventory->report->arena, "%s%s %s", use->reason, option ? ";" : ":",
			    option ? option : "something differs from the run that made it");
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
	struct cache_use use;
	const char *cds = shared->cds_file ? model_file_path(model, shared->cds_file) : shared->cds_path;

	cache_use_find(model, inventory->report, arena, &use);
	runtime->cds_mapped = known(shared->is_cds_mapped);
	runtime->aot_mapped = known(shared->is_aot_mapped);
	runtime->cds_archive = (struct maybe_text){.state = NONE};
	runtime->aot_requested = runtime->aot_reason = runtime->cds_archive;
	if (shared->cds_file || shared->cds_path)
		runtime->cds_archive =
			(struct maybe_text){.state = KNOWN, .text = arena_copy(arena, cds, strlen(cds))};
	if (use.requested.state != KNOWN || use.is_archive)
		return;
	runtime->aot_requested = use.requested;
	runtime->aot_mapped = known(use.is_mapped);
	if (!use.is_mapped)
		runtime->aot_reason = (struct maybe_text){.state = KNOWN, .text = refusal_of(inventory, &use, pid)};
}
