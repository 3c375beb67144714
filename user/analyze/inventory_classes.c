#include "analyze/inventory_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/class_askers.h"
#include "analyze/inventory_class_tables.h"
#include "analyze/inventory_loads.h"
#include "analyze/inventory_sources.h"
#include "base/auto.h"

enum { SLOWEST_MOST = 100 }; /* the JSON's list; who wants all of them exports the trace */

/* ---- what each load took, nested loads counted once ---- */

static uint64_t span_key(uint32_t thread, uint32_t span)
{
	return (uint64_t)thread << 32 | span;
}

static int64_t span_length(const struct model *model, const struct loaded_class *class)
{
	const struct span *span = &model->threads.list.items[class->thread].spans.items[class->span];

	return (int64_t)(span->end_ns - span->start_ns);
}

void class_loads_build(const struct model *model, struct class_loads *ret_loads)
{
	size_t count = model->jvm.classes.count;
	struct map by_span auto_done(map_done) = {};

	*ret_loads = (struct class_loads){};
	ret_loads->inclusive_ns = arena_array(&ret_loads->arena, int64_t, count);
	ret_loads->own_ns = arena_array(&ret_loads->arena, int64_t, count);
	for (size_t i = 0; i < count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];

		ret_loads->inclusive_ns[i] = class->span == NO_INDEX ? -1 : span_length(model, class);
		ret_loads->own_ns[i] = class->span == NO_INDEX ? 0 : ret_loads->inclusive_ns[i];
		if (class->span != NO_INDEX)
			map_set(&by_span, span_key(class->thread, class->span), i, NULL);
	}
	for (size_t i = 0; i < count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];

		if (class->span == NO_INDEX)
			continue;

		const struct spans *spans = &model->threads.list.items[class->thread].spans;
		uint64_t *outer = NULL;

		for (uint32_t span = spans->items[class->span].parent; span != NO_INDEX && !outer;
		     span = spans->items[span].parent)
			outer = map_find(&by_span, span_key(class->thread, span));
		if (outer)
			ret_loads->own_ns[*outer] -= ret_loads->inclusive_ns[i];
	}
}

void class_loads_done(struct class_loads *loads)
{
	arena_done(&loads->arena);
}

/* ---- loaders ---- */

/* The loader at work is on the stack of the request for a class: the outermost of the frames that search. Those of
 * the JDK's own base class say nothing about which loader it is. */
static const char *loader_in_stack(const struct model *model, uint64_t stack_id, struct arena *arena)
{
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count = stack_lines(model, stack_id, lines, FRAME_LINES_MAX);
	const char *found = NULL;
	uint32_t first = 0;

	while (first < count && !frame_is_loader(&lines[first]))
		first++;
	for (uint32_t i = first; i < count && frame_is_loader(&lines[i]); i++) {
		if (strcmp(lines[i].class_name, "java/lang/ClassLoader") != 0)
			found = lines[i].class_name;
	}
	return found ? class_name_dotted(arena, found) : NULL;
}

/* The stacks that show the loader of a class at work: of a request for the class, and of an exception that its parent
 * threw while it was asked for. */
static uint64_t stack_of_span(const struct model *model, const struct loaded_class *class, const struct span *span)
{
	const struct spans *spans = &model->threads.list.items[class->thread].spans;
	uint32_t load;

	if (span->kind == SPAN_CLASS_LOAD && span->name == class->name)
		return MODEL_EVENT(model, span->event, class_load)->stack_id;
	if (span->kind != SPAN_EXCEPTION)
		return 0;
	load = model_span_within(model, class->thread, span->parent, SPAN_CLASS_LOAD);
	return load != NO_INDEX && spans->items[load].name == class->name
		       ? MODEL_EVENT(model, span->event, exception)->stack_id
		       : 0;
}

static const char *name_by_load(const struct model *model, const struct loaded_class *class, struct arena *arena)
{
	const struct spans *spans = &model->threads.list.items[class->thread].spans;

	for (uint32_t i = class->span; i < spans->count && spans->items[i].start_ns <= class->loaded_ns; i++) {
		uint64_t stack_id = stack_of_span(model, class, &spans->items[i]);
		const char *name = stack_id ? loader_in_stack(model, stack_id, arena) : NULL;

		if (name)
			return name;
	}
	return NULL;
}

