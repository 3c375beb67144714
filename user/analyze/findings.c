#include "analyze/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/findings_internal.h"
#include "analyze/what_if.h"
#include "base/auto.h"

static const struct finding_row {
	const char *id, *title;
	finding_rule *rule;
} finding_rows[] = {
#define F(name, id, title) {id, title, finding_##name},
	FINDING_TABLE(F)
#undef F
};

/* ---- what a rule states ---- */

static const char *format_in(struct arena *arena, const char *format, va_list arguments)
{
	va_list again;
	int length;
	char *text;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
	vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, arguments);
	return text;
}

void finding_evidence(struct finding_draft *draft, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	*vec_push(&draft->evidence) = format_in(draft->context->arena, format, arguments);
	va_end(arguments);
}

void finding_remedy(struct finding_draft *draft, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	draft->remedy = format_in(draft->context->arena, format, arguments);
	va_end(arguments);
}

void finding_price(struct finding_draft *draft, int64_t cost_ns, bool is_estimated)
{
	draft->cost_ns = known(cost_ns);
	draft->is_estimated = is_estimated;
}

/* ---- the cold request ---- */

bool finding_matters(const struct finding_context *context, int64_t part_ns)
{
	return context->cold && part_ns >= LIMIT_PART_NS &&
	       part_ns >= context->cold->latency_ns / 100 * LIMIT_PART_PERCENT;
}

int64_t finding_path_sum(const struct finding_context *context, tile_predicate *is_wanted, void *argument)
{
	int64_t sum_ns = 0;

	if (!context->cold_path)
		return 0;
	for vec_each(tile, &context->cold_path->tiles) {
		if (is_wanted(context, tile, argument))
			sum_ns += (int64_t)(tile->end_ns - tile->start_ns);
	}
	return sum_ns;
}

int64_t finding_cause_sum(const struct finding_context *context, enum cause cause)
{
	return context->cold ? context->cold->causes[cause] : 0;
}

bool finding_cause_is_estimated(const struct finding_context *context, enum cause cause)
{
	return context->cold && context->cold->cause_is_estimated[cause];
}

int64_t finding_count(const struct counts *counts, enum count count)
{
	return counts->of[count].state == KNOWN ? counts->of[count].value : 0;
}

const struct report_phase *finding_phase(const struct finding_context *context, enum phase phase)
{
	for (size_t i = 0; i < context->report->phases_count; i++) {
		if (context->report->phases[i].phase == phase)
			return &context->report->phases[i];
	}
	return NULL;
}

int64_t finding_faults_sum(const struct finding_context *context, bool is_major)
{
	int64_t sum_ns = 0;

	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++)
		sum_ns += finding_cause_sum(context, cause_fault(is_major, (enum mapping_kind)kind));
	return sum_ns;
}

uint64_t finding_cold_start(const struct finding_context *context)
{
	return context->model->exec_ns + (uint64_t)context->cold->start_ns;
}

uint64_t finding_cold_end(const struct finding_context *context)
{
	return finding_cold_start(context) + (uint64_t)context->cold->latency_ns;
}

int64_t finding_startup_ns(const struct finding_context *context)
{
	for (size_t i = 0; i < context->report->milestones_count; i++) {
		if (strcmp(context->report->milestones[i].name, "ready") == 0)
			return context->report->milestones[i].time_ns;
	}
	return context->report->run.wall_ns;
}

bool finding_is_own_work(const struct tile *tile)
{
	switch ((int)tile->cause) {
	case CAUSE_JIT_WAIT:
	case CAUSE_GC_PAUSE:
	case CAUSE_GC_STALL:
	case CAUSE_SAFEPOINT_WAIT:
	case CAUSE_CPU_RUNNABLE:
	case CAUSE_CPU_THROTTLED:
	case CAUSE_CPU_STOLEN:
	case CAUSE_UNEXPLAINED:
		return false;
	default:
		return tile->thread != NO_INDEX;
	}
}

uint32_t finding_class_at(const struct finding_context *context, const struct tile *tile)
{
	uint32_t span;
	uint64_t *class;

	if (tile->thread == NO_INDEX || tile->span == NO_INDEX)
		return NO_INDEX;
	span = model_span_within(context->model, tile->thread, tile->span, SPAN_CLASS_LOAD);
	if (span == NO_INDEX)
		return NO_INDEX;
	class = map_find(&context->class_by_name,
			 context->model->threads.list.items[tile->thread].spans.items[span].name);
	return class ? (uint32_t) * class : NO_INDEX;
}

bool finding_is_fat(const struct finding_context *context, uint32_t class_index)
{
	const struct class_origin *origin = &context->sources->origins[class_index];

	return origin->source == CLASS_FROM_JAR && origin->archive != NO_INDEX &&
	       context->fat_classes[origin->archive];
}

int finding_jdk(const struct finding_context *context)
{
	const struct maybe_text *version = &context->report->runtime.version;
	const char *at;
	int major;

	if (version->state != KNOWN || !version->text)
		return 0;
	/* "… VM (25.0.3+9) for linux JRE (25.0.3+9), built …": JDK 8 has the VM's own number in the first place. */
	at = strstr(version->text, "JRE (");
	at = at ? at + strlen("JRE (") : strchr(version->text, '(') ? strchr(version->text, '(') + 1 : version->text;
	major = (int)strtol(at, NULL, 10);
	return major == 1 && strncmp(at, "1.", 2) == 0 ? (int)strtol(at + 2, NULL, 10) : major;
}

const char *finding_plural(const struct finding_context *context, int64_t count, const char *one, const char *more)
{
	return arena_format(context->arena, "%s %s", fmt_count(count).text, count == 1 ? one : more);
}

const char *finding_base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

