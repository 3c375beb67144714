/* Records by column: the content of a COLUMNS frame.
 *
 *	u32 column_count, u32 length_bytes of each, then the columns one after the other:
 *	KINDS		of each record
 *	TIMES		zigzag of the step from the record before
 *	CPUS		of each record
 *	THREAD_REFS	0: the thread last seen on this CPU (at first, the first of THREADS); n: the n-th of THREADS
 *	THREADS		how many; their pids; their tids; in the order in which they first appear
 *	TAIL_REFS	of each record whose kind has a tail, see tail_ref
 *	TAIL_LENGTHS	of each tail that is new
 *	TAIL_BYTES	those tails, one after the other
 *	then for each kind that is there, by ascending id, for each of its fields: a byte column_mode, then the values
 *
 * All but the directory, the mode bytes and TAIL_BYTES are arrays of packed numbers (format/pack.h). The general
 * compressor comes after: this form puts like beside like and takes away what is known already. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/layout.h"

enum column {
	COLUMN_KINDS,
	COLUMN_TIMES,
	COLUMN_CPUS,
	COLUMN_THREAD_REFS,
	COLUMN_THREADS,
	COLUMN_TAIL_REFS,
	COLUMN_TAIL_LENGTHS,
	COLUMN_TAIL_BYTES,
	COLUMN_FIELDS, /* the first of the field columns */
	COLUMN_COUNT_MAX = 16 * 1024,
};

/* How a field's values are coded. The writer takes what it estimates to be shortest. */
enum column_mode {
	MODE_CONSTANT = 0,    /* one value, of all */
	MODE_PLAIN = 1,	      /* each value */
	MODE_ZIGZAG = 2,      /* zigzag of each value */
	MODE_STEP = 3,	      /* zigzag of the step from the value before */
	MODE_THREAD_STEP = 4, /* zigzag of the step from the value before of this kind on the same thread */
	MODE_TABLE = 5,	      /* 0: the next new value, n: the n-th of those; then the new values as in MODE_STEP */
};

/* A tail that was met in this frame before is named, not repeated: class names come in a row for each class. */
enum tail_ref {
	TAIL_EMPTY = 0,
	TAIL_NEW = 1,
	TAIL_RECENT = 2, /* and the following: place in the list of the tails last used, latest first */
	TAIL_RECENT_COUNT = 30,
	TAIL_INDEX = TAIL_RECENT + TAIL_RECENT_COUNT, /* and the following: index in the order of first use */
};

/* CPUs whose last thread is remembered for THREAD_REFS; higher ones share, by remainder. */
enum { COLUMN_CPUS_REMEMBERED = 256 };

/* The TAIL_RECENT list, kept alike by both sides. */
struct recent_tails {
	uint32_t index[TAIL_RECENT_COUNT];
};

/* Moves what stands at `place` to the front, as `index`; the last place drops out where it is new. */
static inline void recent_tails_use(struct recent_tails *recent, unsigned place, uint32_t index)
{
	for (; place > 0; place--)
		recent->index[place] = recent->index[place - 1];
	recent->index[0] = index;
}

struct columns_encoder;

/* What an encoder made, valid until its next use. `breaks` are the offsets where bytes of
 * another nature begin, ascending, the last at the end: for a compressor that adapts to each. */
struct columns_content {
	const uint8_t *bytes;
	size_t length_bytes;
	const uint32_t *breaks;
	size_t break_count;
};

struct columns_encoder *columns_encoder_new(void);
void columns_encoder_free(struct columns_encoder *encoder);
size_t columns_encoder_bytes(const struct columns_encoder *encoder); /* memory in use */

/* Encodes `count` records that follow each other by record_stride, of kinds and sizes that are right. */
struct columns_content columns_encode(struct columns_encoder *encoder, const void *records, uint32_t count);

struct columns_decoder;

struct columns_decoder *columns_decoder_new(void);
void columns_decoder_free(struct columns_decoder *decoder);

/* Records decoded: in this program's layout, following each other by record_stride, each with a NUL after its end.
 * Valid until the decoder's next use. */
struct columns_records {
	struct event_header *first;
	size_t length_bytes;
	uint32_t count;
	uint32_t unknown_count; /* left out */
};

/* Untrusted: false where the content is damaged or its records would take more than FRAME_BYTES_MAX. */
bool columns_decode(struct columns_decoder *decoder, const struct layout *layout, const void *content,
		    size_t content_bytes, uint32_t count, struct columns_records *ret_records);
