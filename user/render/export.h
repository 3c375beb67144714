/* Exports: flames, paths and timelines in the formats of other tools.
 *
 * Every format has all of what it is given, in whole numbers: whoever adds it up finds the report's totals. Names are
 * valid UTF-8 of one line in all of them, with anything else spelt out (base/utf8.h), and cannot break the format. */
#pragma once

#include <stdio.h>

#include "analyze/flame.h"
#include "analyze/report.h"
#include "base/err.h"

struct model;

/* "frame;frame;frame value" a line, in order; a difference has two values, before and now. ';' in a name is \x3b. */
struct err *render_folded(const struct flame *flame, FILE *out) must_check;

/* A picture that any browser opens, with zoom and search of its own. */
struct err *render_svg(const struct flame *flame, const char *title, FILE *out) must_check;

/* The same as a page, with everything the report's flame graph has. */
struct err *render_flame_page(const struct flame *flame, const char *title, const char *command,
			      FILE *out) must_check;

/* Evented profiles for requests, a sampled one for everything. Very long paths have their shortest steps told
 * together. */
struct err *render_speedscope(const struct flame *flame, const struct report *report, const char *title,
			      FILE *out) must_check;

/* Compressed with gzip, as pprof has it. Each flame's samples carry the label phase: "cold", "warm", or the phase. */
struct err *render_pprof(const struct flame *flames, size_t flame_count, const struct report *report,
			 FILE *out) must_check;

/* One row for each stack with a value of its own. */
struct err *render_flame_csv(const struct flame *flame, FILE *out) must_check;
struct err *render_flame_ndjson(const struct flame *flame, FILE *out) must_check;

/* One row for each tile of the critical paths of a phase's requests. */
struct err *render_path_csv(const struct report *report, int phase, FILE *out) must_check;
struct err *render_path_ndjson(const struct report *report, int phase, FILE *out) must_check;

/* Perfetto's own format: processes and threads, spans and critical paths as track events, switches and wakings as the
 * kernel's own events, so that its thread states and its critical path work. */
struct err *render_perfetto(const struct model *model, const struct report *report, int phase, FILE *out) must_check;
