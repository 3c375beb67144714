#include "base/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/auto.h"

enum { TERM_ROOM_LEAST = 10 };

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
	[TERM_PLAIN] = "",	 [TERM_BOLD] = "\33[1m",     [TERM_DIM] = "\33[2m",    [TERM_TITLE] = "\33[1;36m",
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

	term_styled(term, out, style, utf8_fit(&arena, safe, term->columns, UTF8_CUT_MIDDLE, term->has_utf8));
	putc('\n', out);
}

static void put_spaces(FILE *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		putc(' ', out);
}

static bool is_unit(const char *word, size_t length)
{
	static const char *const units[] = {"ns", "µs",	 "us",	"ms",  "s",   "min", "h",
					    "B",  "KiB", "MiB", "GiB", "TiB", "%"};

	while (length && strchr(",;:.)", word[length - 1]))
		length--;
	for (size_t i = 0; i < array_length(units); i++)
		if (strlen(units[i]) == length && memcmp(word, units[i], length) == 0)
			return true;
	return false;
}

/* Where the next unbreakable piece of a text without leading spaces ends. */
static const char *piece_end(const char *at)
{
	const char *end = at + strcspn(at, " ");
	const char *next = end + strspn(end, " ");
	size_t next_length = strcspn(next, " ");
	const char *digit = at + strspn(at, "~(+-<");

	return *digit >= '0' && *digit <= '9' && is_unit(next, next_length) ? next + next_length : end;
}

/* Takes as many pieces as fit from *at and puts them into `line`, which has room for them. */
static void fill_line(const struct term *term, struct arena *arena, const char **at, size_t room, char *line)
{
	size_t columns = 0;

	*line = 0;
	while (**at) {
		const char *end = piece_end(*at);
		char *piece = arena_copy(arena, *at, (size_t)(end - *at));
		size_t gap = columns ? 1 : 0;

		if (columns && columns + gap + utf8_columns(piece) > room)
			return;
		piece = utf8_fit(arena, piece, room, UTF8_CUT_MIDDLE, term->has_utf8);
		line = stpcpy(stpcpy(line, gap ? " " : ""), piece);
		columns += gap + utf8_columns(piece);
		*at = end + strspn(end, " ");
	}
}

void term_paragraph(const struct term *term, FILE *out, enum term_style label_style, const char *label,
		    unsigned label_columns, enum term_style style, const char *text)
{
	auto_done(arena_done) struct arena arena = {};
	char *safe_label = utf8_safe(&arena, label, term->has_utf8);
	const char *at = utf8_safe(&arena, text, term->has_utf8);
	size_t room =
		term->columns > label_columns + TERM_ROOM_LEAST ? term->columns - label_columns : TERM_ROOM_LEAST;
	char *line = arena_alloc(&arena, strlen(at) + room * 4 + 1);
	size_t used;

	safe_label =
		utf8_fit(&arena, safe_label, label_columns ? label_columns - 1 : 0, UTF8_CUT_END, term->has_utf8);
	used = utf8_columns(safe_label);
	at += strspn(at, " ");
	term_styled(term, out, label_style, safe_label);
	do {
		fill_line(term, &arena, &at, room, line);
		if (*line)
			put_spaces(out, label_columns - used);
		term_styled(term, out, style, line);
		putc('\n', out);
		used = 0;
	} while (*at);
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
