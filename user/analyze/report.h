/* The report of one run: what analyze concludes and render shows. It mirrors interface.md's report JSON one to one.
 *
 * Everything lives in the report's arena and is read-only for render, which computes nothing. Times are nanoseconds from
 * exec unless a comment says otherwise; sizes are bytes. A `struct maybe` that is ABSENT was not observed (the key is
 * left out), NONE does not apply (null). Strings are valid UTF-8 or not: render escapes. Lists are in the order shown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes.h"
#include "base/arena.h"

enum maybe_state { ABSENT = 0, NONE, KNOWN };

struct maybe {
	enum maybe_state state;
	int64_t value;
};

struct maybe_text { /* text NULL: ABSENT or NONE as the state says */
	enum maybe_state state;
	const char *text;
};

struct maybe_real {
	enum maybe_state state;
	double value;
};

enum phase { PHASE_LAUNCH, PHASE_VM_INIT, PHASE_STARTUP, PHASE_IDLE, PHASE_FIRST_REQUEST, PHASE_WARM, PHASE_SHUTDOWN, PHASE_COUNT };
const char *phase_name(enum phase phase);

/* N(NAME, "json name", "event name in words") */
#define COUNT_TABLE(N)                                                        \
	N(OPENS, "opens", "file opens")                                       \
	N(FAILED_OPENS, "failed_opens", "failed opens")                       \
	N(LOOKUPS, "lookups", "file look-ups")                                \
	N(FAILED_LOOKUPS, "failed_lookups", "failed look-ups")                \
	N(READS, "reads", "file reads")                                       \
	N(JAR_READS, "jar_reads", "jar reads")                                \
	N(MINOR_FAULTS, "minor_faults", "minor page faults")                  \
	N(MAJOR_FAULTS, "major_faults", "major page faults")                  \
	N(EXCEPTIONS, "exceptions", "stack traces filled")                    \
	N(CLASSES_LOADED, "classes_loaded", "classes loaded")                 \
	N(CLASSES_INITIALIZED, "classes_initialized", "classes initialised")  \
	N(THREADS_STARTED, "threads_started", "threads started")              \
	N(CONTEXT_SWITCHES, "context_switches", "context switches")           \
	N(COMPILATIONS, "compilations", "compilations")                       \
	N(GC_PAUSES, "gc_pauses", "GC pauses")                                \
	N(CONNECTS, "connects", "outbound connects")

enum count {
#define N(NAME, name, words) COUNT_##NAME,
	COUNT_TABLE(N)
#undef N
		COUNT_COUNT
};

struct counts {
	struct maybe of[COUNT_COUNT];
};

struct named_value {
	const char *name;
	int64_t value;
};

struct report_run {
	const char *const *command; /* command_count arguments, redacted */
	size_t command_count;
	uint32_t pid, main_pid;
	int64_t start_realtime_ns; /* UNIX time of exec; render makes RFC 3339 of it */
	int64_t wall_ns;
	const char *user;
	enum { EXIT_KIND_EXIT, EXIT_KIND_SIGNAL, EXIT_KIND_RUNNING } exit_kind;
	int exit_code;
	bool exit_by_us;
	struct maybe_text exit_oom; /* NONE, or cgroup | heap | metaspace | direct | threads */
};

/* What the cgroup's own counters of its CPU quota grew by between two moments of the run. */
struct report_cgroup_cpu {
	const char *from, *to; /* exec | ready | first_request | warm | exit */
	int64_t periods, throttled_periods;
	struct maybe throttled_ns; /* summed over its queues, one for each CPU */
	int64_t seen_ns;	   /* beside it, from the scheduler: for how long some thread of the tree stood still for the quota */
};

struct report_machine {
	const char *kernel, *arch;
	int64_t cpus;
	struct maybe_real cpu_quota;
	struct maybe memory_limit, cgroup_peak;
	struct maybe cgroup_oom, cgroup_oom_kill, cgroup_max;
	bool has_cgroup_cpu; /* counters of periods were there; the list is empty where no quota made them count */
	const struct report_cgroup_cpu *cgroup_cpu;
	size_t cgroup_cpu_count;
};

struct report_runtime {
	const char *kind; /* hotspot | native | other */
	struct maybe_text version, vendor, gc;
	struct maybe max_heap;
	const char *const *arguments;
	size_t argument_count;
	struct maybe_text cds_archive;
	struct maybe cds_mapped; /* 0, 1 */
	struct maybe_text aot_requested, aot_reason;
	struct maybe aot_mapped;
};

