/* Made-up HTTP conversations with a known truth, delivered to a tracker in pieces of any size: what the unit test of
 * splitting and the fuzzer of parse/http share.
 *
 * A conversation is drawn from a stream of choices (random numbers or a fuzzer's bytes): requests and responses as
 * bytes, and an order in which they are read and written that a real server could show. The truth is kept beside it
 * by counting bytes, not by parsing. Every delivery is made to two trackers: one gets the bytes as they were, the
 * other what redact_transfer left of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/http.h"
#include "parse/redact.h"

#define CONVERSATION_CHECK(condition)                                                                                \
	do {                                                                                                         \
		if (!(condition)) {                                                                                  \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                \
			abort();                                                                                     \
		}                                                                                                    \
	} while (0)

enum {
	CONVERSATION_REQUESTS_MAX = 8,
	CONVERSATION_STREAM_MAX = 128 * 1024,
	CONVERSATION_VISIBLE = 1024,
};

struct choices {
	const uint8_t *bytes; /* NULL: random numbers from `state` */
	size_t length, at;
	uint64_t state;
	bool is_luring; /* see append_body */
};

static inline uint32_t choose(struct choices *choices, uint32_t below)
{
	if (choices->bytes) {
		uint32_t value = choices->at < choices->length ? choices->bytes[choices->at++] : 0;

		if (below > 256 && choices->at < choices->length)
			value = value << 8 | choices->bytes[choices->at++];
		return value % below;
	}
	/* xorshift64 */
	choices->state ^= choices->state << 13;
	choices->state ^= choices->state >> 7;
	choices->state ^= choices->state << 17;
	return (uint32_t)(choices->state >> 33) % below;
}

struct truth {
	char method[16], target[160];
	uint32_t status;
	size_t in_start, in_head_end, in_end; /* of the inbound stream */
	size_t out_start, out_end;	      /* of the outbound stream, interim responses included */
	bool is_close_delimited;
	uint64_t arrival_ns, first_read_ns, end_ns; /* filled by the delivery */
	size_t read_by_end;			    /* inbound bytes that had been read when the response ended */
	uint32_t reader, writer;
};

struct seen {
	struct http_request request;
	char method[32], target[HTTP_TARGET_MAX + 8], path[HTTP_TARGET_MAX + 8];
};

struct seen_list {
	struct seen items[4 * CONVERSATION_REQUESTS_MAX];
	size_t count;
};

struct conversation {
	struct truth truths[CONVERSATION_REQUESTS_MAX];
	size_t count;
	uint8_t in[CONVERSATION_STREAM_MAX], out[CONVERSATION_STREAM_MAX];
	size_t in_length, out_length;
	struct seen_list seen, seen_again; /* from the bytes, and from what was left of them for the recording */
};

static inline void keep_request(void *context, const struct http_request *request)
{
	struct seen_list *list = context;
	struct seen *seen = &list->items[list->count];

	CONVERSATION_CHECK(list->count < sizeof(list->items) / sizeof(list->items[0]));
	list->count++;
	seen->request = *request;
	snprintf(seen->method, sizeof(seen->method), "%s", request->method);
	snprintf(seen->target, sizeof(seen->target), "%s", request->target);
	snprintf(seen->path, sizeof(seen->path), "%s", request->path);
}

/* ---- making one ---- */

static inline void append(uint8_t *stream, size_t *length, const char *text)
{
	size_t text_length = strlen(text);

	CONVERSATION_CHECK(*length + text_length <= CONVERSATION_STREAM_MAX);
	memcpy(stream + *length, text, text_length);
	*length += text_length;
}

/* Bodies hold what framing looks like, so that a tracker that looks into them goes wrong. Where bytes are hidden, not
 * what http.h says is taken for a sign at the beginning or end of a call: request lines, status lines, the last
 * chunk. */
