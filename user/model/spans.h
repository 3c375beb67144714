/* Nested activities of each thread: system calls, page faults, class loading, exceptions, collections …
 *
 * A thread's spans are sorted by start, an outer one before the inner ones that start with it, and nest: none crosses
 * another. What an event gives with a start and an end is exact. Class loading has probes at its begins and at few of
 * its ends: where the end was not seen, the span reaches to the last thing that shows it was still going on, marked
 * SPAN_END_ESTIMATED (spans.c has the rules). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

enum span_kind {
	SPAN_SYSCALL = 1,
	SPAN_FILE_OPEN,
	SPAN_FILE_LOOKUP,
	SPAN_FILE_READ,
	SPAN_FILE_WRITE,
	SPAN_FILE_MAP,
	SPAN_FAULT,
	SPAN_SOCKET_ACCEPT,
	SPAN_SOCKET_CONNECT,
	SPAN_SOCKET_READ,
	SPAN_SOCKET_WRITE,
	SPAN_INTERRUPT,
	SPAN_EXCEPTION,	   /* a stack trace is filled */
	SPAN_NATIVE_THROW, /* __cxa_throw to __cxa_begin_catch */
	SPAN_CLASS_LOAD,   /* asked for, until it was loaded or the request returned */
	SPAN_CLASS_PARSE,
	SPAN_CLASS_LINK,
	SPAN_CLASS_INIT, /* its static initialiser */
	SPAN_COMPILE,	 /* on a compiler thread */
	SPAN_GC,	 /* these three on the thread that does them */
	SPAN_SAFEPOINT,
	SPAN_VM_OPERATION,
};

enum span_flag {
	SPAN_END_ESTIMATED = 1,
	SPAN_END_UNSEEN = 2, /* it was still going on at the end of the thread or the recording */
	SPAN_ARCHIVE = 4,    /* FILE_*: the file is an archive (jar); FAULT: the page belongs to one */
	SPAN_MAJOR = 8,	     /* FAULT */
	SPAN_RANDOM = 16,    /* SYSCALL, FILE_READ: a read of the random source */
	SPAN_LOADED = 32,    /* CLASS_LOAD: the class was loaded within it */
	SPAN_SHARED = 64,    /* CLASS_LOAD: from the CDS archive or AOT cache */
	SPAN_FAILED = 128,   /* CLASS_INIT: ended by an error */
};

struct span {
	uint64_t start_ns, end_ns;
	uint32_t event;	 /* the event that began it, or that describes it whole */
	uint32_t parent; /* the innermost span around it, index in the same thread, or NO_INDEX */
	uint32_t name;	 /* string id: class name with '/', VM operation, thrown type; files: file index; 0 none */
	uint8_t kind;	 /* enum span_kind */
	uint8_t flags;	 /* enum span_flag */
	uint8_t region;	 /* FAULT: enum region_kind (mappings.h) */
	uint8_t unused;
};

struct spans {
	struct span *items;
	size_t count, capacity;
};

/* The innermost span of a thread that covers the nanosecond `time_ns`, or NO_INDEX. `ret_before_ns` (may be NULL) is
 * the latest end or start of a span at or before that time: the innermost span is the same from there to time_ns. */
uint32_t model_span_at(const struct model *model, uint32_t thread, uint64_t time_ns, uint64_t *ret_before_ns);

/* The innermost span of this kind at or around span `span` (an index of the thread or NO_INDEX), or NO_INDEX. */
uint32_t model_span_within(const struct model *model, uint32_t thread, uint32_t span, enum span_kind kind);
