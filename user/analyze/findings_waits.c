/* Findings about waiting for what lies outside: names, random numbers, connections. */
#include "analyze/findings_internal.h"

#include <string.h>

#include "base/auto.h"

enum { DNS_PORT = 53 };

/* ---- name-lookup-slow ---- */

struct name_waits {
	int64_t waited_ns;  /* of the thread that waited longest before the service was ready */
	int64_t longest_ns; /* one wait of any thread */
	int64_t queries, answers;
};

static void count_queries(const struct finding_context *context, struct name_waits *waits)
{
	const struct model *model = context->model;

	for (struct event_walk walk = model_walk(model, EVENT_SOCKET_READ, EVENT_SOCKET_WRITE); model_walk_next(&walk);) {
		const struct event_header *event = model->events[walk.index];
		const struct event_socket_read *transfer = MODEL_EVENT(model, walk.index, socket_read);

		if (transfer->peer_port != DNS_PORT || transfer->flags & (SOCKET_ACCEPTED | SOCKET_PEEK) ||
		    transfer->result <= 0)
			continue;
		*(event->kind == EVENT_SOCKET_READ ? &waits->answers : &waits->queries) += 1;
	}
}

static struct name_waits find_name_waits(const struct finding_context *context)
{
	const struct model *model = context->model;
	uint64_t ready_ns = model->exec_ns + (uint64_t)finding_startup_ns(context);
	struct name_waits waits = {};

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const struct intervals *intervals = &model->threads.list.items[i].intervals;
		int64_t sum_ns = 0;

		for (uint32_t k = 0; k < intervals->count; k++) {
			int64_t duration_ns;

			if (intervals->items[k].state != INTERVAL_BLOCKED ||
			    !(intervals->items[k].flags & INTERVAL_AFTER_NAME_QUERY))
				continue;
			duration_ns = (int64_t)(model_interval_end(model, i, k) - intervals->items[k].start_ns);
			sum_ns += intervals->items[k].start_ns < ready_ns ? duration_ns : 0;
			if (duration_ns > waits.longest_ns)
				waits.longest_ns = duration_ns;
		}
		if (sum_ns > waits.waited_ns)
			waits.waited_ns = sum_ns;
	}
	count_queries(context, &waits);
	return waits;
}

static const char *name_servers(const struct finding_context *context)
{
	const char *text = "";

	for vec_each(connection, &context->model->requests.connections) {
		const char *peer = model_text(context->model, connection->peer);

		if (connection->is_accepted || connection->peer_port != DNS_PORT || !*peer ||
		    strstr(text, peer))
			continue;
		text = arena_format(context->arena, "%s%s%s", text, *text ? ", " : "", peer);
	}
	return text;
}

bool finding_name_lookup_slow(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t path_ns = finding_cause_sum(context, CAUSE_WAIT_NAME);
	struct name_waits waits = find_name_waits(context);
	bool is_dear = finding_matters(context, path_ns);
	int64_t seconds = (waits.longest_ns + 50000000) / 1000000000;
	int64_t beyond_ns = waits.longest_ns - seconds * 1000000000;
	const char *servers;

	if (!is_dear && waits.waited_ns < LIMIT_NAME_STARTUP_NS)
		return false;
	if (is_dear) {
		finding_evidence(draft, "The first %s waited %s of %s for a name server, on its path (%s).",
				 context->cold->route, fmt_duration(path_ns).text,
				 fmt_duration(context->cold->latency_ns).text, finding_share(context, path_ns));
		finding_price(draft, path_ns, finding_cause_is_estimated(context, CAUSE_WAIT_NAME));
	}
	if (waits.waited_ns >= LIMIT_NAME_STARTUP_NS)
		finding_evidence(draft, "Before the service was ready, one thread waited %s for a name server.",
				 fmt_duration(waits.waited_ns).text);
	servers = name_servers(context);
	finding_evidence(draft, "%s to port 53%s%s, %s.",
			 finding_plural(context, waits.queries, "query went", "queries went"), *servers ? " of " : "",
			 servers, finding_plural(context, waits.answers, "answer came back", "answers came back"));
	/* The resolver waits five seconds for a server, then asks again or the next. */
	if (seconds && seconds % 5 == 0 && beyond_ns > -50000000 && beyond_ns < 50000000)
		finding_evidence(draft, "One wait took %s: that is the resolver's time-out, not a slow answer.",
				 fmt_duration(waits.longest_ns).text);
	finding_remedy(
		draft,
		"Look at /etc/resolv.conf for a server that does not answer, and put the machine's own name into "
		"/etc/hosts; -Dsun.net.inetaddr.ttl keeps answers for longer.");
	return true;
}

/* ---- entropy-wait ---- */

