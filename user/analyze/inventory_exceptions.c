#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/search.h"

enum { STACK_LINES_SHOWN = 48 }; /* deeper frames are the framework's pipeline, the same for every row */

/* What one stack says about the exceptions of one class that were made there. */
struct throw_site {
	uint64_t stack_id;
	uint32_t class_name;	       /* string id of the pool below, with '/' */
	uint32_t next;		       /* of the same stack, NO_INDEX ends */
	uint32_t thrown_at, caught_at; /* string ids, 0 unknown */
	uint32_t child_loader;	       /* string id: the class whose loadClass catches, 0 none */
};

struct exception_rows {
	const struct inventory *inventory;
	struct strpool names;
	VEC(struct report_exception) list;
	VEC(uint64_t) stacks; /* beside list: a stack of each row */
	VEC(struct throw_site) sites;
	struct map site_by_stack;
	struct map pair_ids; /* thrown and caught -> dense id */
	struct map by_key;
	struct map inner_ns; /* event of an exception -> what other things took inside it */
	struct arena scratch;
};

/* ---- throw and catch sites ---- */

static bool is_jdk_loader(const char *class_name)
{
	return strcmp(class_name, "java/lang/ClassLoader") == 0 ||
	       strncmp(class_name, "jdk/internal/loader/", strlen("jdk/internal/loader/")) == 0 ||
	       strncmp(class_name, "sun/misc/Launcher$", strlen("sun/misc/Launcher$")) == 0 ||
	       strncmp(class_name, "java/net/URLClassLoader", strlen("java/net/URLClassLoader")) == 0;
}

/* A ClassNotFoundException of a parent loader is caught in the loadClass of the child that asked it: its own, or the
 * one that it inherits from ClassLoader. *ret_is_own says which. */
static const struct frame_line *catching_loader(const struct frame_line *lines, uint32_t count, uint32_t thrower,
						bool *ret_is_own)
{
	const struct frame_line *inherited = NULL;

	*ret_is_own = true;
	if (thrower >= count || !frame_is_loader(&lines[thrower]))
		return NULL;
	for (uint32_t i = thrower + 1; i < count && frame_is_loader(&lines[i]); i++) {
		if (strcmp(lines[i].method, "loadClass") != 0 ||
		    strcmp(lines[i].class_name, lines[thrower].class_name) == 0)
			continue;
		if (!is_jdk_loader(lines[i].class_name))
			return &lines[i];
		if (!inherited && strcmp(lines[i].class_name, "java/lang/ClassLoader") == 0)
			inherited = &lines[i];
	}
	*ret_is_own = false;
	return inherited;
}

static void read_site(struct exception_rows *rows, struct throw_site *site)
{
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count = stack_lines(rows->inventory->model, site->stack_id, lines, FRAME_LINES_MAX);
	const char *class_name = strpool_text(&rows->names, site->class_name);
	uint32_t thrower = thrower_of(lines, count, class_name);
	const struct frame_line *catcher;
	bool is_own;

	if (thrower < count)
		site->thrown_at = strpool_add_text(&rows->names, frame_line_text(&rows->scratch, &lines[thrower]));
	if (strcmp(class_name, "java/lang/ClassNotFoundException") != 0)
		return;
	catcher = catching_loader(lines, count, thrower, &is_own);
	if (!catcher)
		return;
	site->caught_at = strpool_add_text(&rows->names, frame_line_text(&rows->scratch, catcher));
	if (is_own)
		site->child_loader = strpool_add_text(&rows->names, catcher->class_name);
}

static const struct throw_site *site_of(struct exception_rows *rows, uint64_t given_id, uint32_t class_name)
{
	uint64_t stack_id = model_stack_id(rows->inventory->model, given_id);
	bool is_new;
	uint32_t at = (uint32_t)rows->sites.count;
	uint64_t *first = map_set(&rows->site_by_stack, stack_id, at, &is_new);

	for (uint32_t i = is_new ? NO_INDEX : (uint32_t)*first; i != NO_INDEX; i = rows->sites.items[i].next) {
		if (rows->sites.items[i].class_name == class_name)
			return &rows->sites.items[i];
	}

	struct throw_site *site = vec_push(&rows->sites);

	*site = (struct throw_site){
		.stack_id = stack_id, .class_name = class_name, .next = is_new ? NO_INDEX : (uint32_t)*first};
	*first = at;
	if (stack_id)
		read_site(rows, site);
	return site;
}

/* ---- proof that it was caught there ---- */

