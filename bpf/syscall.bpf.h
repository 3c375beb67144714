/* BPF side only: what the handlers of single system calls share.
 *
 * A handler runs at the call's exit with the arguments saved at its entry: by then the kernel has touched every string
 * and buffer, so that their pages are resident exactly in a cold start, when at entry they may not be. It returns 1 when
 * it recorded the call, 0 when the call is to be recorded as a generic one.
 *
 * Handlers are global functions without arguments: the verifier then checks each by itself, where inlined into one
 * program they exceed its limit of a million instructions. What they need is in the thread's state. */
#pragma once

#include "bpf/core.bpf.h"
#include "bpf/descriptor.bpf.h"

static __always_inline u32 action_of(u32 number)
{
	return number < SYSCALL_NUMBER_END ? config.syscall_actions[number] : SYSCALL_GENERIC;
}

struct syscall_exit {
	struct thread_state *thread;
	u64 start_ns, end_ns;
	i64 result;
	u32 number; /* the kernel's */
	u32 action; /* enum syscall_action */
};

/* The call that the current thread returns from; false where there is none. */
static __always_inline bool syscall_exit_get(struct syscall_exit *call)
{
	struct thread_state *thread = thread_of_current();

	if (!thread)
		return false;
	call->thread = thread;
	call->start_ns = thread->syscall_start_ns;
	call->end_ns = thread->syscall_end_ns;
	call->result = thread->syscall_result;
	call->number = thread->syscall_number;
	call->action = action_of(thread->syscall_number);
	return true;
}
