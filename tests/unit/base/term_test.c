/* What the terminal can do, paragraphs, bars, and tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "base/table.h"
#include "base/term.h"

static void colour_decision(void **state)
{
	const struct term_environment terminal = {.is_terminal = true, .name = "xterm", .lang = "C.UTF-8"};
	struct term_environment changed;

	(void)state;
	assert_true(term_decide(&terminal, TERM_COLOUR_AUTO).has_colour);
	assert_false(term_decide(&terminal, TERM_COLOUR_NEVER).has_colour);
	changed = terminal;
	changed.is_terminal = false;
	assert_false(term_decide(&changed, TERM_COLOUR_AUTO).has_colour);
	assert_true(term_decide(&changed, TERM_COLOUR_ALWAYS).has_colour);
	changed = terminal;
	changed.no_color = "1";
	assert_false(term_decide(&changed, TERM_COLOUR_AUTO).has_colour);
	assert_true(term_decide(&changed, TERM_COLOUR_ALWAYS).has_colour);
	changed.no_color = ""; /* no-color.org: an empty value does not count */
	assert_true(term_decide(&changed, TERM_COLOUR_AUTO).has_colour);
	changed.name = "dumb";
	assert_false(term_decide(&changed, TERM_COLOUR_AUTO).has_colour);
	changed.name = NULL;
	assert_false(term_decide(&changed, TERM_COLOUR_AUTO).has_colour);
}

static void width_and_charset(void **state)
{
	struct term_environment environment = {};

	(void)state;
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, 100);
	assert_false(term_decide(&environment, TERM_COLOUR_AUTO).has_utf8);
	environment.columns = "132";
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, 132);
	environment.columns = "-3";
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, 100);
	environment.columns = "99999999999999999999";
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, TERM_COLUMNS_MAX);
	environment.window_columns = 90;
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, 90);
	environment.window_columns = 3;
	assert_int_equal(term_decide(&environment, TERM_COLOUR_AUTO).columns, TERM_COLUMNS_MIN);
	environment.lang = "en_US.UTF-8";
	assert_true(term_decide(&environment, TERM_COLOUR_AUTO).has_utf8);
	environment.lc_ctype = "de_DE.utf8";
	assert_true(term_decide(&environment, TERM_COLOUR_AUTO).has_utf8);
	environment.lc_all = "C";
	assert_false(term_decide(&environment, TERM_COLOUR_AUTO).has_utf8);
	environment.lc_all = "";
	assert_true(term_decide(&environment, TERM_COLOUR_AUTO).has_utf8);
}

struct page {
	char *text;
	size_t length_bytes;
	FILE *out;
};

static FILE *page_open(struct page *page)
{
	*page = (struct page){};
	page->out = open_memstream(&page->text, &page->length_bytes);
	assert_non_null(page->out);
	return page->out;
}

static void page_close(struct page *page, const char *wanted)
{
	fclose(page->out);
	assert_string_equal(page->text, wanted);
	free(page->text);
}

static void paragraphs(void **state)
{
	const struct term term = {.columns = 40, .has_utf8 = true},
			  coloured = {.columns = 40, .has_utf8 = true, .has_colour = true};
	struct page page;

	(void)state;
	term_paragraph(&term, page_open(&page), TERM_BOLD, "Note", 10, TERM_PLAIN,
		       "one two three four five six seven");
	page_close(&page, "Note      one two three four five six\n          seven\n");
	/* A number keeps its unit, and what looks like one is left alone. */
	term_paragraph(&term, page_open(&page), TERM_BOLD, "", 10, TERM_PLAIN,
		       "it took all of these seconds 12.5 s, then more");
	page_close(&page, "          it took all of these seconds\n          12.5 s, then more\n");
	term_paragraph(&term, page_open(&page), TERM_BOLD, "", 10, TERM_PLAIN,
		       "/a/long/path/that/is/wider/than/the/room.jar end");
	page_close(&page, "          /a/long…ider/than/the/room.jar\n          end\n");
	term_paragraph(&term, page_open(&page), TERM_BOLD, "A label too long", 10, TERM_PLAIN, "text");
	page_close(&page, "A label … text\n");
	term_paragraph(&term, page_open(&page), TERM_BOLD, "L", 10, TERM_PLAIN, "");
	page_close(&page, "L\n");
	term_paragraph(&term, page_open(&page), TERM_BOLD, "", 0, TERM_PLAIN, "a\nb  c\033[31m");
	page_close(&page, "a\\x0ab c\\x1b[31m\n");
	term_paragraph(&coloured, page_open(&page), TERM_BOLD, "N", 4, TERM_DIM, "x");
	page_close(&page, "\033[1mN\033[0m   \033[2mx\033[0m\n");
}

