/* Two streams of bytes, each with holes, and a queue between them.
 *
 * Inbound bytes make requests, which wait in `pending` in order of arrival; outbound bytes answer the first of them. Both streams
 * are consumed piece by piece: the visible head of a transfer, a count of hidden bytes, then the last bytes. A state knows how to
 * take visible bytes and how to take hidden ones: a body whose length is known skips both alike, anything else loses its place
 * at a hidden byte, and then says so (HTTP_IN_LOST, HTTP_OUT_LOST, or the whole connection becomes opaque).
 *
 * The streams are not in lockstep: on loopback a client often has its answer, and its next request is at the server, before the
 * server's write() has returned; servers answer before they have read the whole request; clients pipeline. So nothing is
 * concluded from the order of reads and writes except where the text says so.
 *
 * Reads that find nothing (-EAGAIN) are of use: whatever was said to have arrived before such a call and has not been read
 * was counted twice (a retransmission). */
#include "parse/http_connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct http_connection *http_connection_new(http_request_callback *callback, void *context)
{
	struct http_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		memory_exhausted();
	connection->callback = callback;
	connection->context = context;
	connection->in.request = -1;
	http_head_start(&connection->in.machine, false);
	http_head_start(&connection->out.machine, true);
	return connection;
}

static void release(struct http_connection *connection)
{
	for vec_each (pending, &connection->pending)
		http_pending_done(pending);
	vec_done(&connection->pending);
	http_pending_done(&connection->exchange);
}

void http_connection_free(struct http_connection *connection)
{
	if (!connection)
		return;
	release(connection);
	free(connection);
}

static void restart(struct http_connection *connection)
{
	http_request_callback *callback = connection->callback;
	void *context = connection->context;

	release(connection);
	*connection = (struct http_connection){.callback = callback, .context = context, .in.request = -1};
	http_head_start(&connection->in.machine, false);
	http_head_start(&connection->out.machine, true);
}

size_t http_pending(const struct http_connection *connection)
{
	return connection->pending.count + connection->has_exchange;
}

void http_feed_arrival(struct http_connection *connection, uint64_t time_ns, uint64_t length_bytes)
{
	http_arrivals_add(&connection->arrivals, time_ns, length_bytes);
}

/* ---- what ends ---- */

/* HTTP's framing is lost. Not called lost where it never was HTTP. */
static void lose(struct http_connection *connection)
{
	connection->is_lost = connection->was_http;
	http_opaque_start(connection, HTTP_OPAQUE);
}

static struct http_pending *inbound_request(struct http_connection *connection)
{
	return connection->in.request >= 0 ? &connection->pending.items[connection->in.request] : NULL;
}

static struct http_pending *outbound_request(struct http_connection *connection)
{
	return connection->out.has_request ? &connection->pending.items[0] : NULL;
}

static void remove_pending(struct http_connection *connection, size_t index)
{
	connection->pending.count--;
	memmove(connection->pending.items + index, connection->pending.items + index + 1,
		(connection->pending.count - index) * sizeof(connection->pending.items[0]));
}

/* The first pending request was answered: where do the inbound bytes stand that still belong to it? */
static void leave_answered(struct http_connection *connection)
{
	struct http_inbound *in = &connection->in;
	struct http_pending *front = &connection->pending.items[0];

	if (in->request > 0) {
		in->request--;
		return;
	}
	if (in->request < 0)
		return;
	in->request = -1;
	if (in->state == HTTP_IN_LOST)
		in->state = HTTP_IN_RESYNC;
	/* Refused before it was asked to go on: the client may send the body or not (RFC 9110, section 10.1.1). */
	if ((in->state == HTTP_IN_BODY || in->state == HTTP_IN_CHUNKS) && front->is_expecting && !front->has_interim &&
	    !front->has_body)
		in->state = HTTP_IN_RESYNC;
}

