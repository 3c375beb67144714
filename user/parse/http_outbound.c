/* The outbound stream: bytes answer requests. See http.c for how the streams meet. */
#include "parse/http_connection.h"

#include <string.h>

static void count_outbound(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_pending *pending = http_outbound_request(connection);

	if (pending && length)
		http_pending_write(pending, transfer, length);
}

/* From its first byte on a response belongs to the first pending request. */
static void begin_response(struct http_connection *connection)
{
	/* What only began to look like a request is not one that is answered. */
	if (connection->in.is_resyncing && connection->in.request == 0)
		http_inbound_resync_failed(connection);
	connection->out.has_request = connection->pending.count > 0;
	if (connection->out.has_request || connection->is_opaque)
		return;
	/* Without a request: a server that times out an idle connection says 408 and closes. But where bytes of the
	 * client were not understood, or none came, it is not known what this answers. */
	if (connection->in.state == HTTP_IN_RESYNC || connection->in.is_resyncing || !connection->was_http)
		http_connection_lose(connection);
}

/* Where the response ends cannot be computed any more. With others to come the whole connection is lost. */
static void lose_response(struct http_connection *connection, bool is_chunked)
{
	struct http_outbound *out = &connection->out;

	if (connection->pending.count > (size_t)out->has_request) {
		http_connection_lose(connection);
		return;
	}
	out->state = HTTP_OUT_LOST;
	out->is_chunked = is_chunked;
	out->window = 0;
}

static bool is_without_body(const struct http_pending *pending, uint32_t status)
{
	return status == 204 || status == 304 || (pending && strcmp(pending->method, "HEAD") == 0);
}

static void start_tunnel(struct http_connection *connection, const struct http_pending *pending)
{
	enum http_protocol protocol = pending->is_h2c_upgrade ? HTTP_H2C : HTTP_OPAQUE;

	http_response_finish(connection, false);
	http_opaque_start(connection, protocol);
}

static void end_response_head(struct http_connection *connection)
{
	struct http_outbound *out = &connection->out;
	struct http_pending *pending = http_outbound_request(connection);
	const struct http_head *head = &out->machine.head;
	uint32_t status = head->status;

	if (status < 200 && status != 101) {
		if (pending)
			pending->has_interim = true;
		http_head_start(&out->machine, true);
		return;
	}
	if (pending)
		pending->record.status = status;
	if (pending && (status == 101 || (status < 300 && strcmp(pending->method, "CONNECT") == 0))) {
		start_tunnel(connection, pending);
	} else if (is_without_body(pending, status)) {
		http_response_finish(connection, false);
	} else if (out->machine.has_transfer_coding) {
		out->state = head->is_chunked ? HTTP_OUT_CHUNKS : HTTP_OUT_UNTIL_CLOSE;
		http_chunks_start(&out->chunks);
	} else if (head->is_framing_invalid) {
		lose_response(connection, false);
	} else if (head->has_content_length) {
		out->state = HTTP_OUT_BODY;
		out->remaining = head->content_length;
		if (out->remaining == 0)
			http_response_finish(connection, false);
	} else {
		out->state = HTTP_OUT_UNTIL_CLOSE;
	}
}

static size_t outbound_head(struct http_connection *connection, const struct http_transfer *transfer,
			    const uint8_t *bytes, size_t length, uint8_t *classes)
{
	struct http_outbound *out = &connection->out;

	for (size_t i = 0; i < length; i++) {
		if (out->machine.phase == HTTP_PHASE_BEFORE) {
			begin_response(connection);
			if (connection->is_opaque) {
				http_mark_payload(classes, i, i);
				return i;
			}
		}

		uint8_t class;
		enum http_head_step step = http_head_step(&out->machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			bool was_counted = out->has_request;

			http_mark_payload(classes, 0, i);
			http_connection_lose(connection);
			return was_counted ? i : 0;
		}
		if (classes)
			classes[i] = class;
		count_outbound(connection, transfer, 1);
		if (step == HTTP_HEAD_DONE) {
			end_response_head(connection);
			return i + 1;
		}
	}
	return length;
}

static size_t outbound_chunks(struct http_connection *connection, const struct http_transfer *transfer,
			      const uint8_t *bytes, size_t length, uint8_t *classes)
{
	struct http_outbound *out = &connection->out;

	for (size_t i = 0; i < length; i++) {
		size_t skipped = http_chunks_skip(&out->chunks, length - i);
		uint8_t class;

		if (skipped) {
			count_outbound(connection, transfer, skipped);
			i += skipped - 1;
			continue;
		}

		enum http_head_step step = http_chunks_step(&out->chunks, &out->machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			http_mark_payload(classes, i, i); /* so that the stored form loses its place here, too */
			lose_response(connection, true);
			return i;
		}
		if (classes)
			classes[i] = class;
		count_outbound(connection, transfer, 1);
		if (step == HTTP_HEAD_DONE) {
			http_response_finish(connection, false);
			return i + 1;
		}
	}
	return length;
}

