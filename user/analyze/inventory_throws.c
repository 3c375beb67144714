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

struct throw_rows {
	VEC(struct report_throw) list;
	struct map by_texts; /* class, place, phase and origin -> row */
	struct map by_stack; /* the same with the stack instead of the place: of many throws few are new */
};

static void rows_done(struct throw_rows *rows)
{
	vec_done(&rows->list);
	map_done(&rows->by_texts);
	map_done(&rows->by_stack);
}

static size_t row_of(struct throw_rows *rows, const struct inventory *inventory, const struct event_throw *event,
		     enum phase phase)
{
	struct arena *arena = &inventory->report->arena;
	struct frame_line line;
	const char *seen_at = "";
	uint64_t key, row;
	bool is_new;

	if (stack_lines(inventory->model, event->stack_id, &line, 1))
		seen_at = frame_line_text(arena, &line);
	key = hash_combine(
		hash_combine(hash_bytes(event->tail, strlen(event->tail)), hash_bytes(seen_at, strlen(seen_at))),
		(uint64_t)phase << 1 | (event->origin == THROW_BY_VM));
	row = *map_set(&rows->by_texts, key, rows->list.count, &is_new);
	if (is_new)
		*vec_push(&rows->list) = (struct report_throw){
			.class_name = class_name_dotted(arena, event->tail),
			.phase = phase,
			.seen_at = seen_at,
			.is_by_vm = event->origin == THROW_BY_VM,
		};
	return row;
}

void inventory_throws(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct throw_rows rows auto_done(rows_done) = {};

	for (struct event_walk walk = model_walk(model, EVENT_THROW); model_walk_next(&walk);) {
		const struct event_throw *event = MODEL_EVENT(model, walk.index, throw);
		enum phase phase = phase_of_time(inventory->report, model, event->header.time_ns);
		uint64_t key, *row;
		bool is_new;

		if (event->has_trace && !is_made_by_vm(event->tail))
			continue;
		key = hash_combine(hash_combine(hash_bytes(event->tail, strlen(event->tail)), event->stack_id),
				   (uint64_t)phase << 1 | (event->origin == THROW_BY_VM));
		row = map_set(&rows.by_stack, key, 0, &is_new);
		if (is_new)
			*row = row_of(&rows, inventory, event, phase);
		rows.list.items[*row].count++;
	}
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_throws);
	inventory_put(inventory, throws, &rows.list);
}
