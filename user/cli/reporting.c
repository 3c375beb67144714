#include "cli/reporting.h"

#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "base/auto.h"
#include "cli/pictures.h"
#include "cli/sink.h"
#include "format/reader.h"
#include "model/model.h"
#include "render/render.h"

struct err *report_load(const char *path, struct loaded_report *ret_loaded)
{
	auto_done(reader_close) struct reader *reader = NULL;

	*ret_loaded = (struct loaded_report){};
	TRY(reader_open(path, &reader));
	TRY_CONTEXT(model_load(reader, &ret_loaded->model), "cannot read '%s'", path);
	analyze_report(ret_loaded->model, &ret_loaded->report);
	return NULL;
}

void loaded_report_done(struct loaded_report *loaded)
{
	report_done(&loaded->report);
	model_free(&loaded->model);
}

struct render_options reporting_options(const struct options *options, FILE *file)
{
	struct term term = term_detect(fileno(file), (enum term_colour)options->colour);

	return (struct render_options){.width = term.columns, .colour = term.has_colour, .utf8 = term.has_utf8};
}

static struct err *render(const struct loaded_report *loaded, const struct options *options,
			  const struct render_options *render_options, FILE *file)
{
	switch ((enum report_format)options->format) {
	case REPORT_TEXT:
		break;
	case REPORT_JSON:
		return render_json(&loaded->report, file);
	case REPORT_HTML:
		return pictures_render_html(loaded->model, &loaded->report, file);
	}
	return render_text(&loaded->report, render_options, file);
}

/* The title is a sentence, an error's line is none. */
static char *finding_line(const struct report_finding *finding)
{
	size_t length = strlen(finding->title);
	char *line;

	if (length && finding->title[length - 1] == '.')
		length--;
	if (asprintf(&line, "gate failed, on '%s': %.*s", finding->id, (int)length, finding->title) < 0)
		memory_exhausted();
	return line;
}

static void check_gates(const struct report *report, const struct options *options, struct outcome *outcome)
{
	for vec_each(gate, &options->gates) {
		int64_t value;
		struct gate_values values = {.items = &value, .count = gate_metric(gate, report, &value)};
		char *line = gate_check(gate, NULL, NULL, &values);

		if (line)
			*vec_push(&outcome->failed_gates) = line;
	}
	for vec_each(id, &options->fail_on)
		for (size_t i = 0; i < report->findings_count; i++) {
			const struct report_finding *finding = &report->findings[i];

			if (strcmp(finding->id, *id) == 0)
				*vec_push(&outcome->failed_gates) = finding_line(finding);
		}
}

/* The renderers do not know what they write to. */
static struct err *name_sink(struct err *err, const char *name)
{
	struct err *named =
		err_new(err->kind, "cannot write '%s': %s", name, err->cause ? err->cause->message : err->message);

	err_free(err);
	return named;
}

struct err *report_recording(const char *path, const struct options *options, FILE *stream, bool is_brief,
			     struct outcome *outcome)
{
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	struct sink sink;

	TRY(report_load(path, &loaded));
	TRY(sink_open(options->report_path, stream, &sink));

	struct render_options render_options = reporting_options(options, sink.file);

	render_options.recording = path;
	/* A file is read later and by others: it has everything, whoever wrote it. */
	render_options.is_full = !is_brief || options->report_path;

	struct err *err = render(&loaded, options, &render_options, sink.file);
	struct err *close_err = sink_close(&sink);

	if (err) {
		err_free(close_err);
		return name_sink(err, sink.name);
	}
	TRY(close_err);
	check_gates(&loaded.report, options, outcome);
	return NULL;
}
