/* Scenarios run and compared: what bench and aot share.
 *
 * Each measured run is a recording of its own, FOLDER/SCENARIO-N.wtr, of a fresh process; the command's output goes
 * to FOLDER/SCENARIO-N.log. A recording is read and reduced to its figures right after its run. */
#pragma once

#include <stdbool.h>

#include "analyze/compare.h"
#include "base/arena.h"
#include "base/err.h"
#include "cli/comparing.h"
#include "cli/interruption.h"
#include "cli/java_command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/work_folder.h"
#include "record/command.h"

struct bench_scenario {
	const char *name;
	struct java_command java;	 /* the command, whether or not it starts a JVM */
	const char *const *java_options; /* NULL-terminated, for its JVM; NULL: none */
	const char *why_not;		 /* NULL, or why it cannot be run at all */
	bool has_cache;			 /* it is to use one */
	const struct training *training; /* of its cache, or NULL */
	uint32_t number;		 /* in the comparison */

	/* what its runs showed */
	uint32_t answered, refused, died;
	int jvm_major;	      /* 0: not known */
	const char *last_log; /* of a run that failed, or NULL */
};

struct bench {
	const struct options *options;
	struct outcome *outcome;
	struct arena arena;
	struct invoker invoker;
	struct work_folder folder;
	struct comparing comparing;
	struct interruption interruption;
	VEC(struct bench_scenario) scenarios;
	uint64_t seed;
	bool is_terminal, has_progress; /* a progress line can be, is on the terminal */
	bool was_interrupted;
	int last_status; /* of the command, at the interruption or of the last run that failed */
};

/* Fails without privilege, before anything is run. */
struct err *bench_open(const struct options *options, struct outcome *outcome, struct bench *ret_bench) must_check;
void bench_close(struct bench *bench);

/* Kind ERR_NOT_FOUND or ERR_NOT_EXECUTABLE, as the user who called and on that user's path. */
struct err *bench_check_command(const struct bench *bench, const char *name) must_check;

/* Adds a scenario, the baseline first. All that is given must outlive the bench (its arena is for that). The pointer
 * is valid until the next. */
struct bench_scenario *bench_add(struct bench *bench, const char *name, const struct java_command *java,
				 const char *const *java_options);

/* Something for the person who waits, unless --quiet. */
void bench_say(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that the next one overwrites; on a terminal only. */
void bench_progress(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum bench_run_kind {
	BENCH_MEASURED,
	BENCH_TRAINING, /* --train instead of the requests, no samples, time for a cache to be written at the end */
	BENCH_ASKING,	/* the requests once, without warm ones */
};

struct bench_run {
	enum bench_run_kind kind;
	char *const *command;
	const char *name; /* of its files: FOLDER/NAME.wtr and .log */
};

struct bench_run_result {
	const char *recording, *log; /* in the bench's arena */
	bool was_interrupted, was_answered, has_failed;
	const char *why_failed; /* a clause, where has_failed */
};

/* One recorded run. */
struct err *bench_record(struct bench *bench, const struct bench_run *run,
			 struct bench_run_result *ret_result) must_check;

/* All runs of all scenarios, interleaved, in an order that the seed decides; then an extra one of each scenario whose
 * cache was refused, to learn why. After Ctrl-C ends early with what there is. */
struct err *bench_run_all(struct bench *bench) must_check;

/* Concludes, reports, checks the gates, settles the exit status. */
struct err *bench_report(struct bench *bench) must_check;
