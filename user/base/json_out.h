/* Streaming JSON writer: keys in the order of the calls, exact 64-bit integers, no tree in memory.
 *
 * Every string becomes valid JSON whatever its bytes: invalid UTF-8 turns into U+FFFD, control characters and the
 * line separators U+2028 and U+2029 (which end a line in older JavaScript) are escaped. Doubles are the shortest
 * decimal that reads back as the same double; what JSON cannot hold (NaN, infinity) is null. A wrong nesting of the
 * calls is remembered, and json_out_finish returns it as an error: the file is then not JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { JSON_OUT_DEPTH_MAX = 32 };

struct json_out_level {
	bool is_object, is_flat, has_items, has_key;
};

struct json_out {
	FILE *out; /* borrowed */
	unsigned depth;
	struct json_out_level levels[JSON_OUT_DEPTH_MAX];
	bool is_done; /* the one value of the document is written */
	const char *misuse;
};

/* A container writes one item on a line; a flat one, and all in it, stays on one line. */
void json_out_object(struct json_out *json);
void json_out_object_flat(struct json_out *json);
void json_out_object_end(struct json_out *json);
void json_out_array(struct json_out *json);
void json_out_array_flat(struct json_out *json);
void json_out_array_end(struct json_out *json);

void json_out_key(struct json_out *json, const char *key);
void json_out_int(struct json_out *json, int64_t value);
void json_out_real(struct json_out *json, double value);
void json_out_bool(struct json_out *json, bool value);
void json_out_null(struct json_out *json);
void json_out_text(struct json_out *json, const char *text); /* NULL is null */
void json_out_bytes(struct json_out *json, const char *bytes, size_t length_bytes);

/* Ends one document of many in a stream, each a line; nothing is flushed. Fails where the calls made no document. */
struct err *json_out_end_line(struct json_out *json) must_check;

/* Ends the last line. Fails where the stream failed, or the calls did not make one whole document. */
struct err *json_out_finish(struct json_out *json) must_check;
