/* Connections, listening sockets and the requests that came over accepted connections.
 *
 * Requests are found by the bytes of accepted connections alone, whoever the client is. The kernel reuses socket
 * addresses: each life of one is a connection of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct model;

struct connection {
	uint64_t socket;
	uint64_t created_ns;  /* connect, accept, or the first event seen */
	uint64_t closed_ns;   /* 0: not seen */
	uint32_t first_event; /* ACCEPT, CONNECT, or the first seen */
	uint32_t pid;	      /* process that made it (0 where only an arrival was seen so far) */
	uint32_t port, peer_port;
	uint32_t peer; /* string id: address, or path of a local socket; 0 unknown */
	bool is_accepted, is_datagram, is_local;
	int32_t connect_result; /* outbound: 0, or negative errno */
	uint64_t connect_ns;	/* duration of connect calls */
	uint64_t bytes_in, bytes_out;
	uint32_t reads, writes;
	uint32_t previous_life; /* the connection that this socket was before, or NO_INDEX */
	uint32_t requests; /* outbound: exchanges seen (a write after a read or first); accepted: requests served */
};

struct listener {
	uint64_t socket;
	uint32_t pid, port;
	uint64_t listening_ns;		    /* 0: only `ready` was seen */
	uint64_t ready_ns;		    /* first wait on it, 0: not seen */
	uint32_t listen_event, ready_event; /* or NO_INDEX */
};

struct request {
	uint64_t arrival_ns, end_ns; /* [arrival, end): end is the return of the call that wrote the last byte */
	uint32_t connection;
	uint32_t index; /* in order of arrival */
	uint32_t reader,
		writer; /* threads that read its first byte and wrote the response's last (NO_INDEX: not seen) */
	uint32_t read_event, write_event; /* those calls' events, or NO_INDEX */
	uint32_t method, route;		  /* string ids; 0: opaque */
	uint32_t protocol;		  /* string id: "http/1.1", "opaque" … */
	uint32_t client_event;		  /* CLIENT_REQUEST of our own client that is this request, or NO_INDEX */
	uint16_t status;		  /* 0: not seen */
	bool is_arrival_estimated;	  /* the arrival was not seen: the return of the read that delivered it */
	bool is_end_estimated;		  /* the end is the last bytes out before the client's next bytes */
	bool is_complete;		  /* its whole response was seen */
	bool is_handshake;		  /* TLS handshake records only */
	bool is_shared;			  /* another request's window overlaps */
};

struct model_requests {
	VEC(struct connection) connections;
	VEC(struct listener) listeners;
	VEC(struct request) list; /* by arrival */
	VEC(uint32_t) arrivals;	  /* SOCKET_ARRIVAL events by time */
	struct map by_socket;	  /* the last connection of each */
};

/* The connection that a socket was at a time, or NO_INDEX. */
uint32_t model_connection_at(const struct model *model, uint64_t socket, uint64_t time_ns);