struct report_loss_span {
	int64_t start_ns, end_ns, events;
};

struct report_observed {
	const char *what;
	const char *state; /* yes | no | partly */
	const char *why;   /* NULL where the state is yes */
};

struct report_milestone {
	const char *name, *detail;
	int64_t time_ns;
	bool is_estimated;
};

struct report_phase {
	enum phase phase;
	int64_t start_ns, end_ns;
	struct maybe cpu_ns;
	struct counts counts;
};

struct report_tile {
	uint32_t pid, tid;
	const char *thread;
	int64_t start_ns, duration_ns;
	enum cause cause;
	const char *detail; /* "" where there is none */
	bool is_estimated;
};

struct report_request {
	int64_t index; /* in order of arrival, from 0 */
	bool is_cold, is_shared, is_start_estimated;
	const char *method, *route, *protocol;
	struct maybe status;
	int64_t start_ns, latency_ns;
	struct maybe client_latency_ns, client_name_ns, client_connect_ns, client_tls_ns, client_wait_ns, client_receive_ns;
	int64_t causes[CAUSE_COUNT];
	bool cause_is_estimated[CAUSE_COUNT];
	const struct named_value *inclusive;
	size_t inclusive_count;
	struct counts counts;
	const struct report_tile *path; /* in time order, covers the window exactly */
	size_t path_count;
};

struct report_route {
	const char *route;
	int64_t requests, errors, p50_ns, p95_ns, p99_ns, max_ns;
	double per_second;
	struct maybe until_warm;
};

struct report_cause_row {
	enum cause cause;
	int64_t cold_ns, warm_ns, excess_ns;
	double share; /* of the excess of the whole, 0..1; 0 where the whole excess is not positive */
	bool is_estimated;
};

struct report_cold_vs_warm {
	const char *route;
	int64_t cold_ns, warm_ns, warm_median_ns, warm_min_ns, warm_max_ns, warm_count, excess_ns;
	int64_t cold_tracing_ns, warm_tracing_ns; /* estimated: what of them is recording them */
	const struct report_cause_row *causes; /* by excess, largest first; only rows that are not all zero */
	size_t cause_count;
};

struct report_burst_wait {
	int64_t request, waited_ns; /* for the work of that request's own thread */
};

struct report_burst_member {
	int64_t request; /* its index */
	uint32_t tid;
	const char *thread; /* the one that served it; "" where it cannot be told from the others' */
	int64_t latency_ns, waited_ns, awaited_ns; /* awaited: what others waited for this one's thread */
	struct report_burst_wait *waits; /* longest first */
	size_t wait_count;
};

/* Cold requests that came at once. */
struct report_burst {
	const struct report_burst_member *members; /* in order of arrival */
	size_t member_count; /* 0: they came one at a time */
	int64_t shortest_ns, longest_ns, waited_ns;
	int64_t waiting; /* how many of them waited for another */
};

struct report_what_if {
	const char *without;
	int64_t cold_ns;
};

struct report_exception {
	const char *class_name;
	enum phase phase;
	int64_t count;
	struct maybe duration_ns;
	struct maybe exclusive_ns; /* without the page faults, interrupts and the like inside */
	const char *thrown_at, *caught_at; /* "" not observed */
	const char *const *stack;
	size_t stack_count;
};

/* Exceptions without a stack trace. */
struct report_throw {
	const char *class_name;
	enum phase phase;
	int64_t count;
	const char *seen_at; /* the first frame in which it was seen, "" not known */
	bool is_by_vm;	     /* the VM threw it */
};

struct report_class {
	const char *class_name;
	enum phase phase;
	const char *source, *loader; /* "" not observed */
	int64_t duration_ns;
	const char *requested_by; /* the first frame outside loaders, "" not observed */
	const char *const *loader_chain; /* classes of the loaders that were asked, the first one first */
	size_t loader_chain_count;
};

/* Classes of one jar, package or loader; times without the loads of other classes inside. */
struct report_class_group {
	const char *name;
	int64_t classes, duration_ns;
	int64_t cold_classes, cold_ns; /* of these in the first requests */
	int64_t warm_classes, warm_ns; /* of these in warm ones */
};

struct report_initializer {
	const char *class_name, *thread;
	enum phase phase;
	int64_t duration_ns, own_ns; /* own: without the initialisers of other classes inside */
};

struct report_generated_class {
	const char *class_name, *kind;
	enum phase phase;
	int64_t duration_ns; /* parsing, linking and initialising it */
};

