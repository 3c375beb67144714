#include "analyze/tiles.h"

#include "base/search.h"

#define M(NAME, name, words)                                                                                         \
	_Static_assert((int)MAPPING_##NAME == (int)REGION_##NAME,                                                    \
		       "mapping kinds and the model's regions are one list");
MAPPING_KIND_TABLE(M)
#undef M

enum { FILE_TYPE_FIFO = 1, FILE_TYPE_FOLDER = 4, FILE_TYPE_REGULAR = 8 };

static enum cause cause_of_call(const struct model *model, const struct event_syscall *call)
{
	bool is_file = call->file_type == FILE_TYPE_REGULAR || call->file_type == FILE_TYPE_FOLDER;

	switch (model_call_class(model, call->number)) {
	case CALL_MEMORY:
		return CAUSE_FILE_MAP;
	case CALL_STAT:
		return CAUSE_FILE_LOOKUP;
	case CALL_OPEN:
		return CAUSE_FILE_OPEN;
	case CALL_SYNC:
		return CAUSE_FILE_WRITE;
	case CALL_SEEK:
	case CALL_READ:
		return is_file ? CAUSE_FILE_READ : CAUSE_KERNEL_SYSCALL;
	case CALL_WRITE:
		return is_file ? CAUSE_FILE_WRITE : CAUSE_KERNEL_SYSCALL;
	case CALL_CLOSE:
		return is_file ? CAUSE_FILE_CLOSE : CAUSE_KERNEL_SYSCALL;
	default:
		return CAUSE_KERNEL_SYSCALL;
	}
}

/* The pause that a VM thread makes at a time, or NULL. */
static const struct pause *pause_at(const struct model *model, uint32_t thread, uint64_t time_ns)
{
	size_t after = first_where(model->jvm.pauses.count, i, model->jvm.pauses.items[i].start_ns > time_ns);

	/* Pauses of several JVMs interleave; those of one do not overlap. */
	for (; after > 0; after--) {
		const struct pause *pause = &model->jvm.pauses.items[after - 1];

		if (pause->thread == thread)
			return pause->end_ns >= time_ns ? pause : NULL;
	}
	return NULL;
}

static bool is_in_collection(const struct model *model, uint32_t thread, uint64_t time_ns)
{
	const struct pause *pause = pause_at(model, thread, time_ns);

	return pause && pause->is_collection;
}

enum cause cause_of_span(const struct model *model, uint32_t thread, uint32_t index)
{
	const struct span *span = &model->threads.list.items[thread].spans.items[index];

	switch ((enum span_kind)span->kind) {
	case SPAN_SYSCALL:
		return cause_of_call(model, MODEL_EVENT(model, span->event, syscall));
	case SPAN_FILE_OPEN:
		return CAUSE_FILE_OPEN;
	case SPAN_FILE_LOOKUP:
		return CAUSE_FILE_LOOKUP;
	case SPAN_FILE_READ:
		return span->flags & SPAN_ARCHIVE &&
				       model_span_within(model, thread, index, SPAN_CLASS_LOAD) != NO_INDEX
			       ? CAUSE_CLASS_READ
			       : CAUSE_FILE_READ;
	case SPAN_FILE_WRITE:
		return CAUSE_FILE_WRITE;
	case SPAN_FILE_MAP:
		return CAUSE_FILE_MAP;
	case SPAN_FAULT:
		return cause_fault(span->flags & SPAN_MAJOR, (enum mapping_kind)span->region);
	case SPAN_SOCKET_ACCEPT:
	case SPAN_SOCKET_CONNECT:
	case SPAN_SOCKET_READ:
	case SPAN_SOCKET_WRITE:
		return CAUSE_KERNEL_SYSCALL;
	case SPAN_INTERRUPT:
		return CAUSE_KERNEL_INTERRUPT;
	case SPAN_EXCEPTION:
		return CAUSE_EXCEPTION_FILL;
	case SPAN_NATIVE_THROW:
		return CAUSE_EXCEPTION_NATIVE;
	case SPAN_CLASS_LOAD:
		return CAUSE_CLASS_FIND;
	case SPAN_CLASS_PARSE:
		return CAUSE_CLASS_PARSE;
	case SPAN_CLASS_LINK:
		return CAUSE_CLASS_LINK;
	case SPAN_CLASS_INIT:
		return CAUSE_CLASS_INIT;
	case SPAN_COMPILE: /* the path is on a compiler thread only where somebody waited for it */
		return CAUSE_JIT_WAIT;
	case SPAN_GC:
		return CAUSE_GC_PAUSE;
	case SPAN_SAFEPOINT:
		return is_in_collection(model, thread, span->start_ns) ? CAUSE_GC_PAUSE : CAUSE_SAFEPOINT_WAIT;
	case SPAN_VM_OPERATION:
		if (!pause_at(model, thread, span->start_ns))
			return CAUSE_CODE_VM; /* beside the running Java threads */
		return is_in_collection(model, thread, span->start_ns) ? CAUSE_GC_PAUSE : CAUSE_SAFEPOINT_WAIT;
	}
	return CAUSE_UNEXPLAINED;
}

