/* Why a thread was blocked: one whole cause, or a thread whose own path explains it. */
#pragma once

#include "analyze/path.h"

struct block_reading {
	uint32_t follow;   /* thread whose path explains the block, or NO_INDEX */
	enum cause cause;  /* without `follow`: the whole block's */
	uint32_t evidence; /* the event that proves `cause` */
	enum tile_note note;
	/* With `follow`: what the block is where the other thread's path has nothing to say, and its proof; NO_INDEX:
	 * that stays unexplained. */
	enum cause hole_cause;
	uint32_t hole_evidence;
	/* With `follow`: it waited for its turn at something that the other had, or may have; else for what the other made. */
	bool is_turn;
	bool is_poll;  /* it waited for whatever comes first, not on one socket */
	uint32_t wake; /* or NO_INDEX */
	uint32_t span; /* innermost span at the block's begin, or NO_INDEX */
};

/* Reads the blocked interval of a thread up to `end_ns`, for a request over this connection. */
void block_read(const struct model *model, uint32_t thread, uint32_t interval, uint64_t end_ns, uint32_t connection,
		struct block_reading *ret_reading);

/* Whether it was a lock, a monitor or a park, that the thread to follow ended. */
bool block_is_lock(const struct block_reading *reading);
