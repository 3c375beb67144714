#include <string.h>

#include "base/auto.h"
#include "unit/render/sample.h"

#define MS 1000000ll
#define SECOND 1000000000ll

/* Hostile names, each a different way out of its cell. */
#define ESCAPE "\033[2J\033[31mred\033]0;title\007"
#define LINES "two\nlines\r\tand tab"
#define NO_UTF8 "latin1 \xe9\xff end"
#define BIDI                                                                                                         \
	"abc\xe2\x80\xae"                                                                                            \
	"fdp.exe\xe2\x80\x8f"
#define MARKUP "<script>alert(\"1\")</script>&amp;'"
#define MARKS "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
#define WIDE "\xe8\xaa\xad\xe3\x81\xbf\xe8\xbe\xbc\xe3\x81\xbf.txt"

static const char *const hostile_command[] = {"./server\n--flag", ESCAPE, "a b", ""};
static const char *const hostile_evidence[] = {LINES, NO_UTF8};
static const struct report_search hostile_searches[] = {{ESCAPE, NO_UTF8, "", INT64_MAX, INT64_MAX, INT64_MAX, {}}};
static const struct report_jar_entry hostile_entries[] = {
	{.name = LINES, .reads = INT64_MAX, .bytes_read = INT64_MAX, .class_name = ESCAPE, .requested_by = NO_UTF8},
	{.name = "", .bytes_wanted = INT64_MAX, .class_name = "", .requested_by = ""},
};
static const struct report_jar hostile_jars[] = {
	{.path = ESCAPE, .entries = hostile_entries, .entries_count = 2, .is_unused = {KNOWN, 1}, .size = {KNOWN, INT64_MAX}}};
static const char *const hostile_paths[] = {NO_UTF8, "/"};
static const struct report_duplicate hostile_duplicates[] = {{LINES, ESCAPE, hostile_paths, 2}};
static const struct report_cached_file hostile_cached_files[] = {{.path = NO_UTF8, .disk_ns = INT64_MAX}};

static const char *const hostile_notes[] = {ESCAPE " in a note " LINES};
static const char *const hostile_stack[] = {BIDI};
static const struct report_observed hostile_observed[] = {{ESCAPE, "no", LINES}};
static const struct named_value hostile_kinds[] = {{ESCAPE, 3}, {NO_UTF8, 4}};
static const struct report_finding hostile_findings[] = {
	{ESCAPE, MARKUP, LINES, hostile_evidence, 2, {KNOWN, 5 * MS}, true}};
static const struct report_exception hostile_exceptions[] = {
	{NO_UTF8, PHASE_STARTUP, 3, {KNOWN, 9}, {KNOWN, 9}, BIDI, LINES, hostile_stack, 1}};
static const struct report_class hostile_classes[] = {
	{MARKS, PHASE_STARTUP, WIDE, BIDI, 3 * MS, ESCAPE, hostile_stack, 1}};
static const struct report_class_group hostile_class_jars[] = {{ESCAPE, 2, 3, 1, 1, 0, 0}};
static const struct report_initializer hostile_initializers[] = {{ESCAPE, LINES, PHASE_STARTUP, 3, 2}};
static const struct report_generated_class hostile_generated[] = {{NO_UTF8, "lambda", PHASE_STARTUP, 3}};
static const struct report_class_not_found hostile_not_found[] = {{LINES, ESCAPE, PHASE_STARTUP, 1, 2}};
static const struct report_compilation hostile_compilations[] = {
	{ESCAPE, NO_UTF8, LINES, PHASE_WARM, 1, 2, {KNOWN, 3}, 3, true}};
static const struct report_hot_method hostile_methods[] = {{BIDI, PHASE_WARM, 2, 1, 1, 0, 0}};
static const struct report_throw hostile_throws[] = {{MARKUP, PHASE_WARM, 1, BIDI, false}};
static const struct report_deoptimization hostile_deoptimizations[] = {{BIDI, PHASE_WARM, MARKUP, NO_UTF8, 1}};
static const struct report_pause_cause hostile_causes[] = {{MARKUP, PHASE_WARM, true, 1, 2, 2}};
static const struct report_thread hostile_threads[] = {{1, 2, ESCAPE, "java", 0, {NONE, 0}, {KNOWN, 4}}};
static const struct report_connection hostile_connections[] = {{LINES, PHASE_WARM, 1, 0, 2, 3, 4, 5, 6}};
static const struct named_value hostile_inclusive[] = {{LINES, 4 * MS}};
static const struct report_what_if hostile_what_ifs[] = {{NO_UTF8, 3 * MS}};

