#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_class_tables.h"
#include "analyze/inventory_sources.h"
#include "base/auto.h"

enum { GROUPS_MOST = 80 }; /* of packages; jars and loaders are few */

struct groups {
	struct map places; /* key -> rows */
	VEC(struct report_class_group) rows;
};

static void groups_done(struct groups *groups)
{
	map_done(&groups->places);
	vec_done(&groups->rows);
}

static struct report_class_group *group_of(struct groups *groups, uint64_t key, bool *ret_is_new)
{
	uint64_t place = *map_set(&groups->places, key, groups->rows.count, ret_is_new);

	return *ret_is_new ? vec_push(&groups->rows) : &groups->rows.items[place];
}

static void add_class(struct report_class_group *group, enum phase phase, int64_t own_ns)
{
	group->classes++;
	group->duration_ns += own_ns;
	if (phase == PHASE_FIRST_REQUEST) {
		group->cold_classes++;
		group->cold_ns += own_ns;
	} else if (phase == PHASE_WARM) {
		group->warm_classes++;
		group->warm_ns += own_ns;
	}
}

static int compare_groups(const void *left, const void *right)
{
	const struct report_class_group *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	if (a->classes != b->classes)
		return a->classes > b->classes ? -1 : 1;
	return strcmp(a->name, b->name);
}

static const struct report_class_group *settle(struct groups *groups, size_t most, struct arena *arena,
					       size_t *ret_count)
{
	if (groups->rows.count)
		qsort(groups->rows.items, groups->rows.count, sizeof(*groups->rows.items), compare_groups);
	*ret_count = groups->rows.count < most ? groups->rows.count : most;
	for (size_t i = 0; i < *ret_count; i++) {
		struct report_class_group *row = &groups->rows.items[i];

		row->name = arena_copy(arena, row->name, strlen(row->name));
	}
	return (const void *)arena_copy(arena, groups->rows.items, *ret_count * sizeof(*groups->rows.items));
}

/* The package of a class ("" for none). What hidden classes have behind their name may hold a slash. */
static size_t package_length(const char *name)
{
	const char *hidden = strstr(name, "/0x"), *slash;
	size_t length = hidden ? (size_t)(hidden - name) : strlen(name);

	slash = memrchr(name, '/', length);
	return slash ? (size_t)(slash - name) : 0;
}

static void add_to_jar(const struct inventory *inventory, struct groups *jars, size_t index, enum phase phase,
		       int64_t own_ns)
{
	const struct model *model = inventory->model;
	const struct class_origin *origin = &inventory->sources->origins[index];
	bool has_table = origin->archive != NO_INDEX, is_new;
	uint64_t key =
		has_table ? (uint64_t)origin->archive << 32 | origin->inner : (uint64_t)NO_INDEX << 32 | origin->file;
	struct report_class_group *row;

	if (origin->source != CLASS_FROM_JAR)
		return;
	row = group_of(jars, key, &is_new);
	if (is_new)
		row->name = has_table ? archive_path(model, origin->archive, origin->inner, &inventory->report->arena)
				      : model_file_path(model, origin->file);
	add_class(row, phase, own_ns);
}

static void add_to_package(const struct inventory *inventory, struct groups *packages, const char *class_name,
			   enum phase phase, int64_t own_ns)
{
	struct arena *arena = &inventory->report->arena;
	size_t length = package_length(class_name);
	bool is_new;
	struct report_class_group *row = group_of(packages, hash_bytes(class_name, length), &is_new);

	if (is_new)
		row->name = length ? class_name_dotted(arena, arena_copy(arena, class_name, length)) : "(no package)";
	add_class(row, phase, own_ns);
}

void class_groups_list(const struct inventory *inventory, const struct class_loads *loads, const char **loaders)
{
	const struct model *model = inventory->model;
	struct report_classes *classes = &inventory->report->classes;
	struct arena *arena = &inventory->report->arena;
	struct groups jars auto_done(groups_done) = {}, packages auto_done(groups_done) = {},
			   by_loader auto_done(groups_done) = {};

	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		enum phase phase = phase_of_time(inventory->report, model, class->loaded_ns);
		bool is_new;
		struct report_class_group *row =
			group_of(&by_loader, hash_bytes(loaders[i], strlen(loaders[i])), &is_new);

		if (is_new)
			row->name = *loaders[i] ? loaders[i] : "(not known)";
		add_class(row, phase, loads->own_ns[i]);
		add_to_jar(inventory, &jars, i, phase, loads->own_ns[i]);
		add_to_package(inventory, &packages, model_text(model, class->name), phase, loads->own_ns[i]);
	}
	classes->by_jar = settle(&jars, SIZE_MAX, arena, &classes->by_jar_count);
	classes->by_package = settle(&packages, GROUPS_MOST, arena, &classes->by_package_count);
	classes->by_loader = settle(&by_loader, SIZE_MAX, arena, &classes->by_loader_count);
}
