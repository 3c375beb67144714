/* Holding processes by ptrace while their libraries get probes, and reaping the tree's ends.
 *
 * The tree is seized (PTRACE_SEIZE, followed over fork, vfork and clone) only until it maps a library that gets probes: the
 * kernel side sends SIGURG to the mapping thread (bpf/hold.bpf.h), which stops here before it runs any of the library's
 * code; after attaching, the process is let go and runs untraced. Nothing of this is visible to the tree's own parents. If
 * warmtrace dies the kernel lets everything run; if it hangs in a hold, a watchdog process ends it, with the same effect. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/map.h"

/* Called while thread `tid` of process `pid` is stopped at a library's mapping. Returns whether the process is to be let go
 * for good: nothing more of it has to be held. */
typedef bool tracer_hold_callback(void *context, pid_t pid, pid_t tid);

/* Called for each process that ended and was reaped here: direct children, and traced ones. `usage` is its own and that of the
 * children it waited for. */
typedef void tracer_exit_callback(void *context, pid_t pid, int wait_status, const struct rusage *usage);

struct tracer {
	struct map tasks; /* tid → process id and flags, see tracer.c */
	bool is_enabled;  /* false with --no-hold */
	tracer_hold_callback *on_hold;
	tracer_exit_callback *on_exit;
	void *context;
	struct watchdog *watchdog;
};

struct err *tracer_open(bool is_enabled, tracer_hold_callback *on_hold, tracer_exit_callback *on_exit, void *context,
			struct tracer *ret_tracer) must_check;

/* Seizes a process that is not traced yet. False where that cannot be (it is gone, or somebody else traces it). */
bool tracer_seize(struct tracer *tracer, pid_t pid);

/* Handles every stop and end that is pending; never blocks. To be called regularly: it also tells the watchdog that we are
 * alive. */
void tracer_handle(struct tracer *tracer);

/* Lets go of everything. */
void tracer_close(struct tracer *tracer);
