/* The inbound stream: bytes become requests. See http.c for how the streams meet. */
#include "parse/http_connection.h"

#include <stdlib.h>
#include <string.h>

void http_inbound_start(struct http_connection *connection)
{
	connection->in.state = HTTP_IN_HEAD;
	connection->in.request = -1;
	connection->in.is_resyncing = false;
	http_head_start(&connection->in.machine, false);
}

/* Bytes of nobody: most likely the rest of a body, but if an answer comes, they were a request. */
static void add_stray(struct http_connection *connection, const struct http_request *record)
{
	struct http_request *stray = &connection->exchange.record;

	if (!connection->has_stray) {
		connection->has_stray = true;
		connection->exchange = (struct http_pending){.record = *record};
		return;
	}
	stray->bytes_in += record->bytes_in;
	stray->last_read_ns = record->last_read_ns;
}

/* What looked like a request line after a gap was none. */
void http_inbound_resync_failed(struct http_connection *connection)
{
	struct http_inbound *in = &connection->in;
	int request = in->request;

	http_inbound_start(connection);
	in->state = HTTP_IN_RESYNC;
	if (request == 0 && connection->out.has_request) {
		http_connection_lose(connection); /* it is being answered all the same */
	} else if (request >= 0) {
		add_stray(connection, &connection->pending.items[request].record);
		http_pending_done(&connection->pending.items[request]);
		http_pending_remove(connection, (size_t)request);
	}
}

static void begin_request(struct http_connection *connection, const struct http_transfer *transfer)
{
	if (connection->pending.count == HTTP_PENDING_MAX) {
		http_connection_lose(connection);
		http_opaque_join(connection, transfer);
		return;
	}
	http_pending_begin(connection, vec_push(&connection->pending), transfer, connection->in.offset);
	connection->in.request = (int)connection->pending.count - 1;
	/* One whose response only seems to go on, because its end was not seen, says nothing. */
	if (connection->pending.count > 1 + (size_t)(connection->out.state == HTTP_OUT_LOST))
		connection->is_pipelining = true;
}

