/* Perfetto's trace format: packets of descriptors, track events and the kernel's scheduling events. Field numbers are
 * those of the format's definitions.
 *
 * Timestamps are the recording's own clock. A thread's track has its spans; a second track of the process has the
 * critical path of each request, with the cause as the slice's name and where it ran as its arguments, so that it is
 * seen in one row across threads. */
#include <stdlib.h>
#include <string.h>

#include "analyze/timeline.h"
#include "base/auto.h"
#include "base/utf8.h"
#include "render/export.h"
#include "render/export_stacks.h"
#include "render/protobuf.h"

enum packet_field {
	TRACE_PACKET = 1,
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum track_event_field {
	EVENT_DEBUG_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
};

enum track_event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3 };
enum ftrace_field { FTRACE_TIMESTAMP = 1, FTRACE_PID = 2, FTRACE_SCHED_SWITCH = 4, FTRACE_SCHED_WAKING = 20 };
enum sequence_flag { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { PRIORITY_NORMAL = 120, CPUS_MAX = 4096, BUNDLE_BYTES = 1 << 16, SEQUENCE = 1, ROOT_TRACK = 1 };

struct trace {
	FILE *out;
	struct protobuf head, packet, body, nested, small;
	struct protobuf bundles[CPUS_MAX]; /* events of each CPU that wait to be written */
	struct arena names;
	bool has_begun;
};

static uint64_t process_track(uint32_t pid)
{
	return (uint64_t)1 << 40 | pid;
}

static uint64_t thread_track(uint32_t tid)
{
	return (uint64_t)2 << 40 | tid;
}

/* Requests overlap each other: each has a track of its own. */
static uint64_t request_track(int64_t index)
{
	return (uint64_t)3 << 40 | (uint64_t)index;
}

static const char *safe(struct trace *trace, const char *text)
{
	if (trace->names.total_bytes > 1 << 20)
		arena_done(&trace->names);
	return export_safe(&trace->names, text);
}

static void put_packet(struct trace *trace)
{
	protobuf_clear(&trace->head);
	protobuf_varint(&trace->head, TRACE_PACKET << 3 | 2); /* the key of a field of bytes */
	protobuf_varint(&trace->head, trace->packet.length_bytes);
	fwrite_unlocked(trace->head.bytes, 1, trace->head.length_bytes, trace->out);
	fwrite_unlocked(trace->packet.bytes, 1, trace->packet.length_bytes, trace->out);
}

static void begin_packet(struct trace *trace)
{
	protobuf_clear(&trace->packet);
	protobuf_uint(&trace->packet, PACKET_SEQUENCE_ID, SEQUENCE);
	protobuf_uint(&trace->packet, PACKET_SEQUENCE_FLAGS,
		      trace->has_begun ? SEQUENCE_NEEDS_STATE : SEQUENCE_CLEARED);
	trace->has_begun = true;
}

/* ---- descriptors ---- */

static void put_track(struct trace *trace, uint64_t uuid, uint64_t parent, const char *name, uint32_t kind_field)
{
	begin_packet(trace);
	protobuf_clear(&trace->body);
	protobuf_uint(&trace->body, 1, uuid);
	if (name)
		protobuf_text(&trace->body, 2, name);
	if (parent)
		protobuf_uint(&trace->body, 5, parent);
	if (kind_field)
		protobuf_message(&trace->body, kind_field, &trace->nested);
	protobuf_message(&trace->packet, PACKET_TRACK_DESCRIPTOR, &trace->body);
	put_packet(trace);
}

static void put_process(void *context, uint32_t pid, uint32_t parent_pid, const char *name)
{
	struct trace *trace = context;
	const char *shown = safe(trace, name);

	protobuf_clear(&trace->nested);
	protobuf_uint(&trace->nested, 1, pid);
	protobuf_text(&trace->nested, 6, shown);
	put_track(trace, process_track(pid), 0, NULL, 3);

	begin_packet(trace);
	protobuf_clear(&trace->nested);
	protobuf_uint(&trace->nested, 1, pid);
	protobuf_uint(&trace->nested, 2, parent_pid);
	protobuf_text(&trace->nested, 3, shown);
	protobuf_clear(&trace->body);
	protobuf_message(&trace->body, 1, &trace->nested);
	protobuf_message(&trace->packet, PACKET_PROCESS_TREE, &trace->body);
	put_packet(trace);
}

static void put_thread(void *context, const struct timeline_thread *thread)
{
	struct trace *trace = context;
	const char *shown = safe(trace, thread->name);

	protobuf_clear(&trace->nested);
	protobuf_uint(&trace->nested, 1, thread->pid);
	protobuf_uint(&trace->nested, 2, thread->tid);
	protobuf_text(&trace->nested, 5, shown);
	put_track(trace, thread_track(thread->tid), process_track(thread->pid), NULL, 4);

	begin_packet(trace);
	protobuf_clear(&trace->nested);
	protobuf_uint(&trace->nested, 1, thread->tid);
	protobuf_text(&trace->nested, 2, shown);
	protobuf_uint(&trace->nested, 3, thread->pid);
	protobuf_clear(&trace->body);
	protobuf_message(&trace->body, 2, &trace->nested);
	protobuf_message(&trace->packet, PACKET_PROCESS_TREE, &trace->body);
	put_packet(trace);
}

/* ---- track events ---- */

static void begin_event(struct trace *trace, uint64_t time_ns, uint64_t track, enum track_event_type type)
{
	begin_packet(trace);
	protobuf_uint(&trace->packet, PACKET_TIMESTAMP, time_ns);
	protobuf_clear(&trace->body);
	protobuf_uint(&trace->body, EVENT_TYPE, type);
	protobuf_uint(&trace->body, EVENT_TRACK_UUID, track);
}

static void finish_event(struct trace *trace)
{
	protobuf_message(&trace->packet, PACKET_TRACK_EVENT, &trace->body);
	put_packet(trace);
}

static void put_begin(void *context, const struct timeline_thread *thread, uint64_t time_ns, enum flame_kind kind,
		      const char *title)
{
	struct trace *trace = context;

	begin_event(trace, time_ns, thread_track(thread->tid), TYPE_SLICE_BEGIN);
	protobuf_text(&trace->body, EVENT_CATEGORIES, flame_kind_name(kind));
	protobuf_text(&trace->body, EVENT_NAME, safe(trace, title));
	finish_event(trace);
}

static void put_end(void *context, const struct timeline_thread *thread, uint64_t time_ns)
{
	struct trace *trace = context;

	begin_event(trace, time_ns, thread_track(thread->tid), TYPE_SLICE_END);
	finish_event(trace);
}

static void put_annotation(struct trace *trace, const char *name, const char *text)
{
	protobuf_clear(&trace->small);
	protobuf_text(&trace->small, 10, name);
	protobuf_text(&trace->small, 6, text);
	protobuf_message(&trace->body, EVENT_DEBUG_ANNOTATIONS, &trace->small);
}

/* ---- scheduling ---- */

static void flush_bundle(struct trace *trace, uint32_t cpu)
{
	if (!trace->bundles[cpu].length_bytes)
		return;
	begin_packet(trace);
	protobuf_message(&trace->packet, PACKET_FTRACE_EVENTS, &trace->bundles[cpu]);
	put_packet(trace);
	protobuf_clear(&trace->bundles[cpu]);
}

/* One bundle holds events of one CPU, in their order. `trace->nested` is the event's own part. */
static void put_kernel_event(struct trace *trace, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint32_t field)
{
	struct protobuf *bundle = &trace->bundles[cpu % CPUS_MAX];

	if (!bundle->length_bytes)
		protobuf_uint(bundle, 1, cpu % CPUS_MAX);
	protobuf_clear(&trace->body);
	protobuf_uint(&trace->body, FTRACE_TIMESTAMP, time_ns);
	protobuf_uint(&trace->body, FTRACE_PID, tid);
	protobuf_message(&trace->body, field, &trace->nested);
	protobuf_message(bundle, 2, &trace->body);
	if (bundle->length_bytes > BUNDLE_BYTES)
		flush_bundle(trace, cpu % CPUS_MAX);
}

static uint32_t priority_of(uint32_t tid)
{
	return tid ? PRIORITY_NORMAL : 140; /* the idle task's */
}

static void put_switch(void *context, const struct timeline_switch *sched)
{
	struct trace *trace = context;

	protobuf_clear(&trace->nested);
	protobuf_text(&trace->nested, 1, safe(trace, sched->previous.name));
	protobuf_uint(&trace->nested, 2, sched->previous.tid);
	protobuf_uint(&trace->nested, 3, priority_of(sched->previous.tid));
	protobuf_uint(&trace->nested, 4, sched->previous_state);
	protobuf_text(&trace->nested, 5, safe(trace, sched->next.name));
	protobuf_uint(&trace->nested, 6, sched->next.tid);
	protobuf_uint(&trace->nested, 7, priority_of(sched->next.tid));
	put_kernel_event(trace, sched->cpu, sched->time_ns, sched->previous.tid, FTRACE_SCHED_SWITCH);
}

static void put_wake(void *context, const struct timeline_wake *wake)
{
	struct trace *trace = context;

	protobuf_clear(&trace->nested);
	protobuf_text(&trace->nested, 1, safe(trace, wake->target.name));
	protobuf_uint(&trace->nested, 2, wake->target.tid);
	protobuf_uint(&trace->nested, 3, PRIORITY_NORMAL);
	protobuf_uint(&trace->nested, 4, 1);
	protobuf_uint(&trace->nested, 5, wake->cpu);
	put_kernel_event(trace, wake->cpu, wake->time_ns, wake->waker.tid, FTRACE_SCHED_WAKING);
}

/* ---- the critical paths, phases and milestones ---- */

static void put_slice(struct trace *trace, uint64_t track, const char *category, const char *name, uint64_t start_ns,
		      uint64_t end_ns)
{
	begin_event(trace, start_ns, track, TYPE_SLICE_BEGIN);
	protobuf_text(&trace->body, EVENT_CATEGORIES, category);
	protobuf_text(&trace->body, EVENT_NAME, safe(trace, name));
	finish_event(trace);
	begin_event(trace, end_ns, track, TYPE_SLICE_END);
	finish_event(trace);
}

static void put_tile(struct trace *trace, uint64_t track, const struct report_tile *tile, uint64_t exec_ns)
{
	uint64_t start_ns = exec_ns + (uint64_t)tile->start_ns;

	begin_event(trace, start_ns, track, TYPE_SLICE_BEGIN);
	protobuf_text(&trace->body, EVENT_CATEGORIES, "critical-path");
	protobuf_text(&trace->body, EVENT_NAME, cause_name(tile->cause));
	put_annotation(trace, "thread", safe(trace, tile->thread));
	put_annotation(trace, "detail", safe(trace, tile->detail));
	if (tile->is_estimated)
		put_annotation(trace, "estimated", "yes");
	finish_event(trace);
	begin_event(trace, start_ns + (uint64_t)tile->duration_ns, track, TYPE_SLICE_END);
	finish_event(trace);
}

static void put_requests(struct trace *trace, const struct report *report, int phase, uint64_t exec_ns)
{
	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];
		uint64_t start_ns = exec_ns + (uint64_t)request->start_ns, track = request_track(request->index);
		auto_free char *name = NULL;

