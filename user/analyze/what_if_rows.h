/* The rows of "what if": what is left out together, because one remedy takes it away. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

/* Fills report->what_if for a kept request, given by its index in the model's list. */
void what_if_fill(const struct model *model, uint32_t request, struct report *report);
