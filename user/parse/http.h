/* HTTP/1.x requests of one accepted connection, recognised from what the socket probes saw.
 *
 * A tracker is fed, in time order, with the segments that arrived, the reads and the writes of one connection, and
 * reports requests: from the arrival of a request's first byte to the return of the call that wrote its response's
 * last byte. The live recorder and the model use the same tracker, so a request recognised live is the same from the
 * file.
 *
 * Of each transfer only its first bytes (head) and its last 8 are known; the bytes between are "hidden". The tracker
 * follows the framing (Content-Length, chunks, close) through hidden bytes where their meaning is sure. Where it is
 * not, it says less and marks it, and never guesses:
 *   - A request's head is longer than what is visible: method and target are given, is_head_cut set. The end of its
 *     body is unknown, so the next request is recognised only once this one was answered, at the start of a read.
 *     Where the client was seen to pipeline before, the connection becomes opaque instead.
 *   - A response's end cannot be computed (its head is cut, chunk sizes are hidden): it ends with the last bytes
 *     written before the client's next bytes, is_end_estimated set.
 *   - After such a gap a call that begins with a whole request line (status line) is taken to begin a request
 *     (response), and a write that ends with the last chunk's bytes to end a chunked response.
 *   - TLS, HTTP/2 and anything else: opaque requests by bytes and time, see enum http_protocol.
 * All input is untrusted. Memory per connection is bounded (HTTP_PENDING_MAX requests, HTTP_TARGET_MAX bytes each).
 *
 * Secrets: targets are reported with the values of secret parameters and user-info replaced by `***`. To store a
 * transfer, give `classes` and pass them to redact_transfer (parse/redact.h): body bytes and secrets go, lengths
 * stay, and feeding the result to another tracker yields the same requests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HTTP_PENDING_MAX = 64,	/* pipelined requests without a response; with more the connection becomes opaque */
	HTTP_TARGET_MAX = 2048, /* a longer target is cut, is_target_cut set */
	HTTP_METHOD_MAX = 24,
	HTTP_LAST_BYTES = 8,
};

enum http_protocol {
	HTTP_1_0,
	HTTP_1_1,
	HTTP_H2C,    /* HTTP/2 without TLS: opaque */
	HTTP_TLS,    /* opaque */
	HTTP_OPAQUE, /* anything else, a tunnel after CONNECT or 101, or HTTP whose framing was lost */
};

/* "http/1.0", "http/1.1", "h2c", "opaque" (also for TLS). */
const char *http_protocol_name(enum http_protocol protocol);

enum http_completion {
	HTTP_COMPLETE,	 /* the response's last byte was written */
	HTTP_ABORTED,	 /* the connection ended before that */
	HTTP_UNFINISHED, /* the recording ended before that */
};

/* One request, given to the callback. Strings are NUL-terminated, valid during the call, "" where not known. */
struct http_request {
	const char *method;
	const char *target; /* as sent, secrets replaced */
	const char *path;   /* the target's path without query, fragment and authority; "*" stays */
	enum http_protocol protocol;
	enum http_completion completion;
	uint32_t status; /* of the final response, 0: none seen */

	uint64_t start_ns;   /* arrival, or the previous response's end on this connection where that is later */
	uint64_t arrival_ns; /* of the first byte; where it was not fed, the return of the read that delivered it */
	uint64_t first_read_ns;	 /* return of the read that delivered the first byte */
	uint64_t last_read_ns;	 /* return of the last read that delivered a byte of it */
	uint64_t first_write_ns; /* entry of the write that sent the response's first byte, 0: none */
	uint64_t end_ns; /* return of the write of the last byte; without any: when connection or recording ended */
	uint64_t bytes_in, bytes_out;
	uint32_t reader_pid, reader_tid; /* who read the first byte */
	uint32_t writer_pid, writer_tid; /* who wrote the last byte, 0: nobody */
	uint32_t index;			 /* on this connection, from 0 */

