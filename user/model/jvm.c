#include "model/load.h"

#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

/* The tail of a record as a name. */
#define name_of(load, record)                                                                        \
	({                                                                                           \
		size_t length_;                                                                      \
		const char *name_ = MODEL_TAIL(record, &length_);                                    \
		strpool_add(&(load)->model->strings, name_, length_);                                \
	})

void jvm_on_class_read(struct load *load, uint32_t thread, uint32_t index, int64_t bytes)
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

static void on_class_loaded(struct load *load, uint32_t thread, uint32_t index, const struct event_class_loaded *event)
{
	struct model *model = load->model;
	struct thread_state *state = &load->threads.items[thread];
	uint64_t time_ns = event->header.time_ns;
	uint32_t name = name_of(load, event);
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
	/* Where stack pointers are not known, what was begun inside the load is still open. */
	for (size_t i = state->open.count; i > 0; i--) {
		const struct open_span *open = &state->open.items[i - 1];

		if (open->kind != SPAN_CLASS_LOAD && open->kind != SPAN_CLASS_PARSE && open->kind != SPAN_CLASS_LINK)
			break;
		if (open->kind == SPAN_CLASS_LOAD && open->name == name) {
			while (state->open.count > i)
				spans_close(load, thread, state->open.items[state->open.count - 1].kind, 0, time_ns,
					    SPAN_END_ESTIMATED);
			break;
		}
	}
	while (is_top_of_class(state, name, false)) {
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
		spans_close(load, thread, (enum span_kind)open.kind, name, time_ns, flags);
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
		spans_close(load, thread, (enum span_kind)state->open.items[state->open.count - 1].kind, name, time_ns,
			    SPAN_END_ESTIMATED);
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

/* ---- compilations, collections, pauses ---- */

static void on_compile(struct load *load, uint32_t thread, uint32_t index, const struct event_compile *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;

	model->threads.list.items[thread].has_compiled = true;
	if (event->step == STEP_BEGIN) {
		size_t length;
		const char *compiler = MODEL_TAIL(event, &length), *end = compiler + length;
		const char *class = compiler + strlen(compiler) + 1 <= end ? compiler + strlen(compiler) + 1 : end;
		const char *method = class < end ? class + strlen(class) + 1 : end;
		const char *text = arena_format(&model->arena, "%s.%s", class, method < end ? method : "");

		spans_open(load, thread, SPAN_COMPILE, index, time_ns, 0, strpool_add_text(&model->strings, text));
		load->threads.items[thread].open_compilation = (uint32_t)model->jvm.compilations.count;
		*vec_push(&model->jvm.compilations) = (struct compilation){
			.start_ns = time_ns, .thread = thread, .begin_event = index, .end_event = NO_INDEX};
		return;
	}
	spans_close(load, thread, SPAN_COMPILE, 0, time_ns, 0);

	uint32_t *open = &load->threads.items[thread].open_compilation;

	if (*open == NO_INDEX)
		return;
	model->jvm.compilations.items[*open].end_ns = time_ns;
	model->jvm.compilations.items[*open].end_event = index;
	model->jvm.compilations.items[*open].is_success = event->is_success != 0;
	*open = NO_INDEX;
}

static struct pause *open_pause(struct load *load, uint32_t thread)
{
	uint32_t process = load->model->threads.list.items[thread].process;
	uint32_t pause = load->processes.items[process].open_pause;

	if (pause == NO_INDEX || load->model->jvm.pauses.items[pause].thread != thread)
		return NULL;
	return &load->model->jvm.pauses.items[pause];
}

static void on_gc(struct load *load, uint32_t thread, uint32_t index, const struct event_gc *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;

	model->threads.list.items[thread].has_gc = true;
	if (event->step == STEP_BEGIN) {
		struct pause *pause = open_pause(load, thread);

		if (pause)
			pause->is_collection = true;
		spans_open(load, thread, SPAN_GC, index, time_ns, 0, 0);
		load->threads.items[thread].open_collection = (uint32_t)model->jvm.collections.count;
		*vec_push(&model->jvm.collections) = (struct collection){
			.start_ns = time_ns, .thread = thread, .event = index, .is_full = event->is_full != 0};
		return;
	}
	spans_close(load, thread, SPAN_GC, 0, time_ns, 0);

	uint32_t *open = &load->threads.items[thread].open_collection;

	if (*open != NO_INDEX)
		model->jvm.collections.items[*open].end_ns = time_ns;
	*open = NO_INDEX;
}

/* HotSpot names its stop-the-world operations after what they do; those of the collectors hold one of these. */
static bool is_collection_name(const char *name)
{
	static const char *const words[] = {"Collect", "GC", "ZMark", "ZRelocate", "ZOperation", "XMark", "XRelocate",
					    "Shenandoah", "G1Pause", "G1Concurrent"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(name, words[i]))
			return true;
	}
	return false;
}

static void begin_pause(struct load *load, uint32_t thread, uint32_t index, uint64_t time_ns)
{
	uint32_t process = load->model->threads.list.items[thread].process;

	load->processes.items[process].open_pause = (uint32_t)load->model->jvm.pauses.count;
	*vec_push(&load->model->jvm.pauses) =
		(struct pause){.start_ns = time_ns, .process = process, .thread = thread, .event = index};
}

/* Ends the pause that this event kind began. */
static void end_pause(struct load *load, uint32_t thread, enum event_kind kind, uint64_t time_ns)
{
	struct pause *pause = open_pause(load, thread);

	if (!pause || load->model->events[pause->event]->kind != kind)
		return;
	pause->end_ns = time_ns;
	load->processes.items[pause->process].open_pause = NO_INDEX;
}

static void on_safepoint(struct load *load, uint32_t thread, uint32_t index, const struct event_safepoint *event)
{
	uint64_t time_ns = event->header.time_ns;

	load->model->threads.list.items[thread].has_vm_operations = true;
	if (event->step == STEP_BEGIN) {
		begin_pause(load, thread, index, time_ns);
		spans_open(load, thread, SPAN_SAFEPOINT, index, time_ns, 0, 0);
	} else {
		spans_close(load, thread, SPAN_SAFEPOINT, 0, time_ns, 0);
		end_pause(load, thread, EVENT_SAFEPOINT, time_ns);
	}
}

/* HotSpot's modes: an operation of mode 0 runs with the Java threads stopped. Where the safepoint itself was not seen, the
 * operation is what is known of the pause. */
static void on_vm_operation(struct load *load, uint32_t thread, uint32_t index, const struct event_vm_operation *event)
{
	enum { AT_SAFEPOINT = 0 };
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	uint32_t name = name_of(load, event);

	model->threads.list.items[thread].has_vm_operations = true;
	if (event->step == STEP_BEGIN) {
		if (event->mode == AT_SAFEPOINT && !open_pause(load, thread))
			begin_pause(load, thread, index, time_ns);
		spans_open(load, thread, SPAN_VM_OPERATION, index, time_ns, 0, name);
	} else {
		spans_close(load, thread, SPAN_VM_OPERATION, 0, time_ns, 0);
	}

	struct pause *pause = open_pause(load, thread);

	if (pause && name) {
		pause->operation = name;
		if (is_collection_name(model_text(model, name)))
			pause->is_collection = true;
	}
	if (event->step != STEP_BEGIN)
		end_pause(load, thread, EVENT_VM_OPERATION, time_ns);
}

static void on_state(struct load *load, uint32_t thread, const struct event_jvm_state *event)
{
	struct model_threads *threads = &load->model->threads;
	struct process *process = &threads->processes.items[threads->list.items[thread].process];
	uint64_t *place = NULL;

	switch ((enum jvm_state)event->state) {
	case JVM_STATE_MAPPED:
		place = &process->jvm_mapped_ns;
		break;
	case JVM_STATE_CREATE:
		place = &process->jvm_create_ns;
		break;
	case JVM_STATE_INIT_BEGIN:
		place = &process->jvm_init_begin_ns;
		break;
	case JVM_STATE_INIT_END:
		place = &process->jvm_init_end_ns;
		break;
	case JVM_STATE_ABORT:
		process->has_aborted = true;
		place = &process->jvm_shutdown_ns;
		break;
	case JVM_STATE_SHUTDOWN:
		place = &process->jvm_shutdown_ns;
		break;
	}
	if (place && *place == 0)
		*place = event->header.time_ns;
}

/* ---- the pass ---- */

static bool is_of_jvm(const struct event_header *event)
{
	return event->kind != EVENT_SAMPLE && event->kind != EVENT_NATIVE_THROW && event->kind != EVENT_NATIVE_CATCH;
}

static void push_index(struct thread_events *events, uint32_t index)
{
	*vec_push(events) = index;
}

void jvm_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	struct model_threads *threads = &load->model->threads;
	uint64_t time_ns = event->time_ns;

	if (is_of_jvm(event))
		threads->processes.items[threads->list.items[thread].process].is_jvm = true;
	switch ((enum event_kind)event->kind) {
	case EVENT_JVM_STATE:
		on_state(load, thread, (const struct event_jvm_state *)event);
		break;
	case EVENT_EXCEPTION: {
		const struct event_exception *exception = (const struct event_exception *)event;
		uint64_t start_ns = time_ns - exception->duration_ns;

		spans_on_stack_pointer(load, thread, exception->stack_pointer, start_ns);
		spans_add(load, thread, SPAN_EXCEPTION, index, start_ns, time_ns)->name =
			name_of(load, exception);
		break;
	}
	case EVENT_NATIVE_THROW: {
		const struct event_native_throw *thrown = (const struct event_native_throw *)event;

		spans_on_stack_pointer(load, thread, thrown->stack_pointer, time_ns);
		spans_open(load, thread, SPAN_NATIVE_THROW, index, time_ns, thrown->stack_pointer,
			   name_of(load, thrown));
		break;
	}
	case EVENT_NATIVE_CATCH: {
		const struct event_native_catch *caught = (const struct event_native_catch *)event;

		spans_close(load, thread, SPAN_NATIVE_THROW, 0, time_ns, 0);
		spans_on_stack_pointer(load, thread, caught->stack_pointer, time_ns);
		break;
	}
	case EVENT_CLASS_LOAD: {
		const struct event_class_load *asked = (const struct event_class_load *)event;

		spans_on_stack_pointer(load, thread, asked->stack_pointer, time_ns);
		spans_open(load, thread, SPAN_CLASS_LOAD, index, time_ns, asked->stack_pointer,
			   name_of(load, asked));
		break;
	}
	case EVENT_CLASS_LOADED:
		spans_on_stack_pointer(load, thread, ((const struct event_class_loaded *)event)->stack_pointer, time_ns);
		on_class_loaded(load, thread, index, (const struct event_class_loaded *)event);
		break;
	case EVENT_CLASS_PARSE:
		spans_on_stack_pointer(load, thread, ((const struct event_class_parse *)event)->stack_pointer, time_ns);
		on_class_parse(load, thread, index, (const struct event_class_parse *)event);
		break;
	case EVENT_CLASS_LINK: {
		const struct event_class_link *link = (const struct event_class_link *)event;

		spans_on_stack_pointer(load, thread, link->stack_pointer, time_ns);
		spans_open(load, thread, SPAN_CLASS_LINK, index, time_ns, link->stack_pointer,
			   name_of(load, link));
		break;
	}
	case EVENT_CLASS_INIT:
		spans_on_stack_pointer(load, thread, ((const struct event_class_init *)event)->stack_pointer, time_ns);
		on_class_init(load, thread, index, (const struct event_class_init *)event);
		break;
	case EVENT_COMPILE:
		on_compile(load, thread, index, (const struct event_compile *)event);
		break;
	case EVENT_GC:
		on_gc(load, thread, index, (const struct event_gc *)event);
		break;
	case EVENT_SAFEPOINT:
		on_safepoint(load, thread, index, (const struct event_safepoint *)event);
		break;
	case EVENT_VM_OPERATION:
		on_vm_operation(load, thread, index, (const struct event_vm_operation *)event);
		break;
	case EVENT_DEOPTIMIZE:
		spans_on_stack_pointer(load, thread, ((const struct event_deoptimize *)event)->stack_pointer, time_ns);
		break;
	case EVENT_SAMPLE: {
		const struct event_sample *sample = (const struct event_sample *)event;

		if (sample->mode == SAMPLE_USER)
			spans_on_stack_pointer(load, thread, sample->stack_pointer, time_ns);
		push_index(&threads->list.items[thread].samples, index);
		break;
	}
	case EVENT_VM_WAIT: {
		const struct event_vm_wait *wait = (const struct event_vm_wait *)event;

		spans_on_stack_pointer(load, thread, wait->stack_pointer, time_ns);
		schedule_expect_wait(load, thread, (enum vm_wait_reason)wait->reason, wait->stack_pointer, time_ns);
		push_index(&threads->list.items[thread].vm_waits, index);
		break;
	}
	default:
		break;
	}
}

