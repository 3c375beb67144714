/* The report's frame: the run, the machine, the runtime, what was lost, what could not be observed, what tracing
 * cost. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* Fills run, machine, losses, observed, overhead and events. Milestones are there. */
void analyze_run(const struct model *model, struct report *report);

/* Fills runtime. */
void analyze_runtime(const struct model *model, struct report *report);

/* Fills notes: what a reader must know of this run, most important first. */
void analyze_notes(const struct model *model, struct report *report);
