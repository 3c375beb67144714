#include "model/load.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/http.h"

/* ---- requests as the tracker reports them ---- */

struct tracker_context {
	struct load *load;
	uint32_t connection;
};

/* The event of a call on the connection that returned at a time, or NO_INDEX. */
static uint32_t find_call(const struct model *model, enum event_kind kind, uint32_t tid, uint64_t end_ns)
{
	for (uint32_t i = model_first_event_at(model, end_ns); i < model->event_count; i++) {
		const struct event_header *event = model->events[i];

		if (event->time_ns != end_ns)
			break;
		if (event->kind == kind && event->tid == tid)
			return i;
	}
	return NO_INDEX;
}

static uint32_t route_of(struct model *model, const struct http_request *http)
{
	struct strpool *strings = &model->strings;

	if (http->is_handshake)
		return strpool_add_text(strings, "TLS handshake");
	if (http->protocol != HTTP_1_0 && http->protocol != HTTP_1_1)
		return strpool_add_text(strings, http_protocol_name(http->protocol));

	char route[HTTP_METHOD_MAX + 1 + HTTP_TARGET_MAX + 1];

	snprintf(route, sizeof(route), "%s %s", http->method, http->path);
	return strpool_add_text(strings, route);
}

static void on_request(void *context, const struct http_request *http)
{
	const struct tracker_context *tracker = context;
	struct model *model = tracker->load->model;
	bool is_http = http->protocol == HTTP_1_0 || http->protocol == HTTP_1_1;

	/* A local socket that does not speak HTTP is somebody's own protocol, not a service's. */
	if (!is_http && model->requests.connections.items[tracker->connection].is_local)
		return;
	if (http->end_ns < http->start_ns)
		return;

	struct request *request = vec_push(&model->requests.list);

	*request = (struct request){
		.arrival_ns = http->start_ns,
		.end_ns = http->end_ns,
		.connection = tracker->connection,
		.reader = NO_INDEX,
		.writer = NO_INDEX,
		.read_event = NO_INDEX,
		.write_event = NO_INDEX,
		.client_event = NO_INDEX,
		.method = strpool_add_text(&model->strings, http->method),
		.route = route_of(model, http),
		.protocol = strpool_add_text(&model->strings, http_protocol_name(http->protocol)),
		.status = (uint16_t)http->status,
		.is_arrival_estimated = http->is_arrival_estimated,
		.is_end_estimated = http->is_end_estimated,
		.is_complete = http->completion == HTTP_COMPLETE && http->writer_tid != 0,
		.is_handshake = http->is_handshake,
	};
	if (http->reader_tid) {
		request->reader = model_thread_at(model, http->reader_tid, http->first_read_ns);
		request->read_event = find_call(model, EVENT_SOCKET_READ, http->reader_tid, http->first_read_ns);
	}
	if (http->writer_tid) {
		request->writer = model_thread_at(model, http->writer_tid, http->end_ns);
		request->write_event = find_call(model, EVENT_SOCKET_WRITE, http->writer_tid, http->end_ns);
	}
	model->requests.connections.items[tracker->connection].requests++;
}

/* ---- connections ---- */

static uint32_t connection_begin(struct load *load, uint64_t socket, uint32_t index)
{
	struct model *model = load->model;
	uint32_t at = (uint32_t)model->requests.connections.count;
	bool is_new;
	uint64_t *last = map_set(&model->requests.by_socket, socket, at, &is_new);
	uint32_t previous = is_new ? NO_INDEX : (uint32_t)*last;

	*last = at;
	*map_set(&load->connection_by_socket, socket, at, NULL) = at;
	*vec_push(&model->requests.connections) = (struct connection){.socket = socket,
								      .created_ns = model->events[index]->time_ns,
								      .first_event = index,
								      .previous_life = previous};
	vec_push(&load->connections);
	return at;
}

static uint32_t connection_find(struct load *load, uint64_t socket)
{
	uint64_t *place = map_find(&load->connection_by_socket, socket);

	return place ? (uint32_t)*place : NO_INDEX;
}

