/* The process tree: who is traced. Threads enter the table at fork and leave it at exit. */
#include "bpf/core.bpf.h"

SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_process_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 parent_tid = parent->pid, child_tid = child->pid, child_pid = child->tgid;
	struct thread_state *state = thread_of(parent_tid);

	if (!state)
		return 0;

	struct thread_state fresh = {.pid = child_pid};
	u64 now = bpf_ktime_get_ns();

	if (bpf_map_update_elem(&threads, &child_tid, &fresh, BPF_ANY) != 0)
		count_loss(EVENT_FORK);

	struct event_fork *event = event_reserve(fork, FORK, 0, now, state->pid, parent_tid, 0);

	if (event) {
		event->child_pid = child_pid;
		event->child_tid = child_tid;
		if (child_pid != state->pid)
			event_urgent(event, EVENT_FIXED_SIZE(fork));
		event_submit(event);
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, int old_tid, struct linux_binprm *program)
{
	u32 tid = task->pid, old = (u32)old_tid;
	struct thread_state *state = thread_of(old);

	if (!state)
		return 0;
	/* A thread that execs takes over its leader's id (kernel: de_thread). */
	if (tid != old) {
		struct thread_state fresh = {.pid = tid};

		bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY);
		bpf_map_delete_elem(&threads, &old);
	} else {
		state->syscall_number = 0;
		state->java_thread = 0;
		state->held_libraries = 0;
		state->exception_start_ns = 0;
	}
	control.is_recording = 1;

	struct event_exec *event = scratch_at(0);

	if (!event)
		return 0;
	fill_header(&event->header, EVENT_EXEC, 0, bpf_ktime_get_ns(), tid, tid);
	event->parent_pid = BPF_CORE_READ(task, real_parent, tgid);
	event->uid = (u32)bpf_get_current_uid_gid();

	long length = bpf_probe_read_kernel_str(event->tail, PATH_BYTES, BPF_CORE_READ(program, filename));
	u64 size = EVENT_FIXED_SIZE(exec);

	if (length > 0)
		size += (u64)(length - 1) & (PATH_BYTES - 1);
	event_output(&event->header, size, 0);
	event_urgent(event, EVENT_FIXED_SIZE(exec));
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task)
{
	u32 tid = task->pid;
	struct thread_state *state = thread_of(tid);

	if (!state)
		return 0;

	struct event_exit *event = event_reserve(exit, EXIT, 0, bpf_ktime_get_ns(), state->pid, tid, 0);

	if (event) {
		/* exit_code is the thread's own; when the group is ended by a signal or exit_group the group's counts. */
		int group_code = BPF_CORE_READ(task, signal, group_exit_code);
		int live = BPF_CORE_READ(task, signal, live.counter);

		event->status = (u32)(group_code ? group_code : task->exit_code);
		event->is_last_thread = live == 0;
		if (live == 0)
			event_urgent(event, EVENT_FIXED_SIZE(exit));
		event_submit(event);
	}
	bpf_map_delete_elem(&threads, &tid);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *name)
{
	u32 tid = task->pid;
	struct thread_state *state = thread_of(tid);

	if (!state)
		return 0;

	struct event_thread_name *event =
		event_reserve(thread_name, THREAD_NAME, 16, bpf_ktime_get_ns(), state->pid, tid, 0);

	if (event) {
		__builtin_memset(event->tail, 0, 16);
		bpf_probe_read_kernel_str(event->tail, 16, name);
		event_submit(event);
	}
	return 0;
}
