/* Page faults of the tree. The end of a fault, minor or major, is a software perf event, which exists on every kernel and
 * architecture; its start is x86's exception tracepoint. Where the start cannot be seen the duration is unknown. */
#include "bpf/core.bpf.h"

static __always_inline int fault_begin(u64 address)
{
	struct thread_state *thread = thread_of_current();

	if (thread) {
		thread->fault_address = address;
		thread->fault_start_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(page_fault_user, unsigned long address)
{
	return fault_begin(address);
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(page_fault_kernel, unsigned long address)
{
	/* The kernel touching user memory for the thread; its own addresses have the top bit set. */
	return (i64)address > 0 ? fault_begin(address) : 0;
}

static __always_inline int fault_end(struct bpf_perf_event_data *ctx, u32 is_major)
{
	struct thread_state *thread = thread_of_current();

	if (!thread)
		return 0;

	u64 now = bpf_ktime_get_ns();
	u64 address = ctx->addr;
	/* A fault that ended in a signal has a start and no end: only a start of the same page belongs to this end. */
	bool is_paired = thread->fault_start_ns && ((thread->fault_address ^ address) & ~4095ull) == 0;
	u64 duration_ns = is_paired ? now - thread->fault_start_ns : 0;
	struct event_fault *event =
		event_reserve(fault, FAULT, 0, now, thread->pid, current_tid(), duration_ns);

	thread->fault_start_ns = 0;
	if (!event)
		return 0;
	event->duration_ns = duration_ns;
	event->address = address;
	event->instruction = PT_REGS_IP(&ctx->regs);
	event->is_major = is_major;
	event->flags = is_paired ? 0 : FAULT_NO_START;
	if ((i64)event->instruction < 0)
		event->flags |= FAULT_IN_KERNEL;
	event_submit(event);
	return 0;
}

SEC("perf_event")
int page_fault_minor(struct bpf_perf_event_data *ctx)
{
	return fault_end(ctx, 0);
}

SEC("perf_event")
int page_fault_major(struct bpf_perf_event_data *ctx)
{
	return fault_end(ctx, 1);
}
