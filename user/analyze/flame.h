/* Flame graphs: what happened, as one tree of frames from the root outwards, folded over a phase of the run.
 *
 * A node's own value is in the unit of its view: nanoseconds for the critical path and CPU views, else the number of
 * things. The sum of all own values is the report's own figure for the same thing (flame_total_of names it), so
 * whoever adds up an export finds the report's total. Beside Java and native frames there are synthetic ones: the
 * class that is loaded, the exception that is filled, the page that is faulted in, what a wait waits for.
 *
 * Everything lives in the flame; end it with flame_done. Names are as the program gave them: render escapes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyze/report.h"
#include "base/map.h"
#include "base/strpool.h"
#include "base/vec.h"

struct model;

enum flame_by {
	FLAME_CRITICAL_PATH, /* the requests' paths: cold ones in first_request, the others in warm */
	FLAME_ON_CPU,	     /* running threads, by samples */
	FLAME_OFF_CPU,	     /* waiting threads, by what they waited in and who woke them */
	FLAME_EXCEPTIONS,
	FLAME_FAULTS,
	FLAME_CLASSES,
	FLAME_FILES,
	FLAME_BY_COUNT
};

enum { FLAME_ALL_PHASES = PHASE_COUNT };

/* F(NAME, "name for exports and pictures") */
#define FLAME_KIND_TABLE(F)                                                                                          \
	F(ROOT, "root")                                                                                              \
	F(ROUTE, "request")                                                                                          \
	F(THREAD, "thread")                                                                                          \
	F(JAVA, "java")                                                                                              \
	F(NATIVE, "native")                                                                                          \
	F(CODE, "code")                                                                                              \
	F(CLASS, "class")                                                                                            \
	F(EXCEPTION, "exception")                                                                                    \
	F(FAULT, "fault")                                                                                            \
	F(FILE, "file")                                                                                              \
	F(WAIT, "wait")                                                                                              \
	F(LOCK, "lock")                                                                                              \
	F(VM, "vm")                                                                                                  \
	F(CPU, "cpu")                                                                                                \
	F(KERNEL, "kernel")                                                                                          \
	F(UNEXPLAINED, "unexplained")

enum flame_kind {
#define F(NAME, name) FLAME_KIND_##NAME,
	FLAME_KIND_TABLE(F)
#undef F
		FLAME_KIND_COUNT
};

enum { FLAME_NO_NODE = UINT32_MAX };

struct flame_node {
	uint32_t name;				    /* string id of the flame's names */
	uint32_t parent, first_child, next_sibling; /* FLAME_NO_NODE ends; siblings by name */
	uint8_t kind;				    /* enum flame_kind */
	int64_t value;				    /* its own, without its children */
	int64_t duration_ns;			    /* the same in time; 0 where it was not observed */
	int64_t before;				    /* difference: the baseline's own value; `value` is the other's */
	int64_t total, total_before;		    /* with all below */
};

/* The critical path in order of time: what was at its top from when on. */
struct flame_step {
	int64_t start_ns, duration_ns; /* from exec */
	uint32_t node;
	uint32_t request; /* index in report->requests */
};

struct flame {
	struct strpool names;
	VEC(struct flame_node) nodes; /* item 0 is the root; parents before children */
	VEC(struct flame_step) steps; /* critical path only */
	struct map children;	      /* parent and name -> node */
	enum flame_by by;
	int phase; /* enum phase or FLAME_ALL_PHASES */
	bool is_difference;
	bool is_cold_and_warm; /* the difference is one of requests of the same run */
	int64_t requests;      /* critical path: how many */
};

/* Folds a phase of a run. An empty tree where the run has nothing of the kind. */
void flame_build(const struct model *model, const struct report *report, enum flame_by by, int phase,
		 struct flame *ret_flame);

/* What `after` has in place of what `before` has: a tree with the frames of both, vanished ones too. Names that
 * differ between two runs by chance are made equal: numbers of lambdas, hidden and generated classes, pool threads,
 * ports. */
void flame_difference(const struct flame *before, const struct flame *after, struct flame *ret_flame);

/* The first requests against as many warm ones, each as the mean of those that there are (of its route, for the
 * critical path): `before` is the warm side. Names are made equal as in flame_difference. */
void flame_cold_and_warm(const struct model *model, const struct report *report, enum flame_by by,
			 struct flame *ret_flame);

/* A tree is begun, filled, and finished: then totals and the order of children are right.
 *
 * flame_add_scaled adds what another has, under the names that flame_difference makes, as the baseline's values or
 * the others, divided by a number of runs: a mean, whose total alone is rounded down. */
void flame_begin(struct flame *flame, enum flame_by by, int phase);
void flame_add_scaled(struct flame *flame, const struct flame *from, bool is_before, int64_t divide_by);
void flame_finish(struct flame *flame);
void flame_done(struct flame *flame);

const char *flame_by_name(enum flame_by by); /* interface.md's: "critical-path" */
const char *flame_kind_name(enum flame_kind kind);
bool flame_is_time(enum flame_by by);	  /* its values are nanoseconds */
const char *flame_unit(enum flame_by by); /* "nanoseconds", "exceptions", "faults", "classes", "calls" */

/* The report's own figure for the same thing; ABSENT where it was not observed. For off-CPU the report has none. */
struct maybe flame_total_of(const struct report *report, enum flame_by by, int phase);

/* Whether a phase's critical path holds this request. */
static inline bool flame_takes_request(const struct report_request *request, int phase)
{
	return phase == FLAME_ALL_PHASES || (phase == PHASE_FIRST_REQUEST && request->is_cold) ||
	       (phase == PHASE_WARM && !request->is_cold);
}

static inline const char *flame_name(const struct flame *flame, const struct flame_node *node)
{
	return strpool_text(&flame->names, node->name);
}
