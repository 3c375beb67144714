/* A protocol buffers encoder: wire format only, as the readers of Perfetto's and pprof's formats expect it.
 *
 * A message is bytes that grow; a nested one is made in a message of its own and put in whole. Field numbers and
 * types are the caller's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct protobuf {
	char *bytes;
	size_t length_bytes, capacity_bytes;
};

void protobuf_uint(struct protobuf *message, uint32_t field, uint64_t value); /* uint32, uint64, enum, bool */
void protobuf_int(struct protobuf *message, uint32_t field, int64_t value);   /* int32, int64 */
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t length_bytes);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *nested);
void protobuf_varint(struct protobuf *message, uint64_t value); /* without a key: of packed fields */
void protobuf_clear(struct protobuf *message);			/* empty, with its memory kept */
void protobuf_done(struct protobuf *message);