static void add_long_files(struct report *report)
{
	enum { LENGTH = 10000 };
	struct report_file *files = arena_array(&report->arena, struct report_file, 3);
	char *path = arena_alloc(&report->arena, LENGTH + 1);

	memset(path, 'x', LENGTH);
	memcpy(path, "/start/", 7);
	memcpy(path + LENGTH - 8, "/end.txt", 8);
	files[0] = (struct report_file){.path = path, .opens = 1};
	files[1] = (struct report_file){.path = BIDI, .opens = INT64_MAX / 4, .duration_ns = INT64_MAX / 4};
	files[2] = (struct report_file){.path = WIDE, .bytes_read = INT64_MAX / 4};
	report->files = files;
	report->files_count = 3;
}

void sample_hostile(struct report *report)
{
	sample_spring(report);

	struct report_request *requests = arena_array(&report->arena, struct report_request, report->requests_count);
	struct report_tile *tiles = arena_array(&report->arena, struct report_tile, report->requests[0].path_count);
	struct report_cold_vs_warm *pair = arena_new(&report->arena, struct report_cold_vs_warm);

	memcpy(requests, report->requests, sizeof(*requests) * report->requests_count);
	memcpy(tiles, requests[0].path, sizeof(*tiles) * requests[0].path_count);
	*pair = report->cold_vs_warm[0];
	pair->route = ESCAPE;
	for (size_t i = 0; i < requests[0].path_count; i++) {
		tiles[i].thread = i % 2 ? LINES : BIDI;
		tiles[i].detail = i % 2 ? NO_UTF8 : ESCAPE;
	}
	requests[0].path = tiles;
	requests[0].inclusive = hostile_inclusive;
	requests[0].inclusive_count = 1;
	for (size_t i = 0; i < report->requests_count; i++) {
		requests[i].route = "/a\nb/" ESCAPE;
		requests[i].method = LINES;
		requests[i].protocol = NO_UTF8;
	}
	report->requests = requests;
	report->cold_vs_warm = pair;
	report->verdict = "A verdict with " ESCAPE " and " LINES " in it.";
	report->notes = hostile_notes;
	report->note_count = 1;
	report->run.command = hostile_command;
	report->run.command_count = array_length(hostile_command);
	report->run.user = NO_UTF8;
	report->machine.kernel = ESCAPE;
	report->runtime.vendor = known_text(LINES);
	report->tool_version = ESCAPE;
	SAMPLE_LIST(report, observed, hostile_observed);
	SAMPLE_LIST(report, events_by_kind, hostile_kinds);
	SAMPLE_LIST(report, findings, hostile_findings);
	SAMPLE_LIST(report, exceptions, hostile_exceptions);
	SAMPLE_LIST(report, threads, hostile_threads);
	SAMPLE_LIST(report, connections, hostile_connections);
	SAMPLE_LIST(report, what_if, hostile_what_ifs);
	SAMPLE_LIST(report, searches, hostile_searches);
	SAMPLE_LIST(report, jars, hostile_jars);
	SAMPLE_LIST(report, duplicates, hostile_duplicates);
	report->page_cache.files = hostile_cached_files;
	report->page_cache.files_count = 1;
	report->classes.slowest = hostile_classes;
	report->classes.slowest_count = 1;
	report->classes.by_jar = hostile_class_jars;
	report->classes.by_jar_count = 1;
	report->classes.initializers = hostile_initializers;
	report->classes.initializers_count = 1;
	report->classes.generated = hostile_generated;
	report->classes.generated_count = 1;
	report->classes.not_found = hostile_not_found;
	report->classes.not_found_count = 1;
	report->jit_compilations = known(1);
	SAMPLE_LIST(report, compilations, hostile_compilations);
	SAMPLE_LIST(report, hot_methods, hostile_methods);
	SAMPLE_LIST(report, deoptimizations, hostile_deoptimizations);
	SAMPLE_LIST(report, throws, hostile_throws);
	report->gc_safepoints = known(1);
	SAMPLE_LIST(report, pause_causes, hostile_causes);
	add_long_files(report);
}

