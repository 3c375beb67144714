/* Connections that the tree made to others, by peer and phase. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum { IN_PROGRESS = -115 }; /* -EINPROGRESS: a connect that goes on in the background did not fail */

struct exchange_state { /* of one connection */
	bool has_written_since_read;
	bool has_exchanged;
};

struct connection_rows {
	const struct inventory *inventory;
	struct strpool peers; /* "10.0.0.7:5432" */
	VEC(struct report_connection) list;
	VEC(uint32_t) row_peers; /* beside list: id in peers */
	struct map by_key;	 /* peer and phase */
	struct map current;	 /* socket -> connection, as time goes by */
	uint32_t *peer_of;	 /* of each connection, 0 where it is not outbound */
	struct exchange_state *states;
	uint32_t next_connection;
};

/* ---- peers ---- */

static uint32_t name_peer(struct connection_rows *rows, const struct connection *connection)
{
	const char *address = model_text(rows->inventory->model, connection->peer);
	struct arena scratch auto_done(arena_done) = {};
	const char *text = *address ? address : "(unknown)";

	if (!connection->is_local && strchr(address, ':') && connection->peer_port)
		text = arena_format(&scratch, "[%s]:%u", address, connection->peer_port);
	else if (!connection->is_local && connection->peer_port)
		text = arena_format(&scratch, "%s:%u", text, connection->peer_port);
	if (connection->is_datagram)
		text = arena_format(&scratch, "%s/udp", text);
	return strpool_add_text(&rows->peers, text);
}

static struct report_connection *row_of(struct connection_rows *rows, uint32_t peer, enum phase phase)
{
	bool is_new;
	uint64_t *place = map_set(&rows->by_key, (uint64_t)peer << 3 | (uint64_t)phase, rows->list.count, &is_new);

	if (is_new) {
		struct report_connection *row = vec_push(&rows->list);

		row->peer = strpool_text(&rows->peers, peer);
		row->phase = phase;
		*vec_push(&rows->row_peers) = peer;
	}
	return &rows->list.items[*place];
}

/* Connections are in order of their making: those made by now replace older ones of the same socket. */
static uint32_t connection_now(struct connection_rows *rows, uint64_t socket, uint64_t time_ns)
{
	const struct model_requests *requests = &rows->inventory->model->requests;
	uint64_t *place;

	while (rows->next_connection < requests->connections.count &&
	       requests->connections.items[rows->next_connection].created_ns <= time_ns) {
		*map_set(&rows->current, requests->connections.items[rows->next_connection].socket, 0, NULL) =
			rows->next_connection;
		rows->next_connection++;
	}
	place = map_find(&rows->current, socket);
	return place ? (uint32_t)*place : NO_INDEX;
}

/* ---- events ---- */

static void on_connect(struct connection_rows *rows, const struct event_socket_connect *event)
{
	const struct model *model = rows->inventory->model;
	uint32_t connection = connection_now(rows, event->socket, event->header.time_ns);
	struct report_connection *row;

	if (connection == NO_INDEX || rows->peer_of[connection] == 0)
		return;
	row = row_of(rows, rows->peer_of[connection],
		     phase_of_time(rows->inventory->report, model, event->header.time_ns));
	row->connects++;
	row->failed += event->result < 0 && event->result != IN_PROGRESS;
	row->connect_ns += (int64_t)event->duration_ns;
}

static void on_transfer(struct connection_rows *rows, const struct event_socket_read *event)
{
	const struct model *model = rows->inventory->model;
	bool is_read = event->header.kind == EVENT_SOCKET_READ;
	uint32_t connection = connection_now(rows, event->socket, event->header.time_ns);
	struct report_connection *row;
	struct exchange_state *state;

	if (connection == NO_INDEX || rows->peer_of[connection] == 0 || event->result <= 0 ||
	    event->flags & SOCKET_PEEK)
		return;
	row = row_of(rows, rows->peer_of[connection],
		     phase_of_time(rows->inventory->report, model, event->header.time_ns));
	*(is_read ? &row->bytes_in : &row->bytes_out) += event->result;
	state = &rows->states[connection];
	if (!is_read && !state->has_written_since_read) {
		row->reused += state->has_exchanged;
		state->has_exchanged = true;
	}
	state->has_written_since_read = !is_read;
}

