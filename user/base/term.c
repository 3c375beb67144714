#include "base/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/auto.h"

static bool is_set(const char *text)
{
	return text && *text;
}

static bool is_utf8_locale(const struct term_environment *environment)
{
	const char *locale = is_set(environment->lc_all)     ? environment->lc_all
			     : is_set(environment->lc_ctype) ? environment->lc_ctype
							     : environment->lang;

	return is_set(locale) && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

struct term term_decide(const struct term_environment *environment, enum term_colour colour)
{
	struct term term = {.columns = environment->window_columns, .has_utf8 = is_utf8_locale(environment)};

	if (!term.columns && is_set(environment->columns)) {
		long columns = strtol(environment->columns, NULL, 10);

		if (columns > 0)
			term.columns = columns < TERM_COLUMNS_MAX ? (unsigned)columns : TERM_COLUMNS_MAX;
	}
	if (!term.columns)
		term.columns = TERM_COLUMNS_DEFAULT;
	if (term.columns < TERM_COLUMNS_MIN)
		term.columns = TERM_COLUMNS_MIN;
	if (term.columns > TERM_COLUMNS_MAX)
		term.columns = TERM_COLUMNS_MAX;
	term.has_colour = colour == TERM_COLOUR_ALWAYS ||
			  (colour == TERM_COLOUR_AUTO && environment->is_terminal && !is_set(environment->no_color) &&
			   is_set(environment->name) && strcmp(environment->name, "dumb") != 0);
	return term;
}

struct term term_detect(int fd, enum term_colour colour)
{
	struct winsize window = {};
	struct term_environment environment = {
		.is_terminal = isatty(fd) == 1,
		.no_color = getenv("NO_COLOR"),
		.name = getenv("TERM"),
		.columns = getenv("COLUMNS"),
		.lc_all = getenv("LC_ALL"),
		.lc_ctype = getenv("LC_CTYPE"),
		.lang = getenv("LANG"),
	};

	if (environment.is_terminal && ioctl(fd, TIOCGWINSZ, &window) == 0)
		environment.window_columns = window.ws_col;
	return term_decide(&environment, colour);
}

static const char *const escapes[] = {
	[TERM_PLAIN] = "",	  [TERM_BOLD] = "\33[1m",    [TERM_DIM] = "\33[2m",    [TERM_TITLE] = "\33[1;36m",
	[TERM_GOOD] = "\33[32m", [TERM_WARNING] = "\33[33m", [TERM_BAD] = "\33[1;31m", [TERM_BAR] = "\33[36m",
};

void term_styled(const struct term *term, FILE *out, enum term_style style, const char *safe_text)
{
	bool is_styled = term->has_colour && style != TERM_PLAIN && *safe_text;

	if (is_styled)
		fputs(escapes[style], out);
	fputs(safe_text, out);
	if (is_styled)
		fputs("\33[0m", out);
}

void term_line(const struct term *term, FILE *out, enum term_style style, const char *text)
{
	auto_done(arena_done) struct arena arena = {};
	char *safe = utf8_safe(&arena, text, term->has_utf8);

	term_styled(term, out, style, utf8_fit(&arena, safe, term->columns, UTF8_CUT_END, term->has_utf8));
	putc('\n', out);
}

static void put_spaces(FILE *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		putc(' ', out);
}

void term_paragraph(const struct term *term, FILE *out, enum term_style label_style, const char *label,
		    unsigned label_columns, enum term_style style, const char *text)
{
	auto_done(arena_done) struct arena arena = {};
	char *safe_label = utf8_safe(&arena, label, term->has_utf8);
	char *at = utf8_safe(&arena, text, term->has_utf8);
	size_t used = utf8_columns(safe_label);
	size_t room = term->columns > label_columns + 10 ? term->columns - label_columns : 10;

	term_styled(term, out, label_style, safe_label);
	put_spaces(out, used < label_columns ? label_columns - used : 0);
	for (bool is_first_line = true; *at; is_first_line = false) {
		size_t columns = 0;
		char *line = arena_alloc(&arena, strlen(at) + room * 4 + 1), *end = line;

		/* A label too long for its column pushes the first line, and only that one, to the right. */
		size_t line_room = is_first_line && used > label_columns
					   ? room - (used - label_columns < room - 1 ? used - label_columns : room - 1)
					   : room;

		while (*at) {
			size_t spaces = columns ? strspn(at, " ") : 0;
			const char *word = at + (columns ? spaces : strspn(at, " "));
			size_t length = strcspn(word, " ");
			char *copy = arena_copy(&arena, word, length);

			if (!length) {
				at += strlen(at);
				break;
			}
			if (columns && columns + spaces + utf8_columns(copy) > line_room)
				break;
			copy = utf8_fit(&arena, copy, line_room, UTF8_CUT_MIDDLE, term->has_utf8);
			memset(end, ' ', spaces);
			end = stpcpy(end + spaces, copy);
			columns += spaces + utf8_columns(copy);
			at = (char *)word + length;
		}
		if (!columns)
			break;
		if (!is_first_line)
			put_spaces(out, label_columns);
		term_styled(term, out, style, line);
		putc('\n', out);
		at += strspn(at, " ");
	}
	if (!*text)
		putc('\n', out);
}

static double clamp(double fraction)
{
	return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
}

static unsigned bar_columns(unsigned columns)
{
	return columns < TERM_BAR_COLUMNS_MAX ? columns : TERM_BAR_COLUMNS_MAX;
}

struct term_bar term_bar(const struct term *term, double fraction, unsigned columns)
{
	static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	struct term_bar bar;
	char *end = bar.text;
	unsigned steps = term->has_utf8 ? 8 : 1;
	unsigned filled = (unsigned)lround(clamp(fraction) * bar_columns(columns) * steps);

	if (!filled && fraction > 0 && columns)
		filled = 1;
	for (unsigned i = 0; i < filled / steps; i++)
		end = stpcpy(end, term->has_utf8 ? "█" : "#");
	stpcpy(end, parts[filled % steps]);
	return bar;
}

struct term_bar term_sparkline(const struct term *term, const double *fractions, size_t count, unsigned columns)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
	struct term_bar line;
	char *end = line.text;

	*end = 0;
	for (size_t i = 0; i < count && i < bar_columns(columns); i++) {
		size_t level = (size_t)lround(clamp(fractions[i]) * (array_length(blocks) - 1));

		end = stpcpy(end, term->has_utf8 ? blocks[level] : letters[level]);
	}
	return line;
}

struct term_bar term_range(const struct term *term, double low, double middle, double high, unsigned columns)
{
	struct term_bar line;
	char *end = line.text;
	double last = columns ? bar_columns(columns) - 1 : 0;
	long from = lround(clamp(low) * last), at = lround(clamp(middle) * last), to = lround(clamp(high) * last);

	*end = 0;
	for (long i = 0; columns && i <= to; i++) {
		const char *utf8 = i < from ? " " : i == at ? "●" : i == from ? "├" : i == to ? "┤" : "─";
		const char *ascii = i < from ? " " : i == at ? "o" : i == from || i == to ? "|" : "-";

		end = stpcpy(end, term->has_utf8 ? utf8 : ascii);
	}
	return line;
}