/* Reads of the random source before the service was ready. */
static int64_t random_waits(const struct finding_context *context)
{
	const struct model *model = context->model;
	uint64_t ready_ns = model->exec_ns + (uint64_t)finding_startup_ns(context);
	int64_t most_ns = 0;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		int64_t sum_ns = 0;

		for vec_each(span, &model->threads.list.items[i].spans) {
			if (span->flags & SPAN_RANDOM &&
			    (span->kind == SPAN_SYSCALL || span->kind == SPAN_FILE_READ) &&
			    span->start_ns < ready_ns)
				sum_ns += (int64_t)(span->end_ns - span->start_ns);
		}
		if (sum_ns > most_ns)
			most_ns = sum_ns;
	}
	return most_ns;
}

bool finding_entropy_wait(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t path_ns = finding_cause_sum(context, CAUSE_WAIT_RANDOM), startup_ns = random_waits(context);
	bool is_dear = finding_matters(context, path_ns);

	if (!is_dear && startup_ns < LIMIT_RANDOM_STARTUP_NS)
		return false;
	if (is_dear) {
		finding_evidence(draft,
				 "The first %s waited %s of %s for the kernel's random source, on its path (%s).",
				 context->cold->route, fmt_duration(path_ns).text,
				 fmt_duration(context->cold->latency_ns).text, finding_share(context, path_ns));
		finding_price(draft, path_ns, finding_cause_is_estimated(context, CAUSE_WAIT_RANDOM));
	}
	if (startup_ns >= LIMIT_RANDOM_STARTUP_NS)
		finding_evidence(draft,
				 "Before the service was ready, one thread spent %s in reads of the random source.",
				 fmt_duration(startup_ns).text);
	if (context->launch.java < context->launch.count)
		finding_remedy(draft,
			       "Take the source that does not block: %s; a virtual machine needs a virtio-rng device "
			       "or a CPU with "
			       "RDRAND.",
			       launch_text_with(&context->launch, "-Djava.security.egd=file:/dev/./urandom", NULL,
						context->arena));
	else
		finding_remedy(draft, "Read /dev/urandom or getrandom(2); a virtual machine needs a virtio-rng "
				      "device or a CPU with "
				      "RDRAND.");
	return true;
}

/* ---- connection-per-call ---- */

static bool is_connecting(const struct finding_context *context, const struct tile *tile, void *unused)
{
	(void)unused;
	return tile->thread != NO_INDEX && tile->span != NO_INDEX &&
	       model_span_within(context->model, tile->thread, tile->span, SPAN_SOCKET_CONNECT) != NO_INDEX;
}

/* Peers that a pool is of use for: neither name servers nor sockets of this machine's own services. */
static bool is_far_peer(const char *peer)
{
	size_t length = strlen(peer);

	return peer[0] != '/' && peer[0] != '@' && strcmp(peer, "(unknown)") != 0 &&
	       !(length > 3 && strcmp(peer + length - 3, ":53") == 0) &&
	       !(length > 4 && strcmp(peer + length - 4, "/udp") == 0);
}

static int64_t requests_in_phase(const struct finding_context *context, enum phase phase)
{
	int64_t count = 0;

	for vec_each(request, &context->model->requests.list)
		count += phase_of_time(context->report, context->model, request->arrival_ns) == phase;
	return count;
}

bool finding_connection_per_call(const struct finding_context *context, struct finding_draft *draft)
{
	bool has_warm = finding_phase(context, PHASE_WARM) && requests_in_phase(context, PHASE_WARM) > 0;
	enum phase phase = has_warm ? PHASE_WARM : PHASE_FIRST_REQUEST;
	int64_t path_ns = finding_path_sum(context, is_connecting, NULL);
	const struct report_connection *most = NULL;

	for (size_t i = 0; i < context->report->connections_count; i++) {
		const struct report_connection *row = &context->report->connections[i];

		if (row->phase == phase && is_far_peer(row->peer) && row->connects - row->failed >= LIMIT_CONNECTS &&
		    row->reused * 100 < (row->connects + row->reused) * LIMIT_REUSE_PERCENT &&
		    (!most || row->connects > most->connects))
			most = row;
	}
	if (!most)
		return false;
	finding_evidence(draft, "%s connections to %s were made in %s, and %s used one that was there.",
			 fmt_count(most->connects).text, most->peer,
			 finding_plural(context, requests_in_phase(context, phase), "request", "requests"),
			 finding_plural(context, most->reused, "exchange", "exchanges"));
	if (has_warm)
		finding_evidence(draft, "These are warm requests: a pool would have been filled by then.");
	if (finding_matters(context, path_ns)) {
		finding_evidence(draft, "On the first request's path, connecting took %s of %s.",
				 fmt_duration(path_ns).text, fmt_duration(context->cold->latency_ns).text);
		finding_price(draft, path_ns, true);
	} else {
		finding_evidence(
			draft,
			"To a peer this near the connects themselves cost little; over a network or with TLS each is "
			"at least one more round trip.");
	}
	finding_remedy(
		draft,
		"Make the client once and keep it, read every response to its end, and let the peer keep connections "
		"open.");
	return true;
}
