#include "analyze/tracing_cost.h"

#include "base/search.h"

/* The programs' own time in the first request of a Spring Boot application (bpf_stats), and beside it what the kernel does. The trap
 * of a probe of user code took 1.1 us there (an empty probe, 19,000 hits), twice what it takes in a loop: it finds no code in the
 * caches and leaves none there. A sample is a timer's interrupt, which a virtual machine pays by leaving to the hypervisor: rates
 * of 1,000 and 4,000 Hz differed by 50 us a tick. A compilation has two records and four probes. */
enum {
	TRAP_NS = 1100,
	SWITCH_NS = 700, /* out and in */
	WAKE_NS = 400,
	FAULT_NS = 700,
	CALL_NS = 670,
	INTERRUPT_NS = 500,
	SAMPLE_NS = 50000,
	UPROBE_NS = TRAP_NS + 300,
	NAMED_UPROBE_NS = TRAP_NS + 700,
	CLASS_LOAD_NS = TRAP_NS + 4000,
	COMPILE_NS = 2 * TRAP_NS + 1900,
	EXCEPTION_NS = 3 * TRAP_NS + 6500,
	/* 400,000 in a loop (7.9 us), each past two frames; a deoptimisation walks as short a stack. */
	THROW_NS = TRAP_NS + 6500,
};

int64_t tracing_cost_of_kind_ns(enum event_kind kind)
{
	switch (kind) {
	case EVENT_SWITCH_OUT:
	case EVENT_SWITCH_IN:
		return SWITCH_NS / 2;
	case EVENT_WAKE:
		return WAKE_NS;
	case EVENT_FAULT:
		return FAULT_NS;
	case EVENT_SYSCALL:
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_MAP:
	case EVENT_SOCKET_ACCEPT:
	case EVENT_SOCKET_CONNECT:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
		return CALL_NS;
	case EVENT_SAMPLE:
		return SAMPLE_NS;
	case EVENT_INTERRUPT:
		return INTERRUPT_NS;
	case EVENT_EXCEPTION:
		return EXCEPTION_NS;
	case EVENT_THROW:
	case EVENT_DEOPTIMIZE:
		return THROW_NS;
	case EVENT_CLASS_LOAD:
		return CLASS_LOAD_NS;
	case EVENT_CLASS_LOADED:
	case EVENT_CLASS_PARSE:
	case EVENT_CLASS_LINK:
	case EVENT_CLASS_INIT:
	case EVENT_NATIVE_THROW:
		return NAMED_UPROBE_NS;
	case EVENT_COMPILE:
		return COMPILE_NS;
	case EVENT_CLASS_RETURN:
	case EVENT_NATIVE_CATCH:
	case EVENT_GC:
	case EVENT_SAFEPOINT:
	case EVENT_VM_OPERATION:
	case EVENT_JAVA_THREAD:
	case EVENT_VM_WAIT:
		return UPROBE_NS;
	default:
		return 0;
	}
}

int64_t tracing_cost_of_path_ns(const struct model *model, const struct report_tile *path, size_t count)
{
	int64_t cost_ns = 0;

	if (count == 0)
		return 0;

	uint64_t start_ns = model->exec_ns + (uint64_t)path[0].start_ns;
	size_t tile = 0, at = first_where(model->event_count, i, model->events[i]->time_ns >= start_ns);

	for (; at < model->event_count; at++) {
		const struct event_header *event = model->events[at];
		int64_t time_ns = (int64_t)(event->time_ns - model->exec_ns);

		while (tile < count && time_ns >= path[tile].start_ns + path[tile].duration_ns)
			tile++;
		if (tile == count)
			break;
		if (event->tid == path[tile].tid)
			cost_ns += tracing_cost_of_kind_ns((enum event_kind)event->kind);
	}
	return cost_ns;
}
