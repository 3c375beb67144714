/* The run that makes a cache: the command with the JVM's recording options, the load that the measured runs will send
 * (or
 * --train), an orderly end, and where the JVM wants it a second step that writes the cache. */
#pragma once

#include "analyze/coverage.h"
#include "base/err.h"
#include "cli/bench.h"
#include "cli/java_command.h"
#include "cli/jvm_ask.h"

/* How one cache is made and used; everything is in the bench's arena. */
struct cache_plan {
	enum cache_method method;
	const char *file;
	const char *const *train_options;  /* NULL-terminated, beside those of the scenario */
	const char *const *create_options; /* of the second step; NULL: there is none */
	const char *const *use_options;
};

/* `name`: of the files. `is_unlinked`: classes are to be kept unlinked (where the JVM has that switch). */
void cache_plan_make(struct bench *bench, const struct jvm_facts *facts, const char *name, bool is_unlinked,
		     struct cache_plan *ret_plan);

/* Runs it. *ret_why_not (in the bench's arena): NULL, or why there is no cache. `ret_training` is filled with what
 * the run loaded and what the JVM left out; the caller ends it with training_done. */
struct err *training_make(struct bench *bench, const struct java_command *java, const char *const *java_options,
			  const struct cache_plan *plan, const char *name, struct training *ret_training,
			  const char **ret_why_not) must_check;