struct report_class_not_found { /* and never loaded by any loader */
	const char *class_name, *requested_by;
	enum phase phase; /* of the first time */
	int64_t count, duration_ns;
};

struct report_classes {
	struct maybe loaded;
	struct maybe from_cds, from_aot, from_jar, from_jrt, from_directory, from_generated, from_other;
	const struct report_class *slowest;
	size_t slowest_count;
	const struct report_class_group *by_jar;
	size_t by_jar_count;
	const struct report_class_group *by_package;
	size_t by_package_count;
	const struct report_class_group *by_loader;
	size_t by_loader_count;
	const struct report_initializer *initializers;
	size_t initializers_count;
	const struct report_generated_class *generated;
	size_t generated_count;
	const struct report_class_not_found *not_found;
	size_t not_found_count;
};

struct report_compilation {
	const char *compiler, *method, *signature; /* "package.Class.method" */
	enum phase phase;
	int64_t start_ns, duration_ns;
	struct maybe queue_wait_ns;
	int tier; /* of tiered compilation, 1 to 4; 0 not known */
	bool is_success;
};

/* Samples whose top Java frame is of this method, by what it was then. */
struct report_hot_method {
	const char *method;
	enum phase phase; /* first_request or warm */
	int64_t total_ns, interpreted_ns, c1_ns, c2_ns, other_ns;
};

/* Compiled code that was given up, and where and why. */
struct report_deoptimization {
	const char *method; /* the innermost Java method, with its line; "" not known */
	enum phase phase;
	const char *reason, *action; /* the VM's own words, "" not known */
	int64_t count;
};

struct report_pause_cause {
	const char *operation; /* the VM operation, "" not known */
	enum phase phase;
	bool is_collection;
	int64_t count, pause_ns, longest_ns;
};

struct report_thread_role {
	const char *role;
	int64_t threads;
	struct maybe cpu_ns;
};

struct report_jar_phase {
	int64_t reads, bytes, entries;
};

/* An entry that reads covered, whether it was wanted or only lay in the same block as one that was. */
struct report_jar_entry {
	const char *name;
	int64_t bytes, unpacked_bytes; /* of its data, in the archive and unpacked */
	bool is_compressed;
	int64_t reads, bytes_read; /* that covered any of it; bytes of its header, name and data in them */
	int64_t bytes_wanted;	   /* 0: merely covered */
	int64_t rereads;	   /* reads that wanted it again from its beginning */
	const char *class_name;	   /* the class that was loaded from it, "" none */
	const char *requested_by;  /* the class whose code or loading asked for it, "" not known */
	unsigned wanted_phases;	   /* a bit each (enum phase) */
	int64_t phase_reads[PHASE_COUNT], phase_bytes[PHASE_COUNT];
};

struct report_jar {
	const char *path;
	const char *nested_in; /* NULL where it is a file of its own */
	struct maybe size, opens, open_ns, reads, bytes_read, bytes_wanted, bytes_touched;
	struct maybe directory_reads, entries_total, entries_read, entries_reread;
	struct maybe is_unused; /* 1: nothing was wanted of it but its directory and manifest */
	struct report_jar_phase phases[PHASE_COUNT];
	const struct report_jar_entry *entries; /* by bytes read, most first; without those that nested jars are */
	size_t entries_count;
};

/* A class that was loaded and that more than one of the archives read has. */
struct report_duplicate {
	const char *class_name, *loaded_from;
	const char *const *jars;
	size_t jar_count;
};

struct report_file {
	const char *path;
	int64_t opens, failed_opens, lookups, failed_lookups, reads, bytes_read, duration_ns;
};

/* Opens and look-ups that failed, of one folder and one pattern of names. */
struct report_search {
	const char *folder, *pattern; /* "*.class"; the name itself where there was one alone */
	const char *purpose;	      /* what programs look for there: class path, library path … "" not known */
	int64_t failed, names, duration_ns; /* tries, different names among them */
	int64_t phase_failed[PHASE_COUNT];
};

struct report_cached_file {
	const char *path;
	struct maybe size, resident, resident_at_exit; /* in memory at exec and at the end, whole pages */
	int64_t major_faults, disk_ns;		       /* what all threads waited for the disk over it */
	struct maybe read_ahead; /* of an archive: what came into memory beyond what was read of it */
};

