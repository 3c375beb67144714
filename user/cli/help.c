#include "cli/help.h"

#include <string.h>

#include "base/auto.h"

enum { LABEL_COLUMNS = 30, VERB_COLUMNS = 12, TEXT_COLUMNS_MAX = 100 };

static const char *const group_titles[GROUP_COUNT] = {
	[GROUP_REQUESTS] = "Requests", [GROUP_RUN] = "Running",	  [GROUP_SCENARIOS] = "Comparing",
	[GROUP_EXPORT] = "Exporting",  [GROUP_REPORT] = "Report", [GROUP_COMMON] = "Everywhere",
};

static void print_line(const struct term *term, FILE *out, enum term_style style, const char *text)
{
	term_styled(term, out, style, text);
	putc('\n', out);
}

static void print_title(const struct term *term, FILE *out, const char *title)
{
	putc('\n', out);
	print_line(term, out, TERM_TITLE, title);
}

static void print_row(const struct option_row *row, const struct term *term, FILE *out)
{
	char label[80];

	snprintf(label, sizeof(label), "  %c%c%s%s%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
		 row->letter && row->name ? ", "
		 : row->name		  ? "  "
					  : "",
		 row->name ? "--" : "", row->name ? row->name : "", row->argument ? " " : "",
		 row->argument ? row->argument : "");
	/* A label that fills its column would touch the text. */
	if (strlen(label) >= LABEL_COLUMNS) {
		print_line(term, out, TERM_PLAIN, label);
		label[0] = '\0';
	}
	term_paragraph(term, out, TERM_PLAIN, label, LABEL_COLUMNS, TERM_PLAIN, row->help);
}

static void print_group(const struct verb *verb, enum option_group group, const struct term *term, FILE *out)
{
	bool is_first = true;

	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->group != group || !(row->verbs & verb->id))
			continue;
		if (is_first)
			print_title(term, out, group_titles[group]);
		is_first = false;
		print_row(row, term, out);
	}
}

static void print_verbs(const struct term *term, FILE *out)
{
	print_title(term, out, "Verbs ('warmtrace VERB --help' has the options of each)");
	for (size_t i = 0; i < verb_count; i++) {
		auto_done(arena_done) struct arena arena = {};

		if (verbs[i].name)
			term_paragraph(term, out, TERM_BOLD, arena_format(&arena, "  %s", verbs[i].name),
				       VERB_COLUMNS, TERM_PLAIN, verbs[i].summary);
	}
}

void help_print(const struct verb *verb, const struct term *terminal, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	struct term term = *terminal;

	if (term.columns > TEXT_COLUMNS_MAX)
		term.columns = TEXT_COLUMNS_MAX;
	print_line(&term, out, TERM_BOLD, arena_format(&arena, "warmtrace %s", verb->synopsis));
	putc('\n', out);
	term_paragraph(&term, out, TERM_PLAIN, "", 0, TERM_PLAIN, verb->description);
	if (!verb->name)
		print_verbs(&term, out);
	for (int group = 0; group < GROUP_COUNT; group++)
		print_group(verb, (enum option_group)group, &term, out);
	print_title(&term, out, "Examples");
	for (size_t i = 0; i < array_length(verb->examples); i++) {
		/* Not wrapped: a command must be fit to copy. */
		fputs("  ", out);
		term_styled(&term, out, TERM_PLAIN, verb->examples[i]);
		putc('\n', out);
	}
}
