#include "cli/comparing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/pictures.h"
#include "cli/reporting.h"
#include "cli/sink.h"
#include "render/render.h"

void comparing_open(const struct options *options, struct comparing *ret_comparing)
{
	*ret_comparing = (struct comparing){.options = options, .compare = compare_new()};
}

void comparing_close(struct comparing *comparing)
{
	compare_free(&comparing->compare);
	for vec_each(series, &comparing->series)
		vec_done(&series->values);
	vec_done(&comparing->series);
	for vec_each(flame, &comparing->flames)
		flame_done(&flame->sum);
	vec_done(&comparing->flames);
	vec_done(&comparing->findings);
	arena_done(&comparing->arena);
}

uint32_t comparing_add_scenario(struct comparing *comparing, const char *name, char *const *command)
{
	size_t count = 0;

	while (command && command[count])
		count++;
	for (size_t i = 0; i < comparing->options->gates.count; i++)
		vec_push(&comparing->series);
	return compare_add_scenario(comparing->compare, name, (const char *const *)command, count);
}

/* ---- reading ---- */

static struct gate_series *series_of(struct comparing *comparing, uint32_t scenario, size_t gate)
{
	return &comparing->series.items[scenario * comparing->options->gates.count + gate];
}

static void take_gates(struct comparing *comparing, uint32_t scenario, const struct report *report, bool has_answered)
{
	comparing->has_answers |= has_answered;
	for (size_t i = 0; i < comparing->options->gates.count; i++) {
		int64_t value;

		if (gate_metric(&comparing->options->gates.items[i], report, &value))
			*vec_push(&series_of(comparing, scenario, i)->values) =
				(struct gate_value){value, has_answered};
	}
}

static void take_findings(struct comparing *comparing, uint32_t scenario, const struct report *report)
{
	for vec_each(id, &comparing->options->fail_on)
		for (size_t i = 0; i < report->findings_count; i++) {
			const char *title = report->findings[i].title;
			bool is_new = strcmp(report->findings[i].id, *id) == 0;

			for vec_each(seen, &comparing->findings)
				is_new &= seen->scenario != scenario || strcmp(seen->id, *id) != 0;
			if (is_new)
				*vec_push(&comparing->findings) = (struct finding_seen){
					*id, arena_copy(&comparing->arena, title, strlen(title)), scenario};
		}
}

static void take_flame(struct comparing *comparing, uint32_t scenario, const struct loaded_report *loaded)
{
	auto_done(flame_done) struct flame flame = {};

	if (comparing->options->format != REPORT_HTML)
		return;
	while (comparing->flames.count <= scenario)
		flame_begin(&vec_push(&comparing->flames)->sum, FLAME_CRITICAL_PATH, PHASE_FIRST_REQUEST);
	flame_build(loaded->model, &loaded->report, FLAME_CRITICAL_PATH, PHASE_FIRST_REQUEST, &flame);
	if (!flame.requests)
		return;
	flame_add_scaled(&comparing->flames.items[scenario].sum, &flame, false, 1);
	comparing->flames.items[scenario].runs++;
}

struct err *comparing_add_recording(struct comparing *comparing, uint32_t scenario, const char *path,
				    const struct training *training, struct run_figures *ret_figures)
{
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	struct run_figures figures;

	TRY(report_load(path, &loaded));
	run_figures_make(loaded.model, &loaded.report, training, &comparing->arena, &figures);
	compare_add_run(comparing->compare, scenario, &figures);
	take_gates(comparing, scenario, &loaded.report, figures.first_request_ns.state == KNOWN);
	take_findings(comparing, scenario, &loaded.report);
	take_flame(comparing, scenario, &loaded);
	if (ret_figures)
		*ret_figures = figures;
	return NULL;
}

/* ---- gates ---- */

static void add_failed(struct outcome *outcome, char *line)
{
	if (line)
		*vec_push(&outcome->failed_gates) = line;
}

/* Failed runs are in no figure, and not in the gates' either. */
static struct gate_values values_of(struct comparing *comparing, uint32_t scenario, size_t gate)
{
	const struct gate_series *series = series_of(comparing, scenario, gate);
	int64_t *values = arena_array(&comparing->arena, int64_t, series->values.count + 1);
	size_t count = 0;