/* The response that is being written ended at the byte before. */
static void finish_response(struct http_connection *connection, bool is_estimated)
{
	struct http_outbound *out = &connection->out;

	out->state = HTTP_OUT_HEAD;
	http_head_start(&out->machine, true);
	if (!out->has_request)
		return;
	out->has_request = false;
	leave_answered(connection);
	connection->pending.items[0].record.is_end_estimated = is_estimated;
	http_pending_report(connection, &connection->pending.items[0], HTTP_COMPLETE,
			    connection->pending.items[0].record.end_ns);
	remove_pending(connection, 0);
}

/* ---- inbound: requests ---- */

static void inbound_head_start(struct http_connection *connection)
{
	connection->in.state = HTTP_IN_HEAD;
	connection->in.request = -1;
	connection->in.is_resyncing = false;
	http_head_start(&connection->in.machine, false);
}

/* What looked like a request line after a gap was none. */
static void resync_failed(struct http_connection *connection)
{
	struct http_inbound *in = &connection->in;
	int request = in->request;

	inbound_head_start(connection);
	in->state = HTTP_IN_RESYNC;
	if (request == 0 && connection->out.has_request)
		lose(connection); /* it is being answered all the same */
	else if (request >= 0) {
		http_pending_done(&connection->pending.items[request]);
		remove_pending(connection, (size_t)request);
	}
}

static void begin_request(struct http_connection *connection, const struct http_transfer *transfer)
{
	if (connection->pending.count == HTTP_PENDING_MAX) {
		lose(connection);
		http_opaque_read_begin(connection, transfer);
		return;
	}
	http_pending_begin(connection, vec_push(&connection->pending), transfer, connection->in.offset);
	connection->in.request = (int)connection->pending.count - 1;
}

/* Copies what the machine knows of the request to its pending entry. */
static void take_request_line(struct http_connection *connection)
{
	struct http_pending *pending = inbound_request(connection);
	struct http_head *head = &connection->in.machine.head;

	if (!pending)
		return;
	free(pending->target);
	pending->target = strdup(head->target);
	if (!pending->target)
		memory_exhausted();
	memcpy(pending->method, head->method, sizeof(pending->method));
	pending->record.protocol = head->protocol;
	pending->record.is_target_cut = head->is_target_cut;
}

static void end_request_head(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_inbound *in = &connection->in;
	struct http_pending *pending = inbound_request(connection);
	const struct http_head *head = &in->machine.head;

	if (head->protocol == HTTP_H2C) {
		http_opaque_start(connection, HTTP_H2C);
		http_opaque_read_begin(connection, transfer);
		return;
	}
	if (pending) {
		pending->is_expecting = head->is_expect_continue;
		pending->is_h2c_upgrade = head->is_h2c_upgrade;
	}
	if (head->is_framing_invalid || strcmp(head->method, "CONNECT") == 0) {
		/* A tunnel's bytes may follow: whether they do, the answer tells. */
		in->state = pending ? HTTP_IN_LOST : HTTP_IN_RESYNC;
	} else if (head->is_chunked) {
		in->state = HTTP_IN_CHUNKS;
		http_chunks_start(&in->chunks);
	} else if (head->has_content_length && head->content_length > 0) {
		in->state = HTTP_IN_BODY;
		in->remaining = head->content_length;
	} else {
		inbound_head_start(connection);
	}
}

static void count_inbound(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_pending *pending = inbound_request(connection);

	connection->in.offset += length;
	if (pending)
		http_pending_read(pending, transfer, length);
}

/* Earlier bytes of this piece turned out to be secret: user-info before its '@'. */
static void mark_back(uint8_t *classes, size_t at, size_t count)
{
	for (size_t i = 1; classes && i <= count && i <= at; i++)
		classes[at - i] = HTTP_BYTE_SECRET;
}

/* The bytes of a line that is not HTTP are payload, all but the one that shows it: so that the stored form shows it too. */
static void mark_payload(uint8_t *classes, size_t from, size_t at)
{
	if (!classes)
		return;
	memset(classes + from, HTTP_BYTE_BODY, at - from);
	classes[at] = HTTP_BYTE_KEEP;
}

