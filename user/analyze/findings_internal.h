/* What the rules of the findings table share: the run, the cold request and its path, and how a rule states its case.
 *
 * A rule looks at one problem, rests on counts and path time of this run, and returns true where the problem is
 * there. It adds evidence in sentences with this run's numbers, claims a price only where the path carries one, and
 * names a remedy that fits this command line. Private to analyze. */
#pragma once

#include "analyze/findings_command.h"
#include "analyze/findings_limits.h"
#include "analyze/inventory_internal.h"
#include "analyze/inventory_sources.h"
#include "analyze/path.h"
#include "base/fmt.h"

struct finding_context {
	const struct model *model;
	const struct report *report;
	struct arena *arena; /* the report's */
	const struct class_sources *sources;
	uint32_t main_process; /* index or NO_INDEX */
	struct launch launch;

	/* The longest of the first requests of their routes; NULL where there is none. */
	const struct report_request *cold;
	const struct report_cold_vs_warm *cold_row; /* of its route, or NULL */
	const struct path *cold_path; /* its tiles, before neighbours were joined; NULL without `cold` */

	struct map class_by_name;    /* string id of a name -> index of the class last loaded under it */
	const uint32_t *fat_classes; /* of each of the model's archives: classes that came from archives inside it */
};

struct finding_draft {
	const struct finding_context *context;
	VEC(const char *) evidence;
	struct maybe cost_ns; /* NONE until a price is claimed */
	bool is_estimated;
	const char *remedy;
};

typedef bool finding_rule(const struct finding_context *context, struct finding_draft *draft);

/* F(name in C, "id", "title"): a row for each finding, its rule is finding_<name>, its page reports/findings/<id>.md.
 * The order is that of findings without a price. */
#define FINDING_TABLE(F)                                                                                             \
	F(lost_events, "lost-events", "Events were lost: figures are lower bounds.")                                 \
	F(oom_killed, "oom-killed", "The program ended because memory ran out.")                                     \
	F(fat_jar_class_loading, "fat-jar-class-loading", "Classes are loaded from jars inside a jar.")              \
	F(exception_storm, "exception-storm", "Exceptions are made by the hundred.")                                 \
	F(static_initializer_slow, "static-initializer-slow", "A static initialiser takes long.")                    \
	F(lazy_initialization, "lazy-initialization", "Code is loaded and initialised by the first request.")        \
	F(aot_cache_not_used, "aot-cache-not-used", "No AOT cache is used.")                                         \
	F(aot_cache_stale, "aot-cache-stale", "An AOT cache with old code is used.")                                 \
	F(aot_trained_without_request, "aot-trained-without-request",                                                \
	  "The AOT cache holds the start, and not the request.")                                                     \
	F(cds_not_used, "cds-not-used", "No class comes from a shared archive.")                                     \
	F(cold_page_cache, "cold-page-cache", "Files are read from the disk: the page cache was cold.")              \
	F(class_path_scan, "class-path-scan", "The class path is searched at length for little.")                    \
	F(signed_jar_verification, "signed-jar-verification", "Classes come from a signed jar, which is verified.")  \
	F(heap_first_touch, "heap-first-touch", "Java heap is touched for the first time.")                          \
	F(cpu_throttled, "cpu-throttled", "The CPU quota stops the program.")                                        \
	F(cpu_contention, "cpu-contention", "The request waits for a CPU.")                                          \
	F(jit_starved, "jit-starved", "Compiling takes the CPU that the request needs.")                             \
	F(gc_in_first_request, "gc-in-first-request", "The first request is stopped for collections.")               \
	F(name_lookup_slow, "name-lookup-slow", "Looking up a name takes long.")                                     \
	F(entropy_wait, "entropy-wait", "The program waits for random numbers.")                                     \
	F(connection_per_call, "connection-per-call", "A connection is made for each call.")                         \
	F(thread_burst, "thread-burst", "The first request starts many threads.")                                    \
	F(memory_outside_heap, "memory-outside-heap", "Most memory lies outside the Java heap.")                     \
	F(debug_agent_present, "debug-agent-present", "A debugger or agent is loaded.")

#define F(name, id, title) finding_rule finding_##name;
FINDING_TABLE(F)
#undef F

/* One more sentence of evidence. */
void finding_evidence(struct finding_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Claims that the path would have been shorter by this much: exactly measured, or at most (then say so in the
 * evidence). */
void finding_price(struct finding_draft *draft, int64_t cost_ns, bool is_estimated);
void finding_remedy(struct finding_draft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the cold request ---- */

/* Whether a part of the cold request is worth a reader's time (findings_limits.h). */
bool finding_matters(const struct finding_context *context, int64_t part_ns);

/* The sum of the cold path's tiles that `is_wanted` picks; 0 without a path. */
typedef bool tile_predicate(const struct finding_context *context, const struct tile *tile, void *argument);
int64_t finding_path_sum(const struct finding_context *context, tile_predicate *is_wanted, void *argument);

/* The sum of one cause, and whether any of it is an estimate. */
int64_t finding_cause_sum(const struct finding_context *context, enum cause cause);
bool finding_cause_is_estimated(const struct finding_context *context, enum cause cause);

/* Of one cause of the cold request for every kind of mapping: fault.minor.* or fault.major.*. */
int64_t finding_faults_sum(const struct finding_context *context, bool is_major);

/* A count of the cold request or a phase, 0 where it was not observed. */
int64_t finding_count(const struct counts *counts, enum count count);
const struct report_phase *finding_phase(const struct finding_context *context, enum phase phase);

/* The cold request's window on the model's clock. */
uint64_t finding_cold_start(const struct finding_context *context);
uint64_t finding_cold_end(const struct finding_context *context);

/* "12 %", of the cold request. */
const char *finding_share(const struct finding_context *context, int64_t part_ns);

/* Time from exec until requests were taken, or until the end where that was never. */
int64_t finding_startup_ns(const struct finding_context *context);

/* Whether a tile is time on a CPU, or what its thread itself does: not waiting for a CPU, stopped or waiting for
 * others. */
bool finding_is_own_work(const struct tile *tile);

/* The class that is being loaded around a tile (innermost), as an index of the model's classes; NO_INDEX where none
 * is, or where it was never loaded. */
uint32_t finding_class_at(const struct finding_context *context, const struct tile *tile);

/* Whether the class came from a file that other classes came from by way of archives inside it. */
bool finding_is_fat(const struct finding_context *context, uint32_t class_index);

/* What the fat jar's classes take on the cold path: finding them, and filling the exceptions on the way. */
bool finding_is_fat_tile(const struct finding_context *context, const struct tile *tile, void *unused);

/* Of that what a plain class path would not have: the exceptions, and the search of the loader that comes after its parents.
 * `known` is a struct map, empty at first, which the caller ends. */
bool finding_is_spared_by_extracting(const struct finding_context *context, const struct tile *tile, void *known);

/* What a cache spares on the cold path: parsing and linking, and finding and reading where the JDK's own loader would
 * do that. */
bool finding_is_spared_tile(const struct finding_context *context, const struct tile *tile, void *unused);

/* The major version of the JVM's release (8, 17, 25 …), 0 where it is not known. */
int finding_jdk(const struct finding_context *context);

/* "1 pause", "3 pauses". */
const char *finding_plural(const struct finding_context *context, int64_t count, const char *one, const char *more);

/* The last part of a path. */
const char *finding_base_name(const char *path);
