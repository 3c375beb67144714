/* A comparison as text: scenarios side by side, what changed against the baseline and how sure that is, and for each
 * scenario the way from the baseline's first request to its own, cause by cause. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "render/screen.h"
#include "render/text_tables.h"

enum { RANGE_COLUMNS = 32, WATERFALL_ROWS_MOST = 12 };

/* Bars that are cut say nothing: narrow terminals get shorter ones. */
static unsigned waterfall_columns(const struct screen *screen)
{
	return screen->term.columns >= 100 ? 34 : screen->term.columns >= 80 ? 18 : 0;
}

static const struct comparison_scenario *scenario_named(const struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		if (strcmp(comparison->scenarios[i].name, name) == 0)
			return &comparison->scenarios[i];
	return NULL;
}

/* What makes a scenario something else than its name says. */
static const char *scenario_mark(struct screen *screen, const struct comparison_scenario *scenario)
{
	int64_t whole = fmt_subtract(scenario->runs, scenario->failed_runs);
	const char *text = "";

	if (scenario->is_aot_requested && scenario->aot_mapped < whole)
		text = scenario->aot_mapped
			       ? arena_format(&screen->arena, "cache used in %s of %s runs",
					      fmt_count(scenario->aot_mapped).text, fmt_count(whole).text)
			       : "CACHE NOT USED";
	if (scenario->failed_runs)
		text = arena_format(&screen->arena, "%s%s%s failed", text, *text ? ", " : "",
				    fmt_count(scenario->failed_runs).text);
	return text;
}

static void text_latencies(struct screen *screen, const struct comparison *comparison)
{
	struct table table = {};
	int64_t lowest = INT64_MAX, highest = 0;
	bool has_marks = false;

	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_stat *stat = &comparison->scenarios[i].first_request_ns;

		has_marks = has_marks || *scenario_mark(screen, &comparison->scenarios[i]);
		if (!stat->count)
			continue;
		lowest = stat->min < lowest ? stat->min : lowest;
		highest = stat->max > highest ? stat->max : highest;
	}

	struct scale scale = scale_for(highest);
	double span = highest > lowest ? (double)highest - (double)lowest : 1;

	section_begin(screen, &table, arena_format(&screen->arena, "First request, %s", scale.unit), 14);
	section_number(&table, "runs", 2);
	section_number(&table, "min", 0);
	section_number(&table, "median", 0);
	section_number(&table, "max", 0);
	table_column(&table, (struct table_column){.title = "min, median, max", .optional = 3});
	if (has_marks)
		section_text(&table, "", 0, 0);
	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &comparison->scenarios[i];
		const struct comparison_stat *stat = &scenario->first_request_ns;

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", scenario->name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(scenario->runs).text);
		table_cell(&table, TERM_PLAIN, "%s", stat->count ? in_scale(screen, stat->min, scale) : "?");
		table_cell(&table, TERM_BOLD, "%s", stat->count ? in_scale(screen, stat->median, scale) : "?");
		table_cell(&table, TERM_PLAIN, "%s", stat->count ? in_scale(screen, stat->max, scale) : "?");
		table_cell(&table, TERM_BAR, "%s",
			   stat->count ? term_range(&screen->term, ((double)stat->min - (double)lowest) / span,
						    ((double)stat->median - (double)lowest) / span,
						    ((double)stat->max - (double)lowest) / span, RANGE_COLUMNS)
						 .text
				       : "");
		table_cell(&table, TERM_WARNING, "%s", scenario_mark(screen, scenario));
	}
	section_end(screen, &table);
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		if (comparison->scenarios[i].aot_reason.state == KNOWN)
			screen_paragraph(screen, TERM_WARNING, "", "%s: the cache was not used: %s",
					 comparison->scenarios[i].name, comparison->scenarios[i].aot_reason.text);
}

static void text_changes(struct screen *screen, const struct comparison *comparison)
{
	struct table table = {};

	if (!comparison->differences_count)
		return;
	section_begin(screen, &table, arena_format(&screen->arena, "Against %s", comparison->baseline), 14);
	table.columns[0].cut = UTF8_CUT_END;
	section_number(&table, "change", 0);
	section_number(&table, "95 % interval", 0);
	section_number(&table, "p", 1);
	section_number(&table, "detectable", 2);
	section_text(&table, "", 0, 0);
	for (size_t i = 0; i < comparison->differences_count; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", difference->scenario);
		table_cell(&table, TERM_BOLD, "%s", fmt_change(difference->first_request_change).text);
		table_cell(&table, TERM_PLAIN, "%s to %s", fmt_change(difference->interval95_low).text,
			   fmt_change(difference->interval95_high).text);
		table_cell(&table, TERM_PLAIN, difference->p_value < 0.0001 ? "<0.0001" : "%.4f",
			   difference->p_value);
		table_cell(&table, TERM_DIM, "%s",
			   difference->detectable_change.state == KNOWN
				   ? fmt_percent(difference->detectable_change.value).text
				   : "?");
		table_cell(&table, TERM_PLAIN, "%s", difference->verdict ? difference->verdict : "");
	}
	section_end(screen, &table);
}

static const char *median_duration(struct screen *screen, const struct comparison_stat *stat)
{
	return stat->count ? arena_format(&screen->arena, "%s", fmt_duration(stat->median).text) : "?";
}

static const char *median_count(struct screen *screen, const struct comparison_stat *stat)
{
	return stat->count ? arena_format(&screen->arena, "%s", fmt_count(stat->median).text) : "?";
}

