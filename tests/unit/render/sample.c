#include "unit/render/sample.h"

#include <stdlib.h>

#include "base/auto.h"

void sample_path(struct report *report, struct report_request *request, const char *thread,
		 const struct sample_piece *pieces, size_t count)
{
	int64_t left[CAUSE_COUNT], at = request->start_ns;
	struct report_tile *tiles = arena_array(&report->arena, struct report_tile, count + CAUSE_COUNT);
	size_t tile_count = 0;

	for (int i = 0; i < CAUSE_COUNT; i++)
		left[i] = request->causes[i];
	for (size_t i = 0; i < count + CAUSE_COUNT; i++) {
		enum cause cause = i < count ? pieces[i].cause : (enum cause)(i - count);
		int64_t duration_ns = i < count ? pieces[i].duration_ns : left[cause];

		if (!duration_ns)
			continue;
		tiles[tile_count++] = (struct report_tile){
			.pid = 4711,
			.tid = 4760,
			.thread = i < count ? pieces[i].thread : thread,
			.start_ns = at,
			.duration_ns = duration_ns,
			.cause = cause,
			.detail = i < count ? pieces[i].detail : "",
			.is_estimated = request->cause_is_estimated[cause],
		};
		left[cause] -= duration_ns;
		at += duration_ns;
	}
	request->path = tiles;
	request->path_count = tile_count;
}

static int by_excess(const void *left, const void *right)
{
	const struct report_cause_row *a = left, *b = right;

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns > b->excess_ns ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

void sample_pair(struct report *report, struct report_cold_vs_warm *pair, const struct report_request *cold,
		 const int64_t *warm_causes)
{
	struct report_cause_row *rows = arena_array(&report->arena, struct report_cause_row, CAUSE_COUNT);
	size_t count = 0;

	pair->cold_ns = cold->latency_ns;
	pair->warm_ns = 0;
	for (int i = 0; i < CAUSE_COUNT; i++) {
		pair->warm_ns += warm_causes[i];
		if (!cold->causes[i] && !warm_causes[i])
			continue;
		rows[count++] = (struct report_cause_row){
			.cause = (enum cause)i,
			.cold_ns = cold->causes[i],
			.warm_ns = warm_causes[i],
			.excess_ns = cold->causes[i] - warm_causes[i],
			.is_estimated = cold->cause_is_estimated[i],
		};
	}
	pair->excess_ns = pair->cold_ns - pair->warm_ns;
	for (size_t i = 0; i < count; i++)
		rows[i].share = pair->excess_ns > 0 ? (double)rows[i].excess_ns / (double)pair->excess_ns : 0;
	qsort(rows, count, sizeof(*rows), by_excess);
	pair->causes = rows;
	pair->cause_count = count;
}
