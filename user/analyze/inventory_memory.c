#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "model/snapshots.h"

struct kind_sums {
	struct report_memory_kind kinds[MAPPING_KIND_COUNT];
	int64_t rss, pss;
};

static void on_line(void *context, const struct memory_line *line)
{
	struct kind_sums *sums = context;
	struct report_memory_kind *kind = &sums->kinds[line->kind];
	int64_t size = (int64_t)(line->end - line->start);

	kind->reserved += size;
	kind->committed += line->is_accessible ? size : 0;
	kind->rss += (int64_t)line->rss_bytes;
	kind->huge += (int64_t)line->huge_bytes;
	sums->rss += (int64_t)line->rss_bytes;
	sums->pss += (int64_t)line->pss_bytes;
}

static const struct proc_text *last_smaps(const struct model *model, uint32_t pid, enum moment moment)
{
	const struct proc_text *found = NULL;

	for vec_each(text, &model->texts.proc) {
		if (text->file == PROC_FILE_SMAPS && text->moment == moment && text->pid == pid)
			found = text;
	}
	return found;
}

static void fill_moment(const struct inventory *inventory, const struct proc_text *smaps, const char *at,
			struct report_memory *row)
{
	struct arena *arena = &inventory->report->arena;
	struct report_memory_kind *kinds = arena_array(arena, struct report_memory_kind, MAPPING_KIND_COUNT);
	struct kind_sums sums = {};
	struct cgroup_memory cgroup;

	model_memory_lines(inventory->model, smaps, on_line, &sums);
	*row = (struct report_memory){.at = at, .rss = sums.rss, .pss = sums.pss, .by_kind = kinds};
	row->cgroup_current.state = NONE;
	if (model_cgroup_memory(inventory->model, smaps->moment, &cgroup) && cgroup.current_bytes != SNAPSHOT_UNKNOWN)
		row->cgroup_current = known((int64_t)cgroup.current_bytes);
	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++) {
		if (sums.kinds[kind].reserved == 0)
			continue;
		sums.kinds[kind].kind = (enum mapping_kind)kind;
		kinds[row->by_kind_count++] = sums.kinds[kind];
	}
}

void inventory_memory(const struct inventory *inventory)
{
	static const struct {
		enum moment moment;
		const char *at;
	} moments[] = {
		{MOMENT_READY, "ready"},
		{MOMENT_FIRST_REQUEST, "first_request"},
		{MOMENT_WARM, "warm"},
		{MOMENT_EXIT, "exit"},
	};
	const struct model *model = inventory->model;
	VEC(struct report_memory) rows = {};

	if (inventory->main_process == NO_INDEX || !is_observed(model, "memory"))
		return;
	for (size_t i = 0; i < array_length(moments); i++) {
		uint32_t pid = model->threads.processes.items[inventory->main_process].pid;
		const struct proc_text *smaps = last_smaps(model, pid, moments[i].moment);

		if (smaps)
			fill_moment(inventory, smaps, moments[i].at, vec_push(&rows));
	}
	inventory_put(inventory, memory, &rows);
}
