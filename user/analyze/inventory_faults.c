#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

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

static int compare_files(const void *left, const void *right)
{
	const struct report_fault_file *a = left, *b = right;
	int order;

	if (a->duration_ns.value != b->duration_ns.value)
		return a->duration_ns.value > b->duration_ns.value ? -1 : 1;
	if (a->minor + a->major != b->minor + b->major)
		return a->minor + a->major > b->minor + b->major ? -1 : 1;
	order = strcmp(a->path, b->path);
	return order ? order : strcmp(a->part, b->part);
}

static void fill_files(const struct inventory *inventory, bool has_durations)
{
	const struct model *model = inventory->model;
	struct report_faults *faults = &inventory->report->faults;
	struct arena *arena = &inventory->report->arena;
	struct map by_part auto_done(map_done) = {};
	VEC(struct report_fault_file) rows = {};

	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		const struct event_fault *fault = MODEL_EVENT(model, model->mappings.faults.items[i], fault);
		uint32_t file = model->mappings.fault_files.items[i];
		uint8_t part = model->mappings.fault_parts.items[i];
		const char *path = model_file_path(model, file);
		bool is_new;
		uint64_t *place;

		if (file == 0)
			continue;
		place = map_set(&by_part, (uint64_t)file << 8 | part, rows.count, &is_new);
		if (is_new)
			*vec_push(&rows) = (struct report_fault_file){
				.path = *path ? arena_copy(arena, path, strlen(path)) : "(the path could not be read)",
				.kind = (enum mapping_kind)model->mappings.fault_kinds.items[i],
				.part = model_part_name((enum mapping_part)part),
				.duration_ns = {.state = has_durations ? KNOWN : ABSENT},
			};

		struct report_fault_file *row = &rows.items[*place];

		row->major += fault->is_major != 0;
		row->minor += fault->is_major == 0;
		row->duration_ns.value += (int64_t)fault->duration_ns;
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_files);
	faults->by_file_count = rows.count;
	faults->by_file = (const void *)arena_copy(arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
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
	fill_files(inventory, has_durations);
}
