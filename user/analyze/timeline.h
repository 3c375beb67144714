/* The run as a picture: threads as lanes with what they did when, the stretches worth showing on them, the JVM's
 * pauses.
 *
 * Two windows, the whole run and the first request, each cut into the same number of bins: a bin says how much of it
 * a thread ran and how much it waited for a CPU, whatever the recording's size. Spans are exact, the longest ones
 * first come; how many are not shown is counted. For tools that want everything there is timeline_walk.
 *
 * Times are nanoseconds from exec. Everything lives in the timeline's arena until timeline_done. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyze/flame.h"
#include "analyze/report.h"
#include "base/arena.h"

struct model;

enum {
	TIMELINE_BINS = 1500,
	TIMELINE_LEVELS = 8, /* of a bin: 0 none of it, 7 all of it */
	TIMELINE_LANES_MAX = 160,
	TIMELINE_SPANS_MAX = 2500,
	TIMELINE_PAUSES_MAX = 400,
};

struct timeline_lane {
	uint32_t pid, tid;
	const char *name, *role;
	int64_t created_ns, ended_ns; /* ended: -1 where it was not seen */
	int64_t cpu_ns;
	const uint8_t *whole, *close; /* TIMELINE_BINS values: running level * TIMELINE_LEVELS + runnable level */
};

struct timeline_span {
	uint32_t lane;
	enum flame_kind kind;
	const char *title;
	int64_t start_ns, duration_ns;
};

struct timeline_pause {
	int64_t start_ns, duration_ns;
	bool is_collection;
	const char *operation;
};

struct timeline {
	struct arena arena;
	int64_t end_ns;				  /* the whole window is [0, end) */
	int64_t close_start_ns, close_end_ns;	  /* around the first request; equal where there is none */
	REPORT_LIST(struct timeline_lane, lanes); /* the path's threads first, then by CPU time */
	REPORT_LIST(struct timeline_span, spans); /* by start */
	REPORT_LIST(struct timeline_pause, pauses);
	size_t hidden_lanes, hidden_spans;
};

void timeline_build(const struct model *model, const struct report *report, struct timeline *ret_timeline);
void timeline_done(struct timeline *timeline);

/* ---- everything, in a phase ---- */

struct timeline_thread {
	uint32_t pid, tid;
	const char *name;
};

struct timeline_switch {
	uint64_t time_ns; /* CLOCK_MONOTONIC, as in the recording */
	uint32_t cpu;
	struct timeline_thread previous, next; /* tid 0: the idle task */
	uint32_t previous_state;	       /* the kernel's: 0 runnable, 1 interruptible, 2 uninterruptible … */
};

struct timeline_wake {
	uint64_t time_ns;
	uint32_t cpu;
	struct timeline_thread waker, target;
};

/* What a walk calls. Texts live as long as the call. Threads come before what happens on them; the spans of one
 * thread nest and come in order of time, scheduling in order of time over all threads. */
struct timeline_visitor {
	void *context;
	void (*process)(void *context, uint32_t pid, uint32_t parent_pid, const char *name);
	void (*thread)(void *context, const struct timeline_thread *thread);
	void (*begin)(void *context, const struct timeline_thread *thread, uint64_t time_ns, enum flame_kind kind,
		      const char *title);
	void (*end)(void *context, const struct timeline_thread *thread, uint64_t time_ns);
	void (*switched)(void *context, const struct timeline_switch *sched);
	void (*woke)(void *context, const struct timeline_wake *wake);
};

/* Calls the visitor for everything in a phase, or in the whole run (FLAME_ALL_PHASES). */
void timeline_walk(const struct model *model, const struct report *report, int phase,
		   const struct timeline_visitor *visitor);

/* The recording's clock at exec: what turns a report's time into a walk's. */
uint64_t timeline_exec_ns(const struct model *model);
