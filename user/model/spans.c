#include "model/load.h"

#include <stdlib.h>
#include <string.h>

/* Deeper than any real program nests: a bound for what a damaged or hostile recording can cost. */
enum { OPEN_MAX = 1024, DEPTH_MAX = 2048 };

struct span *spans_add(struct load *load, uint32_t thread, enum span_kind kind, uint32_t event, uint64_t start_ns,
		       uint64_t end_ns)
{
	struct span *span = vec_push(&load->model->threads.list.items[thread].spans);

	*span = (struct span){
		.start_ns = start_ns, .end_ns = end_ns, .event = event, .parent = NO_INDEX, .kind = (uint8_t)kind};
	return span;
}

/* ---- begins without an end of their own ---- */

/* Class loading has a probe at its entry only. A later event on the thread with a stack pointer above the entry's
 * proves that the frame has returned: stacks grow down. So does an equal one, as two live frames never share the word
 * at their entry; but the steps of a class's initialisation are probes inside one frame. */

static void pop(struct load *load, uint32_t thread, uint64_t time_ns, uint8_t flags)
{
	struct thread_state *state = &load->threads.items[thread];
	struct open_span *top = &state->open.items[state->open.count - 1];
	struct span *span = &load->model->threads.list.items[thread].spans.items[top->span];

	span->end_ns = time_ns > span->start_ns ? time_ns : span->start_ns;
	span->flags |= flags;
	state->open.count--;

	/* A class is often asked for more than once on the way down (a loader asks its parent): its reads are its
	 * outermost's. */
	if (top->kind == SPAN_CLASS_LOAD && top->read_event != NO_INDEX && state->open.count) {
		struct open_span *below = &state->open.items[state->open.count - 1];

		if (below->kind == SPAN_CLASS_LOAD && below->name == top->name) {
			below->read_event = top->read_event;
			below->read_bytes += top->read_bytes;
		}
	}
}

void spans_on_stack_pointer(struct load *load, uint32_t thread, uint64_t stack_pointer, uint64_t time_ns)
{
	struct thread_state *state = &load->threads.items[thread];
	uint64_t end_ns = state->last_event_ns < time_ns ? state->last_event_ns : time_ns;

	if (stack_pointer == 0)
		return;
	if (state->wait_reason && state->wait_stack_pointer && state->wait_stack_pointer < stack_pointer)
		state->wait_reason = 0;
	while (state->open.count) {
		const struct open_span *top = &state->open.items[state->open.count - 1];
		uint64_t opened_at = top->stack_pointer;

		if (opened_at == 0 || opened_at > stack_pointer ||
		    (opened_at == stack_pointer && top->kind == SPAN_CLASS_INIT))
			break;
		pop(load, thread, end_ns, SPAN_END_ESTIMATED);
	}
}

struct open_span *spans_open(struct load *load, uint32_t thread, enum span_kind kind, uint32_t event,
			     uint64_t time_ns, uint64_t stack_pointer, uint32_t name)
{
	struct thread_state *state = &load->threads.items[thread];
	uint32_t index = (uint32_t)load->model->threads.list.items[thread].spans.count;

	if (state->open.count == OPEN_MAX)
		pop(load, thread, state->last_event_ns, SPAN_END_ESTIMATED);
	spans_add(load, thread, kind, event, time_ns, time_ns)->name = name;

	struct open_span *open = vec_push(&state->open);

	*open = (struct open_span){.stack_pointer = stack_pointer,
				   .span = index,
				   .name = name,
				   .kind = (uint8_t)kind,
				   .read_event = NO_INDEX};
	return open;
}

bool spans_close(struct load *load, uint32_t thread, enum span_kind kind, uint32_t name, uint64_t time_ns,
		 uint8_t flags)
{
	struct thread_state *state = &load->threads.items[thread];
	size_t at = state->open.count;

	while (at > 0) {
		const struct open_span *open = &state->open.items[at - 1];

		if (open->kind == kind && (name == 0 || open->name == name))
			break;
		at--;
	}
	if (at == 0)
		return false;
	while (state->open.count > at)
		pop(load, thread, state->last_event_ns, SPAN_END_ESTIMATED);
	pop(load, thread, time_ns, flags);
	return true;
}

/* ---- order and nesting ---- */

