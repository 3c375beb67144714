#include "analyze/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/span_title.h"
#include "model/model.h"

/* ---- lanes ---- */

struct ranked_lane {
	const struct report_thread *shown;
	uint32_t thread;
	bool is_on_path;
};

static int compare_lanes(const void *left, const void *right)
{
	const struct ranked_lane *a = left, *b = right;
	int64_t a_ns = a->shown->cpu_ns.value, b_ns = b->shown->cpu_ns.value;

	if (a->is_on_path != b->is_on_path)
		return a->is_on_path ? -1 : 1;
	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return a->thread < b->thread ? -1 : 1;
}

static bool is_on_path(const struct report *report, uint32_t pid, uint32_t tid)
{
	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		for (size_t k = 0; request->is_cold && k < request->path_count; k++)
			if (request->path[k].tid == tid && request->path[k].pid == pid)
				return true;
	}
	return false;
}

static uint32_t level_of(uint64_t part_ns, uint64_t whole_ns)
{
	uint64_t level;

	if (!part_ns || !whole_ns)
		return 0;
	level = (part_ns * (TIMELINE_LEVELS - 1) + whole_ns / 2) / whole_ns;
	/* Something is never drawn as nothing. */
	return level < 1 ? 1 : level > TIMELINE_LEVELS - 1 ? TIMELINE_LEVELS - 1 : (uint32_t)level;
}

struct bins {
	uint64_t start_ns, end_ns;
	uint64_t running_ns[TIMELINE_BINS], runnable_ns[TIMELINE_BINS];
};

static uint64_t bin_start(const struct bins *bins, uint64_t bin)
{
	return bins->start_ns + (uint64_t)((__uint128_t)(bins->end_ns - bins->start_ns) * bin / TIMELINE_BINS);
}

static void fill_bins(struct bins *bins, uint64_t *part_ns, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t width_ns = bins->end_ns - bins->start_ns,
		 at_ns = start_ns > bins->start_ns ? start_ns : bins->start_ns;
	uint64_t bin;

	if (end_ns > bins->end_ns)
		end_ns = bins->end_ns;
	if (at_ns >= end_ns)
		return;
	bin = (uint64_t)((__uint128_t)(at_ns - bins->start_ns) * TIMELINE_BINS / width_ns);
	while (at_ns < end_ns && bin < TIMELINE_BINS) {
		uint64_t to_ns = bin_start(bins, bin + 1);

		if (to_ns > end_ns)
			to_ns = end_ns;
		if (to_ns > at_ns) {
			part_ns[bin] += to_ns - at_ns;
			at_ns = to_ns;
		}
		bin++;
	}
}

static const uint8_t *bins_of(const struct model *model, uint32_t thread, struct bins *bins, struct arena *arena)
{
	uint8_t *levels = arena_array(arena, uint8_t, TIMELINE_BINS);
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;
	uint32_t first = model_interval_at(model, thread, bins->start_ns);

	memset(bins->running_ns, 0, sizeof(bins->running_ns));
	memset(bins->runnable_ns, 0, sizeof(bins->runnable_ns));
	for (uint32_t i = first == NO_INDEX ? 0 : first; i < intervals->count; i++) {
		const struct interval *interval = &intervals->items[i];

		if (interval->start_ns >= bins->end_ns)
			break;
		if (interval->state == INTERVAL_RUNNING)
			fill_bins(bins, bins->running_ns, interval->start_ns, model_interval_end(model, thread, i));
		else if (interval->state == INTERVAL_RUNNABLE)
			fill_bins(bins, bins->runnable_ns, interval->start_ns, model_interval_end(model, thread, i));
	}
	for (uint64_t bin = 0; bin < TIMELINE_BINS; bin++) {
		uint64_t width_ns = bin_start(bins, bin + 1) - bin_start(bins, bin);

		levels[bin] = (uint8_t)(level_of(bins->running_ns[bin], width_ns) * TIMELINE_LEVELS +
					level_of(bins->runnable_ns[bin], width_ns));
	}
	return levels;
}

