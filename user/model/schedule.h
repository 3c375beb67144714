/* When each thread ran, could have run, or waited, and who woke it: joined from switches, wakes and forks.
 *
 * A thread's intervals follow each other without a gap: one ends where the next starts, the last at the thread's end
 * (or the recording's). What contradicts itself (a switch-in of a thread that was running: a record is missing) is
 * INTERVAL_UNKNOWN, never filled in by a guess. An event that only the thread itself can cause proves that it ran. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct model;

enum interval_state {
	INTERVAL_UNKNOWN = 0,
	INTERVAL_RUNNING,
	INTERVAL_RUNNABLE,
	INTERVAL_BLOCKED,
	INTERVAL_ENDED, /* after its exit */
};

enum interval_flag {
	INTERVAL_IOWAIT = 1, /* blocked: for the disk, by the kernel's word */
	INTERVAL_THROTTLED = 2,	       /* runnable: because of the cgroup's quota */
	INTERVAL_AFTER_NAME_QUERY = 4, /* blocked: the thread's last socket call went to port 53 */
};

struct interval {
	uint64_t start_ns;
	/* The event that began it. RUNNING: SWITCH_IN, or the first event that proves it; RUNNABLE: WAKE, SWITCH_OUT
	 * (preempted or throttled) or FORK; BLOCKED: SWITCH_OUT; ENDED: EXIT; UNKNOWN: the event that shows the gap,
	 * or NO_INDEX. */
	uint32_t event;
	uint8_t state;	/* enum interval_state */
	uint8_t flags;	/* enum interval_flag */
	uint8_t reason; /* BLOCKED: enum vm_wait_reason that the thread had entered, 0 where none is known */
	uint8_t unused;
};

struct intervals {
	struct interval *items;
	size_t count, capacity;
};

struct thread_events {
	uint32_t *items;
	size_t count, capacity;
};

/* The interval of a thread that contains `time_ns`, as an index into its intervals; NO_INDEX before its first. */
uint32_t model_interval_at(const struct model *model, uint32_t thread, uint64_t time_ns);

/* Where it ends. */
uint64_t model_interval_end(const struct model *model, uint32_t thread, uint32_t interval);

/* The WAKE that ended a blocked interval, as an event index; NO_INDEX where none was seen. */
uint32_t model_interval_wake(const struct model *model, uint32_t thread, uint32_t interval);

/* What kind of system call a number is, on the recording's architecture. */
enum call_class {
	CALL_NONE = 0, /* user mode */
	CALL_OTHER,
	CALL_FUTEX,
	CALL_POLL,  /* poll, select and epoll families */
	CALL_SLEEP, /* nanosleep, clock_nanosleep */
	CALL_CHILD, /* wait4, waitid */
	CALL_READ,  /* read, readv, pread64 …, also of sockets and pipes */
	CALL_WRITE,
	CALL_RECEIVE, /* recvfrom, recvmsg, recvmmsg */
	CALL_SEND,
	CALL_ACCEPT,
	CALL_CONNECT,
	CALL_RANDOM, /* getrandom */
	CALL_URING,  /* io_uring_enter, io_getevents */
	CALL_SYNC,   /* fsync and its kind */
	CALL_MEMORY, /* mmap, munmap, mremap, mprotect, madvise, brk … */
	CALL_STAT,   /* fstat, getdents64 and other looks at an open file or folder */
	CALL_SEEK,
	CALL_CLOSE,
	CALL_OPEN,
};

enum { CALL_TABLE_SIZE = 512 }; /* higher numbers are CALL_OTHER */

enum call_class model_call_class(const struct model *model, uint32_t number);
const char *model_call_name(const struct model *model, uint32_t number); /* "futex", or "system call" */
