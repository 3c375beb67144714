/* Growable array: `VEC(type) name` holds items, count and capacity; its owner ends it with vec_done.
 *
 * vec_push returns a pointer to the new zeroed item, valid until the next push. Growth never fails: exhausted memory
 * ends the program (see arena.h for why). */
#pragma once

#include <stddef.h>

#define VEC(type)                       \
	struct {                        \
		type *items;            \
		size_t count, capacity; \
	}

_Noreturn void memory_exhausted(void);

void *vec_grow(void *items, size_t *capacity, size_t count, size_t item_bytes);

#define vec_push(vec)                                                                                        \
	({                                                                                                   \
		__typeof__(vec) vec_ = (vec);                                                                \
		if (vec_->count == vec_->capacity)                                                           \
			vec_->items = vec_grow(vec_->items, &vec_->capacity, vec_->count, sizeof(vec_->items[0])); \
		__builtin_memset(&vec_->items[vec_->count], 0, sizeof(vec_->items[0]));                      \
		&vec_->items[vec_->count++];                                                                 \
	})

#define vec_done(vec)                          \
	do {                                   \
		free((vec)->items);            \
		(vec)->items = NULL;           \
		(vec)->count = (vec)->capacity = 0; \
	} while (0)

/* Nothing is added to the NULL of an empty array: that is undefined, and sanitizers stop there. */
#define vec_each(item, vec) \
	(__typeof__((vec)->items + 0) item = (vec)->items; item && item < (vec)->items + (vec)->count; item++)
