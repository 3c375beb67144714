#include "analyze/inventory_internal.h"

#include <stdlib.h>

#define M(NAME, name, words)                                                                                         \
	_Static_assert((int)MAPPING_##NAME == (int)REGION_##NAME,                                                    \
		       "mapping kinds and the model's regions are one list");
MAPPING_KIND_TABLE(M)
#undef M

static int compare_kinds(const void *left, const void *right)
{
	const struct report_fault_kind *a = left, *b = right;

	if (a->duration_ns.value != b->duration_ns.value)
		return a->duration_ns.value > b->duration_ns.value ? -1 : 1;
	if (a->minor + a->major != b->minor + b->major)
		return a->minor + a->major > b->minor + b->major ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

void inventory_faults(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report_fault_kind kinds[MAPPING_KIND_COUNT] = {};
	bool has_durations = is_observed(model, "fault_duration");
	int64_t minor = 0, major = 0, duration_ns = 0;
	VEC(struct report_fault_kind) rows = {};

	if (!is_observed(model, "page_faults"))
		return;
	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		const struct event_fault *fault = MODEL_EVENT(model, model->mappings.faults.items[i], fault);
		struct report_fault_kind *kind = &kinds[model->mappings.fault_kinds.items[i]];

		if (fault->is_major)
			kind->major++;
		else
			kind->minor++;
		kind->duration_ns.value += (int64_t)fault->duration_ns;
	}
	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++) {
		kinds[kind].kind = (enum mapping_kind)kind;
		kinds[kind].duration_ns.state = has_durations ? KNOWN : ABSENT;
		minor += kinds[kind].minor;
		major += kinds[kind].major;
		duration_ns += kinds[kind].duration_ns.value;
		if (kinds[kind].minor || kinds[kind].major)
			*vec_push(&rows) = kinds[kind];
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_kinds);
	inventory->report->faults.minor = known(minor);
	inventory->report->faults.major = known(major);
	if (has_durations)
		inventory->report->faults.duration_ns = known(duration_ns);
	inventory->report->faults.by_mapping_count = rows.count;
	inventory->report->faults.by_mapping =
		(const void *)arena_copy(&inventory->report->arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
}
