/* One recorded run: the command started under probes, watched until its plan is fulfilled, ended, everything written.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/client.h"

/* How far a run is. */
struct run_progress {
	const char *stage; /* "starting", "first requests" … */
	uint64_t elapsed_ns, events, requests;
};
typedef void run_tell(void *context, const struct run_progress *progress);

struct run_options {
	char *const *command; /* NULL-terminated; NULL for attach */
	pid_t attach_pid;
	const char *attach_name; /* attach: wait for a process of this name to start */
	const char *output_path;
	const char *command_output_path;
	const char *options_text; /* our own options, for the recording */

	const struct client_request *requests;
	size_t request_count;
	uint32_t warm_rounds, concurrency;
	const char *load_command;
	uint64_t end_after_requests; /* 0: no limit */

	uint32_t ready_timeout_s, request_timeout_s, stop_timeout_s;
	bool measure_overhead; /* run the command without probes too, twice, and record the ratio of CPU times */
	bool keep_running, drop_caches, as_root, no_hold, is_quiet, is_verbose;
	bool is_last; /* the process ends soon: its probes may come off while it does other things */
	uint32_t sample_rate_hz;
	uint64_t ring_bytes;
	run_tell *tell; /* called a few times a second with say's context; NULL allowed */
};

struct run_result {
	bool has_ended;	   /* the command ended (else it was left running) */
	bool ended_itself; /* before warmtrace asked it to */
	bool was_interrupted;
	bool was_answered; /* a request that was asked for got a response */
	int wait_status;   /* where has_ended */
};

/* Says something to the person who waits: a line without a newline. NULL context allowed. */
typedef void run_say(void *context, const char *line);

/* `stop_requested` is set by nobody but this module: signals are taken through a descriptor while a run is on. Fails
 * where nothing could be recorded; after that problems are in the recording and the result. */
struct err *run_record(const struct run_options *options, run_say *say, void *say_context,
		       struct run_result *ret_result) must_check;
