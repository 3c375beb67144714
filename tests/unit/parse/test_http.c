/* Single connections, written out: what the probes show, in order, and what must be reported. Times are small
 * numbers: a call that "ends at 20" began at 15. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/http.h"
#include "parse/redact.h"

enum { VISIBLE = 1024, CALL_NS = 5 };

struct report {
	struct http_request request;
	char method[32], target[HTTP_TARGET_MAX + 1], path[HTTP_TARGET_MAX + 2];
};

struct fixture {
	struct http_connection *connection;
	struct report reports[128];
	size_t count;
};

static void on_request(void *context, const struct http_request *request)
{
	struct fixture *fixture = context;
	struct report *report = &fixture->reports[fixture->count++];

	assert_true(fixture->count <= 128);
	report->request = *request;
	snprintf(report->method, sizeof(report->method), "%s", request->method);
	snprintf(report->target, sizeof(report->target), "%s", request->target);
	snprintf(report->path, sizeof(report->path), "%s", request->path);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->connection = http_connection_new(on_request, fixture);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	http_connection_free(fixture->connection);
	free(fixture);
	return 0;
}

static uint64_t last_of(const char *bytes, size_t length)
{
	uint64_t last = 0;

	for (size_t i = 0; i < 8 && i < length; i++)
		last |= (uint64_t)(uint8_t)bytes[length - 1 - i] << (56 - 8 * i);
	return last;
}

static struct http_transfer transfer_of(const char *bytes, size_t length, uint64_t end_ns, uint32_t tid)
{
	return (struct http_transfer){.time_start_ns = end_ns - CALL_NS,
				      .time_end_ns = end_ns,
				      .result = (int64_t)length,
				      .head = (const uint8_t *)bytes,
				      .head_length = length < VISIBLE ? length : VISIBLE,
				      .last_bytes = last_of(bytes, length),
				      .pid = 1,
				      .tid = tid};
}

static void read_bytes(struct fixture *fixture, const char *bytes, size_t length, uint64_t end_ns)
{
	struct http_transfer transfer = transfer_of(bytes, length, end_ns, 7);

	http_feed_read(fixture->connection, &transfer);
}

static void read_text(struct fixture *fixture, const char *text, uint64_t end_ns)
{
	read_bytes(fixture, text, strlen(text), end_ns);
}

static void write_bytes(struct fixture *fixture, const char *bytes, size_t length, uint64_t end_ns)
{
	struct http_transfer transfer = transfer_of(bytes, length, end_ns, 9);

	http_feed_write(fixture->connection, &transfer);
}

static void write_text(struct fixture *fixture, const char *text, uint64_t end_ns)
{
	write_bytes(fixture, text, strlen(text), end_ns);
}

static const struct http_request *reported(const struct fixture *fixture, size_t index, const char *method,
					   const char *target, uint32_t status)
{
	assert_true(fixture->count > index);
	assert_string_equal(fixture->reports[index].method, method);
	assert_string_equal(fixture->reports[index].target, target);
	assert_int_equal(fixture->reports[index].request.status, status);
	return &fixture->reports[index].request;
}

/* A text of `head`, then 'x' up to `length`; the caller frees. */
static char *padded(const char *head, size_t length)
{
	char *text = malloc(length + 1);

	memset(text, 'x', length);
	text[length] = '\0';
	memcpy(text, head, strlen(head));
	return text;
}

#define GET_A "GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n"
#define OK_2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

/* ---- times ---- */

static void a_request_and_its_times(void **state)
{
	struct fixture *fixture = *state;

	http_feed_arrival(fixture->connection, 10, strlen(GET_A));
	read_text(fixture, GET_A, 25);
	assert_int_equal(http_pending(fixture->connection), 1);
	write_text(fixture, OK_2, 70);
	assert_int_equal(fixture->count, 1);
	assert_int_equal(http_pending(fixture->connection), 0);

	const struct http_request *request = reported(fixture, 0, "GET", "/a?b=1", 200);

	assert_string_equal(fixture->reports[0].path, "/a");
	assert_int_equal(request->protocol, HTTP_1_1);
	assert_int_equal(request->completion, HTTP_COMPLETE);
	assert_int_equal(request->start_ns, 10);
	assert_int_equal(request->arrival_ns, 10);
	assert_int_equal(request->first_read_ns, 25);
	assert_int_equal(request->first_write_ns, 65);
	assert_int_equal(request->end_ns, 70);
	assert_int_equal(request->bytes_in, 32);
	assert_int_equal(request->bytes_out, 40);
	assert_int_equal(request->reader_tid, 7);
	assert_int_equal(request->writer_tid, 9);
	assert_false(request->is_arrival_estimated);
	assert_false(request->is_pipelined);
}

