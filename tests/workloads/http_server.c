/*
 * A small HTTP/1.1 server on loopback whose first request is slow on purpose, and which prints what it measured
 * itself: one JSON line on standard output when it listens, and one per response.
 *
 *   http_server PORT [OPTION...]         PORT 0: any free one
 *
 * In the first request only (/health apart):
 *   --first-delay-ms N    sleep
 *   --burn-ms N           compute, by its own CPU clock
 *   --open N              open and close N files that exist
 *   --absent N            try to open N files that do not
 *   --touch N             write to N fresh pages
 * In every response:
 *   --body N              bytes of the body (100)
 *   --chunked             in chunks of at most 1000 bytes, each in a write of its own
 *   --split-ms N          head and body in two writes with a pause between
 *   --close               close the connection after it
 * Of the life cycle:
 *   --listen-delay-ms N   before it listens
 *   --accept-delay-ms N   between listening and the first wait for a connection
 *   --requests N          exit with status 0 after N responses
 *   --die-at N            abort when request N has been read
 *
 * Requests may be pipelined, their bodies have a Content-Length. /missing is answered with 404, /health without the
 * first request's work. SIGTERM and SIGINT end it with status 0.
 *
 * One thread and poll: what a request costs is on this thread alone.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 64, MAX_HEAD = 16384, CHUNK = 1000 };

struct options {
	long first_delay_ms, burn_ms, open, absent, touch;
	long body, split_ms;
	long listen_delay_ms, accept_delay_ms, requests, die_at;
	bool chunked, close;
};

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{"--first-delay-ms", offsetof(struct options, first_delay_ms)},
	{"--burn-ms", offsetof(struct options, burn_ms)},
	{"--open", offsetof(struct options, open)},
	{"--absent", offsetof(struct options, absent)},
	{"--touch", offsetof(struct options, touch)},
	{"--body", offsetof(struct options, body)},
	{"--split-ms", offsetof(struct options, split_ms)},
	{"--listen-delay-ms", offsetof(struct options, listen_delay_ms)},
	{"--accept-delay-ms", offsetof(struct options, accept_delay_ms)},
	{"--requests", offsetof(struct options, requests)},
	{"--die-at", offsetof(struct options, die_at)},
};

struct connection {
	int fd;
	int number;
	size_t len;
	size_t body_left; /* of a request whose body is still arriving */
	uint64_t first_byte_ns;
	char buf[MAX_HEAD];
};

struct request {
	char method[16];
	char target[1024];
	size_t head_len, body_len;
	bool keep_alive;
};

struct server {
	struct options options;
	struct connection *connections[MAX_CONNECTIONS];
	int count, accepted;
	long requests;
	bool first_done;
	char self[PATH_MAX];
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "http_server: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_ms(long ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (ms > 0 && nanosleep(&left, &left) && errno == EINTR && !stop)
		;
}

static void burn_ms(long ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000u;
	volatile unsigned x = 1;

	/* The clock is a system call: it is asked seldom, so that the time is spent in user code. */
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 20000; i++)
			x = x * 1103515245u + 12345u;
}

static void touch_pages(long pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (size_t)pages * page;
	char *map;

	if (!pages)
		return;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		die("mmap");
	madvise(map, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += page)
		*(volatile char *)(map + i) = 1;
	munmap(map, len);
}

