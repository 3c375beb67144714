/* System calls of the tree: one program at entry that saves the arguments, one at exit that records.
 *
 * The raw tracepoints are used, not one per call: any system-call tracepoint puts every task of the host on the slow
 * path alike, and here a foreign task costs one failed hash look-up. */
#include "bpf/syscall.bpf.h"
#include "bpf/file.bpf.h"
#include "bpf/socket.bpf.h"

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, struct pt_regs *regs, long number)
{
	struct thread_state *thread = thread_of_current();

	if (!thread || number < 0)
		return 0;
	/* Number + 1 while in the call: 0 means user mode. The exit's handlers see the plain number. */
	thread->syscall_number = (u32)number + 1;
	thread->syscall_start_ns = bpf_ktime_get_ns();
#if defined(__TARGET_ARCH_x86)
	thread->arguments[0] = regs->di;
	thread->arguments[1] = regs->si;
	thread->arguments[2] = regs->dx;
	thread->arguments[3] = regs->r10;
	thread->arguments[4] = regs->r8;
	thread->arguments[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	for (int i = 0; i < 6; i++)
		thread->arguments[i] = regs->regs[i];
#endif
	socket_enter(action_of((u32)number), (u32)number);
	return 0;
}

static __always_inline void generic_exit(void)
{
	struct syscall_exit call;

	if (!syscall_exit_get(&call))
		return;

	u64 duration_ns = call.end_ns - call.start_ns;
	struct event_syscall *event =
		event_reserve(syscall, SYSCALL, 0, call.end_ns, call.thread->pid, current_tid(), duration_ns);

	if (!event)
		return;
	event->duration_ns = duration_ns;
	event->result = call.result;
	event->argument0 = call.thread->arguments[0];
	event->argument1 = call.thread->arguments[1];
	event->argument2 = call.thread->arguments[2];
	event->number = call.number;
	event->file_type = 0;
	if (call.action != SYSCALL_GENERIC) {
		struct file *file = file_of_descriptor((u32)call.thread->arguments[0]);

		if (file)
			event->file_type = BPF_CORE_READ(file, f_inode, i_mode) >> 12;
	}
	event_submit(event);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit, struct pt_regs *regs, long result)
{
	struct thread_state *thread = thread_of_current();

	/* A call that began before the thread was traced (a fork's child, an attached process) has no entry. */
	if (!thread || !thread->syscall_number)
		return 0;

	u32 number = thread->syscall_number - 1, action = action_of(number);
	int is_recorded = 0;

	if (action == SYSCALL_IGNORED) {
		thread->syscall_number = 0;
		return 0;
	}
	thread->syscall_number = number;
	thread->syscall_end_ns = bpf_ktime_get_ns();
	thread->syscall_result = result;
	if (action >= SYSCALL_OPEN && action <= SYSCALL_LOOKUPAT)
		is_recorded = file_path_exit();
	else if (action >= SYSCALL_READ && action <= SYSCALL_SENDMSG)
		is_recorded = file_transfer_exit() || socket_transfer_exit();
	else if (action == SYSCALL_COPY_RANGE)
		is_recorded = file_transfer_exit();
	else if (action == SYSCALL_MMAP)
		is_recorded = file_map_exit();
	else if (action >= SYSCALL_LISTEN)
		is_recorded = socket_control_exit();
	if (!is_recorded)
		generic_exit();
	thread->syscall_number = 0;
	return 0;
}
