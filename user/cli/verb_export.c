#include <string.h>
#include <unistd.h>

#include "analyze/flame.h"
#include "base/auto.h"
#include "cli/option_table.h"
#include "cli/reporting.h"
#include "cli/sink.h"
#include "cli/verbs.h"
#include "render/export.h"

/* In the order of export_format_names. */
enum export_format {
	EXPORT_FOLDED,
	EXPORT_SVG,
	EXPORT_FLAMEGRAPH,
	EXPORT_SPEEDSCOPE,
	EXPORT_PERFETTO,
	EXPORT_PPROF,
	EXPORT_FIREFOX,
	EXPORT_CSV,
	EXPORT_NDJSON,
	EXPORT_OTLP,
	EXPORT_FORMAT_COUNT
};

enum carries {
	CARRIES_VIEWS = 1,	/* --by other than the default */
	CARRIES_DIFFERENCE = 2, /* --vs, --minus-warm */
	CARRIES_LATER = 4,	/* nothing yet */
	IS_BINARY = 8,
};

static const unsigned formats[EXPORT_FORMAT_COUNT] = {
	[EXPORT_FOLDED] = CARRIES_VIEWS | CARRIES_DIFFERENCE,
	[EXPORT_SVG] = CARRIES_VIEWS | CARRIES_DIFFERENCE,
	[EXPORT_FLAMEGRAPH] = CARRIES_VIEWS | CARRIES_DIFFERENCE,
	[EXPORT_SPEEDSCOPE] = CARRIES_VIEWS,
	[EXPORT_PERFETTO] = IS_BINARY,
	[EXPORT_PPROF] = CARRIES_VIEWS | IS_BINARY,
	[EXPORT_FIREFOX] = CARRIES_LATER,
	[EXPORT_CSV] = CARRIES_VIEWS | CARRIES_DIFFERENCE,
	[EXPORT_NDJSON] = CARRIES_VIEWS | CARRIES_DIFFERENCE,
	[EXPORT_OTLP] = CARRIES_LATER,
};

static bool has_path(int phase)
{
	return phase == PHASE_FIRST_REQUEST || phase == PHASE_WARM || phase == FLAME_ALL_PHASES;
}

static struct err *check_usage(const struct options *options)
{
	const char *format = export_format_names[options->export_format];
	const char *by = export_by_names[options->export_by], *phase = export_phase_names[options->export_phase];
	unsigned carries = formats[options->export_format];

	if (carries & CARRIES_LATER)
		return err_hint(
			err_new(ERR_USAGE, "cannot export as '%s': this format comes with a later version", format),
			"formats that there are: folded, svg, flamegraph, speedscope, perfetto, pprof, csv, ndjson");
	if (options->export_by != FLAME_CRITICAL_PATH && !(carries & CARRIES_VIEWS))
		return err_hint(err_new(ERR_USAGE,
					"cannot export --by '%s' as '%s': it has everything that happened, "
					"not one view",
					by, format),
				"leave --by away, or use another format");
	if (options->versus_path && !(carries & CARRIES_DIFFERENCE))
		return err_hint(err_new(ERR_USAGE, "cannot export --vs as '%s': it holds no differences", format),
				options->export_format == EXPORT_PPROF
					? "export both recordings, then: pprof -diff_base FILE.pb.gz B.pb.gz"
					: "formats with differences: folded, svg, flamegraph, csv, ndjson");
	if (options->minus_warm && !(carries & CARRIES_DIFFERENCE))
		return err_hint(
			err_new(ERR_USAGE, "cannot export --minus-warm as '%s': it holds no differences", format),
			"formats with differences: folded, svg, flamegraph, csv, ndjson");
	if (options->minus_warm && (options->versus_path || options->export_phase != PHASE_FIRST_REQUEST))
		return err_hint(err_new(ERR_USAGE,
					"cannot export --minus-warm with %s: it is the first request's difference to "
					"warm ones of the same run",
					options->versus_path ? "--vs" : "another phase"),
				"leave one of them away");
	if (options->export_format != EXPORT_PERFETTO && options->export_by == FLAME_CRITICAL_PATH &&
	    !has_path((int)options->export_phase))
		return err_hint(
			err_new(ERR_USAGE, "cannot export the critical path of '%s': only requests have one", phase),
			"--phase first_request, warm or all; or --by on-cpu, off-cpu, exceptions, faults, "
			"classes, files");
	if (carries & IS_BINARY && isatty(STDOUT_FILENO) &&
	    (!options->output_path || strcmp(options->output_path, "-") == 0))
		return err_hint(err_new(ERR_USAGE, "cannot write '%s' to a terminal: it is binary", format),
				"give -o FILE");
	return NULL;
}

static struct err *check_phase(const struct report *report, int phase, const char *path)
{
	for (size_t i = 0; i < report->phases_count; i++)
		if (phase == FLAME_ALL_PHASES || (int)report->phases[i].phase == phase)
			return NULL;
	return err_new(ERR_FAILED, "cannot export phase '%s' of '%s': the run has no such phase",
		       phase == FLAME_ALL_PHASES ? "all" : phase_name((enum phase)phase), path);
}

