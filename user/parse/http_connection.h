/* The state of a tracked connection, shared by http.c (how the streams meet), http_inbound.c, http_outbound.c
 * (HTTP/1.x) and http_opaque.c (everything else). Internal to parse. */
#pragma once

#include "base/vec.h"
#include "parse/http_arrival.h"
#include "parse/http_chunk.h"
#include "parse/http_head.h"

/* A request that began and has not been reported. */
struct http_pending {
	struct http_request record; /* its strings are filled when it is reported */
	char method[HTTP_METHOD_MAX + 1];
	char *target; /* owned, NULL: not known */
	bool is_expecting, has_interim, has_body, is_h2c_upgrade;
};

enum http_inbound_state {
	HTTP_IN_HEAD,
	HTTP_IN_BODY,
	HTTP_IN_CHUNKS,
	HTTP_IN_LOST,	/* bytes of the request, of unknown extent, until it is answered */
	HTTP_IN_RESYNC, /* bytes of nobody, until a transfer begins with a request line */
};

struct http_inbound {
	enum http_inbound_state state;
	uint64_t offset;    /* in the stream, of the next byte */
	uint64_t remaining; /* of a body with a length */
	int request;	    /* index of the pending request the bytes belong to, -1: none (it was answered early) */
	bool is_resyncing;  /* the request line that is being read may turn out not to be one */
	struct http_head_machine machine;
	struct http_chunks chunks;
};

enum http_outbound_state {
	HTTP_OUT_HEAD,
	HTTP_OUT_BODY,
	HTTP_OUT_CHUNKS,
	HTTP_OUT_UNTIL_CLOSE,
	HTTP_OUT_LOST, /* bytes of the response, of unknown extent */
};

struct http_outbound {
	enum http_outbound_state state;
	uint64_t remaining;
	bool has_request; /* the response answers the first pending request, else nothing we know of */
	bool is_chunked;  /* in HTTP_OUT_LOST: the response is known to be chunked */
	uint64_t window;  /* in HTTP_OUT_LOST: the stream's last 8 bytes, the last one in the top byte */
	struct http_head_machine machine;
	struct http_chunks chunks;
};

/* The client's side of TLS, as far as record headers tell. */
enum { TLS_HEADER_BYTES = 5 };

struct http_tls {
	uint8_t header[TLS_HEADER_BYTES];
	unsigned int header_bytes;
	uint64_t remaining;	/* of the record */
	bool is_lost, has_data; /* has_data: an application data record began in the exchange */
};

struct http_connection {
	http_request_callback *callback;
	void *context;
	bool was_http;	    /* a whole request line was seen */
	bool is_lost;	    /* opaque, although it was HTTP */
	bool is_pipelining; /* the client has been seen to send requests before it had the answer to the last */
	uint64_t previous_end_ns;
	uint32_t next_index;
	struct http_arrivals arrivals;
	VEC(struct http_pending) pending; /* in order of arrival */
	struct http_inbound in;
	struct http_outbound out;

	bool is_opaque, has_exchange;
	enum http_protocol opaque_protocol;
	struct http_pending exchange; /* the opaque request that is going on; before that, the bytes of nobody */
	bool has_stray; /* there are such bytes in `exchange`: a request that was not seen may be among them */
	struct http_tls tls;
};

/* Fills what is known at the first byte of a request, which lies at `offset`. */
void http_pending_begin(struct http_connection *connection, struct http_pending *pending,
			const struct http_transfer *transfer, uint64_t offset);
void http_pending_done(struct http_pending *pending);

/* Counts bytes of a read (of a write) to a request. */
void http_pending_read(struct http_pending *pending, const struct http_transfer *transfer, uint64_t length);
void http_pending_write(struct http_pending *pending, const struct http_transfer *transfer, uint64_t length);

/* Reports the request and ends `pending`. */
void http_pending_report(struct http_connection *connection, struct http_pending *pending,
			 enum http_completion completion, uint64_t end_ns);

/* From here on the connection is opaque. Pending requests become one exchange. */
void http_opaque_start(struct http_connection *connection, enum http_protocol protocol);

/* A read in opaque state begins; its first byte lies at the inbound stream's offset. */
void http_opaque_read_begin(struct http_connection *connection, const struct http_transfer *transfer);
/* The connection became opaque in the middle of a read: its bytes belong to what is going on. */
void http_opaque_join(struct http_connection *connection, const struct http_transfer *transfer);
void http_opaque_read(struct http_connection *connection, const struct http_transfer *transfer, const uint8_t *bytes,
		      uint64_t length, uint8_t *classes); /* bytes NULL: hidden; classes NULL: not wanted */
void http_opaque_write(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length);
void http_opaque_end(struct http_connection *connection, uint64_t time_ns, bool is_recording_end);

/* ---- http.c ---- */

/* HTTP's framing is lost: the connection becomes opaque. Not called lost where it never was HTTP. */
void http_connection_lose(struct http_connection *connection);

/* The request that the next inbound (outbound) bytes belong to; NULL for none. */
struct http_pending *http_inbound_request(struct http_connection *connection);
struct http_pending *http_outbound_request(struct http_connection *connection);

void http_pending_remove(struct http_connection *connection, size_t index);

/* The response that is being written ended at the byte before. */
void http_response_finish(struct http_connection *connection, bool is_estimated);

/* The bytes of a line that is not HTTP are payload, all but the one that shows it: so that the stored form shows it
 * too. */
void http_mark_payload(uint8_t *classes, size_t from, size_t at);

/* ---- http_inbound.c, http_outbound.c ---- */

void http_inbound_start(struct http_connection *connection); /* of a request */
void http_inbound_resync_failed(struct http_connection *connection);

/* Visible bytes of a transfer; classes may be NULL. */
void http_inbound_bytes(struct http_connection *connection, const struct http_transfer *transfer,
			const uint8_t *bytes, size_t length, uint8_t *classes);
void http_outbound_bytes(struct http_connection *connection, const struct http_transfer *transfer,
			 const uint8_t *bytes, size_t length, uint8_t *classes);

void http_inbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length);
void http_outbound_hidden(struct http_connection *connection, const struct http_transfer *transfer, uint64_t length);

/* After a write of `length` bytes in HTTP_OUT_LOST. tail_classes: those of last_bytes, or NULL. */
void http_outbound_find_last_chunk(struct http_connection *connection, const struct http_transfer *transfer,
				   uint64_t length, uint8_t *tail_classes);
