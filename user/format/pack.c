#include "format/pack.h"

#include <string.h>

void pack_clear(struct pack *pack)
{
	pack->length_bytes = 0;
	pack->break_count = 0;
}

void pack_done(struct pack *pack)
{
	free(pack->bytes);
	free(pack->breaks);
	*pack = (struct pack){};
}

size_t pack_memory_bytes(const struct pack *pack)
{
	return pack->capacity_bytes + pack->break_capacity * sizeof(*pack->breaks);
}

static void reserve(struct pack *pack, size_t count)
{
	if (count <= pack->capacity_bytes - pack->length_bytes)
		return;
	pack->capacity_bytes = pack->length_bytes + pack->length_bytes / 2 + count;
	pack->bytes = realloc(pack->bytes, pack->capacity_bytes);
	if (!pack->bytes)
		memory_exhausted();
}

uint8_t *pack_bytes(struct pack *pack, size_t count)
{
	reserve(pack, count);
	pack->length_bytes += count;
	return pack->bytes + pack->length_bytes - count;
}

void pack_break(struct pack *pack)
{
	if (pack->break_count == pack->break_capacity)
		pack->breaks =
			vec_grow(pack->breaks, &pack->break_capacity, pack->break_count, sizeof(*pack->breaks));
	pack->breaks[pack->break_count++] = (uint32_t)pack->length_bytes;
}

void pack_numbers(struct pack *pack, uint64_t *values, size_t count)
{
	while (count) {
		uint8_t *at = pack_bytes(pack, count);
		size_t longer = 0;

		for (size_t i = 0; i < count; i++) {
			uint64_t value = values[i];
			bool is_longer = value > 0x7f;

			at[i] = (uint8_t)((value & 0x7f) | (uint64_t)is_longer << 7);
			values[longer] = value >> 7;
			longer += is_longer;
		}
		pack_break(pack);
		count = longer;
	}
}

bool unpack_numbers(struct unpack *from, uint64_t *values, uint32_t *indexes, size_t count)
{
	size_t longer = 0;

	if (count > (size_t)(from->end - from->at))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint8_t byte = from->at[i];

		values[i] = byte & 0x7f;
		indexes[longer] = (uint32_t)i;
		longer += byte >> 7;
	}
	from->at += count;
	for (unsigned shift = 7; longer; shift += 7) {
		count = longer;
		longer = 0;
		if (shift >= 7 * NUMBER_BYTES_MAX || count > (size_t)(from->end - from->at))
			return false;
		for (size_t i = 0; i < count; i++) {
			uint8_t byte = from->at[i];
			uint32_t index = indexes[i];

			values[index] |= (uint64_t)(byte & 0x7f) << shift;
			indexes[longer] = index;
			longer += byte >> 7;
		}
		from->at += count;
	}
	return true;
}