/* Takes bytes of a request's head; returns how many were consumed (all, up to the head's end, or up to the invalid byte). */
static size_t inbound_head(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			   size_t length, uint8_t *classes)
{
	struct http_inbound *in = &connection->in;
	struct http_head_machine *machine = &in->machine;

	for (size_t i = 0; i < length; i++) {
		bool was_before = machine->phase == HTTP_PHASE_BEFORE, was_line = machine->is_line_complete;
		uint8_t class;
		enum http_head_step step = http_head_step(machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			mark_payload(classes, 0, i);
			if (in->is_resyncing)
				resync_failed(connection);
			else if (in->offset == 0 && bytes[i] == 0x16) /* TLS: a handshake record */
				http_opaque_start(connection, HTTP_TLS);
			else
				lose(connection);
			if (connection->is_opaque)
				http_opaque_read_begin(connection, transfer);
			return i;
		}
		if (classes)
			classes[i] = class;
		mark_back(classes, i, machine->secret_back);
		machine->secret_back = 0;
		if (was_before && machine->phase != HTTP_PHASE_BEFORE) {
			begin_request(connection, transfer);
			if (connection->is_opaque)
				return i;
		}
		count_inbound(connection, transfer, 1);
		if (!was_line && machine->is_line_complete) {
			connection->was_http = true;
			in->is_resyncing = false;
			take_request_line(connection);
		}
		if (step == HTTP_HEAD_DONE) {
			end_request_head(connection, transfer);
			return i + 1;
		}
	}
	/* The authority may yet turn out to hold user-info, and this part of it is about to be stored. */
	if (machine->is_in_authority)
		mark_back(classes, length, machine->authority_bytes);
	return length;
}

static size_t inbound_chunks(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			     size_t length, uint8_t *classes)
{
	struct http_inbound *in = &connection->in;

	for (size_t i = 0; i < length; i++) {
		size_t skipped = http_chunks_skip(&in->chunks, length - i);
		uint8_t class;

		if (skipped) {
			count_inbound(connection, transfer, skipped);
			i += skipped - 1;
			continue;
		}

		enum http_head_step step = http_chunks_step(&in->chunks, &in->machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			in->state = inbound_request(connection) ? HTTP_IN_LOST : HTTP_IN_RESYNC;
			return i;
		}
		if (classes)
			classes[i] = class;
		count_inbound(connection, transfer, 1);
		if (step == HTTP_HEAD_DONE) {
			inbound_head_start(connection);
			return i + 1;
		}
	}
	return length;
}

static size_t inbound_body(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_inbound *in = &connection->in;

	if (length > in->remaining)
		length = in->remaining;
	in->remaining -= length;
	count_inbound(connection, transfer, length);
	if (in->remaining == 0)
		inbound_head_start(connection);
	return length;
}

static void inbound_bytes(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			  size_t length, uint8_t *classes)
{
	struct http_inbound *in = &connection->in;

	while (length) {
		struct http_pending *pending = inbound_request(connection);
		size_t taken = length;

		if (pending && in->state != HTTP_IN_HEAD)
			pending->has_body = true;
		if (connection->is_opaque) {
			http_opaque_read(connection, transfer, bytes, length, classes);
		} else {
			switch (in->state) {
			case HTTP_IN_HEAD:
				taken = inbound_head(connection, transfer, bytes, length, classes);
				break;
			case HTTP_IN_BODY:
				taken = inbound_body(connection, transfer, length);
				break;
			case HTTP_IN_CHUNKS:
				taken = inbound_chunks(connection, transfer, bytes, length, classes);
				break;
			case HTTP_IN_LOST:
			case HTTP_IN_RESYNC:
				count_inbound(connection, transfer, length);
				break;
			}
		}
		bytes += taken;
		length -= taken;
		if (classes)
			classes += taken;
	}
}