struct report_page_cache {
	bool is_known, was_dropped;
	const char *state; /* cold, warm, partly: of what the files had in memory in the end, was it there at exec? NULL */
	int64_t size, resident, disk_ns; /* of the files whose state at exec is known; all waits for the disk */
	const struct report_cached_file *files; /* by disk_ns, then by what was missing */
	size_t files_count;
};

struct report_fault_kind {
	enum mapping_kind kind;
	int64_t minor, major;
	struct maybe duration_ns;
};

struct report_fault_file {
	const char *path;
	enum mapping_kind kind;
	const char *part; /* of it: text, read-only, data, bss; of an archive of classes also bitmap and heap */
	int64_t minor, major;
	struct maybe duration_ns;
};

struct report_faults {
	struct maybe minor, major, duration_ns;
	const struct report_fault_file *by_file; /* without anonymous memory; in the order of by_mapping */
	size_t by_file_count;
	const struct report_fault_kind *by_mapping;
	size_t by_mapping_count;
};

struct report_thread {
	uint32_t pid, tid;
	const char *name, *role; /* main request java c1 c2 gc vm native */
	int64_t created_ns;
	struct maybe ended_ns, cpu_ns;
};

struct report_memory_kind {
	enum mapping_kind kind;
	int64_t reserved, committed, rss;
	int64_t huge; /* of rss in transparent huge pages */
};

struct report_memory {
	const char *at; /* ready first_request warm exit */
	int64_t rss, pss;
	struct maybe cgroup_current;
	const struct report_memory_kind *by_kind;
	size_t by_kind_count;
};

struct report_connection {
	const char *peer;
	enum phase phase;
	int64_t connects, failed, connect_ns, reused, most_at_once, bytes_out, bytes_in;
};

struct report_finding {
	const char *id, *title, *remedy;
	const char *const *evidence;
	size_t evidence_count;
	struct maybe cost_ns; /* NONE: no price is claimed */
	bool is_estimated;
};

#define REPORT_LIST(type, name) \
	const type *name;       \
	size_t name##_count

struct report {
	struct arena arena;
	const char *tool_version;
	struct report_run run;
	struct report_machine machine;
	struct report_runtime runtime;
	int64_t lost_events;
	REPORT_LIST(struct named_value, losses_by_kind);
	REPORT_LIST(struct report_loss_span, losses_by_span);
	REPORT_LIST(struct report_observed, observed);
	struct maybe overhead_estimated_ns;
	struct maybe_real overhead_measured_ratio;
	int64_t events_total;
	REPORT_LIST(struct named_value, events_by_kind);
	REPORT_LIST(struct report_milestone, milestones);
	REPORT_LIST(struct report_phase, phases);
	REPORT_LIST(struct report_request, requests);
	REPORT_LIST(struct report_route, routes);
	REPORT_LIST(struct report_cold_vs_warm, cold_vs_warm);
	struct report_burst burst;
	REPORT_LIST(struct report_what_if, what_if);
	REPORT_LIST(struct report_exception, exceptions);
	REPORT_LIST(struct report_throw, throws); /* those without a stack trace */
	struct report_classes classes;
	REPORT_LIST(struct report_jar, jars);
	REPORT_LIST(struct report_duplicate, duplicates);
	REPORT_LIST(struct report_file, files);
	REPORT_LIST(struct report_search, searches);
	struct report_page_cache page_cache;
	struct report_faults faults;
	struct maybe jit_compilations, jit_c1, jit_c2, jit_cpu_ns, jit_deoptimizations;
	struct maybe jit_deoptimizations_cold, jit_deoptimizations_warm;
	REPORT_LIST(struct report_compilation, compilations); /* the longest within requests */
	REPORT_LIST(struct report_hot_method, hot_methods);
	REPORT_LIST(struct report_deoptimization, deoptimizations); /* the most frequent of each phase */
	REPORT_LIST(struct report_pause_cause, pause_causes);
	REPORT_LIST(struct report_thread_role, thread_roles);
	struct maybe gc_collections, gc_pauses, gc_pause_ns, gc_safepoints, gc_safepoint_ns;
	REPORT_LIST(struct report_thread, threads);
	REPORT_LIST(struct report_memory, memory);
	REPORT_LIST(struct report_connection, connections);
	REPORT_LIST(struct report_finding, findings);
	const char *verdict; /* one sentence, the answer in words */
	const char *const *notes; /* what the reader must know of this run: losses, holds, redirects … most important first */
	size_t note_count;
};

/* Releases the report and all it holds. */
void report_done(struct report *report);
