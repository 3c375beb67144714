/* The table of findings: stated problems with their evidence, their price on the critical path and the remedy.
 *
 * Fills report->findings from the model and from the report's other parts, all of which are filled before. */
#pragma once

#include "analyze/report.h"

struct model;

void analyze_findings(const struct model *model, struct report *report);
