/* What a running thread did: its innermost spans, and between them the nearest samples. */
#pragma once

#include "analyze/path.h"

enum { SAMPLE_REACH_NS = 2000000 }; /* a sample speaks for running time this near to it */

/* A sink of tiles, latest first. */
typedef void tile_sink(void *context, struct tile tile);

/* Tiles [start_ns, end_ns) of a thread that ran there, latest first; `interval` is its running interval. Samples are
 * taken from within [window_start_ns, window_end_ns) only. */
void tiles_of_running(const struct model *model, uint32_t thread, uint32_t interval, uint64_t start_ns,
		      uint64_t end_ns, uint64_t window_start_ns, uint64_t window_end_ns, tile_sink *sink,
		      void *context);

/* The cause that a span stands for while its thread runs in it. */
enum cause cause_of_span(const struct model *model, uint32_t thread, uint32_t span);

/* The bits of enum tile_inside that a span and those around it give. */
uint8_t inside_of_span(const struct model *model, uint32_t thread, uint32_t span);
