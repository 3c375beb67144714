/* Call stacks and the names of their frames: collected before the pass, asked for by analyze. */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static uint64_t frame_key(uint32_t type, uint64_t object, uint64_t at)
{
	return hash_combine(hash_combine(type, object), at);
}

static uint64_t name_key(const struct event_frame_name *name)
{
	return frame_key(name->type, name->code ? name->code : name->method, name->at);
}

/* The next of the NUL-separated parts of a tail, "" beyond the last. */
static const char *part(const char **at, const char *end)
{
	const char *text = *at < end ? *at : "";

	if (*at < end)
		*at += strlen(*at) + 1;
	return text;
}

static struct frame_text read_name(const struct event_frame_name *name)
{
	size_t length;
	const char *at = MODEL_TAIL(name, &length), *end = at + length;
	struct frame_text text = {.class_name = part(&at, end)};
	const char *line;

	text.method = part(&at, end);
	text.file = part(&at, end);
	line = part(&at, end);
	text.line = *line ? strtoll(line, NULL, 10) : -1;
	return text;
}

/* Read here, once: the stacks of a run ask for each name ten times. */
static void collect_frame_name(struct model *model, uint32_t index)
{
	const struct event_frame_name *name = MODEL_EVENT(model, index, frame_name);
	uint32_t link = (uint32_t)model->jvm.frame_names.count;
	bool is_new;
	uint64_t *first = map_set(&model->jvm.frame_name_first, name_key(name), link, &is_new);

	*vec_push(&model->jvm.frame_names) = (struct frame_name_link){.text = read_name(name), .next = NO_INDEX};
	if (is_new)
		return;

	uint32_t last = (uint32_t)*first;

	for (uint32_t steps = 1; model->jvm.frame_names.items[last].next != NO_INDEX; steps++) {
		if (steps >= FRAME_TEXTS_MAX)
			return;
		last = model->jvm.frame_names.items[last].next;
	}
	model->jvm.frame_names.items[last].next = link;
}

void jvm_collect(struct load *load, uint32_t index, const struct event_header *event)
{
	struct model *model = load->model;

	if (event->kind == EVENT_STACK)
		map_set(&model->jvm.stack_by_id, ((const struct event_stack *)event)->stack_id, index, NULL);
	else if (event->kind == EVENT_FRAME_NAME)
		collect_frame_name(model, index);
	else
		*vec_push(&model->jvm.symbol_events) = index;
}

/* By address, then by event: the same order every time. The models' events are reached through the context. */
static int compare_symbols(const void *left, const void *right, void *context)
{
	const struct model *model = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t address_a = MODEL_EVENT(model, a, symbol)->address,
		 address_b = MODEL_EVENT(model, b, symbol)->address;

	if (address_a != address_b)
		return address_a < address_b ? -1 : 1;
	return a < b ? -1 : a > b;
}

void stacks_prepare(struct load *load)
{
	struct model *model = load->model;

	if (model->jvm.symbol_events.count)
		qsort_r(model->jvm.symbol_events.items, model->jvm.symbol_events.count, sizeof(uint32_t),
			compare_symbols, model);
}

/* ---- questions ---- */

uint64_t model_stack_id(const struct model *model, uint64_t given_id)
{
	return given_id && !map_find(&model->jvm.stack_by_id, given_id) ? given_id & ~STACK_ID_BORROWED : given_id;
}

const struct stack_frame *model_stack(const struct model *model, uint64_t stack_id, uint32_t *ret_count,
				      uint32_t *ret_flags)
{
	uint64_t *event = stack_id ? map_find(&model->jvm.stack_by_id, model_stack_id(model, stack_id)) : NULL;

	*ret_count = 0;
	if (ret_flags)
		*ret_flags = 0;
	if (!event)
		return NULL;

	const struct event_stack *stack = MODEL_EVENT(model, *event, stack);
	size_t length;
	const char *frames = MODEL_TAIL(stack, &length);

	*ret_count = (uint32_t)(length / sizeof(struct stack_frame));
	if (stack->frame_count < *ret_count)
		*ret_count = stack->frame_count;
	if (ret_flags)
		*ret_flags = stack->flags;
	return (const struct stack_frame *)frames;
}

uint32_t model_frame_names(const struct model *model, const struct stack_frame *frame,
			   struct frame_text ret_names[FRAME_TEXTS_MAX])
{
	uint64_t *first = map_find(&model->jvm.frame_name_first, frame_key(frame->type, frame->method, frame->at));
	uint32_t count = 0;

	for (uint32_t link = first ? (uint32_t)*first : NO_INDEX; link != NO_INDEX && count < FRAME_TEXTS_MAX;
	     link = model->jvm.frame_names.items[link].next)
		ret_names[count++] = model->jvm.frame_names.items[link].text;
	if (count == 0 && frame->method == 0) {
		const char *symbol = model_symbol(model, frame->at);

		if (symbol) {
			ret_names[0] =
				(struct frame_text){.class_name = "", .method = symbol, .file = "", .line = -1};
			count = 1;
		}
	}
	return count;
}

const char *model_symbol(const struct model *model, uint64_t address)
{
	const uint32_t *events = model->jvm.symbol_events.items;
	size_t after = first_where(model->jvm.symbol_events.count, i,
				   MODEL_EVENT(model, events[i], symbol)->address > address);

	if (after == 0)
		return NULL;

	const struct event_symbol *symbol = MODEL_EVENT(model, events[after - 1], symbol);

	return address - symbol->address < (symbol->length ? symbol->length : 1) ? symbol->tail : NULL;
}