static void arrival_of_a_request_in_parts(void **state)
{
	struct fixture *fixture = *state;

	http_feed_arrival(fixture->connection, 10, 4); /* "GET " */
	http_feed_arrival(fixture->connection, 20, 28);
	read_text(fixture, "GET /a?b", 25);
	read_text(fixture, "=1 HTTP/1.1\r\nHost: x\r\n\r\n", 30);
	write_text(fixture, OK_2, 40);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->arrival_ns, 10);
	assert_int_equal(fixture->reports[0].request.first_read_ns, 25);
	assert_int_equal(fixture->reports[0].request.last_read_ns, 30);
}

static void arrival_not_seen(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, GET_A, 25);
	write_text(fixture, OK_2, 40);
	assert_true(reported(fixture, 0, "GET", "/a?b=1", 200)->is_arrival_estimated);
	assert_int_equal(fixture->reports[0].request.start_ns, 25);
}

/* The first 10 bytes came with the handshake's last packet, which no probe shows: no later time may be taken for
 * theirs. */
static void arrivals_that_are_too_few(void **state)
{
	struct fixture *fixture = *state;

	http_feed_arrival(fixture->connection, 12, strlen(GET_A) - 10);
	read_text(fixture, GET_A, 25);
	write_text(fixture, OK_2, 40);
	assert_true(reported(fixture, 0, "GET", "/a?b=1", 200)->is_arrival_estimated);

	/* The count is right again for the next one. */
	http_feed_arrival(fixture->connection, 50, strlen(GET_A));
	read_text(fixture, GET_A, 55);
	write_text(fixture, OK_2, 60);
	assert_false(reported(fixture, 1, "GET", "/a?b=1", 200)->is_arrival_estimated);
	assert_int_equal(fixture->reports[1].request.start_ns, 50);
}

/* A retransmitted segment is counted twice; a read that finds nothing shows it. */
static void arrivals_that_are_too_many(void **state)
{
	struct fixture *fixture = *state;
	struct http_transfer nothing = {.time_start_ns = 44, .time_end_ns = 45, .result = -EAGAIN};

	http_feed_arrival(fixture->connection, 10, strlen(GET_A));
	http_feed_arrival(fixture->connection, 11, strlen(GET_A));
	read_text(fixture, GET_A, 25);
	write_text(fixture, OK_2, 40);
	http_feed_read(fixture->connection, &nothing);
	http_feed_arrival(fixture->connection, 90, strlen(GET_A));
	read_text(fixture, GET_A, 95);
	write_text(fixture, OK_2, 99);
	assert_int_equal(reported(fixture, 1, "GET", "/a?b=1", 200)->arrival_ns, 90);
	assert_false(fixture->reports[1].request.is_pipelined);
}

static void keep_alive_and_pipelining(void **state)
{
	struct fixture *fixture = *state;

	/* Two requests in one read, answered by one write; then one more. */
	http_feed_arrival(fixture->connection, 10, 2 * strlen(GET_A));
	read_text(fixture, GET_A GET_A, 20);
	assert_int_equal(http_pending(fixture->connection), 2);
	write_text(fixture, OK_2, 30);
	write_text(fixture, OK_2, 40);
	http_feed_arrival(fixture->connection, 50, strlen(GET_A));
	read_text(fixture, GET_A, 60);
	write_text(fixture, OK_2, 70);
	assert_int_equal(fixture->count, 3);
	assert_false(fixture->reports[0].request.is_pipelined);
	assert_int_equal(fixture->reports[0].request.end_ns, 30);
	assert_true(fixture->reports[1].request.is_pipelined);
	assert_int_equal(fixture->reports[1].request.start_ns, 30);
	assert_int_equal(fixture->reports[1].request.arrival_ns, 10);
	assert_int_equal(fixture->reports[1].request.end_ns, 40);
	assert_false(fixture->reports[2].request.is_pipelined);
	assert_int_equal(fixture->reports[2].request.start_ns, 50);
}

