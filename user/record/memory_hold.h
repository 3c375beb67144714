/* Keeps a process's address space readable after the process has ended, without stopping or delaying its end.
 *
 * A thread of ours reads a few bytes of /proc/PID/mem into a page that userfaultfd never fills: it waits inside the kernel's
 * copy and keeps the address space in use. The process ends as it likes, kill -9 included; what it had mapped can be read
 * through an open /proc/PID/mem until the hold is released, which must be soon: the memory stays charged. If warmtrace dies
 * the kernel releases it. */
#pragma once

#include <sys/types.h>

struct memory_hold;

/* NULL where it cannot be had (no userfaultfd, process gone): then what is not read in time is lost. */
struct memory_hold *memory_hold_new(pid_t pid);
void memory_hold_release(struct memory_hold *hold); /* NULL is accepted */