/* A hidden byte in a request's head. */
static void inbound_hidden_head(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_inbound *in = &connection->in;
	struct http_head_machine *machine = &in->machine;
	struct http_pending *pending = inbound_request(connection);
	bool is_known = machine->is_line_complete || machine->phase == HTTP_PHASE_VERSION ||
			(machine->phase == HTTP_PHASE_TARGET && machine->head.target[0] == '/');

	if (in->is_resyncing) {
		resync_failed(connection);
	} else if (machine->phase != HTTP_PHASE_BEFORE && !pending) {
		in->state = HTTP_IN_RESYNC; /* the request was answered before its head was read */
	} else if (is_known) {
		bool is_in_path = machine->phase == HTTP_PHASE_TARGET && !machine->is_in_query;

		take_request_line(connection);
		pending->record.is_head_cut = true;
		pending->record.is_target_cut |= is_in_path;
		in->state = HTTP_IN_LOST;
	} else {
		lose(connection);
	}
	if (connection->is_opaque)
		http_opaque_read_begin(connection, transfer);
}

static void inbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_inbound *in = &connection->in;

	while (length) {
		struct http_pending *pending = inbound_request(connection);
		uint64_t taken = 0;

		if (pending && in->state != HTTP_IN_HEAD)
			pending->has_body = true;
		if (connection->is_opaque) {
			http_opaque_read(connection, transfer, NULL, length, NULL);
			return;
		}
		switch (in->state) {
		case HTTP_IN_HEAD:
			inbound_hidden_head(connection, transfer);
			break;
		case HTTP_IN_BODY:
			taken = inbound_body(connection, transfer, length);
			break;
		case HTTP_IN_CHUNKS:
			taken = http_chunks_skip(&in->chunks, length);
			count_inbound(connection, transfer, taken);
			if (!taken)
				in->state = pending ? HTTP_IN_LOST : HTTP_IN_RESYNC;
			break;
		case HTTP_IN_LOST:
		case HTTP_IN_RESYNC:
			taken = length;
			count_inbound(connection, transfer, length);
			break;
		}
		length -= taken;
	}
}

/* ---- outbound: responses ---- */

static void count_outbound(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_pending *pending = outbound_request(connection);

	if (pending && length)
		http_pending_write(pending, transfer, length);
}

/* From its first byte on a response belongs to the first pending request. */
static void begin_response(struct http_connection *connection)
{
	connection->out.has_request = connection->pending.count > 0;
	if (connection->out.has_request)
		return;
	/* Without a request: a server that times out an idle connection says 408 and closes. But where bytes of the client were not
	 * understood, or none came, it is not known what this answers. */
	if (connection->in.state == HTTP_IN_RESYNC || !connection->was_http)
		lose(connection);
}

/* Where the response ends cannot be computed any more. */
static void lose_response(struct http_outbound *out, bool is_chunked)
{
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

	finish_response(connection, false);
	http_opaque_start(connection, protocol);
}

static void end_response_head(struct http_connection *connection)
{
	struct http_outbound *out = &connection->out;
	struct http_pending *pending = outbound_request(connection);
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
		finish_response(connection, false);
	} else if (out->machine.has_transfer_coding) {
		out->state = head->is_chunked ? HTTP_OUT_CHUNKS : HTTP_OUT_UNTIL_CLOSE;
		http_chunks_start(&out->chunks);
	} else if (head->is_framing_invalid) {
		lose_response(out, false);
	} else if (head->has_content_length) {
		out->state = HTTP_OUT_BODY;
		out->remaining = head->content_length;
		if (out->remaining == 0)
			finish_response(connection, false);
	} else {
		out->state = HTTP_OUT_UNTIL_CLOSE;
	}
}

