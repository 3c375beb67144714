#include "render/sha256.h"

#include <string.h>

enum { BLOCK_BYTES = 64 };

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[64], working[8];

	for (int i = 0; i < 16; i++)
		words[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 |
			   (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t low = rotate(words[i - 15], 7) ^ rotate(words[i - 15], 18) ^ words[i - 15] >> 3;
		uint32_t high = rotate(words[i - 2], 17) ^ rotate(words[i - 2], 19) ^ words[i - 2] >> 10;

		words[i] = words[i - 16] + low + words[i - 7] + high;
	}
	memcpy(working, state, sizeof(working));
	for (int i = 0; i < 64; i++) {
		uint32_t e = working[4], a = working[0];
		uint32_t first = working[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				 ((e & working[5]) ^ (~e & working[6])) + round_constants[i] + words[i];
		uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
				  ((a & working[1]) ^ (a & working[2]) ^ (working[1] & working[2]));

		memmove(working + 1, working, 7 * sizeof(working[0]));
		working[4] += first;
		working[0] = first + second;
	}
	for (int i = 0; i < 8; i++)
		state[i] += working[i];
}

struct sha256 sha256_of(const void *bytes, size_t length_bytes)
{
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const uint8_t *at = bytes;
	uint8_t last[2 * BLOCK_BYTES] = {};
	size_t left = length_bytes, last_bytes;
	struct sha256 hash;

	for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES)
		add_block(state, at);
	memcpy(last, at, left);
	last[left] = 0x80;
	last_bytes = left + 1 + 8 > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES;
	for (int i = 0; i < 8; i++)
		last[last_bytes - 1 - (size_t)i] = (uint8_t)((uint64_t)length_bytes * 8 >> (8 * i));
	for (size_t i = 0; i < last_bytes; i += BLOCK_BYTES)
		add_block(state, last + i);
	for (int i = 0; i < 32; i++)
		hash.bytes[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
	return hash;
}

struct sha256_source sha256_source_of(const void *bytes, size_t length_bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct sha256 hash = sha256_of(bytes, length_bytes);
	struct sha256_source source = {.text = "sha256-"};
	char *out = source.text + strlen(source.text);

	for (int i = 0; i < 33; i += 3) { /* 32 bytes: the last group has two */
		uint32_t group = (uint32_t)hash.bytes[i] << 16 | (uint32_t)hash.bytes[i + 1] << 8 |
				 (i + 2 < 32 ? hash.bytes[i + 2] : 0);

		*out++ = digits[group >> 18 & 63];
		*out++ = digits[group >> 12 & 63];
		*out++ = digits[group >> 6 & 63];
		*out++ = i + 2 < 32 ? digits[group & 63] : '=';
	}
	*out = '\0';
	return source;
}
