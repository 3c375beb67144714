/* A comparison as text: scenarios side by side, what changed against the baseline and how sure that is, and for each
 * scenario the way from the baseline's first request to its own, cause by cause. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "render/comparison_way.h"
#include "render/screen.h"
#include "render/text_tables.h"

enum { RANGE_COLUMNS = 32, WAY_ROWS_MOST = 12, STARTUP_ROWS_MOST = 8, EXAMPLES_MOST = 2 };

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

	if (scenario->is_aot_requested && !scenario->aot_mapped)
		text = "CACHE NOT USED";
	else if (scenario->is_aot_requested && scenario->aot_mapped < whole)
		text = arena_format(&screen->arena, "cache used in %s of %s runs", fmt_count(scenario->aot_mapped).text,
				    fmt_count(whole).text);
	if (scenario->failed_runs)
		text = arena_format(&screen->arena, "%s%s%s failed", text, *text ? ", " : "",
				    fmt_count(scenario->failed_runs).text);
	return text;
}

static bool has_requests(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		if (comparison->scenarios[i].first_request_ns.count)
			return true;
	return false;
}

/* What is compared: the first request, or the whole run of commands that serve nothing. */
static const struct comparison_stat *compared_stat(const struct comparison_scenario *scenario, bool is_request)
{
	return is_request ? &scenario->first_request_ns : &scenario->wall_ns;
}

static void text_latencies(struct screen *screen, const struct comparison *comparison)
{
	struct table table = {};
	int64_t lowest = INT64_MAX, highest = 0;
	bool has_marks = false, is_request = has_requests(comparison);

	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_stat *stat = compared_stat(&comparison->scenarios[i], is_request);

		has_marks = has_marks || *scenario_mark(screen, &comparison->scenarios[i]);
		if (!stat->count)
			continue;
		lowest = stat->min < lowest ? stat->min : lowest;
		highest = stat->max > highest ? stat->max : highest;
	}

	struct scale scale = scale_for(highest);
	double span = highest > lowest ? (double)highest - (double)lowest : 1;

	section_begin(screen, &table,
		      arena_format(&screen->arena, "%s, %s", is_request ? "First request" : "Start to end", scale.unit), 14);
	section_number(&table, "runs", 2);
	section_number(&table, "min", 0);
	section_number(&table, "median", 0);
	section_number(&table, "max", 0);
	table_column(&table, (struct table_column){.title = "min, median, max", .optional = 3});
	if (has_marks)
		section_text(&table, "", 0, 0);
	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &comparison->scenarios[i];
		const struct comparison_stat *stat = compared_stat(scenario, is_request);

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

