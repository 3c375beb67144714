/* Memory that is used again and again by the same owner: grows, never shrinks, its content does not survive growth.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "base/vec.h"

/* A zeroed struct is empty. */
struct scratch {
	void *bytes;
	size_t capacity_bytes;
};

/* Room for so many bytes, aligned for any type. Exhausted memory ends the program (see base/arena.h for why). */
static inline void *scratch_reserve(struct scratch *scratch, size_t bytes)
{
	if (bytes > scratch->capacity_bytes) {
		free(scratch->bytes);
		scratch->bytes = malloc(bytes);
		if (!scratch->bytes)
			memory_exhausted();
		scratch->capacity_bytes = bytes;
	}
	return scratch->bytes;
}

static inline void scratch_done(struct scratch *scratch)
{
	free(scratch->bytes);
	*scratch = (struct scratch){};
}

/* Hash tables of indexes plus one, 0 for a free slot: a power of two of slots, at most half of them in use. */
static inline size_t scratch_slot_count(size_t entries)
{
	size_t slots = 64;

	while (slots < entries * 2)
		slots *= 2;
	return slots;
}
