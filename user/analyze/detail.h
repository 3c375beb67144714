/* What a tile was, in words for the report: the class, file, frame, peer or waker that its evidence names. */
#pragma once

#include "analyze/path.h"

/* The detail of a tile, "" where there is none; in `arena`. `request` is the one whose path the tile belongs to. */
const char *tile_detail(const struct model *model, const struct request *request, const struct tile *tile,
			struct arena *arena);

/* A class name of the JVM ("java/lang/String") as Java writes it; in `arena`. */
const char *dotted_name(const char *name, struct arena *arena);

/* "package.Class.method(File.java:line)" of a frame, of its innermost method where methods were inlined; NULL where
 * the frame has no name. */
const char *frame_words(const struct model *model, const struct stack_frame *frame, struct arena *arena);
