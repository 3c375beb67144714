/* Variable-length integers, seven bits a byte, lowest first, the top bit says that more follow; and zigzag, which makes
 * small negative numbers small. Tight enough for columns of millions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	VARINT_BYTES_MAX = 10,
	/* Readable bytes that must follow the end of what varint_get reads from. */
	VARINT_SLACK_BYTES = 16,
};

static inline uint64_t zigzag(uint64_t value)
{
	return (value << 1) ^ (uint64_t)((int64_t)value >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return (value >> 1) ^ (0 - (value & 1));
}

/* Needs VARINT_BYTES_MAX bytes of room; returns the end. */
static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* Bytes that are being read; is_bad is sticky, so that a loop checks once at its end. */
struct varint_cursor {
	const uint8_t *at, *end;
	bool is_bad;
};

static inline uint64_t varint_get_long(struct varint_cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < VARINT_BYTES_MAX; i++) {
		uint8_t byte = cursor->at[i];

		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			cursor->at += i + 1;
			return value;
		}
	}
	cursor->is_bad = true;
	return 0;
}

/* May read up to VARINT_SLACK_BYTES beyond the end, never further: a number that begins before the end and runs past it
 * leaves `at` beyond `end`, which varint_done reports. */
static inline uint64_t varint_get(struct varint_cursor *cursor)
{
	if (cursor->at >= cursor->end) {
		cursor->is_bad = true;
		return 0;
	}

	uint64_t first = *cursor->at;

	if (first < 0x80) {
		cursor->at++;
		return first;
	}

	/* Up to eight bytes without a branch on the length, which is random in most columns: drop what lies beyond the
	 * first byte without a top bit, then squeeze the top bits out, pair by pair. */
	uint64_t word, stops;

	memcpy(&word, cursor->at, sizeof(word));
	stops = ~word & 0x8080808080808080ull;
	if (!stops)
		return varint_get_long(cursor);

	unsigned stop_bit = (unsigned)__builtin_ctzll(stops);

	cursor->at += (stop_bit >> 3) + 1;
	word &= UINT64_MAX >> (63 - stop_bit);
	word = (word & 0x007f007f007f007full) | ((word & 0x7f007f007f007f00ull) >> 1);
	word = (word & 0x00003fff00003fffull) | ((word & 0x3fff00003fff0000ull) >> 2);
	return (word & 0x000000000fffffffull) | ((word & 0x0fffffff00000000ull) >> 4);
}

/* True if everything up to the end was read, and nothing beyond it. */
static inline bool varint_done(const struct varint_cursor *cursor)
{
	return !cursor->is_bad && cursor->at == cursor->end;
}