/* Whether a ClassNotFoundException comes from the search that this loader's loadClass begins when its parents have failed. */
static bool is_own_search(struct exception_rows *rows, uint32_t index, const char *loader)
{
	const struct model *model = rows->inventory->model;
	const struct event_exception *event = MODEL_EVENT(model, index, exception);
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count, at;

	if (strcmp(event->tail, "java/lang/ClassNotFoundException") != 0)
		return false;
	count = stack_lines(model, event->stack_id, lines, FRAME_LINES_MAX);
	at = thrower_of(lines, count, event->tail);
	if (at >= count || strcmp(lines[at].method, "findClass") != 0)
		return false;
	for (at++; at < count && frame_is_loader(&lines[at]); at++) {
		if (strcmp(lines[at].class_name, loader) == 0 && strcmp(lines[at].method, "loadClass") == 0)
			return true;
	}
	return false;
}

/* Whether what the thread does next shows the loader's loadClass at work: a class that it needs, or a search of its own that
 * fails. An exception that leaves loadClass is followed by neither. */
static bool goes_on_in_loader(struct exception_rows *rows, uint32_t thread, uint64_t time_ns, const char *loader)
{
	const struct model *model = rows->inventory->model;
	const struct spans *spans = &model->threads.list.items[thread].spans;
	size_t at = first_where(spans->count, i, spans->items[i].start_ns >= time_ns);

	for (; at < spans->count; at++) {
		struct frame_line lines[FRAME_LINES_MAX];
		uint32_t count;

		if (spans->items[at].kind == SPAN_EXCEPTION)
			return is_own_search(rows, spans->items[at].event, loader);
		if (spans->items[at].kind != SPAN_CLASS_LOAD)
			continue;
		count = stack_lines(model, MODEL_EVENT(model, spans->items[at].event, class_load)->stack_id, lines,
				    FRAME_LINES_MAX);
		for (uint32_t i = 0; i < count; i++) {
			if (strcmp(lines[i].class_name, loader) == 0 && strcmp(lines[i].method, "loadClass") == 0)
				return true;
		}
		return false;
	}
	return false;
}

/* The load that was going on ended well, or the child's loadClass is seen going on: so the exception went no further.
 */
static bool is_caught(struct exception_rows *rows, uint32_t index, const struct throw_site *site)
{
	const struct model *model = rows->inventory->model;
	const struct event_exception *event = MODEL_EVENT(model, index, exception);
	uint64_t time_ns = event->header.time_ns;
	uint32_t thread = model_thread_at(model, event->header.tid, time_ns);
	uint32_t span;

	if (!site->caught_at || thread == NO_INDEX)
		return false;
	span = model_span_at(model, thread, time_ns, NULL);
	for (span = model_span_within(model, thread, span, SPAN_CLASS_LOAD); span != NO_INDEX;
	     span = model_span_within(model, thread, model->threads.list.items[thread].spans.items[span].parent,
				      SPAN_CLASS_LOAD)) {
		if (model->threads.list.items[thread].spans.items[span].flags & SPAN_LOADED)
			return true;
	}
	return site->child_loader &&
	       goes_on_in_loader(rows, thread, time_ns, strpool_text(&rows->names, site->child_loader));
}

/* ---- rows ---- */

static struct report_exception *row_of(struct exception_rows *rows, uint32_t class_name, enum phase phase,
				       uint32_t thrown_at, uint32_t caught_at, uint64_t stack_id)
{
	bool is_new;
	uint64_t pair = *map_set(&rows->pair_ids, (uint64_t)thrown_at << 32 | caught_at, rows->pair_ids.count, NULL);
	uint64_t *place =
		map_set(&rows->by_key, (pair << 3 | (uint64_t)phase) << 32 | class_name, rows->list.count, &is_new);

	if (is_new) {
		struct report_exception *row = vec_push(&rows->list);

		row->class_name = strpool_text(&rows->names, class_name);
		row->phase = phase;
		row->duration_ns = known(0);
		row->exclusive_ns = known(0);
		row->thrown_at = strpool_text(&rows->names, thrown_at);
		row->caught_at = strpool_text(&rows->names, caught_at);
		*vec_push(&rows->stacks) = stack_id;
	}
	return &rows->list.items[*place];
}

/* Spans nest: what lies directly in an exception's is not its own time. */
static void collect_inner(struct exception_rows *rows)
{
	const struct model *model = rows->inventory->model;

	for (uint32_t thread = 0; thread < model->threads.list.count; thread++) {
		const struct spans *spans = &model->threads.list.items[thread].spans;

		for vec_each(span, spans) {
			const struct span *outer = span->parent == NO_INDEX ? NULL : &spans->items[span->parent];

			if (outer && outer->kind == SPAN_EXCEPTION)
				*map_set(&rows->inner_ns, outer->event, 0, NULL) += span->end_ns - span->start_ns;
		}
	}
}