uint8_t inside_of_span(const struct model *model, uint32_t thread, uint32_t index)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	uint8_t inside = 0;

	for (; index != NO_INDEX; index = spans->items[index].parent) {
		switch ((enum span_kind)spans->items[index].kind) {
		case SPAN_CLASS_LOAD:
		case SPAN_CLASS_PARSE:
		case SPAN_CLASS_LINK:
			inside |= INSIDE_CLASS_LOADING;
			break;
		case SPAN_CLASS_INIT:
			inside |= INSIDE_CLASS_INIT;
			break;
		case SPAN_EXCEPTION:
			inside |= INSIDE_EXCEPTION;
			break;
		case SPAN_FILE_OPEN:
		case SPAN_FILE_LOOKUP:
		case SPAN_FILE_READ:
		case SPAN_FILE_WRITE:
			inside |= INSIDE_FILE;
			break;
		case SPAN_FAULT:
			inside |= INSIDE_FAULT;
			break;
		default:
			break;
		}
	}
	return inside;
}

/* ---- between spans ---- */

/* A process that never mapped a JVM runs nothing but native code. */
static bool cause_of_sample(const struct model *model, uint32_t thread, uint32_t event, enum cause *ret_cause)
{
	const struct event_sample *sample = MODEL_EVENT(model, event, sample);
	const struct thread *of = &model->threads.list.items[thread];

	if (sample->mode != SAMPLE_USER)
		return false; /* in the kernel, yet in no call or fault that was recorded */
	switch ((enum code_type)sample->code) {
	case CODE_INTERPRETED:
		*ret_cause = CAUSE_CODE_INTERPRETED;
		return true;
	case CODE_C1:
		*ret_cause = CAUSE_CODE_C1;
		return true;
	case CODE_C2:
		*ret_cause = CAUSE_CODE_C2;
		return true;
	case CODE_NATIVE_METHOD:
		*ret_cause = CAUSE_CODE_NATIVE_METHOD;
		return true;
	case CODE_VM:
	case CODE_STUB: /* the VM's own generated code */
		*ret_cause = CAUSE_CODE_VM;
		return true;
	case CODE_NATIVE:
		*ret_cause = CAUSE_CODE_NATIVE;
		return true;
	case CODE_COMPILED:
	case CODE_UNKNOWN:
		*ret_cause = CAUSE_CODE_NATIVE;
		return sample->code == CODE_UNKNOWN && !model->threads.processes.items[of->process].is_jvm;
	}
	return false;
}

struct running {
	const struct model *model;
	uint32_t thread, interval;
	uint64_t window_start_ns, window_end_ns;
	tile_sink *sink;
	void *context;
};

static void give(const struct running *running, uint64_t start_ns, uint64_t end_ns, uint32_t span, enum cause cause,
		 uint32_t evidence, bool is_estimated)
{
	running->sink(running->context, (struct tile){.start_ns = start_ns,
						      .end_ns = end_ns,
						      .thread = running->thread,
						      .evidence = evidence,
						      .span = span,
						      .interval = running->interval,
						      .wake = NO_INDEX,
						      .cause = (uint16_t)cause,
						      .inside = inside_of_span(running->model, running->thread, span),
						      .is_estimated = is_estimated});
}