static void text_changes(struct screen *screen, const char *title, const struct comparison_difference *list,
			 size_t count)
{
	struct table table = {};

	if (!count)
		return;
	section_begin(screen, &table, title, 14);
	table.columns[0].cut = UTF8_CUT_END;
	section_number(&table, "change", 0);
	section_number(&table, "95 % interval", 0);
	section_number(&table, "p", 1);
	section_number(&table, "detectable", 2);
	section_text(&table, "", 0, 0);
	for (size_t i = 0; i < count; i++) {
		const struct comparison_difference *difference = &list[i];

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

static const char *share_text(struct screen *screen, struct maybe part, struct maybe whole)
{
	if (part.state != KNOWN || whole.state != KNOWN)
		return "?";
	return arena_format(&screen->arena, "%s of %s", fmt_count(part.value).text, fmt_count(whole.value).text);
}

static const char *examples_of(struct screen *screen, const struct coverage_group *group)
{
	const char *examples = "";

	for (size_t i = 0; i < EXAMPLES_MOST && group->examples[i]; i++)
		examples = arena_format(&screen->arena, "%s%s%s", examples, *examples ? ", " : "", group->examples[i]);
	return examples;
}

static void text_missing(struct screen *screen, const struct comparison *comparison, bool is_full)
{
	struct table table = {};
	bool has_any = false;

	section_begin(screen, &table, "Not from it in the request", 14);
	section_number(&table, "classes", 0);
	section_number(&table, "loading", 0);
	section_text(&table, "why", 0, 0);
	if (is_full)
		section_text(&table, "such as", 20, 1);
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		for (size_t k = 0; comparison->scenarios[i].has_cache && k < comparison->scenarios[i].cache.missing_count; k++) {
			const struct coverage_group *group = &comparison->scenarios[i].cache.missing[k];

			has_any = true;
			table_row(&table);
			table_cell(&table, TERM_PLAIN, "%s", comparison->scenarios[i].name);
			table_cell(&table, TERM_PLAIN, "%s", fmt_count(group->classes).text);
			table_cell(&table, TERM_PLAIN, "%s",
				   group->duration_ns ? fmt_duration(group->duration_ns).text : "");
			table_cell(&table, TERM_PLAIN, "%s", group->why);
			if (is_full)
				table_cell(&table, TERM_DIM, "%s", examples_of(screen, group));
		}
	if (has_any)
		section_end(screen, &table);
	else
		table_done(&table);
}

static void text_caches(struct screen *screen, const struct comparison *comparison, bool is_full)
{
	struct table table = {};
	bool has_any = false;

	section_begin(screen, &table, "Classes from the cache", 14);
	section_number(&table, "before the request", 0);
	section_number(&table, "in it", 0);
	section_text(&table, "heap objects", 0, 1);
	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &comparison->scenarios[i];
		const struct comparison_cache *cache = &scenario->cache;

		if (!scenario->has_cache)
			continue;
		has_any = true;
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", scenario->name);
		table_cell(&table, TERM_PLAIN, "%s", share_text(screen, cache->startup_shared, cache->startup_classes));
		table_cell(&table, TERM_PLAIN, "%s", share_text(screen, cache->request_shared, cache->request_classes));
		table_cell(&table, TERM_PLAIN, "%s",
			   cache->is_heap_used.state != KNOWN ? "?" :
			   cache->is_heap_used.value	      ? "used" :
								"not used");
	}
	if (!has_any) {
		table_done(&table);
		return;
	}
	section_end(screen, &table);
	text_missing(screen, comparison, is_full);
}

/* Against its own baseline, where it has one: there the cache alone is the difference. */
static void text_ways(struct screen *screen, const struct comparison *comparison, bool is_full)
{
	size_t most = is_full ? SIZE_MAX : WAY_ROWS_MOST, startup_most = is_full ? SIZE_MAX : STARTUP_ROWS_MOST;

	for (size_t i = 0; i < comparison->differences_count; i++) {
		const struct comparison_difference *difference = &comparison->differences[i];

		for (size_t k = 0; k < comparison->pairs_count; k++)
			if (strcmp(comparison->pairs[k].scenario, difference->scenario) == 0 &&
			    comparison->pairs[k].causes_count)
				difference = &comparison->pairs[k];
		comparison_way(screen, "Mean first request, by cause", difference, difference->causes, difference->causes_count,
			       most);
		/* One screen for many scenarios is long enough without it. */
		if (is_full || comparison->differences_count == 1)
			comparison_way(screen, "Mean start until ready, by cause", difference, difference->startup_causes,
				       difference->startup_causes_count, startup_most);
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
	if (baseline && !baseline->first_request_ns.count && !(comparison->verdict && *comparison->verdict))
		screen_paragraph(&screen, TERM_WARNING, NULL,
				 "No run of the baseline answered a request: nothing to compare with.");
	text_latencies(&screen, comparison);
	text_changes(&screen, arena_format(&screen.arena, "Against %s", comparison->baseline), comparison->differences,
		     comparison->differences_count);
	text_changes(&screen, "Against their own baselines", comparison->pairs, comparison->pairs_count);
	text_medians(&screen, comparison);
	text_ways(&screen, comparison, options->is_full);
	text_interactions(&screen, comparison);
	text_caches(&screen, comparison, options->is_full);
	if (options->is_full)
		text_commands(&screen, comparison);
	return screen_close(&screen);
}
