#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_class_tables.h"
#include "base/auto.h"

enum { INITIALIZERS_MOST = 50, GENERATED_MOST = 50, NOT_FOUND_MOST = 120 };

/* ---- static initialisers ---- */

static int compare_initializers(const void *left, const void *right)
{
	const struct report_initializer *a = left, *b = right;

	if (a->own_ns != b->own_ns)
		return a->own_ns > b->own_ns ? -1 : 1;
	return strcmp(a->class_name, b->class_name);
}

/* The initialiser around a span, or NO_INDEX. */
static uint32_t initializer_around(const struct model *model, uint32_t thread, const struct span *span)
{
	return model_span_within(model, thread, span->parent, SPAN_CLASS_INIT);
}

static void list_initializers(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct arena *arena = &report->arena;
	VEC(struct report_initializer) rows = {};

	for (uint32_t thread = 0; thread < model->threads.list.count; thread++) {
		const struct spans *spans = &model->threads.list.items[thread].spans;
		struct arena scratch auto_done(arena_done) = {};
		int64_t *inner_ns = arena_array(&scratch, int64_t, spans->count);

		for (uint32_t i = 0; i < spans->count; i++) {
			const struct span *span = &spans->items[i];
			uint32_t outer =
				span->kind == SPAN_CLASS_INIT ? initializer_around(model, thread, span) : NO_INDEX;

			if (outer != NO_INDEX)
				inner_ns[outer] += (int64_t)(span->end_ns - span->start_ns);
		}
		for (uint32_t i = 0; i < spans->count; i++) {
			const struct span *span = &spans->items[i];
			const char *name = model_thread_name(model, thread, span->start_ns);

			if (span->kind != SPAN_CLASS_INIT)
				continue;
			*vec_push(&rows) = (struct report_initializer){
				.class_name = model_text(model, span->name),
				.thread = arena_copy(arena, name, strlen(name)),
				.phase = phase_of_time(report, model, span->start_ns),
				.duration_ns = (int64_t)(span->end_ns - span->start_ns),
				.own_ns = (int64_t)(span->end_ns - span->start_ns) - inner_ns[i],
			};
		}
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_initializers);
	if (rows.count > INITIALIZERS_MOST)
		rows.count = INITIALIZERS_MOST;
	for vec_each(row, &rows)
		row->class_name = class_name_dotted(arena, row->class_name);
	report->classes.initializers_count = rows.count;
	report->classes.initializers = (const void *)arena_copy(arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
}

/* ---- generated classes ---- */

static const char *generated_kind(const char *name)
{
	static const struct {
		const char *part, *kind;
	} kinds[] = {
		{"$$Lambda", "lambda"},
		{"LambdaForm$", "method handle"},
		{"BoundMethodHandle$Species_", "method handle"},
		{"InjectedInvoker", "method handle"},
		{"GeneratedMethodAccessor", "reflection"},
		{"GeneratedConstructorAccessor", "reflection"},
		{"GeneratedSerializationConstructorAccessor", "reflection"},
		{"DirectMethodHandleAccessor", "reflection"},
		{"CGLIB$$", "CGLIB"},
		{"$$EnhancerBy", "CGLIB"},
		{"$$FastClassBy", "CGLIB"},
		{"$$KeyFactoryBy", "CGLIB"},
		{"$$SpringCGLIB", "CGLIB"},
		{"ByteBuddy$", "Byte Buddy"},
		{"$Hibernate", "Byte Buddy"},
		{"$MockitoMock$", "Byte Buddy"},
		{"javassist", "Javassist"},
		{"_$$_jvst", "Javassist"},
		{"$Proxy", "proxy"},
	};

	for (size_t i = 0; i < array_length(kinds); i++) {
		if (strstr(name, kinds[i].part))
			return kinds[i].kind;
	}
	return class_is_hidden(name) ? "hidden" : "other";
}

static int compare_generated(const void *left, const void *right)
{
	const struct report_generated_class *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return strcmp(a->class_name, b->class_name);
}

/* The class generated at run time that a span works on: a string id, 0 none. A parsed class has not got its address
 * yet: it is known by the end of its parsing, at which it was told to be loaded. */
static void list_generated(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct map by_name auto_done(map_done) = {};
	VEC(struct report_generated_class) rows = {};

	for (uint32_t thread = 0; thread < model->threads.list.count; thread++) {
		for vec_each(span, &model->threads.list.items[thread].spans) {
			const char *name = model_text(model, span->name);
			bool is_new;
			uint64_t place;

			if ((span->kind != SPAN_CLASS_PARSE && span->kind != SPAN_CLASS_LINK &&
			     span->kind != SPAN_CLASS_INIT) ||
			    !class_name_is_generated(name))
				continue;
			place = *map_set(&by_name, span->name, rows.count, &is_new);
			if (is_new)
				*vec_push(&rows) = (struct report_generated_class){
					.class_name = name,
					.phase = phase_of_time(report, model, span->start_ns)};
			rows.items[place].duration_ns += (int64_t)(span->end_ns - span->start_ns);
		}
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_generated);
	if (rows.count > GENERATED_MOST)
		rows.count = GENERATED_MOST;
	for vec_each(row, &rows) {
		row->kind = generated_kind(row->class_name);
		row->class_name = class_name_dotted(&report->arena, row->class_name);
	}
	report->classes.generated_count = rows.count;
	report->classes.generated =
		(const void *)arena_copy(&report->arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
}

/* ---- classes that nobody found ---- */

static int compare_not_found(const void *left, const void *right)
{
	const struct report_class_not_found *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->class_name, b->class_name);
}

static int64_t request_length(const struct model *model, const struct class_request *request)
{
	const struct event_header *event = model->events[request->event];
	uint32_t thread = model_thread_at(model, event->tid, event->time_ns);
	uint32_t span = thread == NO_INDEX ? NO_INDEX : model_span_at(model, thread, event->time_ns, NULL);

	span = model_span_within(model, thread, span, SPAN_CLASS_LOAD);
	if (span == NO_INDEX)
		return 0;

	const struct span *found = &model->threads.list.items[thread].spans.items[span];

	return found->event == request->event ? (int64_t)(found->end_ns - found->start_ns) : 0;
}

static void list_not_found(const struct inventory *inventory, const struct class_askers *askers)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct map places auto_done(map_done) = {}, loaded auto_done(map_done) = {};
	VEC(struct report_class_not_found) rows = {};

	for vec_each(class, &model->jvm.classes) {
		const char *name = model_text(model, class->name);

		map_set(&loaded, hash_bytes(name, strlen(name)), 1, NULL);
	}
	for vec_each(request, &askers->requests) {
		const struct event_class_load *event = MODEL_EVENT(model, request->event, class_load);
		size_t length;
		const char *name = MODEL_TAIL(event, &length);
		uint64_t key = hash_bytes(name, length), place;
		bool is_new;

		if (length == 0 || map_find(&loaded, key))
			continue;
		place = *map_set(&places, key, rows.count, &is_new);
		if (is_new)
			*vec_push(&rows) = (struct report_class_not_found){
				.class_name = arena_copy(&report->arena, name, length),
				.phase = phase_of_time(report, model, event->header.time_ns),
				.requested_by = class_asker_frame(model, &request->asker, &report->arena)};
		rows.items[place].count++;
		rows.items[place].duration_ns += request_length(model, request);
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_not_found);
	if (rows.count > NOT_FOUND_MOST)
		rows.count = NOT_FOUND_MOST;
	for vec_each(row, &rows)
		row->class_name = class_name_dotted(&report->arena, row->class_name);
	report->classes.not_found_count = rows.count;
	report->classes.not_found =
		(const void *)arena_copy(&report->arena, rows.items, rows.count * sizeof(*rows.items));
	vec_done(&rows);
}

void class_work_list(const struct inventory *inventory, const struct class_askers *askers)
{
	list_initializers(inventory);
	list_generated(inventory);
	list_not_found(inventory, askers);
}
