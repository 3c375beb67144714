/* Classes on their way into the JVM: asked for, parsed, linked, initialised. Which events end which span: spans.c. */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

void classes_on_read(struct load *load, uint32_t thread, uint32_t index, int64_t bytes)
{
	struct thread_state *state = &load->threads.items[thread];

	state->read_event = index;
	state->read_bytes += bytes > 0 ? (uint64_t)bytes : 0;
	for (size_t i = state->open.count; i > 0; i--) {
		struct open_span *open = &state->open.items[i - 1];

		if (open->kind != SPAN_CLASS_LOAD)
			continue;
		open->read_event = index;
		open->read_bytes += bytes > 0 ? (uint64_t)bytes : 0;
		return;
	}
}

static bool is_top_of_class(const struct thread_state *state, uint32_t name, bool with_link)
{
	if (state->open.count == 0)
		return false;

	const struct open_span *top = &state->open.items[state->open.count - 1];

	return top->name == name && (top->kind == SPAN_CLASS_LOAD || top->kind == SPAN_CLASS_PARSE ||
				     (with_link && top->kind == SPAN_CLASS_LINK));
}

/* A hidden class is parsed under the name in its file, and loaded under that and "+0x…" ("/0x…" before 21). */
static uint32_t begun_name(struct load *load, const struct event_class_loaded *event, uint32_t name)
{
	size_t length;
	const char *text = MODEL_TAIL(event, &length), *suffix = NULL;

	for (const char *at = text; (at = strstr(at, "0x")) != NULL; at++) {
		if (at > text && (at[-1] == '+' || at[-1] == '/'))
			suffix = at - 1;
	}
	return suffix ? strpool_add(&load->model->strings, text, (size_t)(suffix - text)) : name;
}

/* The VM tells of a class each time it has parsed it, and parses some twice before it defines them: the JDK's own event
 * classes, which JFR changes in between (HotSpot's jfrEventClassTransformer.cpp). */
static bool is_told_again(struct thread_state *state, uint32_t name, uint64_t loader)
{
	bool is_again = state->loaded_name == name && state->loaded_loader == loader;

	state->loaded_name = name;
	state->loaded_loader = loader;
	return is_again;
}

static void on_class_loaded(struct load *load, uint32_t thread, uint32_t index,
			    const struct event_class_loaded *event)
{
	struct model *model = load->model;
	struct thread_state *state = &load->threads.items[thread];
	uint64_t time_ns = event->header.time_ns;
	uint32_t name = name_of(load, event), begun = begun_name(load, event, name);

	if (is_told_again(state, name, event->loader))
		return;

	struct loaded_class *class = vec_push(&model->jvm.classes);
	uint8_t flags = SPAN_LOADED | (event->is_shared ? SPAN_SHARED : 0);

	*class = (struct loaded_class){.loaded_ns = time_ns,
				       .loader = event->loader,
				       .name = name,
				       .thread = thread,
				       .event = index,
				       .span = NO_INDEX,
				       .read_event = NO_INDEX,
				       .is_shared = event->is_shared != 0};
	/* What was begun inside the load or the parsing has ended by now. */
	for (size_t i = state->open.count; i > 0; i--) {
		const struct open_span *open = &state->open.items[i - 1];

		if (open->kind != SPAN_CLASS_LOAD && open->kind != SPAN_CLASS_PARSE && open->kind != SPAN_CLASS_LINK)
			break;
		if (open->kind != SPAN_CLASS_LINK && open->name == begun) {
			while (state->open.count > i)
				spans_close(load, thread, state->open.items[state->open.count - 1].kind, 0, time_ns,
					    SPAN_END_ESTIMATED);
			break;
		}
	}
	while (is_top_of_class(state, begun, false)) {
		const struct open_span open = state->open.items[state->open.count - 1];

		if (open.kind == SPAN_CLASS_LOAD) {
			class->span = open.span;
			class->is_parsed |= open.has_parse;
			if (open.read_event != NO_INDEX) {
				class->read_event = open.read_event;
				class->read_bytes = open.read_bytes;
			}
		} else {
			class->is_parsed = true;
		}
		spans_close(load, thread, (enum span_kind)open.kind, begun, time_ns, flags);
	}
	if (class->read_event == NO_INDEX) {
		class->read_event = state->read_event;
		class->read_bytes = state->read_bytes;
	}
	state->read_event = NO_INDEX;
	state->read_bytes = 0;
	if (class->read_event != NO_INDEX) {
		const struct event_file_read *read = MODEL_EVENT(model, class->read_event, file_read);

		class->read_file = model_file_by_inode(model, read->device, read->inode);
	}
}

