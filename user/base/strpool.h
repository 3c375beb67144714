/* String pool: each distinct byte string once, named by a dense id; id 0 is the empty string.
 *
 * Strings live in the pool's own arena until strpool_done. They may hold any byte (also NUL); strpool_text adds a NUL. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct strpool_string {
	const char *text;
	uint32_t length_bytes;
	uint32_t next_same_hash; /* id, 0 ends */
};

struct strpool {
	struct arena arena;
	struct map by_hash;
	VEC(struct strpool_string) strings;
};

uint32_t strpool_add(struct strpool *pool, const char *bytes, size_t length_bytes);
uint32_t strpool_add_text(struct strpool *pool, const char *text);
const char *strpool_text(const struct strpool *pool, uint32_t id); /* "" for an id that is not there */
size_t strpool_length(const struct strpool *pool, uint32_t id);
void strpool_done(struct strpool *pool);