static size_t outbound_body(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_outbound *out = &connection->out;

	if (length > out->remaining)
		length = out->remaining;
	out->remaining -= length;
	count_outbound(connection, transfer, length);
	if (out->remaining == 0)
		http_response_finish(connection, false);
	return length;
}

void http_outbound_bytes(struct http_connection *connection, const struct http_transfer *transfer,
			 const uint8_t *bytes, size_t length, uint8_t *classes)
{
	while (length) {
		size_t taken = length;

		if (connection->is_opaque) {
			http_opaque_write(connection, transfer, length);
			return;
		}
		switch (connection->out.state) {
		case HTTP_OUT_HEAD:
			taken = outbound_head(connection, transfer, bytes, length, classes);
			break;
		case HTTP_OUT_BODY:
			taken = outbound_body(connection, transfer, length);
			break;
		case HTTP_OUT_CHUNKS:
			taken = outbound_chunks(connection, transfer, bytes, length, classes);
			break;
		case HTTP_OUT_UNTIL_CLOSE:
		case HTTP_OUT_LOST:
			count_outbound(connection, transfer, length);
			break;
		}
		bytes += taken;
		length -= taken;
		if (classes)
			classes += taken;
	}
}

/* A hidden byte in a response's head: the status is known, where the response ends is not. */
static void outbound_hidden_head(struct http_connection *connection)
{
	struct http_outbound *out = &connection->out;
	struct http_pending *pending = http_outbound_request(connection);
	uint32_t status = out->machine.head.status;

	/* After an interim status, or one that opens a tunnel, something else begins inside the hidden bytes. */
	if (!out->machine.is_line_complete || status < 200 ||
	    (pending && status < 300 && strcmp(pending->method, "CONNECT") == 0)) {
		http_connection_lose(connection);
		return;
	}
	if (pending)
		pending->record.status = status;
	lose_response(connection, out->machine.head.is_chunked && !is_without_body(pending, status));
}

void http_outbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_outbound *out = &connection->out;

	while (length) {
		uint64_t taken = 0;

		if (connection->is_opaque) {
			http_opaque_write(connection, transfer, length);
			return;
		}
		switch (out->state) {
		case HTTP_OUT_HEAD:
			outbound_hidden_head(connection);
			break;
		case HTTP_OUT_BODY:
			taken = outbound_body(connection, transfer, length);
			break;
		case HTTP_OUT_CHUNKS:
			taken = http_chunks_skip(&out->chunks, length);
			count_outbound(connection, transfer, taken);
			if (!taken)
				lose_response(connection, true);
			break;
		case HTTP_OUT_UNTIL_CLOSE:
		case HTTP_OUT_LOST:
			taken = length;
			count_outbound(connection, transfer, length);
			break;
		}
		length -= taken;
	}
}

/* A chunked response whose chunks could not be followed ends where the stream's last bytes are the last chunk. Chunk
 * data could hold the same seven bytes at the end of a write, so the end is marked as estimated. */
void http_outbound_find_last_chunk(struct http_connection *connection, const struct http_transfer *transfer,
				   uint64_t length, uint8_t *tail_classes)
{
	static const char last_chunk[] = "\r\n0\r\n\r\n";
	struct http_outbound *out = &connection->out;
	unsigned int moved_bits = length < HTTP_LAST_BYTES ? 8 * (unsigned int)length : 64;
	uint64_t pattern = 0;

	memcpy(&pattern, last_chunk, sizeof(last_chunk) - 1);
	out->window = moved_bits == 64 ? transfer->last_bytes
				       : (out->window >> moved_bits) |
						 (transfer->last_bytes >> (64 - moved_bits) << (64 - moved_bits));
	if (!out->is_chunked)
		return;
	for (size_t i = 0; tail_classes && i < HTTP_LAST_BYTES; i++) {
		uint8_t byte = (uint8_t)(transfer->last_bytes >> (8 * i));

		if (byte == '\r' || byte == '\n' || byte == '0')
			tail_classes[i] = HTTP_BYTE_KEEP;
	}
	if (out->window >> 8 == pattern)
		http_response_finish(connection, true);
}
