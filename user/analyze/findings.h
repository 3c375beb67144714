/* The table of findings: stated problems with their evidence, their price on the critical path and the remedy.
 *
 * Fills report->findings from the model and from the report's other parts, all of which are filled before; `sources` as in
 * inventory.h. */
#pragma once

#include "analyze/report.h"

struct class_sources;
struct model;

void analyze_findings(const struct model *model, const struct class_sources *sources, struct report *report);
