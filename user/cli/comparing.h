/* From recordings to a comparison: read one after another, the gates' values taken on the way, concluded, reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyze/compare.h"
#include "analyze/flame.h"
#include "base/arena.h"
#include "base/err.h"
#include "cli/options.h"
#include "cli/verbs.h"

struct gate_value {
	int64_t value;
	bool has_answered; /* its run did */
};

struct gate_series {
	VEC(struct gate_value) values;
};

struct finding_seen {
	const char *id, *title; /* in the arena */
	uint32_t scenario;
};

/* The critical paths of a scenario's runs, summed: for pages. */
struct scenario_flame {
	struct flame sum;
	int64_t runs;
};

struct comparing {
	struct compare *compare;
	const struct options *options;
	bool has_answers;		   /* some run answered a request: then those that did not have failed */
	struct arena arena;		   /* of the figures that are on their way into `compare` */
	VEC(struct gate_series) series;	   /* one for each scenario and gate, scenarios outer */
	VEC(struct scenario_flame) flames; /* by scenario; only where a page is asked for */
	VEC(struct finding_seen) findings; /* those that --fail-on names */
};

void comparing_open(const struct options *options, struct comparing *ret_comparing);
void comparing_close(struct comparing *comparing);

uint32_t comparing_add_scenario(struct comparing *comparing, const char *name, char *const *command);

/* Reads a recording into the scenario. `training`: of its cache, or NULL. *ret_figures (in the arena, until the next
 * call; may be NULL) is what was added. */
struct err *comparing_add_recording(struct comparing *comparing, uint32_t scenario, const char *path,
				    const struct training *training, struct run_figures *ret_figures) must_check;

/* Reports where the options say, writes --export-json, adds failed gates and, with --require-aot, unused caches to
 * the outcome. */
struct err *comparing_report(struct comparing *comparing, struct outcome *outcome) must_check;
