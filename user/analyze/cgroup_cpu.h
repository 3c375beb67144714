/* The cgroup's own word on its CPU quota, beside what the scheduling of the tree's threads shows of it. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* Fills machine.cgroup_cpu. */
void analyze_cgroup_cpu(const struct model *model, struct report *report);
