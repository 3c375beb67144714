/* The heads of HTTP/1.x messages, byte by byte: a machine that may be stopped between any two bytes and needs memory
 * of fixed size. Internal to parse: http.h is what others use. */
#pragma once

#include "parse/http.h"

enum http_head_step {
	HTTP_HEAD_MORE,
	HTTP_HEAD_DONE,	   /* this byte was the head's last */
	HTTP_HEAD_INVALID, /* not HTTP/1.x; this byte shows it */
};

enum http_head_phase {
	HTTP_PHASE_BEFORE, /* nothing but line ends yet */
	HTTP_PHASE_METHOD,
	HTTP_PHASE_TARGET,
	HTTP_PHASE_VERSION,
	HTTP_PHASE_STATUS,
	HTTP_PHASE_REASON,
	HTTP_PHASE_HEADER_START,
	HTTP_PHASE_NAME,
	HTTP_PHASE_VALUE_START,
	HTTP_PHASE_VALUE,
};

struct http_head_machine {
	struct http_head head;
	enum http_head_phase phase;
	bool is_response, is_trailer;
	bool has_carriage_return; /* the last byte was one */
	bool is_line_complete;	  /* the request or status line ended */
	bool has_transfer_coding;
	size_t method_length, target_length, line_length;

	/* The header, or the parameter of the target, that is being read. */
	char name[64], value[64];
	size_t name_length, value_length;
	bool has_header, is_name_cut, is_name_spaced, is_value_cut, is_value_kept;

	/* The target: where its authority began and the bytes of it so far, and whether a secret value is being
	 * skipped. */
	size_t authority_start, authority_bytes;
	bool is_in_authority, is_authority_hidden, is_in_parameters, is_in_query, is_in_parameter_name, is_in_secret;

	/* Set by a step when earlier bytes turned out to be secret: how many before this one. The caller clears it.
	 */
	size_t secret_back;
};

void http_head_start(struct http_head_machine *machine, bool is_response);
void http_head_start_trailer(struct http_head_machine *machine);

/* The bytes so far are about to be stored, and the authority they end in may yet turn out to hold user-info: all of
 * it becomes secret. Returns how many bytes before the machine's place that are. */
size_t http_head_hide_authority(struct http_head_machine *machine);

/* *ret_class: what this byte is, as far as is known now. */
enum http_head_step http_head_step(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class);

/* A byte of the target, for http_head_step. */
enum http_head_step http_target_step(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class);

/* Whether it is a method of RFC 9110, or PATCH. None of them ends in another: a request line that is found in the
 * middle of a stream and has one of these is not the end of a longer word. */
bool http_is_standard_method(const char *method);
