/* The clock that a recording is in: CLOCK_MONOTONIC in nanoseconds, the same as the kernel's own times of events.
 *
 * It stands still while the machine sleeps, never goes backwards and cannot fail. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}
