/* warmtrace's own client: sends the requests of a run, one at a time or as a first burst, in a thread of its own.
 *
 * It goes in steps that the caller starts: the first requests (client_send_first), then the warm rounds
 * (client_send_warm). Each finished request is handed over through client_take_result; client_fd becomes readable when
 * there is one or a step ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct client_request {
	const char *url;
	const char *method; /* NULL: GET, or POST with data */
	const char *data;   /* NULL: none */
	const char *const *headers;
	size_t header_count;
};

struct client_options {
	const struct client_request *requests;
	size_t request_count;
	uint32_t warm_rounds;
	uint32_t concurrency;
	uint32_t timeout_s;
};

struct client_result {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t name_ns, connect_ns, tls_ns, wait_ns, receive_ns, total_ns, body_length;
	size_t request; /* index into the options' requests */
	uint32_t round; /* 0: first */
	uint32_t status;
	uint32_t local_port;
	bool is_failed;
	char error[256]; /* CURL_ERROR_SIZE */
};

struct client;

/* The options must outlive the client. */
struct err *client_open(const struct client_options *options, struct client **ret_client) must_check;
int client_fd(const struct client *client);
void client_send_first(struct client *client);
void client_send_warm(struct client *client);
bool client_take_result(struct client *client, struct client_result *ret_result);
bool client_is_idle(const struct client *client); /* the step that was started has ended */
void client_close(struct client *client);	 /* aborts what is under way */

/* The port that a URL names or implies; 0 where it is no http or https URL. `ret_is_local`: its host is this machine. */
uint16_t client_url_port(const char *url, bool *ret_is_local);
