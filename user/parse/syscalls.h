/* System call numbers, names and classes of the two architectures that a recording can come from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum syscall_arch {
	SYSCALL_ARCH_X86_64,
	SYSCALL_ARCH_AARCH64,
	SYSCALL_ARCH_OTHER, /* nothing is known */
};

enum syscall_class {
	SYSCALL_CLASS_OTHER = 0,
	SYSCALL_CLASS_OPEN,   /* open, openat, openat2, creat */
	SYSCALL_CLASS_LOOKUP, /* stat family, access, readlink */
	SYSCALL_CLASS_READ,   /* read family on whatever the descriptor is, getdents; lseek is OTHER */
	SYSCALL_CLASS_WRITE,  /* write family, sendfile, splice, copy_file_range */
	SYSCALL_CLASS_SYNC,   /* fsync, fdatasync, msync, sync ... */
	SYSCALL_CLASS_MAP,    /* mmap */
	SYSCALL_CLASS_CLOSE,
	SYSCALL_CLASS_POLL, /* epoll_wait, poll, select ... */
	SYSCALL_CLASS_FUTEX,
	SYSCALL_CLASS_SOCKET_READ,  /* recvfrom, recvmsg, recvmmsg */
	SYSCALL_CLASS_SOCKET_WRITE, /* sendto, sendmsg, sendmmsg */
	SYSCALL_CLASS_ACCEPT,
	SYSCALL_CLASS_CONNECT,
	SYSCALL_CLASS_SLEEP, /* nanosleep, clock_nanosleep */
	SYSCALL_CLASS_CHILD, /* wait4, waitid */
	SYSCALL_CLASS_PIPE,  /* making one; reads and writes on one are READ and WRITE */
	SYSCALL_CLASS_IO_URING,
	SYSCALL_CLASS_RANDOM,  /* getrandom */
	SYSCALL_CLASS_MEMORY,  /* munmap, mprotect, madvise, brk, mremap ... */
	SYSCALL_CLASS_PROCESS, /* clone, fork, vfork, execve, exit, kill, prctl ... */
	SYSCALL_CLASS_SIGNAL,  /* rt_sig..., pause, sigtimedwait */
	SYSCALL_CLASS_LOCK,    /* flock */
	SYSCALL_CLASS_COUNT,
};

/* `machine` as uname -m says it. */
enum syscall_arch syscall_arch_of(const char *machine);

enum syscall_class syscall_class_of(enum syscall_arch arch, uint32_t number);

/* "openat"; NULL where the number is not in the table. */
const char *syscall_name(enum syscall_arch arch, uint32_t number);

/* False where this architecture has no call of that name. */
bool syscall_number(enum syscall_arch arch, const char *name, uint32_t *ret_number);

/* "open", "lookup" ...: words for a reader. */
const char *syscall_class_name(enum syscall_class class);