/* Copies what the machine knows of the request to its pending entry. */
static void take_request_line(struct http_connection *connection)
{
	struct http_pending *pending = http_inbound_request(connection);
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

/* Where the request ends is not known any more. The next one could hide in its bytes if the client pipelines, or if
 * the response has begun and its end is not known either: then nothing is known. */
static void lose_request(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_pending *pending = http_inbound_request(connection);

	connection->in.state = pending ? HTTP_IN_LOST : HTTP_IN_RESYNC;
	if (pending)
		pending->record.is_bytes_in_estimated = true;
	if (connection->is_pipelining ||
	    (connection->in.request == 0 && connection->out.has_request && connection->out.state == HTTP_OUT_LOST)) {
		http_connection_lose(connection);
		http_opaque_join(connection, transfer);
	}
}

static void end_request_head(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_inbound *in = &connection->in;
	struct http_pending *pending = http_inbound_request(connection);
	const struct http_head *head = &in->machine.head;

	if (head->protocol == HTTP_H2C) {
		http_opaque_start(connection, HTTP_H2C);
		http_opaque_join(connection, transfer);
		return;
	}
	if (pending) {
		pending->is_expecting = head->is_expect_continue;
		pending->is_h2c_upgrade = head->is_h2c_upgrade;
	}
	if (head->is_framing_invalid || strcmp(head->method, "CONNECT") == 0) {
		/* A tunnel's bytes may follow: whether they do, the answer tells. */
		lose_request(connection, transfer);
	} else if (head->is_chunked) {
		in->state = HTTP_IN_CHUNKS;
		http_chunks_start(&in->chunks);
	} else if (head->has_content_length && head->content_length > 0) {
		in->state = HTTP_IN_BODY;
		in->remaining = head->content_length;
	} else {
		http_inbound_start(connection);
	}
}

static void count_inbound(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_pending *pending = http_inbound_request(connection);

	connection->in.offset += length;
	if (pending)
		http_pending_read(pending, transfer, length);
}

static void count_stray(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_pending stray = {};

	http_pending_begin(connection, &stray, transfer, connection->in.offset);
	http_pending_read(&stray, transfer, length);
	add_stray(connection, &stray.record);
	connection->in.offset += length;
}

/* Earlier bytes of this piece turned out to be secret: user-info before its '@'. */
static void mark_back(uint8_t *classes, size_t at, size_t count)
{
	for (size_t i = 1; classes && i <= count && i <= at; i++)
		classes[at - i] = HTTP_BYTE_SECRET;
}

/* Takes bytes of a request's head; returns how many were consumed (all, up to the head's end, or up to the invalid
 * byte). */
static size_t inbound_head(struct http_connection *connection, const struct http_transfer *transfer,
			   const uint8_t *bytes, size_t length, uint8_t *classes)
{
	struct http_inbound *in = &connection->in;
	struct http_head_machine *machine = &in->machine;
	size_t line = 0; /* where the line begins, or this part of it */

	for (size_t i = 0; i < length; i++) {
		bool was_before = machine->phase == HTTP_PHASE_BEFORE, was_line = machine->is_line_complete;
		uint8_t class;
		enum http_head_step step = http_head_step(machine, bytes[i], &class);

		if (step == HTTP_HEAD_INVALID) {
			http_mark_payload(classes, line, i);
			if (in->is_resyncing)
				http_inbound_resync_failed(connection);
			else if (in->offset == 0 && bytes[i] == 0x16) /* TLS: a handshake record */
				http_opaque_start(connection, HTTP_TLS);
			else
				http_connection_lose(connection);
			if (connection->is_opaque)
				http_opaque_join(connection, transfer);
			return i;
		}
		if (classes)
			classes[i] = class;
		mark_back(classes, i, machine->secret_back);
		machine->secret_back = 0;
		if (machine->phase == HTTP_PHASE_BEFORE)
			line = i + 1;
		if (was_before && machine->phase != HTTP_PHASE_BEFORE) {
			begin_request(connection, transfer);
			if (connection->is_opaque)
				return i;
		}
		count_inbound(connection, transfer, 1);
		if (!was_line && machine->is_line_complete) {
			if (in->is_resyncing && !http_is_standard_method(machine->head.method)) {
				http_inbound_resync_failed(connection);
				if (connection->is_opaque)
					http_opaque_join(connection, transfer);
				return i + 1;
			}
			connection->was_http = true;
			in->is_resyncing = connection->has_stray = false;
			take_request_line(connection);
		}
		if (step == HTTP_HEAD_DONE) {
			end_request_head(connection, transfer);
			return i + 1;
		}
	}
	mark_back(classes, length, http_head_hide_authority(machine));
	return length;
}

static size_t inbound_chunks(struct http_connection *connection, const struct http_transfer *transfer,
			     const uint8_t *bytes, size_t length, uint8_t *classes)
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
			http_mark_payload(classes, i, i); /* so that the stored form loses its place here, too */
			lose_request(connection, transfer);
			return i;
		}
		if (classes)
			classes[i] = class;
		count_inbound(connection, transfer, 1);
		if (step == HTTP_HEAD_DONE) {
			http_inbound_start(connection);
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
		http_inbound_start(connection);
	return length;
}

void http_inbound_bytes(struct http_connection *connection, const struct http_transfer *transfer,
			const uint8_t *bytes, size_t length, uint8_t *classes)
{
	struct http_inbound *in = &connection->in;

	while (length) {
		struct http_pending *pending = http_inbound_request(connection);
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
			case HTTP_IN_RESYNC:
				count_stray(connection, transfer, length);
				break;
			case HTTP_IN_LOST:
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
	struct http_pending *pending = http_inbound_request(connection);
	bool is_known = machine->is_line_complete || machine->phase == HTTP_PHASE_VERSION ||
			(machine->phase == HTTP_PHASE_TARGET && machine->head.target[0] == '/');

	if (in->is_resyncing) {
		http_inbound_resync_failed(connection);
	} else if (machine->phase != HTTP_PHASE_BEFORE && !pending) {
		in->state = HTTP_IN_RESYNC; /* the request was answered before its head was read */
	} else if (is_known) {
		take_request_line(connection);
		pending->record.is_head_cut = true;
		pending->record.is_target_cut |= machine->phase == HTTP_PHASE_TARGET;
		lose_request(connection, transfer);
	} else {
		http_connection_lose(connection);
	}
	if (connection->is_opaque)
		http_opaque_join(connection, transfer);
}

void http_inbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	struct http_inbound *in = &connection->in;

	while (length) {
		struct http_pending *pending = http_inbound_request(connection);
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
				lose_request(connection, transfer);
			break;
		case HTTP_IN_RESYNC:
			taken = length;
			count_stray(connection, transfer, length);
			break;
		case HTTP_IN_LOST:
			taken = length;
			count_inbound(connection, transfer, length);
			break;
		}
		length -= taken;
	}
}
