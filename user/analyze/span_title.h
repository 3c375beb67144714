/* Words for one span where it stands alone: as a frame of a flame, as a bar on a timeline. */
#pragma once

#include "analyze/flame.h"
#include "base/arena.h"
#include "model/model.h"

/* "load class org.x.Y", "open /etc/hosts"; in `arena` or as long as the model. */
const char *span_title(const struct model *model, const struct span *span, struct arena *arena);
enum flame_kind span_flame_kind(const struct span *span);
