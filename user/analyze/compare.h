/* Makes a comparison from the figures of runs.
 *
 * Runs are added one by one, to scenarios that were added before; the first scenario is the baseline. Nothing that is
 * given has to stay. Same runs in the same order, same comparison.
 *
 * Where any run of any scenario answered a request, a run that did not has failed: it is counted, and in no figure. */
#pragma once

#include "analyze/comparison.h"
#include "analyze/run_figures.h"

struct compare;

struct compare *compare_new(void);
void compare_free(struct compare **compare); /* NULL inside is accepted; becomes NULL */

/* Returns the scenario's number. `command` NULL: that of its first run. */
uint32_t compare_add_scenario(struct compare *compare, const char *name, const char *const *command,
			      size_t command_count);
void compare_add_run(struct compare *compare, uint32_t scenario, const struct run_figures *figures);

/* A run that gave no figures. `why`: a clause for a note, "the command ended with status 1"; NULL: none. */
void compare_add_failure(struct compare *compare, uint32_t scenario, const char *why);

/* The scenario is one with a cache, whether or not a run shows it. */
void compare_expect_cache(struct compare *compare, uint32_t scenario);

/* Why the scenario's cache was not used, from a better source than its recordings: the JVM's own words. */
void compare_set_refusal(struct compare *compare, uint32_t scenario, const char *reason);

/* One scenario against another than the baseline. */
void compare_add_pair(struct compare *compare, uint32_t baseline, uint32_t scenario);

/* Four scenarios that differ in two things: with neither, with each alone, with both. `names` are the two things. */
void compare_add_square(struct compare *compare, const char *const names[2], uint32_t neither, uint32_t first,
			uint32_t second, uint32_t both);

/* A sentence for the reader, after those that the comparison makes itself. */
void compare_add_note(struct compare *compare, const char *note);

/* Draws the conclusions. The caller ends the comparison with comparison_done; of the builder only compare_free is left. */
void compare_finish(struct compare *compare, struct comparison *ret_comparison);