/* What the recorder read of the loader that has this address. */
static const char *name_by_record(const struct inventory *inventory, uint32_t pid, uint64_t loader)
{
	char key[64];
	const char *name;

	snprintf(key, sizeof(key), "loader.%u.%lx", pid, (unsigned long)loader);
	name = model_run_text(inventory->model, key, NULL);
	return name && *name ? class_name_dotted(&inventory->report->arena, name) : NULL;
}

/* A loader is an address in the events. Where the recorder could not name it, one stack that shows it names it for all its
 * classes. */
static void name_loaders(const struct inventory *inventory, const char **ret_names)
{
	const struct model *model = inventory->model;
	struct map by_loader auto_done(map_done) = {};
	VEC(const char *) names = {};

	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		uint32_t process = model->threads.list.items[class->thread].process;
		bool is_new;
		uint64_t *place;

		if (class->loader == 0)
			continue;
		place = map_set(&by_loader, class->loader, names.count, &is_new);
		if (is_new)
			*vec_push(&names) = class->loader == inventory->sources->processes[process].boot_loader
						    ? "boot"
						    : name_by_record(inventory, model->threads.processes.items[process].pid,
								     class->loader);
		if (!names.items[*place] && class->span != NO_INDEX)
			names.items[*place] = name_by_load(model, class, &inventory->report->arena);
	}
	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		uint64_t *place = map_find(&by_loader, model->jvm.classes.items[i].loader);

		ret_names[i] = place && names.items[*place] ? names.items[*place] : "";
	}
	vec_done(&names);
}

/* ---- the tables ---- */

static void count_sources(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report_classes *classes = &inventory->report->classes;
	int64_t counts[CLASS_SOURCE_COUNT] = {};

	for (size_t i = 0; i < model->jvm.classes.count; i++)
		counts[inventory->sources->origins[i].source]++;
	classes->loaded = known((int64_t)model->jvm.classes.count);
	classes->from_cds = known(counts[CLASS_FROM_CDS]);
	classes->from_aot = known(counts[CLASS_FROM_AOT]);
	classes->from_jar = known(counts[CLASS_FROM_JAR]);
	classes->from_jrt = known(counts[CLASS_FROM_JRT]);
	classes->from_directory = known(counts[CLASS_FROM_DIRECTORY]);
	classes->from_generated = known(counts[CLASS_FROM_GENERATED]);
	classes->from_other = known(counts[CLASS_FROM_OTHER]);
}

static int compare_slowest(const void *left, const void *right)
{
	const struct report_class *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return strcmp(a->class_name, b->class_name);
}

static void list_slowest(const struct inventory *inventory, const struct class_loads *loads, const char **loaders,
			 const struct class_askers *askers)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	VEC(struct report_class) rows = {};

	/* Names are made for those that stay in the list: the index is kept in their place until then. */
	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];

		if (loads->inclusive_ns[i] < 0)
			continue;
		*vec_push(&rows) = (struct report_class){
			.class_name = model_text(model, class->name),
			.phase = phase_of_time(report, model, class->loaded_ns),
			.source = (const char *)&inventory->sources->origins[i],
			.loader = loaders[i],
			.duration_ns = loads->inclusive_ns[i],
			.loader_chain = (const void *)&askers->items[i],
		};
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_slowest);
	if (rows.count > SLOWEST_MOST)
		rows.count = SLOWEST_MOST;
	for vec_each(row, &rows) {
		row->class_name = class_name_dotted(&report->arena, row->class_name);
		row->source = origin_text(model, (const void *)row->source, &report->arena);
		class_asker_words(model, (const void *)row->loader_chain, &report->arena, row);
	}
	report->classes.slowest_count = rows.count;
	report->classes.slowest =
		(const void *)arena_copy(&report->arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
}

void inventory_classes(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct class_loads loads auto_done(class_loads_done) = {};
	struct class_askers askers auto_done(class_askers_done) = {};
	struct arena scratch auto_done(arena_done) = {};
	const char **loaders;

	if (!inventory->has_jvm || !is_observed(model, "class_loading"))
		return;
	loaders = arena_array(&scratch, const char *, model->jvm.classes.count);
	class_loads_build(model, &loads);
	name_loaders(inventory, loaders);
	count_sources(inventory);
	class_askers_build(model, &askers);
	list_slowest(inventory, &loads, loaders, &askers);
	class_groups_list(inventory, &loads, loaders);
	class_work_list(inventory, &askers);
}
