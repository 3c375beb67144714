/* The terminal: what it can do, styled text, paragraphs, bars and sparklines.
 *
 * Every text that goes out through here passes utf8_safe first, and only this layer ends lines and writes escape
 * sequences: no name of the traced program can move the cursor or start a line of its own.
 * Nothing here is wider than the terminal: paragraphs wrap at words, a word too long for a line is cut in its middle.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/utf8.h"

enum { TERM_COLUMNS_MIN = 40, TERM_COLUMNS_DEFAULT = 100, TERM_COLUMNS_MAX = 1000 };

struct term {
	unsigned columns;
	bool has_colour, has_utf8;
};

enum term_colour { TERM_COLOUR_AUTO, TERM_COLOUR_ALWAYS, TERM_COLOUR_NEVER };

/* What the decision rests on; strings may be NULL. */
struct term_environment {
	bool is_terminal;
	unsigned window_columns; /* as the terminal says, 0 unknown */
	const char *no_color, *name, *columns, *lc_all, *lc_ctype, *lang;
};

/* Colour: as asked; auto means a terminal that is not "dumb" and no NO_COLOR (set and not empty). Width: the window,
 * else COLUMNS, else 100. UTF-8: by the first of LC_ALL, LC_CTYPE, LANG that is set and not empty. */
struct term term_decide(const struct term_environment *environment, enum term_colour colour);
struct term term_detect(int fd, enum term_colour colour);

enum term_style {
	TERM_PLAIN,
	TERM_BOLD,
	TERM_DIM,
	TERM_TITLE, /* heading of a section or a column */
	TERM_GOOD,
	TERM_WARNING, /* what the reader must know before believing a figure */
	TERM_BAD,     /* failure */
	TERM_BAR,
};

/* A text that utf8_safe made, in a style. */
void term_styled(const struct term *term, FILE *out, enum term_style style, const char *safe_text);

/* A text on a line of its own, cut in its middle where it is too long. */
void term_line(const struct term *term, FILE *out, enum term_style style, const char *text);

/* `label` in label_style at the left, then the text wrapped in the room right of label_columns. The label may be "".
 * A number and its unit ("434 ms") stay on one line. */
void term_paragraph(const struct term *term, FILE *out, enum term_style label_style, const char *label,
		    unsigned label_columns, enum term_style style, const char *text);

enum { TERM_BAR_COLUMNS_MAX = 64, TERM_BAR_BYTES = TERM_BAR_COLUMNS_MAX * 4 + 1 };

struct term_bar {
	char text[TERM_BAR_BYTES];
};

/* A bar of fraction (0..1) × columns, in eighths of a column ('#' in ASCII); whatever is above 0 shows. */
struct term_bar term_bar(const struct term *term, double fraction, unsigned columns);

/* One character for each value of 0..1, at most columns of them (the first ones). */
struct term_bar term_sparkline(const struct term *term, const double *fractions, size_t count, unsigned columns);

/* |-----o-------| : where low, middle and high (0..1) lie on a scale that is columns wide. */
struct term_bar term_range(const struct term *term, double low, double middle, double high, unsigned columns);