static void text_medians(struct screen *screen, const struct comparison *comparison)
{
	struct table table = {};

	section_begin(screen, &table, "Medians", 14);
	section_number(&table, "ready", 0);
	section_number(&table, "first answer", 2);
	section_number(&table, "warm", 0);
	section_number(&table, "CPU", 0);
	section_number(&table, "peak RSS", 0);
	section_number(&table, "classes", 3);
	section_number(&table, "exceptions", 4);
	section_number(&table, "page faults", 5);
	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &comparison->scenarios[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", scenario->name);
		table_cell(&table, TERM_PLAIN, "%s", median_duration(screen, &scenario->ready_ns));
		table_cell(&table, TERM_PLAIN, "%s", median_duration(screen, &scenario->first_response_ns));
		table_cell(&table, TERM_PLAIN, "%s", median_duration(screen, &scenario->warm_ns));
		table_cell(&table, TERM_PLAIN, "%s", median_duration(screen, &scenario->cpu_ns));
		table_cell(&table, TERM_PLAIN, "%s",
			   scenario->peak_rss.count ? fmt_bytes(scenario->peak_rss.median).text : "?");
		table_cell(&table, TERM_PLAIN, "%s", median_count(screen, &scenario->counts[COUNT_CLASSES_LOADED]));
		table_cell(&table, TERM_PLAIN, "%s", median_count(screen, &scenario->counts[COUNT_EXCEPTIONS]));
		table_cell(&table, TERM_PLAIN, "%s", median_count(screen, &scenario->counts[COUNT_MINOR_FAULTS]));
	}
	section_end(screen, &table);
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
static bool *large_rows(struct screen *screen, const struct comparison_difference *difference, bool is_full)
{
	bool *is_large = arena_array(&screen->arena, bool, difference->causes_count + 1);

	for (size_t i = 0; i < difference->causes_count; i++) {
		size_t larger = 0;

		for (size_t k = 0; k < difference->causes_count; k++) {
			double mine = fabs((double)difference->causes[i].change_ns),
			       other = fabs((double)difference->causes[k].change_ns);

			larger += other > mine || (other == mine && k < i);
		}
		is_large[i] = is_full || larger < WATERFALL_ROWS_MOST;
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

static void way_begin(struct way *way)
{
	section_begin(way->screen, &way->table, "Mean first request, by cause", 24);
	section_number(&way->table, arena_format(&way->screen->arena, "before %s", way->scale.unit), 2);
	section_number(&way->table, arena_format(&way->screen->arena, "after %s", way->scale.unit), 2);
	section_number(&way->table, "change", 0);
	table_column(&way->table, (struct table_column){.optional = 1});
	way->table.columns[0].cut = UTF8_CUT_END;
}

static void text_way(struct screen *screen, const struct comparison *comparison,
		     const struct comparison_difference *difference, bool is_full)
{
	size_t count = difference->causes_count, rest = 0;
	int64_t *before_ns = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *after_ns = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *before = arena_array(&screen->arena, int64_t, count + 1);
	int64_t *after = arena_array(&screen->arena, int64_t, count + 1);
	bool *is_large = large_rows(screen, difference, is_full);
	int64_t before_sum, after_sum, rest_before = 0, rest_after = 0;
	struct way way = {.screen = screen};

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		before_ns[i] = difference->causes[i].baseline_ns;
		after_ns[i] = difference->causes[i].scenario_ns;
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

	way_begin(&way);
	way_end(&way, comparison->baseline, before_sum, -1, false);
	for (size_t i = 0; i < count; i++) {
		if (is_large[i]) {
			way_row(&way, cause_label_short(screen, cause_label(difference->causes[i].cause)), before[i],
				after[i]);
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

static void text_interactions(struct screen *screen, const struct comparison *comparison)
{
	if (!comparison->interactions_count)
		return;
	screen_blank(screen);
	for (size_t i = 0; i < comparison->interactions_count; i++) {
		const struct comparison_interaction *interaction = &comparison->interactions[i];

		screen_paragraph(screen, TERM_PLAIN, i ? "" : "Together",
				 "%s and %s at once save %s %s than the two alone add up to.", interaction->of[0],
				 interaction->of[1],
				 fmt_duration(interaction->first_request_ns < 0
						      ? fmt_subtract(0, interaction->first_request_ns)
						      : interaction->first_request_ns)
					 .text,
				 interaction->first_request_ns <= 0 ? "more" : "less");
	}
}

static void text_commands(struct screen *screen, const struct comparison *comparison)
{
	screen_blank(screen);
	screen_heading(screen, "Commands");
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		screen_paragraph(screen, TERM_PLAIN, NULL, "%s: %s", comparison->scenarios[i].name,
				 command_text(screen, comparison->scenarios[i].command,
					      comparison->scenarios[i].command_count));
}

struct err *render_comparison_text(const struct comparison *comparison, const struct render_options *options,
				   FILE *out)
{
	struct screen screen = screen_open(options, out);
	const struct comparison_scenario *baseline = scenario_named(comparison, comparison->baseline);

	if (comparison->verdict && *comparison->verdict)
		screen_paragraph(&screen, TERM_BOLD, NULL, "%s", comparison->verdict);
	for (size_t i = 0; i < comparison->note_count; i++)
		screen_paragraph(&screen, TERM_WARNING, i ? "" : "Note", "%s", comparison->notes[i]);
	if (baseline && !baseline->first_request_ns.count)
		screen_paragraph(&screen, TERM_WARNING, NULL,
				 "No run of the baseline answered a request: nothing to compare with.");
	text_latencies(&screen, comparison);
	text_changes(&screen, comparison);
	text_medians(&screen, comparison);
	for (size_t i = 0; i < comparison->differences_count; i++)
		text_way(&screen, comparison, &comparison->differences[i], options->is_full);
	text_interactions(&screen, comparison);
	if (options->is_full)
		text_commands(&screen, comparison);
	return screen_close(&screen);
}