static void bars(void **state)
{
	const struct term utf8 = {.columns = 80, .has_utf8 = true}, ascii = {.columns = 80};
	const double values[] = {0, 0.5, 1, 2, -1, NAN};

	(void)state;
	assert_string_equal(term_bar(&utf8, 0, 8).text, "");
	assert_string_equal(term_bar(&utf8, 1, 8).text, "████████");
	assert_string_equal(term_bar(&utf8, 0.5625, 8).text, "████▌");
	assert_string_equal(term_bar(&utf8, 0.000001, 8).text, "▏");
	assert_string_equal(term_bar(&utf8, 7, 2).text, "██");
	assert_string_equal(term_bar(&utf8, NAN, 2).text, "");
	assert_string_equal(term_bar(&ascii, 0.5, 8).text, "####");
	assert_string_equal(term_bar(&ascii, 0.01, 8).text, "#");
	assert_int_equal(utf8_columns(term_bar(&utf8, 1, 100000).text), TERM_BAR_COLUMNS_MAX);
	assert_string_equal(term_sparkline(&utf8, values, 6, 10).text, "▁▅██▁▁");
	assert_string_equal(term_sparkline(&ascii, values, 3, 10).text, "_=#");
	assert_string_equal(term_sparkline(&utf8, values, 6, 2).text, "▁▅");
	assert_string_equal(term_range(&utf8, 0.1, 0.5, 1, 11).text, " ├───●────┤");
	assert_string_equal(term_range(&ascii, 0, 0.2, 0.4, 11).text, "|-o-|");
	assert_string_equal(term_range(&utf8, 0.5, 0.5, 0.5, 11).text, "     ●");
}

static void fill(struct table *table)
{
	*table = (struct table){};
	table_column(table, (struct table_column){.title = "file", .shrinks_to = 8});
	table_column(table, (struct table_column){.title = "n", .align = TABLE_RIGHT});
	table_column(table, (struct table_column){.title = "remark", .optional = 1});
	table_row(table);
	table_cell(table, TERM_PLAIN, "/usr/lib/jvm/lib/modules");
	table_cell(table, TERM_PLAIN, "%d", 7);
	table_cell(table, TERM_PLAIN, "kept\nsafe");
	table_row(table);
	table_cell(table, TERM_PLAIN, "/a");
	table_cell(table, TERM_BOLD, "%d", 1234);
}

static void assert_table(struct term term, const char *wanted)
{
	struct table table;
	struct page page;

	fill(&table);
	table_print(&table, &term, page_open(&page));
	page_close(&page, wanted);
	table_done(&table);
}

static void tables(void **state)
{
	struct table table;

	(void)state;
	fill(&table);
	assert_int_equal(table_width(&table, &(struct term){.columns = 20}), 24 + 2 + 4 + 2 + 12);
	table_done(&table);
	assert_table((struct term){.columns = 44, .has_utf8 = true}, "file                         n  remark\n"
								     "/usr/lib/jvm/lib/modules     7  kept\\x0asafe\n"
								     "/a                        1234\n");
	/* The path gives way, at its middle. */
	assert_table((struct term){.columns = 40, .has_utf8 = true}, "file                     n  remark\n"
								     "/usr…jvm/lib/modules     7  kept\\x0asafe\n"
								     "/a                    1234\n");
	/* 8 + 2 + 4 + 2 + 12 are more than 20: the optional column goes, and the path takes what is left. */
	assert_table((struct term){.columns = 20, .has_utf8 = true}, "file               n\n"
								     "/us…ib/modules     7\n"
								     "/a              1234\n");
	assert_table((struct term){.columns = 10, .has_utf8 = true}, "file\n"
								     "/…odules\n"
								     "/a\n");
	assert_table((struct term){.columns = 44, .has_utf8 = true, .has_colour = true},
		     "\033[1;36mfile\033[0m                         \033[1;36mn\033[0m  \033[1;36mremark\033[0m\n"
		     "/usr/lib/jvm/lib/modules     7  kept\\x0asafe\n"
		     "/a                        \033[1m1234\033[0m\n");
}

/* No header line without titles; cells beyond the columns are dropped; an empty table prints nothing. */
static void table_without_titles(void **state)
{
	const struct term term = {.columns = 80, .has_utf8 = true};
	struct table table = {.indent = 2}, empty = {};
	struct page page;

	(void)state;
	table_column(&table, (struct table_column){});
	table_row(&table);
	table_cell(&table, TERM_PLAIN, "one");
	table_cell(&table, TERM_PLAIN, "two");
	table_print(&table, &term, page_open(&page));
	page_close(&page, "  one\n");
	table_done(&table);
	table_print(&empty, &term, page_open(&page));
	page_close(&page, "");
	table_done(&empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colour_decision), cmocka_unit_test(width_and_charset),
		cmocka_unit_test(paragraphs),	   cmocka_unit_test(bars),
		cmocka_unit_test(tables),	   cmocka_unit_test(table_without_titles),
	};

	return cmocka_run_group_tests_name("term", tests, NULL, NULL);
}
