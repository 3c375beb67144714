/* BPF side only: holding a process from the mapping of a library until its probes are in.
 *
 * The tracer has seized the process by ptrace; a SIGURG sent here to this very thread makes it stop at its return to user
 * mode, before any code of the library ran. SIGURG is ignored by default: if the tracer dies the process goes on. Without
 * a ptrace tracer nothing is sent. */
#pragma once

#include "bpf/core.bpf.h"

enum { SIGURG = 23 };

static __always_inline bool name_begins(const char *name, const char *prefix, int length)
{
	for (int i = 0; i < length; i++)
		if (name[i] != prefix[i])
			return false;
	return true;
}

enum { HELD_LIBJVM = 1, HELD_LIBSTDCXX = 2 };

static __always_inline void hold_if_probed_library(struct thread_state *thread, const char *name)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 library = 0;

	if (name_begins(name, "libjvm.so", 10))
		library = HELD_LIBJVM;
	else if (name_begins(name, "libstdc++.so", 12))
		library = HELD_LIBSTDCXX;
	if (!library || !task->ptrace || (thread->held_libraries & library))
		return;
	thread->held_libraries |= library;
	bpf_send_signal_thread(SIGURG);
}
