/* The event table of bpf/events.h as data: kinds, fields, offsets, units, and the names of their codes.
 *
 * Whatever handles records without knowing their kind (the recording's codec, the text form, dump, the docs) loops
 * over this table. All of it is constant; nothing here fails but by answering NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/events.h"

enum field_type {
	FIELD_U32 = 1,
	FIELD_U64 = 2,
	FIELD_I64 = 3,
	FIELD_I32 = 4,
};

enum field_unit {
	UNIT_NS = 1,
	UNIT_ADDRESS = 2,
	UNIT_BYTES = 3,
	UNIT_ID = 4,
	UNIT_COUNT = 5,
	UNIT_CODE = 6,
	UNIT_RESULT = 7, /* of a system call: a negative value is an errno */
};

struct schema_field {
	const char *name;
	enum field_type type;
	enum field_unit unit;
	uint32_t offset_bytes; /* in the record */
	uint32_t size_bytes;
};

struct schema_kind {
	uint32_t id;
	const char *name;
	const char *tail_name; /* "" where the kind has no tail */
	const char *doc;
	const struct schema_field *fields;
	size_t field_count;
	size_t fixed_bytes; /* header and fields: where the tail begins, and the least size of a record */
};

/* NULL for an id or a name that no kind has. Names need no NUL after `length`. */
const struct schema_kind *schema_by_id(uint32_t id);
const struct schema_kind *schema_by_name(const char *name, size_t length);
const struct schema_field *schema_field_by_name(const struct schema_kind *kind, const char *name, size_t length);

/* The kind after `previous` in ascending order of ids, the first for NULL; NULL after the last. */
const struct schema_kind *schema_next(const struct schema_kind *previous);

/* How large the table is. */
enum {
	SCHEMA_KIND_COUNT = 0
#define E(id, NAME, name, tail, doc) +1
	EVENT_TABLE(E)
#undef E
};

/* "exec"; "unknown kind" for an id that is not there. */
const char *schema_kind_name(uint32_t id);

/* A field's value, sign-extended where it is signed. The record must be at least the kind's fixed_bytes long. */
uint64_t schema_field_get(const struct schema_field *field, const struct event_header *event);
void schema_field_set(const struct schema_field *field, struct event_header *event, uint64_t value);

const char *field_type_name(enum field_type type);		     /* "u32" */
const char *field_unit_name(enum field_unit unit);		     /* "NS" */
enum field_type field_type_by_name(const char *name, size_t length); /* 0 where there is none */
enum field_unit field_unit_by_name(const char *name, size_t length); /* 0 where there is none */

/* The tail and its length; records from reader_next have a NUL after it, which the length does not count. */
static inline const char *event_tail(const struct event_header *event, size_t fixed_bytes, size_t *ret_length)
{
	*ret_length = event->size - fixed_bytes;
	return (const char *)event + fixed_bytes;
}

/* event_tail for a record of a known struct: EVENT_TAIL(open, &length) with `const struct event_file_open *open`. */
#define EVENT_TAIL(record, ret_length)                                                                               \
	event_tail(&(record)->header, offsetof(__typeof__(*(record)), tail), (ret_length))