/* On loopback the client's next request is read by another thread before write() has returned. */
static void next_request_before_the_write_returns(void **state)
{
	struct fixture *fixture = *state;

	http_feed_arrival(fixture->connection, 10, strlen(GET_A));
	read_text(fixture, GET_A, 20);
	http_feed_arrival(fixture->connection, 31, strlen(GET_A));
	read_text(fixture, GET_A, 32);
	write_text(fixture, OK_2, 33);
	write_text(fixture, OK_2, 40);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 33);
	assert_int_equal(reported(fixture, 1, "GET", "/a?b=1", 200)->start_ns, 33);
}

/* ---- where a response ends ---- */

static void responses_without_body(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "HEAD / HTTP/1.1\r\n\r\n", 10);
	write_text(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", 20);
	read_text(fixture, "GET / HTTP/1.1\r\n\r\n", 30);
	write_text(fixture, "HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n", 40);
	read_text(fixture, "DELETE /x HTTP/1.1\r\n\r\n", 50);
	write_text(fixture, "HTTP/1.1 204 No Content\r\n\r\n", 60);
	read_text(fixture, "HEAD /c HTTP/1.1\r\n\r\n", 70);
	write_text(fixture, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 80);
	assert_int_equal(fixture->count, 4);
	assert_int_equal(reported(fixture, 0, "HEAD", "/", 200)->end_ns, 20);
	assert_int_equal(reported(fixture, 1, "GET", "/", 304)->end_ns, 40);
	assert_int_equal(reported(fixture, 2, "DELETE", "/x", 204)->end_ns, 60);
	assert_int_equal(reported(fixture, 3, "HEAD", "/c", 200)->end_ns, 80);
}

static void last_chunk_over_several_writes(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, GET_A, 10);
	write_text(fixture, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 20);
	write_text(fixture, "5\r\nhello\r", 30);
	write_text(fixture, "\n0", 40);
	write_text(fixture, "\r\nTrailer: 0\r\n", 50);
	assert_int_equal(fixture->count, 0);
	write_text(fixture, "\r\n", 60);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 60);
	assert_false(fixture->reports[0].request.is_end_estimated);
}

/* A chunk of 20 000 bytes: its size line is visible, its end is within the last bytes of the second write. */
static void large_chunk_is_followed_through_hidden_bytes(void **state)
{
	struct fixture *fixture = *state;
	char *first = padded("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n", 55 + 12000);
	char *second = padded("", 8000 + 9);

	assert_int_equal(strlen("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n"), 53);
	memcpy(second + 8000 - 2 + 2, "\r\n0\r\n\r\n", 7);
	read_text(fixture, GET_A, 10);
	write_bytes(fixture, first, 53 + 12000, 20);
	write_bytes(fixture, second, 8000 + 7, 30);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 30);
	assert_false(fixture->reports[0].request.is_end_estimated);
	assert_int_equal(fixture->reports[0].request.bytes_out, 53 + 20000 + 7);
	free(first);
	free(second);
}

/* Two chunks in one write: the second size line is hidden. The stream's last bytes tell. */
static void lost_chunks_end_with_the_last_chunk(void **state)
{
	struct fixture *fixture = *state;
	char *text =
		padded("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n", 52 + 2000 + 2 + 5 + 2000 + 2);

	memcpy(text + 52 + 2000, "\r\n7d0\r\n", 7);
	memcpy(text + 52 + 2000 + 7 + 2000, "\r\n", 2);
	read_text(fixture, GET_A, 10);
	write_bytes(fixture, text, 52 + 2000 + 7 + 2000 + 2, 20);
	assert_int_equal(fixture->count, 0);
	write_text(fixture, "0\r\n", 30);
	write_text(fixture, "\r\n", 40);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 40);
	assert_true(fixture->reports[0].request.is_end_estimated);

	/* And the connection goes on as HTTP. */
	read_text(fixture, GET_A, 50);
	write_text(fixture, OK_2, 60);
	assert_false(reported(fixture, 1, "GET", "/a?b=1", 200)->is_end_estimated);
	free(text);
}

