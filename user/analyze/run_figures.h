/* What a comparison keeps of one run: a fixed set of figures and a few texts, so that neither the report nor its
 * model has to stay. */
#pragma once

#include "analyze/cache_use.h"
#include "analyze/coverage.h"
#include "analyze/report.h"
#include "base/arena.h"

struct model;

/* Where and with what a run was made. Texts are never NULL; "" is not known. */
struct run_place {
	const char *kernel, *arch, *runtime, *gc, *tool_version;
	int64_t cpus;
	struct maybe_real cpu_quota;
	struct maybe memory_limit;
};

struct run_figures {
	/* first_request: the first cold request to arrive; warm: the warm baseline of its route. */
	struct maybe first_request_ns, ready_ns, first_response_ns, warm_ns, wall_ns, peak_rss, cpu_ns;
	struct maybe counts[COUNT_COUNT];	 /* of the whole run */
	struct maybe memory[MAPPING_KIND_COUNT]; /* resident, in the last snapshot */
	int64_t causes[CAUSE_COUNT];		 /* of the first request, where there is one */
	bool has_startup_causes;
	int64_t startup_causes[CAUSE_COUNT]; /* on the critical path from exec to ready */
	int64_t lost_events;
	const char *const *command;
	size_t command_count;
	struct run_place place;
	bool has_ended_itself; /* with a status other than 0 */
	struct cache_use cache;
	bool is_cache_stale; /* the finding aot-cache-stale: it was used, and older than a jar */
	bool has_coverage;
	struct coverage coverage;
};

/* `model` NULL: only what the report holds. `training`: what is known of the run that made the cache, or NULL. All
 * texts are copied into `arena`. */
void run_figures_make(const struct model *model, const struct report *report, const struct training *training,
		      struct arena *arena, struct run_figures *ret_figures);
