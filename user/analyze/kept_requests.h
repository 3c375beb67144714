/* The requests that the report keeps in full: their paths, causes, inclusive figures and counts. */
#pragma once

#include "analyze/report.h"
#include "analyze/selection.h"

/* Fills report->requests for every kept request, in order of arrival. */
void analyze_requests(const struct model *model, const struct selection *selection, struct report *report);

/* The kept request of an index of the model's list, or NULL. */
const struct report_request *report_request_of(const struct report *report, uint32_t index);
