/* What all views of a flame share: the phase's window, stacks as frames, and words for spans and waits. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/flame_internal.h"
#include "analyze/inventory_internal.h"
#include "analyze/span_title.h"
#include "base/auto.h"

void flame_add(struct flame_builder *builder, uint32_t node, int64_t value, int64_t duration_ns)
{
	builder->flame->nodes.items[node].value += value;
	builder->flame->nodes.items[node].duration_ns += duration_ns;
}

uint32_t flame_push_text(struct flame_builder *builder, uint32_t parent, enum flame_kind kind, const char *text)
{
	return flame_child(builder->flame, parent, kind, text);
}

uint32_t flame_push(struct flame_builder *builder, uint32_t parent, enum flame_kind kind, const char *format, ...)
{
	va_list arguments;
	auto_free char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	return flame_child(builder->flame, parent, kind, text);
}

/* ---- stacks ---- */

static enum flame_kind kind_of_frame(uint32_t type)
{
	switch ((enum code_type)type) {
	case CODE_INTERPRETED:
	case CODE_C1:
	case CODE_C2:
	case CODE_COMPILED:
	case CODE_NATIVE_METHOD:
		return FLAME_KIND_JAVA;
	case CODE_VM:
	case CODE_STUB:
		return FLAME_KIND_VM;
	case CODE_UNKNOWN:
	case CODE_NATIVE:
		break;
	}
	return FLAME_KIND_NATIVE;
}

static void add_frame(struct flame_builder *builder, const struct stack_frame *frame)
{
	struct frame_text texts[FRAME_TEXTS_MAX];
	uint32_t levels = model_frame_names(builder->model, frame, texts);

	while (levels-- > 0) { /* the outermost of inlined methods first */
		const struct frame_text *text = &texts[levels];
		const char *class_name = class_name_dotted(&builder->scratch, text->class_name);
		const char *name = *class_name ? arena_format(&builder->scratch, "%s.%s", class_name, text->method)
					       : text->method;

		*vec_push(&builder->frames) = (struct flame_frame){
			.name = strpool_add_text(&builder->flame->names, name),
			.kind = (uint8_t)(*class_name ? FLAME_KIND_JAVA : kind_of_frame(frame->type)),
		};
	}
}

const struct flame_frame *flame_stack_frames(struct flame_builder *builder, uint64_t stack_id, uint32_t *ret_count)
{
	bool is_new;
	uint32_t place = (uint32_t)*map_set(&builder->stack_places, stack_id, builder->stacks.count, &is_new);

	if (is_new) {
		uint32_t count, first = (uint32_t)builder->frames.count;
		const struct stack_frame *frames = model_stack(builder->model, stack_id, &count, NULL);

		while (frames && count-- > 0)
			add_frame(builder, &frames[count]);
		*vec_push(&builder->stacks) = (struct flame_stack){first, (uint32_t)builder->frames.count - first};
	}
	*ret_count = builder->stacks.items[place].count;
	return *ret_count ? builder->frames.items + builder->stacks.items[place].first : NULL;
}

uint32_t flame_push_frames(struct flame_builder *builder, uint32_t parent, uint64_t stack_id, uint32_t count)
{
	uint32_t stack_count;
	const struct flame_frame *frames = flame_stack_frames(builder, stack_id, &stack_count);
	uint64_t place = *map_find(&builder->stack_places, stack_id);
	uint64_t prefix = *map_set(&builder->prefixes, place << 32 | count, builder->prefixes.count, NULL);
	bool is_new;
	uint64_t *node = map_set(&builder->placed, (uint64_t)parent << 32 | prefix, 0, &is_new);

	if (!is_new)
		return (uint32_t)*node;
	for (uint32_t i = 0; i < count && i < stack_count; i++)
		parent = flame_child_named(builder->flame, parent, (enum flame_kind)frames[i].kind, frames[i].name);
	*node = parent;
	return parent;
}

uint32_t flame_push_stack(struct flame_builder *builder, uint32_t parent, uint64_t stack_id)
{
	uint32_t count;

	flame_stack_frames(builder, stack_id, &count);
	return flame_push_frames(builder, parent, stack_id, count);
}

/* ---- threads, spans and waits ---- */

uint32_t flame_push_thread(struct flame_builder *builder, uint32_t parent, uint32_t thread, uint64_t time_ns)
{
	const char *name = thread == NO_INDEX ? "" : model_thread_name(builder->model, thread, time_ns);

	if (thread == NO_INDEX)
		return flame_push_text(builder, parent, FLAME_KIND_THREAD, "(thread not known)");
	if (!*name)
		return flame_push(builder, parent, FLAME_KIND_THREAD, "thread %u",
				  builder->model->threads.list.items[thread].tid);
	return flame_push_text(builder, parent, FLAME_KIND_THREAD, name);
}

uint32_t flame_push_span(struct flame_builder *builder, uint32_t parent, const struct span *span)
{
	return flame_child(builder->flame, parent, span_flame_kind(span),
			   span_title(builder->model, span, &builder->scratch));
}

uint64_t flame_wait_stack(const struct model *model, uint32_t thread, uint32_t interval)
{
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;

	/* A runnable stretch after a wait began with the wait's own switch. */
	for (uint32_t at = interval, tries = 0; tries < 2; at--, tries++) {
		const struct interval *of = &intervals->items[at];

		if (of->event != NO_INDEX && model->events[of->event]->kind == EVENT_SWITCH_OUT)
			return MODEL_EVENT(model, of->event, switch_out)->stack_id;
		if (at == 0 || of->state != INTERVAL_RUNNABLE)
			break;
	}
	return 0;
}

