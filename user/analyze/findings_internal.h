/* What the rules of the findings table share: the run, the cold request and its path, and how a rule states its case.
 *
 * A rule looks at one problem, rests on counts and path time of this run, and returns true where the problem is there. It
 * adds evidence in sentences with this run's numbers, claims a price only where the path carries one, and names a remedy that fits
 * this command line. Private to analyze. */
#pragma once

#include "analyze/findings_command.h"
#include "analyze/findings_limits.h"
#include "analyze/inventory_internal.h"
#include "analyze/inventory_sources.h"
#include "analyze/path.h"
#include "base/fmt.h"

struct finding_context {
	const struct model *model;
	const struct report *report;
	struct arena *arena; /* the report's */
	const struct class_sources *sources;
	uint32_t main_process; /* index or NO_INDEX */
	struct launch launch;

	/* The longest of the first requests of their routes; NULL where there is none. */
	const struct report_request *cold;
	const struct report_cold_vs_warm *cold_row; /* of its route, or NULL */
	const struct path *cold_path; /* its tiles, before neighbours were joined; NULL without `cold` */
};

struct finding_draft {
	const struct finding_context *context;
	VEC(const char *) evidence;
	struct maybe cost_ns; /* NONE until a price is claimed */
	bool is_estimated;
	const char *remedy;
};

typedef bool finding_rule(const struct finding_context *context, struct finding_draft *draft);

/* F(id for C, "id", "title", rule): the order is that of findings with the same price. */
#define FINDING_TABLE(F)                                                                                              \
	F(lost_events, "lost-events", "Events were lost: figures are lower bounds.")

#define F(name, id, title) finding_rule finding_##name;
FINDING_TABLE(F)
#undef F

/* One more sentence of evidence. */
void finding_evidence(struct finding_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Claims that the path would have been shorter by this much: exactly measured, or at most (then say so in the evidence). */
void finding_price(struct finding_draft *draft, int64_t cost_ns, bool is_estimated);
void finding_remedy(struct finding_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the cold request ---- */

/* Whether a part of the cold request is worth a reader's time (findings_limits.h). */
bool finding_matters(const struct finding_context *context, int64_t part_ns);

/* The sum of the cold path's tiles that `is_wanted` picks; 0 without a path. */
typedef bool tile_predicate(const struct finding_context *context, const struct tile *tile, void *argument);
int64_t finding_path_sum(const struct finding_context *context, tile_predicate *is_wanted, void *argument);

/* The sum of one cause, and whether any of it is an estimate. */
int64_t finding_cause_sum(const struct finding_context *context, enum cause cause);
bool finding_cause_is_estimated(const struct finding_context *context, enum cause cause);

/* A count of the cold request or a phase, 0 where it was not observed. */
int64_t finding_count(const struct counts *counts, enum count count);
const struct report_phase *finding_phase(const struct finding_context *context, enum phase phase);

/* "12 %", of the cold request. */
const char *finding_share(const struct finding_context *context, int64_t part_ns);
