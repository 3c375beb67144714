/* Archives and libraries that the tree used: their entry tables go into the recording, so that reads can be named on a
 * machine that does not have the files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "bpf/events.h"
#include "record/output.h"

struct archive_file {
	uint32_t path; /* in the process's root */
	uint32_t pid;  /* a process that used it: its root */
	uint32_t device;
	uint64_t inode; /* 0: it was looked up and not opened */
	bool is_cache; /* of classes: of it only its time is of interest */
};

struct archives {
	struct strpool paths;
	struct map by_inode; /* hash of (device, inode) → index + 1 */
	struct map looked_up; /* string id of a path → 1 */
	bool has_cache;	      /* a cache of classes was opened */
	VEC(struct archive_file) files;
};

/* Notes the file if it is an archive that was opened, or a cache of classes. */
void archives_see(struct archives *archives, const struct event_header *event);

/* Indexes every noted archive and writes an ARCHIVE record for each, and when each file was last changed: RUN_TEXT
 * "file_time.DEVICE.INODE", nanoseconds of UNIX time. One that cannot be read becomes a note in the
 * recording, never an error. */
void archives_write(struct archives *archives, struct output *output);

void archives_done(struct archives *archives);
