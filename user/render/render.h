/* Render: reports and comparisons as bytes. It formats what analyze gives and concludes nothing.
 *
 * The same report and options give the same bytes, always and everywhere. All strings of a report may be hostile;
 * what is written to a terminal is safe to show (base/term.h), JSON is valid whatever they hold. Errors are those of
 * the stream. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analyze/comparison.h"
#include "analyze/flame.h"
#include "analyze/report.h"
#include "analyze/timeline.h"
#include "base/err.h"

struct render_options {
	unsigned width; /* columns */
	bool colour, utf8;
	bool is_full;	       /* everything, not only the one screen */
	const char *recording; /* the file that the report was made from; NULL where there is none to point to */
};

/* interface.md's warmtrace-report/1, with `verdict` and `notes` added. */
struct err *render_json(const struct report *report, FILE *out) must_check;
struct err *render_text(const struct report *report, const struct render_options *options, FILE *out) must_check;

/* interface.md's warmtrace-comparison/1. */
struct err *render_comparison_json(const struct comparison *comparison, FILE *out) must_check;
/* Its first requests as hyperfine's --export-json has them. */
struct err *render_comparison_hyperfine(const struct comparison *comparison, FILE *out) must_check;
struct err *render_comparison_text(const struct comparison *comparison, const struct render_options *options,
				   FILE *out) must_check;

/* A flame graph of a page, with the words over it. */
struct html_flame {
	const struct flame *flame;
	const char *title;
};

struct html_pictures {
	const struct timeline *timeline;
	const struct html_flame *flames; /* the first is shown first */
	size_t flame_count;
};

/* One self-contained page (page.h). */
struct err *render_html(const struct report *report, const struct html_pictures *pictures, FILE *out) must_check;

/* The flames are differences: the baseline against one scenario each. */
struct err *render_comparison_html(const struct comparison *comparison, const struct html_flame *flames,
				   size_t flame_count, FILE *out) must_check;
