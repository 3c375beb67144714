/* What the JVM did within requests: compilations, the state of their methods; and pauses and threads in sum. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

enum { COMPILATIONS_MOST = 60, METHODS_MOST = 30 };

static bool is_of_requests(enum phase phase)
{
	return phase == PHASE_FIRST_REQUEST || phase == PHASE_WARM;
}

/* ---- compilations ---- */

static const char *next_part(const char **at, const char *end)
{
	const char *text = *at < end ? *at : "";

	if (*at < end)
		*at += strlen(*at) + 1;
	return text;
}

static int compare_compilations(const void *left, const void *right)
{
	const struct report_compilation *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void list_compilations(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	VEC(struct report_compilation) rows = {};

	for vec_each(compilation, &model->jvm.compilations) {
		enum phase phase = phase_of_time(report, model, compilation->start_ns);
		const struct event_compile *begin;
	const char *at, *end, *class_name, *method;
		size_t length;

		if (!compilation->end_ns || !is_of_requests(phase))
			continue;
		begin = MODEL_EVENT(model, compilation->begin_event, compile);
	at = MODEL_TAIL(begin, &length);
		end = at + length;

		struct report_compilation *row = vec_push(&rows);

		row->compiler = next_part(&at, end);
		class_name = next_part(&at, end);
		method = next_part(&at, end);
		row->signature = next_part(&at, end);
		row->method = arena_format(&report->arena, "%s.%s",
					   class_name_dotted(&report->arena, class_name), method);
		row->phase = phase;
		row->start_ns = time_from_exec(model, compilation->start_ns);
		row->duration_ns = (int64_t)(compilation->end_ns - compilation->start_ns);
		row->tier = begin->level <= 4 ? (int)begin->level : 0;
	if (begin->queue_wait_ns)
		row->queue_wait_ns = known((int64_t)begin->queue_wait_ns);
	row->is_success = compilation->is_success;
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_compilations);
	if (rows.count > COMPILATIONS_MOST)
		rows.count = COMPILATIONS_MOST;
	for vec_each(row, &rows) {
		row->compiler = arena_copy(&report->arena, row->compiler, strlen(row->compiler));
		row->signature = arena_copy(&report->arena, row->signature, strlen(row->signature));
	}
	inventory_put(inventory, compilations, &rows);
}

/* ---- methods ---- */

static int compare_methods(const void *left, const void *right)
{
	const struct report_hot_method *a = left, *b = right;

	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return strcmp(a->method, b->method);
}

/* The innermost Java method of a sample and how it was run: inlined ones belong to the code that they are part of. */
static bool top_method(const struct model *model, const struct event_sample *sample, struct frame_text *ret_name,
		       enum code_type *ret_type)
{
	uint32_t count;
	const struct stack_frame *frames = model_stack(model, sample->stack_id, &count, NULL);

	for (uint32_t i = 0; i < count; i++) {
		struct frame_text names[FRAME_TEXTS_MAX];

		if (model_frame_names(model, &frames[i], names) == 0 || !*names[0].class_name)
			continue;
		*ret_name = names[0];
		*ret_type = (enum code_type)frames[i].type;
		return true;
	}
	return false;
}

static void add_sample(struct report_hot_method *row, enum code_type type, int64_t period_ns)
{
	row->total_ns += period_ns;
	if (type == CODE_INTERPRETED)
		row->interpreted_ns += period_ns;
	else if (type == CODE_C1)
		row->c1_ns += period_ns;
	else if (type == CODE_C2)
		row->c2_ns += period_ns;
	else
		row->other_ns += period_ns;
}

/* The rows are sorted by phase: the first `most` of each stay. */
static size_t keep_of_each_phase(struct report_hot_method *rows, size_t count, size_t most)
{
	size_t kept = 0, of_phase = 0;

	for (size_t i = 0; i < count; i++) {
		of_phase = i && rows[i].phase == rows[i - 1].phase ? of_phase + 1 : 0;
		if (of_phase < most)
			rows[kept++] = rows[i];
	}
	return kept;
}

static void list_methods(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct map places auto_done(map_done) = {};
	VEC(struct report_hot_method) rows = {};

	for (struct event_walk walk = model_walk(model, EVENT_SAMPLE); model_walk_next(&walk);) {
		const struct event_sample *sample = MODEL_EVENT(model, walk.index, sample);
		struct frame_text name;
		enum code_type type;
		enum phase phase;
		uint64_t key, place;
		bool is_new;

		phase = phase_of_time(report, model, sample->header.time_ns);
		if (!is_of_requests(phase) || !top_method(model, sample, &name, &type))
			continue;
		key = hash_combine(hash_bytes(name.class_name, strlen(name.class_name)),
				   hash_bytes(name.method, strlen(name.method)));
		place = *map_set(&places, hash_combine(key, phase), rows.count, &is_new);
		if (is_new)
			*vec_push(&rows) = (struct report_hot_method){
				.method =
					arena_format(&report->arena, "%s.%s",
						     class_name_dotted(&report->arena, name.class_name), name.method),
				.phase = phase};
		add_sample(&rows.items[place], type, (int64_t)sample->period_ns);
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_methods);
	rows.count = keep_of_each_phase(rows.items, rows.count, METHODS_MOST);
	inventory_put(inventory, hot_methods, &rows);
}

/* ---- pauses and threads in sum ---- */

static int compare_causes(const void *left, const void *right)
{
	const struct report_pause_cause *a = left, *b = right;

	if (a->pause_ns != b->pause_ns)
		return a->pause_ns > b->pause_ns ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	return strcmp(a->operation, b->operation);
}

static void list_pause_causes(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct map places auto_done(map_done) = {};
	VEC(struct report_pause_cause) rows = {};

	for vec_each(pause, &model->jvm.pauses) {
		enum phase phase = phase_of_time(report, model, pause->start_ns);
		int64_t duration_ns = (int64_t)(pause->end_ns - pause->start_ns);
		bool is_new;
		uint64_t place = *map_set(&places,
					  (uint64_t)pause->operation << 8 | (uint64_t)phase << 1 |
						  pause->is_collection,
					  rows.count, &is_new);

		if (is_new)
			*vec_push(&rows) =
				(struct report_pause_cause){.operation = model_text(model, pause->operation),
							    .phase = phase,
							    .is_collection = pause->is_collection};
		rows.items[place].count++;
		rows.items[place].pause_ns += duration_ns;
		if (duration_ns > rows.items[place].longest_ns)
			rows.items[place].longest_ns = duration_ns;
	}
	for vec_each(row, &rows)
		row->operation = arena_copy(&report->arena, row->operation, strlen(row->operation));
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_causes);
	inventory_put(inventory, pause_causes, &rows);
}

