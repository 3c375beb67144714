#include "base/vec.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void memory_exhausted(void)
{
	static const char message[] = "warmtrace: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(125);
	_exit(125);
}

void *vec_grow(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
	size_t wanted = count < 8 ? 8 : count * 2;

	if (wanted > SIZE_MAX / item_bytes)
		memory_exhausted();
	items = realloc(items, wanted * item_bytes);
	if (!items)
		memory_exhausted();
	*capacity = wanted;
	return items;
}
