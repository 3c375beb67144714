#include "record/live.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/config.h"
#include "parse/redact.h"

void live_init(struct live *live, live_request_callback *callback, void *context)
{
	*live = (struct live){.callback = callback, .context = context};
}

static void on_request(void *context, const struct http_request *request)
{
	struct live_connection *connection = context;
	struct live *live = connection->live;
	char route[HTTP_METHOD_MAX + HTTP_TARGET_MAX + 2];
	int length = snprintf(route, sizeof(route), "%s %s", request->method, request->path);
	uint32_t id = strpool_add(&live->routes, route, (size_t)length);
	struct live_request reported = {.request = request};

	while (live->is_route_known.count <= id)
		*vec_push(&live->is_route_known) = false;
	reported.is_first_of_route = !live->is_route_known.items[id];
	live->is_route_known.items[id] = true;
	if (request->completion == HTTP_COMPLETE)
		live->completed++;
	live->callback(live->context, &reported);
}

static struct http_connection *connection_of(struct live *live, uint64_t socket)
{
	bool is_new;
	uint64_t *index = map_set(&live->by_socket, socket, live->connections.count, &is_new);

	if (is_new) {
		struct live_connection *connection = calloc(1, sizeof(*connection));

		if (!connection)
			memory_exhausted();
		connection->live = live;
		connection->http = http_connection_new(on_request, connection);
		*vec_push(&live->connections) = connection;
	}
	return live->connections.items[*index]->http;
}

static struct event_socket_read *copy_record(struct live *live, const struct event_header *event)
{
	if (live->record_capacity < event->size) {
		live->record_capacity = event->size * 2;
		live->record = realloc(live->record, live->record_capacity);
		if (!live->record)
			memory_exhausted();
	}
	memcpy(live->record, event, event->size);
	return (struct event_socket_read *)live->record;
}

/* SOCKET_READ and SOCKET_WRITE have one layout. */
static const struct event_header *feed_transfer(struct live *live, const struct event_header *event)
{
	struct event_socket_read *record = copy_record(live, event);
	struct http_connection *http = connection_of(live, record->socket);
	size_t head_length = record->header.size - offsetof(struct event_socket_read, tail);
	uint8_t classes[CAPTURE_BYTES + HTTP_LAST_BYTES];
	struct http_transfer transfer = {
		.time_start_ns = record->header.time_ns - record->duration_ns,
		.time_end_ns = record->header.time_ns,
		.result = record->result,
		.head = (const uint8_t *)record->tail,
		.head_length = head_length > CAPTURE_BYTES ? CAPTURE_BYTES : head_length,
		.last_bytes = record->last_bytes,
		.pid = record->header.pid,
		.tid = record->header.tid,
		.classes = classes,
	};

	memset(classes, HTTP_BYTE_BODY, sizeof(classes));
	if (event->kind == EVENT_SOCKET_READ)
		http_feed_read(http, &transfer);
	else
		http_feed_write(http, &transfer);
	head_length = redact_transfer(classes, (uint8_t *)record->tail, transfer.head_length, &record->last_bytes);
	record->header.size = (uint32_t)(offsetof(struct event_socket_read, tail) + head_length);
	return &record->header;
}

const struct event_header *live_feed(struct live *live, const struct event_header *event)
{
	const struct event_socket_read *transfer = (const void *)event;

	switch (event->kind) {
	case EVENT_SOCKET_ARRIVAL: {
		const struct event_socket_arrival *arrival = (const void *)event;

		http_feed_arrival(connection_of(live, arrival->socket), event->time_ns, arrival->length);
		return event;
	}
	case EVENT_SOCKET_CLOSE: {
		const struct event_socket_close *closed = (const void *)event;

		if (map_find(&live->by_socket, closed->socket))
			http_feed_close(connection_of(live, closed->socket), event->time_ns);
		return event;
	}
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
		if ((transfer->flags & SOCKET_ACCEPTED) && !(transfer->flags & SOCKET_PEEK))
			return feed_transfer(live, event);
		/* Nothing that no tracker follows is stored: a peeked read shows the same bytes again. */
		if (event->size > offsetof(struct event_socket_read, tail)) {
			struct event_socket_read *record = copy_record(live, event);

			record->header.size = offsetof(struct event_socket_read, tail);
			record->last_bytes = 0;
			return &record->header;
		}
		return event;
	default:
		return event;
	}
}

size_t live_pending(const struct live *live)
{
	size_t pending = 0;

	for vec_each(connection, &live->connections)
		pending += http_pending((*connection)->http);
	return pending;
}

void live_done(struct live *live)
{
	for vec_each(connection, &live->connections) {
		http_connection_free((*connection)->http);
		free(*connection);
	}
	vec_done(&live->connections);
	vec_done(&live->is_route_known);
	strpool_done(&live->routes);
	map_done(&live->by_socket);
	free(live->record);
	*live = (struct live){};
}