static int compare_roles(const void *left, const void *right)
{
	const struct report_thread_role *a = left, *b = right;

	if (a->cpu_ns.value != b->cpu_ns.value)
		return a->cpu_ns.value > b->cpu_ns.value ? -1 : 1;
	return strcmp(a->role, b->role);
}

static void list_thread_roles(const struct inventory *inventory)
{
	const struct report *report = inventory->report;
	VEC(struct report_thread_role) rows = {};

	for (size_t i = 0; i < report->threads_count; i++) {
		const struct report_thread *thread = &report->threads[i];
		struct report_thread_role *row;
		size_t at = 0;

		while (at < rows.count && strcmp(rows.items[at].role, thread->role) != 0)
			at++;
		row = at < rows.count ? &rows.items[at] : vec_push(&rows);
		row->role = thread->role;
		row->threads++;
		if (thread->cpu_ns.state == KNOWN)
			row->cpu_ns = known(fmt_add(row->cpu_ns.value, thread->cpu_ns.value));
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_roles);
	inventory_put(inventory, thread_roles, &rows);
}

void inventory_jvm_work(const struct inventory *inventory)
{
	list_thread_roles(inventory);
	if (!inventory->has_jvm)
		return;
	list_compilations(inventory);
	list_methods(inventory);
	list_pause_causes(inventory);
}
