/* Requests as they happen: follows every accepted connection while the run is recorded, so that the run knows when a request
 * is open and which route it is the first of; and takes payloads and secrets out of what is stored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "bpf/events.h"
#include "parse/http.h"

struct live_request {
	const struct http_request *request;
	bool is_first_of_route;
};

typedef void live_request_callback(void *context, const struct live_request *request);

struct live_connection {
	struct live *live;
	struct http_connection *http;
};

struct live {
	struct map by_socket; /* socket → index of connections + 1 */
	VEC(struct live_connection *) connections;
	struct strpool routes;
	VEC(bool) is_route_known; /* by route id */
	uint64_t completed;
	char *record; /* a copy of the record being rewritten */
	size_t record_capacity;
	live_request_callback *callback;
	void *context;
};

void live_init(struct live *live, live_request_callback *callback, void *context);

/* Follows the event; returns what is to be stored for it: the event itself, or a redacted copy that is valid until the next
 * call. */
const struct event_header *live_feed(struct live *live, const struct event_header *event);

/* Requests that have begun and not ended, over all connections. */
size_t live_pending(const struct live *live);

void live_done(struct live *live);
