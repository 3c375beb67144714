/* Which classes a cache did not give to the first request, and why not.
 *
 * The reasons are, in this order: what the JVM itself said when it made the cache, what the class is (made at run time, from a
 * jar in a jar), and whether the training run loaded it at all. Their cost is the time of their loads, nested loads
 * counted once. */
#pragma once

#include "analyze/report.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct model;

/* What is known of the run that made the cache. Zeroed is empty: nothing is known. */
struct training {
	struct arena arena;
	struct map classes;    /* hash of a class name ('/') that the run loaded -> 1 */
	struct map exclusions; /* hash of a class name ('/') -> index of its reason */
	VEC(const char *) reasons;
};

/* The classes that the service's JVM loaded in the training run. */
void training_add_run(struct training *training, const struct model *model, const struct report *report);
/* A class ('/' or '.') that the JVM left out when it made the cache, with its reason in the JVM's words. */
void training_add_exclusion(struct training *training, const char *class_name, const char *reason);
void training_done(struct training *training);

enum { COVERAGE_EXAMPLES = 3 };

struct coverage_group {
	const char *why;
	int64_t classes, duration_ns;
	const char *examples[COVERAGE_EXAMPLES]; /* the dearest ones, dotted; NULL where there are fewer */
};

struct coverage {
	int64_t classes, shared; /* of the first request */
	REPORT_LIST(struct coverage_group, groups); /* the dearest first */
};

/* False where the recording shows no first request or no class loading. `training` may be NULL. In `arena`. */
bool coverage_find(const struct model *model, const struct report *report, const struct training *training,
		   struct arena *arena, struct coverage *ret_coverage);
