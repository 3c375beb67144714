/* The chunked transfer coding (RFC 9112, section 7.1), byte by byte. Internal to parse. */
#pragma once

#include "parse/http_head.h"

enum http_chunk_phase {
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK_EXTENSION,
	HTTP_CHUNK_DATA, /* size_bytes are left of it: the caller may skip them without looking */
	HTTP_CHUNK_DATA_END,
	HTTP_CHUNK_TRAILER,
};

struct http_chunks {
	enum http_chunk_phase phase;
	uint64_t size_bytes;
	unsigned int digits;
};

void http_chunks_start(struct http_chunks *chunks);

/* `trailer` is a machine that is free while a body is read. HTTP_HEAD_INVALID: not a chunked body, the framing is
 * lost. */
enum http_head_step http_chunks_step(struct http_chunks *chunks, struct http_head_machine *trailer, uint8_t byte,
				     uint8_t *ret_class);

/* Skips up to `length` bytes of chunk data; returns how many. */
uint64_t http_chunks_skip(struct http_chunks *chunks, uint64_t length);
