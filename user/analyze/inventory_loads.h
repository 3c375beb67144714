/* How long each class took to load: by the spans from the outermost request for it to its loading. */
#pragma once

#include "base/arena.h"
#include "model/model.h"

struct class_loads {
	int64_t *inclusive_ns; /* of model->jvm.classes; -1: the request was not seen */
	int64_t *own_ns;       /* without the loads of other classes inside it, so that sums count nothing twice */
	struct arena arena;
};

void class_loads_build(const struct model *model, struct class_loads *ret_loads);
void class_loads_done(struct class_loads *loads);
