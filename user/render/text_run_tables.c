#include "render/text_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

void section_begin(struct screen *screen, struct table *table, const char *title, unsigned shrinks_to)
{
	screen_blank(screen);
	table_column(table, (struct table_column){.title = title, .shrinks_to = shrinks_to});
}

void section_number(struct table *table, const char *title, unsigned optional)
{
	table_column(table, (struct table_column){.title = title, .align = TABLE_RIGHT, .optional = optional});
}

void section_text(struct table *table, const char *title, unsigned shrinks_to, unsigned optional)
{
	table_column(table, (struct table_column){.title = title, .shrinks_to = shrinks_to, .optional = optional});
}

void section_end(struct screen *screen, struct table *table)
{
	screen_table(screen, table);
}

size_t section_rows(size_t count, size_t most)
{
	/* A line saying "and 1 more" would take the place of that one. */
	return most && count > most ? most - 1 : count;
}

void section_more(struct table *table, size_t more)
{
	table_row(table);
	table_cell(table, TERM_DIM, "and %s more, together", fmt_count((int64_t)more).text);
}

struct count_column {
	enum count count;
	const char *title;
	unsigned optional;
};

void text_phases(struct screen *screen, const struct report *report)
{
	static const struct count_column columns[] = {
		{COUNT_CLASSES_LOADED, "classes", 0},
		{COUNT_EXCEPTIONS, "exceptions", 0},
		{COUNT_OPENS, "opens", 0},
		{COUNT_FAILED_OPENS, "failed", 7},
		{COUNT_LOOKUPS, "look-ups", 5},
		{COUNT_FAILED_LOOKUPS, "failed", 6},
		{COUNT_READS, "reads", 0},
		{COUNT_JAR_READS, "of jars", 4},
		{COUNT_MINOR_FAULTS, "page faults", 0},
		{COUNT_MAJOR_FAULTS, "from disk", 3},
		{COUNT_THREADS_STARTED, "threads", 2},
		{COUNT_COMPILATIONS, "compiled", 8},
		{COUNT_GC_PAUSES, "GC pauses", 9},
		{COUNT_CONNECTS, "connects", 10},
		{COUNT_CONTEXT_SWITCHES, "switches", 11},
	};
	struct table table = {};
	bool is_shown[array_length(columns)] = {};

	if (!report->phases_count)
		return;
	for (size_t c = 0; c < array_length(columns); c++)
		for (size_t i = 0; i < report->phases_count; i++)
			is_shown[c] = is_shown[c] || report->phases[i].counts.of[columns[c].count].state == KNOWN;
	section_begin(screen, &table, "Phases", 10);
	section_number(&table, "from", 1);
	section_number(&table, "duration", 0);
	section_number(&table, "CPU", 0);
	for (size_t c = 0; c < array_length(columns); c++)
		if (is_shown[c])
			section_number(&table, columns[c].title, columns[c].optional);
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *phase = &report->phases[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", phase_words(phase->phase));
		table_cell(&table, TERM_DIM, "%s", moment_text(screen, phase->start_ns));
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(fmt_subtract(phase->end_ns, phase->start_ns)).text);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, phase->cpu_ns));
		for (size_t c = 0; c < array_length(columns); c++)
			if (is_shown[c])
				table_cell(&table, TERM_PLAIN, "%s",
					   maybe_count(screen, phase->counts.of[columns[c].count]));
	}
	section_end(screen, &table);
}

/* Counts that no request has are no columns. */
static bool is_count_known(const struct report *report, enum count count)
{
	for (size_t i = 0; i < report->requests_count; i++)
		if (report->requests[i].counts.of[count].state == KNOWN)
			return true;
	return false;
}

static bool is_client_known(const struct report *report)
{
	for (size_t i = 0; i < report->requests_count; i++)
		if (report->requests[i].client_latency_ns.state == KNOWN)
			return true;
	return false;
}

static const struct count_column request_columns[] = {
	{COUNT_CLASSES_LOADED, "classes", 4},
	{COUNT_EXCEPTIONS, "exceptions", 4},
	{COUNT_READS, "reads", 6},
	{COUNT_MINOR_FAULTS, "page faults", 7},
};

