/* Scheduling of the tree's threads: on and off the CPU, woken by whom. */
#include "bpf/core.bpf.h"

static __always_inline u32 switch_flags(struct task_struct *previous, u32 state)
{
	u32 flags = 0;

	if (BPF_CORE_READ_BITFIELD(previous, in_iowait))
		flags |= SWITCH_IOWAIT;
	if (state != 0)
		return flags;
	/* 6.18 throttles a task on its way back to user mode and marks it; before, the whole queue is taken off and only
	 * the running task is seen to leave, with its queue's throttle count raised. */
	if (bpf_core_field_exists(((struct task_struct___with_throttled *)0)->throttled)) {
		struct task_struct___with_throttled *task = (void *)previous;

		if (BPF_CORE_READ(task, throttled))
			flags |= SWITCH_THROTTLED;
	} else if (bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count)) {
		if (BPF_CORE_READ(previous, se.cfs_rq, throttle_count) > 0)
			flags |= SWITCH_THROTTLED;
	}
	return flags;
}

static __always_inline u32 task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return (u32)BPF_CORE_READ((struct task_struct___with_state *)task, state);
}

/* Reserves a record with room for a foreign thread's name only where the other thread is not of the tree. */
#define reserve_with_name(name, NAME, other, now, pid_, tid_)                                    \
	({                                                                                           \
		struct event_##name *named_;                                                         \
		u32 other_tid_ = (other)->pid;                                                       \
		if (other_tid_ == 0 || thread_of(other_tid_)) {                                      \
			named_ = event_reserve(name, NAME, 0, now, pid_, tid_, 0);                   \
		} else {                                                                             \
			named_ = event_reserve(name, NAME, 16, now, pid_, tid_, 0);                  \
			if (named_)                                                                  \
				bpf_probe_read_kernel(named_->tail, 16, (other)->comm);              \
		}                                                                                    \
		named_;                                                                              \
	})

enum { WAIT_STACK_BYTES = 16384 }; /* of the VM's and libc's frames between a wait's entry and its system call */

/* The stack that was kept when this thread entered a wait of the VM's, if it blocks in that wait: its user stack pointer then
 * lies a little below. */
static __always_inline u64 stack_of_wait(struct task_struct *task, const struct thread_state *thread, u32 state)
{
	if (!thread->wait_stack_id || !state || !thread->syscall_number)
		return 0;

	struct pt_regs *user = (void *)bpf_task_pt_regs(task);
	u64 depth = thread->wait_stack_pointer - BPF_CORE_READ(user, sp);

	return depth < WAIT_STACK_BYTES ? thread->wait_stack_id : 0;
}

static __always_inline void switch_out(struct task_struct *previous, struct task_struct *next, u32 state, bool preempt)
{
	u32 tid = previous->pid;
	struct thread_state *thread = tid ? thread_of(tid) : NULL;

	if (!thread)
		return;

	struct event_switch_out *event =
		reserve_with_name(switch_out, SWITCH_OUT, next, bpf_ktime_get_ns(), thread->pid, tid);

	if (!event)
		return;
	event->user_address = 0;
	event->state = preempt ? 0 : state;
	event->stack_id = stack_of_wait(previous, thread, event->state);
	event->flags = switch_flags(previous, event->state) | (preempt ? SWITCH_PREEMPTED : 0);
	event->next_pid = next->tgid;
	event->next_tid = next->pid;
	event->syscall_number = thread->syscall_number;
	event_submit(event);
}

static __always_inline void switch_in(struct task_struct *previous, struct task_struct *next, u32 state)
{
	u32 tid = next->pid;
	struct thread_state *thread = tid ? thread_of(tid) : NULL;

	if (!thread)
		return;

	struct event_switch_in *event =
		reserve_with_name(switch_in, SWITCH_IN, previous, bpf_ktime_get_ns(), thread->pid, tid);

	if (!event)
		return;
	event->previous_pid = previous->tgid;
	event->previous_tid = previous->pid;
	event->previous_state = state;
	event_submit(event);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *previous, struct task_struct *next)
{
	/* The state at the decision to switch; the task's own field may already say "woken" by now (5.18, fa2c3254d7cf). */
	u32 state = config.has_switch_state ? (u32)ctx[3] : task_state(previous);

	cpu_context_clear();
	switch_out(previous, next, state, preempt);
	switch_in(previous, next, state);
	return 0;
}

static __always_inline int wake(struct task_struct *target)
{
	u32 target_tid = target->pid;
	struct thread_state *thread = thread_of(target_tid);

	if (!thread)
		return 0;

	struct task_struct *waker = bpf_get_current_task_btf();
	struct cpu_context *cpu = cpu_context_get();
	struct event_wake *event =
		reserve_with_name(wake, WAKE, waker, bpf_ktime_get_ns(), waker->tgid, waker->pid);

	if (!event)
		return 0;
	event->target_pid = thread->pid;
	event->target_tid = target_tid;
	event->context = CONTEXT_THREAD;
	if (cpu) {
		if (cpu->timer_depth)
			event->context = CONTEXT_TIMER;
		else if (cpu->is_in_handler)
			event->context = CONTEXT_INTERRUPT;
		else
			event->context = cpu->softirq;
	}
	event_submit(event);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *target)
{
	return wake(target);
}