static const char *const native_command[] = {"./httpd", "-p", "8081"};
static const struct report_milestone native_milestones[] = {
	{"exec", "", 0, false},
	{"listening", "127.0.0.1:8081", 1204000, false},
	{"ready", "", 1204000, true},
	{"first_arrival", "", 14 * MS, true},
	{"first_response", "", 16412000, false},
	{"exit", "", 240 * MS, false},
};
static const struct report_observed native_observed[] = {
	{"scheduling", "yes", NULL},
	{"sockets", "yes", NULL},
	{"arrival", "no", "this kernel has no tcp_probe tracepoint"},
	{"exceptions", "no", "no JVM"},
	{"native_exceptions", "no", "the program has no C++ runtime"},
	{"class_loading", "no", "no JVM"},
	{"gc", "no", "no JVM"},
	{"jit", "no", "no JVM"},
};
static const struct report_route native_routes[] = {
	{"GET /", 6, 0, 180000, 210000, 2412000, 2412000, 22.5, {KNOWN, 1}},
	{"GET /slow", 1, 1, 61 * MS, 61 * MS, 61 * MS, 61 * MS, 0.1, {NONE, 0}},
	{"opaque 127.0.0.1:8443", 1, 0, 4 * MS, 4 * MS, 4 * MS, 4 * MS, 0.1, {ABSENT, 0}},
};
static const struct report_file native_files[] = {
	{"/etc/ld.so.cache", 1, 0, 0, 0, 0, 0, 41000},
	{"/srv/www/index.html", 7, 0, 7, 0, 14, 28672, 301000},
};

static struct counts native_counts(int64_t opens, int64_t reads, int64_t faults)
{
	struct counts counts = {};

	counts.of[COUNT_OPENS] = known(opens);
	counts.of[COUNT_FAILED_OPENS] = known(0);
	counts.of[COUNT_READS] = known(reads);
	counts.of[COUNT_MINOR_FAULTS] = known(faults);
	counts.of[COUNT_MAJOR_FAULTS] = known(0);
	counts.of[COUNT_EXCEPTIONS] = (struct maybe){.state = NONE};
	return counts;
}

/* Cold 2,412,000 = 1,100,000 + 700,000 + 412,000 + 200,000; warm 181,000. */
static void add_native_requests(struct report *report)
{
	static const struct sample_piece pieces[] = {
		{CAUSE_WAIT_DISK, 700000, "httpd", "/srv/www/index.html"},
		{CAUSE_CODE_NATIVE, 1100000, "httpd", "main"},
	};
	struct report_request *requests = arena_array(&report->arena, struct report_request, 8);
	struct report_cold_vs_warm *pairs = arena_array(&report->arena, struct report_cold_vs_warm, 2);
	int64_t warm[CAUSE_COUNT] = {}, none_warm[CAUSE_COUNT] = {};

	for (int i = 0; i < 6; i++) {
		requests[i] = (struct report_request){
			.index = i,
			.is_cold = i == 0,
			.is_start_estimated = true,
			.method = "GET",
			.route = "/",
			.protocol = "http/1.1",
			.status = known(200),
			.start_ns = 14 * MS + i * 5 * MS,
			.latency_ns = i ? 181000 : 2412000,
			.counts = native_counts(1, 2, i ? 0 : 31),
		};
		requests[i].causes[CAUSE_CODE_NATIVE] = i ? 181000 : 1100000;
	}
	requests[0].causes[CAUSE_WAIT_DISK] = 700000;
	requests[0].causes[CAUSE_FILE_READ] = 412000;
	requests[0].causes[CAUSE_UNEXPLAINED] = 200000;
	sample_path(report, &requests[0], "httpd", pieces, array_length(pieces));
	requests[6] = (struct report_request){.index = 6,
					      .is_cold = true,
					      .is_shared = true,
					      .method = "GET",
					      .route = "/slow",
					      .protocol = "http/1.1",
					      .status = known(503),
					      .start_ns = 60 * MS,
					      .latency_ns = 61 * MS,
					      .counts = native_counts(0, 0, 2)};
	requests[6].causes[CAUSE_WAIT_TIMER] = 61 * MS;
	requests[7] = (struct report_request){.index = 7,
					      .is_cold = true,
					      .method = "",
					      .route = "opaque 127.0.0.1:8443",
					      .protocol = "opaque",
					      .status = {.state = NONE},
					      .start_ns = 130 * MS,
					      .latency_ns = 4 * MS};
	requests[7].causes[CAUSE_CODE_NATIVE] = 4 * MS;
	report->requests = requests;
	report->requests_count = 8;

	warm[CAUSE_CODE_NATIVE] = 181000;
	pairs[0] = (struct report_cold_vs_warm){.route = "GET /",
						.warm_median_ns = 181000,
						.warm_min_ns = 180000,
						.warm_max_ns = 210000,
						.warm_count = 3};
	sample_pair(report, &pairs[0], &requests[0], warm);
	pairs[1] = (struct report_cold_vs_warm){.route = "GET /slow"};
	sample_pair(report, &pairs[1], &requests[6], none_warm);
	report->cold_vs_warm = pairs;
	report->cold_vs_warm_count = 2;
}

