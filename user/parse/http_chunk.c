#include "parse/http_chunk.h"

/* 15 hexadecimal digits stay below 2^60, so that sums of sizes cannot overflow. */
enum { DIGITS_MAX = 15 };

void http_chunks_start(struct http_chunks *chunks)
{
	*chunks = (struct http_chunks){.phase = HTTP_CHUNK_SIZE};
}

static int hex_digit(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static enum http_head_step end_size_line(struct http_chunks *chunks, struct http_head_machine *trailer)
{
	if (chunks->digits == 0)
		return HTTP_HEAD_INVALID;
	chunks->digits = 0;
	chunks->phase = HTTP_CHUNK_DATA;
	if (chunks->size_bytes == 0) {
		chunks->phase = HTTP_CHUNK_TRAILER;
		http_head_start_trailer(trailer);
	}
	return HTTP_HEAD_MORE;
}

static enum http_head_step step_size(struct http_chunks *chunks, struct http_head_machine *trailer, uint8_t byte)
{
	int digit = hex_digit(byte);

	if (byte == '\n')
		return end_size_line(chunks, trailer);
	if (digit >= 0) {
		if (chunks->digits == DIGITS_MAX)
			return HTTP_HEAD_INVALID;
		chunks->digits++;
		chunks->size_bytes = chunks->size_bytes * 16 + (uint64_t)digit;
		return HTTP_HEAD_MORE;
	}
	if (chunks->digits == 0 || (byte != ';' && byte != '\r' && byte != ' ' && byte != '\t'))
		return HTTP_HEAD_INVALID;
	chunks->phase = HTTP_CHUNK_EXTENSION;
	return HTTP_HEAD_MORE;
}

enum http_head_step http_chunks_step(struct http_chunks *chunks, struct http_head_machine *trailer, uint8_t byte,
				     uint8_t *ret_class)
{
	*ret_class = HTTP_BYTE_KEEP;
	switch (chunks->phase) {
	case HTTP_CHUNK_SIZE:
		return step_size(chunks, trailer, byte);
	case HTTP_CHUNK_EXTENSION:
		if (byte == '\n')
			return end_size_line(chunks, trailer);
		*ret_class = HTTP_BYTE_SECRET; /* signatures, in some protocols */
		return HTTP_HEAD_MORE;
	case HTTP_CHUNK_DATA:
		*ret_class = HTTP_BYTE_BODY;
		if (--chunks->size_bytes == 0)
			chunks->phase = HTTP_CHUNK_DATA_END;
		return HTTP_HEAD_MORE;
	case HTTP_CHUNK_DATA_END:
		if (byte == '\n')
			chunks->phase = HTTP_CHUNK_SIZE;
		return byte == '\n' || byte == '\r' ? HTTP_HEAD_MORE : HTTP_HEAD_INVALID;
	case HTTP_CHUNK_TRAILER:
		return http_head_step(trailer, byte, ret_class);
	}
	return HTTP_HEAD_INVALID;
}

uint64_t http_chunks_skip(struct http_chunks *chunks, uint64_t length)
{
	if (chunks->phase != HTTP_CHUNK_DATA)
		return 0;
	if (length > chunks->size_bytes)
		length = chunks->size_bytes;
	chunks->size_bytes -= length;
	if (chunks->size_bytes == 0)
		chunks->phase = HTTP_CHUNK_DATA_END;
	return length;
}