/* A step of a class's initialisation shows that parsing and linking it are over. */
static void on_class_init(struct load *load, uint32_t thread, uint32_t index, const struct event_class_init *event)
{
	struct thread_state *state = &load->threads.items[thread];
	uint64_t time_ns = event->header.time_ns;
	uint32_t name = name_of(load, event);

	while (is_top_of_class(state, name, true) && state->open.items[state->open.count - 1].kind != SPAN_CLASS_LOAD)
		spans_close(load, thread, (enum span_kind)state->open.items[state->open.count - 1].kind, name,
			    time_ns, 0);
	switch ((enum class_init_step)event->step) {
	case CLASS_INIT_CLINIT:
		spans_open(load, thread, SPAN_CLASS_INIT, index, time_ns, event->stack_pointer, name);
		break;
	case CLASS_INIT_END:
		spans_close(load, thread, SPAN_CLASS_INIT, name, time_ns, 0);
		break;
	case CLASS_INIT_ERROR:
		spans_close(load, thread, SPAN_CLASS_INIT, name, time_ns, SPAN_FAILED);
		break;
	case CLASS_INIT_CONCURRENT: /* another thread initialises it: this one will wait */
		schedule_expect_wait(load, thread, VM_WAIT_CLASS_INIT, event->stack_pointer, time_ns);
		break;
	case CLASS_INIT_REQUIRED:
	case CLASS_INIT_RECURSIVE:
	case CLASS_INIT_ERRONEOUS:
	case CLASS_INIT_SUPER_FAILED:
		break;
	}
}

static void on_class_parse(struct load *load, uint32_t thread, uint32_t index, const struct event_class_parse *event)
{
	uint32_t name = name_of(load, event);
	struct thread_state *state = &load->threads.items[thread];

	for (size_t i = state->open.count; i > 0; i--) {
		if (state->open.items[i - 1].kind == SPAN_CLASS_LOAD) {
			state->open.items[i - 1].has_parse |= state->open.items[i - 1].name == name;
			break;
		}
	}
	spans_open(load, thread, SPAN_CLASS_PARSE, index, event->header.time_ns, event->stack_pointer, name);
}

void classes_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	uint64_t time_ns = event->time_ns;

	switch ((enum event_kind)event->kind) {
	case EVENT_CLASS_LOAD: {
		const struct event_class_load *asked = (const struct event_class_load *)event;

		spans_on_stack_pointer(load, thread, asked->stack_pointer, time_ns);
		spans_open(load, thread, SPAN_CLASS_LOAD, index, time_ns, asked->stack_pointer, name_of(load, asked));
		break;
	}
	case EVENT_CLASS_LOADED:
		on_class_loaded(load, thread, index, (const struct event_class_loaded *)event);
		spans_on_stack_pointer(load, thread, ((const struct event_class_loaded *)event)->stack_pointer,
				       time_ns);
		break;
	case EVENT_CLASS_PARSE:
		spans_on_stack_pointer(load, thread, ((const struct event_class_parse *)event)->stack_pointer,
				       time_ns);
		on_class_parse(load, thread, index, (const struct event_class_parse *)event);
		break;
	case EVENT_CLASS_LINK: {
		const struct event_class_link *link = (const struct event_class_link *)event;

		spans_on_stack_pointer(load, thread, link->stack_pointer, time_ns);
		spans_open(load, thread, SPAN_CLASS_LINK, index, time_ns, link->stack_pointer, name_of(load, link));
		break;
	}
	case EVENT_CLASS_RETURN:
		spans_on_return(load, thread, ((const struct event_class_return *)event)->stack_pointer, time_ns);
		break;
	case EVENT_CLASS_INIT:
		spans_on_stack_pointer(load, thread, ((const struct event_class_init *)event)->stack_pointer,
				       time_ns);
		on_class_init(load, thread, index, (const struct event_class_init *)event);
		break;
	default:
		break;
	}
}

/* While loading a class named its span by place in order of begin; after sorting the span is found by its event. */
static uint32_t span_of_event(const struct model *model, uint32_t thread, uint32_t event, uint64_t start_ns)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	size_t at = first_where(spans->count, i, spans->items[i].start_ns >= start_ns);

	for (; at < spans->count && spans->items[at].start_ns == start_ns; at++) {
		if (spans->items[at].event == event)
			return (uint32_t)at;
	}
	return NO_INDEX;
}

void classes_before_sort(struct load *load)
{
	for vec_each(class, &load->model->jvm.classes) {
		if (class->span != NO_INDEX)
			class->span = load->model->threads.list.items[class->thread].spans.items[class->span].event;
	}
}

void classes_after_sort(struct load *load)
{
	struct model *model = load->model;

	for vec_each(class, &model->jvm.classes) {
		if (class->span != NO_INDEX)
			class->span =
				span_of_event(model, class->thread, class->span, model->events[class->span]->time_ns);
	}
}
