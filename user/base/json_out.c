#include "base/json_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static struct json_out_level *level_of(struct json_out *json)
{
	return json->depth ? &json->levels[json->depth - 1] : NULL;
}

static void misused(struct json_out *json, const char *how)
{
	if (!json->misuse)
		json->misuse = how;
}

static void new_line(struct json_out *json)
{
	const struct json_out_level *level = level_of(json);

	if (level && level->is_flat)
		return;
	putc_unlocked('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		putc_unlocked('\t', json->out);
}

static void separate(struct json_out *json)
{
	struct json_out_level *level = level_of(json);

	if (level->has_items)
		fputs_unlocked(level->is_flat ? ", " : ",", json->out);
	level->has_items = true;
	new_line(json);
}

/* Called before every value; false where no value may stand. */
static bool begin_value(struct json_out *json)
{
	struct json_out_level *level = level_of(json);

	if (!level) {
		if (json->is_done) {
			misused(json, "a second value after the document's end");
			return false;
		}
		json->is_done = true;
		return true;
	}
	if (!level->is_object) {
		separate(json);
		return true;
	}
	if (!level->has_key) {
		misused(json, "a value without a key in an object");
		return false;
	}
	level->has_key = false;
	return true;
}

static void begin_container(struct json_out *json, bool is_object, bool is_flat)
{
	const struct json_out_level *outer = level_of(json);

	if (json->depth == JSON_OUT_DEPTH_MAX) {
		misused(json, "too deep");
		return;
	}
	if (!begin_value(json))
		return;
	putc_unlocked(is_object ? '{' : '[', json->out);
	is_flat = is_flat || (outer && outer->is_flat);
	json->levels[json->depth++] = (struct json_out_level){.is_object = is_object, .is_flat = is_flat};
}

static void end_container(struct json_out *json, bool is_object)
{
	const struct json_out_level *level = level_of(json);

	if (!level || level->is_object != is_object || level->has_key) {
		misused(json, "an end that does not match its begin");
		return;
	}

	bool has_items = level->has_items, is_flat = level->is_flat;

	json->depth--;
	if (has_items && !is_flat)
		new_line(json);
	putc_unlocked(is_object ? '}' : ']', json->out);
}

void json_out_object(struct json_out *json)
{
	begin_container(json, true, false);
}

void json_out_object_flat(struct json_out *json)
{
	begin_container(json, true, true);
}

void json_out_object_end(struct json_out *json)
{
	end_container(json, true);
}

void json_out_array(struct json_out *json)
{
	begin_container(json, false, false);
}

void json_out_array_flat(struct json_out *json)
{
	begin_container(json, false, true);
}

void json_out_array_end(struct json_out *json)
{
	end_container(json, false);
}

static bool is_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != '"' && c != '\\';
}

static void put_string(FILE *out, const char *bytes, size_t length_bytes)
{
	const char *end = bytes + length_bytes;

	putc_unlocked('"', out);
	for (const char *at = bytes; at < end;) {
		const char *start = at;
		int32_t character;

		/* Nearly every text is nothing but these. */
		while (at < end && is_plain(*at))
			at++;
		if (at > start) {
			fwrite_unlocked(start, 1, (size_t)(at - start), out);
			continue;
		}
		character = utf8_next(&at, end);
		if (character == UTF8_INVALID)
			fputs("\xef\xbf\xbd", out);
		else if (character == '"' || character == '\\')
			fprintf(out, "\\%c", (char)character);
		else if (character == '\n')
			fputs("\\n", out);
		else if (character == '\t')
			fputs("\\t", out);
		else if (character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 ||
			 character == 0x2029)
			fprintf(out, "\\u%04x", (unsigned)character);
		else
			fwrite(start, 1, (size_t)(at - start), out);
	}
	putc_unlocked('"', out);
}

void json_out_key(struct json_out *json, const char *key)
{
	struct json_out_level *level = level_of(json);

	if (!level || !level->is_object || level->has_key) {
		misused(json, "a key where none may stand");
		return;
	}
	separate(json);
	level->has_key = true;
	put_string(json->out, key, strlen(key));
	fputs_unlocked(": ", json->out);
}

void json_out_int(struct json_out *json, int64_t value)
{
	char digits[24], *at = digits + sizeof(digits);
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if (!begin_value(json))
		return;
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*--at = '-';
	fwrite_unlocked(at, 1, (size_t)(digits + sizeof(digits) - at), json->out);
}

void json_out_real(struct json_out *json, double value)
{
	char text[32];

	if (!isfinite(value)) {
		json_out_null(json);
		return;
	}
	if (!begin_value(json))
		return;
	/* 17 significant digits name every double; fewer often do. "100" is as short as "1e+02" and plainer. */
	for (int digits = 1; digits <= 17; digits++) {
		bool has_exponent;

		snprintf(text, sizeof(text), "%.*g", digits, value);
		has_exponent = strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e15;
		if (!has_exponent && strtod(text, NULL) == value)
			break;
	}
	fputs(text, json->out);
}

void json_out_bool(struct json_out *json, bool value)
{
	if (begin_value(json))
		fputs_unlocked(value ? "true" : "false", json->out);
}

void json_out_null(struct json_out *json)
{
	if (begin_value(json))
		fputs("null", json->out);
}

void json_out_text(struct json_out *json, const char *text)
{
	if (text)
		json_out_bytes(json, text, strlen(text));
	else
		json_out_null(json);
}

void json_out_bytes(struct json_out *json, const char *bytes, size_t length_bytes)
{
	if (begin_value(json))
		put_string(json->out, bytes, length_bytes);
}

struct err *json_out_end_line(struct json_out *json)
{
	if (!json->misuse && (json->depth || !json->is_done))
		json->misuse = "an unfinished document";
	if (json->misuse)
		return err_new(ERR_FAILED, "cannot write JSON: %s", json->misuse);
	putc_unlocked('\n', json->out);
	return NULL;
}

struct err *json_out_finish(struct json_out *json)
{
	TRY(json_out_end_line(json));
	errno = 0;
	if (fflush(json->out) != 0 || ferror(json->out))
		return err_errno(ERR_FAILED, errno ? errno : EIO, "cannot write JSON");
	return NULL;
}