void sample_native(struct report *report)
{
	struct report_phase *phases;

	*report = (struct report){};
	report->tool_version = "0.1.0";
	report->run = (struct report_run){
		.command = native_command,
		.command_count = array_length(native_command),
		.pid = 812,
		.main_pid = 812,
		.start_realtime_ns = 1772366400 * SECOND + 5,
		.wall_ns = 240 * MS,
		.user = "root",
		.exit_by_us = true,
		.exit_oom = {.state = NONE},
	};
	report->machine = (struct report_machine){.kernel = "6.1.0",
						  .arch = "aarch64",
						  .cpus = 1,
						  .cpu_quota = {KNOWN, 0.5},
						  .memory_limit = known(268435456),
						  .cgroup_peak = none()};
	report->runtime = (struct report_runtime){.kind = "native",
						  .version = {.state = NONE},
						  .vendor = {.state = NONE},
						  .gc = {.state = NONE},
						  .max_heap = none()};
	SAMPLE_LIST(report, milestones, native_milestones);
	SAMPLE_LIST(report, observed, native_observed);
	phases = arena_array(&report->arena, struct report_phase, 2);
	phases[0] = (struct report_phase){PHASE_STARTUP, 0, 1204000, known(1100000), native_counts(3, 4, 88)};
	phases[1] = (struct report_phase){PHASE_WARM, 1204000, 240 * MS, {}, native_counts(8, 16, 40)};
	report->phases = phases;
	report->phases_count = 2;
	add_native_requests(report);
	SAMPLE_LIST(report, routes, native_routes);
	SAMPLE_LIST(report, files, native_files);
	report->faults = (struct report_faults){.minor = known(128), .major = known(0)};
	report->verdict = "The first request took 2.41 ms, a warm one 0.18 ms. Nothing stands out.";
}

static const char *const empty_command[] = {"true"};

void sample_empty(struct report *report)
{
	*report = (struct report){};
	report->tool_version = "0.1.0";
	report->run = (struct report_run){
		.command = empty_command, .command_count = 1, .pid = 9, .main_pid = 9, .exit_oom = {.state = NONE}};
	report->machine = (struct report_machine){.cpus = 4};
	report->runtime = (struct report_runtime){.kind = "other"};
}

static const char *const failed_command[] = {"java", "-Xmx512m", "-cp", "/srv/app/lib/a.jar:/srv/app/lib/b.jar",
					     "com.example.Main"};
static const struct report_milestone failed_milestones[] = {{"exec", "", 0, false},
							    {"vm_created", "", 52 * MS, false},
							    {"main_class", "com.example.Main", 340 * MS, false},
							    {"exit", "", 3120 * MS, false}};
