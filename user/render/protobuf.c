#include "render/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static void grow_to(struct protobuf *message, size_t wanted)
{
	size_t capacity = message->capacity_bytes ? message->capacity_bytes : 256;

	while (capacity < wanted)
		capacity *= 2;
	message->bytes = realloc(message->bytes, capacity);
	if (!message->bytes)
		memory_exhausted();
	message->capacity_bytes = capacity;
}

/* Where more_bytes can be written. */
static inline char *grow(struct protobuf *message, size_t more_bytes)
{
	if (message->length_bytes + more_bytes > message->capacity_bytes)
		grow_to(message, message->length_bytes + more_bytes);
	return message->bytes + message->length_bytes;
}

static inline void put_varint(struct protobuf *message, uint64_t value)
{
	char *out = grow(message, 10);
	size_t length = 0;

	for (; value >= 0x80; value >>= 7)
		out[length++] = (char)(value | 0x80);
	out[length++] = (char)value;
	message->length_bytes += length;
}

void protobuf_varint(struct protobuf *message, uint64_t value)
{
	put_varint(message, value);
}

static inline void put_key(struct protobuf *message, uint32_t field, enum wire_type type)
{
	put_varint(message, (uint64_t)field << 3 | (uint64_t)type);
}

void protobuf_uint(struct protobuf *message, uint32_t field, uint64_t value)
{
	put_key(message, field, WIRE_VARINT);
	put_varint(message, value);
}

void protobuf_int(struct protobuf *message, uint32_t field, int64_t value)
{
	protobuf_uint(message, field, (uint64_t)value);
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value)
{
	char *out;

	put_key(message, field, WIRE_FIXED64);
	out = grow(message, 8);
	for (int i = 0; i < 8; i++)
		out[i] = (char)(value >> (8 * i));
	message->length_bytes += 8;
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t length_bytes)
{
	put_key(message, field, WIRE_BYTES);
	put_varint(message, length_bytes);
	if (length_bytes)
		memcpy(grow(message, length_bytes), bytes, length_bytes);
	message->length_bytes += length_bytes;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *nested)
{
	protobuf_bytes(message, field, nested->bytes, nested->length_bytes);
}

void protobuf_clear(struct protobuf *message)
{
	message->length_bytes = 0;
}

void protobuf_done(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){};
}
