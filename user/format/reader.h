/* Reads a recording, which may be cut, damaged, older, newer or hostile: every length is checked before use.
 *
 * Records come in file order, one frame in memory at a time. What could not be read is never silent: it is counted in
 * reader_status, which is complete once reader_next has answered the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/events.h"

struct reader;

/* Errors, one line each: cannot be opened, not a regular file, empty, not a recording, of a newer format. */
struct err *reader_open(const char *path, struct reader **ret_reader) must_check;

/* The same over bytes in memory, which must stay until reader_close; `name` is used in errors. */
struct err *reader_open_bytes(const void *bytes, size_t length, const char *name,
			      struct reader **ret_reader) must_check;

/* The next record, or NULL at the end. It is 8-byte aligned, of a kind of this program's event table, in this
 * program's layout (fields that the recording does not have are 0), at least as long as the kind's fixed part, has a
 * NUL byte after its end, and is valid until the next call. Fails only where the file can no longer be read from the
 * disk. */
struct err *reader_next(struct reader *reader, const struct event_header **ret_event) must_check;

/* A damaged stretch of the file whose records are lost. */
struct reader_gap {
	uint64_t offset_bytes, length_bytes;  /* in the file */
	uint64_t events;		      /* lost, 0 where not known */
	uint64_t first_time_ns, last_time_ns; /* both 0 where not known */
};

struct reader_status {
	const char *created_by; /* printable ASCII only */
	uint32_t format_version;
	uint64_t file_bytes;
	uint64_t frames, events; /* read so far; events are those that reader_next gave */
	uint64_t unknown_events; /* of kinds that this program does not know: left out */
	uint64_t dropped_events; /* that the recorder could not write (its disk was full) */
	bool is_ended;		 /* the END frame was reached */
	bool is_cut;		 /* the end was reached without an END frame */
	uint64_t cut_bytes;	 /* at the end of a cut file, of a frame that is not whole */
	uint64_t damaged_frames, damaged_bytes, damaged_events;
	const struct reader_gap *gaps; /* of damaged frames; adjoining ones merged, at most READER_GAPS_MAX */
	size_t gap_count;
};

enum { READER_GAPS_MAX = 256 }; /* beyond it the last gap grows */

const struct reader_status *reader_status(const struct reader *reader);

bool reader_was_cut(const struct reader *reader, uint64_t *ret_cut_bytes); /* ret_cut_bytes may be NULL */

/* Back to the first record, the counts back to 0. */
void reader_rewind(struct reader *reader);

/* NULL is accepted; `*reader` becomes NULL. */
void reader_close(struct reader **reader);
