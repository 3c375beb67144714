/* Makes a COLUMNS frame of a stretch of records: columns (format/columns.h), then zstd. */
#pragma once

#include <stddef.h>

#include "format/recording.h"

struct frame_encoder;

struct frame_encoder *frame_encoder_new(void);
void frame_encoder_free(struct frame_encoder *encoder);

/* `header` has record_bytes, event_count and the times of the records; the rest of it is filled in, but for the
 * checksums. Returns the payload, valid until the encoder's next use, or NULL where the records cannot be coded (then
 * they are written as they are). */
const void *frame_encoder_records(struct frame_encoder *encoder, const void *records, struct frame_header *header);

/* The same for the SCHEMA frame of this program; the schema's checksum goes to `*ret_checksum`. */
const void *frame_encoder_schema(struct frame_encoder *encoder, struct frame_header *header, uint64_t *ret_checksum);
