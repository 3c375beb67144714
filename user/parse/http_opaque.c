/* Requests of connections whose bytes are not understood: what the client sends and the server answers, by time
 * alone. */
#include "parse/http_connection.h"

#include <stdlib.h>
#include <string.h>

enum {
	TLS_APPLICATION_DATA = 0x17,
	TLS_MAJOR_VERSION = 3,
};

void http_pending_begin(struct http_connection *connection, struct http_pending *pending,
			const struct http_transfer *transfer, uint64_t offset)
{
	struct http_request *record = &pending->record;

	record->protocol = HTTP_1_1;
	record->arrival_ns = record->first_read_ns = record->last_read_ns = transfer->time_end_ns;
	record->is_arrival_estimated = !http_arrivals_find(&connection->arrivals, offset, &record->arrival_ns);
	record->reader_pid = transfer->pid;
	record->reader_tid = transfer->tid;
}

void http_pending_done(struct http_pending *pending)
{
	free(pending->target);
	*pending = (struct http_pending){};
}

void http_pending_read(struct http_pending *pending, const struct http_transfer *transfer, uint64_t length)
{
	pending->record.bytes_in += length;
	pending->record.last_read_ns = transfer->time_end_ns;
}

void http_pending_write(struct http_pending *pending, const struct http_transfer *transfer, uint64_t length)
{
	struct http_request *record = &pending->record;

	if (record->bytes_out == 0)
		record->first_write_ns = transfer->time_start_ns;
	record->bytes_out += length;
	record->end_ns = transfer->time_end_ns;
	record->writer_pid = transfer->pid;
	record->writer_tid = transfer->tid;
}

void http_pending_report(struct http_connection *connection, struct http_pending *pending,
			 enum http_completion completion, uint64_t end_ns)
{
	struct http_request *record = &pending->record;
	char path[HTTP_TARGET_MAX + 2] = "";

	if (pending->target)
		http_target_path(pending->target, path);
	record->method = pending->method;
	record->target = pending->target ? pending->target : "";
	record->path = path;
	record->completion = completion;
	record->end_ns = end_ns;
	record->index = connection->next_index++;
	record->is_pipelined = record->arrival_ns < connection->previous_end_ns;
	record->start_ns = record->is_pipelined ? connection->previous_end_ns : record->arrival_ns;
	/* Threads that end out of order must not give a request a negative duration. */
	if (record->start_ns > record->end_ns)
		record->start_ns = record->end_ns;
	if (end_ns > connection->previous_end_ns)
		connection->previous_end_ns = end_ns;
	connection->callback(connection->context, record);
	http_pending_done(pending);
}

/* The pending requests become one: which of them the coming bytes belong to is not known any more. */
static void merge_pending(struct http_connection *connection)
{
	struct http_request *merged = &connection->exchange.record;

	connection->has_exchange = connection->pending.count == 0 && connection->has_stray;
	connection->has_stray = false;
	for (size_t i = 0; i < connection->pending.count; i++) {
		struct http_pending *pending = &connection->pending.items[i];

		if (i == 0) {
			connection->exchange = (struct http_pending){.record = pending->record};
			connection->has_exchange = true;
			merged->status = 0;
			merged->is_head_cut = merged->is_target_cut = false;
		} else {
			merged->bytes_in += pending->record.bytes_in;
			merged->last_read_ns = pending->record.last_read_ns;
		}
		http_pending_done(pending);
	}
	connection->pending.count = 0;
	connection->in.request = -1;
	connection->in.is_resyncing = connection->out.has_request = false;
}

void http_opaque_start(struct http_connection *connection, enum http_protocol protocol)
{
	connection->is_opaque = true;
	connection->opaque_protocol = protocol;
	merge_pending(connection);
	connection->exchange.record.protocol = protocol;
	connection->exchange.record.is_connection_lost = connection->is_lost;
}

static void report_exchange(struct http_connection *connection, enum http_completion completion, uint64_t end_ns)
{
	struct http_tls *tls = &connection->tls;
	struct http_request *record = &connection->exchange.record;

	record->protocol = connection->opaque_protocol;
	record->is_handshake = record->protocol == HTTP_TLS && !tls->is_lost && !tls->has_data;
	tls->has_data = false;
	connection->has_exchange = false;
	http_pending_report(connection, &connection->exchange, completion, end_ns);
}

void http_opaque_join(struct http_connection *connection, const struct http_transfer *transfer)
{
	struct http_pending *exchange = &connection->exchange;

	if (connection->has_exchange)
		return;
	*exchange = (struct http_pending){};
	connection->has_exchange = true;
	http_pending_begin(connection, exchange, transfer, connection->in.offset);
	exchange->record.is_connection_lost = connection->is_lost;
}

void http_opaque_read_begin(struct http_connection *connection, const struct http_transfer *transfer)
{
	if (connection->has_exchange && connection->exchange.record.bytes_out > 0)
		report_exchange(connection, HTTP_COMPLETE, connection->exchange.record.end_ns);
	http_opaque_join(connection, transfer);
}

static void tls_bytes(struct http_connection *connection, const uint8_t *bytes, uint64_t length, uint8_t *classes)
{
	struct http_tls *tls = &connection->tls;

	for (uint64_t i = 0; i < length && !tls->is_lost;) {
		if (tls->remaining) {
			uint64_t skip = length - i < tls->remaining ? length - i : tls->remaining;

			tls->remaining -= skip;
			i += skip;
			continue;
		}
		if (classes)
			classes[i] = HTTP_BYTE_KEEP;
		tls->header[tls->header_bytes++] = bytes[i++];
		if (tls->header_bytes == 1)
			tls->has_data |= tls->header[0] == TLS_APPLICATION_DATA;
		if (tls->header_bytes == 2 && tls->header[1] != TLS_MAJOR_VERSION) {
			connection->opaque_protocol = HTTP_OPAQUE;
			tls->is_lost = true;
		}
		if (tls->header_bytes == TLS_HEADER_BYTES) {
			tls->remaining = (uint64_t)tls->header[3] << 8 | tls->header[4];
			tls->header_bytes = 0;
		}
	}
}

void http_opaque_read(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
		      uint64_t length, uint8_t *classes)
{
	struct http_tls *tls = &connection->tls;

	http_pending_read(&connection->exchange, transfer, length);
	connection->in.offset += length;
	if (connection->opaque_protocol != HTTP_TLS)
		return;
	if (bytes)
		tls_bytes(connection, bytes, length, classes);
	else if (length <= tls->remaining)
		tls->remaining -= length;
	else
		tls->is_lost = true;
}

void http_opaque_write(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length)
{
	/* A server that speaks without having been asked answers nothing. */
	if (connection->has_exchange)
		http_pending_write(&connection->exchange, transfer, length);
}

void http_opaque_end(struct http_connection *connection, uint64_t time_ns, bool is_recording_end)
{
	struct http_request *record = &connection->exchange.record;

	if (!connection->has_exchange)
		return;
	if (record->bytes_out > 0) {
		record->is_end_estimated = is_recording_end;
		report_exchange(connection, HTTP_COMPLETE, record->end_ns);
	} else {
		report_exchange(connection, is_recording_end ? HTTP_UNFINISHED : HTTP_ABORTED, time_ns);
	}
}
