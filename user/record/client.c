#include "record/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/vec.h"

enum client_step { CLIENT_FIRST = 1, CLIENT_WARM = 2, CLIENT_END = 3 };

struct client {
	const struct client_options *options;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	enum client_step step;
	bool is_idle, has_thread;
	atomic_bool is_aborted;
	int event_fd;
	VEC(struct client_result) results;
	size_t taken;
	CURL *keep_alive; /* of the warm rounds */
};

static void notify(struct client *client)
{
	uint64_t one = 1;

	if (write(client->event_fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: it is readable all the same */
}

static size_t discard_body(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	*(uint64_t *)context += size * count;
	return size * count;
}

static int check_abort(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	(void)a, (void)b, (void)c, (void)d;
	return atomic_load(&((struct client *)context)->is_aborted);
}

static uint64_t info_time_ns(CURL *curl, CURLINFO info)
{
	curl_off_t time_us = 0;

	curl_easy_getinfo(curl, info, &time_us);
	return time_us > 0 ? (uint64_t)time_us * 1000 : 0;
}

/* libcurl's times count from the start of the transfer, each including those before it. */
static void take_times(CURL *curl, struct client_result *result)
{
	uint64_t name = info_time_ns(curl, CURLINFO_NAMELOOKUP_TIME_T), connect = info_time_ns(curl, CURLINFO_CONNECT_TIME_T);
	uint64_t tls = info_time_ns(curl, CURLINFO_APPCONNECT_TIME_T), sent = info_time_ns(curl, CURLINFO_PRETRANSFER_TIME_T);
	uint64_t first = info_time_ns(curl, CURLINFO_STARTTRANSFER_TIME_T), total = info_time_ns(curl, CURLINFO_TOTAL_TIME_T);
	long status = 0, local_port = 0;

	result->name_ns = name;
	result->connect_ns = connect > name ? connect - name : 0;
	result->tls_ns = tls > connect ? tls - connect : 0;
	result->wait_ns = first > sent ? first - sent : 0;
	result->receive_ns = total > first ? total - first : 0;
	result->total_ns = total;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(curl, CURLINFO_LOCAL_PORT, &local_port);
	result->status = (uint32_t)status;
	result->local_port = (uint32_t)local_port;
}

static void send_one(struct client *client, CURL *curl, size_t index, uint32_t round)
{
	const struct client_request *request = &client->options->requests[index];
	struct client_result result = {.request = index, .round = round};
	struct curl_slist *headers = NULL;
	char error[CURL_ERROR_SIZE] = "";

	curl_easy_reset(curl); /* keeps the connections */
	curl_easy_setopt(curl, CURLOPT_URL, request->url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)client->options->timeout_s);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &result.body_length);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_abort);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, client);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "warmtrace/" WARMTRACE_VERSION);
	/* A test server's certificate is seldom one that this machine trusts, and nothing secret is asked. */
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	for (size_t i = 0; i < request->header_count; i++)
		headers = curl_slist_append(headers, request->headers[i]);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	if (request->data) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->data);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(request->data));
	}
	if (request->method && strcmp(request->method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else if (request->method)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);

	result.start_ns = clock_now_ns();
	CURLcode code = curl_easy_perform(curl);
	result.end_ns = clock_now_ns();
	take_times(curl, &result);
	result.is_failed = code != CURLE_OK && result.status == 0;
	if (code != CURLE_OK)
		snprintf(result.error, sizeof(result.error), "%s", *error ? error : curl_easy_strerror(code));
	curl_slist_free_all(headers);

	pthread_mutex_lock(&client->lock);
	*vec_push(&client->results) = result;
	pthread_mutex_unlock(&client->lock);
	notify(client);
}

struct burst_member {
	struct client *client;
	size_t request;
	pthread_t thread;
	pthread_barrier_t *barrier;
};

static void *burst_main(void *context)
{
	struct burst_member *member = context;
	CURL *curl = curl_easy_init();

	pthread_barrier_wait(member->barrier);
	if (curl)
		send_one(member->client, curl, member->request, 0);
	curl_easy_cleanup(curl);
	return NULL;
}

