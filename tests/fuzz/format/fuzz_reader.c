/* Recordings from strangers. The bytes are read as they are, and once more with every checksum made right, since a
 * fuzzer cannot: so it reaches what lies behind them. Any record given out must be as reader.h promises. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/reader.h"
#include "format/recording.h"
#include "format/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a hostile file may cost the fuzzer in time; the reader itself has no such limit. */
enum { RECORDS_MAX = 2 * 1024 * 1024 };

static void read_all(const uint8_t *data, size_t size)
{
	struct reader *reader;
	const struct event_header *event;
	volatile uint64_t sum = 0;

	if (size == 0)
		data = NULL;

	struct err *err = reader_open_bytes(data, size, "input", &reader);

	if (err) {
		err_free(err);
		return;
	}
	for (size_t i = 0; i < RECORDS_MAX; i++) {
		err = reader_next(reader, &event);
		if (err || !event)
			break;

		const struct schema_kind *kind = schema_by_id(event->kind);

		if (!kind || event->size < kind->fixed_bytes || (uintptr_t)event % 8 ||
		    ((const char *)event)[event->size] != '\0')
			abort();
		/* Touches every byte, for the sanitizer. */
		for (size_t at = 0; at < event->size; at += at < 256 ? 1 : 64)
			sum = sum + ((const uint8_t *)event)[at];
	}
	err_free(err);
	reader_rewind(reader);
	err_free(reader_next(reader, &event));
	reader_close(&reader);
}

/* Makes the header and each frame that follows right in magic, length and checksums. */
static void seal(uint8_t *data, size_t size)
{
	struct recording_header header;
	size_t at = sizeof(header);

	if (size < at)
		return;
	memcpy(&header, data, sizeof(header));
	memcpy(header.magic, RECORDING_MAGIC, RECORDING_MAGIC_BYTES);
	header.least_reader = RECORDING_LEAST_READER;
	header.checksum = XXH3_64bits(&header, offsetof(struct recording_header, checksum));
	memcpy(data, &header, sizeof(header));
	while (size - at >= sizeof(struct frame_header)) {
		struct frame_header frame;
		uint8_t *payload = data + at + sizeof(frame);
		size_t room = size - at - sizeof(frame);

		memcpy(&frame, data + at, sizeof(frame));
		frame.magic = FRAME_MAGIC;
		if (frame.stored_bytes > room)
			frame.stored_bytes = (uint32_t)room;
		if (frame.coding == CODING_PLAIN)
			frame.content_bytes = frame.stored_bytes;
		frame.payload_checksum = XXH3_64bits(payload, frame.stored_bytes);
		frame.header_checksum = XXH3_64bits(&frame, offsetof(struct frame_header, header_checksum));
		memcpy(data + at, &frame, sizeof(frame));
		at += sizeof(frame) + frame.stored_bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *sealed = malloc(size + !size);

	read_all(data, size);
	if (sealed) {
		memcpy(sealed, data, size);
		seal(sealed, size);
		read_all(sealed, size);
	}
	free(sealed);
	return 0;
}