static uint32_t connection_of(struct load *load, uint64_t socket, uint32_t index)
{
	uint32_t at = connection_find(load, socket);

	return at == NO_INDEX ? connection_begin(load, socket, index) : at;
}

static void connection_end(struct load *load, uint32_t at, uint64_t time_ns)
{
	struct connection *connection = &load->model->requests.connections.items[at];
	struct connection_state *state = &load->connections.items[at];

	connection->closed_ns = time_ns;
	map_remove(&load->connection_by_socket, connection->socket);
	if (state->http) {
		http_feed_close(state->http, time_ns);
		http_connection_free(state->http);
		state->http = NULL;
	}
}

/* The tracker of an accepted stream, made when it is first needed. */
static struct http_connection *tracker_of(struct load *load, uint32_t at)
{
	struct connection_state *state = &load->connections.items[at];

	if (!state->http) {
		struct tracker_context *context = arena_new(&load->model->arena, struct tracker_context);

		*context = (struct tracker_context){.load = load, .connection = at};
		state->http = http_connection_new(on_request, context);
	}
	return state->http;
}

/* The kernel's probes give an address as its bytes, made-up recordings as text. */
static uint32_t peer_of_tail(struct model *model, uint32_t family, const char *tail, size_t length)
{
	static const char zeros[12];
	char text[INET6_ADDRSTRLEN];
	bool is_bytes = (family == AF_INET6 && length == sizeof(struct in6_addr)) ||
			(family == AF_INET && (length == sizeof(struct in_addr) ||
					       (length == 16 && memcmp(tail + 4, zeros, sizeof(zeros)) == 0)));

	if (is_bytes && inet_ntop((int)family, tail, text, sizeof(text)))
		return strpool_add_text(&model->strings, text);
	return strpool_add(&model->strings, tail, strnlen(tail, length));
}

/* ---- the pass ---- */

static struct listener *listener_of(struct load *load, uint64_t socket, uint32_t pid, uint32_t port)
{
	struct model_requests *requests = &load->model->requests;
	bool is_new;
	uint64_t *at =
		map_set(&load->listener_by_socket, hash_combine(socket, port), requests->listeners.count, &is_new);

	if (is_new)
		*vec_push(&requests->listeners) = (struct listener){.socket = socket,
								    .pid = pid,
								    .port = port,
								    .listen_event = NO_INDEX,
								    .ready_event = NO_INDEX};
	return &requests->listeners.items[*at];
}

static void on_listen(struct load *load, uint32_t index, const struct event_socket_listen *event)
{
	if (event->result < 0)
		return;

	struct listener *listener = listener_of(load, event->socket, event->header.pid, event->port);

	if (listener->listening_ns == 0) {
		listener->listening_ns = event->header.time_ns;
		listener->listen_event = index;
	}
}

static void on_ready(struct load *load, uint32_t index, const struct event_socket_ready *event)
{
	struct listener *listener = listener_of(load, event->socket, event->header.pid, event->port);

	if (listener->ready_ns == 0) {
		listener->ready_ns = event->header.time_ns;
		listener->ready_event = index;
	}
}

static void on_accept(struct load *load, uint32_t thread, uint32_t index, const struct event_socket_accept *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	size_t length;
	const char *peer = MODEL_TAIL(event, &length);

	spans_add(load, thread, SPAN_SOCKET_ACCEPT, index, time_ns - event->duration_ns, time_ns);
	if (event->result < 0)
		return;

	uint32_t at = connection_find(load, event->socket);

	/* An address that was accepted before and not seen closing is another connection now. */
	if (at != NO_INDEX && model->requests.connections.items[at].pid) {
		connection_end(load, at, time_ns);
		at = NO_INDEX;
	}
	if (at == NO_INDEX)
		at = connection_begin(load, event->socket, index);

	struct connection *connection = &model->requests.connections.items[at];

	connection->is_accepted = true;
	connection->is_local = event->family == 1;
	connection->pid = event->header.pid;
	connection->port = event->port;
	connection->peer_port = event->peer_port;
	connection->peer = peer_of_tail(model, event->family, peer, length);
}