static void until_close(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "GET / HTTP/1.0\r\n\r\n", 10);
	write_text(fixture, "HTTP/1.0 200 OK\r\n\r\n", 20);
	write_text(fixture, "some", 30);
	write_text(fixture, "thing", 40);
	assert_int_equal(fixture->count, 0);
	http_feed_close(fixture->connection, 90);
	assert_int_equal(reported(fixture, 0, "GET", "/", 200)->end_ns, 40);
	assert_int_equal(fixture->reports[0].request.completion, HTTP_COMPLETE);
	assert_int_equal(fixture->reports[0].request.protocol, HTTP_1_0);
}

static void body_by_sendfile(void **state)
{
	struct fixture *fixture = *state;
	struct http_transfer file = {.time_start_ns = 25, .time_end_ns = 30, .result = 5000, .pid = 1, .tid = 11};

	read_text(fixture, GET_A, 10);
	write_text(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", 20);
	http_feed_write(fixture->connection, &file);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 30);
	assert_int_equal(fixture->reports[0].request.writer_tid, 11);
}

static void interim_responses(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "POST /u HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n", 10);
	write_text(fixture, "HTTP/1.1 100 Continue\r\n\r\n", 20);
	assert_int_equal(fixture->count, 0);
	read_text(fixture, "abc", 30);
	write_text(fixture,
		   "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
		   40);

	const struct http_request *request = reported(fixture, 0, "POST", "/u", 201);

	assert_int_equal(request->first_write_ns, 15);
	assert_int_equal(request->last_read_ns, 30);
	assert_int_equal(request->end_ns, 40);
	assert_int_equal(request->bytes_in, 61 + 3);
	assert_int_equal(request->bytes_out, 25 + 37 + 43);
}

/* The client was told 417 before it sent the body, and does not send it. */
static void refused_expectation(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "POST /u HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 33\r\n\r\n", 10);
	write_text(fixture, "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n", 20);
	read_text(fixture, GET_A, 30);
	write_text(fixture, OK_2, 40);
	reported(fixture, 0, "POST", "/u", 417);
	assert_int_equal(reported(fixture, 1, "GET", "/a?b=1", 200)->end_ns, 40);
}

static void answered_before_the_body_was_read(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "POST /u HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc", 10);
	write_text(fixture, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", 20);
	reported(fixture, 0, "POST", "/u", 413);
	read_text(fixture, "def" GET_A, 30);
	write_text(fixture, OK_2, 40);
	assert_int_equal(reported(fixture, 1, "GET", "/a?b=1", 200)->bytes_in, 32);
}

/* ---- heads ---- */

static void odd_headers(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "\r\nPOST /a HTTP/1.1\ncontent-LENGTH:\t 3 \nX:\r\n folded: Content-Length: 9\r\n\r\nabc",
		  10);
	write_text(fixture,
		   "HTTP/1.1 200\r\ntransfer-encoding: Chunked\r\ncontent-length: 4\r\n\r\n1;x=y\r\nz\r\n0\r\n\r\n",
		   20);
	assert_int_equal(reported(fixture, 0, "POST", "/a", 200)->end_ns, 20);
	read_text(fixture, GET_A, 30);
	write_text(fixture, OK_2, 40);
	reported(fixture, 1, "GET", "/a?b=1", 200);
}

/* Bodies are not looked into. */
static void a_body_that_looks_like_http(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture,
		  "POST /a HTTP/1.1\r\nContent-Length: 18\r\n\r\n"
		  "GET /b HTTP/1.1\r\n\r",
		  10);
	write_text(fixture,
		   "HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 20);
	assert_int_equal(fixture->count, 1);
	reported(fixture, 0, "POST", "/a", 200);
	read_text(fixture, GET_A, 30);
	write_text(fixture, OK_2, 40);
	assert_int_equal(fixture->count, 2);
}

/* A head of 1500 bytes in one read: the rest of it is hidden, but it was a request for /a, and its answer is plain to
 * see. */