static void request_cells(struct screen *screen, struct table *table, const struct report *report,
			  const struct report_request *request, struct scale scale)
{
	table_row(table);
	table_cell(table, request->is_cold ? TERM_BOLD : TERM_PLAIN, "%s", request_name(screen, request));
	table_cell(table, TERM_PLAIN, "%s", fmt_count(fmt_add(request->index, 1)).text);
	table_cell(table, TERM_DIM, "%s%s", request->is_start_estimated ? "~" : "",
		   moment_text(screen, request->start_ns));
	table_cell(table, TERM_PLAIN, "%s", in_scale(screen, request->latency_ns, scale));
	if (is_client_known(report))
		table_cell(table, TERM_PLAIN, "%s",
			   request->client_latency_ns.state == KNOWN
				   ? in_scale(screen, request->client_latency_ns.value, scale)
				   : maybe_duration(screen, request->client_latency_ns));
	table_cell(table, TERM_PLAIN, "%s", maybe_count(screen, request->status));
	table_cell(table, TERM_PLAIN, "%s", request->protocol ? request->protocol : "");
	for (size_t c = 0; c < array_length(request_columns); c++)
		if (is_count_known(report, request_columns[c].count))
			table_cell(table, TERM_PLAIN, "%s",
				   maybe_count(screen, request->counts.of[request_columns[c].count]));
	table_cell(table, TERM_DIM, "%s%s%s", request->is_cold ? "cold" : "",
		   request->is_cold && request->is_shared ? ", " : "",
		   request->is_shared ? "others at the same time" : "");
}

void text_requests(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->requests_count, most);
	int64_t slowest_ns = 0, rest_ns = 0;

	if (!report->requests_count)
		return;
	for (size_t i = 0; i < report->requests_count; i++) {
		int64_t latency_ns = report->requests[i].latency_ns;

		slowest_ns = latency_ns > slowest_ns ? latency_ns : slowest_ns;
		rest_ns = i < shown ? 0 : fmt_add(rest_ns, latency_ns);
	}

	struct scale scale = scale_for(slowest_ns);

	section_begin(screen, &table, "Requests", 16);
	section_number(&table, "no.", 0);
	section_number(&table, "at", 0);
	section_number(&table, arena_format(&screen->arena, "latency %s", scale.unit), 0);
	if (is_client_known(report))
		section_number(&table, arena_format(&screen->arena, "client %s", scale.unit), 3);
	section_number(&table, "status", 0);
	section_text(&table, "protocol", 0, 5);
	for (size_t c = 0; c < array_length(request_columns); c++)
		if (is_count_known(report, request_columns[c].count))
			section_number(&table, request_columns[c].title, request_columns[c].optional);
	section_text(&table, "", 0, 2);
	for (size_t i = 0; i < shown; i++)
		request_cells(screen, &table, report, &report->requests[i], scale);
	if (shown < report->requests_count) {
		section_more(&table, report->requests_count - shown);
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_DIM, "%s", in_scale(screen, rest_ns, scale));
	}
	section_end(screen, &table);
}

