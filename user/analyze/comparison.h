/* The comparison of several scenarios: what analyze concludes and render shows. It mirrors interface.md's comparison
 * JSON.
 *
 * Conventions are those of report.h: all in the comparison's arena, times in nanoseconds, sizes in bytes, ABSENT is
 * not observed (key left out) and NONE does not apply (null). Fields that interface.md does not name are marked
 * "added". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes.h"
#include "analyze/coverage.h"
#include "analyze/report.h"
#include "base/arena.h"

/* The values of one quantity, one of each run in which it was observed, in the order of the runs. */
struct comparison_stat {
	const int64_t *values;
	size_t count; /* 0: in no run, and the key is left out */
	int64_t min, median, max;
	double mean, stddev;
};

struct comparison_cause_stat {
	enum cause cause;
	struct comparison_stat stat;
};

/* Added: what a used cache gave, in the run whose first request is nearest to the median. */
struct comparison_cache {
	struct maybe is_heap_used; /* archived heap objects were mapped or read */
	struct maybe startup_classes, startup_shared, request_classes, request_shared;
	REPORT_LIST(struct coverage_group, missing); /* classes of the first request that it did not give, by why */
};

struct comparison_scenario {
	const char *name;
	const char *const *command;
	size_t command_count;
	int64_t runs, failed_runs; /* the failed ones are among the runs and in no figure */
	struct comparison_stat first_request_ns, ready_ns, first_response_ns, warm_ns, peak_rss, cpu_ns;
	struct comparison_stat wall_ns; /* added: from exec to the end */
	int64_t aot_mapped;    /* runs in which the cache's regions were mapped */
	bool is_aot_requested; /* added */
	struct maybe_text
		aot_reason; /* added: why the cache was not used, of the first such run; NONE where it was */
	bool has_cache;
	struct comparison_cache cache; /* where has_cache */
	REPORT_LIST(struct comparison_cause_stat, causes);
	REPORT_LIST(struct comparison_cause_stat, startup_causes); /* added: on the critical path from exec to ready */
	struct comparison_stat counts[COUNT_COUNT];
	struct comparison_stat memory[MAPPING_KIND_COUNT];
};

/* Means over the runs of each scenario, rounded so that they add up to the mean first request exactly. */
struct comparison_cause_row {
	enum cause cause;
	int64_t baseline_ns, scenario_ns, change_ns;
};

struct comparison_difference {
	const char *baseline; /* added: the scenario that it is against */
	const char *scenario;
	double first_request_change; /* scenario / baseline - 1 of the medians */
	double interval95_low, interval95_high;
	double p_value;
	struct maybe_real
		detectable_change; /* added: the smallest change that this number of runs could have shown */
	const char *verdict;	   /* in words: "faster", "slower", "no difference that these runs can show" … */
	REPORT_LIST(struct comparison_cause_row, causes); /* by change, largest saving first */
	REPORT_LIST(struct comparison_cause_row, startup_causes); /* added: the same of exec to ready; adds up to its mean */
};

struct comparison_interaction {
	const char *of[2];
	int64_t first_request_ns; /* what both together change beyond the sum of the two alone; negative: they save
				     more */
	const char *baseline, *scenario; /* added: with neither, and with both */
};

struct comparison {
	struct arena arena;
	REPORT_LIST(struct comparison_scenario, scenarios); /* the baseline first */
	const char *baseline;
	REPORT_LIST(struct comparison_difference, differences); /* one of each other scenario, in their order */
	/* Added: scenarios against their own baselines, where these are not the baseline of all: what the cache alone changes. */
	REPORT_LIST(struct comparison_difference, pairs);
	REPORT_LIST(struct comparison_interaction, interactions);
	const char *verdict;	  /* added: one sentence, the answer in words */
	const char *const *notes; /* added: what the reader must know, most important first */
	size_t note_count;
};

/* Releases the comparison and all it holds. */
void comparison_done(struct comparison *comparison);