static void request_head_longer_than_visible(void **state)
{
	struct fixture *fixture = *state;
	char *text = padded("GET /a?b=1 HTTP/1.1\r\nAuthorization: Bearer ", 1500);

	memcpy(text + 1496, "\r\n\r\n", 4);
	for (uint64_t time = 0; time < 300; time += 100) {
		http_feed_arrival(fixture->connection, time + 10, 1500);
		read_bytes(fixture, text, 1500, time + 20);
		write_text(fixture, OK_2, time + 40);
	}
	assert_int_equal(fixture->count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct http_request *request = reported(fixture, i, "GET", "/a?b=1", 200);

		assert_true(request->is_head_cut);
		assert_false(request->is_target_cut);
		assert_false(request->is_end_estimated);
		assert_int_equal(request->start_ns, 100 * i + 10);
		assert_int_equal(request->end_ns, 100 * i + 40);
		assert_int_equal(request->bytes_in, 1500);
	}
	free(text);
}

static void target_longer_than_visible(void **state)
{
	struct fixture *fixture = *state;
	char *text = padded("GET /search?q=", 1500);

	memcpy(text + 1485, " HTTP/1.1\r\n\r\n", 13);
	read_bytes(fixture, text, 1498, 20);
	write_text(fixture, OK_2, 40);
	assert_int_equal(fixture->count, 1);
	assert_true(fixture->reports[0].request.is_target_cut);
	assert_string_equal(fixture->reports[0].path, "/search");
	assert_int_equal(fixture->reports[0].request.status, 200);
	free(text);
}

/* The response's head is cut: its length is not known, its end is what was written last before the next request. */
static void response_head_longer_than_visible(void **state)
{
	struct fixture *fixture = *state;
	char *text = padded("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\nContent-Security-Policy: ", 1300);

	read_text(fixture, GET_A, 10);
	write_bytes(fixture, text, 1300, 20);
	write_bytes(fixture, text + 100, 1200, 30);
	assert_int_equal(fixture->count, 0);
	read_text(fixture, GET_A, 50);
	write_text(fixture, OK_2, 60);
	assert_int_equal(fixture->count, 2);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->end_ns, 30);
	assert_true(fixture->reports[0].request.is_end_estimated);
	assert_int_equal(fixture->reports[0].request.bytes_out, 2500);
	assert_int_equal(reported(fixture, 1, "GET", "/a?b=1", 200)->end_ns, 60);
	assert_false(fixture->reports[1].request.is_end_estimated);
	free(text);
}

static void response_of_unknown_end_is_reported_at_close(void **state)
{
	struct fixture *fixture = *state;
	char *text = padded("HTTP/1.1 500 No\r\nX: ", 1300);

	read_text(fixture, GET_A, 10);
	write_bytes(fixture, text, 1300, 20);
	http_feed_finish(fixture->connection, 90);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 500)->end_ns, 20);
	assert_int_equal(fixture->reports[0].request.completion, HTTP_COMPLETE);
	assert_true(fixture->reports[0].request.is_end_estimated);
	free(text);
}

static void contradicting_lengths(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "POST /a HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 10);
	write_text(fixture, "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n", 20);
	assert_true(reported(fixture, 0, "POST", "/a", 400)->is_bytes_in_estimated);
}

/* ---- the end ---- */

static void aborted_and_unfinished(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, GET_A, 10);
	write_text(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhi", 20);
	http_feed_close(fixture->connection, 50);
	assert_int_equal(reported(fixture, 0, "GET", "/a?b=1", 200)->completion, HTTP_ABORTED);
	assert_int_equal(fixture->reports[0].request.end_ns, 20);

	/* The same object serves the next connection. */
	read_text(fixture, "GET /never HTTP/1.1\r\n\r\n", 60);
	http_feed_close(fixture->connection, 70);
	assert_int_equal(reported(fixture, 1, "GET", "/never", 0)->completion, HTTP_ABORTED);
	assert_int_equal(fixture->reports[1].request.end_ns, 70);
	assert_int_equal(fixture->reports[1].request.index, 0);
	read_text(fixture, "GET /slow HTTP/1.1\r\n\r\n", 80);
	http_feed_finish(fixture->connection, 90);
	assert_int_equal(reported(fixture, 2, "GET", "/slow", 0)->completion, HTTP_UNFINISHED);
	assert_int_equal(fixture->reports[2].request.end_ns, 90);
}

/* A server that gives up on an idle connection says so; that answers nothing. */
static void unsolicited_response(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, GET_A, 10);
	write_text(fixture, OK_2, 20);
	write_text(fixture, "HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 90);
	http_feed_close(fixture->connection, 91);
	assert_int_equal(fixture->count, 1);
}

/* ---- not HTTP/1.x ---- */