void text_routes(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->routes_count, most);

	if (!report->routes_count)
		return;
	section_begin(screen, &table, "Routes", 16);
	section_number(&table, "requests", 0);
	section_number(&table, "errors", 0);
	section_number(&table, "median", 0);
	section_number(&table, "95 %", 0);
	section_number(&table, "99 %", 2);
	section_number(&table, "slowest", 0);
	section_number(&table, "per second", 3);
	section_number(&table, "warm after", 1);
	for (size_t i = 0; i < shown; i++) {
		const struct report_route *route = &report->routes[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", route->route);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(route->requests).text);
		table_cell(&table, route->errors ? TERM_BAD : TERM_PLAIN, "%s", fmt_count(route->errors).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(route->p50_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(route->p95_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(route->p99_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(route->max_ns).text);
		table_cell(&table, TERM_PLAIN, "%.1f", route->per_second);
		table_cell(&table, TERM_PLAIN, "%s", maybe_count(screen, route->until_warm));
	}
	if (shown < report->routes_count) {
		int64_t requests = 0, errors = 0;

		for (size_t i = shown; i < report->routes_count; i++) {
			requests = fmt_add(requests, report->routes[i].requests);
			errors = fmt_add(errors, report->routes[i].errors);
		}
		section_more(&table, report->routes_count - shown);
		table_cell(&table, TERM_DIM, "%s", fmt_count(requests).text);
		table_cell(&table, TERM_DIM, "%s", fmt_count(errors).text);
	}
	section_end(screen, &table);
}

void text_what_ifs(struct screen *screen, const struct report *report)
{
	const struct report_what_if **order = what_ifs_by_saving(screen, report);
	struct table table = {};
	int64_t largest_ns = 0;

	if (!report->what_if_count)
		return;
	for (size_t i = 0; i < report->what_if_count; i++)
		largest_ns = order[i]->cold_ns > largest_ns ? order[i]->cold_ns : largest_ns;

	struct scale scale = scale_for(largest_ns);

	section_begin(screen, &table, "What if (estimates, at best)", 24);
	section_number(&table, arena_format(&screen->arena, "first %s", scale.unit), 0);
	for (size_t i = 0; i < report->what_if_count; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "without %s", order[i]->without);
		table_cell(&table, TERM_PLAIN, "%s", in_scale(screen, order[i]->cold_ns, scale));
	}
	section_end(screen, &table);
}

static int longest_first(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a < b) - (a > b);
}

/* In time order. Where there are more than `most`, those at least as long as the most-th longest, and one line for
 * the rest. */
void text_path(struct screen *screen, const struct report_request *request, size_t most)
{
	struct scale scale = scale_for(request->latency_ns);
	struct table table = {};
	int64_t shortest_ns = 0, rest_ns = 0;
	size_t rest = 0, shown = 0;

	if (!request->path_count)
		return;
	if (most && request->path_count > most) {
		int64_t *durations = arena_array(&screen->arena, int64_t, request->path_count);

		for (size_t i = 0; i < request->path_count; i++)
			durations[i] = request->path[i].duration_ns;
		qsort(durations, request->path_count, sizeof(*durations), longest_first);
		shortest_ns = durations[most - 1];
	}
	section_begin(screen, &table, arena_format(&screen->arena, "Path of %s", request_name(screen, request)), 24);
	table.columns[0].cut = UTF8_CUT_END;
	section_number(&table, arena_format(&screen->arena, "at %s", scale.unit), 0);
	section_number(&table, scale.unit, 0);
	section_text(&table, "thread", 14, 2);
	section_text(&table, "detail", 18, 1);
	for (size_t i = 0; i < request->path_count; i++) {
		const struct report_tile *tile = &request->path[i];

		if (tile->duration_ns < shortest_ns || (most && shown == most)) {
			rest++;
			rest_ns = fmt_add(rest_ns, tile->duration_ns);
			continue;
		}
		shown++;
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", cause_label_short(screen, cause_label(tile->cause)));
		table_cell(&table, TERM_DIM, "%s",
			   in_scale_signed(screen, fmt_subtract(tile->start_ns, request->start_ns), scale));
		table_cell(&table, TERM_PLAIN, "%s%s", tile->is_estimated ? "~" : "",
			   in_scale(screen, tile->duration_ns, scale));
		table_cell(&table, TERM_PLAIN, "%s", tile->thread);
		table_cell(&table, TERM_DIM, "%s", tile->detail ? tile->detail : "");
	}
	if (rest) {
		section_more(&table, rest);
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_DIM, "%s", in_scale(screen, rest_ns, scale));
		table_cell(&table, TERM_DIM, "%s", "shorter than these; the JSON report has all");
	}
	section_end(screen, &table);
}

