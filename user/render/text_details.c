/* What follows the summary in a full report, and the screen of a run that served nothing. */
#include "render/screen.h"

#include <string.h>

#include "base/fmt.h"
#include "render/text_tables.h"

enum {
	TILES_MOST = 200,
	REQUESTS_MOST = 60,
	ROUTES_MOST = 40,
	EXCEPTIONS_MOST = 40,
	CLASSES_MOST = 25,
	JARS_MOST = 30,
	ENTRIES_MOST = 25,
	CLASS_PATH_MOST = 12,
	FAULT_FILES_MOST = 15,
	CACHED_FILES_MOST = 15,
	SEARCHES_MOST = 15,
	FILES_MOST = 40,
	THREADS_MOST = 60,
	CONNECTIONS_MOST = 40,
	STARTUP_ROWS_MOST = 5,
};

void text_startup(struct screen *screen, const struct report *report)
{
	text_phases(screen, report);
	text_slowest_classes(screen, report, STARTUP_ROWS_MOST);
	text_exceptions(screen, report, STARTUP_ROWS_MOST);
	text_files(screen, report, STARTUP_ROWS_MOST);
}

static void text_observed(struct screen *screen, const struct report *report)
{
	struct table table = {};

	if (!report->observed_count)
		return;
	section_begin(screen, &table, "Observed", 12);
	section_text(&table, "", 0, 0);
	section_text(&table, "why not", 20, 1);
	for (size_t i = 0; i < report->observed_count; i++) {
		const struct report_observed *observed = &report->observed[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", observed->what);
		table_cell(&table, strcmp(observed->state, "yes") == 0 ? TERM_GOOD : TERM_WARNING, "%s",
			   observed->state);
		table_cell(&table, TERM_PLAIN, "%s", observed->why ? observed->why : "");
	}
	section_end(screen, &table);
}

static void text_recording(struct screen *screen, const struct report *report)
{
	const struct report_run *run = &report->run;

	screen_blank(screen);
	screen_paragraph(screen, TERM_PLAIN, "Events", "%s recorded, %s lost", fmt_count(report->events_total).text,
			 fmt_count(report->lost_events).text);
	for (size_t i = 0; i < report->losses_by_span_count; i++) {
		const struct report_loss_span *span = &report->losses_by_span[i];

		screen_paragraph(screen, TERM_WARNING, "", "%s lost from %s to %s", fmt_count(span->events).text,
				 fmt_duration(span->start_ns).text, fmt_duration(span->end_ns).text);
	}
	if (report->overhead_estimated_ns.state == KNOWN)
		screen_paragraph(screen, TERM_PLAIN, "Overhead", "about %s of this run is warmtrace's own work",
				 fmt_duration(report->overhead_estimated_ns.value).text);
	for (size_t i = 0; i < report->cold_vs_warm_count; i++) {
		const struct report_cold_vs_warm *pair = &report->cold_vs_warm[i];

		if (pair->cold_tracing_ns > 0)
			screen_paragraph(screen, TERM_PLAIN, "", "about %s of the first %s, %s of a warm one",
					 fmt_duration(pair->cold_tracing_ns).text, pair->route,
					 fmt_duration(pair->warm_tracing_ns).text);
	}
	if (report->overhead_measured_ratio.state == KNOWN)
		screen_paragraph(screen, TERM_PLAIN, "Overhead", "measured: %.2f times the untraced run",
				 report->overhead_measured_ratio.value);
	screen_paragraph(screen, TERM_PLAIN, "Run", "started %s, %s; warmtrace %s",
			 fmt_time(run->start_realtime_ns).text, fmt_duration(run->wall_ns).text,
			 report->tool_version);
	if (report->runtime.argument_count)
		screen_paragraph(screen, TERM_PLAIN, "JVM", "%s",
				 command_text(screen, report->runtime.arguments, report->runtime.argument_count));
	if (report->runtime.aot_requested.state == KNOWN)
		screen_paragraph(screen, TERM_PLAIN, "AOT cache", "%s: %s%s%s", report->runtime.aot_requested.text,
				 report->runtime.aot_mapped.state != KNOWN ? "not known whether it was used"
				 : report->runtime.aot_mapped.value	   ? "mapped"
									   : "not used",
				 report->runtime.aot_reason.state == KNOWN ? ", " : "",
				 report->runtime.aot_reason.state == KNOWN ? report->runtime.aot_reason.text : "");
}

void text_details(struct screen *screen, const struct report *report)
{
	const struct report_request *cold =
		cold_request_of(report, report->cold_vs_warm_count ? report->cold_vs_warm : NULL);

	for (size_t i = 1; i < report->cold_vs_warm_count; i++) {
		screen_blank(screen);
		screen_heading(screen, "%s", report->cold_vs_warm[i].route);
		text_causes(screen, &report->cold_vs_warm[i], NULL, true);
	}
	text_what_ifs(screen, report);
	if (cold) {
		text_path(screen, cold, TILES_MOST);
		text_phases(screen, report);
	}
	text_routes(screen, report, ROUTES_MOST);
	text_requests(screen, report, REQUESTS_MOST);
	text_class_sources(screen, report);
	text_slowest_classes(screen, report, CLASSES_MOST);
	text_class_groups(screen, report, JARS_MOST);
	text_class_work(screen, report, CLASSES_MOST);
	text_exceptions(screen, report, EXCEPTIONS_MOST);
	text_throws(screen, report, EXCEPTIONS_MOST);
	text_jars(screen, report, JARS_MOST);
	text_entries(screen, report, ENTRIES_MOST);
	text_class_path(screen, report, CLASS_PATH_MOST);
	text_files(screen, report, FILES_MOST);
	text_searches(screen, report, SEARCHES_MOST);
	text_page_cache(screen, report, CACHED_FILES_MOST);
	text_faults(screen, report);
	text_fault_files(screen, report, FAULT_FILES_MOST);
	text_memory(screen, report);
	text_machinery(screen, report);
	text_pause_causes(screen, report);
	text_jit_work(screen, report, CLASSES_MOST);
	text_thread_roles(screen, report);
	text_threads(screen, report, THREADS_MOST);
	text_connections(screen, report, CONNECTIONS_MOST);
	text_observed(screen, report);
	text_recording(screen, report);
}
