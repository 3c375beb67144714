/* Private to record: the state of a run that is on, shared by its parts.
 *
 *   run.c      sets up and takes down
 *   loop.c     waits for descriptors and hands on
 *   consumer.c takes records from the kernel
 *   plan.c     decides what happens next: ready, first requests, warm rounds, the end
 *   libraries.c puts probes into libraries as they are mapped */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/archives.h"
#include "record/client.h"
#include "record/command.h"
#include "record/libraries.h"
#include "record/live.h"
#include "record/output.h"
#include "record/page_cache.h"
#include "record/probes.h"
#include "record/run.h"
#include "record/snapshot.h"
#include "record/stack_ids.h"
#include "record/tracer.h"
#include "record/tree.h"

struct ring_buffer;

enum plan_stage {
	PLAN_STARTING,	/* not ready yet */
	PLAN_FIRST,	/* the first requests are under way */
	PLAN_WARM,	/* the warm rounds are */
	PLAN_LOAD,	/* the load generator runs */
	PLAN_WATCHING,	/* others send requests, or nothing is to be sent */
	PLAN_STOPPING,	/* the command was asked to end */
	PLAN_OVER,
};

struct session {
	const struct run_options *options;
	run_say *say;
	void *say_context;
	struct run_result result;

	struct invoker invoker;
	sigset_t signal_mask; /* that warmtrace was started with */
	struct probes probes;
	struct tracer tracer;
	struct command command;
	struct output output;
	struct live live;
	struct stack_ids stack_ids;
	struct archives archives;
	struct page_cache_files page_cache; /* what the command was about to use */
	struct libraries libraries;
	struct tree tree;
	struct map vms_created; /* JVMs that are held, or about to be, at JNI_CreateJavaVM: pid → since when */
	struct ring_buffer *rings;
	struct cgroup_folders cgroup; /* of the command */
	int signal_fd, timer_fd;

	/* the plan */
	enum plan_stage stage;
	struct client *client;
	uint16_t request_port;
	pid_t main_pid; /* the process that became ready */
	pid_t load_pid;
	uint64_t start_ns, exec_ns, listening_ns, ready_ns, stage_ns;
	uint64_t stop_deadline_ns;
	uint64_t told_ns;      /* when the progress was told last */
	uint64_t last_busy_ns; /* when a request was last open */
	bool has_request_failed; /* the last one */
	bool is_ended_by_us; /* we asked the command to end, or killed it */
	bool is_killed, is_first_snapshot_taken;
	bool has_command_ended;
	uint64_t command_cpu_ns; /* once it has ended */
};

void session_say(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* consumer.c */
struct err *consumer_open(struct session *session) must_check;
void consumer_take(struct session *session); /* everything that is there */
void consumer_close(struct session *session);

/* plan.c: what happened, told to the plan */
void plan_on_listening(struct session *session, const struct event_socket_listen *event);
void plan_on_ready(struct session *session, uint16_t port, pid_t pid, bool is_seen);
void plan_on_request(struct session *session, const struct live_request *request);
void plan_on_client(struct session *session);
void plan_on_process_end(struct session *session, pid_t pid, int wait_status, bool is_reaped);
void plan_on_signal(struct session *session, int signal, bool is_from_terminal);
void plan_on_tick(struct session *session);
void plan_stop(struct session *session);

/* loop.c */
struct err *loop_run(struct session *session) must_check;
