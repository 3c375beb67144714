/* The critical path of a request: found backwards from the call that wrote the response's last byte, across threads.
 *
 * The path is a row of tiles that covers the request's window exactly: each nanosecond has one thread, one cause and
 * the recorded event that proves it. What no record proves is CAUSE_UNEXPLAINED; no other cause is ever a remainder.
 * How it walks: path.c. What a block means: block.h. What running time is: tiles.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes.h"
#include "base/arena.h"
#include "model/model.h"

/* What goes on around a tile, for inclusive figures: a bit each. Inherited by the tiles of a thread that is followed
 * because another one waited for it. */
enum tile_inside {
	INSIDE_CLASS_LOADING = 1,
	INSIDE_CLASS_INIT = 2,
	INSIDE_EXCEPTION = 4,
	INSIDE_LOCK = 8, /* another thread waits for this one in a lock, monitor or park */
	INSIDE_FILE = 16,
	INSIDE_FAULT = 32,
};

/* What a tile's detail says beside its spans and events. */
enum tile_note {
	NOTE_NONE = 0,
	NOTE_NO_SCHEDULE,    /* the recording has no scheduling records */
	NOTE_BEFORE_THREAD,  /* before the first record of the thread */
	NOTE_RECORD_MISSING, /* the scheduling records contradict each other here */
	NOTE_NO_WAKE,	     /* no record of what ended the wait */
	NOTE_CYCLE,	     /* threads seem to wait for each other */
	NOTE_LOST,	     /* scheduling records were lost here */
	NOTE_NO_WRITER,	     /* nobody was seen writing the response */
	NOTE_ENDED,	     /* the thread had ended */
	NOTE_PAUSE,	     /* evidence is the event of a pause of the JVM */
};

struct tile {
	uint64_t start_ns, end_ns;
	uint32_t thread;   /* index, NO_INDEX where none is known */
	uint32_t evidence; /* the event that proves it; NO_INDEX for CAUSE_UNEXPLAINED only */
	uint32_t span;	   /* innermost span of the thread there, or NO_INDEX */
	uint32_t interval; /* the thread's interval, or NO_INDEX */
	uint32_t wake;	   /* what ended the block, or NO_INDEX */
	uint16_t cause;
	uint8_t note;	   /* enum tile_note */
	uint8_t inside;	   /* enum tile_inside */
	bool is_estimated; /* its cause is that of the nearest sample */
};

struct path {
	uint64_t start_ns, end_ns;
	VEC(struct tile) tiles; /* in order of time */
};

/* One walker serves any number of walks over one model; it holds what they share. */
struct path_walker;
struct path_walker *path_walker_new(const struct model *model);
void path_walker_free(struct path_walker *walker); /* NULL is accepted */

/* Finds the path of a request. `path` is emptied first (a zeroed one is fine); the caller ends it with vec_done. */
void path_walk(struct path_walker *walker, const struct request *request, struct path *path);

/* The sums by cause, which add up to the window. */
void path_causes(const struct path *path, int64_t ret_causes[CAUSE_COUNT], bool ret_estimated[CAUSE_COUNT]);

/* Checks what every path promises: NULL, or what is wrong, in `arena`. */
const char *path_check(const struct model *model, const struct path *path, struct arena *arena);