static size_t outbound_head(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			    size_t length, uint8_t *classes)
{
	struct http_outbound *out = &connection->out;

	for (size_t i = 0; i < length; i++) {
		if (out->machine.phase == HTTP_PHASE_BEFORE) {
			begin_response(connection);
			if (connection->is_opaque) {
				mark_payload(classes, i, i);
				return i;
			}
		}

		uint8_t class;
		enum http_head_step step = http_head_step(&out->machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			mark_payload(classes, 0, i);
			lose(connection);
			return i;
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
			lose_response(out, true);
			return i;
		}
		if (classes)
			classes[i] = class;
		count_outbound(connection, transfer, 1);
		if (step == HTTP_HEAD_DONE) {
			finish_response(connection, false);
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
		finish_response(connection, false);
	return length;
}

static void outbound_bytes(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			   size_t length, uint8_t *classes)
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
	struct http_pending *pending = outbound_request(connection);
	uint32_t status = out->machine.head.status;

	/* After an interim status, or one that opens a tunnel, something else begins inside the hidden bytes. */
	if (!out->machine.is_line_complete || status < 200 ||
	    (pending && status < 300 && strcmp(pending->method, "CONNECT") == 0)) {
		lose(connection);
		return;
	}
	if (pending)
		pending->record.status = status;
	lose_response(out, out->machine.head.is_chunked && !is_without_body(pending, status));
}

static void outbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
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
				lose_response(out, true);
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

/* A chunked response whose chunks could not be followed ends where the stream's last bytes are the last chunk. Chunk data could hold
 * the same seven bytes at the end of a write, so the end is marked as estimated. */
static void find_last_chunk(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length,
			    uint8_t *tail_classes)
{
	static const char last_chunk[] = "\r\n0\r\n\r\n";
	struct http_outbound *out = &connection->out;
	unsigned int moved_bits = length < HTTP_LAST_BYTES ? 8 * (unsigned int)length : 64;
	uint64_t pattern = 0;

	memcpy(&pattern, last_chunk, sizeof(last_chunk) - 1);
	out->window = moved_bits == 64 ? transfer->last_bytes :
					 (out->window >> moved_bits) |
						 (transfer->last_bytes >> (64 - moved_bits) << (64 - moved_bits));
	if (!out->is_chunked)
		return;
	for (size_t i = 0; tail_classes && i < HTTP_LAST_BYTES; i++) {
		uint8_t byte = (uint8_t)(transfer->last_bytes >> (8 * i));

		if (byte == '\r' || byte == '\n' || byte == '0')
			tail_classes[i] = HTTP_BYTE_KEEP;
	}
	if (out->window >> 8 == pattern)
		finish_response(connection, true);
}

/* ---- transfers ---- */

typedef void consume_bytes(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
			   size_t length, uint8_t *classes);
typedef void consume_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length);

/* Splits a transfer into visible and hidden pieces. */
static void feed_pieces(struct http_connection *connection, const struct http_transfer *transfer, consume_bytes *bytes,
			consume_hidden *hidden)
{
	uint64_t length = (uint64_t)transfer->result, at;
	size_t head = transfer->head && transfer->head_length < length ? transfer->head_length :
		      transfer->head					? (size_t)length :
									  0;
	size_t tail = length < HTTP_LAST_BYTES ? (size_t)length : HTTP_LAST_BYTES;
	uint64_t tail_start = length - tail;
	uint8_t *tail_classes = transfer->classes ? transfer->classes + transfer->head_length : NULL;

	bytes(connection, transfer, transfer->head, head, transfer->classes);
	at = head;
	if (at < tail_start) {
		hidden(connection, transfer, tail_start - at);
		at = tail_start;
	}
	for (size_t i = HTTP_LAST_BYTES - tail; i < HTTP_LAST_BYTES; i++) {
		uint64_t position = tail_start + (i - (HTTP_LAST_BYTES - tail));
		uint8_t byte = (uint8_t)(transfer->last_bytes >> (8 * i));

		if (position < at) { /* it was in the head, too */
			if (tail_classes)
				tail_classes[i] = transfer->classes[position];
		} else if (byte == 0) {
			hidden(connection, transfer, 1);
		} else {
			bytes(connection, transfer, &byte, 1, tail_classes ? tail_classes + i : NULL);
		}
	}
}

