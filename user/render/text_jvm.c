/* Tables about the JVM: classes, compilations, the state of methods, pauses, threads by their role. */
#include "render/text_tables.h"

#include <string.h>

#include "base/fmt.h"

static const char *known_text(const char *text)
{
	return text && *text ? text : "?";
}

static size_t at_most(size_t count, size_t most)
{
	return most && count > most ? most : count;
}

/* ---- classes ---- */

void text_slowest_classes(struct screen *screen, const struct report *report, size_t most)
{
	const struct report_classes *classes = &report->classes;
	struct table table = {};
	size_t shown = at_most(classes->slowest_count, most);
	bool has_askers = false;

	if (!shown)
		return;
	for (size_t i = 0; i < shown; i++)
		has_askers = has_askers || (classes->slowest[i].requested_by && *classes->slowest[i].requested_by);
	section_begin(screen, &table, "Slowest classes to load", 26);
	section_number(&table, "inclusive", 0);
	section_text(&table, "phase", 0, 1);
	if (has_askers)
		section_text(&table, "requested by", 24, 2);
	section_text(&table, "source", 24, 3);
	section_text(&table, "loader", 16, 4);
	for (size_t i = 0; i < shown; i++) {
		const struct report_class *class = &classes->slowest[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", class->class_name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(class->duration_ns).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(class->phase));
		if (has_askers)
			table_cell(&table, TERM_DIM, "%s", known_text(class->requested_by));
		table_cell(&table, TERM_DIM, "%s", known_text(class->source));
		table_cell(&table, TERM_DIM, "%s", known_text(class->loader));
	}
	section_end(screen, &table);
}

static void group_cells(struct table *table, const struct report_class_group *group, enum term_style style)
{
	table_cell(table, style, "%s", fmt_count(group->classes).text);
	table_cell(table, style, "%s", fmt_duration(group->duration_ns).text);
	table_cell(table, style, "%s", fmt_count(group->cold_classes).text);
	table_cell(table, style, "%s", fmt_duration(group->cold_ns).text);
	table_cell(table, style, "%s", fmt_count(group->warm_classes).text);
	table_cell(table, style, "%s", fmt_duration(group->warm_ns).text);
}

static void text_groups(struct screen *screen, const char *title, const struct report_class_group *groups,
			size_t count, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(count, most);

	if (!count)
		return;
	section_begin(screen, &table, title, 24);
	section_number(&table, "classes", 0);
	section_number(&table, "loading", 0);
	section_number(&table, "first request", 1);
	section_number(&table, "loading", 1);
	section_number(&table, "warm", 2);
	section_number(&table, "loading", 2);
	for (size_t i = 0; i < shown; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", groups[i].name);
		group_cells(&table, &groups[i], TERM_PLAIN);
	}
	if (shown < count) {
		struct report_class_group rest = {};

		for (size_t i = shown; i < count; i++) {
			rest.classes = fmt_add(rest.classes, groups[i].classes);
			rest.duration_ns = fmt_add(rest.duration_ns, groups[i].duration_ns);
			rest.cold_classes = fmt_add(rest.cold_classes, groups[i].cold_classes);
			rest.cold_ns = fmt_add(rest.cold_ns, groups[i].cold_ns);
			rest.warm_classes = fmt_add(rest.warm_classes, groups[i].warm_classes);
			rest.warm_ns = fmt_add(rest.warm_ns, groups[i].warm_ns);
		}
		section_more(&table, count - shown);
		group_cells(&table, &rest, TERM_DIM);
	}
	section_end(screen, &table);
}

void text_class_groups(struct screen *screen, const struct report *report, size_t most)
{
	const struct report_classes *classes = &report->classes;

	text_groups(screen, "Classes by jar", classes->by_jar, classes->by_jar_count, most);
	text_groups(screen, "Classes by package", classes->by_package, classes->by_package_count, most);
	text_groups(screen, "Classes by loader", classes->by_loader, classes->by_loader_count, most);
}

static void text_initializers(struct screen *screen, const struct report_classes *classes, size_t most)
{
	struct table table = {};
	size_t shown = at_most(classes->initializers_count, most);

	if (!shown)
		return;
	section_begin(screen, &table, "Slowest static initialisers", 26);
	section_number(&table, "own", 0);
	section_number(&table, "inclusive", 0);
	section_text(&table, "phase", 0, 1);
	section_text(&table, "thread", 14, 2);
	for (size_t i = 0; i < shown; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", classes->initializers[i].class_name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(classes->initializers[i].own_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(classes->initializers[i].duration_ns).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(classes->initializers[i].phase));
		table_cell(&table, TERM_DIM, "%s", classes->initializers[i].thread);
	}
	section_end(screen, &table);
}

static void text_generated(struct screen *screen, const struct report_classes *classes, size_t most)
{
	struct table table = {};
	size_t shown = at_most(classes->generated_count, most);

	if (!shown)
		return;
	section_begin(screen, &table, "Most expensive generated classes", 26);
	section_text(&table, "kind", 0, 0);
	section_number(&table, "time", 0);
	section_text(&table, "phase", 0, 1);
	for (size_t i = 0; i < shown; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", classes->generated[i].class_name);
		table_cell(&table, TERM_PLAIN, "%s", classes->generated[i].kind);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(classes->generated[i].duration_ns).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(classes->generated[i].phase));
	}
	section_end(screen, &table);
}

