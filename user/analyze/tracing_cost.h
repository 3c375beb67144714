/* What recording an event costs the thread that it is recorded of. An estimate, by the kind of the event: measured on one virtual
 * machine with everything else that a start does in its caches. What the recorder's own threads take from it is not in it. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

int64_t tracing_cost_of_kind_ns(enum event_kind kind);

/* Of what happened on a request's path, which is in the report's time (from exec on): the events of the thread whose tile it is at
 * their moment. Linear in the events of the request's stretch. */
int64_t tracing_cost_of_path_ns(const struct model *model, const struct report_tile *path, size_t count);