/* While loading a class named its span by place in order of begin; after sorting the span is found by its event. */
static uint32_t span_of_event(const struct model *model, uint32_t thread, uint32_t event, uint64_t start_ns)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	size_t low = 0, high = spans->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->items[middle].start_ns < start_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < spans->count && spans->items[low].start_ns == start_ns; low++) {
		if (spans->items[low].event == event)
			return (uint32_t)low;
	}
	return NO_INDEX;
}

void jvm_remember_spans(struct load *load)
{
	for vec_each(class, &load->model->jvm.classes) {
		if (class->span != NO_INDEX)
			class->span = load->model->threads.list.items[class->thread].spans.items[class->span].event;
	}
}

void jvm_finish(struct load *load)
{
	struct model *model = load->model;

	for vec_each(class, &model->jvm.classes) {
		if (class->span != NO_INDEX)
			class->span = span_of_event(model, class->thread, class->span,
						    model->events[class->span]->time_ns);
	}
	for vec_each(pause, &model->jvm.pauses) {
		if (pause->end_ns == 0) {
			uint64_t last_ns = load->threads.items[pause->thread].last_event_ns;

			pause->end_ns = last_ns > pause->start_ns ? last_ns : pause->start_ns;
		}
	}
}

void jvm_done(struct model *model)
{
	vec_done(&model->jvm.classes);
	vec_done(&model->jvm.pauses);
	vec_done(&model->jvm.compilations);
	vec_done(&model->jvm.collections);
	map_done(&model->jvm.stack_by_id);
	map_done(&model->jvm.frame_name_first);
	vec_done(&model->jvm.frame_names);
	vec_done(&model->jvm.symbol_events);
}
