#include "format/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "format/schema.h"

/* Room for so many bytes and a NUL. */
static void builder_reserve(struct event_builder *builder, size_t length_bytes)
{
	if (length_bytes >= builder->capacity_bytes)
		builder->bytes = vec_grow(builder->bytes, &builder->capacity_bytes, length_bytes, 1);
}

void *event_begin(struct event_builder *builder, enum event_kind kind, uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	const struct schema_kind *row = schema_by_id(kind);

	builder_reserve(builder, row->fixed_bytes);
	memset(builder->bytes, 0, row->fixed_bytes);
	builder->length_bytes = row->fixed_bytes;
	builder->part_count = 0;

	struct event_header *header = (struct event_header *)builder->bytes;

	header->time_ns = time_ns;
	header->pid = pid;
	header->tid = tid;
	header->kind = (u16)kind;
	return header;
}

void event_add_bytes(struct event_builder *builder, const void *bytes, size_t length_bytes)
{
	size_t room = EVENT_SIZE_MAX - builder->length_bytes;

	if (length_bytes > room)
		length_bytes = room;
	builder_reserve(builder, builder->length_bytes + length_bytes);
	if (length_bytes)
		memcpy(builder->bytes + builder->length_bytes, bytes, length_bytes);
	builder->length_bytes += length_bytes;
}

void event_add_part(struct event_builder *builder, const void *bytes, size_t length_bytes)
{
	if (builder->part_count++)
		event_add_bytes(builder, "", 1);
	event_add_bytes(builder, bytes, length_bytes);
}

void event_add_text(struct event_builder *builder, const char *text)
{
	event_add_part(builder, text, strlen(text));
}

const struct event_header *event_end(struct event_builder *builder)
{
	struct event_header *header = (struct event_header *)builder->bytes;

	builder->bytes[builder->length_bytes] = '\0';
	header->size = (u32)builder->length_bytes;
	return header;
}

void event_builder_done(struct event_builder *builder)
{
	free(builder->bytes);
	*builder = (struct event_builder){};
}
