/* The on-disk contract of a recording (.wtr); docs/format.md says it in prose, with the ordering rules.
 *
 *	recording_header
 *	frame SCHEMA		kinds and fields of the program that wrote it
 *	frame RECORDS | COLUMNS ...
 *	frame END		absent where the recording was cut
 *
 * A frame is a frame_header and stored_bytes of payload. Frames depend on no other frame but SCHEMA. Everything is
 * little-endian; frames are not aligned. */
#pragma once

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings are read and written in place on little-endian machines only"
#endif

/* Not text in any encoding, and damaged visibly by a transfer that rewrites line ends. */
#define RECORDING_MAGIC "\x89WTR\r\n\x1a\n"

enum {
	RECORDING_MAGIC_BYTES = 8,
	RECORDING_CREATED_BY_BYTES = 32,

	/* Written as version; a reader takes any recording whose least_reader is not above its own RECORDING_VERSION.
	 * An addition that older readers may skip (a kind, a field, a frame type, a flag) raises neither number by
	 * need. */
	RECORDING_VERSION = 1,
	RECORDING_LEAST_READER = 1,

	FRAME_MAGIC = 0x66525457, /* "WTRf" */

	/* What a writer aims at, in bytes of records and in records per frame. */
	RECORDING_BATCH_BYTES = 4 * 1024 * 1024,
	RECORDING_BATCH_EVENTS = 64 * 1024,

	/* What a reader accepts: the limits of memory that a hostile file can make it use. One record of
	 * EVENT_SIZE_MAX (64 MiB) fits in a frame, coded or not. */
	FRAME_BYTES_MAX = 66 * 1024 * 1024,
	FRAME_EVENTS_MAX = 256 * 1024,

	/* A record in memory and in a RECORDS frame takes its size and at least one NUL, rounded up to this. */
	RECORD_ALIGNMENT_BYTES = 8,
};

struct recording_header {
	uint8_t magic[RECORDING_MAGIC_BYTES];
	uint16_t version;
	uint16_t least_reader;
	uint32_t reserved;			     /* 0 */
	char created_by[RECORDING_CREATED_BY_BYTES]; /* "warmtrace 1.2", padded with NUL */
	uint64_t schema_checksum; /* XXH3 of the SCHEMA frame's content: a reader with the same schema can do without
				   */
	uint64_t checksum;	  /* XXH3 of the bytes before */
};

enum frame_type {
	FRAME_SCHEMA = 1,
	FRAME_RECORDS = 2, /* records one after the other, in the layout of SCHEMA */
	FRAME_COLUMNS = 3, /* records by column, see format/columns.h */
	FRAME_END = 4,
	FRAME_VOID =
		5, /* room left by a frame that was replaced: skipped, its payload has no meaning and no checksum */
};

enum frame_coding {
	CODING_PLAIN = 0,
	CODING_ZSTD = 1, /* the payload is one zstd frame, its content size in its header */
};

struct frame_header {
	uint32_t magic;
	uint8_t type;
	uint8_t coding;
	uint16_t flags;		/* 0; readers ignore those they do not know */
	uint32_t stored_bytes;	/* of the payload in the file */
	uint32_t content_bytes; /* of the payload decompressed */
	uint32_t record_bytes;	/* of the records decoded, each rounded up: what a reader allocates */
	uint32_t event_count;
	uint64_t first_time_ns, last_time_ns; /* least and greatest of the records', 0 without any */
	uint64_t payload_checksum;	      /* XXH3 of the stored bytes */
	uint64_t header_checksum; /* XXH3 of the bytes before: a header is believed alone, so that a damaged payload
				   * is skipped by its length and a damaged header by searching for the next */
};

/* The content of END. Later versions may append. */
struct recording_end {
	uint64_t event_count;	/* records in the frames before */
	uint64_t dropped_count; /* records that could not be written */
};

_Static_assert(sizeof(struct recording_header) == 64, "recording_header is on disk");
_Static_assert(sizeof(struct frame_header) == 56, "frame_header is on disk");
_Static_assert(sizeof(struct recording_end) == 16, "recording_end is on disk");

/* The room that a record of this size takes; no overflow up to EVENT_SIZE_MAX. */
static inline uint32_t record_stride(uint32_t size_bytes)
{
	return (size_bytes + RECORD_ALIGNMENT_BYTES) & ~(uint32_t)(RECORD_ALIGNMENT_BYTES - 1);
}