static void tls(void **state)
{
	struct fixture *fixture = *state;
	static const char hello[] = "\x16\x03\x01\x00\x05hello", data[] = "\x17\x03\x03\x00\x03xyz";

	http_feed_arrival(fixture->connection, 5, 10);
	read_bytes(fixture, hello, 10, 10);
	write_text(fixture, "\x16\x03\x03 server hello", 20);
	http_feed_arrival(fixture->connection, 30, 8);
	read_bytes(fixture, data, 5, 40); /* OpenSSL reads the record's head, then the record */
	read_bytes(fixture, data + 5, 3, 41);
	write_text(fixture, "\x17\x03\x03 answer", 50);
	write_text(fixture, "\x17\x03\x03 more", 60);
	http_feed_close(fixture->connection, 99);
	assert_int_equal(fixture->count, 2);
	assert_int_equal(fixture->reports[0].request.protocol, HTTP_TLS);
	assert_string_equal(http_protocol_name(HTTP_TLS), "opaque");
	assert_true(fixture->reports[0].request.is_handshake);
	assert_int_equal(fixture->reports[0].request.start_ns, 5);
	assert_int_equal(fixture->reports[0].request.end_ns, 20);
	assert_false(fixture->reports[1].request.is_handshake);
	assert_int_equal(fixture->reports[1].request.start_ns, 30);
	assert_int_equal(fixture->reports[1].request.first_write_ns, 45);
	assert_int_equal(fixture->reports[1].request.end_ns, 60);
	assert_int_equal(fixture->reports[1].request.bytes_in, 8);
	assert_false(fixture->reports[1].request.is_connection_lost);
}

static void http2_with_prior_knowledge(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes", 10);
	write_text(fixture, "settings", 20);
	read_text(fixture, "headers", 30);
	write_text(fixture, "answer", 40);
	http_feed_finish(fixture->connection, 99);
	assert_int_equal(fixture->count, 2);
	assert_int_equal(fixture->reports[0].request.protocol, HTTP_H2C);
	assert_string_equal(http_protocol_name(HTTP_H2C), "h2c");
	assert_int_equal(fixture->reports[1].request.start_ns, 30);
	assert_int_equal(fixture->reports[1].request.end_ns, 40);
}

static void upgrades_and_tunnels(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "GET /chat HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", 10);
	write_text(fixture, "HTTP/1.1 101 Switching Protocols\r\n\r\n", 20);
	assert_int_equal(reported(fixture, 0, "GET", "/chat", 101)->end_ns, 20);
	read_text(fixture, "GET / HTTP/1.1\r\n\r\n", 30); /* whatever it looks like */
	write_text(fixture, "frame", 40);
	http_feed_close(fixture->connection, 50);
	assert_int_equal(fixture->reports[1].request.protocol, HTTP_OPAQUE);
	assert_false(fixture->reports[1].request.is_connection_lost);

	read_text(fixture, "GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n", 60);
	write_text(fixture, "HTTP/1.1 101 Switching Protocols\r\n\r\n", 70);
	read_text(fixture, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 80);
	write_text(fixture, "frame", 90);
	http_feed_close(fixture->connection, 91);
	assert_int_equal(fixture->reports[3].request.protocol, HTTP_H2C);

	read_text(fixture, "CONNECT user:pw@host:443 HTTP/1.1\r\n\r\n", 110);
	write_text(fixture, "HTTP/1.1 200 OK\r\n\r\n", 120);
	read_text(fixture, "tunnelled", 130);
	write_text(fixture, "answer", 140);
	http_feed_close(fixture->connection, 150);
	assert_int_equal(reported(fixture, 4, "CONNECT", "***@host:443", 200)->end_ns, 120);
	assert_int_equal(fixture->reports[5].request.protocol, HTTP_OPAQUE);
	assert_int_equal(fixture->reports[5].request.end_ns, 140);
}

static void something_else(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, "AUTH secret\r\n", 10);
	write_text(fixture, "+OK\r\n", 20);
	write_text(fixture, "+MORE\r\n", 25);
	read_text(fixture, "PING\r\n", 30);
	write_text(fixture, "+PONG\r\n", 40);
	http_feed_close(fixture->connection, 50);
	assert_int_equal(fixture->count, 2);
	assert_int_equal(fixture->reports[0].request.protocol, HTTP_OPAQUE);
	assert_int_equal(fixture->reports[0].request.end_ns, 25);
	assert_false(fixture->reports[0].request.is_connection_lost);
	assert_int_equal(fixture->reports[1].request.start_ns, 30);
	assert_int_equal(fixture->reports[1].request.end_ns, 40);
	assert_string_equal(fixture->reports[0].method, "");
}

