#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"

enum { ALIGNMENT = 16 };

/* Chunks grow with the arena, an eighth of it at a time. From 4 MiB on they ask for huge pages: of a recording of gigabytes,
 * a fifth of the time was spent on page faults. */
enum { CHUNK_BYTES = 1 << 20, CHUNK_MAX_BYTES = 64 << 20, HUGE_BYTES = 4 << 20, HUGE_PAGE_BYTES = 2 << 20 };

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(ALIGNMENT) char bytes[];
};

static size_t chunk_size(const struct arena *arena, size_t least_bytes)
{
	size_t bytes = arena->total_bytes / 8;

	if (bytes < HUGE_BYTES)
		bytes = arena->total_bytes < HUGE_BYTES / 2 ? CHUNK_BYTES : HUGE_BYTES;
	if (bytes > CHUNK_MAX_BYTES)
		bytes = CHUNK_MAX_BYTES;
	return bytes > least_bytes ? bytes : least_bytes;
}

static void ask_for_huge_pages(struct arena_chunk *chunk, size_t size_bytes)
{
	uintptr_t mask = HUGE_PAGE_BYTES - 1, start = ((uintptr_t)chunk + mask) & ~mask;
	uintptr_t end = ((uintptr_t)chunk + size_bytes) & ~mask;

	/* Only a wish: where the kernel does not grant it, it works as well. */
	if (size_bytes >= HUGE_BYTES && end > start)
		madvise((char *)chunk + (start - (uintptr_t)chunk), end - start, MADV_HUGEPAGE);
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	if (size_bytes > SIZE_MAX / 2)
		memory_exhausted();
	if (size_bytes == 0)
		size_bytes = 1; /* an empty list has an address too */
	size_bytes = (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if ((size_t)(arena->end - arena->next) < size_bytes) {
		size_t chunk_bytes = chunk_size(arena, size_bytes);
		struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + chunk_bytes);

		if (!chunk)
			memory_exhausted();
		ask_for_huge_pages(chunk, sizeof(*chunk) + chunk_bytes);
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->next = chunk->bytes;
		arena->end = chunk->bytes + chunk_bytes;
		arena->total_bytes += chunk_bytes;
	}

	void *result = arena->next;

	arena->next += size_bytes;
	return result;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t length_bytes)
{
	char *copy = arena_alloc(arena, length_bytes + 1);

	if (length_bytes)
		memcpy(copy, bytes, length_bytes);
	return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;

	size_t room = (size_t)(arena->end - arena->next);

	va_start(arguments, format);
	va_copy(again, arguments);
	/* Most texts fit where the next allocation is. */
	int length = vsnprintf(arena->next, room, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;

	bool is_there = (size_t)length < room;
	char *text;

	if (!is_there && room)
		memset(arena->next, 0, room);
	text = arena_alloc(arena, (size_t)length + 1);
	if (!is_there)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void arena_done(struct arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks; chunk;) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	*arena = (struct arena){};
}
