/* Reads files of /proc and the like whole. Live processes only: record's side of parse/procfs.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* The whole text of a file whose size is not known beforehand, with a NUL added; the caller frees. */
struct err *text_file_read(const char *path, char **ret_text, size_t *ret_length_bytes) must_check;

/* The same for /proc/PID/NAME. */
struct err *proc_file_read(pid_t pid, const char *name, char **ret_text, size_t *ret_length_bytes) must_check;

struct proc_identity {
	char name[64];
	pid_t pid, thread_group, parent_pid;
};

/* Of a process or thread; false where it is gone. */
bool proc_identity_read(pid_t pid, struct proc_identity *ret_identity);