static void on_connect(struct load *load, uint32_t thread, uint32_t index, const struct event_socket_connect *event)
{
	enum { DATAGRAM_TYPE = 2, IN_PROGRESS = -115, TYPE_MASK = 0xf };
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	size_t length;
	const char *peer = MODEL_TAIL(event, &length);
	uint32_t at = connection_find(load, event->socket);

	spans_add(load, thread, SPAN_SOCKET_CONNECT, index, time_ns - event->duration_ns, time_ns);
	load->threads.items[thread].is_after_name_query = event->peer_port == 53;
	if (at != NO_INDEX && model->requests.connections.items[at].pid) {
		connection_end(load, at, time_ns);
		at = NO_INDEX;
	}
	if (at == NO_INDEX)
		at = connection_begin(load, event->socket, index);

	struct connection *connection = &model->requests.connections.items[at];

	connection->pid = event->header.pid;
	connection->is_datagram = (event->type & TYPE_MASK) == DATAGRAM_TYPE;
	connection->is_local = event->family == 1;
	connection->peer_port = event->peer_port;
	connection->peer = peer_of_tail(model, event->family, peer, length);
	connection->connect_result = event->result == IN_PROGRESS ? 0 : (int32_t)event->result;
	connection->connect_ns += event->duration_ns;
}

static void on_arrival(struct load *load, uint32_t index, const struct event_socket_arrival *event)
{
	struct model *model = load->model;
	uint32_t at = connection_of(load, event->socket, index);
	struct connection *connection = &model->requests.connections.items[at];

	*vec_push(&model->requests.arrivals) = index;
	if (connection->pid && !connection->is_accepted)
		return; /* one that the tree made itself */
	connection->is_accepted = true;
	connection->port = event->port;
	if (connection->peer_port == 0)
		connection->peer_port = event->peer_port;
	http_feed_arrival(tracker_of(load, at), event->header.time_ns, event->length);
}

static void on_transfer(struct load *load, uint32_t thread, uint32_t index, const struct event_socket_read *event)
{
	struct model *model = load->model;
	bool is_read = event->header.kind == EVENT_SOCKET_READ;
	uint64_t time_ns = event->header.time_ns;
	uint32_t at = connection_of(load, event->socket, index);
	struct connection *connection = &model->requests.connections.items[at];
	struct connection_state *state = &load->connections.items[at];

	spans_add(load, thread, is_read ? SPAN_SOCKET_READ : SPAN_SOCKET_WRITE, index, time_ns - event->duration_ns,
		  time_ns);
	load->threads.items[thread].is_after_name_query = event->peer_port == 53 && !(event->flags & SOCKET_ACCEPTED);
	if (connection->pid == 0)
		connection->pid = event->header.pid;
	if (event->flags & SOCKET_ACCEPTED)
		connection->is_accepted = true;
	connection->is_datagram |= (event->flags & SOCKET_DATAGRAM) != 0;
	connection->is_local |= (event->flags & SOCKET_LOCAL) != 0;
	if (connection->port == 0)
		connection->port = event->port;
	if (connection->peer_port == 0)
		connection->peer_port = event->peer_port;
	if (event->flags & SOCKET_PEEK)
		return;
	if (event->result > 0) {
		*(is_read ? &connection->bytes_in : &connection->bytes_out) += (uint64_t)event->result;
		*(is_read ? &connection->reads : &connection->writes) += 1;
		if (!connection->is_accepted) {
			connection->requests += !is_read && !state->has_written_since_read;
			state->has_written_since_read = !is_read;
		}
	}
	if (!connection->is_accepted || connection->is_datagram)
		return;

	size_t length;
	const char *head = MODEL_TAIL(event, &length);
	struct http_transfer transfer = {
		.time_start_ns = time_ns - event->duration_ns,
		.time_end_ns = time_ns,
		.result = event->result,
		.head = (const uint8_t *)head,
		.head_length = length,
		.last_bytes = event->last_bytes,
		.pid = event->header.pid,
		.tid = event->header.tid,
	};

	if (is_read)
		http_feed_read(tracker_of(load, at), &transfer);
	else
		http_feed_write(tracker_of(load, at), &transfer);
}

