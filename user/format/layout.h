/* How the records of a recording lie, as its SCHEMA frame says, set against this program's event table.
 *
 * A field is found again by kind and name, whatever its place and width: recordings of older and newer programs are
 * read, their unknown fields are skipped and fields that they lack are 0. A kind is known where id and name agree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "format/schema.h"

enum {
	LAYOUT_KINDS_MAX = 256,
	LAYOUT_FIELDS_MAX = 64,		/* of one kind */
	LAYOUT_BYTES_MAX = 1024 * 1024, /* of the SCHEMA frame's content */
};

struct layout_field {
	enum field_type type;
	uint16_t stored_offset_bytes;
	uint16_t target_offset_bytes; /* in this program's struct */
	uint8_t stored_bytes;
	uint8_t target_bytes; /* 0: this program has no such field */
};

struct layout_kind {
	bool is_stored; /* described by the recording; the rest is meaningless without */
	bool has_tail;
	bool is_same;			   /* stored as this program has it */
	const struct schema_kind *known;   /* NULL: records of it are left out */
	uint32_t stored_bytes;		   /* header and fields */
	uint32_t first_field, field_count; /* in layout.fields */
};

struct layout {
	struct layout_kind kinds[LAYOUT_KINDS_MAX];
	VEC(struct layout_field) fields;
};

/* The content of this program's SCHEMA frame: a line per kind,
 *	ID NAME FIELD:TYPE:UNIT ... [| TAIL NAME]
 * The caller frees. */
char *layout_describe(size_t *ret_length) must_check;

/* Reads such a content into a zeroed layout. Untrusted. */
struct err *layout_parse(struct layout *layout, const char *text, size_t length) must_check;

void layout_done(struct layout *layout);

/* Writes a stored record, at least stored_bytes long, as this program's; `target` has room for its size. Returns it.
 */
uint32_t layout_convert(const struct layout *layout, const struct event_header *stored, struct event_header *target);

/* The size of the record that layout_convert makes. */
static inline uint64_t layout_converted_bytes(const struct layout_kind *kind, uint32_t stored_size_bytes)
{
	return (uint64_t)kind->known->fixed_bytes + (stored_size_bytes - kind->stored_bytes);
}

/* A value of that stored type, widened to 64 bits. */
static inline uint64_t layout_widen(enum field_type type, uint64_t value)
{
	switch (type) {
	case FIELD_U32:
		return (uint32_t)value;
	case FIELD_I32:
		return (uint64_t)(int64_t)(int32_t)value;
	default:
		return value;
	}
}
