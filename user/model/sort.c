/* Records come nearly in order of time: each CPU's are, and the recorder takes them from the CPUs in turn. Insertion
 * moves a late record back a few places; where those moves are no longer linear in sum, a merge sort takes over. */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>

enum { MOVES_PER_EVENT = 16 };

/* False where the allowed moves were used up: the events are then all there, equal times in order, but not sorted. */
static bool insert_nearly_sorted(const struct event_header **events, size_t count)
{
	size_t moves_left = count * MOVES_PER_EVENT;

	for (size_t i = 1; i < count; i++) {
		const struct event_header *event = events[i];
		size_t at = i;

		while (at > 0 && moves_left > 0 && events[at - 1]->time_ns > event->time_ns) {
			events[at] = events[at - 1];
			at--;
			moves_left--;
		}
		events[at] = event;
		if (moves_left == 0)
			return false;
	}
	return true;
}

static void merge(const struct event_header **from, const struct event_header **to, size_t start, size_t middle,
		  size_t end)
{
	size_t left = start, right = middle;

	for (size_t i = start; i < end; i++) {
		bool take_left = left < middle && (right == end || from[left]->time_ns <= from[right]->time_ns);

		to[i] = take_left ? from[left++] : from[right++];
	}
}

void events_sort(const struct event_header **events, size_t count)
{
	if (count < 2 || insert_nearly_sorted(events, count))
		return;

	const struct event_header **other = malloc(count * sizeof(*other));
	const struct event_header **from = events, **to = other;

	if (!other)
		memory_exhausted();
	for (size_t width = 1; width < count; width *= 2) {
		for (size_t start = 0; start < count; start += 2 * width) {
			size_t middle = start + width < count ? start + width : count;
			size_t end = middle + width < count ? middle + width : count;

			merge(from, to, start, middle, end);
		}
		const struct event_header **swap = from;

		from = to;
		to = swap;
	}
	if (from != events)
		memcpy(events, from, count * sizeof(*events));
	free(other);
}
