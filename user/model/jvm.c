#include "model/load.h"

#include <stdlib.h>
#include <string.h>

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
	static const char *const words[] = {"Collect", "GC",	    "ZMark",	  "ZRelocate", "ZOperation",
					    "XMark",   "XRelocate", "Shenandoah", "G1Pause",   "G1Concurrent"};

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

/* HotSpot's modes: an operation of mode 0 runs with the Java threads stopped. Where the safepoint itself was not
 * seen, the operation is what is known of the pause. */
static void on_vm_operation(struct load *load, uint32_t thread, uint32_t index,
			    const struct event_vm_operation *event)
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

static void on_exception(struct load *load, uint32_t thread, uint32_t index, const struct event_exception *event)
{
	uint64_t start_ns = event->header.time_ns - event->duration_ns;

	if (event->flags & EXCEPTION_COUNTED)
		return;
	spans_on_stack_pointer(load, thread, event->stack_pointer, start_ns);
	spans_add(load, thread, SPAN_EXCEPTION, index, start_ns, event->header.time_ns)->name = name_of(load, event);
	if (strstr(event->tail, "ClassNotFound") || strstr(event->tail, "NoClassDefFound"))
		spans_prove_load(load, thread, event->header.time_ns);
}

static void on_throw(struct load *load, uint32_t thread, uint32_t index, const struct event_native_throw *event)
{
	spans_on_stack_pointer(load, thread, event->stack_pointer, event->header.time_ns);
	spans_open(load, thread, SPAN_NATIVE_THROW, index, event->header.time_ns, event->stack_pointer,
		   name_of(load, event));
}

static void on_wait(struct load *load, uint32_t thread, uint32_t index, const struct event_vm_wait *event)
{
	spans_on_stack_pointer(load, thread, event->stack_pointer, event->header.time_ns);
	schedule_expect_wait(load, thread, (enum vm_wait_reason)event->reason, event->stack_pointer,
			     event->header.time_ns);
	*vec_push(&load->model->threads.list.items[thread].vm_waits) = index;
}

static void on_sample(struct load *load, uint32_t thread, uint32_t index, const struct event_sample *event)
{
	if (event->mode == SAMPLE_USER)
		spans_on_stack_pointer(load, thread, event->stack_pointer, event->header.time_ns);
	*vec_push(&load->model->threads.list.items[thread].samples) = index;
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
	case EVENT_EXCEPTION:
		on_exception(load, thread, index, (const struct event_exception *)event);
		break;
	case EVENT_NATIVE_THROW:
		on_throw(load, thread, index, (const struct event_native_throw *)event);
		break;
	case EVENT_NATIVE_CATCH:
		spans_close(load, thread, SPAN_NATIVE_THROW, 0, time_ns, 0);
		spans_on_stack_pointer(load, thread, ((const struct event_native_catch *)event)->stack_pointer,
				       time_ns);
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
		spans_on_stack_pointer(load, thread, ((const struct event_deoptimize *)event)->stack_pointer,
				       time_ns);
		break;
	case EVENT_SAMPLE:
		on_sample(load, thread, index, (const struct event_sample *)event);
		break;
	case EVENT_VM_WAIT:
		on_wait(load, thread, index, (const struct event_vm_wait *)event);
		break;
	default:
		classes_on_event(load, thread, index, event);
		break;
	}
}

void jvm_finish(struct load *load)
{
	struct model *model = load->model;

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
