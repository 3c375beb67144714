/* What a request would have taken without some of its time: recomputed on the graph of who woke whom.
 *
 * All threads are gone through in order of time, each with what it is ahead of its own past: what left out time saved
 * it so far. Who runs gets ahead by what is left out. A wait for what another thread makes ends when that one has
 * made it, itself ahead by what it saved: what a thread saves is lost where it then waits for one that saves less,
 * and a wait for one that saves more shrinks. A wait for a turn (a lock that another thread had) shrinks by what that
 * one saves during it; when it would have come about for who comes earlier is not known. All else stays as it was: a
 * sleep is as long, a peer takes as long to answer, and the CPU that is freed does nobody good.
 *
 * Where no record says what a wait was for, it is taken to end as early as for the thread that is furthest ahead.
 * What two threads wait for without ever sleeping cannot be seen. The saving is therefore at most what is given. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyze/path.h"

enum {
	WHAT_IF_ITEMS_MAX = 32,
	WHAT_IF_WAIT_FOR_THREAD =
		CAUSE_COUNT, /* as the cause of a tile: a wait that the path of another thread explains */
};

/* Which items a tile belongs to, a bit each. Its thread need not be one of the path. */
typedef uint32_t what_if_items(void *context, const struct tile *tile);

/* For each of `count` items what the request would have ended earlier without it, in nanoseconds. Takes time and
 * memory in proportion to the records of the request's window (n log n for the order of its waits). */
void what_if_saved(const struct model *model, const struct request *request, what_if_items *items, void *context,
		   size_t count, int64_t *ret_saved_ns);
