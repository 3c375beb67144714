/* Writes a recording: takes records, batches them, writes them as frames (format/recording.h).
 *
 * Outside urgent stretches a full batch is encoded in columns and compressed at once, by the caller's thread. In an
 * urgent stretch (a request is being served) nothing is encoded: batches stay in memory as they are, and beyond
 * WRITER_URGENT_BYTES the oldest are written uncompressed, to be replaced when the stretch ends. One thread at a time
 * may use a writer.
 *
 * Memory: at most WRITER_MEMORY_BYTES, and beyond that three times the size of the largest single record over
 * RECORDING_BATCH_BYTES. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "bpf/events.h"

enum {
	WRITER_URGENT_BYTES = 8 * 1024 * 1024,
	WRITER_MEMORY_BYTES = 24 * 1024 * 1024,
};

struct writer;

/* Creates the recording for its owner: mode 0600, owned by them (pass geteuid() and getegid() where nothing is to
 * change). An older file of that name is kept as "PATH.old", replacing what had that name. Never opens what exists: a
 * name that is not a regular file (a link, a device, a pipe) is refused, as is a folder reached through a link that
 * somebody other than root, the owner or ourselves made. `created_by` names the program, as in "warmtrace 1.2". */
struct err *writer_open(const char *path, uid_t owner_uid, gid_t owner_gid, const char *created_by,
			struct writer **ret_writer) must_check;

/* Copies the record; its kind must be of the event table (others are refused) and its size within the kind's fixed
 * part and EVENT_SIZE_MAX. Writes only when a batch is full.
 *
 * A write error (no space, ...) is returned once, by whichever call met it. From then on records are dropped and
 * counted, every call succeeds, and the file stays readable up to the last frame written before. */
struct err *writer_append(struct writer *writer, const struct event_header *event) must_check;

/* Begins or ends an urgent stretch. Ending one encodes what was kept, and what was written uncompressed: about 20 ms
 * for each 8 MiB of records, so it is ended when there is nothing more urgent, not between two requests. */
struct err *writer_set_urgent(struct writer *writer, bool is_urgent) must_check;

/* Hands everything appended so far to the kernel, encoded unless urgent. Not a sync to the disk. */
struct err *writer_flush(struct writer *writer) must_check;

/* Flushes, writes the END frame and frees the writer, also on error; NULL is accepted. `*writer` becomes NULL. */
struct err *writer_close(struct writer **writer) must_check;

/* Frees the writer without flushing and without an END frame: the file reads as cut. For cleanup on error paths. */
void writer_abandon(struct writer **writer);

struct writer_totals {
	uint64_t events;	 /* appended */
	uint64_t dropped_events; /* after a write error */
	uint64_t written_bytes;	 /* size of the file so far */
	uint64_t frames;
};

struct writer_totals writer_totals(const struct writer *writer);
