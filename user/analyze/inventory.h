/* The report's inventory tables: files, jars, classes, exceptions, faults, threads, memory, connections, jit and gc.
 *
 * Fills those lists of the report; the run, milestones, phases, requests and cold_vs_warm are filled before. `sources` is
 * what inventory_sources.h made of the same model and report. */
#pragma once

#include "analyze/report.h"

struct class_sources;
struct model;

void analyze_inventory(const struct model *model, const struct class_sources *sources, struct report *report);
