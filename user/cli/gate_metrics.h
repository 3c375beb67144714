/* The metrics that gates can name, found in a report. Private to gates. */
#pragma once

#include "cli/gate.h"

/* Whether there is a metric of this name, and its unit. */
bool metric_find(const char *name, enum gate_unit *ret_unit);

/* Its value; false where it was not observed. The name must be one that metric_find knows. */
bool metric_value(const char *name, const struct report *report, int64_t *ret_value);

/* The metric that was probably meant, or NULL. */
const char *metric_nearest(const char *name);
