/* Arrays of numbers as bytes: variable length, seven bits a byte, lowest first, the top bit says that more follow
 * (varints), stored by place: the first bytes of all numbers, then the second bytes of those that have one, and so
 * on.
 *
 * Low bytes are noise and high bytes are nearly constant; kept apart, each gets an entropy coding that suits it,
 * which makes times and durations an eighth smaller than varints in a row. And both ways are loops without a branch
 * that the data decides. Zigzag makes small negative numbers small. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/scratch.h"

enum { NUMBER_BYTES_MAX = 10 };

static inline uint64_t zigzag(uint64_t value)
{
	return (value << 1) ^ (uint64_t)((int64_t)value >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return (value >> 1) ^ (0 - (value & 1));
}

/* Bytes being packed, and the places where bytes of another nature begin. A zeroed struct is ready for use. */
struct pack {
	uint8_t *bytes;
	size_t length_bytes, capacity_bytes;
	uint32_t *breaks;
	size_t break_count, break_capacity;
};

void pack_clear(struct pack *pack);
void pack_done(struct pack *pack);
size_t pack_memory_bytes(const struct pack *pack);

/* Adds so many bytes and returns their place, valid until the next call. */
uint8_t *pack_bytes(struct pack *pack, size_t count);

/* Marks a break at the end. */
void pack_break(struct pack *pack);

/* Adds an array of numbers, which it overwrites, with breaks between the places. */
void pack_numbers(struct pack *pack, uint64_t *values, size_t count);

/* What is left of packed bytes. */
struct unpack {
	const uint8_t *at, *end;
};

/* Takes an array of numbers off; `indexes` is room for as many 32-bit numbers. False where the bytes end too early or
 * a number has too many. */
bool unpack_numbers(struct unpack *from, uint64_t *values, uint32_t *indexes, size_t count);
