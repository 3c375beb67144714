/* Counts of what happened in a stretch of time, by the names of the report. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* Counts events that ended in [start_ns, end_ns), of one process or of the whole tree (pid 0). What was not observed
 * in this run is ABSENT. Linear in the events of the stretch. */
void counts_of(const struct model *model, uint64_t start_ns, uint64_t end_ns, uint32_t pid,
	       struct counts *ret_counts);

/* For many stretches, which may overlap: sums at every so many events, so that each stretch costs the same. */
struct count_index;
struct count_index *count_index_new(const struct model *model, uint32_t pid);
void count_index_free(struct count_index *index); /* NULL is accepted */

/* As counts_of, for the index's process. */
void counts_between(const struct count_index *index, uint64_t start_ns, uint64_t end_ns, struct counts *ret_counts);