static const struct named_value failed_losses[] = {{"fault", 812}, {"syscall", 392}};
static const struct report_loss_span failed_spans[] = {{2900 * MS, 3010 * MS, 1204}};
static const struct report_file failed_files[] = {
	{"/srv/app/lib/a.jar", 1, 0, 3, 0, 1204, 12582912, 31 * MS},
	{"/srv/app/lib/b.jar", 1, 0, 3, 0, 80, 819200, 2 * MS},
	{"/srv/app/data.bin", 1, 0, 1, 0, 40, 41943040, 12 * MS},
	{"/etc/passwd", 1, 0, 0, 0, 1, 1204, 21000},
	{"/etc/nsswitch.conf", 1, 0, 0, 0, 1, 510, 11000},
	{"/proc/self/maps", 2, 0, 0, 0, 4, 8192, 90000},
};
static const struct report_class failed_classes[] = {
	{"com.example.Cache", PHASE_STARTUP, "/srv/app/lib/a.jar", "app", 12 * MS, "", NULL, 0},
	{"com.example.Main", PHASE_STARTUP, "/srv/app/lib/a.jar", "app", 3 * MS, "", NULL, 0},
};
static const struct report_exception failed_exceptions[] = {{"java.lang.OutOfMemoryError",
							     PHASE_STARTUP,
							     1,
							     {KNOWN, 21000},
							     {KNOWN, 21000},
							     "com.example.Cache.grow(Cache.java:31)",
							     "",
							     NULL,
							     0}};
static const char *const failed_evidence[] = {"oom_kill of the control group went from 0 to 1"};
static const struct report_finding failed_findings[] = {{"oom-killed",
							 "The kernel killed the process for lack of memory.",
							 "Raise the limit above 256 MiB, or lower -Xmx512m.",
							 failed_evidence,
							 1,
							 {NONE, 0},
							 false}};

void sample_failed(struct report *report)
{
	struct report_phase *phases;

	*report = (struct report){};
	report->tool_version = "0.1.0";
	report->run = (struct report_run){
		.command = failed_command,
		.command_count = array_length(failed_command),
		.pid = 77,
		.main_pid = 77,
		.start_realtime_ns = 1772366400 * SECOND,
		.wall_ns = 3120 * MS,
		.user = "app",
		.exit_kind = EXIT_KIND_SIGNAL,
		.exit_code = 9,
		.exit_oom = known_text("cgroup"),
	};
	report->machine = (struct report_machine){.kernel = "6.12.9",
						  .arch = "x86_64",
						  .cpus = 2,
						  .cpu_quota = {.state = NONE},
						  .memory_limit = known(268435456),
						  .cgroup_peak = known(268435456),
						  .cgroup_oom = known(1),
						  .cgroup_oom_kill = known(1),
						  .cgroup_max = known(88)};
	report->runtime = (struct report_runtime){.kind = "hotspot",
						  .version = known_text("17.0.15+6"),
						  .vendor = known_text("Debian"),
						  .gc = known_text("Serial"),
						  .max_heap = known(536870912),
						  .cds_archive = {.state = NONE},
						  .cds_mapped = known(0),
						  .aot_requested = {.state = NONE}};
	report->lost_events = 1204;
	report->events_total = 88000;
	SAMPLE_LIST(report, losses_by_kind, failed_losses);
	SAMPLE_LIST(report, losses_by_span, failed_spans);
	SAMPLE_LIST(report, milestones, failed_milestones);
	SAMPLE_LIST(report, files, failed_files);
	SAMPLE_LIST(report, exceptions, failed_exceptions);
	SAMPLE_LIST(report, findings, failed_findings);
	report->classes = (struct report_classes){.loaded = known(1402),
						  .from_jar = known(88),
						  .slowest = failed_classes,
						  .slowest_count = array_length(failed_classes)};
	phases = arena_array(&report->arena, struct report_phase, 3);
	phases[0] = (struct report_phase){PHASE_LAUNCH, 0, 52 * MS, known(40 * MS), {}};
	phases[1] = (struct report_phase){PHASE_VM_INIT, 52 * MS, 340 * MS, known(380 * MS), {}};
	phases[2] = (struct report_phase){PHASE_STARTUP, 340 * MS, 3120 * MS, known(2810 * MS), {}};
	for (int i = 0; i < 3; i++) {
		phases[i].counts.of[COUNT_CLASSES_LOADED] = known(i * 701);
		phases[i].counts.of[COUNT_EXCEPTIONS] = known(i == 2);
		phases[i].counts.of[COUNT_OPENS] = known(10 + i);
		phases[i].counts.of[COUNT_MINOR_FAULTS] = known(1000 * (i + 1));
	}
	report->phases = phases;
	report->phases_count = 3;
}
