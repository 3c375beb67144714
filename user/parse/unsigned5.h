/* HotSpot's UNSIGNED5: 32-bit numbers in one to five bytes, as in debug information and line tables.
 *
 * A first byte below the limit is the number itself; else bytes follow, each six bits higher, until one is below the
 * limit or five were read. Releases before 20 use all 256 byte values; later ones exclude 0 (`excluded` = 1), so that
 * a zero byte can end a stream: each byte then stands for its value less one, and the limit is 191 instead of 192. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unsigned5 {
	const uint8_t *bytes;
	size_t length_bytes;
	size_t position;
	uint8_t excluded;
};

/* False at the stream's end, or where an excluded byte stands. */
static inline bool unsigned5_read(struct unsigned5 *stream, uint32_t *ret_value)
{
	uint32_t limit = 192u - stream->excluded, sum = 0;

	for (unsigned i = 0; i < 5; i++) {
		if (stream->position >= stream->length_bytes)
			return false;

		uint32_t byte = stream->bytes[stream->position++];

		if (byte < stream->excluded)
			return false;
		byte -= stream->excluded;
		sum += byte << (6 * i);
		if (byte < limit)
			break;
	}
	*ret_value = sum;
	return true;
}

/* The signed form: 0, -1, 1, -2, 2 … */
static inline bool unsigned5_read_signed(struct unsigned5 *stream, int32_t *ret_value)
{
	uint32_t value;

	if (!unsigned5_read(stream, &value))
		return false;
	*ret_value = (int32_t)((value >> 1) ^ (0u - (value & 1)));
	return true;
}