static char *title_of(const struct options *options, const struct report *report, struct arena *arena)
{
	static const char *const views[FLAME_BY_COUNT] = {
		"Critical path", "On the CPU", "Off the CPU", "Exceptions", "Page faults", "Classes loaded", "Files"};
	static const char *const phases[PHASE_COUNT + 1] = {"the launch",    "the VM's start",	  "the start-up",
							    "the idle time", "the first request", "the warm requests",
							    "the shutdown",  "the whole run"};
	bool is_of_requests = options->export_phase == PHASE_FIRST_REQUEST || options->export_phase == PHASE_WARM;
	const char *route = report->cold_vs_warm_count && is_of_requests ? report->cold_vs_warm[0].route : "";

	return arena_format(arena, "%s of %s%s%s%s%s%s", views[options->export_by], phases[options->export_phase],
			    *route ? " (" : "", route, *route ? ")" : "",
			    options->minus_warm	   ? " minus a warm one"
			    : options->versus_path ? ", now "
						   : "",
			    options->versus_path ? options->versus_path : "");
}

/* A profile of all phases has each phase's samples under its own label. */
static struct err *export_pprof(const struct options *options, const struct loaded_report *loaded, FILE *out)
{
	struct flame flames[PHASE_COUNT];
	int phase = (int)options->export_phase;
	size_t count = 0;
	struct err *err;

	for (int each = 0; each < PHASE_COUNT; each++)
		if ((phase == each || phase == FLAME_ALL_PHASES) &&
		    (options->export_by != FLAME_CRITICAL_PATH || has_path(each)))
			flame_build(loaded->model, &loaded->report, (enum flame_by)options->export_by, each,
				    &flames[count++]);
	err = render_pprof(flames, count, &loaded->report, out);
	while (count)
		flame_done(&flames[--count]);
	return err;
}

static struct err *render_flame(const struct options *options, const struct report *report, const struct flame *flame,
				FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	const char *title = title_of(options, report, &arena);

	switch ((enum export_format)options->export_format) {
	case EXPORT_FOLDED:
		return render_folded(flame, out);
	case EXPORT_SVG:
		return render_svg(flame, title, out);
	case EXPORT_FLAMEGRAPH:
		return render_flame_page(flame, title, report->run.command_count ? report->run.command[0] : "", out);
	case EXPORT_SPEEDSCOPE:
		return render_speedscope(flame, report, title, out);
	case EXPORT_CSV:
		return render_flame_csv(flame, out);
	case EXPORT_NDJSON:
		return render_flame_ndjson(flame, out);
	default:
		return err_new(ERR_USAGE, "cannot export as '%s'", export_format_names[options->export_format]);
	}
}

/* The other recording is read, folded and dropped before this one is: one at a time is in memory. */
static struct err *fold_other(const struct options *options, struct flame *ret_flame)
{
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	int phase = (int)options->export_phase;

	TRY(report_load(options->versus_path, &loaded));
	TRY(check_phase(&loaded.report, phase, options->versus_path));
	flame_build(loaded.model, &loaded.report, (enum flame_by)options->export_by, phase, ret_flame);
	return NULL;
}

static struct err *export_to(const struct options *options, const struct loaded_report *loaded,
			     const struct flame *other, FILE *out)
{
	auto_done(flame_done) struct flame flame = {}, difference = {};
	int phase = (int)options->export_phase;
	bool is_path = options->export_by == FLAME_CRITICAL_PATH && !options->versus_path && !options->minus_warm;

	if (options->export_format == EXPORT_PERFETTO)
		return render_perfetto(loaded->model, &loaded->report, phase, out);
	if (options->export_format == EXPORT_PPROF)
		return export_pprof(options, loaded, out);
	if (options->export_format == EXPORT_CSV && is_path)
		return render_path_csv(&loaded->report, phase, out);
	if (options->export_format == EXPORT_NDJSON && is_path)
		return render_path_ndjson(&loaded->report, phase, out);
	if (options->minus_warm) {
		flame_cold_and_warm(loaded->model, &loaded->report, (enum flame_by)options->export_by, &difference);
		return render_flame(options, &loaded->report, &difference, out);
	}
	flame_build(loaded->model, &loaded->report, (enum flame_by)options->export_by, phase, &flame);
	if (!options->versus_path)
		return render_flame(options, &loaded->report, &flame, out);
	flame_difference(&flame, other, &difference);
	return render_flame(options, &loaded->report, &difference, out);
}

struct err *verb_export(const struct options *options, struct outcome *outcome)
{
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	auto_done(flame_done) struct flame other = {};
	const char *path = options->files.items[0].path;
	struct sink sink;
	struct err *err, *close_err;

	(void)outcome;
	TRY(check_usage(options));
	if (options->versus_path)
		TRY(fold_other(options, &other));
	TRY(report_load(path, &loaded));
	TRY(check_phase(&loaded.report, (int)options->export_phase, path));
	if (options->minus_warm)
		TRY(check_phase(&loaded.report, PHASE_WARM, path));
	TRY(sink_open(options->output_path, stdout, &sink));
	err = export_to(options, &loaded, &other, sink.file);
	close_err = sink_close(&sink);
	if (err) {
		err_free(close_err);
		return err;
	}
	return close_err;
}
