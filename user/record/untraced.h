/* The same command and the same requests without probes: what tracing costs, measured. */
#pragma once

#include "base/err.h"
#include "record/run.h"

struct invoker;

/* Runs the command to its end as run_record would, by the options' requests and rounds, and gives the CPU time that it and the
 * children it waited for used. Nothing listens to probes: it counts as ready when its port takes a connection. */
struct err *untraced_run(const struct run_options *options, const struct invoker *invoker, const sigset_t *signal_mask,
			 uint16_t port, uint64_t *ret_cpu_ns) must_check;

/* The same for a command that ends by itself: no request is sent. */
struct err *untraced_run_to_end(const struct run_options *options, const struct invoker *invoker, const sigset_t *signal_mask,
				uint64_t *ret_cpu_ns) must_check;