	bool is_arrival_estimated;
	bool is_pipelined;	    /* it arrived before the previous response had ended */
	bool is_end_estimated;	    /* the end is "last bytes out before the client's next bytes" */
	bool is_head_cut;	    /* part of the request's head was hidden */
	bool is_target_cut;	    /* the path is whole only if the target has a '?' */
	bool is_bytes_in_estimated; /* an upper bound: the end of its body could not be followed */
	bool is_handshake;	    /* TLS: the client sent handshake records only */
	bool is_connection_lost;    /* opaque because HTTP's framing was lost, not because it never was HTTP */
};

typedef void http_request_callback(void *context, const struct http_request *request);

/* What a byte of a captured transfer is, for storing it. */
enum http_byte {
	HTTP_BYTE_BODY = 0, /* payload: not to be stored */
	HTTP_BYTE_KEEP = 1, /* protocol: needed to recognise requests again */
	HTTP_BYTE_SECRET = 2,
};

/* A read or write call on the connection. Not for MSG_PEEK reads. */
struct http_transfer {
	uint64_t time_start_ns, time_end_ns;
	int64_t result; /* bytes moved; 0: end of stream; negative: error (-EAGAIN on a read helps, see http.c) */
	const uint8_t *head; /* the first head_length bytes, head_length <= result is enforced */
	size_t head_length;
	uint64_t last_bytes; /* the last 8 bytes moved, the LAST one in the top byte; a NUL stands for a byte that is
				not known */
	uint32_t pid, tid;
	uint8_t *classes; /* NULL, or room for head_length + HTTP_LAST_BYTES entries of enum http_byte: the head's,
			     then those of last_bytes from its lowest byte (the oldest) up */
};

struct http_connection;

/* Never NULL; freed with http_connection_free (NULL accepted), which reports nothing. */
struct http_connection *http_connection_new(http_request_callback *callback, void *context);
void http_connection_free(struct http_connection *connection);

void http_feed_arrival(struct http_connection *connection, uint64_t time_ns, uint64_t length_bytes);
void http_feed_read(struct http_connection *connection, const struct http_transfer *transfer);
void http_feed_write(struct http_connection *connection, const struct http_transfer *transfer);

/* The connection ended: what is pending is reported. Feeding more starts a new connection's life in the same object.
 */
void http_feed_close(struct http_connection *connection, uint64_t time_ns);

/* The recording ended: what is pending is reported as unfinished, an answered request of unknown end as complete,
 * estimated. */
void http_feed_finish(struct http_connection *connection, uint64_t time_ns);

/* Requests that began and have not been reported (an answered one of unknown end is among them). */
size_t http_pending(const struct http_connection *connection);

/* ---- heads in one piece ---- */

struct http_head {
	size_t length_bytes; /* of the head, with its blank line */
	bool is_complete;    /* the blank line was there; else what follows holds what was seen so far */
	enum http_protocol protocol;
	uint32_t status;		  /* responses */
	char method[HTTP_METHOD_MAX + 1]; /* requests */
	char target[HTTP_TARGET_MAX + 1]; /* requests; secrets replaced */
	bool is_target_cut;
	bool has_content_length, is_chunked, is_close, is_expect_continue, is_upgrade, is_h2c_upgrade;
	bool is_framing_invalid; /* contradicting lengths or an unknown transfer coding */
	uint64_t content_length;
};

/* False where the bytes are not (the beginning of) such a head. */
bool http_request_head(const uint8_t *bytes, size_t length_bytes, struct http_head *ret_head);
bool http_response_head(const uint8_t *bytes, size_t length_bytes, struct http_head *ret_head);

/* The path of a target into `path` (of at least strlen(target) + 2 bytes): without scheme, authority, query and
 * fragment;
 * "/" where it has none, "*" stays. */
void http_target_path(const char *target, char *path);
