#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint64_t mix(uint64_t key)
{
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93ull;
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93ull;
	key ^= key >> 32;
	return key;
}

/* Eight bytes at a time: names are 40 long. The rotation brings the high bits of a product, in which all bits before meet,
 * back to where the next word changes them. */
uint64_t hash_bytes(const void *bytes, size_t length_bytes)
{
	const uint64_t factor = 0x9e3779b97f4a7c15ull;
	const char *at = bytes;
	uint64_t hash = length_bytes * factor, word = 0;

	for (; length_bytes >= sizeof(word); at += sizeof(word), length_bytes -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * factor;
		hash = hash << 29 | hash >> 35;
	}
	word = 0;
	if (length_bytes)
		memcpy(&word, at, length_bytes);
	return mix(hash ^ word);
}

uint64_t hash_combine(uint64_t left, uint64_t right)
{
	return mix(left * 0x9e3779b97f4a7c15ull + right);
}

static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t at = mix(key) & mask;

	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & mask;
	return &map->slots[at];
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
	if (!map->capacity)
		return NULL;

	struct map_slot *slot = slot_of(map, key);

	return slot->used ? &slot->value : NULL;
}

static void map_grow(struct map *map, size_t capacity)
{
	struct map grown = {.capacity = capacity, .count = map->count};

	grown.slots = calloc(grown.capacity, sizeof(*grown.slots));
	if (!grown.slots)
		memory_exhausted();
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].used)
			*slot_of(&grown, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = grown;
}

void map_reserve(struct map *map, size_t count)
{
	size_t capacity = map->capacity ? map->capacity : 64;

	while (count * 4 > capacity * 3)
		capacity *= 2;
	if (capacity > map->capacity)
		map_grow(map, capacity);
}

uint64_t *map_set(struct map *map, uint64_t key, uint64_t initial, bool *ret_is_new)
{
	if ((map->count + 1) * 4 > map->capacity * 3)
		map_grow(map, map->capacity ? map->capacity * 2 : 64);

	struct map_slot *slot = slot_of(map, key);

	if (ret_is_new)
		*ret_is_new = !slot->used;
	if (!slot->used) {
		*slot = (struct map_slot){.key = key, .value = initial, .used = true};
		map->count++;
	}
	return &slot->value;
}

void map_remove(struct map *map, uint64_t key)
{
	if (!map->capacity)
		return;

	struct map_slot *slot = slot_of(map, key);

	if (!slot->used)
		return;
	slot->used = false;
	map->count--;

	/* Whatever follows in the same run may have been pushed past this slot: place it again. */
	size_t mask = map->capacity - 1;

	for (size_t at = ((size_t)(slot - map->slots) + 1) & mask; map->slots[at].used; at = (at + 1) & mask) {
		struct map_slot moved = map->slots[at];

		map->slots[at].used = false;
		*slot_of(map, moved.key) = moved;
	}
}

void map_done(struct map *map)
{
	free(map->slots);
	*map = (struct map){};
}
