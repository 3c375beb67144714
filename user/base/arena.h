/* Arena: memory that lives and dies together (one per recording, one per report).
 *
 * Allocations are zeroed, never fail (memory exhaustion ends the program with a message: a reporter that cannot
 * hold its model has nothing left to say), and are released together by arena_done. Not thread-safe. */
#pragma once

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	char *next, *end;
	size_t total_bytes;
};

void *arena_alloc(struct arena *arena, size_t size_bytes);
char *arena_copy(struct arena *arena, const void *bytes, size_t length_bytes); /* with a NUL added */
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_done(struct arena *arena);

#define arena_new(arena, type) ((type *)arena_alloc(arena, sizeof(type)))
#define arena_array(arena, type, count) ((type *)arena_alloc(arena, sizeof(type) * (count)))
