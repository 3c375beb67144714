/* exception-storm: exceptions as control flow, by the hundred. */
#include "analyze/findings_internal.h"

#include <string.h>

#include "base/auto.h"

struct storm {
	const char *class_name; /* with '.' */
	int64_t count, path_ns;
};

/* What the fat jar's finding tells is not told again. */
static bool is_told_elsewhere(const struct finding_context *context, const struct tile *tile)
{
	return finding_is_fat_tile(context, tile, NULL);
}

static struct storm dearest_in_request(const struct finding_context *context)
{
	const struct model *model = context->model;
	struct map by_name auto_done(map_done) = {};
	struct storm storm = {};
	uint32_t dearest = 0;

	if (!context->cold_path)
		return storm;
	for vec_each(tile, &context->cold_path->tiles) {
		uint64_t *sum;
		uint32_t name;

		if (tile->cause != CAUSE_EXCEPTION_FILL || tile->span == NO_INDEX ||
		    is_told_elsewhere(context, tile))
			continue;
		name = model->threads.list.items[tile->thread].spans.items[tile->span].name;
		sum = map_set(&by_name, name, 0, NULL);
		*sum += tile->end_ns - tile->start_ns;
		if ((int64_t)*sum > storm.path_ns) {
			storm.path_ns = (int64_t)*sum;
			dearest = name;
		}
	}
	if (!dearest)
		return storm;
	storm.class_name = class_name_dotted(context->arena, model_text(model, dearest));
	for (struct event_walk walk = model_walk(model, EVENT_EXCEPTION); model_walk_next(&walk);) {
		const struct event_exception *event = MODEL_EVENT(model, walk.index, exception);

		if (event->header.time_ns >= finding_cold_end(context))
			break;
		if (event->header.time_ns >= finding_cold_start(context) &&
		    event->header.pid == context->report->run.main_pid && strcmp(event->tail, model_text(model, dearest)) == 0)
			storm.count += event->count ?: 1;
	}
	return storm;
}

static void tell_site(const struct finding_context *context, const struct report_exception *row,
		      struct finding_draft *draft)
{
	const char *caught = *row->caught_at ? arena_format(context->arena, ", caught at %s", row->caught_at) : "";

	if (*row->thrown_at)
		finding_evidence(draft, "Most of them are made at %s%s.", row->thrown_at, caught);
}

static const struct report_exception *first_row(const struct finding_context *context, const char *class_name,
						enum phase phase)
{
	for (size_t i = 0; i < context->report->exceptions_count; i++) {
		const struct report_exception *row = &context->report->exceptions[i];

		if (row->phase == phase && strcmp(row->class_name, class_name) == 0)
			return row;
	}
	return NULL;
}

static bool is_storm_in_request(const struct finding_context *context, struct finding_draft *draft)
{
	struct storm storm = dearest_in_request(context);
	const struct report_exception *row;

	if (storm.count < LIMIT_STORM_IN_REQUEST || !finding_matters(context, storm.path_ns))
		return false;
	finding_evidence(
		draft,
		"The first %s filled the stack traces of %s %ss: %s of %s on its path (%s), for filling alone.",
		context->cold->route, fmt_count(storm.count).text, storm.class_name, fmt_duration(storm.path_ns).text,
		fmt_duration(context->cold->latency_ns).text, finding_share(context, storm.path_ns));
	row = first_row(context, storm.class_name,
			phase_of_time(context->report, context->model, finding_cold_start(context)));
	if (row)
		tell_site(context, row, draft);
	finding_price(draft, storm.path_ns, false);
	return true;
}

/* A row of the table of exceptions, by class: what a start spent on one kind of them. */
static bool is_storm_in_startup(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report *report = context->report;
	const struct report_exception *most = NULL;
	int64_t startup_ns = finding_startup_ns(context), count = 0, duration_ns = 0;
	bool has_fat_jar = false;

	for (uint32_t i = 0; i < context->sources->archive_count; i++)
		has_fat_jar |= context->fat_classes[i] >= LIMIT_NESTED_CLASSES;
	for (size_t i = 0; i < report->exceptions_count; i++) {
		const struct report_exception *row = &report->exceptions[i];
		bool is_of_fat_jar = has_fat_jar && strcmp(row->class_name, "java.lang.ClassNotFoundException") == 0;

		if (row->phase != PHASE_STARTUP || row->duration_ns.state != KNOWN || is_of_fat_jar)
			continue;
		if (!most || row->duration_ns.value > most->duration_ns.value)
			most = row;
	}
	if (!most)
		return false;
	for (size_t i = 0; i < report->exceptions_count; i++) {
		const struct report_exception *row = &report->exceptions[i];

		if (row->phase == PHASE_STARTUP && strcmp(row->class_name, most->class_name) == 0) {
			count += row->count;
			duration_ns += row->duration_ns.state == KNOWN ? row->duration_ns.value : 0;
		}
	}
	if (count < LIMIT_STORM_IN_STARTUP || duration_ns < startup_ns / 100 * LIMIT_STORM_STARTUP_PERCENT)
		return false;
	finding_evidence(draft,
			 "The start filled the stack traces of %s %ss, %s for filling alone; it took %s in all.",
			 fmt_count(count).text, most->class_name, fmt_duration(duration_ns).text,
			 fmt_duration(startup_ns).text);
	tell_site(context, most, draft);
	return true;
}

bool finding_exception_storm(const struct finding_context *context, struct finding_draft *draft)
{
	if (!is_storm_in_request(context, draft) && !is_storm_in_startup(context, draft))
		return false;
	finding_remedy(
		draft,
		"Ask instead of trying and catching where they are made, remember the answer, or make the exception "
		"without a stack trace (writableStackTrace false).");
	return true;
}
