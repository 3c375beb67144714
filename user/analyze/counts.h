/* Counts of what happened in a stretch of time, by the names of the report. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* Counts events that ended in [start_ns, end_ns), of one process or of the whole tree (pid 0). What was not observed in
 * this run is ABSENT. Linear in the events of the stretch. */
void counts_of(const struct model *model, uint64_t start_ns, uint64_t end_ns, uint32_t pid, struct counts *ret_counts);
