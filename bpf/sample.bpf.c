/* Samples of running threads of the tree, by one timer per CPU. Its period is switched from user space where a request window
 * opens or closes: a tick that nobody wants costs the interrupted thread its interrupt all the same. */
#include "bpf/core.bpf.h"
#include "bpf/java_stack.bpf.h"

SEC("perf_event")
int sample_tick(struct bpf_perf_event_data *ctx)
{
	u32 tid = current_tid();
	struct thread_state *thread = tid ? thread_of(tid) : NULL;
	u64 period_ns = control.sample_period_ns;

	if (!thread)
		return 0;

	/* The interrupted registers are the kernel's when a system call was running: the user's are saved on its stack. */
	u64 address = PT_REGS_IP(&ctx->regs), stack_pointer = PT_REGS_SP(&ctx->regs);
	u32 mode = SAMPLE_USER;

	if ((i64)address < 0) {
		struct pt_regs *user = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

		mode = SAMPLE_KERNEL;
		address = BPF_CORE_READ(user, ip);
		stack_pointer = BPF_CORE_READ(user, sp);
	}

	u64 stack_id = java_stack_of_current(thread);
	struct event_sample *event =
		event_reserve(sample, SAMPLE, 0, bpf_ktime_get_ns(), thread->pid, tid, period_ns);

	if (!event)
		return 0;
	event->address = address;
	event->stack_id = stack_id;
	event->period_ns = period_ns;
	event->stack_pointer = stack_pointer;
	event->mode = mode;
	event->code = java_code_type(address);
	event_submit(event);
	return 0;
}
