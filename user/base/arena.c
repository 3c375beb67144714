#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { CHUNK_BYTES = 1 << 20, ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	_Alignas(ALIGNMENT) char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	if (size_bytes > SIZE_MAX / 2)
		memory_exhausted();
	if (size_bytes == 0)
		size_bytes = 1; /* an empty list has an address too */
	size_bytes = (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if ((size_t)(arena->end - arena->next) < size_bytes) {
		size_t chunk_bytes = size_bytes > CHUNK_BYTES ? size_bytes : CHUNK_BYTES;
		struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + chunk_bytes);

		if (!chunk)
			memory_exhausted();
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

	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	char *text = arena_alloc(arena, (size_t)length + 1);
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
