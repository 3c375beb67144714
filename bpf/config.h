/* What user space tells the programs before they are loaded (read-only data, so that the verifier drops dead branches),
 * and the few words both sides share at run time. */
#pragma once

#ifndef __bpf__
#include <stdbool.h>
#include <stdint.h>
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;
#endif

enum {
	SYSCALL_NUMBER_END = 1024, /* above the largest number of any architecture's table */
	THREADS_MAX = 16384,
	CAPTURE_BYTES = 1024, /* of a transfer on an accepted connection; parse/http.h relies on it */
	PATH_BYTES = 4096,
};

/* What a program does at a system call's exit; the table by number is filled from user/parse/syscalls. */
enum syscall_action {
	SYSCALL_GENERIC = 0,
	SYSCALL_IGNORED, /* execve, exit: they have no return in the same image */
	SYSCALL_OPEN,	 /* (path, flags) */
	SYSCALL_CREAT,	 /* (path) */
	SYSCALL_OPENAT,	 /* (folder, path, flags) */
	SYSCALL_OPENAT2, /* (folder, path, how) */
	SYSCALL_LOOKUP,	 /* (path) */
	SYSCALL_LOOKUPAT, /* (folder, path) */
	SYSCALL_READ,	 /* (fd, buffer, length) at the file's position */
	SYSCALL_PREAD,	 /* (fd, buffer, length, offset) */
	SYSCALL_READV,	 /* (fd, vectors, count) */
	SYSCALL_PREADV,	 /* (fd, vectors, count, offset) */
	SYSCALL_WRITE,
	SYSCALL_PWRITE,
	SYSCALL_WRITEV,
	SYSCALL_PWRITEV,
	SYSCALL_SENDFILE, /* (out, in, offset pointer, count) */
	SYSCALL_RECVFROM, /* (fd, buffer, length, flags, address) */
	SYSCALL_SENDTO,
	SYSCALL_RECVMSG, /* (fd, message) */
	SYSCALL_SENDMSG,
	SYSCALL_COPY_RANGE, /* (in, in's offset pointer, out, out's offset pointer, count): a read of a file */
	SYSCALL_MMAP,
	SYSCALL_LISTEN,
	SYSCALL_ACCEPT,
	SYSCALL_CONNECT,
	SYSCALL_EPOLL_CTL,
	SYSCALL_EPOLL_WAIT,
	SYSCALL_POLL,
	SYSCALL_SELECT, /* (count, read set, …) */
};

struct config {
	u32 has_switch_state;	   /* sched_switch's 4th argument, since 5.18 */
	u32 has_perf_tree_events; /* unused words stay zero */
	u32 page_size;
	u8 syscall_actions[SYSCALL_NUMBER_END];
};

/* Exceptions whose records found no room in the ring: counted by class, stack and stretch of time, and written as one record
 * each at the end, so that a storm loses no count. */
struct unsent_exceptions_key {
	u64 class_address, stack_id;
	u32 pid, bucket; /* time_ns >> UNSENT_BUCKET_SHIFT */
};

enum { UNSENT_BUCKET_SHIFT = 27, UNSENT_NAME_BYTES = 128 };

struct unsent_exceptions {
	u64 count, duration_ns;
	u64 time_ns; /* of the first */
	u32 tid, name_length;
	char name[UNSENT_NAME_BYTES];
};

/* What an entry of libjvm proves to have ended (jvm_class_return, as the site's kind). */
enum class_return {
	CLASS_RETURN_OF_LOAD = 1,
	CLASS_RETURN_OF_LINK,
};

/* What jvm_walking does at a site that is none of enum vm_wait_reason's (as the site's kind). */
enum walking_site {
	WALKING_CLASS_LOAD = 100,
	WALKING_DEOPTIMIZE,
	WALKING_THROW_INTERPRETED,
	WALKING_THROW_BY_VM,
};

/* Shared at run time through the object's data section. */
struct control {
	u32 is_recording;  /* 0 until exec */
	u32 is_in_request; /* set by the programs at an arrival, cleared by user space when no request is open */
	u64 sample_period_ns; /* that user space has set the timers to */
};