static const char *waker_of(struct flame_builder *builder, uint32_t event)
{
	static const char *const contexts[] = {"", "the timer", "the network", "the disk", "an interrupt"};
	const struct model *model = builder->model;
	const struct event_wake *wake = MODEL_EVENT(model, event, wake);
	uint32_t thread;

	if (wake->context && wake->context < array_length(contexts))
		return contexts[wake->context];
	thread = wake->header.tid ? model_thread_at(model, wake->header.tid, wake->header.time_ns) : NO_INDEX;
	if (thread != NO_INDEX && model->threads.list.items[thread].pid == wake->header.pid) {
		const char *name = model_thread_name(model, thread, wake->header.time_ns);

		return *name ? name : arena_format(&builder->scratch, "thread %u", wake->header.tid);
	}
	return wake->tail[0] ? arena_format(&builder->scratch, "%s of another program", wake->tail)
			     : "another program";
}

static enum flame_kind kind_of_wait(const struct interval *interval)
{
	switch ((enum vm_wait_reason)interval->reason) {
	case VM_WAIT_MONITOR:
	case VM_WAIT_OBJECT:
	case VM_WAIT_PARK:
	case VM_WAIT_MUTEX:
	case VM_WAIT_CLASS_INIT:
		return FLAME_KIND_LOCK;
	case VM_WAIT_SAFEPOINT:
	case VM_WAIT_COMPILE:
	case VM_WAIT_ALLOCATION:
		return FLAME_KIND_VM;
	case VM_WAIT_SLEEP:
		break;
	}
	return FLAME_KIND_WAIT;
}

uint32_t flame_push_wait(struct flame_builder *builder, uint32_t parent, uint32_t thread, uint32_t index)
{
	static const char *const reasons[] = {
		[VM_WAIT_MONITOR] = "wait for a Java monitor",
		[VM_WAIT_OBJECT] = "Object.wait",
		[VM_WAIT_PARK] = "parked",
		[VM_WAIT_MUTEX] = "wait for a mutex of the VM",
		[VM_WAIT_SAFEPOINT] = "stopped for a safepoint",
		[VM_WAIT_COMPILE] = "wait for a compilation",
		[VM_WAIT_SLEEP] = "sleep",
		[VM_WAIT_ALLOCATION] = "stalled on an allocation",
		[VM_WAIT_CLASS_INIT] = "wait for a class's initialisation",
	};
	const struct model *model = builder->model;
	const struct interval *interval = &model->threads.list.items[thread].intervals.items[index];
	uint32_t wake = model_interval_wake(model, thread, index);

	if (interval->state == INTERVAL_RUNNABLE)
		return flame_push_text(builder, parent, FLAME_KIND_CPU,
				       interval->flags & INTERVAL_THROTTLED ? "throttled by the CPU quota"
									    : "ready to run, but the CPU was taken");
	if (interval->reason && interval->reason < array_length(reasons) && reasons[interval->reason]) {
		parent = flame_push_text(builder, parent, kind_of_wait(interval), reasons[interval->reason]);
	} else if (model->events[interval->event]->kind == EVENT_SWITCH_OUT) {
		uint32_t number = MODEL_EVENT(model, interval->event, switch_out)->syscall_number;

		parent = number ? flame_push(builder, parent, FLAME_KIND_WAIT, "wait in %s",
					     model_call_name(model, number - 1))
				: flame_push_text(builder, parent, FLAME_KIND_WAIT, "wait for a page or the kernel");
	}
	if (wake == NO_INDEX)
		return parent;
	return flame_push(builder, parent, FLAME_KIND_WAIT, "woken by %s", waker_of(builder, wake));
}

/* ---- the whole ---- */

static void set_window(struct flame_builder *builder, int phase)
{
	const struct report *report = builder->report;

	builder->start_ns = builder->end_ns = builder->model->exec_ns;
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *of = &report->phases[i];
		bool is_first = builder->end_ns == builder->model->exec_ns;

		if (phase != FLAME_ALL_PHASES && (int)of->phase != phase)
			continue;
		if (is_first || phase != FLAME_ALL_PHASES)
			builder->start_ns = builder->model->exec_ns + (uint64_t)of->start_ns;
		builder->end_ns = builder->model->exec_ns + (uint64_t)of->end_ns;
	}
}

void flame_build(const struct model *model, const struct report *report, enum flame_by by, int phase,
		 struct flame *ret_flame)
{
	struct flame_builder builder = {.model = model, .report = report, .flame = ret_flame};

	flame_begin(ret_flame, by, phase);
	set_window(&builder, phase);
	switch (by) {
	case FLAME_CRITICAL_PATH:
		flame_build_path(&builder);
		break;
	case FLAME_ON_CPU:
		flame_build_on_cpu(&builder);
		break;
	case FLAME_OFF_CPU:
		flame_build_off_cpu(&builder);
		break;
	default:
		flame_build_events(&builder);
		break;
	}
	flame_finish(ret_flame);
	flame_known_done(&builder);
	map_done(&builder.stack_places);
	map_done(&builder.prefixes);
	map_done(&builder.placed);
	vec_done(&builder.stacks);
	vec_done(&builder.frames);
	arena_done(&builder.scratch);
}
