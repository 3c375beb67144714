/* The BPF object: loaded for this kernel, attached to the kernel's tracepoints and performance events, and the table that
 * says of each probe what it needs and what the report lacks without it. User-code probes are jvm_probes.h's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"
#include "bpf/config.h"
#include "bpf/events.h"
#include "record/features.h"

struct bpf_link;
struct warmtrace_bpf;

struct probes_options {
	uint64_t ring_bytes;	/* of the event ring; 0: the default */
	uint32_t sample_rate_hz; /* in request windows; 0: no samples */
};

enum {
	PROBES_RING_BYTES_DEFAULT = 16 * 1024 * 1024,
	PROBES_SAMPLE_RATE_DEFAULT_HZ = 1000,
	PROBES_IDLE_SAMPLE_DIVISOR = 10, /* outside request windows the rate is that much lower */
};

/* Whether something can be observed here, and why not. */
struct observation {
	const char *what;
	enum observed_state state;
	char why[160];
};

struct probes {
	struct warmtrace_bpf *skeleton;
	VEC(struct bpf_link *) links;
	VEC(struct observation) observations;
	struct features features;
	VEC(int) sample_events; /* of each CPU, which their links own */
	uint64_t dense_period_ns; /* of samples in request windows; 0: no samples */
};

/* Loads and attaches everything that traces the kernel. Nothing is recorded until a thread is entered. */
struct err *probes_open(const struct probes_options *options, struct probes *ret_probes) must_check;

/* Takes off what is still attached (a run has handed its links to detach_links before) and unloads. */
void probes_close(struct probes *probes);

/* Makes a live thread part of the tree. */
struct err *probes_trace_thread(struct probes *probes, pid_t pid, pid_t tid) must_check;

/* Makes a listening TCP port, whose listen() was not seen, part of the tree (attach). */
struct err *probes_trace_port(struct probes *probes, uint32_t network_namespace, uint16_t port) must_check;

/* Events are of the run from now on (attach: there is no exec to say so). */
void probes_set_recording(struct probes *probes);

/* Descriptors for the consumer and for the attaching of user-code probes; all borrowed. */
int probes_events_fd(const struct probes *probes);
int probes_urgent_fd(const struct probes *probes);
int probes_map_fd(const struct probes *probes, const char *name);	 /* -1: no such map */
int probes_program_fd(const struct probes *probes, const char *name); /* -1: no such program, or not loaded */

/* Tells the programs whether a request is open, and sets the timers of the samples to the rate that goes with it. Costs nothing
 * where nothing changes. */
void probes_set_in_request(struct probes *probes, bool is_in_request);
bool probes_is_in_request(const struct probes *probes);

/* What the kernel counted of a kind, over all CPUs. */
struct probes_kind_count {
	uint64_t count, lost, sum_ns;
};
struct probes_kind_count probes_kind_count(const struct probes *probes, enum event_kind kind);

/* States, under "java_stacks", how many walks of Java stacks did not reach the thread's first frame, if any. To be called once
 * the command has ended. */
void probes_observe_walks(struct probes *probes);

/* Calls back for the exceptions that had no room in the ring, and are counted instead. */
typedef void probes_unsent_callback(void *context, const struct unsent_exceptions_key *key,
				    const struct unsent_exceptions *exceptions);
void probes_each_unsent(const struct probes *probes, probes_unsent_callback *callback, void *context);

/* Calls back for each stretch in which records of a kind were lost. */
typedef void probes_loss_callback(void *context, enum event_kind kind, uint64_t start_ns, uint64_t end_ns,
				  uint64_t count);
void probes_each_loss(const struct probes *probes, probes_loss_callback *callback, void *context);

/* Adds or replaces the statement about `what`. */
void probes_observe(struct probes *probes, const char *what, enum observed_state state, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
