#include "format/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/span.h"

char *layout_describe(size_t *ret_length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_length);

	if (!out)
		memory_exhausted();
	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind)) {
		fprintf(out, "%u %s", kind->id, kind->name);
		for (size_t i = 0; i < kind->field_count; i++)
			fprintf(out, " %s:%s:%s", kind->fields[i].name, field_type_name(kind->fields[i].type),
				field_unit_name(kind->fields[i].unit));
		if (kind->tail_name[0])
			fprintf(out, " | %s", kind->tail_name);
		fputc('\n', out);
	}
	if (fclose(out) != 0)
		memory_exhausted();
	return text;
}

static struct err *bad_schema(const char *what)
{
	return err_new(ERR_FAILED, "its schema is damaged: %s", what);
}

static struct err *parse_field(struct layout *layout, struct layout_kind *kind, struct span word)
{
	struct span name = span_take(&word, ":");
	struct span type_name = span_take(&word, ":");
	enum field_type type = field_type_by_name(type_name.at, span_length(type_name));
	const struct schema_field *known = NULL;

	if (!type)
		return bad_schema("a field has no type");
	if (kind->field_count == LAYOUT_FIELDS_MAX)
		return bad_schema("a kind has too many fields");
	if (kind->known)
		known = schema_field_by_name(kind->known, name.at, span_length(name));
	for (uint32_t i = 0; known && i < kind->field_count; i++) {
		const struct layout_field *earlier = &layout->fields.items[kind->first_field + i];

		if (earlier->target_bytes && earlier->target_offset_bytes == known->offset_bytes)
			return bad_schema("a field stands twice");
	}

	struct layout_field *field = vec_push(&layout->fields);

	field->type = type;
	field->stored_offset_bytes = (uint16_t)kind->stored_bytes;
	field->stored_bytes = type == FIELD_U64 || type == FIELD_I64 ? 8 : 4;
	if (known) {
		field->target_offset_bytes = (uint16_t)known->offset_bytes;
		field->target_bytes = (uint8_t)known->size_bytes;
	}
	if (!known || known->offset_bytes != kind->stored_bytes || known->type != type)
		kind->is_same = false;
	kind->stored_bytes += field->stored_bytes;
	kind->field_count++;
	return NULL;
}

static struct err *parse_kind(struct layout *layout, struct span line)
{
	struct span id_text = span_take(&line, " ");
	struct span name = span_take(&line, " ");
	uint32_t id = 0;

	for (const char *at = id_text.at; at < id_text.end; at++) {
		if (*at < '0' || *at > '9' || id >= LAYOUT_KINDS_MAX)
			return bad_schema("a kind has no valid number");
		id = id * 10 + (uint32_t)(*at - '0');
	}
	if (id_text.at == id_text.end || id >= LAYOUT_KINDS_MAX || layout->kinds[id].is_stored)
		return bad_schema("a kind has no valid number");

	struct layout_kind *kind = &layout->kinds[id];
	const struct schema_kind *known = schema_by_id(id);

	kind->is_stored = true;
	kind->is_same = true;
	kind->stored_bytes = sizeof(struct event_header);
	kind->first_field = (uint32_t)layout->fields.count;
	if (known && schema_by_name(name.at, span_length(name)) == known)
		kind->known = known;
	while (line.at < line.end) {
		struct span word = span_take(&line, " ");

		if (span_is(word, "|")) {
			kind->has_tail = true;
			break;
		}
		TRY(parse_field(layout, kind, word));
	}
	if (!kind->known || kind->field_count != kind->known->field_count)
		kind->is_same = false;
	return NULL;
}

struct err *layout_parse(struct layout *layout, const char *text, size_t length)
{
	struct span rest = {text, text + length};

	if (length > LAYOUT_BYTES_MAX)
		return bad_schema("it is too long");
	while (rest.at < rest.end)
		TRY(parse_kind(layout, span_take(&rest, "\n")));
	return NULL;
}

void layout_done(struct layout *layout)
{
	vec_done(&layout->fields);
	*layout = (struct layout){};
}

uint32_t layout_convert(const struct layout *layout, const struct event_header *stored, struct event_header *target)
{
	const struct layout_kind *kind = &layout->kinds[stored->kind];
	const struct layout_field *fields = layout->fields.items + kind->first_field;
	uint32_t size_bytes = (uint32_t)layout_converted_bytes(kind, stored->size);

	memset(target, 0, kind->known->fixed_bytes);
	*target = *stored;
	target->size = size_bytes;
	for (uint32_t i = 0; i < kind->field_count; i++) {
		uint64_t value = 0;

		memcpy(&value, (const char *)stored + fields[i].stored_offset_bytes, fields[i].stored_bytes);
		value = layout_widen(fields[i].type, value);
		memcpy((char *)target + fields[i].target_offset_bytes, &value, fields[i].target_bytes);
	}
	memcpy((char *)target + kind->known->fixed_bytes, (const char *)stored + kind->stored_bytes,
	       stored->size - kind->stored_bytes);
	return size_bytes;
}
