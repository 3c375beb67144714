/* The critical path as a flame: request, thread, the stack at the tile's evidence, and what went on in it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/flame_internal.h"
#include "analyze/path.h"

enum { SPAN_DEPTH_MAX = 64 };

/* What stands in the tree already: the first frames of a stack. */
struct placed_stack {
	uint64_t stack_id;
	uint32_t count; /* 0: nothing */
};

static uint64_t stack_of_span(const struct model *model, const struct span *span)
{
	switch ((enum span_kind)span->kind) {
	case SPAN_CLASS_LOAD:
		return MODEL_EVENT(model, span->event, class_load)->stack_id;
	case SPAN_EXCEPTION:
		return MODEL_EVENT(model, span->event, exception)->stack_id;
	default:
		return 0;
	}
}

/* Goes on with a deeper stack of the same thread: what it shares with the last one is there already. */
static uint32_t go_deeper(struct flame_builder *builder, uint32_t node, uint64_t stack_id,
			  struct placed_stack *placed)
{
	uint32_t count = 0, placed_count = 0, shared = 0;
	const struct flame_frame *frames, *there;

	if (!stack_id)
		return node;
	flame_stack_frames(builder, stack_id, &count);
	if (!count)
		return node;
	if (!placed->count) {
		*placed = (struct placed_stack){stack_id, count};
		return flame_push_frames(builder, node, stack_id, count);
	}
	there = flame_stack_frames(builder, placed->stack_id, &placed_count);
	frames = flame_stack_frames(builder, stack_id, &count);
	while (shared < count && shared < placed->count && there[shared].name == frames[shared].name)
		shared++;
	/* The frames that an unrelated stack has in place of ours would hang below what they do not belong to. */
	if (shared < placed->count / 2)
		return node;
	for (uint32_t i = shared; i < count; i++)
		node = flame_child_named(builder->flame, node, (enum flame_kind)frames[i].kind, frames[i].name);
	*placed = (struct placed_stack){stack_id, count};
	return node;
}

/* The frames that are known to have been there all the time of the tile. */
static uint32_t go_as_known(struct flame_builder *builder, uint32_t node, const struct tile *tile,
			    struct placed_stack *placed)
{
	placed->count = flame_known_frames(builder, tile->thread, tile->start_ns, tile->end_ns, &placed->stack_id);
	return placed->count ? flame_push_frames(builder, node, placed->stack_id, placed->count) : node;
}

static enum flame_kind kind_of_cause(enum cause cause)
{
	if (cause <= CAUSE_CODE_UNSPLIT)
		return FLAME_KIND_CODE;
	if (cause <= CAUSE_CLASS_INIT)
		return FLAME_KIND_CLASS;
	if (cause <= CAUSE_EXCEPTION_NATIVE)
		return FLAME_KIND_EXCEPTION;
	if (cause <= CAUSE_FILE_CLOSE)
		return FLAME_KIND_FILE;
	if (cause <= CAUSE_SAFEPOINT_WAIT)
		return FLAME_KIND_VM;
	if (cause <= CAUSE_LOCK_VM)
		return FLAME_KIND_LOCK;
	if (cause <= CAUSE_WAIT_OTHER)
		return FLAME_KIND_WAIT;
	if (cause <= CAUSE_CPU_STOLEN)
		return FLAME_KIND_CPU;
	if (cause <= CAUSE_KERNEL_INTERRUPT)
		return FLAME_KIND_KERNEL;
	return cause == CAUSE_UNEXPLAINED ? FLAME_KIND_UNEXPLAINED : FLAME_KIND_FAULT;
}

static bool is_shown_by_span(enum cause cause)
{
	return (cause >= CAUSE_CLASS_FIND && cause <= CAUSE_FILE_CLOSE) || cause >= CAUSE_FAULT_MINOR ||
	       cause == CAUSE_KERNEL_SYSCALL || cause == CAUSE_KERNEL_INTERRUPT;
}

static uint32_t node_of_tile(struct flame_builder *builder, uint32_t node, const struct tile *tile)
{
	const struct model *model = builder->model;
	const struct thread *thread = &model->threads.list.items[tile->thread];
	uint32_t chain[SPAN_DEPTH_MAX], depth = 0;
	struct placed_stack placed = {};
	bool is_waiting =
		tile->interval != NO_INDEX && thread->intervals.items[tile->interval].state != INTERVAL_RUNNING;

	for (uint32_t span = tile->span; span != NO_INDEX && depth < SPAN_DEPTH_MAX;
	     span = thread->spans.items[span].parent)
		chain[depth++] = span;
	if (tile->evidence == NO_INDEX || model->events[tile->evidence]->kind != EVENT_SAMPLE)
		node = go_as_known(builder, node, tile, &placed);
	while (depth > 0) {
		const struct span *span = &thread->spans.items[chain[--depth]];

		node = go_deeper(builder, node, stack_of_span(model, span), &placed);
		node = flame_push_span(builder, node, span);
	}
	if (tile->evidence != NO_INDEX && model->events[tile->evidence]->kind == EVENT_SAMPLE)
		node = go_deeper(builder, node, MODEL_EVENT(model, tile->evidence, sample)->stack_id, &placed);
	if (is_waiting)
		node = go_deeper(builder, node, flame_wait_stack(model, tile->thread, tile->interval), &placed);
	if (tile->span == NO_INDEX || is_waiting || !is_shown_by_span((enum cause)tile->cause))
		node = flame_push_text(builder, node, kind_of_cause((enum cause)tile->cause),
				       cause_words((enum cause)tile->cause));
	return node;
}

static void add_request(struct flame_builder *builder, struct path_walker *walker, uint32_t at, struct path *path)
{
	const struct report_request *shown = &builder->report->requests[at];
	const struct request *request = &builder->model->requests.list.items[shown->index];
	uint32_t route = flame_push_text(builder, 0, FLAME_KIND_ROUTE, shown->route);

	path_walk(walker, request, path);
	for vec_each(tile, &path->tiles) {
		int64_t duration_ns = (int64_t)(tile->end_ns - tile->start_ns);
		uint32_t node = flame_push_thread(builder, route, tile->thread, tile->start_ns);

		if (tile->thread != NO_INDEX)
			node = node_of_tile(builder, node, tile);
		else
			node = flame_push_text(builder, node, FLAME_KIND_UNEXPLAINED,
					       cause_words((enum cause)tile->cause));
		flame_add(builder, node, duration_ns, duration_ns);
		if (builder->flame->steps.count) {
			struct flame_step *step =
				&builder->flame->steps.items[builder->flame->steps.count - 1];

			if (step->node == node && step->request == at) {
				step->duration_ns += duration_ns;
				continue;
			}
		}
		*vec_push(&builder->flame->steps) = (struct flame_step){
			.start_ns = (int64_t)(tile->start_ns - builder->model->exec_ns),
			.duration_ns = duration_ns,
			.node = node,
			.request = at,
		};
	}
}

void flame_build_path(struct flame_builder *builder)
{
	struct path_walker *walker = path_walker_new(builder->model);
	struct path path = {};

	for (size_t i = 0; i < builder->report->requests_count; i++) {
		const struct report_request *request = &builder->report->requests[i];

		if (!flame_takes_request(request, builder->flame->phase) ||
		    (uint64_t)request->index >= builder->model->requests.list.count)
			continue;
		builder->flame->requests++;
		add_request(builder, walker, (uint32_t)i, &path);
	}
	vec_done(&path.tiles);
	path_walker_free(walker);
}
