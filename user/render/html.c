/* The HTML report: its data. What it looks like is in reports/. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "render/html_data.h"
#include "render/json_common.h"

enum {
	PATHS_MAX = 12,		/* cold requests whose path is drawn */
	PATH_TILES_MAX = 16000, /* on one of them: more would be finer than a screen at any useful zoom */
	PATH_PARTS =
		4000, /* frames below this part of the whole are not told apart: of the first flame, of the others */
	VIEW_PARTS = 1200,
};

static unsigned cause_number(enum cause cause)
{
	return (unsigned)cause;
}

/* ---- paths ---- */

struct shown_tile {
	const struct report_tile *tile;
	int64_t duration_ns;
	bool is_merged;
};

static void put_tile(struct page *page, const struct shown_tile *shown)
{
	struct json_out *json = &page->json;

	json_out_int(json, shown->duration_ns);
	json_out_int(json, shown->tile->tid);
	json_out_int(json, page_text(page, shown->tile->thread));
	json_out_int(json, cause_number(shown->tile->cause));
	json_out_int(json, page_text(page, shown->is_merged ? "several short ones" : shown->tile->detail));
	json_out_int(json, shown->tile->is_estimated);
}

/* Tiles that are too short to be told apart on any screen are drawn as one, with the cause of the longest: the sums
 * by cause stand elsewhere, exactly. */
static void put_tiles(struct page *page, const struct report_request *request)
{
	int64_t step_ns = request->path_count > PATH_TILES_MAX ? request->latency_ns / PATH_TILES_MAX : 0;
	struct shown_tile open = {};
	int64_t longest_ns = 0;

	for (size_t i = 0; i < request->path_count; i++) {
		const struct report_tile *tile = &request->path[i];

		if (open.tile && open.tile->tid == tile->tid && open.duration_ns < step_ns &&
		    tile->duration_ns < step_ns) {
			open.duration_ns += tile->duration_ns;
			open.is_merged = true;
			if (tile->duration_ns > longest_ns) {
				open.tile = tile;
				longest_ns = tile->duration_ns;
			}
			continue;
		}
		if (open.tile)
			put_tile(page, &open);
		open = (struct shown_tile){tile, tile->duration_ns, false};
		longest_ns = tile->duration_ns;
	}
	if (open.tile)
		put_tile(page, &open);
}