/* ---- most at once ---- */

struct edge {
	uint64_t time_ns;
	uint32_t peer;
	int32_t change; /* closed ones go before those made at the same time */
};

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->change - b->change;
}

/* How many were open when a phase began counts for it as well. */
static void raise_most(struct connection_rows *rows, uint32_t peer, enum phase from, enum phase to, int64_t open)
{
	for (int phase = (int)from; phase <= (int)to; phase++) {
		uint64_t *place = map_find(&rows->by_key, (uint64_t)peer << 3 | (uint64_t)phase);

		if (place && rows->list.items[*place].most_at_once < open)
			rows->list.items[*place].most_at_once = open;
	}
}

static void find_most_at_once(struct connection_rows *rows)
{
	const struct model *model = rows->inventory->model;
	const struct report *report = rows->inventory->report;
	VEC(struct edge) edges = {};
	int64_t open = 0;

	for (uint32_t i = 0; i < model->requests.connections.count; i++) {
		const struct connection *connection = &model->requests.connections.items[i];

		if (rows->peer_of[i] == 0 || connection->connect_result < 0)
			continue;
		*vec_push(&edges) =
			(struct edge){.time_ns = connection->created_ns, .peer = rows->peer_of[i], .change = 1};
		if (connection->closed_ns)
			*vec_push(&edges) = (struct edge){
				.time_ns = connection->closed_ns, .peer = rows->peer_of[i], .change = -1};
	}
	if (edges.count)
		qsort(edges.items, edges.count, sizeof(*edges.items), compare_edges);
	for (size_t i = 0; i < edges.count; i++) {
		const struct edge *edge = &edges.items[i];
		bool is_last = i + 1 == edges.count || edges.items[i + 1].peer != edge->peer;
		uint64_t until_ns = is_last ? UINT64_MAX : edges.items[i + 1].time_ns;

		open = (i == 0 || edges.items[i - 1].peer != edge->peer) ? edge->change : open + edge->change;
		raise_most(rows, edge->peer, phase_of_time(report, model, edge->time_ns),
			   until_ns == UINT64_MAX ? PHASE_SHUTDOWN : phase_of_time(report, model, until_ns), open);
	}
	vec_done(&edges);
}

/* ---- the table ---- */

static int compare_connections(const void *left, const void *right)
{
	const struct report_connection *a = left, *b = right;
	int order = strcmp(a->peer, b->peer);

	return order ? order : (int)a->phase - (int)b->phase;
}

static void rows_done(struct connection_rows *rows)
{
	strpool_done(&rows->peers);
	vec_done(&rows->list);
	vec_done(&rows->row_peers);
	map_done(&rows->by_key);
	map_done(&rows->current);
}

void inventory_connections(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct connection_rows rows auto_done(rows_done) = {.inventory = inventory};
	struct arena scratch auto_done(arena_done) = {};
	size_t count = model->requests.connections.count;

	if (!is_observed(model, "sockets"))
		return;
	rows.peer_of = arena_array(&scratch, uint32_t, count);
	rows.states = arena_array(&scratch, struct exchange_state, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct connection *connection = &model->requests.connections.items[i];

		if (!connection->is_accepted && model->events[connection->first_event]->kind == EVENT_SOCKET_CONNECT)
			rows.peer_of[i] = name_peer(&rows, connection);
	}
	for (struct event_walk walk = model_walk(model, EVENT_SOCKET_CONNECT, EVENT_SOCKET_READ, EVENT_SOCKET_WRITE);
	     model_walk_next(&walk);) {
		if (model->events[walk.index]->kind == EVENT_SOCKET_CONNECT)
			on_connect(&rows, MODEL_EVENT(model, walk.index, socket_connect));
		else
			on_transfer(&rows, MODEL_EVENT(model, walk.index, socket_read));
	}
	find_most_at_once(&rows);
	for vec_each(row, &rows.list)
		row->peer = arena_copy(&inventory->report->arena, row->peer, strlen(row->peer));
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_connections);
	inventory_put(inventory, connections, &rows.list);
}