static void text_not_found(struct screen *screen, const struct report_classes *classes, size_t most)
{
	struct table table = {};
	size_t shown = at_most(classes->not_found_count, most);

	if (!shown)
		return;
	section_begin(screen, &table, "Classes asked for and never found", 26);
	section_number(&table, "times", 0);
	section_number(&table, "time", 0);
	section_text(&table, "phase", 0, 1);
	section_text(&table, "requested by", 24, 2);
	for (size_t i = 0; i < shown; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", classes->not_found[i].class_name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(classes->not_found[i].count).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(classes->not_found[i].duration_ns).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(classes->not_found[i].phase));
		table_cell(&table, TERM_DIM, "%s", known_text(classes->not_found[i].requested_by));
	}
	section_end(screen, &table);
}

void text_class_work(struct screen *screen, const struct report *report, size_t most)
{
	text_initializers(screen, &report->classes, most);
	text_generated(screen, &report->classes, most);
	text_not_found(screen, &report->classes, most);
}

/* ---- compilations ---- */

static void text_compilations(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = at_most(report->compilations_count, most);

	if (!shown)
		return;
	section_begin(screen, &table, "Longest compilations during requests", 26);
	section_text(&table, "by", 0, 0);
	section_number(&table, "waited", 0);
	section_number(&table, "took", 0);
	section_number(&table, "began at", 1);
	section_text(&table, "phase", 0, 2);
	for (size_t i = 0; i < shown; i++) {
		const struct report_compilation *compilation = &report->compilations[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", compilation->method);
		if (compilation->tier)
			table_cell(&table, TERM_PLAIN, "%s, tier %d%s", compilation->compiler, compilation->tier,
				   compilation->is_success ? "" : ", failed");
		else
			table_cell(&table, TERM_PLAIN, "%s%s", compilation->compiler,
				   compilation->is_success ? "" : ", failed");
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, compilation->queue_wait_ns));
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(compilation->duration_ns).text);
		table_cell(&table, TERM_DIM, "%s", fmt_duration(compilation->start_ns).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(compilation->phase));
	}
	section_end(screen, &table);
}

static const char *share_of(struct screen *screen, int64_t part, int64_t whole)
{
	return part && whole > 0 ? arena_format(&screen->arena, "%.0f %%", 100.0 * (double)part / (double)whole)
				 : "-";
}