/* All requests of the first burst leave at once, each on a connection of its own. */
static void send_burst(struct client *client)
{
	size_t count = client->options->request_count * client->options->concurrency;
	struct burst_member *members = calloc(count, sizeof(*members));
	pthread_barrier_t barrier;

	if (!members)
		memory_exhausted();
	pthread_barrier_init(&barrier, NULL, (unsigned)count);
	for (size_t i = 0; i < count; i++) {
		members[i] = (struct burst_member){
			.client = client, .request = i / client->options->concurrency, .barrier = &barrier};
		if (pthread_create(&members[i].thread, NULL, burst_main, &members[i]) != 0)
			memory_exhausted();
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	free(members);
}

static void run_step(struct client *client, enum client_step step)
{
	if (step == CLIENT_FIRST && client->options->concurrency > 1) {
		send_burst(client);
		return;
	}

	uint32_t first = step == CLIENT_FIRST ? 0 : 1, last = step == CLIENT_FIRST ? 0 : client->options->warm_rounds;

	for (uint32_t round = first; round <= last; round++)
		for (size_t i = 0; i < client->options->request_count; i++)
			if (!atomic_load(&client->is_aborted))
				send_one(client, client->keep_alive, i, round);
}

static void *client_main(void *context)
{
	struct client *client = context;

	for (;;) {
		pthread_mutex_lock(&client->lock);
		while (client->is_idle)
			pthread_cond_wait(&client->wanted, &client->lock);
		enum client_step step = client->step;
		pthread_mutex_unlock(&client->lock);
		if (step == CLIENT_END)
			return NULL;
		run_step(client, step);
		pthread_mutex_lock(&client->lock);
		if (client->step != CLIENT_END)
			client->is_idle = true;
		pthread_mutex_unlock(&client->lock);
		notify(client);
	}
}

struct err *client_open(const struct client_options *options, struct client **ret_client)
{
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		memory_exhausted();
	curl_global_init(CURL_GLOBAL_DEFAULT);
	client->options = options;
	client->is_idle = true;
	client->keep_alive = curl_easy_init();
	client->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&client->lock, NULL);
	pthread_cond_init(&client->wanted, NULL);

	int error = client->event_fd < 0 ? errno : pthread_create(&client->thread, NULL, client_main, client);

	client->has_thread = error == 0;
	if (error || !client->keep_alive) {
		client_close(client);
		return err_errno(ERR_FAILED, error, "cannot start the client");
	}
	*ret_client = client;
	return NULL;
}

int client_fd(const struct client *client)
{
	return client->event_fd;
}

static void start_step(struct client *client, enum client_step step)
{
	pthread_mutex_lock(&client->lock);
	client->step = step;
	client->is_idle = false;
	pthread_cond_signal(&client->wanted);
	pthread_mutex_unlock(&client->lock);
}

void client_send_first(struct client *client)
{
	start_step(client, CLIENT_FIRST);
}

void client_send_warm(struct client *client)
{
	start_step(client, CLIENT_WARM);
}

bool client_take_result(struct client *client, struct client_result *ret_result)
{
	uint64_t drained;
	bool is_there;

	if (read(client->event_fd, &drained, sizeof(drained)) < 0 && errno != EAGAIN)
		return false;
	pthread_mutex_lock(&client->lock);
	is_there = client->taken < client->results.count;
	if (is_there)
		*ret_result = client->results.items[client->taken++];
	pthread_mutex_unlock(&client->lock);
	return is_there;
}

bool client_is_idle(const struct client *client)
{
	struct client *mutable = (struct client *)client;
	bool is_idle;

	pthread_mutex_lock(&mutable->lock);
	is_idle = client->is_idle && client->taken == client->results.count;
	pthread_mutex_unlock(&mutable->lock);
	return is_idle;
}

void client_close(struct client *client)
{
	if (!client)
		return;
	atomic_store(&client->is_aborted, true);
	if (client->has_thread) {
		start_step(client, CLIENT_END);
		pthread_join(client->thread, NULL);
	}
	curl_easy_cleanup(client->keep_alive);
	if (client->event_fd >= 0)
		close(client->event_fd);
	vec_done(&client->results);
	free(client);
}

uint16_t client_url_port(const char *url, bool *ret_is_local)
{
	CURLU *parts = curl_url();
	char *port = NULL, *host = NULL, *scheme = NULL;
	uint16_t number = 0;

	*ret_is_local = false;
	if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	    (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)) {
		number = (uint16_t)strtoul(port, NULL, 10);
		*ret_is_local = strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "[::1]") == 0;
	}
	curl_free(port);
	curl_free(host);
	curl_free(scheme);
	curl_url_cleanup(parts);
	return number;
}
