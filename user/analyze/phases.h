/* The run's milestones and phases: cut points that everything else is told by. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* The process that is the service: it wrote the first response, else the first JVM, else the command; as an index. */
uint32_t main_process_of(const struct model *model);

/* The first request that was answered, or NULL. */
const struct request *first_answered(const struct model *model);

/* Fills milestones and phases, with their counts and CPU time. `last_cold_end_ns` is the end of the last cold request
 * of the first burst, 0 where there is none. Arrays are in the report's arena. */
void analyze_phases(const struct model *model, uint64_t last_cold_end_ns, struct report *report);

/* The phase that a time of the report (from exec) falls into; before the first phase the first, after the last the
 * last. */
enum phase report_phase_at(const struct report *report, int64_t time_ns);

/* The time of a milestone, or -1. */
int64_t report_milestone(const struct report *report, const char *name);
