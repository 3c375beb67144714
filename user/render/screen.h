/* What the text renderers share: where they write, headings and paragraphs, words for causes, phases and counts.
 * Own words live here and in the report; nothing else of the program's output names a cause for people. */
#pragma once

#include <stdio.h>

#include "analyze/report.h"
#include "base/arena.h"
#include "base/table.h"
#include "base/term.h"
#include "base/vec.h"
#include "render/render.h"

struct screen {
	FILE *out;
	struct term term;
	struct arena arena; /* texts made while rendering */
};

enum { SCREEN_LABEL_COLUMNS = 12 };

/* A text put together piece by piece. */
struct words {
	VEC(char) bytes;
};

void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *words_text(const struct words *words); /* valid until the next piece is added */
void words_done(struct words *words);

struct screen screen_open(const struct render_options *options, FILE *out);
/* Fails where the stream did. */
struct err *screen_close(struct screen *screen) must_check;

void screen_blank(struct screen *screen);
void screen_heading(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
void screen_line(struct screen *screen, enum term_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A label in the left margin with wrapped text beside it; a NULL label puts the text at the margin itself. */
void screen_paragraph(struct screen *screen, enum term_style style, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void screen_table(struct screen *screen, struct table *table);

const char *phase_words(enum phase phase);
/* A cause standing alone ("page faults in the Java heap") and below the name of its group ("Java heap"). */
const char *cause_label(enum cause cause);
const char *cause_label_in_group(enum cause cause);
/* A label without what stands in parentheses: "finding classes". */
const char *cause_label_short(struct screen *screen, const char *label);
const char *mapping_kind_words(enum mapping_kind kind);

/* The cause tree's first level, in the order of ties. */
enum cause_group {
	GROUP_CODE,
	GROUP_CLASS,
	GROUP_EXCEPTION,
	GROUP_FAULT,
	GROUP_FILE,
	GROUP_JIT,
	GROUP_GC,
	GROUP_SAFEPOINT,
	GROUP_LOCK,
	GROUP_WAIT,
	GROUP_CPU,
	GROUP_KERNEL,
	GROUP_UNEXPLAINED,
	GROUP_COUNT
};
enum cause_group cause_group_of(enum cause cause);
const char *cause_group_words(enum cause_group group);

/* Unit and decimals for a column of durations whose largest magnitude is given. */
struct scale {
	int64_t step_ns; /* one unit of the last digit */
	unsigned decimals;
	const char *unit;
};
struct scale scale_for(int64_t largest_ns);
const char *in_scale(struct screen *screen, int64_t value_ns, struct scale scale);
const char *in_scale_signed(struct screen *screen, int64_t value_ns, struct scale scale);

/* "GET /api/owners", whether or not the route names its method. */
const char *request_name(struct screen *screen, const struct report_request *request);
/* The command as one would type it. */
const char *command_text(struct screen *screen, const char *const *arguments, size_t count);
/* A point in time, to be compared with others: the same decimals for all that are read in seconds. */
const char *moment_text(struct screen *screen, int64_t time_ns);
/* "?" for what was not observed, "-" for what does not apply. */
const char *maybe_count(struct screen *screen, struct maybe value);
const char *maybe_duration(struct screen *screen, struct maybe value);
const char *maybe_bytes(struct screen *screen, struct maybe value);

/* text_common.c: the parts that open and close every report on a run. */
void text_head(struct screen *screen, const struct report *report, const struct render_options *options);
void text_milestones(struct screen *screen, const struct report *report);
void text_limits(struct screen *screen, const struct report *report);
void text_findings(struct screen *screen, const struct report *report, size_t most);

/* text_causes.c: the table that adds up. is_full shows every cause; pair may be NULL where nothing warm was seen. */
void text_causes(struct screen *screen, const struct report_cold_vs_warm *pair, const struct report_request *cold,
		 bool is_full);

/* text_summary.c: the one screen. text_details.c: what follows it in a full report, and the screen's body where the
 * run served nothing. */
void text_summary(struct screen *screen, const struct report *report, const struct render_options *options);
void text_details(struct screen *screen, const struct report *report);
void text_startup(struct screen *screen, const struct report *report);

/* What would save most comes first. */
const struct report_what_if **what_ifs_by_saving(struct screen *screen, const struct report *report);

/* The request that the report's first pair or, without one, its first cold request is about; NULL where there is
 * none. */
const struct report_request *cold_request_of(const struct report *report, const struct report_cold_vs_warm *pair);
