#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

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

/* Class loading has probes at its begins, and at few of its ends. What is known of an end:
 *
 *	a class that is loaded ends its request and its parsing; initialising it ends linking it;
 *	CLASS_RETURN, where libjvm has the places that are reached when it is over;
 *	a later event on the thread with a stack pointer above the entry's proves that the frame has returned, as stacks
 *	grow down; so does an equal one, as two live frames never share the word at their entry (but the steps of a
 *	class's initialisation are probes inside one frame).
 *
 * The last says that it ended, not when: after a return at a shallow depth everything deeper still looks as if it
 * were inside. So such a span reaches no further than to the last thing in it that concerns its class, and where
 * there is none (the class was known already), to the next event, or as far as a look-up may take. */
enum { LOOK_UP_NS = 100000 };

static bool is_of_class(uint8_t kind)
{
	return kind == SPAN_CLASS_LOAD || kind == SPAN_CLASS_PARSE || kind == SPAN_CLASS_LINK;
}

static uint64_t proven_end(const struct open_span *open, uint64_t start_ns, uint64_t limit_ns)
{
	uint64_t end_ns = open->related_ns;

	if (end_ns == 0) {
		end_ns = start_ns + LOOK_UP_NS;
		if (open->next_event_ns && open->next_event_ns < end_ns)
			end_ns = open->next_event_ns;
	}
	return end_ns < limit_ns ? end_ns : limit_ns;
}

/* What an inner one tells of the one around it: parsing and verifying a class load others, a request for it asks
 * other loaders for the same. */
static void relate(struct open_span *below, const struct open_span *inner, uint64_t end_ns)
{
	bool is_related = below->kind == SPAN_CLASS_LOAD ? inner->name == below->name : is_of_class(inner->kind);

	if (is_related && is_of_class(below->kind) && end_ns > below->related_ns)
		below->related_ns = end_ns;
	/* A class is often asked for more than once on the way down (a loader asks its parent): its reads are its
	 * outermost's. */
	if (below->kind == SPAN_CLASS_LOAD && inner->kind == SPAN_CLASS_LOAD && below->name == inner->name &&
	    inner->read_event != NO_INDEX) {
		below->read_event = inner->read_event;
		below->read_bytes += inner->read_bytes;
	}
}

static void pop(struct load *load, uint32_t thread, uint64_t time_ns, uint8_t flags)
{
	struct thread_state *state = &load->threads.items[thread];
	const struct open_span top = state->open.items[--state->open.count];
	struct span *span = &load->model->threads.list.items[thread].spans.items[top.span];

	if (flags & (SPAN_END_ESTIMATED | SPAN_END_UNSEEN) && is_of_class(top.kind))
		time_ns = proven_end(&top, span->start_ns, time_ns);
	span->end_ns = time_ns > span->start_ns ? time_ns : span->start_ns;
	span->flags |= flags;
	if (state->open.count)
		relate(&state->open.items[state->open.count - 1], &top, span->end_ns);
}

/* Whether an event shows that Java code runs, or that the VM does something else than verifying or parsing. */
static bool is_elsewhere(const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_EXCEPTION:
	case EVENT_SOCKET_ACCEPT:
	case EVENT_SOCKET_CONNECT:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
		return true;
	case EVENT_SAMPLE: {
		const struct event_sample *sample = (const struct event_sample *)event;

		return sample->mode == SAMPLE_USER && (sample->code == CODE_INTERPRETED || sample->code == CODE_C1 ||
						       sample->code == CODE_C2 || sample->code == CODE_COMPILED);
	}
	case EVENT_VM_WAIT: {
		uint32_t reason = ((const struct event_vm_wait *)event)->reason;

		return reason == VM_WAIT_MONITOR || reason == VM_WAIT_OBJECT || reason == VM_WAIT_PARK ||
		       reason == VM_WAIT_SLEEP;
	}
	default:
		return false;
	}
}

/* Verifying and parsing load classes, and run Java code only in a request for one. */
static bool shows_return(const struct open_span *top, const struct event_header *event)
{
	return (top->kind == SPAN_CLASS_LINK || top->kind == SPAN_CLASS_PARSE) && is_elsewhere(event);
}

/* What a thread does by its own will: a fault or a displacement says nothing of where it is. */
static bool is_a_step(const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_SWITCH_OUT:
	case EVENT_SWITCH_IN:
	case EVENT_INTERRUPT:
	case EVENT_FAULT:
	case EVENT_SYSCALL:
	case EVENT_FILE_MAP:
	case EVENT_THREAD_NAME:
		return false;
	default:
		return true;
	}
}

void spans_note(struct load *load, uint32_t thread, const struct event_header *event)
{
	struct thread_state *state = &load->threads.items[thread];
	const uint64_t *duration_ns = event_duration((struct event_header *)event);
	uint64_t start_ns = event->time_ns - (duration_ns ? *duration_ns : 0);

	if (state->open.count == 0 || !is_a_step(event))
		return;
	if (state->open.items[state->open.count - 1].next_event_ns == 0)
		state->open.items[state->open.count - 1].next_event_ns = start_ns;
	while (state->open.count && shows_return(&state->open.items[state->open.count - 1], event))
		pop(load, thread, start_ns, SPAN_END_ESTIMATED);
}

void spans_prove_load(struct load *load, uint32_t thread, uint64_t time_ns)
{
	struct thread_state *state = &load->threads.items[thread];

	if (state->open.count && state->open.items[state->open.count - 1].kind == SPAN_CLASS_LOAD)
		state->open.items[state->open.count - 1].related_ns = time_ns;
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

void spans_on_return(struct load *load, uint32_t thread, uint64_t stack_pointer, uint64_t time_ns)
{
	struct thread_state *state = &load->threads.items[thread];

	if (stack_pointer == 0)
		return;
	while (state->open.count) {
		const struct open_span *top = &state->open.items[state->open.count - 1];

		if (top->stack_pointer == 0 || top->stack_pointer > stack_pointer || top->kind == SPAN_CLASS_INIT)
			break;
		/* The last frame to return is the one that this is about. */
		bool is_last =
			state->open.count == 1 || top[-1].stack_pointer == 0 || top[-1].stack_pointer > stack_pointer;

		pop(load, thread, is_last ? time_ns : state->last_event_ns, is_last ? 0 : SPAN_END_ESTIMATED);
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
	size_t after = first_where(spans->count, i, spans->items[i].start_ns > time_ns);
	uint32_t span = after ? (uint32_t)(after - 1) : NO_INDEX;
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
