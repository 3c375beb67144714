#include "cli/option_table.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "cli/option_set.h"

const char *const report_format_names[] = {"text", "json", "html", NULL};
const char *const export_format_names[] = {"folded",  "svg", "flamegraph", "speedscope", "perfetto", "pprof",
					   "firefox", "csv", "ndjson",	   "otlp",	 NULL};
const char *const export_by_names[] = {"critical-path", "on-cpu",  "off-cpu", "exceptions",
				       "faults",	"classes", "files",   NULL};
const char *const export_phase_names[] = {"launch", "vm_init",	"startup", "idle", "first_request",
					  "warm",   "shutdown", "all",	   NULL};
static const char *const colour_names[] = {"auto", "always", "never", NULL};
static const char *const collector_names[] = {"g1", "zgc", "serial", "parallel", "shenandoah", NULL};
static const char *const layout_names[] = {"fat", "extracted", NULL};

#define FIELD(name) .offset = offsetof(struct options, name)

const struct option_row option_rows[] = {
	{GROUP_REQUESTS, VERBS_RUN, 'r', "request", "URL",
	 "send this request as soon as the port is ready; may be repeated", set_request, .secret = SECRET_URL},
	{GROUP_REQUESTS, VERBS_RUN, 'X', NULL, "METHOD",
	 "its method; before the first -r of all requests, after an -r of that one", set_method,
	 .secret = SECRET_NONE},
	{GROUP_REQUESTS, VERBS_RUN, 'H', NULL, "HEADER", "a header to send, 'Name: value' or @FILE; may be repeated",
	 set_header, .secret = SECRET_HEADER},
	{GROUP_REQUESTS, VERBS_RUN, 'd', NULL, "DATA",
	 "a body to send (POST unless -X says otherwise), or @FILE; repeated ones are joined with &", set_data,
	 .secret = SECRET_ALL},
	{GROUP_REQUESTS, VERBS_RUN, 'n', "warm", "N", "rounds of warm repeats (default 30)", set_count,
	 FIELD(warm_rounds), .maximum = 1000000},
	{GROUP_REQUESTS, VERBS_RUN, 'c', "concurrency", "N",
	 "the first burst: N first requests of each -r at once (default 1)", set_count, FIELD(concurrency),
	 .minimum = 1, .maximum = 1000},
	{GROUP_REQUESTS, VERBS_RUN, 0, "load", "CMD",
	 "run this load generator when the port is ready and end when it ends; instead of or after -r", set_text,
	 FIELD(load_command), .secret = SECRET_COMMAND},
	{GROUP_REQUESTS, VERBS_RUN, 0, "requests", "N",
	 "without -r and --load: end after N requests that others sent (default: when the command ends, or Ctrl-C)",
	 set_count, FIELD(end_after_requests), .minimum = 1, .maximum = UINT64_MAX},
	{GROUP_REQUESTS, VERBS_RUN, 0, "ready-timeout", "S", "how long to wait for the port (default 120)",
	 set_duration, FIELD(ready_timeout_ns), .minimum = 1},
	{GROUP_REQUESTS, VERBS_RUN, 0, "request-timeout", "S", "how long to wait for a response (default 60)",
	 set_duration, FIELD(request_timeout_ns), .minimum = 1},

	{GROUP_RUN, VERBS_RECORD, 'o', "output", "FILE",
	 "recording to write (default warmtrace.wtr; an older one is kept as FILE.old)", set_text,
	 FIELD(output_path)},
	{GROUP_RUN, VERB_ATTACH, 'p', NULL, "PID", "the process to attach to", set_count, FIELD(attach_pid),
	 .minimum = 1, .maximum = INT32_MAX},
	{GROUP_RUN, VERB_ATTACH, 0, "wait-for", "NAME", "wait for a process of this name to start", set_text,
	 FIELD(attach_name)},
	{GROUP_RUN, VERBS_COMMAND, 0, "stop-timeout", "S",
	 "how long the command may take to end after SIGTERM, before SIGKILL (default 30)", set_duration,
	 FIELD(stop_timeout_ns)},
	{GROUP_RUN, VERB_MAIN | VERB_RECORD, 0, "keep-running", NULL, "leave the command running at the end",
	 set_flag, FIELD(keep_running)},
	{GROUP_RUN, VERBS_COMMAND, 0, "drop-caches", NULL,
	 "evict the files that the command uses from the page cache first, as far as can be", set_flag,
	 FIELD(drop_caches)},
	{GROUP_RUN, VERBS_COMMAND, 0, "as-root", NULL,
	 "run the command as root (default: as the user who called sudo, with that user's environment)", set_flag,
	 FIELD(as_root)},
	{GROUP_RUN, VERBS_COMMAND, 0, "command-output", "FILE", "the command's standard output and error go there",
	 set_text, FIELD(command_output_path)},
	{GROUP_RUN, VERBS_RUN, 0, "sample-rate", "HZ",
	 "samples per second in request windows (default chosen by the program; 0 switches them off)", set_count,
	 FIELD(sample_rate_hz), .maximum = 100000},
	{GROUP_RUN, VERBS_RUN, 0, "buffer", "SIZE", "size of the ring buffer (default 16M)", set_buffer,
	 FIELD(ring_bytes)},
	{GROUP_RUN, VERBS_COMMAND, 0, "measure-overhead", NULL,
	 "also run the command untraced, interleaved, and state the ratio", set_flag, FIELD(measure_overhead)},
	{GROUP_RUN, VERBS_RUN, 0, "no-hold", NULL,
	 "do not hold processes while attaching (for tools inside the tree that use ptrace); the report says what "
	 "was missed",
	 set_flag, FIELD(no_hold)},

	{GROUP_SCENARIOS, VERB_BENCH, 0, "scenario", "NAME='COMMAND'",
	 "a command to compare, as for the shell; may be repeated, the first is the baseline", set_scenario,
	 .secret = SECRET_COMMAND},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "runs", "N", "measured runs of each scenario (default 10)", set_count,
	 FIELD(runs), .minimum = 1, .maximum = 10000},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "gc", "LIST",
	 "collectors to compare: g1, zgc, serial, parallel, shenandoah", set_list, FIELD(collectors),
	 .choices = collector_names},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "layout", "LIST", "layouts of the application to compare: fat, extracted",
	 set_list, FIELD(layouts), .choices = layout_names},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "train", "CMD", "the load of the training run (default: the -r list)",
	 set_text, FIELD(train_command), .secret = SECRET_COMMAND},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "require-aot", NULL, "fail (exit status 1) where a cache was not used",
	 set_flag, FIELD(is_aot_required)},
	{GROUP_SCENARIOS, VERB_AOT, 0, "parts", NULL,
	 "also measure the cache's parts, as far as the JVM lets them be left out: method profiles, linked classes",
	 set_flag, FIELD(has_parts)},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "seed", "N", "seed of the order of the runs", set_seed, FIELD(seed),
	 .maximum = UINT64_MAX},
	{GROUP_SCENARIOS, VERBS_BENCH, 0, "work", "DIR",
	 "folder for caches, extracted layouts and recordings, kept afterwards (default: a temporary one)", set_text,
	 FIELD(work_path)},

	{GROUP_SCENARIOS, VERB_COMPARE, 0, "vs", "B.wtr...",
	 "the recordings to compare with those before; A is the baseline", set_versus_files, .secret = SECRET_NONE},
	{GROUP_SCENARIOS, VERB_COMPARE, 0, "name", "A,B",
	 "names of the sets in the report (default: the files' names)", set_list, FIELD(names)},

	{GROUP_EXPORT, VERB_EXPORT, 'f', "format", "FORMAT",
	 "folded (default), svg, flamegraph, speedscope, perfetto, pprof, firefox, csv, ndjson or otlp", set_choice,
	 FIELD(export_format), .choices = export_format_names},
	{GROUP_EXPORT, VERB_EXPORT, 'o', "output", "FILE", "where it goes (default, and -: standard output)",
	 set_text, FIELD(output_path)},
	{GROUP_EXPORT, VERB_EXPORT, 0, "by", "WHAT",
	 "critical-path (default), on-cpu, off-cpu, exceptions, faults, classes or files", set_choice,
	 FIELD(export_by), .choices = export_by_names},
	{GROUP_EXPORT, VERB_EXPORT, 0, "phase", "PHASE",
	 "launch, vm_init, startup, idle, first_request (default), warm, shutdown or all", set_choice,
	 FIELD(export_phase), .choices = export_phase_names},
	{GROUP_EXPORT, VERB_EXPORT, 0, "vs", "B.wtr", "make it differential: B minus FILE", set_text,
	 FIELD(versus_path)},
	{GROUP_EXPORT, VERB_EXPORT, 0, "minus-warm", NULL,
	 "make it differential: the first request minus the mean warm one", set_flag, FIELD(minus_warm)},

	{GROUP_REPORT, VERBS_REPORT, 'f', "format", "FORMAT", "text (default), json or html", set_choice,
	 FIELD(format), .choices = report_format_names},
	{GROUP_REPORT, VERBS_REPORT, 0, "report", "FILE", "where the report goes, - is standard output", set_text,
	 FIELD(report_path)},
	{GROUP_REPORT, VERBS_COMPARE, 0, "export-json", "FILE", "the first requests also as JSON in hyperfine's form",
	 set_text, FIELD(hyperfine_path)},
	{GROUP_REPORT, VERB_REPORT, 0, "explain", "ID", "the page about a finding", set_finding, FIELD(explain_id)},
	{GROUP_REPORT, VERBS_REPORT, 0, "fail-on", "ID[,ID]",
	 "exit status 1 where the report has one of these findings", set_findings, FIELD(fail_on)},
	{GROUP_REPORT, VERBS_REPORT & ~VERBS_COMPARE, 0, "fail-if", "EXPR",
	 "exit status 1 where it is so, as in 'first_request > 300ms'; may be repeated", set_gate,
	 .secret = SECRET_NONE},
	{GROUP_REPORT, VERBS_COMPARE, 0, "fail-if", "EXPR",
	 "exit status 1 where it is so, as in 'first_request.median > +5%' or 'exceptions > +10'; may be repeated",
	 set_gate, .secret = SECRET_NONE},

	{GROUP_COMMON, VERBS_ALL, 'q', "quiet", NULL, "no progress and no notes on standard error", set_flag,
	 FIELD(is_quiet)},
	{GROUP_COMMON, VERBS_ALL, 'v', "verbose", NULL, "more of both", set_flag, FIELD(is_verbose)},
	{GROUP_COMMON, VERBS_ALL, 0, "color", "WHEN", "auto (default), always or never; NO_COLOR is honoured",
	 set_choice, FIELD(colour), .choices = colour_names},
	{GROUP_COMMON, VERBS_ALL, 0, "version", NULL, "the version", set_flag, FIELD(wants_version)},
	{GROUP_COMMON, VERBS_ALL, 'h', "help", NULL, "this text", set_flag, FIELD(wants_help)},
};

const size_t option_row_count = array_length(option_rows);

struct option_name option_name(const struct option_row *row)
{
	struct option_name name;

	if (row->name)
		snprintf(name.text, sizeof(name.text), "--%s", row->name);
	else
		snprintf(name.text, sizeof(name.text), "-%c", row->letter);
	return name;
}
