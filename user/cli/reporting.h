/* From a recording to its report: read, analysed, checked by the gates, rendered. */
#pragma once

#include "analyze/report.h"
#include "base/err.h"
#include "cli/options.h"
#include "cli/verbs.h"

struct model;

/* A report and the model that its names live in. */
struct loaded_report {
	struct model *model;
	struct report report;
};

/* Reads and analyses one recording; ends with loaded_report_done also after a failure. */
struct err *report_load(const char *path, struct loaded_report *ret_loaded) must_check;
void loaded_report_done(struct loaded_report *loaded);

/* The report of the recording at `path` goes where the options say, by default to the stream. `is_brief`: one screen
 * instead of everything, where it goes to the stream as text. Failed gates are added to the outcome. */
struct err *report_recording(const char *path, const struct options *options, FILE *stream, bool is_brief,
			     struct outcome *outcome) must_check;

/* How text goes to a stream or file. */
struct render_options reporting_options(const struct options *options, FILE *file);