		if (!flame_takes_request(request, phase))
			continue;
		if (asprintf(&name, "critical path of request %lld", (long long)request->index + 1) < 0)
			memory_exhausted();
		put_track(trace, track, ROOT_TRACK, name, 0);
		begin_event(trace, start_ns, track, TYPE_SLICE_BEGIN);
		protobuf_text(&trace->body, EVENT_CATEGORIES, "request");
		protobuf_text(&trace->body, EVENT_NAME, safe(trace, request->route));
		put_annotation(trace, "kind", request->is_cold ? "cold" : "warm");
		finish_event(trace);
		for (size_t k = 0; k < request->path_count; k++)
			put_tile(trace, track, &request->path[k], exec_ns);
		begin_event(trace, start_ns + (uint64_t)request->latency_ns, track, TYPE_SLICE_END);
		finish_event(trace);
	}
}

static void put_course(struct trace *trace, const struct report *report, int phase, uint64_t exec_ns)
{
	put_track(trace, ROOT_TRACK, 0, "warmtrace: phases and critical paths", 0);
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *of = &report->phases[i];

		if (phase == FLAME_ALL_PHASES || (int)of->phase == phase)
			put_slice(trace, ROOT_TRACK, "phase", phase_name(of->phase), exec_ns + (uint64_t)of->start_ns,
				  exec_ns + (uint64_t)of->end_ns);
	}
	for (size_t i = 0; i < report->milestones_count && phase == FLAME_ALL_PHASES; i++) {
		begin_event(trace, exec_ns + (uint64_t)report->milestones[i].time_ns, ROOT_TRACK, TYPE_INSTANT);
		protobuf_text(&trace->body, EVENT_CATEGORIES, "milestone");
		protobuf_text(&trace->body, EVENT_NAME, report->milestones[i].name);
		finish_event(trace);
	}
}

static void trace_free(struct trace *trace)
{
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		protobuf_done(&trace->bundles[cpu]);
	protobuf_done(&trace->head);
	protobuf_done(&trace->packet);
	protobuf_done(&trace->body);
	protobuf_done(&trace->nested);
	protobuf_done(&trace->small);
	arena_done(&trace->names);
	free(trace);
}

struct err *render_perfetto(const struct model *model, const struct report *report, int phase, FILE *out)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	struct timeline_visitor visitor = {
		.context = trace,
		.process = put_process,
		.thread = put_thread,
		.begin = put_begin,
		.end = put_end,
		.switched = put_switch,
		.woke = put_wake,
	};

	if (!trace)
		memory_exhausted();
	trace->out = out;
	put_course(trace, report, phase, timeline_exec_ns(model));
	put_requests(trace, report, phase, timeline_exec_ns(model));
	timeline_walk(model, report, phase, &visitor);
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		flush_bundle(trace, cpu);
	trace_free(trace);
	return export_finish(out);
}