void text_threads(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->threads_count, most);

	if (!report->threads_count)
		return;
	section_begin(screen, &table, "Threads", 16);
	section_text(&table, "role", 0, 1);
	section_number(&table, "pid", 3);
	section_number(&table, "tid", 2);
	section_number(&table, "CPU", 0);
	section_number(&table, "created", 0);
	section_number(&table, "ended", 0);
	for (size_t i = 0; i < shown; i++) {
		const struct report_thread *thread = &report->threads[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", thread->name);
		table_cell(&table, TERM_DIM, "%s", thread->role);
		table_cell(&table, TERM_DIM, "%u", thread->pid);
		table_cell(&table, TERM_DIM, "%u", thread->tid);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, thread->cpu_ns));
		table_cell(&table, TERM_PLAIN, "%s", moment_text(screen, thread->created_ns));
		table_cell(&table, TERM_PLAIN, "%s",
			   thread->ended_ns.state == KNOWN ? moment_text(screen, thread->ended_ns.value)
							   : maybe_duration(screen, thread->ended_ns));
	}
	if (shown < report->threads_count) {
		int64_t cpu_ns = 0;

		for (size_t i = shown; i < report->threads_count; i++)
			cpu_ns = fmt_add(cpu_ns, report->threads[i].cpu_ns.state == KNOWN
							 ? report->threads[i].cpu_ns.value
							 : 0);
		section_more(&table, report->threads_count - shown);
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_PLAIN, "%s", "");
		table_cell(&table, TERM_DIM, "%s", fmt_duration(cpu_ns).text);
	}
	section_end(screen, &table);
}

void text_connections(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->connections_count, most);
	struct report_connection rest = {};

	if (!report->connections_count)
		return;
	section_begin(screen, &table, "Outbound connections", 16);
	section_text(&table, "phase", 0, 1);
	section_number(&table, "connects", 0);
	section_number(&table, "failed", 0);
	section_number(&table, "connecting", 0);
	section_number(&table, "reused", 0);
	section_number(&table, "at once", 4);
	section_number(&table, "sent", 2);
	section_number(&table, "received", 3);
	for (size_t i = 0; i <= shown; i++) {
		const struct report_connection *connection = i < shown ? &report->connections[i] : &rest;

		if (i == shown) {
			if (shown == report->connections_count)
				break;
			for (size_t k = shown; k < report->connections_count; k++) {
				rest.connects = fmt_add(rest.connects, report->connections[k].connects);
				rest.failed = fmt_add(rest.failed, report->connections[k].failed);
				rest.connect_ns = fmt_add(rest.connect_ns, report->connections[k].connect_ns);
				rest.reused = fmt_add(rest.reused, report->connections[k].reused);
				rest.bytes_out = fmt_add(rest.bytes_out, report->connections[k].bytes_out);
				rest.bytes_in = fmt_add(rest.bytes_in, report->connections[k].bytes_in);
			}
			section_more(&table, report->connections_count - shown);
			table_cell(&table, TERM_PLAIN, "%s", "");
		} else {
			table_row(&table);
			table_cell(&table, TERM_PLAIN, "%s", connection->peer);
			table_cell(&table, TERM_DIM, "%s", phase_words(connection->phase));
		}
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(connection->connects).text);
		table_cell(&table, connection->failed ? TERM_WARNING : TERM_PLAIN, "%s",
			   fmt_count(connection->failed).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(connection->connect_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(connection->reused).text);
		table_cell(&table, TERM_PLAIN, "%s", i < shown ? fmt_count(connection->most_at_once).text : "");
		table_cell(&table, TERM_PLAIN, "%s", fmt_bytes(connection->bytes_out).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_bytes(connection->bytes_in).text);
	}
	section_end(screen, &table);
}

void text_machinery(struct screen *screen, const struct report *report)
{
	if (report->jit_compilations.state == ABSENT && report->gc_pauses.state == ABSENT)
		return;
	screen_blank(screen);
	if (report->jit_compilations.state != ABSENT)
		screen_paragraph(screen, TERM_PLAIN, "JIT",
				 "%s compilations (%s by C1, %s by C2), %s of CPU, %s deoptimisations",
				 maybe_count(screen, report->jit_compilations), maybe_count(screen, report->jit_c1),
				 maybe_count(screen, report->jit_c2), maybe_duration(screen, report->jit_cpu_ns),
				 maybe_count(screen, report->jit_deoptimizations));
	if (report->gc_pauses.state != ABSENT)
		screen_paragraph(screen, TERM_PLAIN, "GC",
				 "%s collections, %s pauses of %s in all; %s safepoints of %s in all",
				 maybe_count(screen, report->gc_collections), maybe_count(screen, report->gc_pauses),
				 maybe_duration(screen, report->gc_pause_ns),
				 maybe_count(screen, report->gc_safepoints),
				 maybe_duration(screen, report->gc_safepoint_ns));
}