const char *finding_share(const struct finding_context *context, int64_t part_ns)
{
	int64_t whole_ns = context->cold ? context->cold->latency_ns : 0;

	return arena_format(context->arena, "%s",
			    fmt_percent(whole_ns ? (double)part_ns / (double)whole_ns : 0).text);
}

/* ---- all rules ---- */

static void index_classes(struct finding_context *context)
{
	const struct model *model = context->model;
	uint32_t *fat = arena_array(context->arena, uint32_t, context->sources->archive_count);

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct class_origin *origin = &context->sources->origins[i];

		*map_set(&context->class_by_name, model->jvm.classes.items[i].name, i, NULL) = i;
		if (origin_is_nested(origin))
			fat[origin->archive]++;
	}
	context->fat_classes = fat;
}

static void find_cold(struct finding_context *context)
{
	const struct report *report = context->report;

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		if (request->is_cold && (!context->cold || request->latency_ns > context->cold->latency_ns))
			context->cold = request;
	}
	for (size_t i = 0; i < report->cold_vs_warm_count && context->cold; i++) {
		if (strcmp(report->cold_vs_warm[i].route, context->cold->route) == 0)
			context->cold_row = &report->cold_vs_warm[i];
	}
}

static void walk_cold(const struct finding_context *context, struct path *path)
{
	const struct model *model = context->model;
	struct path_walker *walker;

	if (context->cold->index < 0 || (size_t)context->cold->index >= model->requests.list.count)
		return;
	walker = path_walker_new(model);
	path_walk(walker, &model->requests.list.items[context->cold->index], path);
	path_walker_free(walker);
}

/* The dearest first; those without a price after them, in the order of the table. */
static int compare_findings(const void *left, const void *right)
{
	const struct report_finding *a = left, *b = right;
	int64_t cost_a = a->cost_ns.state == KNOWN ? a->cost_ns.value : -1;
	int64_t cost_b = b->cost_ns.state == KNOWN ? b->cost_ns.value : -1;

	if (cost_a != cost_b)
		return cost_a > cost_b ? -1 : 1;
	for (size_t i = 0; i < array_length(finding_rows); i++) {
		if (strcmp(finding_rows[i].id, a->id) == 0)
			return -1;
		if (strcmp(finding_rows[i].id, b->id) == 0)
			return 1;
	}
	return 0;
}

static void apply_rules(const struct finding_context *context, struct report *report)
{
	struct report_finding *list = arena_array(&report->arena, struct report_finding, array_length(finding_rows));
	size_t count = 0;

	for (size_t i = 0; i < array_length(finding_rows); i++) {
		struct finding_draft draft = {.context = context, .cost_ns = {.state = NONE}, .remedy = ""};

		if (finding_rows[i].rule(context, &draft))
			list[count++] = (struct report_finding){
				.id = finding_rows[i].id,
				.title = finding_rows[i].title,
				.remedy = draft.remedy,
				.evidence = (const void *)arena_copy(&report->arena, draft.evidence.items,
								     draft.evidence.count *
									     sizeof(*draft.evidence.items)),
				.evidence_count = draft.evidence.count,
				.cost_ns = draft.cost_ns,
				.is_estimated = draft.is_estimated,
			};
		vec_done(&draft.evidence);
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_findings);
	report->findings = list;
	report->findings_count = count;
}

static const struct report_request *first_cold(const struct report *report)
{
	for (size_t i = 0; i < report->requests_count; i++) {
		if (report->requests[i].is_cold)
			return &report->requests[i];
	}
	return NULL;
}

struct extraction {
	const struct finding_context *context;
	struct map known;
};

static uint32_t item_of_extraction(void *context, const struct tile *tile)
{
	struct extraction *extraction = context;

	return finding_is_spared_by_extracting(extraction->context, tile, &extraction->known);
}

/* What jars inside a jar cost is no cause of its own, nor all of one: only the finding knows which classes it concerns. */
static void add_what_if(struct finding_context *context, struct report *report)
{
	const struct model_requests *requests = &context->model->requests;
	const struct report_finding *fat = NULL;

	for (size_t i = 0; i < report->findings_count; i++) {
		if (strcmp(report->findings[i].id, "fat-jar-class-loading") == 0)
			fat = &report->findings[i];
	}
	/* The other rows are of the first cold request. */
	if (!fat || fat->cost_ns.state != KNOWN || fat->cost_ns.value <= 0 || context->cold != first_cold(report) ||
	    context->cold->index < 0 || (size_t)context->cold->index >= requests->list.count)
		return;

	struct report_what_if *rows = arena_array(&report->arena, struct report_what_if, report->what_if_count + 1);
	struct extraction extraction = {.context = context};
	int64_t saved_ns;

	what_if_saved(context->model, &requests->list.items[context->cold->index], item_of_extraction, &extraction, 1, &saved_ns);
	map_done(&extraction.known);
	memcpy(rows, report->what_if, report->what_if_count * sizeof(*rows));
	rows[report->what_if_count++] = (struct report_what_if){"finding classes in jars inside a jar",
								context->cold->latency_ns - saved_ns};
	report->what_if = rows;
}

void analyze_findings(const struct model *model, const struct class_sources *sources, struct report *report)
{
	struct finding_context context = {
		.model = model,
		.report = report,
		.arena = &report->arena,
		.sources = sources,
		.main_process = model_process_of(model, report->run.main_pid),
	};
	struct path path = {};

	launch_parse(model, report, context.main_process, &context.launch, &report->arena);
	index_classes(&context);
	find_cold(&context);
	if (context.cold) {
		walk_cold(&context, &path);
		context.cold_path = &path;
	}
	apply_rules(&context, report);
	add_what_if(&context, report);
	vec_done(&path.tiles);
	map_done(&context.class_by_name);
}