static bool is_before(const struct span *left, const struct span *right)
{
	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns;
	if (left->end_ns != right->end_ns)
		return left->end_ns > right->end_ns;
	return false;
}

static int compare(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (is_before(a, b))
		return -1;
	if (is_before(b, a))
		return 1;
	return a->event < b->event ? -1 : a->event > b->event; /* the same order every time */
}

/* Spans come in order of their ends or begins, so nearly in order of their starts. */
static void sort(struct spans *spans)
{
	size_t moves_left = spans->count * 32;

	for (size_t i = 1; i < spans->count; i++) {
		struct span span = spans->items[i];
		size_t at = i;

		if (compare(&spans->items[i - 1], &span) <= 0)
			continue;
		while (at > 0 && compare(&spans->items[at - 1], &span) > 0) {
			if (moves_left == 0) {
				spans->items[at] = span;
				qsort(spans->items, spans->count, sizeof(*spans->items), compare);
				return;
			}
			moves_left--;
			spans->items[at] = spans->items[at - 1];
			at--;
		}
		spans->items[at] = span;
	}
}

/* Where a span would cross the end of the one around it, an estimated end gives way to a measured one; of two
 * measured ones (which only a damaged recording has) the inner one is cut. */
static void nest(struct spans *spans)
{
	uint32_t top = NO_INDEX, depth = 0;

	for (uint32_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->items[i];

		while (top != NO_INDEX && spans->items[top].end_ns <= span->start_ns) {
			top = spans->items[top].parent;
			depth--;
		}
		span->parent = top;
		if (depth == DEPTH_MAX) {
			span->end_ns = span->start_ns;
			continue;
		}
		for (uint32_t outer = top; outer != NO_INDEX; outer = spans->items[outer].parent) {
			struct span *around = &spans->items[outer];

			if (around->end_ns >= span->end_ns)
				break;
			if ((around->flags & (SPAN_END_ESTIMATED | SPAN_END_UNSEEN)) &&
			    !(span->flags & (SPAN_END_ESTIMATED | SPAN_END_UNSEEN))) {
				around->end_ns = span->end_ns;
			} else {
				span->end_ns = around->end_ns;
				break;
			}
		}
		top = i;
		depth++;
	}
}

/* Extending an outer span for one of its inner ones may have made it reach into a span around it that was checked
 * before; and cutting may have left inner spans that were nested under a longer one. A second look cuts those. */
static void cut_to_parents(struct spans *spans)
{
	for (uint32_t i = 0; i < spans->count; i++) {
		struct span *span = &spans->items[i];

		if (span->parent == NO_INDEX)
			continue;
		if (span->end_ns > spans->items[span->parent].end_ns)
			span->end_ns = spans->items[span->parent].end_ns;
		if (span->end_ns < span->start_ns)
			span->end_ns = span->start_ns;
	}
}

void spans_finish(struct load *load)
{
	struct model *model = load->model;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		while (load->threads.items[i].open.count)
			pop(load, i, load->threads.items[i].last_event_ns, SPAN_END_UNSEEN);

		struct spans *spans = &model->threads.list.items[i].spans;

		sort(spans);
		nest(spans);
		cut_to_parents(spans);
	}
}

/* ---- questions ---- */

uint32_t model_span_at(const struct model *model, uint32_t thread, uint64_t time_ns, uint64_t *ret_before_ns)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->items[middle].start_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}

	uint32_t span = low ? (uint32_t)(low - 1) : NO_INDEX;
	uint64_t before_ns = 0;

	/* The last to start may have ended, and so may those around it: the latest end of them bounds the stretch. */
	while (span != NO_INDEX && spans->items[span].end_ns <= time_ns) {
		if (spans->items[span].end_ns > before_ns)
			before_ns = spans->items[span].end_ns;
		span = spans->items[span].parent;
	}
	if (span != NO_INDEX && spans->items[span].start_ns > before_ns)
		before_ns = spans->items[span].start_ns;
	if (ret_before_ns)
		*ret_before_ns = before_ns;
	return span;
}

uint32_t model_span_within(const struct model *model, uint32_t thread, uint32_t span, enum span_kind kind)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;

	while (span != NO_INDEX && spans->items[span].kind != kind)
		span = spans->items[span].parent;
	return span;
}