static void set_close(const struct report *report, struct timeline *timeline)
{
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *phase = &report->phases[i];
		int64_t margin_ns = (phase->end_ns - phase->start_ns) / 20;

		if (phase->phase != PHASE_FIRST_REQUEST)
			continue;
		timeline->close_start_ns = phase->start_ns > margin_ns ? phase->start_ns - margin_ns : 0;
		timeline->close_end_ns = phase->end_ns + margin_ns;
		if (timeline->close_end_ns > timeline->end_ns)
			timeline->close_end_ns = timeline->end_ns;
	}
}

static uint32_t thread_of(const struct model *model, const struct report_thread *shown)
{
	uint64_t created_ns = model->exec_ns + (uint64_t)shown->created_ns;
	uint32_t thread = model_thread_at(model, shown->tid, created_ns);

	/* The tree's first thread may have begun before exec. */
	return thread == NO_INDEX ? model_thread_at(model, shown->tid, model->end_ns) : thread;
}

static void build_lanes(const struct model *model, const struct report *report, struct timeline *timeline,
			uint32_t *lane_of_thread)
{
	struct ranked_lane *ranked = calloc(report->threads_count + 1, sizeof(*ranked));
	struct bins *bins = calloc(1, sizeof(*bins));
	struct timeline_lane *lanes;
	size_t count = 0;

	if (!ranked || !bins)
		memory_exhausted();
	for (size_t i = 0; i < report->threads_count; i++) {
		const struct report_thread *shown = &report->threads[i];
		uint32_t thread = thread_of(model, shown);

		if (thread != NO_INDEX)
			ranked[count++] =
				(struct ranked_lane){shown, thread, is_on_path(report, shown->pid, shown->tid)};
	}
	qsort(ranked, count, sizeof(*ranked), compare_lanes);
	if (count > TIMELINE_LANES_MAX) {
		timeline->hidden_lanes = count - TIMELINE_LANES_MAX;
		count = TIMELINE_LANES_MAX;
	}
	lanes = arena_array(&timeline->arena, struct timeline_lane, count ? count : 1);
	for (size_t i = 0; i < count; i++) {
		const struct report_thread *shown = ranked[i].shown;
		struct timeline_lane *lane = &lanes[i];

		*lane = (struct timeline_lane){
			.pid = shown->pid,
			.tid = shown->tid,
			.name = shown->name,
			.role = shown->role,
			.created_ns = shown->created_ns,
			.ended_ns = shown->ended_ns.state == KNOWN ? shown->ended_ns.value : -1,
			.cpu_ns = shown->cpu_ns.value,
		};
		lane_of_thread[ranked[i].thread] = (uint32_t)i;
		bins->start_ns = model->exec_ns;
		bins->end_ns = model->exec_ns + (uint64_t)timeline->end_ns;
		lane->whole = bins_of(model, ranked[i].thread, bins, &timeline->arena);
		bins->start_ns = model->exec_ns + (uint64_t)timeline->close_start_ns;
		bins->end_ns = model->exec_ns + (uint64_t)timeline->close_end_ns;
		lane->close = timeline->close_end_ns > timeline->close_start_ns
				      ? bins_of(model, ranked[i].thread, bins, &timeline->arena)
				      : NULL;
	}
	timeline->lanes = lanes;
	timeline->lanes_count = count;
	free(ranked);
	free(bins);
}

/* ---- spans ---- */

struct kept_span {
	const struct span *span;
	uint32_t lane;
};

static int compare_kept(const void *left, const void *right)
{
	const struct kept_span *a = left, *b = right;
	uint64_t a_ns = a->span->end_ns - a->span->start_ns, b_ns = b->span->end_ns - b->span->start_ns;

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	if (a->span->start_ns != b->span->start_ns)
		return a->span->start_ns < b->span->start_ns ? -1 : 1;
	return a->lane < b->lane ? -1 : a->lane > b->lane;
}

