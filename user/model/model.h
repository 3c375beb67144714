/* The model: what a recording says, sorted and joined, without any judgement.
 *
 * A recording's events in order of time, the threads and processes with what they did when (schedule.h, spans.h), the
 * connections and requests (requests.h), files, archives and memory (files.h, mappings.h), what happened inside the
 * JVM (jvm.h) and the recorder's own statements (texts.h). Facts only: which of them matter is for analyze.
 *
 * Read-only once loaded, and self-contained: nothing is looked up on the machine that reads it. Everything lives
 * until model_free. Times are CLOCK_MONOTONIC nanoseconds with the stretches in which warmtrace itself held a process
 * taken out (HOLD: all later times move earlier, durations over a hold shrink); a report's times are `time -
 * exec_ns`.
 *
 * Things are named by dense indices: an event by its place in time order, a thread by its place in `threads` (thread
 * ids are reused by the kernel, indices are not), a string by its id. NO_INDEX is no index.
 *
 * Memory is linear in the recording: the records themselves, 12 bytes for their order, 16 per scheduling interval,
 * 32 per span. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "bpf/events.h"

#include "model/files.h"
#include "model/jvm.h"
#include "model/mappings.h"
#include "model/requests.h"
#include "model/schedule.h"
#include "model/spans.h"
#include "model/texts.h"
#include "model/threads.h"

#define NO_INDEX UINT32_MAX

struct reader;

/* What could not be read of the file itself (a cut or damaged recording). */
struct model_file_state {
	bool is_cut;
	uint64_t cut_bytes, damaged_events, damaged_bytes, unknown_events, dropped_events;
};

struct model {
	struct arena arena;	/* records with long lives, and everything of unknown size */
	struct strpool strings; /* all names: strpool_text(&model->strings, id), or model_text */

	const struct event_header **events; /* by time; equal times in file order */
	uint32_t event_count;
	uint64_t kind_counts[EVENT_KIND_END]; /* records in this file */
	uint32_t *kind_events;		      /* of each kind in turn: its events, by time */
	uint32_t kind_starts[EVENT_KIND_END + 1];

	uint64_t exec_ns; /* time zero: the command's exec, or the first event where there is none (attach) */
	uint64_t end_ns;  /* the end of the tree, or the last event */
	bool is_attached; /* no exec of the command is in the recording */

	uint8_t arch;			       /* the system call numbers' architecture, private */
	uint8_t call_classes[CALL_TABLE_SIZE]; /* enum call_class by system call number */
	struct model_threads threads;
	struct model_files files;
	struct model_mappings mappings;
	struct model_requests requests;
	struct model_jvm jvm;
	struct model_texts texts;
	struct model_file_state file_state;

	struct event_block *blocks; /* storage of the records */
};

/* Reads everything that `reader` gives. Fails where the reader does, and where the recording has no event of a run. */
struct err *model_load(struct reader *reader, struct model **ret_model) must_check;

/* The same from records that are handed in one by one (text traces, tests): model_begin, model_add for each in file
 * order (copied), model_finish. model_finish consumes the builder also when it fails. */
struct model_builder;
struct model_builder *model_begin(void);
void model_add(struct model_builder *builder, const struct event_header *event);
struct err *model_finish(struct model_builder *builder, struct model **ret_model) must_check;
void model_abandon(struct model_builder *builder); /* instead of model_finish; NULL is accepted */

void model_free(struct model **model); /* NULL inside is accepted; becomes NULL */

/* ---- events ---- */

/* The first event at or after a time, event_count where there is none. */
uint32_t model_first_event_at(const struct model *model, uint64_t time_ns);

/* The events of up to EVENT_WALK_KINDS kinds, by time: most questions are about few kinds, and a recording is mostly others.
 *
 *	for (struct event_walk walk = model_walk(model, EVENT_FAULT); model_walk_next(&walk);)
 *		... walk.index ... */
enum { EVENT_WALK_KINDS = 5 };

struct event_walk {
	uint32_t index; /* of the event */
	uint32_t kind_count;
	struct {
		const uint32_t *next, *end;
	} kinds[EVENT_WALK_KINDS];
};

struct event_walk model_walk_kinds(const struct model *model, const enum event_kind *kinds, size_t count);
#define model_walk(model, ...)                                                                                       \
	model_walk_kinds(model, (const enum event_kind[]){__VA_ARGS__},                                               \
			 sizeof((const enum event_kind[]){__VA_ARGS__}) / sizeof(enum event_kind))

static inline bool model_walk_next(struct event_walk *walk)
{
	const uint32_t **first = NULL;

	for (uint32_t i = 0; i < walk->kind_count; i++)
		if (walk->kinds[i].next != walk->kinds[i].end && (!first || *walk->kinds[i].next < **first))
			first = &walk->kinds[i].next;
	if (!first)
		return false;
	walk->index = *(*first)++;
	return true;
}

/* An event as its own struct: MODEL_EVENT(model, index, fault)->address. The caller knows its kind. */
#define MODEL_EVENT(model, index, name) ((const struct event_##name *)(model)->events[index])

/* The tail of a record: not NUL-terminated as such, but a NUL follows it in memory. */
#define MODEL_TAIL(record, ret_length)                                                                               \
	(*(ret_length) = (record)->header.size - offsetof(__typeof__(*(record)), tail), (record)->tail)

static inline const char *model_text(const struct model *model, uint32_t string_id)
{
	return strpool_text(&model->strings, string_id);
}

/* Whether an interval of time [start, end) had losses of this kind (LOSS records, damaged frames). */
bool model_has_loss(const struct model *model, enum event_kind kind, uint64_t start_ns, uint64_t end_ns);

/* What the recorder said about an ability ("page_faults", "scheduling" …): OBSERVED_YES where it said nothing. */
enum observed_state model_observed(const struct model *model, const char *what);

/* A RUN_TEXT value, or NULL. The length excludes the NUL that follows; lists inside are NUL separated. */
const char *model_run_text(const struct model *model, const char *key, size_t *ret_length);
const char *model_process_text(const struct model *model, uint32_t pid, const char *key); /* "jvm.PID.<key>" */
