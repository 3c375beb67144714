#include "render/render.h"

#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "base/json_out.h"
#include "render/json_common.h"

/* True where the report says that this kind of thing was not observed: an empty list would then claim "none". */
static bool is_unobserved(const struct report *report, const char *what)
{
	for (size_t i = 0; i < report->observed_count; i++)
		if (strcmp(report->observed[i].what, what) == 0)
			return strcmp(report->observed[i].state, "no") == 0;
	return false;
}

/* Said of the run, wholly or partly; an older recording says nothing. */
static bool is_observed(const struct report *report, const char *what)
{
	for (size_t i = 0; i < report->observed_count; i++)
		if (strcmp(report->observed[i].what, what) == 0)
			return strcmp(report->observed[i].state, "no") != 0;
	return false;
}

static void put_run(struct json_out *json, const struct report_run *run)
{
	static const char *const exit_kinds[] = {"exit", "signal", "running"};

	json_out_key(json, "run");
	json_out_object(json);
	json_put_texts(json, "command", run->command, run->command_count);
	json_put_int(json, "pid", run->pid);
	json_put_int(json, "main_pid", run->main_pid);
	json_put_text(json, "start", fmt_time(run->start_realtime_ns).text);
	json_put_int(json, "wall_ns", run->wall_ns);
	json_put_text(json, "user", run->user);
	json_out_key(json, "exit");
	json_out_object_flat(json);
	json_put_text(json, "kind", exit_kinds[run->exit_kind]);
	json_put_int(json, "code", run->exit_code);
	json_put_bool(json, "by_us", run->exit_by_us);
	json_put_maybe_text(json, "oom", run->exit_oom);
	json_out_object_end(json);
	json_out_object_end(json);
}