static void add_java(struct exception_rows *rows, uint32_t index)
{
	const struct model *model = rows->inventory->model;
	const struct event_exception *event = MODEL_EVENT(model, index, exception);
	size_t length;
	const char *name = MODEL_TAIL(event, &length);
	uint32_t class_name = strpool_add(&rows->names, name, strnlen(name, length));
	const struct throw_site *site = site_of(rows, event->stack_id, class_name);
	enum phase phase = phase_of_time(rows->inventory->report, model, event->header.time_ns);
	uint32_t caught_at = is_caught(rows, index, site) ? site->caught_at : 0;
	struct report_exception *row = row_of(rows, class_name, phase, site->thrown_at, caught_at, event->stack_id);

	row->count += event->count ? event->count : 1;
	row->duration_ns.value += (int64_t)event->duration_ns;

	const uint64_t *inner_ns = map_find(&rows->inner_ns, index);

	row->exclusive_ns.value += (int64_t)(event->duration_ns - (inner_ns ? *inner_ns : 0));
}

/* C++ exceptions, throw to catch: the span that the catch closed. */
static void add_native(struct exception_rows *rows, const struct span *span)
{
	const struct model *model = rows->inventory->model;
	struct arena scratch auto_done(arena_done) = {};
	const char *name = type_name_demangled(&scratch, model_text(model, span->name));
	uint32_t class_name = strpool_add_text(&rows->names, *name ? name : "(C++ exception)");
	enum phase phase = phase_of_time(rows->inventory->report, model, model->events[span->event]->time_ns);
	struct report_exception *row = row_of(rows, class_name, phase, 0, 0, 0);

	row->count++;
	row->duration_ns.value += (int64_t)(span->end_ns - span->start_ns);
	row->exclusive_ns.state = ABSENT;
}

static int compare_exceptions(const void *left, const void *right)
{
	const struct report_exception *a = left, *b = right;
	int order;

	if (a->duration_ns.value != b->duration_ns.value)
		return a->duration_ns.value > b->duration_ns.value ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	order = strcmp(a->class_name, b->class_name);
	if (order == 0)
		order = strcmp(a->thrown_at, b->thrown_at);
	return order ? order : strcmp(a->caught_at, b->caught_at);
}

/* Texts move from the pool, which ends here, to the report; the stack that stands for a row is written out. */
static void settle_row(struct exception_rows *rows, struct report_exception *row, uint64_t stack_id)
{
	struct arena *arena = &rows->inventory->report->arena;
	struct frame_line lines[STACK_LINES_SHOWN];
	uint32_t count = stack_lines(rows->inventory->model, stack_id, lines, STACK_LINES_SHOWN);
	const char **texts = arena_array(arena, const char *, count ? count : 1);

	for (uint32_t i = 0; i < count; i++)
		texts[i] = frame_line_text(arena, &lines[i]);
	row->stack = texts;
	row->stack_count = count;
	row->class_name = class_name_dotted(arena, row->class_name);
	row->thrown_at = arena_copy(arena, row->thrown_at, strlen(row->thrown_at));
	row->caught_at = arena_copy(arena, row->caught_at, strlen(row->caught_at));
	if (!is_observed(rows->inventory->model, "exception_duration"))
		row->duration_ns.state = row->exclusive_ns.state = ABSENT;
}

static void rows_done(struct exception_rows *rows)
{
	strpool_done(&rows->names);
	vec_done(&rows->list);
	vec_done(&rows->stacks);
	vec_done(&rows->sites);
	map_done(&rows->site_by_stack);
	map_done(&rows->pair_ids);
	map_done(&rows->by_key);
	map_done(&rows->inner_ns);
	arena_done(&rows->scratch);
}

void inventory_exceptions(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct exception_rows rows auto_done(rows_done) = {.inventory = inventory};

	collect_inner(&rows);
	for (struct event_walk walk = model_walk(model, EVENT_EXCEPTION); model_walk_next(&walk);)
		add_java(&rows, walk.index);
	for (uint32_t i = 0; i < model->threads.list.count && model->kind_counts[EVENT_NATIVE_THROW]; i++) {
		for vec_each(span, &model->threads.list.items[i].spans) {
			if (span->kind == SPAN_NATIVE_THROW)
				add_native(&rows, span);
		}
	}
	for (size_t i = 0; i < rows.list.count; i++)
		settle_row(&rows, &rows.list.items[i], rows.stacks.items[i]);
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_exceptions);
	inventory_put(inventory, exceptions, &rows.list);
}