static inline void append_body(struct choices *choices, uint8_t *stream, size_t *length, size_t size)
{
	static const char lure[] =
		"\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nGET /lure HTTP/1.1\r\n\r\n";
	static const char fake[] = "7\r\nContent-Length: 7\r\n\r\n1\r\n GET HTTP/1.1\r\n";
	const char *text = choices->is_luring ? lure : fake;
	size_t text_length = strlen(text), phase = choose(choices, (uint32_t)text_length);

	CONVERSATION_CHECK(*length + size <= CONVERSATION_STREAM_MAX);
	for (size_t i = 0; i < size; i++)
		stream[(*length)++] = (uint8_t)text[(phase + i) % text_length];
}

static inline void append_chunks(struct choices *choices, uint8_t *stream, size_t *length)
{
	static const char *const forms[] = {"%zx\r\n", "%zX\r\n", "%04zx\r\n", "%zx;name=value\r\n", "%zx\n"};
	size_t count = choose(choices, 4);
	char line[64];

	for (size_t i = 0; i < count; i++) {
		size_t size = 1 + choose(choices, 3000);

		snprintf(line, sizeof(line), forms[choose(choices, 5)], size);
		append(stream, length, line);
		append_body(choices, stream, length, size);
		append(stream, length, "\r\n");
	}
	append(stream, length, choose(choices, 4) ? "0\r\n" : "000;last\r\n");
	if (choose(choices, 3) == 0)
		append(stream, length, "Checksum: 0\r\nX-Trailer: a:b\r\n");
	append(stream, length, "\r\n");
}

static inline void append_headers(struct choices *choices, uint8_t *stream, size_t *length)
{
	static const char *const headers[] = {
		"Host: localhost:8080\r\n",
		"authorization: Basic dXNlcjpwYXNzd29yZA==\r\n",
		"COOKIE: a=b; c=d\r\n",
		"X-Odd:no blank\r\n",
		"X-Folded: one\r\n two\r\n\tthree\r\n",
		"X-Empty:\r\n",
		"X-Bare-Line-Feed: yes\n",
		"X-Stray-Return: a\rb\r\n",
		"no colon here\r\n",
		"X-Long: "
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxx\r\n",
		"X-Content-Length: 99\r\n",
		"Connection: keep-alive\r\n",
	};
	uint32_t count = choose(choices, 6);

	for (uint32_t i = 0; i < count; i++)
		append(stream, length, headers[choose(choices, 12)]);
}

static inline void make_request(struct choices *choices, struct conversation *conversation, struct truth *truth,
				size_t number)
{
	static const char *const methods[] = {"GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"};
	static const char *const lengths[] = {"Content-Length: %zu\r\n", "content-length:%zu\r\n",
					      "CONTENT-LENGTH: \t%zu \r\n"};
	uint8_t *in = conversation->in;
	size_t *length = &conversation->in_length, body = 0;
	uint32_t form = choose(choices, 4);
	bool is_chunked = false, has_secret = choose(choices, 3) == 0;
	char line[256];

	if (number > 0 && choose(choices, 8) == 0)
		append(in, length, "\r\n"); /* a line end that belongs to nobody */
	truth->in_start = *length;
	strcpy(truth->method, methods[choose(choices, 6)]);
	snprintf(truth->target, sizeof(truth->target), "/route/%zu%s", number,
		 has_secret   ? "?id=7&access_token=***&x=1"
		 : number % 2 ? "?q=a%20b"
			      : "");
	snprintf(line, sizeof(line), "%s /route/%zu%s HTTP/1.1\r\n", truth->method, number,
		 has_secret   ? "?id=7&access_token=s3cr3t/and+more&x=1"
		 : number % 2 ? "?q=a%20b"
			      : "");
	append(in, length, line);
	append_headers(choices, in, length);
	if (form == 1) {
		body = choose(choices, 3000);
		snprintf(line, sizeof(line), lengths[choose(choices, 3)], body);
		append(in, length, line);
	} else if (form == 2) {
		is_chunked = true;
		append(in, length,
		       choose(choices, 2) ? "Transfer-Encoding: chunked\r\n"
					  : "transfer-encoding: gzip, Chunked\r\n");
	}
	append_headers(choices, in, length);
	append(in, length, "\r\n");
	truth->in_head_end = *length;
	if (is_chunked)
		append_chunks(choices, in, length);
	else
		append_body(choices, in, length, body);
	truth->in_end = *length;
}

