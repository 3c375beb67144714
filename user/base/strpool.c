#include "base/strpool.h"

#include <stdlib.h>
#include <string.h>

uint32_t strpool_add(struct strpool *pool, const char *bytes, size_t length_bytes)
{
	if (!pool->strings.count)
		vec_push(&pool->strings)->text = "";
	if (!length_bytes)
		return 0;

	bool is_new;
	uint64_t *first = map_set(&pool->by_hash, hash_bytes(bytes, length_bytes), 0, &is_new);

	for (uint32_t id = (uint32_t)*first; id; id = pool->strings.items[id].next_same_hash)
		if (pool->strings.items[id].length_bytes == length_bytes &&
		    memcmp(pool->strings.items[id].text, bytes, length_bytes) == 0)
			return id;

	uint32_t id = (uint32_t)pool->strings.count;
	struct strpool_string *string = vec_push(&pool->strings);

	string->text = arena_copy(&pool->arena, bytes, length_bytes);
	string->length_bytes = (uint32_t)length_bytes;
	string->next_same_hash = (uint32_t)*first;
	*first = id;
	return id;
}

uint32_t strpool_add_text(struct strpool *pool, const char *text)
{
	return strpool_add(pool, text, strlen(text));
}

const char *strpool_text(const struct strpool *pool, uint32_t id)
{
	return id < pool->strings.count ? pool->strings.items[id].text : "";
}

size_t strpool_length(const struct strpool *pool, uint32_t id)
{
	return id < pool->strings.count ? pool->strings.items[id].length_bytes : 0;
}

void strpool_done(struct strpool *pool)
{
	arena_done(&pool->arena);
	map_done(&pool->by_hash);
	vec_done(&pool->strings);
}
