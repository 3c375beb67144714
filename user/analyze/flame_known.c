/* Frames where no stack was taken: those that the stacks before and after have in common.
 *
 * Few events carry a stack of their own: samples, exceptions, on some kernels class loads and switches. What the last
 * stack of the thread before a moment and the first one after it share from the root was there in between; what only
 * one of them has may not have been, and is left out. */
#include <stdlib.h>

#include "analyze/flame_internal.h"
#include "base/search.h"

static uint64_t stack_of_event(const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_SAMPLE:
		return ((const struct event_sample *)event)->stack_id;
	case EVENT_EXCEPTION:
		return ((const struct event_exception *)event)->flags & EXCEPTION_STACK_OF_EARLIER
			       ? 0
			       : ((const struct event_exception *)event)->stack_id;
	default:
		return 0;
	}
}

static void collect(struct flame_builder *builder)
{
	const struct model *model = builder->model;

	builder->has_points = true;
	for (struct event_walk walk = model_walk(model, EVENT_SAMPLE, EVENT_EXCEPTION); model_walk_next(&walk);) {
		const struct event_header *event = model->events[walk.index];
		uint64_t stack_id = stack_of_event(event);
		uint32_t thread, last;
		bool is_new;

		if (!stack_id)
			continue;
		thread = model_thread_at(model, event->tid, event->time_ns);
		if (thread == NO_INDEX)
			continue;

		uint64_t *place = map_set(&builder->last_points, thread, NO_INDEX, &is_new);

		last = (uint32_t)*place;
		*place = builder->points.count;
		*vec_push(&builder->points) = (struct flame_point){event->time_ns, stack_id, last};
	}
}

/* The thread's points are a list from its last to its first: made an array once it is asked for. */
static const struct flame_point *points_of(struct flame_builder *builder, uint32_t thread, size_t *ret_count)
{
	bool is_new;
	uint64_t *place;
	const uint64_t *last;
	size_t first = builder->ordered.count;

	if (!builder->has_points)
		collect(builder);
	place = map_set(&builder->ordered_places, thread, builder->lists.count, &is_new);
	if (is_new) {
		last = map_find(&builder->last_points, thread);
		for (uint32_t at = last ? (uint32_t)*last : NO_INDEX; at != NO_INDEX;
		     at = builder->points.items[at].previous)
			*vec_push(&builder->ordered) = builder->points.items[at];
		*vec_push(&builder->lists) =
			(struct flame_stack){(uint32_t)first, (uint32_t)(builder->ordered.count - first)};
	}

	const struct flame_stack *list = &builder->lists.items[*place];

	*ret_count = list->count;
	return list->count ? builder->ordered.items + list->first : NULL;
}

/* Two stacks meet again and again, as the last and the next of many short stretches. */
static uint32_t shared_frames(struct flame_builder *builder, uint64_t before_id, uint64_t after_id)
{
	uint32_t before_count, after_count, shared = 0;
	const struct flame_frame *before, *after;

	if (builder->last_shared.before_id == before_id && builder->last_shared.after_id == after_id)
		return builder->last_shared.count;
	/* Both may be read for the first time here, and reading moves the frames. */
	flame_stack_frames(builder, before_id, &before_count);
	after = flame_stack_frames(builder, after_id, &after_count);
	before = flame_stack_frames(builder, before_id, &before_count);
	while (shared < before_count && shared < after_count && before[shared].name == after[shared].name)
		shared++;
	builder->last_shared.before_id = before_id;
	builder->last_shared.after_id = after_id;
	builder->last_shared.count = shared;
	return shared;
}

uint32_t flame_known_frames(struct flame_builder *builder, uint32_t thread, uint64_t start_ns, uint64_t end_ns,
			    uint64_t *ret_stack_id)
{
	size_t count;
	const struct flame_point *points = points_of(builder, thread, &count);

	*ret_stack_id = 0;

	/* Latest first: the first one at or before the start, and the one that follows it in time. */
	size_t at = first_where(count, i, points[i].time_ns <= start_ns);

	if (at == count || at == 0 || points[at - 1].time_ns < end_ns)
		return 0;
	*ret_stack_id = points[at].stack_id;
	return shared_frames(builder, points[at].stack_id, points[at - 1].stack_id);
}

uint32_t flame_push_known(struct flame_builder *builder, uint32_t node, uint32_t thread, uint64_t start_ns,
			  uint64_t end_ns)
{
	uint64_t stack_id;
	uint32_t count = flame_known_frames(builder, thread, start_ns, end_ns, &stack_id);

	return count ? flame_push_frames(builder, node, stack_id, count) : node;
}

void flame_known_done(struct flame_builder *builder)
{
	vec_done(&builder->points);
	vec_done(&builder->ordered);
	vec_done(&builder->lists);
	map_done(&builder->last_points);
	map_done(&builder->ordered_places);
}
