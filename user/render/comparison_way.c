/* The way from one scenario's time to another's, cause by cause, as a table and a waterfall. */
#include "render/comparison_way.h"

#include <math.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "render/text_tables.h"

/* Bars that are cut say nothing: narrow terminals get shorter ones. */
static unsigned waterfall_columns(const struct screen *screen)
{
	return screen->term.columns >= 100 ? 34 : screen->term.columns >= 80 ? 18 : 0;
}

static long column_of(const struct screen *screen, int64_t at, int64_t whole)
{
	double fraction = whole > 0 ? (double)at / (double)whole : 0;

	return lround(fmin(fmax(fraction, 0), 1) * waterfall_columns(screen));
}

/* A step of the waterfall: a bar from where the way stood to where it goes. */
static const char *step_bar(struct screen *screen, int64_t from, int64_t to, int64_t whole)
{
	int64_t low = from < to ? from : to, high = from < to ? to : from;
	long left = column_of(screen, low, whole), right = column_of(screen, high, whole);
	const char *text = arena_format(&screen->arena, "%*s", (int)left, "");
	const char *mark = screen->term.has_utf8 ? (to < from ? "░" : "▓") : (to < from ? "-" : "+");

	if (high == low || !waterfall_columns(screen))
		return "";
	for (long i = left; i < right || i == left; i++)
		text = arena_format(&screen->arena, "%s%s", text, mark);
	return text;
}

struct way {
	struct screen *screen;
	struct table table;
	struct scale scale;
	int64_t at;    /* in units of the last digit, as `whole` */
	int64_t whole; /* the highest that the way reaches */
};

static void way_row(struct way *way, const char *label, int64_t baseline, int64_t scenario)
{
	struct screen *screen = way->screen;
	int64_t change = fmt_subtract(scenario, baseline);

	table_row(&way->table);
	table_cell(&way->table, TERM_PLAIN, "  %s", label);
	table_cell(&way->table, TERM_DIM, "%s", fmt_fixed(baseline, way->scale.decimals, false).text);
	table_cell(&way->table, TERM_DIM, "%s", fmt_fixed(scenario, way->scale.decimals, false).text);
	table_cell(&way->table, TERM_PLAIN, "%s", fmt_fixed(change, way->scale.decimals, true).text);
	table_cell(&way->table, change < 0 ? TERM_GOOD : TERM_BAD, "%s",
		   step_bar(screen, way->at, fmt_add(way->at, change), way->whole));
	way->at = fmt_add(way->at, change);
}

static void way_end(struct way *way, const char *name, int64_t baseline, int64_t scenario, bool is_change_shown)
{
	table_row(&way->table);
	table_cell(&way->table, TERM_BOLD, "%s", name);
	table_cell(&way->table, TERM_BOLD, "%s",
		   baseline < 0 ? "" : fmt_fixed(baseline, way->scale.decimals, false).text);
	table_cell(&way->table, TERM_BOLD, "%s",
		   scenario < 0 ? "" : fmt_fixed(scenario, way->scale.decimals, false).text);
	table_cell(&way->table, TERM_BOLD, "%s",
		   is_change_shown ? fmt_fixed(fmt_subtract(scenario, baseline), way->scale.decimals, true).text
				   : "");
	table_cell(&way->table, TERM_BAR, "%s",
		   way->whole > 0 ? term_bar(&way->screen->term, (double)way->at / (double)way->whole,
					     waterfall_columns(way->screen))
					    .text
				  : "");
}

/* Rows whose change is large enough for a line of their own: the largest ones, in the order given. */
static bool *large_rows(struct screen *screen, const struct comparison_cause_row *rows, size_t count, size_t most)
{
	bool *is_large = arena_array(&screen->arena, bool, count + 1);

	for (size_t i = 0; i < count; i++) {
		size_t larger = 0;

		for (size_t k = 0; k < count; k++) {
			double mine = fabs((double)rows[i].change_ns), other = fabs((double)rows[k].change_ns);

			larger += other > mine || (other == mine && k < i);
		}
		is_large[i] = larger < most;
	}
	return is_large;
}

/* Rounds one side of the rows so that they add up as printed; returns their sum. */
static int64_t round_side(const int64_t *values_ns, size_t count, struct scale scale, int64_t *ret_units)
{
	int64_t sum = 0;

	fmt_round_together(values_ns, count, scale.step_ns, ret_units);
	for (size_t i = 0; i < count; i++)
		sum = fmt_add(sum, ret_units[i]);
	return sum;
}

static int64_t sum_of(const int64_t *values, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = fmt_add(sum, values[i]);
	return sum;
}

static void way_begin(struct way *way, const char *title)
{
	section_begin(way->screen, &way->table, title, 24);
	section_number(&way->table, arena_format(&way->screen->arena, "before %s", way->scale.unit), 2);
	section_number(&way->table, arena_format(&way->screen->arena, "after %s", way->scale.unit), 2);
	section_number(&way->table, "change", 0);
	table_column(&way->table, (struct table_column){.optional = 1});
	way->table.columns[0].cut = UTF8_CUT_END;
}

void comparison_way(struct screen *screen, const char *title, const struct comparison_difference *difference,
		    const struct comparison_cause_row *rows, size_t count, size_t most)
{
	size_t rest = 0;
	int64_t *before_ns = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *after_ns = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *before = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *after = arena_array(&screen->arena, int64_t, count + 1);
	bool *is_large = large_rows(screen, rows, count, most);
	int64_t before_sum, after_sum, rest_before = 0, rest_after = 0;
	struct way way = {.screen = screen};

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		before_ns[i] = rows[i].baseline_ns;
		after_ns[i] = rows[i].scenario_ns;
	}
	way.scale = scale_for(sum_of(before_ns, count) > sum_of(after_ns, count) ? sum_of(before_ns, count)
										 : sum_of(after_ns, count));
	before_sum = round_side(before_ns, count, way.scale, before);
	after_sum = round_side(after_ns, count, way.scale, after);
	way.at = way.whole = before_sum;
	for (size_t i = 0; i < count; i++) {
		if (!is_large[i])
			continue;
		way.at = fmt_add(way.at, fmt_subtract(after[i], before[i]));
		way.whole = way.at > way.whole ? way.at : way.whole;
	}
	way.whole = after_sum > way.whole ? after_sum : way.whole;
	way.at = before_sum;

	way_begin(&way, title);
	way_end(&way, difference->baseline, before_sum, -1, false);
	for (size_t i = 0; i < count; i++) {
		if (is_large[i]) {
			way_row(&way, cause_label_short(screen, cause_label(rows[i].cause)), before[i], after[i]);
			continue;
		}
		rest++;
		rest_before = fmt_add(rest_before, before[i]);
		rest_after = fmt_add(rest_after, after[i]);
	}
	if (rest)
		way_row(&way, arena_format(&screen->arena, "%zu others, each of less change", rest), rest_before,
			rest_after);
	way_end(&way, difference->scenario, before_sum, after_sum, true);
	section_end(screen, &way.table);
}