static void framing_lost_on_the_way(void **state)
{
	struct fixture *fixture = *state;

	read_text(fixture, GET_A, 10);
	write_text(fixture, OK_2, 20);
	read_text(fixture, "\x01\x02\x03", 30);
	write_text(fixture, "what?", 40);
	http_feed_close(fixture->connection, 50);
	assert_int_equal(fixture->count, 2);
	assert_int_equal(fixture->reports[1].request.protocol, HTTP_OPAQUE);
	assert_true(fixture->reports[1].request.is_connection_lost);
}

static void too_many_pipelined(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 200; i++)
		read_text(fixture, "GET / HTTP/1.1\r\n\r\n", 10);
	assert_true(http_pending(fixture->connection) <= HTTP_PENDING_MAX);
	http_feed_close(fixture->connection, 50);
	assert_int_equal(fixture->count, 1);
	assert_int_equal(fixture->reports[0].request.bytes_in, 200 * 18);
	assert_true(fixture->reports[0].request.is_connection_lost);
}

/* ---- what is stored ---- */

static void stored_form(const char *text, const char *expected, bool is_read, struct http_connection *connection)
{
	size_t length = strlen(text);
	uint8_t *classes = malloc(length + HTTP_LAST_BYTES), *copy = malloc(length + 1);
	struct http_transfer transfer = transfer_of(text, length, 10, 7);

	memcpy(copy, text, length);
	transfer.head = copy;
	transfer.head_length = length;
	transfer.classes = classes;
	if (is_read)
		http_feed_read(connection, &transfer);
	else
		http_feed_write(connection, &transfer);

	size_t left = redact_transfer(classes, copy, length, &transfer.last_bytes);

	for (size_t i = 0; i < left; i++)
		if (copy[i] == 0)
			copy[i] = '.';
	copy[left] = '\0';
	assert_string_equal((char *)copy, expected);
	free(classes);
	free(copy);
}

static void secrets_and_bodies_are_not_stored(void **state)
{
	struct fixture *fixture = *state;
	struct http_connection *connection = fixture->connection;

	stored_form("POST http://me:pw@host/a;jsessionid=12AB/b?id=1&api_key=k3y&x=2 HTTP/1.1\r\nauthorization:  "
		    "Basic abc\r\n"
		    "Host: h\r\nX-Whatever: v\r\nContent-Length: 7\r\n\r\nsecret!",
		    "POST http://*****@host/a;jsessionid=****/b?id=1&api_key=***&x=2 HTTP/1.1\r\nauthorization:  "
		    "*********\r\n"
		    "Host: h\r\nX-Whatever: *\r\nContent-Length: 7\r\n\r\n",
		    true, connection);
	stored_form("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		    "HTTP/1.1 200 OK\r\nSet-Cookie: ***\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n.....\r\n0\r\n\r\n",
		    false, connection);
	assert_string_equal(fixture->reports[0].target, "http://***@host/a;jsessionid=***/b?id=1&api_key=***&x=2");
	assert_string_equal(fixture->reports[0].path, "/a;jsessionid=***/b");
	http_feed_close(connection, 20);
	stored_form("AUTH hunter2\r\n", "............\r", true, connection);
	http_feed_close(connection, 30);
	stored_form("\x16\x03\x01 nothing of this", "\x16\x03\x01 n", true, connection);
}

static void last_bytes_of_bodies_are_not_stored(void **state)
{
	struct fixture *fixture = *state;
	uint8_t classes[4 + HTTP_LAST_BYTES];
	struct http_transfer transfer = transfer_of("password=hunter2", 16, 20, 7);

	read_text(fixture, "POST / HTTP/1.1\r\nContent-Length: 16\r\n\r\n", 10);
	transfer.head_length = 4;
	transfer.classes = classes;
	http_feed_read(fixture->connection, &transfer);

	uint8_t head[4] = "pass";
	uint64_t last = transfer.last_bytes;

	assert_int_equal(redact_transfer(classes, head, 4, &last), 0);
	assert_int_equal(last, 0);
}

