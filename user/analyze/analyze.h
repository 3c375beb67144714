/* A model's report: every judgement that warmtrace makes of one run. */
#pragma once

#include "analyze/report.h"

struct model;

/* Fills `ret_report`; the caller ends it with report_done, and keeps the model until then: names are shared.
 * Deterministic: the same model gives the same report. */
void analyze_report(const struct model *model, struct report *ret_report);
