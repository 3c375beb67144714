#include "analyze/class_askers.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_internal.h"
#include "base/auto.h"

enum { LOADS_DEEP = 64, CHAIN_MOST = 16 };

/* ---- frames ---- */

/* What stands between a class's asker and the VM, whoever wrote the loader: the methods by which loaders are called,
 * and the JDK's ways to them. */
static bool is_way_to_loader(const struct frame_line *line)
{
	static const char *const starts[] = {"defineClass", "findBootstrapClass", "findLoadedClass", "findClassIn"};

	if (frame_is_loader(line) || strcmp(line->class_name, "java/security/AccessController") == 0)
		return true;
	if (strcmp(line->class_name, "java/lang/Class") == 0)
		return strncmp(line->method, "forName", strlen("forName")) == 0;
	for (size_t i = 0; i < array_length(starts); i++) {
		if (strncmp(line->method, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}

/* The class that this one is nested in: that of a loader's helpers. */
static size_t outer_length(const char *class_name)
{
	const char *slash = strrchr(class_name, '/');
	const char *dollar = strchr(slash ? slash : class_name, '$');

	return dollar ? (size_t)(dollar - class_name) : strlen(class_name);
}

/* A loader class of this stack, or one nested in the same class as it: its other methods serve loading too. */
static bool is_of_loader(const struct frame_line *lines, uint32_t count, const struct frame_line *line)
{
	size_t length = outer_length(line->class_name);

	for (uint32_t i = 0; i < count; i++) {
		if (frame_is_loader(&lines[i]) && outer_length(lines[i].class_name) == length &&
		    strncmp(lines[i].class_name, line->class_name, length) == 0)
			return true;
	}
	return false;
}

static uint32_t asker_of(const struct frame_line *lines, uint32_t count)
{
	uint32_t at = 0;

	while (at < count && (is_way_to_loader(&lines[at]) || is_of_loader(lines, count, &lines[at])))
		at++;
	return at;
}

const char *class_asker_frame(const struct model *model, const struct class_asker *asker, struct arena *arena)
{
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count = stack_lines(model, asker->stack_id, lines, FRAME_LINES_MAX), at = asker_of(lines, count);

	return at < count ? frame_line_text(arena, &lines[at]) : "";
}

void class_asker_words(const struct model *model, const struct class_asker *asker, struct arena *arena,
		       struct report_class *row)
{
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count = stack_lines(model, asker->loader_stack_id, lines, FRAME_LINES_MAX);
	const char **chain = arena_array(arena, const char *, CHAIN_MOST), *last = "";

	row->requested_by = class_asker_frame(model, asker, arena);
	row->loader_chain = chain;
	row->loader_chain_count = 0;
	for (uint32_t i = asker_of(lines, count); i > 0 && row->loader_chain_count < CHAIN_MOST; i--) {
		const struct frame_line *line = &lines[i - 1];

		/* The base class's own method says nothing about which loader it is. */
		if (!frame_is_loader(line) || strcmp(line->class_name, "java/lang/ClassLoader") == 0 ||
		    strcmp(line->class_name, last) == 0)
			continue;
		last = line->class_name;
		chain[row->loader_chain_count++] = class_name_dotted(arena, last);
	}
}

/* ---- requests ---- */

struct thread_requests {
	uint32_t open[LOADS_DEEP]; /* requests that have a stack, each deeper than the one before */
	uint32_t depth;
};

struct pending_requests {
	const struct model *model;
	struct map thread_places;
	VEC(struct thread_requests) threads;
	struct map by_name; /* thread and class name -> requests */
	VEC(struct class_request) requests;
};

static void pending_done(struct pending_requests *pending)
{
	map_done(&pending->thread_places);
	vec_done(&pending->threads);
	map_done(&pending->by_name);
	vec_done(&pending->requests);
}

static uint64_t name_key(uint32_t tid, const char *name, size_t length)
{
	return hash_combine(tid, hash_bytes(name, length));
}

static void see_request(struct pending_requests *pending, struct class_askers *askers, uint32_t index)
{
	const struct model *model = pending->model;
	const struct event_class_load *event = MODEL_EVENT(model, index, class_load);
	bool is_new_thread, is_new;
	uint64_t *place = map_set(&pending->thread_places, event->header.tid, pending->threads.count, &is_new_thread);
	struct thread_requests *thread =
		is_new_thread ? vec_push(&pending->threads) : &pending->threads.items[*place];
	size_t length;
	const char *name = MODEL_TAIL(event, &length);
	uint64_t asker_id = event->stack_id, *known;

	/* The stack grows down: what was begun below this request has ended. */
	while (thread->depth &&
	       MODEL_EVENT(model, thread->open[thread->depth - 1], class_load)->stack_pointer <= event->stack_pointer)
		thread->depth--;
	if (!asker_id && thread->depth)
		asker_id = MODEL_EVENT(model, thread->open[thread->depth - 1], class_load)->stack_id;
	if (event->stack_id && thread->depth < LOADS_DEEP)
		thread->open[thread->depth++] = index;

	known = map_set(&pending->by_name, name_key(event->header.tid, name, length), pending->requests.count,
			&is_new);
	if (!is_new) {
		struct class_request *request = &pending->requests.items[*known];

		if (MODEL_EVENT(model, request->event, class_load)->stack_pointer > event->stack_pointer) {
			if (event->stack_id)
				request->asker.loader_stack_id = event->stack_id;
			return;
		}
		*vec_push(&askers->requests) = *request;
		*request = (struct class_request){{asker_id, event->stack_id}, index};
		return;
	}
	*vec_push(&pending->requests) = (struct class_request){{asker_id, event->stack_id}, index};
}

static void see_loaded(struct pending_requests *pending, uint32_t index, struct class_asker *ret_asker)
{
	const struct event_class_loaded *event = MODEL_EVENT(pending->model, index, class_loaded);
	size_t length;
	const char *name = MODEL_TAIL(event, &length);
	uint64_t key = name_key(event->header.tid, name, length), *place = map_find(&pending->by_name, key);

	if (!place)
		return;
	*ret_asker = pending->requests.items[*place].asker;
	/* Its place in the list stays: whatever is left there was not answered. */
	pending->requests.items[*place].event = NO_INDEX;
	map_remove(&pending->by_name, key);
}

static int compare_requests(const void *left, const void *right)
{
	uint32_t a = ((const struct class_request *)left)->event, b = ((const struct class_request *)right)->event;

	return a < b ? -1 : a > b;
}

void class_askers_build(const struct model *model, struct class_askers *ret_askers)
{
	struct pending_requests pending auto_done(pending_done) = {.model = model};
	size_t next = 0;

	*ret_askers = (struct class_askers){};
	ret_askers->items = arena_array(&ret_askers->arena, struct class_asker, model->jvm.classes.count);
	for (struct event_walk walk = model_walk(model, EVENT_CLASS_LOAD, EVENT_CLASS_LOADED); model_walk_next(&walk);) {
		const uint32_t i = walk.index;

		if (model->events[i]->kind == EVENT_CLASS_LOAD)
			see_request(&pending, ret_askers, i);
		else if (next < model->jvm.classes.count && model->jvm.classes.items[next].event == i) {
			see_loaded(&pending, i, &ret_askers->items[next]);
			next++;
		}
	}
	for vec_each(request, &pending.requests) {
		if (request->event != NO_INDEX)
			*vec_push(&ret_askers->requests) = *request;
	}
	if (ret_askers->requests.count)
		qsort(ret_askers->requests.items, ret_askers->requests.count, sizeof(*ret_askers->requests.items),
		      compare_requests);
}

void class_askers_done(struct class_askers *askers)
{
	vec_done(&askers->requests);
	arena_done(&askers->arena);
}
