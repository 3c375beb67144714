/* Exceptions without a stack trace, by class and by where they were seen first. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* What the VM throws with a stack trace that Java code did not fill just before is, but for these two, an older
 * object that is thrown again. These the VM makes and fills itself, or has kept since its start. */
static bool is_made_by_vm(const char *name)
{
	return strcmp(name, "java/lang/StackOverflowError") == 0 || strcmp(name, "java/lang/OutOfMemoryError") == 0;
}

static int compare_throws(const void *left, const void *right)
{
	const struct report_throw *a = left, *b = right;
	int order;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	order = strcmp(a->class_name, b->class_name);
	if (order == 0)
		order = strcmp(a->seen_at, b->seen_at);
	return order ? order : (int)a->is_by_vm - (int)b->is_by_vm;
}

void inventory_throws(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct arena *arena = &report->arena;
	struct map places auto_done(map_done) = {};
	VEC(struct report_throw) rows = {};

	for (struct event_walk walk = model_walk(model, EVENT_THROW); model_walk_next(&walk);) {
		const struct event_throw *event = MODEL_EVENT(model, walk.index, throw);
		struct frame_line line;
		const char *name, *seen_at;
		uint64_t key, place;
		enum phase phase;
		size_t length;
		bool is_new;

		name = MODEL_TAIL(event, &length);
		name = arena_copy(arena, name, strnlen(name, length));
		if (event->has_trace && !is_made_by_vm(name))
			continue;
		phase = phase_of_time(report, model, event->header.time_ns);
		seen_at = stack_lines(model, event->stack_id, &line, 1) ? frame_line_text(arena, &line) : "";
		key = hash_combine(hash_combine(hash_bytes(name, strlen(name)), hash_bytes(seen_at, strlen(seen_at))),
				   (uint64_t)phase << 1 | (event->origin == THROW_BY_VM));
		place = *map_set(&places, key, rows.count, &is_new);
		if (is_new)
			*vec_push(&rows) = (struct report_throw){
				.class_name = class_name_dotted(arena, name),
				.phase = phase,
				.seen_at = seen_at,
				.is_by_vm = event->origin == THROW_BY_VM,
			};
		rows.items[place].count++;
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_throws);
	inventory_put(inventory, throws, &rows);
}