/* ---- heads in one piece ---- */

static void heads(void **state)
{
	static const char request[] = "PUT /a?token=x HTTP/1.1\r\nConnection: Keep-Alive, Close\r\nContent-Length: "
				      "18446744073709551615\r\n\r\nrest";
	static const char response[] = "HTTP/1.0 302 Found\r\nTransfer-Encoding: gzip\r\n\r\n";
	struct http_head head;

	(void)state;
	assert_true(http_request_head((const uint8_t *)request, strlen(request), &head));
	assert_true(head.is_complete && head.is_close && head.has_content_length && !head.is_framing_invalid);
	assert_int_equal(head.length_bytes, strlen(request) - 4);
	assert_true(head.content_length == UINT64_MAX);
	assert_string_equal(head.target, "/a?token=***");
	assert_true(http_response_head((const uint8_t *)response, strlen(response), &head));
	assert_int_equal(head.status, 302);
	assert_int_equal(head.protocol, HTTP_1_0);
	assert_false(head.is_chunked);
	assert_true(http_request_head((const uint8_t *)"GET /a HT", 9, &head));
	assert_false(head.is_complete);
	assert_string_equal(head.target, "/a");

	static const char *const wrong[] = {"",
					    " GET / HTTP/1.1\r\n",
					    "GET  HTTP/1.1\r\n",
					    "GET / HTTP/1.1 \r\n",
					    "GET /\r\n",
					    "GET / HTTP/3\r\n",
					    "GET / http/1.1\r\n",
					    "G\rET / HTTP/1.1\r\n",
					    "GET /\x01 HTTP/1.1\r\n"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(http_request_head((const uint8_t *)wrong[i], strlen(wrong[i]), &head));

	static const char *const bad_lengths[] = {"18446744073709551616", "-1", "", "1a", "1, 1", "0x10", "+1"};

	for (size_t i = 0; i < sizeof(bad_lengths) / sizeof(bad_lengths[0]); i++) {
		char text[128];
		int length =
			snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nContent-Length: %s\r\n\r\n", bad_lengths[i]);

		assert_true(http_request_head((const uint8_t *)text, (size_t)length, &head));
		assert_true(head.is_framing_invalid);
	}
}

static void paths(void **state)
{
	static const char *const cases[][2] = {
		{"/a/b?c#d", "/a/b"},
		{"/", "/"},
		{"*", "*"},
		{"http://h", "/"},
		{"http://h?x", "/"},
		{"http://h/p?x", "/p"},
		{"/x?u=http://h/p", "/x"},
		{"host:443", "host:443"},
		{"", "/"},
		{"/a#b", "/a"},
	};
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		http_target_path(cases[i][0], path);
		assert_string_equal(path, cases[i][1]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_request_and_its_times),
		TEST(arrival_of_a_request_in_parts),
		TEST(arrival_not_seen),
		TEST(arrivals_that_are_too_few),
		TEST(arrivals_that_are_too_many),
		TEST(keep_alive_and_pipelining),
		TEST(next_request_before_the_write_returns),
		TEST(responses_without_body),
		TEST(last_chunk_over_several_writes),
		TEST(large_chunk_is_followed_through_hidden_bytes),
		TEST(lost_chunks_end_with_the_last_chunk),
		TEST(until_close),
		TEST(body_by_sendfile),
		TEST(interim_responses),
		TEST(refused_expectation),
		TEST(answered_before_the_body_was_read),
		TEST(odd_headers),
		TEST(a_body_that_looks_like_http),
		TEST(request_head_longer_than_visible),
		TEST(target_longer_than_visible),
		TEST(response_head_longer_than_visible),
		TEST(response_of_unknown_end_is_reported_at_close),
		TEST(contradicting_lengths),
		TEST(aborted_and_unfinished),
		TEST(unsolicited_response),
		TEST(tls),
		TEST(http2_with_prior_knowledge),
		TEST(upgrades_and_tunnels),
		TEST(something_else),
		TEST(framing_lost_on_the_way),
		TEST(too_many_pipelined),
		TEST(secrets_and_bodies_are_not_stored),
		TEST(last_bytes_of_bodies_are_not_stored),
		cmocka_unit_test(heads),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