static void first_request_work(struct server *server)
{
	const struct options *options = &server->options;
	char path[64];
	int fd;

	for (long i = 0; i < options->open; i++) {
		fd = open(server->self, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			die(server->self);
		close(fd);
	}
	for (long i = 0; i < options->absent; i++) {
		snprintf(path, sizeof(path), "/nonexistent/http_server-%03ld", i);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
	touch_pages(options->touch);
	burn_ms(options->burn_ms);
	sleep_ms(options->first_delay_ms);
}

static bool send_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* The last byte of a response leaves in the last send here: that is where the request ends. */
static bool respond(const struct options *options, int fd, int status, const struct request *request)
{
	const char *reason = status == 200 ? "OK" : status == 404 ? "Not Found" : "Bad Request";
	size_t body = (size_t)options->body, head_len;
	bool is_head = !strcmp(request->method, "HEAD"), ok = true;
	char *out = malloc(body + 512);

	if (!out)
		die("memory");
	if (options->chunked)
		head_len = (size_t)sprintf(out, "HTTP/1.1 %d %s\r\nTransfer-Encoding: chunked\r\n", status, reason);
	else
		head_len = (size_t)sprintf(out, "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\n", status, reason, body);
	head_len += (size_t)sprintf(out + head_len, "Content-Type: text/plain\r\n%s\r\n",
				    request->keep_alive ? "" : "Connection: close\r\n");
	if (is_head)
		body = 0;
	if (options->split_ms) {
		ok = send_all(fd, out, head_len);
		sleep_ms(options->split_ms);
		head_len = 0;
	}
	if (!options->chunked || is_head) {
		memset(out + head_len, 'x', body);
		ok = ok && send_all(fd, out, head_len + body);
		free(out);
		return ok;
	}
	if (head_len)
		ok = send_all(fd, out, head_len);
	while (ok && body > 0) {
		size_t part = body < CHUNK ? body : CHUNK, n = (size_t)sprintf(out, "%zx\r\n", part);

		memset(out + n, 'x', part);
		memcpy(out + n + part, "\r\n", 2);
		ok = send_all(fd, out, n + part + 2);
		body -= part;
	}
	ok = ok && send_all(fd, "0\r\n\r\n", 5);
	free(out);
	return ok;
}

/* The value of header NAME (with its colon), or NULL. HEAD is terminated and its lines end in CR LF. */
static const char *header(const char *head, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = strstr(head, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n")) {
		if (!strncasecmp(line + 2, name, len))
			return line + 2 + len + strspn(line + 2 + len, " ");
	}
	return NULL;
}

/* 1 when a whole head was found, 0 when more bytes are needed, -1 for nonsense. */
static int parse(const struct connection *connection, struct request *request)
{
	char head[MAX_HEAD + 1], version[16];
	const char *value, *end = memmem(connection->buf, connection->len, "\r\n\r\n", 4);

	if (!end)
		return connection->len == MAX_HEAD ? -1 : 0;
	request->head_len = (size_t)(end - connection->buf) + 4;
	memcpy(head, connection->buf, request->head_len);
	head[request->head_len - 2] = 0;
	if (sscanf(head, "%15s %1023s %15s", request->method, request->target, version) != 3 ||
	    strncmp(version, "HTTP/1.", 7))
		return -1;
	value = header(head, "Content-Length:");
	request->body_len = value ? strtoul(value, NULL, 10) : 0;
	if (header(head, "Transfer-Encoding:"))
		return -1;
	value = header(head, "Connection:");
	request->keep_alive = strcmp(version, "HTTP/1.0") ? !value || strncasecmp(value, "close", 5)
							  : value && !strncasecmp(value, "keep-alive", 10);
	return 1;
}

static void consume(struct connection *connection, size_t n)
{
	memmove(connection->buf, connection->buf + n, connection->len - n);
	connection->len -= n;
}

/* False when the connection is to be closed. */
static bool serve_one(struct server *server, struct connection *connection, int parsed, struct request *request)
{
	uint64_t cpu_start = clock_ns(CLOCK_THREAD_CPUTIME_ID), end;
	bool is_first = false, ok;
	int status = 200;

	server->requests++;
	if (server->requests == server->options.die_at)
		abort();
	if (server->options.close)
		request->keep_alive = false;
	if (parsed < 0) {
		*request = (struct request){.method = "-", .target = "-"};
		status = 400;
	} else if (!strcmp(request->target, "/missing")) {
		status = 404;
	} else if (strcmp(request->target, "/health") && !server->first_done) {
		is_first = server->first_done = true;
		first_request_work(server);
	}
	ok = respond(&server->options, connection->fd, status, request);
	end = clock_ns(CLOCK_MONOTONIC);
	printf("{\"request\": %ld, \"connection\": %d, \"method\": \"%s\", \"status\": %d, \"first\": %s, "
	       "\"read_ns\": %llu, "
	       "\"end_ns\": %llu, \"latency_us\": %llu, \"cpu_us\": %llu}\n",
	       server->requests, connection->number, request->method, status, is_first ? "true" : "false",
	       (unsigned long long)connection->first_byte_ns, (unsigned long long)end,
	       (unsigned long long)(end - connection->first_byte_ns) / 1000,
	       (unsigned long long)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_start) / 1000);
	/* The next pipelined request is waiting since now at the latest. */
	connection->first_byte_ns = end;
	if (server->requests == server->options.requests)
		stop = 1;
	return ok && request->keep_alive;
}

static bool on_readable(struct server *server, struct connection *connection)
{
	ssize_t n = read(connection->fd, connection->buf + connection->len, MAX_HEAD - connection->len);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (connection->len == 0 && connection->body_left == 0)
		connection->first_byte_ns = clock_ns(CLOCK_MONOTONIC);
	connection->len += (size_t)n;
	while (!stop) {
		struct request request = {0};
		size_t skip = connection->body_left < connection->len ? connection->body_left : connection->len;
		int parsed;

		/* A body does not matter here: the answer went out when its head was complete. */
		consume(connection, skip);
		connection->body_left -= skip;
		if (connection->len == 0)
			return true;
		parsed = parse(connection, &request);
		if (parsed == 0)
			return true;
		if (parsed > 0)
			consume(connection, request.head_len);
		connection->body_left = request.body_len;
		if (!serve_one(server, connection, parsed, &request))
			return false;
	}
	return true;
}

static void accept_one(struct server *server, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), on = 1;
	struct connection *connection;

	if (fd < 0)
		return;
	if (server->count == MAX_CONNECTIONS) {
		close(fd);
		return;
	}
	/* Without it a response in several writes waits for the client's delayed acknowledgement: 40 ms. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	connection = calloc(1, sizeof(*connection));
	if (!connection)
		die("memory");
	connection->fd = fd;
	connection->number = ++server->accepted;
	server->connections[server->count++] = connection;
}

static int listen_on(const struct options *options, unsigned short port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die("bind");
	sleep_ms(options->listen_delay_ms);
	if (listen(fd, 128))
		die("listen");
	getsockname(fd, (struct sockaddr *)&address, &len);
	printf("{\"listening\": %d, \"pid\": %d, \"listen_ns\": %llu}\n", ntohs(address.sin_port), getpid(),
	       (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	sleep_ms(options->accept_delay_ms);
	return fd;
}

static void serve(struct server *server, int listener)
{
	struct pollfd fds[MAX_CONNECTIONS + 1];

	while (!stop) {
		int polled = server->count;

		fds[0] = (struct pollfd){.fd = listener, .events = POLLIN};
		for (int i = 0; i < polled; i++)
			fds[i + 1] = (struct pollfd){.fd = server->connections[i]->fd, .events = POLLIN};
		if (poll(fds, (nfds_t)polled + 1, -1) < 0)
			continue;
		/* Backwards: a closed connection's place is taken by the last one, which has been served by then. */
		for (int i = polled - 1; i >= 0 && !stop; i--) {
			if (!fds[i + 1].revents || on_readable(server, server->connections[i]))
				continue;
			close(server->connections[i]->fd);
			free(server->connections[i]);
			server->connections[i] = server->connections[--server->count];
		}
		if (fds[0].revents && !stop)
			accept_one(server, listener);
	}
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	*options = (struct options){.body = 100};
	for (int i = 2; i < argc; i++) {
		size_t n = 0;
		char *end;

		if (!strcmp(argv[i], "--chunked")) {
			options->chunked = true;
			continue;
		}
		if (!strcmp(argv[i], "--close")) {
			options->close = true;
			continue;
		}
		while (n < sizeof(numbers) / sizeof(*numbers) && strcmp(argv[i], numbers[n].name))
			n++;
		if (n == sizeof(numbers) / sizeof(*numbers) || i + 1 == argc)
			return false;
		long value = strtol(argv[++i], &end, 10);
		if (*end || value < 0)
			return false;
		*(long *)((char *)options + numbers[n].offset) = value;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct server server;
	struct sigaction action = {.sa_handler = on_signal};
	long port = argc > 1 ? strtol(argv[1], NULL, 10) : -1;
	ssize_t len;

	if (port < 0 || port > 65535 || !parse_options(argc, argv, &server.options)) {
		fprintf(stderr, "usage: http_server PORT [OPTION...]; the options are at the top of its source\n");
		return 2;
	}
	len = readlink("/proc/self/exe", server.self, sizeof(server.self) - 1);
	if (len < 0)
		die("/proc/self/exe");
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* No SA_RESTART: poll must return. */
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	serve(&server, listen_on(&server.options, (unsigned short)port));
	return 0;
}