static inline void make_response(struct choices *choices, struct conversation *conversation, struct truth *truth,
				 bool is_last)
{
	static const uint32_t statuses[] = {200, 201, 204, 304, 404, 500};
	uint8_t *out = conversation->out;
	size_t *length = &conversation->out_length, body = choose(choices, 3000);
	uint32_t form = choose(choices, is_last ? 3 : 2);
	char line[128];

	truth->out_start = *length;
	if (choose(choices, 6) == 0)
		append(out, length, "HTTP/1.1 100 Continue\r\n\r\n");
	if (choose(choices, 12) == 0)
		append(out, length, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
	truth->status = statuses[choose(choices, 6)];
	snprintf(line, sizeof(line), choose(choices, 2) ? "HTTP/1.1 %u\r\n" : "HTTP/1.1 %u A reason: maybe\r\n",
		 truth->status);
	append(out, length, line);
	append_headers(choices, out, length);

	bool has_body = truth->status != 204 && truth->status != 304 && strcmp(truth->method, "HEAD") != 0;

	if (form == 0) {
		snprintf(line, sizeof(line), "Content-Length: %zu\r\n\r\n", body);
		append(out, length, line);
		if (has_body)
			append_body(choices, out, length, body);
	} else if (form == 1) {
		append(out, length, "Transfer-Encoding: chunked\r\n\r\n");
		if (has_body)
			append_chunks(choices, out, length);
	} else {
		append(out, length, "\r\n");
		if (has_body)
			append_body(choices, out, length, body);
		truth->is_close_delimited = has_body;
	}
	truth->out_end = *length;
}

static inline void make_conversation(struct choices *choices, struct conversation *conversation)
{
	conversation->count = 1 + choose(choices, CONVERSATION_REQUESTS_MAX);
	conversation->in_length = conversation->out_length = 0;
	conversation->seen.count = conversation->seen_again.count = 0;
	memset(conversation->truths, 0, sizeof(conversation->truths));
	for (size_t i = 0; i < conversation->count; i++)
		make_request(choices, conversation, &conversation->truths[i], i);
	for (size_t i = 0; i < conversation->count; i++)
		make_response(choices, conversation, &conversation->truths[i], i + 1 == conversation->count);
}

/* ---- delivering it ---- */

/* The last 8 bytes of a transfer as the probe gives them. */
static inline uint64_t last_bytes_of(const uint8_t *bytes, size_t length)
{
	uint64_t last = 0;

	for (size_t i = 0; i < 8 && i < length; i++)
		last |= (uint64_t)bytes[length - 1 - i] << (56 - 8 * i);
	return last;
}

struct delivery {
	struct http_connection *tracker, *again;
	size_t visible;
	uint64_t now_ns;
};

static inline void deliver(struct delivery *delivery, bool is_read, const uint8_t *bytes, size_t length,
			   uint32_t thread)
{
	uint8_t classes[CONVERSATION_VISIBLE + HTTP_LAST_BYTES], copy[CONVERSATION_VISIBLE];
	size_t head = length < delivery->visible ? length : delivery->visible;
	struct http_transfer transfer = {
		.time_start_ns = delivery->now_ns,
		.time_end_ns = delivery->now_ns + 5,
		.result = (int64_t)length,
		.head = copy,
		.head_length = head,
		.last_bytes = last_bytes_of(bytes, length),
		.pid = 1,
		.tid = thread,
		.classes = classes,
	};

	memcpy(copy, bytes, head);
	delivery->now_ns += 5;
	(is_read ? http_feed_read : http_feed_write)(delivery->tracker, &transfer);
	transfer.head_length = redact_transfer(classes, copy, head, &transfer.last_bytes);
	transfer.classes = NULL;
	(is_read ? http_feed_read : http_feed_write)(delivery->again, &transfer);
}

struct progress {
	size_t arrived, read, written;
};

/* How far each stream may go now: a client sends the next request when it has the answer (unless it pipelines), and a
 * server answers what it has read the head of. */
static inline void limits_of(const struct conversation *conversation, const struct progress *progress,
			     bool is_pipelining, size_t *ret_arrive, size_t *ret_write)
{
	*ret_arrive = is_pipelining ? conversation->in_length : conversation->truths[0].in_end;
	*ret_write = 0;
	for (size_t i = 0; i < conversation->count; i++) {
		const struct truth *truth = &conversation->truths[i];

		if (progress->read >= truth->in_head_end)
			*ret_write = truth->out_end;
		if (progress->written >= truth->out_end)
			*ret_arrive = i + 1 < conversation->count ? conversation->truths[i + 1].in_end
								  : conversation->in_length;
	}
	if (is_pipelining)
		*ret_arrive = conversation->in_length;
}

static inline void note_arrival(struct conversation *conversation, size_t from, size_t to, uint64_t time_ns)
{
	for (size_t i = 0; i < conversation->count; i++)
		if (conversation->truths[i].in_start >= from && conversation->truths[i].in_start < to)
			conversation->truths[i].arrival_ns = time_ns;
}

static inline void note_read(struct conversation *conversation, size_t from, size_t to, uint64_t time_ns,
			     uint32_t thread)
{
	for (size_t i = 0; i < conversation->count; i++)
		if (conversation->truths[i].in_start >= from && conversation->truths[i].in_start < to) {
			conversation->truths[i].first_read_ns = time_ns;
			conversation->truths[i].reader = thread;
		}
}

static inline void note_write(struct conversation *conversation, size_t from, size_t to, size_t read,
			      uint64_t time_ns, uint32_t thread)
{
	for (size_t i = 0; i < conversation->count; i++)
		if (conversation->truths[i].out_end > from && conversation->truths[i].out_end <= to) {
			conversation->truths[i].end_ns = time_ns;
			conversation->truths[i].writer = thread;
			conversation->truths[i].read_by_end = read;
		}
}

/* Delivers all of it; transfers have at most `piece_max` bytes. */
static inline void deliver_conversation(struct choices *choices, struct conversation *conversation, size_t piece_max,
					bool is_pipelining, bool has_arrivals)
{
	struct delivery delivery = {
		.tracker = http_connection_new(keep_request, &conversation->seen),
		.again = http_connection_new(keep_request, &conversation->seen_again),
		.visible = CONVERSATION_VISIBLE,
		.now_ns = 1000,
	};
	struct progress done = {};

	while (done.written < conversation->out_length || done.read < conversation->in_length) {
		size_t may_arrive, may_write, size;
		uint32_t thread = 10 + choose(choices, 3), action = choose(choices, 3);

		limits_of(conversation, &done, is_pipelining, &may_arrive, &may_write);
		delivery.now_ns += 1 + choose(choices, 50);
		if (done.arrived < may_arrive &&
		    (action == 0 || (done.read == done.arrived && done.written == may_write))) {
			size = 1 + choose(choices, 1400);
			if (size > may_arrive - done.arrived)
				size = may_arrive - done.arrived;
			if (has_arrivals) {
				http_feed_arrival(delivery.tracker, delivery.now_ns, size);
				http_feed_arrival(delivery.again, delivery.now_ns, size);
			}
			note_arrival(conversation, done.arrived, done.arrived + size, delivery.now_ns);
			done.arrived += size;
		} else if (done.read < done.arrived && (action == 1 || done.written == may_write)) {
			size = 1 + choose(choices, (uint32_t)piece_max);
			if (size > done.arrived - done.read)
				size = done.arrived - done.read;
			deliver(&delivery, true, conversation->in + done.read, size, thread);
			note_read(conversation, done.read, done.read + size, delivery.now_ns, thread);
			done.read += size;
		} else if (done.written < may_write) {
			size = 1 + choose(choices, (uint32_t)piece_max);
			if (size > may_write - done.written)
				size = may_write - done.written;
			deliver(&delivery, false, conversation->out + done.written, size, thread);
			note_write(conversation, done.written, done.written + size, done.read, delivery.now_ns,
				   thread);
			done.written += size;
		}
	}
	http_feed_close(delivery.tracker, delivery.now_ns + 1);
	http_feed_close(delivery.again, delivery.now_ns + 1);
	http_connection_free(delivery.tracker);
	http_connection_free(delivery.again);
}

/* ---- comparing ---- */

/* Every request that was reported as HTTP agrees with the truth. */
static inline void check_request(const struct truth *truth, const struct seen *seen, uint64_t previous_end_ns,
				 bool has_arrivals)
{
	const struct http_request *request = &seen->request;
	size_t bytes_in = truth->read_by_end < truth->in_end ? truth->read_by_end : truth->in_end;
	uint64_t arrival_ns = has_arrivals ? truth->arrival_ns : truth->first_read_ns;

	CONVERSATION_CHECK(strcmp(seen->method, truth->method) == 0);
	CONVERSATION_CHECK(request->is_target_cut || strcmp(seen->target, truth->target) == 0);
	CONVERSATION_CHECK(request->completion == HTTP_COMPLETE);
	CONVERSATION_CHECK(request->status == truth->status);
	CONVERSATION_CHECK(request->end_ns == truth->end_ns);
	CONVERSATION_CHECK(request->writer_tid == truth->writer);
	CONVERSATION_CHECK(request->bytes_out == truth->out_end - truth->out_start);
	CONVERSATION_CHECK(request->first_read_ns == truth->first_read_ns);
	CONVERSATION_CHECK(request->reader_tid == truth->reader);
	/* What is known to have ended only later may have been read further. */
	if (request->is_bytes_in_estimated)
		CONVERSATION_CHECK(request->bytes_in >= bytes_in - truth->in_start);
	else if (truth->is_close_delimited || request->is_end_estimated)
		CONVERSATION_CHECK(request->bytes_in >= bytes_in - truth->in_start &&
				   request->bytes_in <= truth->in_end - truth->in_start);
	else
		CONVERSATION_CHECK(request->bytes_in == bytes_in - truth->in_start);
	CONVERSATION_CHECK(request->is_arrival_estimated || request->arrival_ns == arrival_ns);
	CONVERSATION_CHECK(request->is_pipelined == (request->arrival_ns < previous_end_ns));
	CONVERSATION_CHECK(request->start_ns == (request->is_pipelined ? previous_end_ns : request->arrival_ns));
}

static inline bool is_same_request(const struct http_request *left, const struct http_request *right)
{
	return left->protocol == right->protocol && left->completion == right->completion &&
	       left->status == right->status && left->start_ns == right->start_ns &&
	       left->arrival_ns == right->arrival_ns && left->first_read_ns == right->first_read_ns &&
	       left->last_read_ns == right->last_read_ns && left->first_write_ns == right->first_write_ns &&
	       left->end_ns == right->end_ns && left->bytes_in == right->bytes_in &&
	       left->bytes_out == right->bytes_out && left->reader_pid == right->reader_pid &&
	       left->reader_tid == right->reader_tid && left->writer_pid == right->writer_pid &&
	       left->writer_tid == right->writer_tid && left->index == right->index &&
	       left->is_arrival_estimated == right->is_arrival_estimated &&
	       left->is_pipelined == right->is_pipelined && left->is_end_estimated == right->is_end_estimated &&
	       left->is_head_cut == right->is_head_cut && left->is_target_cut == right->is_target_cut &&
	       left->is_bytes_in_estimated == right->is_bytes_in_estimated &&
	       left->is_handshake == right->is_handshake && left->is_connection_lost == right->is_connection_lost;
}

/* The recording's copy gives the same requests. */
static inline void check_again(const struct conversation *conversation)
{
	CONVERSATION_CHECK(conversation->seen.count == conversation->seen_again.count);
	for (size_t i = 0; i < conversation->seen.count; i++) {
		const struct seen *first = &conversation->seen.items[i], *again = &conversation->seen_again.items[i];

		CONVERSATION_CHECK(strcmp(first->method, again->method) == 0);
		CONVERSATION_CHECK(strcmp(first->target, again->target) == 0);
		CONVERSATION_CHECK(strcmp(first->path, again->path) == 0);
		CONVERSATION_CHECK(is_same_request(&first->request, &again->request));
	}
}
