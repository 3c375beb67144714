/* Two streams of bytes, each with holes, and a queue between them.
 *
 * Inbound bytes make requests, which wait in `pending` in order of arrival; outbound bytes answer the first of them.
 * Both streams are consumed piece by piece: the visible head of a transfer, a count of hidden bytes, then the last
 * bytes. A state knows how to take visible bytes and how to take hidden ones: a body whose length is known skips both
 * alike, anything else loses its place at a hidden byte, and then says so (HTTP_IN_LOST, HTTP_OUT_LOST, or the whole
 * connection becomes opaque).
 *
 * The streams are not in lockstep: on loopback a client often has its answer, and its next request is at the server,
 * before the server's write() has returned; servers answer before they have read the whole request; clients pipeline.
 * So nothing is concluded from the order of reads and writes except where the text says so.
 *
 * Reads that find nothing (-EAGAIN) are of use: whatever was said to have arrived before such a call and has not been
 * read was counted twice (a retransmission). */
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
	for vec_each(pending, &connection->pending)
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

void http_connection_lose(struct http_connection *connection)
{
	if (connection->is_opaque)
		return;
	connection->is_lost = connection->was_http;
	http_opaque_start(connection, HTTP_OPAQUE);
}

struct http_pending *http_inbound_request(struct http_connection *connection)
{
	return connection->in.request >= 0 ? &connection->pending.items[connection->in.request] : NULL;
}

struct http_pending *http_outbound_request(struct http_connection *connection)
{
	return connection->out.has_request ? &connection->pending.items[0] : NULL;
}

void http_pending_remove(struct http_connection *connection, size_t index)
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
	if ((in->state == HTTP_IN_BODY || in->state == HTTP_IN_CHUNKS) && front->is_expecting &&
	    !front->has_interim && !front->has_body)
		in->state = HTTP_IN_RESYNC;
}

void http_response_finish(struct http_connection *connection, bool is_estimated)
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
	http_pending_remove(connection, 0);
}

void http_mark_payload(uint8_t *classes, size_t from, size_t at)
{
	if (!classes)
		return;
	memset(classes + from, HTTP_BYTE_BODY, at - from);
	classes[at] = HTTP_BYTE_KEEP;
}

/* ---- transfers ---- */

typedef void consume_bytes(struct http_connection *connection, const struct http_transfer *transfer,
			   const uint8_t *bytes, size_t length, uint8_t *classes);
typedef void consume_hidden(struct http_connection *connection, const struct http_transfer *transfer,
			    uint64_t length);

/* Splits a transfer into visible and hidden pieces. */
static void feed_pieces(struct http_connection *connection, const struct http_transfer *transfer,
			consume_bytes *bytes, consume_hidden *hidden)
{
	uint64_t length = (uint64_t)transfer->result, at;
	size_t head = transfer->head && transfer->head_length < length ? transfer->head_length
		      : transfer->head				       ? (size_t)length
								       : 0;
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

/* Whether a transfer begins with a whole request line (status line). */
static bool begins_with_head(const struct http_transfer *transfer, bool is_response)
{
	struct http_head_machine machine;
	size_t length =
		transfer->head_length < (uint64_t)transfer->result ? transfer->head_length : (size_t)transfer->result;
	uint8_t class;

	http_head_start(&machine, is_response);
	for (size_t i = 0; transfer->head && i < length && !machine.is_line_complete; i++)
		if (http_head_step(&machine, transfer->head[i], &class) != HTTP_HEAD_MORE)
			return false;
	return machine.is_line_complete && (is_response || http_is_standard_method(machine.head.method));
}

/* More from the client while of neither the request nor its response the end is known: a new request if it looks like
 * one. */
static void settle_before_read(struct http_connection *connection, const struct http_transfer *transfer)
{
	if (connection->out.state != HTTP_OUT_LOST || !connection->out.has_request || connection->in.request != 0 ||
	    connection->in.state != HTTP_IN_LOST)
		return;
	if (begins_with_head(transfer, false))
		http_inbound_start(connection);
	else
		http_connection_lose(connection);
}

/* A response of unknown end, and the client has sent another request since: the next response is to be seen, else the
 * client pipelines, and the end is not to be found. */
static void settle_before_write(struct http_connection *connection, const struct http_transfer *transfer)
{
	if (connection->out.state != HTTP_OUT_LOST ||
	    connection->pending.count < 1 + (size_t)connection->out.has_request)
		return;
	if (begins_with_head(transfer, true))
		http_response_finish(connection, true);
	else
		http_connection_lose(connection);
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
		settle_before_read(connection, transfer);
	if (connection->is_opaque) {
		http_opaque_read_begin(connection, transfer);
	} else if (in->state == HTTP_IN_RESYNC) {
		http_inbound_start(connection);
		in->is_resyncing = true;
	}
	feed_pieces(connection, transfer, http_inbound_bytes, http_inbound_hidden);
	http_arrivals_forget(&connection->arrivals, in->offset);
}

void http_feed_write(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_outbound *out = &connection->out;

	clear_classes(transfer);
	if (transfer->result <= 0)
		return;
	if (!connection->is_opaque)
		settle_before_write(connection, transfer);
	feed_pieces(connection, transfer, http_outbound_bytes, http_outbound_hidden);
	if (!connection->is_opaque && out->state == HTTP_OUT_LOST)
		http_outbound_find_last_chunk(connection, transfer, (uint64_t)transfer->result,
					      transfer->classes ? transfer->classes + transfer->head_length : NULL);
}

/* ---- the end ---- */

static void report_rest(struct http_connection *connection, uint64_t time_ns, bool is_recording_end)
{
	enum http_outbound_state state = connection->out.state;

	http_opaque_end(connection, time_ns, is_recording_end);
	if (connection->in.is_resyncing && connection->in.request >= 0)
		http_inbound_resync_failed(connection);
	if (connection->out.has_request &&
	    (state == HTTP_OUT_LOST || (state == HTTP_OUT_UNTIL_CLOSE && !is_recording_end)))
		http_response_finish(connection, state == HTTP_OUT_LOST);
	for vec_each(pending, &connection->pending)
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