static int compare_spans(const void *left, const void *right)
{
	const struct timeline_span *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return a->lane < b->lane ? -1 : a->lane > b->lane;
}

/* Outermost spans of the JVM's own activities: what a bar can stand for. */
static bool is_worth_a_bar(const struct span *span)
{
	return span->parent == NO_INDEX && span->kind >= SPAN_EXCEPTION && span->kind <= SPAN_VM_OPERATION &&
	       span->end_ns > span->start_ns;
}

static void build_spans(const struct model *model, struct timeline *timeline, const uint32_t *lane_of_thread)
{
	VEC(struct kept_span) kept = {};
	struct timeline_span *spans;
	size_t count;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		for vec_each(span, &model->threads.list.items[i].spans) {
			if (is_worth_a_bar(span) && lane_of_thread[i] != NO_INDEX &&
			    span->end_ns > model->exec_ns)
				*vec_push(&kept) = (struct kept_span){span, lane_of_thread[i]};
		}
	}
	if (kept.count)
		qsort(kept.items, kept.count, sizeof(*kept.items), compare_kept);
	count = kept.count > TIMELINE_SPANS_MAX ? TIMELINE_SPANS_MAX : kept.count;
	timeline->hidden_spans = kept.count - count;
	spans = arena_array(&timeline->arena, struct timeline_span, count ? count : 1);
	for (size_t i = 0; i < count; i++) {
		const struct span *span = kept.items[i].span;

		spans[i] = (struct timeline_span){
			.lane = kept.items[i].lane,
			.kind = span_flame_kind(span),
			.title = span_title(model, span, &timeline->arena),
			.start_ns = (int64_t)(span->start_ns - model->exec_ns),
			.duration_ns = (int64_t)(span->end_ns - span->start_ns),
		};
	}
	qsort(spans, count, sizeof(*spans), compare_spans);
	timeline->spans = spans;
	timeline->spans_count = count;
	vec_done(&kept);
}

static void build_pauses(const struct model *model, struct timeline *timeline)
{
	size_t count = model->jvm.pauses.count;
	struct timeline_pause *pauses = arena_array(&timeline->arena, struct timeline_pause, count ? count : 1);
	size_t kept = 0;

	for vec_each(pause, &model->jvm.pauses) {
		if (pause->end_ns <= pause->start_ns || pause->start_ns < model->exec_ns)
			continue;
		if (kept == TIMELINE_PAUSES_MAX)
			break;
		pauses[kept++] = (struct timeline_pause){
			.start_ns = (int64_t)(pause->start_ns - model->exec_ns),
			.duration_ns = (int64_t)(pause->end_ns - pause->start_ns),
			.is_collection = pause->is_collection,
			.operation = model_text(model, pause->operation),
		};
	}
	timeline->pauses = pauses;
	timeline->pauses_count = kept;
}

void timeline_build(const struct model *model, const struct report *report, struct timeline *ret_timeline)
{
	size_t thread_count = model->threads.list.count;
	uint32_t *lane_of_thread = malloc((thread_count + 1) * sizeof(*lane_of_thread));

	if (!lane_of_thread)
		memory_exhausted();
	for (size_t i = 0; i < thread_count; i++)
		lane_of_thread[i] = NO_INDEX;
	*ret_timeline = (struct timeline){.end_ns = report->run.wall_ns};
	if (ret_timeline->end_ns < 1)
		ret_timeline->end_ns = 1;
	set_close(report, ret_timeline);
	build_lanes(model, report, ret_timeline, lane_of_thread);
	build_spans(model, ret_timeline, lane_of_thread);
	build_pauses(model, ret_timeline);
	free(lane_of_thread);
}

void timeline_done(struct timeline *timeline)
{
	arena_done(&timeline->arena);
	*timeline = (struct timeline){};
}
