#include "parse/http_arrival.h"

#include <string.h>

void http_arrivals_add(struct http_arrivals *arrivals, uint64_t time_ns, uint64_t length_bytes)
{
	uint64_t start = arrivals->arrived, end;

	if (length_bytes == 0 || __builtin_add_overflow(start, length_bytes, &end))
		return;
	arrivals->arrived = end;
	if (arrivals->count == HTTP_SEGMENTS_MAX) {
		/* A large upload that waits to be read. Its bytes are a body; a request that follows it gets an
		 * estimate. */
		struct http_segment *last = &arrivals->segments[HTTP_SEGMENTS_MAX - 1];

		last->end = end;
		last->is_merged = true;
		return;
	}
	arrivals->segments[arrivals->count++] = (struct http_segment){.start = start, .end = end, .time_ns = time_ns};
}

static void drop_first(struct http_arrivals *arrivals, size_t count)
{
	arrivals->count -= count;
	memmove(arrivals->segments, arrivals->segments + count, arrivals->count * sizeof(arrivals->segments[0]));
}

void http_arrivals_check(struct http_arrivals *arrivals, uint64_t from, uint64_t to, uint64_t read_end_ns)
{
	bool is_early = to <= arrivals->arrived;

	/* A byte cannot have been read before it arrived. */
	for (size_t i = 0; is_early && i < arrivals->count; i++)
		if (arrivals->segments[i].start < to && arrivals->segments[i].end > from &&
		    arrivals->segments[i].time_ns > read_end_ns)
			is_early = false;
	if (is_early)
		return;
	/* Which of the segments is missing cannot be told (data that came with the handshake's last packet, a lost
	 * record): none of their times can be trusted for this read. */
	arrivals->count = 0;
	arrivals->arrived = to;
}

void http_arrivals_drained(struct http_arrivals *arrivals, uint64_t offset, uint64_t read_start_ns)
{
	size_t stale = 0;

	while (stale < arrivals->count && arrivals->segments[stale].time_ns < read_start_ns)
		stale++;
	drop_first(arrivals, stale);

	/* What is left arrived while the call ran, and begins where the stream stands. */
	uint64_t position = arrivals->count ? arrivals->segments[0].start : arrivals->arrived;
	uint64_t excess = position > offset ? position - offset : 0;

	for (size_t i = 0; i < arrivals->count; i++) {
		arrivals->segments[i].start -= excess;
		arrivals->segments[i].end -= excess;
	}
	arrivals->arrived -= excess;
}

bool http_arrivals_find(const struct http_arrivals *arrivals, uint64_t offset, uint64_t *ret_time_ns)
{
	for (size_t i = 0; i < arrivals->count; i++) {
		const struct http_segment *segment = &arrivals->segments[i];

		if (offset < segment->start || offset >= segment->end)
			continue;
		if (segment->is_merged)
			return false;
		*ret_time_ns = segment->time_ns;
		return true;
	}
	return false;
}

void http_arrivals_forget(struct http_arrivals *arrivals, uint64_t offset)
{
	size_t done = 0;

	while (done < arrivals->count && arrivals->segments[done].end <= offset)
		done++;
	drop_first(arrivals, done);
}
