/* When each byte of a connection's inbound stream arrived: segments by stream offset, for the bytes not read yet.
 * Internal to parse. Segments that were never fed, or fed twice (retransmissions), must not shift the times of later
 * ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_SEGMENTS_MAX = 32 };

struct http_segment {
	uint64_t start, end; /* stream offsets */
	uint64_t time_ns;
	bool is_merged; /* stands for several: no time for its bytes */
};

struct http_arrivals {
	struct http_segment segments[HTTP_SEGMENTS_MAX];
	size_t count;
	uint64_t arrived; /* stream offset of the end of the last one */
};

void http_arrivals_add(struct http_arrivals *arrivals, uint64_t time_ns, uint64_t length_bytes);

/* A read ended at read_end_ns and moved the stream from `from` to `to`: drops what cannot be true. */
void http_arrivals_check(struct http_arrivals *arrivals, uint64_t from, uint64_t to, uint64_t read_end_ns);

/* A read that began at read_start_ns found nothing although the stream was only read up to `offset`. */
void http_arrivals_drained(struct http_arrivals *arrivals, uint64_t offset, uint64_t read_start_ns);

/* False where the arrival of the byte at `offset` is not known. */
bool http_arrivals_find(const struct http_arrivals *arrivals, uint64_t offset, uint64_t *ret_time_ns);

/* Forgets segments that end at or before `offset`. */
void http_arrivals_forget(struct http_arrivals *arrivals, uint64_t offset);