static void clear_classes(const struct http_transfer *transfer)
{
	if (transfer->classes)
		memset(transfer->classes, HTTP_BYTE_BODY, transfer->head_length + HTTP_LAST_BYTES);
}

/* Whether a transfer begins with a whole request line. */
static bool begins_with_request(const struct http_transfer *transfer)
{
	struct http_head_machine machine;
	size_t length = transfer->head_length < (uint64_t)transfer->result ? transfer->head_length : (size_t)transfer->result;
	uint8_t class;

	http_head_start(&machine, false);
	for (size_t i = 0; transfer->head && i < length && !machine.is_line_complete; i++)
		if (http_head_step(&machine, transfer->head[i], &class) != HTTP_HEAD_MORE)
			return false;
	return machine.is_line_complete;
}

/* The client sends again after a response of unknown end: that was its end, if the bytes are a new request and not the rest of
 * the old one. */
static void settle_lost_response(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_outbound *out = &connection->out;
	struct http_inbound *in = &connection->in;

	if (out->state != HTTP_OUT_LOST || !out->has_request)
		return;
	if (connection->pending.count > 1)
		lose(connection); /* pipelined: where the one answer ends and the next begins is not known */
	else if (in->request < 0 || (in->state == HTTP_IN_LOST && begins_with_request(transfer)))
		finish_response(connection, true);
}

void http_feed_read(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_inbound *in = &connection->in;
	uint64_t from = in->offset, to;

	clear_classes(transfer);
	if (transfer->result == -EAGAIN)
		http_arrivals_drained(&connection->arrivals, from, transfer->time_start_ns);
	if (transfer->result <= 0 || __builtin_add_overflow(from, (uint64_t)transfer->result, &to))
		return;
	http_arrivals_check(&connection->arrivals, from, to, transfer->time_end_ns);
	if (!connection->is_opaque)
		settle_lost_response(connection, transfer);
	if (connection->is_opaque) {
		http_opaque_read_begin(connection, transfer);
	} else if (in->state == HTTP_IN_RESYNC) {
		inbound_head_start(connection);
		in->is_resyncing = true;
	}
	feed_pieces(connection, transfer, inbound_bytes, inbound_hidden);
	http_arrivals_forget(&connection->arrivals, in->offset);
}

void http_feed_write(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_outbound *out = &connection->out;

	clear_classes(transfer);
	if (transfer->result <= 0)
		return;
	feed_pieces(connection, transfer, outbound_bytes, outbound_hidden);
	if (!connection->is_opaque && out->state == HTTP_OUT_LOST)
		find_last_chunk(connection, transfer, (uint64_t)transfer->result,
				transfer->classes ? transfer->classes + transfer->head_length : NULL);
}

/* ---- the end ---- */

static void report_rest(struct http_connection *connection, uint64_t time_ns, bool is_recording_end)
{
	enum http_outbound_state state = connection->out.state;

	http_opaque_end(connection, time_ns, is_recording_end);
	if (connection->in.is_resyncing && connection->in.request >= 0)
		resync_failed(connection);
	if (connection->out.has_request &&
	    (state == HTTP_OUT_LOST || (state == HTTP_OUT_UNTIL_CLOSE && !is_recording_end)))
		finish_response(connection, state == HTTP_OUT_LOST);
	for vec_each (pending, &connection->pending)
		http_pending_report(connection, pending, is_recording_end ? HTTP_UNFINISHED : HTTP_ABORTED,
				    pending->record.bytes_out ? pending->record.end_ns : time_ns);
	connection->pending.count = 0;
	http_opaque_end(connection, time_ns, is_recording_end);
	restart(connection);
}

void http_feed_close(struct http_connection *connection, uint64_t time_ns)
{
	report_rest(connection, time_ns, false);
}

void http_feed_finish(struct http_connection *connection, uint64_t time_ns)
{
	report_rest(connection, time_ns, true);
}
