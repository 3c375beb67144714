/* Hash map from a 64-bit key to a 64-bit value (an index, an id or a small number).
 *
 * Open addressing with linear probing; no removal of single keys except map_remove, which keeps probe chains whole.
 * A zeroed struct is an empty map. Iteration order is not stable: sort before showing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key, value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t count, capacity;
};

/* NULL where the key is absent. The pointer is valid until the next map_set. */
uint64_t *map_find(const struct map *map, uint64_t key);

/* The value's place; a new key's value is `initial`. `ret_is_new` may be NULL. */
uint64_t *map_set(struct map *map, uint64_t key, uint64_t initial, bool *ret_is_new);

/* Room for so many keys, so that setting them does not move what is there again and again. */
void map_reserve(struct map *map, size_t count);

void map_remove(struct map *map, uint64_t key);
void map_done(struct map *map);

uint64_t hash_bytes(const void *bytes, size_t length_bytes);
uint64_t hash_combine(uint64_t left, uint64_t right);
