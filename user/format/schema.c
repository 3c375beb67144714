#include "format/schema.h"

#include <string.h>

#include "base/auto.h"

static const char *const type_names[] = {
	[FIELD_U32] = "u32",
	[FIELD_U64] = "u64",
	[FIELD_I64] = "i64",
	[FIELD_I32] = "i32",
};

static const char *const unit_names[] = {
	[UNIT_NS] = "NS",	[UNIT_ADDRESS] = "ADDRESS", [UNIT_BYTES] = "BYTES",   [UNIT_ID] = "ID",
	[UNIT_COUNT] = "COUNT", [UNIT_CODE] = "CODE",	    [UNIT_RESULT] = "RESULT",
};

/* The field types of bpf/events.h by the name they have there; one that is not here does not compile. */
enum {
	TYPE_u32 = FIELD_U32,
	TYPE_u64 = FIELD_U64,
	TYPE_i64 = FIELD_I64,
	TYPE_i32 = FIELD_I32,
};

#define FIELD(c_type, field_name, field_unit_name)                                                                   \
	{.name = #field_name,                                                                                        \
	 .type = (enum field_type)TYPE_##c_type,                                                                     \
	 .unit = UNIT_##field_unit_name,                                                                             \
	 .offset_bytes = offsetof(self, field_name),                                                                 \
	 .size_bytes = sizeof(c_type)},

/* A field list does not know its kind: each kind's rows stand in a scope of their own, where `self` is its struct.
 * The empty last row is for kinds without fields. */
const struct schema_kind *schema_by_id(uint32_t id)
{
	switch (id) {
#define E(kind_id, NAME, kind_name, tail_text, doc_text)                                                             \
	case kind_id: {                                                                                              \
		typedef struct event_##kind_name self;                                                               \
		static const struct schema_field fields[] = {FIELDS_##kind_name(FIELD){}};                           \
		static const struct schema_kind kind = {                                                             \
			.id = kind_id,                                                                               \
			.name = #kind_name,                                                                          \
			.tail_name = tail_text,                                                                      \
			.doc = doc_text,                                                                             \
			.fields = fields,                                                                            \
			.field_count = array_length(fields) - 1,                                                     \
			.fixed_bytes = offsetof(self, tail),                                                         \
		};                                                                                                   \
		return &kind;                                                                                        \
	}
		EVENT_TABLE(E)
#undef E
	default:
		return NULL;
	}
}

static bool is_name(const char *text, const char *name, size_t length)
{
	/* A name from outside may hold a NUL, so its length decides first. */
	return strlen(text) == length && memcmp(text, name, length) == 0;
}

const struct schema_kind *schema_next(const struct schema_kind *previous)
{
	for (uint32_t id = previous ? previous->id + 1 : 0; id < EVENT_KIND_END; id++) {
		const struct schema_kind *kind = schema_by_id(id);

		if (kind)
			return kind;
	}
	return NULL;
}

const struct schema_kind *schema_by_name(const char *name, size_t length)
{
	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind))
		if (is_name(kind->name, name, length))
			return kind;
	return NULL;
}

const struct schema_field *schema_field_by_name(const struct schema_kind *kind, const char *name, size_t length)
{
	for (size_t i = 0; i < kind->field_count; i++)
		if (is_name(kind->fields[i].name, name, length))
			return &kind->fields[i];
	return NULL;
}

const char *schema_kind_name(uint32_t id)
{
	const struct schema_kind *kind = schema_by_id(id);

	return kind ? kind->name : "unknown kind";
}

uint64_t schema_field_get(const struct schema_field *field, const struct event_header *event)
{
	const char *at = (const char *)event + field->offset_bytes;
	uint64_t wide;
	uint32_t narrow;

	switch (field->type) {
	case FIELD_U64:
	case FIELD_I64:
		memcpy(&wide, at, sizeof(wide));
		return wide;
	case FIELD_I32:
		memcpy(&narrow, at, sizeof(narrow));
		return (uint64_t)(int64_t)(int32_t)narrow;
	case FIELD_U32:
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	}
	return 0;
}

void schema_field_set(const struct schema_field *field, struct event_header *event, uint64_t value)
{
	/* Little-endian: the low half is where the value begins. */
	memcpy((char *)event + field->offset_bytes, &value, field->size_bytes);
}

const char *field_type_name(enum field_type type)
{
	return type < array_length(type_names) && type_names[type] ? type_names[type] : "";
}

const char *field_unit_name(enum field_unit unit)
{
	return unit < array_length(unit_names) && unit_names[unit] ? unit_names[unit] : "";
}

enum field_type field_type_by_name(const char *name, size_t length)
{
	for (size_t i = 1; i < array_length(type_names); i++)
		if (is_name(type_names[i], name, length))
			return (enum field_type)i;
	return (enum field_type)0;
}

enum field_unit field_unit_by_name(const char *name, size_t length)
{
	for (size_t i = 1; i < array_length(unit_names); i++)
		if (is_name(unit_names[i], name, length))
			return (enum field_unit)i;
	return (enum field_unit)0;
}