static void put_paths(struct page *page, const struct report *report)
{
	struct json_out *json = &page->json;
	size_t paths = 0;

	json_out_key(json, "paths");
	json_out_array(json);
	for (size_t i = 0; i < report->requests_count && paths < PATHS_MAX; i++) {
		if (!report->requests[i].is_cold || !report->requests[i].path_count)
			continue;
		paths++;
		json_out_object(json);
		json_put_int(json, "request", (int64_t)i);
		json_put_int(json, "start_ns", report->requests[i].path[0].start_ns);
		json_out_key(json, "tiles");
		json_out_array_flat(json);
		put_tiles(page, &report->requests[i]);
		json_out_array_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

/* ---- the timeline ---- */

/* One character for each bin, from ':' on without those that JSON or HTML would have to escape; a number after one
 * says how often it is repeated. */
static void put_bins(struct json_out *json, const char *key, const uint8_t *bins)
{
	static const char alphabet[] = ":;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{";
	char text[TIMELINE_BINS * 4 + 1], *out = text;

	_Static_assert(sizeof(alphabet) - 1 >= TIMELINE_LEVELS * TIMELINE_LEVELS, "each bin needs its character");
	for (size_t i = 0; i < TIMELINE_BINS;) {
		size_t same = 1;

		while (i + same < TIMELINE_BINS && bins[i + same] == bins[i])
			same++;
		*out++ = alphabet[bins[i] < TIMELINE_LEVELS * TIMELINE_LEVELS ? bins[i] : 0];
		if (same > 1)
			out += sprintf(out, "%zu", same);
		i += same;
	}
	*out = '\0';
	json_put_text(json, key, text);
}

static void put_lanes(struct page *page, const struct timeline *timeline)
{
	struct json_out *json = &page->json;

	json_out_key(json, "lanes");
	json_out_array(json);
	for (size_t i = 0; i < timeline->lanes_count; i++) {
		const struct timeline_lane *lane = &timeline->lanes[i];

		json_out_object_flat(json);
		json_put_int(json, "pid", lane->pid);
		json_put_int(json, "tid", lane->tid);
		json_put_text(json, "name", lane->name);
		json_put_text(json, "role", lane->role);
		json_put_int(json, "created_ns", lane->created_ns);
		json_put_int(json, "ended_ns", lane->ended_ns);
		json_put_int(json, "cpu_ns", lane->cpu_ns);
		put_bins(json, "whole", lane->whole);
		if (lane->close)
			put_bins(json, "close", lane->close);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_timeline(struct page *page, const struct timeline *timeline)
{
	struct json_out *json = &page->json;

	json_out_key(json, "timeline");
	json_out_object(json);
	json_put_int(json, "end_ns", timeline->end_ns);
	json_put_int(json, "close_start_ns", timeline->close_start_ns);
	json_put_int(json, "close_end_ns", timeline->close_end_ns);
	json_put_int(json, "bins", TIMELINE_BINS);
	json_put_int(json, "hidden_lanes", (int64_t)timeline->hidden_lanes);
	json_put_int(json, "hidden_spans", (int64_t)timeline->hidden_spans);
	put_lanes(page, timeline);
	json_out_key(json, "spans");
	json_out_array_flat(json);
	for (size_t i = 0; i < timeline->spans_count; i++) {
		const struct timeline_span *span = &timeline->spans[i];

		json_out_int(json, span->lane);
		json_out_int(json, span->kind);
		json_out_int(json, page_text(page, span->title));
		json_out_int(json, span->start_ns);
		json_out_int(json, span->duration_ns);
	}
	json_out_array_end(json);
	json_out_key(json, "pauses");
	json_out_array_flat(json);
	for (size_t i = 0; i < timeline->pauses_count; i++) {
		const struct timeline_pause *pause = &timeline->pauses[i];

		json_out_int(json, pause->start_ns);
		json_out_int(json, pause->duration_ns);
		json_out_int(json, pause->is_collection);
		json_out_int(json, page_text(page, pause->operation));
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

struct err *render_html(const struct report *report, const struct html_pictures *pictures, FILE *out)
{
	struct page page;
	const char *title = report->cold_vs_warm_count ? report->cold_vs_warm[0].route : "warmtrace report";

	TRY(page_begin(&page));
	html_put_words(&page);
	json_out_key(&page.json, "report");
	json_put_report(&page.json, report, &page);
	put_paths(&page, report);
	put_timeline(&page, pictures->timeline);
	json_out_key(&page.json, "flames");
	json_out_array(&page.json);
	for (size_t i = 0; i < pictures->flame_count; i++)
		html_put_flame(&page, pictures->flames[i].flame, pictures->flames[i].title,
			       i ? VIEW_PARTS : PATH_PARTS);
	json_out_array_end(&page.json);
	return page_finish(&page, PAGE_REPORT, title, out);
}

struct err *render_comparison_html(const struct comparison *comparison, const struct html_flame *flames,
				   size_t flame_count, FILE *out)
{
	struct page page;

	TRY(page_begin(&page));
	html_put_words(&page);
	json_out_key(&page.json, "comparison");
	json_put_comparison(&page.json, comparison);
	json_out_key(&page.json, "flames");
	json_out_array(&page.json);
	for (size_t i = 0; i < flame_count; i++)
		html_put_flame(&page, flames[i].flame, flames[i].title, PATH_PARTS);
	json_out_array_end(&page.json);
	return page_finish(&page, PAGE_COMPARISON, "comparison", out);
}
