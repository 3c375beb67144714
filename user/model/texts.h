/* The recorder's own statements: facts about run and machine, snapshots of /proc, losses, totals, the client. */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "bpf/events.h"

struct model;

struct run_text {
	const char *key, *value; /* both NUL-terminated; the value may hold more NULs */
	size_t value_length;
	uint64_t time_ns;
};

struct proc_text {
	const char *text; /* NUL-terminated */
	size_t length;
	uint64_t time_ns;
	uint32_t pid;
	enum proc_file file;
	enum moment moment;
};

struct loss {
	uint64_t start_ns, end_ns, count;
	uint32_t kind; /* enum event_kind, 0: of any kind (a damaged part of the file) */
};

struct observed {
	const char *what, *why; /* "" where no reason was given */
	enum observed_state state;
};

struct hold {
	uint64_t start_ns, end_ns; /* on the raw clock: what was taken out */
	uint64_t held_before_ns;   /* by the ones before it */
	uint32_t pid;
};

struct kind_total {
	uint64_t count, sum_ns; /* as the kernel counted; valid where is_known */
	uint8_t is_known;
};

struct model_texts {
	VEC(struct run_text) run;      /* in file order */
	VEC(struct proc_text) proc;    /* by time */
	VEC(struct loss) losses;       /* by start */
	VEC(struct observed) observed; /* the last word on each, in order of first mention */
	VEC(struct hold) holds;	       /* by start, merged */
	struct kind_total totals[EVENT_KIND_END];
	VEC(uint32_t) clients;	    /* CLIENT_REQUEST events by time */
	VEC(uint32_t) libraries;    /* LIBRARY events */
	VEC(uint32_t) residencies;  /* RESIDENCY events */
	VEC(uint32_t) stop_signals; /* STOP_SIGNAL events */
};
