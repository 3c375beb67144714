/* The report's inventory tables: files, jars, classes, exceptions, faults, threads, memory, connections, jit and gc.
 *
 * Fills those lists of the report; the run, milestones, phases, requests and cold_vs_warm are filled before. */
#pragma once

#include "analyze/report.h"

struct model;

void analyze_inventory(const struct model *model, struct report *report);