static void put_cgroup_cpu(struct json_out *json, const struct report_machine *machine)
{
	json_out_key(json, "cgroup_cpu");
	json_out_array(json);
	for (size_t i = 0; i < machine->cgroup_cpu_count; i++) {
		const struct report_cgroup_cpu *row = &machine->cgroup_cpu[i];

		json_out_object_flat(json);
		json_put_text(json, "from", row->from);
		json_put_text(json, "to", row->to);
		json_put_int(json, "periods", row->periods);
		json_put_int(json, "throttled_periods", row->throttled_periods);
		json_put_maybe(json, "throttled_ns", row->throttled_ns);
		json_put_int(json, "seen_ns", row->seen_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_machine(struct json_out *json, const struct report_machine *machine)
{
	json_out_key(json, "machine");
	json_out_object(json);
	json_put_text(json, "kernel", machine->kernel);
	json_put_text(json, "arch", machine->arch);
	json_put_int(json, "cpus", machine->cpus);
	json_put_maybe_real(json, "cpu_quota", machine->cpu_quota);
	json_put_maybe(json, "memory_limit", machine->memory_limit);
	json_put_maybe(json, "cgroup_peak", machine->cgroup_peak);
	if (machine->cgroup_oom.state || machine->cgroup_oom_kill.state || machine->cgroup_max.state) {
		json_out_key(json, "cgroup_events");
		json_out_object_flat(json);
		json_put_maybe(json, "oom", machine->cgroup_oom);
		json_put_maybe(json, "oom_kill", machine->cgroup_oom_kill);
		json_put_maybe(json, "max", machine->cgroup_max);
		json_out_object_end(json);
	}
	if (machine->has_cgroup_cpu)
		put_cgroup_cpu(json, machine);
	json_out_object_end(json);
}

static void put_runtime(struct json_out *json, const struct report_runtime *runtime)
{
	json_out_key(json, "runtime");
	json_out_object(json);
	json_put_text(json, "kind", runtime->kind);
	json_put_maybe_text(json, "version", runtime->version);
	json_put_maybe_text(json, "vendor", runtime->vendor);
	json_put_maybe_text(json, "gc", runtime->gc);
	json_put_maybe(json, "max_heap", runtime->max_heap);
	json_put_texts(json, "arguments", runtime->arguments, runtime->argument_count);
	if (runtime->cds_archive.state || runtime->cds_mapped.state) {
		json_out_key(json, "cds");
		json_out_object_flat(json);
		json_put_maybe_text(json, "archive", runtime->cds_archive);
		json_put_maybe_bool(json, "mapped", runtime->cds_mapped);
		json_out_object_end(json);
	}
	if (runtime->aot_requested.state || runtime->aot_mapped.state) {
		json_out_key(json, "aot_cache");
		json_out_object_flat(json);
		json_put_maybe_text(json, "requested", runtime->aot_requested);
		json_put_maybe_bool(json, "mapped", runtime->aot_mapped);
		json_put_maybe_text(json, "reason", runtime->aot_reason);
		json_out_object_end(json);
	}
	json_out_object_end(json);
}

static void put_named_values(struct json_out *json, const char *key, const struct named_value *values, size_t count)
{
	json_out_key(json, key);
	json_out_object_flat(json);
	for (size_t i = 0; i < count; i++)
		json_put_int(json, values[i].name, values[i].value);
	json_out_object_end(json);
}

/* What was recorded, lost, seen and not seen: how far the rest can be believed. */
static void put_trust(struct json_out *json, const struct report *report)
{
	json_out_key(json, "losses");
	json_out_object(json);
	json_put_int(json, "events", report->lost_events);
	put_named_values(json, "by_kind", report->losses_by_kind, report->losses_by_kind_count);
	json_out_key(json, "by_span");
	json_out_array(json);
	for (size_t i = 0; i < report->losses_by_span_count; i++) {
		const struct report_loss_span *span = &report->losses_by_span[i];

		json_out_object_flat(json);
		json_put_int(json, "start_ns", span->start_ns);
		json_put_int(json, "end_ns", span->end_ns);
		json_put_int(json, "events", span->events);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);

	json_out_key(json, "observed");
	json_out_object(json);
	for (size_t i = 0; i < report->observed_count; i++)
		json_put_text(json, report->observed[i].what, report->observed[i].state);
	json_out_object_end(json);
	json_out_key(json, "not_observed_why");
	json_out_object(json);
	for (size_t i = 0; i < report->observed_count; i++)
		if (report->observed[i].why)
			json_put_text(json, report->observed[i].what, report->observed[i].why);
	json_out_object_end(json);

	if (report->overhead_estimated_ns.state || report->overhead_measured_ratio.state) {
		json_out_key(json, "overhead");
		json_out_object_flat(json);
		json_put_maybe(json, "estimated_ns", report->overhead_estimated_ns);
		json_put_maybe_real(json, "measured_ratio", report->overhead_measured_ratio);
		json_out_object_end(json);
	}
	json_out_key(json, "events");
	json_out_object(json);
	json_put_int(json, "total", report->events_total);
	put_named_values(json, "by_kind", report->events_by_kind, report->events_by_kind_count);
	json_out_object_end(json);
}

static void put_counts(struct json_out *json, const struct counts *counts)
{
	json_out_key(json, "counts");
	json_out_object_flat(json);
	for (int i = 0; i < COUNT_COUNT; i++)
		json_put_maybe(json, json_count_names[i], counts->of[i]);
	json_out_object_end(json);
}

static void put_course(struct json_out *json, const struct report *report)
{
	json_out_key(json, "milestones");
	json_out_array(json);
	for (size_t i = 0; i < report->milestones_count; i++) {
		const struct report_milestone *milestone = &report->milestones[i];

		json_out_object_flat(json);
		json_put_text(json, "name", milestone->name);
		json_put_int(json, "t_ns", milestone->time_ns);
		json_put_text(json, "detail", milestone->detail ? milestone->detail : "");
		json_put_bool(json, "estimated", milestone->is_estimated);
		json_out_object_end(json);
	}
	json_out_array_end(json);

	json_out_key(json, "phases");
	json_out_array(json);
	for (size_t i = 0; i < report->phases_count; i++) {
		const struct report_phase *phase = &report->phases[i];

		json_out_object(json);
		json_put_text(json, "name", phase_name(phase->phase));
		json_put_int(json, "start_ns", phase->start_ns);
		json_put_int(json, "end_ns", phase->end_ns);
		json_put_maybe(json, "cpu_ns", phase->cpu_ns);
		put_counts(json, &phase->counts);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_path(struct json_out *json, const struct report_request *request)
{
	json_out_key(json, "path");
	json_out_array(json);
	for (size_t i = 0; i < request->path_count; i++) {
		const struct report_tile *tile = &request->path[i];

		json_out_object_flat(json);
		json_put_int(json, "pid", tile->pid);
		json_put_int(json, "tid", tile->tid);
		json_put_text(json, "thread", tile->thread);
		json_put_int(json, "start_ns", tile->start_ns);
		json_put_int(json, "duration_ns", tile->duration_ns);
		json_put_text(json, "cause", cause_name(tile->cause));
		json_put_text(json, "detail", tile->detail ? tile->detail : "");
		json_put_bool(json, "estimated", tile->is_estimated);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_client(struct json_out *json, const struct report_request *request)
{
	const struct {
		const char *key;
		struct maybe value;
	} parts[] = {
		{"name_ns", request->client_name_ns},	    {"connect_ns", request->client_connect_ns},
		{"tls_ns", request->client_tls_ns},	    {"wait_ns", request->client_wait_ns},
		{"receive_ns", request->client_receive_ns},
	};
	bool is_known = false;

	for (size_t i = 0; i < array_length(parts); i++)
		is_known = is_known || parts[i].value.state != ABSENT;
	if (!is_known)
		return;
	json_out_key(json, "client");
	json_out_object_flat(json);
	for (size_t i = 0; i < array_length(parts); i++)
		json_put_maybe(json, parts[i].key, parts[i].value);
	json_out_object_end(json);
}

static void put_request(struct json_out *json, const struct report_request *request, bool has_path)
{
	json_out_object(json);
	json_put_int(json, "index", request->index);
	json_put_bool(json, "cold", request->is_cold);
	json_put_text(json, "method", request->method);
	json_put_text(json, "route", request->route);
	json_put_maybe(json, "status", request->status);
	json_put_text(json, "protocol", request->protocol);
	json_put_int(json, "start_ns", request->start_ns);
	json_put_int(json, "latency_ns", request->latency_ns);
	json_put_bool(json, "shared", request->is_shared);
	json_put_bool(json, "start_estimated", request->is_start_estimated);
	json_put_maybe(json, "client_latency_ns", request->client_latency_ns);
	put_client(json, request);
	json_out_key(json, "causes");
	json_out_object_flat(json);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (request->causes[i])
			json_put_int(json, cause_name((enum cause)i), request->causes[i]);
	json_out_object_end(json);
	put_named_values(json, "inclusive", request->inclusive, request->inclusive_count);
	put_counts(json, &request->counts);
	if (has_path)
		put_path(json, request);
	json_out_object_end(json);
}

static void put_routes(struct json_out *json, const struct report *report)
{
	json_out_key(json, "routes");
	json_out_array(json);
	for (size_t i = 0; i < report->routes_count; i++) {
		const struct report_route *route = &report->routes[i];

		json_out_object_flat(json);
		json_put_text(json, "route", route->route);
		json_put_int(json, "requests", route->requests);
		json_put_int(json, "errors", route->errors);
		json_put_int(json, "p50_ns", route->p50_ns);
		json_put_int(json, "p95_ns", route->p95_ns);
		json_put_int(json, "p99_ns", route->p99_ns);
		json_put_int(json, "max_ns", route->max_ns);
		json_put_real(json, "per_second", route->per_second);
		json_put_maybe(json, "until_warm", route->until_warm);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_cold_vs_warm(struct json_out *json, const struct report_cold_vs_warm *pair)
{
	json_out_object(json);
	json_put_text(json, "route", pair->route);
	json_put_int(json, "cold_ns", pair->cold_ns);
	json_put_int(json, "warm_ns", pair->warm_ns);
	json_put_int(json, "warm_median_ns", pair->warm_median_ns);
	json_put_int(json, "warm_min_ns", pair->warm_min_ns);
	json_put_int(json, "warm_max_ns", pair->warm_max_ns);
	json_put_int(json, "warm_count", pair->warm_count);
	json_put_int(json, "excess_ns", pair->excess_ns);
	json_put_int(json, "cold_tracing_ns", pair->cold_tracing_ns);
	json_put_int(json, "warm_tracing_ns", pair->warm_tracing_ns);
	json_out_key(json, "causes");
	json_out_array(json);
	for (size_t i = 0; i < pair->cause_count; i++) {
		const struct report_cause_row *row = &pair->causes[i];

		json_out_object_flat(json);
		json_put_text(json, "cause", cause_name(row->cause));
		json_put_int(json, "cold_ns", row->cold_ns);
		json_put_int(json, "warm_ns", row->warm_ns);
		json_put_int(json, "excess_ns", row->excess_ns);
		json_put_real(json, "share", row->share);
		json_put_bool(json, "estimated", row->is_estimated);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static void put_burst(struct json_out *json, const struct report_burst *burst)
{
	json_out_key(json, "burst");
	if (!burst->member_count) {
		json_out_null(json);
		return;
	}
	json_out_object(json);
	json_put_int(json, "requests", (int64_t)burst->member_count);
	json_put_int(json, "shortest_ns", burst->shortest_ns);
	json_put_int(json, "longest_ns", burst->longest_ns);
	json_put_int(json, "waiting", burst->waiting);
	json_put_int(json, "waited_ns", burst->waited_ns);
	json_out_key(json, "members");
	json_out_array(json);
	for (size_t i = 0; i < burst->member_count; i++) {
		const struct report_burst_member *member = &burst->members[i];

		json_out_object_flat(json);
		json_put_int(json, "request", member->request);
		json_put_text(json, "thread", member->thread);
		json_put_int(json, "latency_ns", member->latency_ns);
		json_put_int(json, "waited_ns", member->waited_ns);
		json_put_int(json, "awaited_ns", member->awaited_ns);
		json_out_key(json, "waited_for");
		json_out_array_flat(json);
		for (size_t k = 0; k < member->wait_count; k++) {
			json_out_object_flat(json);
			json_put_int(json, "request", member->waits[k].request);
			json_put_int(json, "waited_ns", member->waits[k].waited_ns);
			json_out_object_end(json);
		}
		json_out_array_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static void put_answers(struct json_out *json, const struct report *report, bool has_paths)
{
	if (report->requests_count || !is_unobserved(report, "sockets")) {
		json_out_key(json, "requests");
		json_out_array(json);
		for (size_t i = 0; i < report->requests_count; i++)
			put_request(json, &report->requests[i], has_paths);
		json_out_array_end(json);
		put_routes(json, report);
		json_out_key(json, "cold_vs_warm");
		json_out_array(json);
		for (size_t i = 0; i < report->cold_vs_warm_count; i++)
			put_cold_vs_warm(json, &report->cold_vs_warm[i]);
		json_out_array_end(json);
		put_burst(json, &report->burst);
		json_out_key(json, "what_if");
		json_out_array(json);
		for (size_t i = 0; i < report->what_if_count; i++) {
			json_out_object_flat(json);
			json_put_text(json, "without", report->what_if[i].without);
			json_put_int(json, "cold_ns", report->what_if[i].cold_ns);
			json_put_bool(json, "estimated", true);
			json_out_object_end(json);
		}
		json_out_array_end(json);
	}
}

static void put_findings(struct json_out *json, const struct report *report)
{
	json_out_key(json, "findings");
	json_out_array(json);
	for (size_t i = 0; i < report->findings_count; i++) {
		const struct report_finding *finding = &report->findings[i];

		json_out_object(json);
		json_put_text(json, "id", finding->id);
		json_put_text(json, "title", finding->title);
		json_put_texts(json, "evidence", finding->evidence, finding->evidence_count);
		json_put_maybe(json, "cost_ns", finding->cost_ns);
		json_put_bool(json, "estimated", finding->is_estimated);
		json_put_text(json, "remedy", finding->remedy);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

/* A page has one table of the entries that were read most: a share of it for each jar, and a few of every jar. */
static size_t entries_on_page(const struct report *report)
{
	enum { ENTRIES_SHOWN = 300, LEAST_OF_A_JAR = 3 };
	size_t share = report->jars_count ? ENTRIES_SHOWN / report->jars_count : 0;

	return share > LEAST_OF_A_JAR ? share : LEAST_OF_A_JAR;
}

void json_put_report(struct json_out *json, const struct report *report, struct page *page)
{
	bool has_files = !is_unobserved(report, "file_opens") && !is_unobserved(report, "system_calls");

	json_out_object(json);
	json_put_text(json, "schema", "warmtrace-report/1");
	json_out_key(json, "tool");
	json_out_object_flat(json);
	json_put_text(json, "version", report->tool_version);
	json_out_object_end(json);
	put_run(json, &report->run);
	put_machine(json, &report->machine);
	put_runtime(json, &report->runtime);
	put_trust(json, report);
	put_course(json, report);
	put_answers(json, report, !page);
	if (report->exceptions_count || !is_unobserved(report, "exceptions") ||
	    !is_unobserved(report, "native_exceptions"))
		json_put_exceptions(json, report, page);
	if (report->throws_count || is_observed(report, "exceptions_without_trace"))
		json_put_throws(json, report);
	if (report->classes.loaded.state || report->classes.slowest_count || report->classes.by_jar_count)
		json_put_classes(json, &report->classes);
	if (report->jars_count || has_files)
		json_put_jars(json, report, page ? entries_on_page(report) : SIZE_MAX);
	if (report->classes.loaded.state)
		json_put_duplicates(json, report);
	if (report->files_count || has_files)
		json_put_files(json, report);
	if (report->searches_count || has_files)
		json_put_searches(json, report);
	if (report->page_cache.is_known || report->page_cache.files_count)
		json_put_page_cache(json, &report->page_cache);
	json_put_machinery(json, report);
	json_put_jvm_work(json, report);
	if (report->threads_count || !is_unobserved(report, "threads")) {
		json_put_threads(json, report);
		json_put_thread_roles(json, report);
	}
	if (report->memory_count || !is_unobserved(report, "memory"))
		json_put_memory(json, report);
	if (report->connections_count || !is_unobserved(report, "sockets"))
		json_put_connections(json, report);
	put_findings(json, report);
	json_put_text(json, "verdict", report->verdict);
	json_put_texts(json, "notes", report->notes, report->note_count);
	json_out_object_end(json);
}

struct err *render_json(const struct report *report, FILE *out)
{
	struct json_out json = {.out = out};

	json_put_report(&json, report, NULL);
	return json_out_finish(&json);
}