static void text_methods(struct screen *screen, const struct report *report, enum phase phase, const char *title,
			 size_t most)
{
	struct table table = {};
	size_t shown = 0;

	for (size_t i = 0; i < report->hot_methods_count && shown < most; i++) {
		const struct report_hot_method *method = &report->hot_methods[i];

		if (method->phase != phase)
			continue;
		if (shown++ == 0) {
			section_begin(screen, &table, title, 26);
			section_number(&table, "sampled", 0);
			section_number(&table, "interpreted", 0);
			section_number(&table, "C1", 0);
			section_number(&table, "C2", 0);
			section_number(&table, "other", 1);
		}
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", method->method);
		table_cell(&table, TERM_PLAIN, "~%s", fmt_duration(method->total_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", share_of(screen, method->interpreted_ns, method->total_ns));
		table_cell(&table, TERM_PLAIN, "%s", share_of(screen, method->c1_ns, method->total_ns));
		table_cell(&table, TERM_PLAIN, "%s", share_of(screen, method->c2_ns, method->total_ns));
		table_cell(&table, TERM_DIM, "%s", share_of(screen, method->other_ns, method->total_ns));
	}
	if (shown)
		section_end(screen, &table);
}

static void text_deoptimizations(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = 0;

	for (size_t i = 0; i < report->deoptimizations_count && shown < most; i++) {
		const struct report_deoptimization *row = &report->deoptimizations[i];

		if (row->phase != PHASE_FIRST_REQUEST && row->phase != PHASE_WARM)
			continue;
		if (shown++ == 0) {
			section_begin(screen, &table, "Code given up in requests", 40);
			section_text(&table, "reason", 0, 0);
			section_text(&table, "action", 0, 3);
			section_number(&table, "times", 0);
			section_text(&table, "phase", 0, 1);
		}
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", known_text(row->method));
		table_cell(&table, TERM_PLAIN, "%s", known_text(row->reason));
		table_cell(&table, TERM_DIM, "%s", known_text(row->action));
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(row->count).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(row->phase));
	}
	if (shown)
		section_end(screen, &table);
}

void text_jit_work(struct screen *screen, const struct report *report, size_t most)
{
	text_compilations(screen, report, most);
	text_methods(screen, report, PHASE_FIRST_REQUEST, "Hottest methods, first request", most);
	text_methods(screen, report, PHASE_WARM, "Hottest methods, warm", most);
	text_deoptimizations(screen, report, most);
}

/* ---- pauses and threads ---- */

void text_pause_causes(struct screen *screen, const struct report *report)
{
	struct table table = {};

	if (!report->pause_causes_count)
		return;
	section_begin(screen, &table, "Pauses by cause", 20);
	section_text(&table, "phase", 0, 0);
	section_number(&table, "pauses", 0);
	section_number(&table, "stopped", 0);
	section_number(&table, "longest", 1);
	for (size_t i = 0; i < report->pause_causes_count; i++) {
		const struct report_pause_cause *cause = &report->pause_causes[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s%s", known_text(cause->operation),
			   cause->is_collection ? ", collection" : "");
		table_cell(&table, TERM_DIM, "%s", phase_words(cause->phase));
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(cause->count).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(cause->pause_ns).text);
		table_cell(&table, TERM_DIM, "%s", fmt_duration(cause->longest_ns).text);
	}
	section_end(screen, &table);
}

void text_thread_roles(struct screen *screen, const struct report *report)
{
	struct table table = {};

	if (report->thread_roles_count < 2)
		return;
	section_begin(screen, &table, "Threads by role", 12);
	section_number(&table, "threads", 0);
	section_number(&table, "CPU", 0);
	for (size_t i = 0; i < report->thread_roles_count; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", report->thread_roles[i].role);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(report->thread_roles[i].threads).text);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, report->thread_roles[i].cpu_ns));
	}
	section_end(screen, &table);
}