	for vec_each(value, &series->values)
		if (value->has_answered || !comparing->has_answers)
			values[count++] = value->value;
	return (struct gate_values){values, count};
}

/* A change is one of each scenario against the baseline; a bound holds for all of them, the baseline too. */
static void check_gates(struct comparing *comparing, const struct comparison *comparison, struct outcome *outcome)
{
	size_t gates = comparing->options->gates.count;

	for (size_t i = 0; i < gates; i++) {
		const struct gate *gate = &comparing->options->gates.items[i];
		struct gate_values baseline = values_of(comparing, 0, i);

		for (uint32_t scenario = gate->is_change; scenario < comparison->scenarios_count; scenario++) {
			struct gate_values values = values_of(comparing, scenario, i);

			add_failed(outcome,
				   gate_check(gate, comparison->scenarios[scenario].name, &baseline, &values));
		}
	}
}

static void check_findings(struct comparing *comparing, const struct comparison *comparison, struct outcome *outcome)
{
	for vec_each(seen, &comparing->findings) {
		char *line = NULL;

		if (asprintf(&line, "gate failed, on '%s' of %s: %s", seen->id,
			     comparison->scenarios[seen->scenario].name, seen->title) < 0)
			memory_exhausted();
		add_failed(outcome, line);
	}
}

static void check_caches(const struct comparison *comparison, struct outcome *outcome)
{
	for (size_t i = 0; i < comparison->scenarios_count; i++) {
		const struct comparison_scenario *scenario = &comparison->scenarios[i];
		int64_t counted = scenario->runs - scenario->failed_runs;
		char *line = NULL;

		if (!scenario->is_aot_requested || (counted > 0 && scenario->aot_mapped == counted))
			continue;
		if (asprintf(&line,
			     "gate failed, on '--require-aot' of %s: the cache was used in %lld of %lld runs%s%s",
			     scenario->name, (long long)scenario->aot_mapped, (long long)counted,
			     scenario->aot_reason.state == KNOWN ? ": " : "",
			     scenario->aot_reason.state == KNOWN ? scenario->aot_reason.text : "") < 0)
			memory_exhausted();
		add_failed(outcome, line);
	}
}

/* ---- writing ---- */

static struct err *render(const struct comparing *comparing, const struct comparison *comparison, FILE *file)
{
	const struct options *options = comparing->options;
	struct render_options render_options = reporting_options(options, file);

	render_options.is_full = options->report_path || options->is_verbose;
	switch ((enum report_format)options->format) {
	case REPORT_TEXT:
		break;
	case REPORT_JSON:
		return render_comparison_json(comparison, file);
	case REPORT_HTML:
		return pictures_render_comparison_html(comparing, comparison, file);
	}
	return render_comparison_text(comparison, &render_options, file);
}

/* Closes the sink; an error of the renderer is named after it. */
static struct err *finish(struct sink *sink, struct err *err)
{
	struct err *close_err = sink_close(sink), *named;

	if (!err)
		return close_err;
	err_free(close_err);
	named = err_new(err->kind, "cannot write '%s': %s", sink->name,
			err->cause ? err->cause->message : err->message);
	err_free(err);
	return named;
}

struct err *comparing_report(struct comparing *comparing, struct outcome *outcome)
{
	const struct options *options = comparing->options;
	auto_done(comparison_done) struct comparison comparison = {};
	struct sink sink;

	compare_finish(comparing->compare, &comparison);
	TRY(sink_open(options->report_path, stdout, &sink));
	TRY(finish(&sink, render(comparing, &comparison, sink.file)));
	if (options->hyperfine_path) {
		TRY(sink_open(options->hyperfine_path, stdout, &sink));
		TRY(finish(&sink, render_comparison_hyperfine(&comparison, sink.file)));
	}
	check_gates(comparing, &comparison, outcome);
	check_findings(comparing, &comparison, outcome);
	if (options->is_aot_required)
		check_caches(&comparison, outcome);
	return NULL;
}