void requests_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_SOCKET_LISTEN:
		on_listen(load, index, (const struct event_socket_listen *)event);
		break;
	case EVENT_SOCKET_READY:
		on_ready(load, index, (const struct event_socket_ready *)event);
		break;
	case EVENT_SOCKET_ACCEPT:
		on_accept(load, thread, index, (const struct event_socket_accept *)event);
		break;
	case EVENT_SOCKET_CONNECT:
		on_connect(load, thread, index, (const struct event_socket_connect *)event);
		break;
	case EVENT_SOCKET_ARRIVAL:
		on_arrival(load, index, (const struct event_socket_arrival *)event);
		break;
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
		on_transfer(load, thread, index, (const struct event_socket_read *)event);
		break;
	case EVENT_SOCKET_CLOSE: {
		uint32_t at = connection_find(load, ((const struct event_socket_close *)event)->socket);

		if (at != NO_INDEX)
			connection_end(load, at, event->time_ns);
		break;
	}
	default:
		break;
	}
}

/* ---- after the pass ---- */

static int compare_requests(const void *left, const void *right)
{
	const struct request *a = left, *b = right;

	if (a->arrival_ns != b->arrival_ns)
		return a->arrival_ns < b->arrival_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->connection < b->connection ? -1 : a->connection > b->connection;
}

static void mark_shared(struct model *model)
{
	uint64_t last_end_ns = 0;
	uint32_t last = NO_INDEX;

	for (uint32_t i = 0; i < model->requests.list.count; i++) {
		struct request *request = &model->requests.list.items[i];

		request->index = i;
		if (last != NO_INDEX && request->arrival_ns < last_end_ns) {
			request->is_shared = true;
			model->requests.list.items[last].is_shared = true;
		}
		if (last == NO_INDEX || request->end_ns > last_end_ns) {
			last = i;
			last_end_ns = request->end_ns;
		}
	}
}

/* A request is our own client's where it came from the port that the client used, while it waited. */
static void match_clients(struct model *model)
{
	size_t first = 0;

	for vec_each(index, &model->texts.clients) {
		const struct event_client_request *client = MODEL_EVENT(model, *index, client_request);
		uint64_t end_ns = client->start_ns + client->total_ns;

		while (first < model->requests.list.count &&
		       model->requests.list.items[first].arrival_ns + 1000000000 < client->start_ns)
			first++;
		for (size_t i = first; i < model->requests.list.count; i++) {
			struct request *request = &model->requests.list.items[i];

			if (request->arrival_ns > end_ns)
				break;
			if (request->arrival_ns < client->start_ns || request->client_event != NO_INDEX ||
			    model->requests.connections.items[request->connection].peer_port != client->local_port ||
			    request->is_handshake)
				continue;
			request->client_event = *index;
			break;
		}
	}
}

void requests_finish(struct load *load)
{
	struct model *model = load->model;

	for (uint32_t i = 0; i < load->connections.count; i++) {
		struct connection_state *state = &load->connections.items[i];

		if (!state->http)
			continue;
		http_feed_finish(state->http, model->end_ns);
		http_connection_free(state->http);
		state->http = NULL;
	}
	if (model->requests.list.count)
		qsort(model->requests.list.items, model->requests.list.count, sizeof(*model->requests.list.items),
		      compare_requests);
	mark_shared(model);
	match_clients(model);
}

void requests_done(struct model *model)
{
	vec_done(&model->requests.connections);
	vec_done(&model->requests.listeners);
	vec_done(&model->requests.list);
	vec_done(&model->requests.arrivals);
	map_done(&model->requests.by_socket);
}

/* ---- questions ---- */

uint32_t model_connection_at(const struct model *model, uint64_t socket, uint64_t time_ns)
{
	uint64_t *place = map_find(&model->requests.by_socket, socket);
	uint32_t at = place ? (uint32_t)*place : NO_INDEX;

	while (at != NO_INDEX && model->requests.connections.items[at].created_ns > time_ns)
		at = model->requests.connections.items[at].previous_life;
	return at;
}
