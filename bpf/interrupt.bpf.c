/* Whether code on this CPU runs for the current thread or for an interrupt.
 *
 * `current` is the waker only outside interrupts, and the kernel's preempt count cannot be read portably
 * (__preempt_count moved in 6.2 and 6.15), so each entry and exit is noted per CPU. Time that an interrupt takes from a
 * thread of the tree is recorded as well. */
#include "bpf/core.bpf.h"

enum { SOFTIRQ_HI, SOFTIRQ_TIMER, SOFTIRQ_NET_TX, SOFTIRQ_NET_RX, SOFTIRQ_BLOCK, SOFTIRQ_IRQ_POLL, SOFTIRQ_TASKLET,
       SOFTIRQ_SCHED, SOFTIRQ_HRTIMER, SOFTIRQ_RCU };

static __always_inline u32 softirq_context(u32 vector)
{
	switch (vector) {
	case SOFTIRQ_TIMER:
	case SOFTIRQ_HRTIMER:
		return CONTEXT_TIMER;
	case SOFTIRQ_NET_TX:
	case SOFTIRQ_NET_RX:
		return CONTEXT_NETWORK;
	case SOFTIRQ_BLOCK:
	case SOFTIRQ_IRQ_POLL:
		return CONTEXT_DISK;
	default:
		return CONTEXT_INTERRUPT;
	}
}

static __always_inline void emit_interrupt(u64 start_ns, u32 context, u32 number)
{
	struct thread_state *thread = thread_of_current();

	if (!thread || !start_ns)
		return;

	u64 now = bpf_ktime_get_ns();
	struct event_interrupt *event =
		event_reserve(interrupt, INTERRUPT, 0, now, thread->pid, current_tid(), now - start_ns);

	if (!event)
		return;
	event->duration_ns = now - start_ns;
	event->context = context;
	event->number = number;
	event_submit(event);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int vector)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu) {
		cpu->softirq = softirq_context(vector);
		cpu->timer_depth = 0;
		cpu->softirq_start_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int vector)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu) {
		emit_interrupt(cpu->softirq_start_ns, softirq_context(vector), vector);
		cpu->softirq = 0;
		cpu->timer_depth = 0;
		cpu->softirq_start_ns = 0;
	}
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry, int number)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu) {
		cpu->is_in_handler = 1;
		cpu->interrupt_start_ns = bpf_ktime_get_ns();
	}
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit, int number)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu) {
		emit_interrupt(cpu->interrupt_start_ns, CONTEXT_INTERRUPT, (u32)number);
		cpu->is_in_handler = 0;
		cpu->interrupt_start_ns = 0;
	}
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(hrtimer_expire_entry)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu)
		cpu->timer_depth++;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(hrtimer_expire_exit)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu && cpu->timer_depth)
		cpu->timer_depth--;
	return 0;
}