static uint64_t sample_time(const struct running *running, size_t at)
{
	const struct thread *thread = &running->model->threads.list.items[running->thread];

	return running->model->events[thread->samples.items[at]]->time_ns;
}

/* Each nanosecond belongs to the sample nearest to it, within reach: a sample's part ends half-way to the next. */
static void split_by_samples(const struct running *running, uint64_t start_ns, uint64_t end_ns)
{
	const struct thread *thread = &running->model->threads.list.items[running->thread];
	uint32_t proof = thread->intervals.items[running->interval].event;
	size_t next = first_where(thread->samples.count, i, sample_time(running, i) >= end_ns);

	while (end_ns > start_ns) {
		uint64_t last_ns = end_ns - 1, from_ns = start_ns;
		size_t nearest = SIZE_MAX;

		while (next > 0 && sample_time(running, next - 1) > last_ns)
			next--;

		bool has_next = next < thread->samples.count && sample_time(running, next) < running->window_end_ns;
		bool has_previous = next > 0 && sample_time(running, next - 1) >= running->window_start_ns;
		uint64_t next_ns = has_next ? sample_time(running, next) : 0;
		uint64_t previous_ns = has_previous ? sample_time(running, next - 1) : 0;
		uint64_t middle_ns =
			has_next ? (has_previous ? previous_ns + (next_ns - previous_ns) / 2 : 0) : UINT64_MAX;
		uint64_t bound_ns;

		if (has_next && last_ns >= middle_ns && next_ns - last_ns <= SAMPLE_REACH_NS) {
			nearest = next;
			bound_ns = next_ns > SAMPLE_REACH_NS ? next_ns - SAMPLE_REACH_NS : 0;
			if (bound_ns < middle_ns)
				bound_ns = middle_ns;
		} else if (has_previous && last_ns < middle_ns && last_ns - previous_ns < SAMPLE_REACH_NS) {
			nearest = next - 1;
			bound_ns = previous_ns > SAMPLE_REACH_NS ? previous_ns - SAMPLE_REACH_NS : 0;
			if (next > 1 && sample_time(running, next - 2) >= running->window_start_ns) {
				uint64_t before_ns = sample_time(running, next - 2);
				uint64_t half_ns = before_ns + (previous_ns - before_ns) / 2;

				if (bound_ns < half_ns)
					bound_ns = half_ns;
			}
		} else {
			bound_ns = has_previous ? previous_ns + SAMPLE_REACH_NS : 0;
		}
		if (bound_ns > from_ns)
			from_ns = bound_ns;

		enum cause cause = CAUSE_CODE_UNSPLIT;
		uint32_t sample = nearest == SIZE_MAX ? NO_INDEX : thread->samples.items[nearest];
		bool is_split =
			sample != NO_INDEX && cause_of_sample(running->model, running->thread, sample, &cause);

		give(running, from_ns, end_ns, NO_INDEX, is_split ? cause : CAUSE_CODE_UNSPLIT,
		     is_split ? sample : proof, is_split);
		end_ns = from_ns;
	}
}

void tiles_of_running(const struct model *model, uint32_t thread, uint32_t interval, uint64_t start_ns,
		      uint64_t end_ns, uint64_t window_start_ns, uint64_t window_end_ns, tile_sink *sink,
		      void *context)
{
	const struct running running = {.model = model,
					.thread = thread,
					.interval = interval,
					.window_start_ns = window_start_ns,
					.window_end_ns = window_end_ns,
					.sink = sink,
					.context = context};

	while (end_ns > start_ns) {
		uint64_t from_ns;
		uint32_t span = model_span_at(model, thread, end_ns - 1, &from_ns);

		if (from_ns < start_ns)
			from_ns = start_ns;
		if (span == NO_INDEX)
			split_by_samples(&running, from_ns, end_ns);
		else
			give(&running, from_ns, end_ns, span, cause_of_span(model, thread, span),
			     model->threads.list.items[thread].spans.items[span].event, false);
		end_ns = from_ns;
	}
}
