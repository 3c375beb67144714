#include "parse/http_head.h"

#include <string.h>

/* The headers whose values are kept in a recording: those that frame the message, and a few that describe it and hold
 * nothing about a person. All other values are treated as secrets, because nothing in a report needs them. */
static const char *const kept_headers[] = {
	"accept",
	"accept-encoding",
	"allow",
	"cache-control",
	"connection",
	"content-encoding",
	"content-length",
	"content-type",
	"date",
	"expect",
	"host",
	"keep-alive",
	"server",
	"trailer",
	"transfer-encoding",
	"upgrade",
	"user-agent",
	"vary",
};

static bool is_token_byte(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
	       (byte && strchr("!#$%&'*+-.^_`|~", byte));
}

static bool is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

static char lower(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

void http_head_start(struct http_head_machine *machine, bool is_response)
{
	/* The strings need only their first byte cleared; the machine starts once per message. */
	memset(&machine->head, 0, offsetof(struct http_head, target) + 1);
	memset((char *)&machine->head + offsetof(struct http_head, is_target_cut), 0,
	       sizeof(machine->head) - offsetof(struct http_head, is_target_cut));
	memset((char *)machine + offsetof(struct http_head_machine, phase), 0,
	       sizeof(*machine) - offsetof(struct http_head_machine, phase));
	machine->head.protocol = HTTP_1_1;
	machine->is_response = is_response;
}

void http_head_start_trailer(struct http_head_machine *machine)
{
	http_head_start(machine, false);
	machine->is_trailer = true;
	machine->is_line_complete = true;
	machine->phase = HTTP_PHASE_HEADER_START;
}

/* ---- header lines ---- */

static bool parse_length(const char *text, size_t length, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (length == 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*ret_value = value;
	return true;
}

static bool name_is(const struct http_head_machine *machine, const char *name)
{
	return !machine->is_name_cut && machine->name_length == strlen(name) &&
	       memcmp(machine->name, name, machine->name_length) == 0;
}

/* Whether a comma-separated value has this token; is_last: as its last one. */
static bool value_has_token(const char *value, size_t length, const char *token, bool is_last)
{
	size_t token_length = strlen(token), at = 0;
	bool found = false;

	while (at <= length) {
		size_t end = at;

		while (end < length && value[end] != ',')
			end++;

		size_t from = at, to = end;

		while (from < to && is_blank((uint8_t)value[from]))
			from++;
		while (to > from && is_blank((uint8_t)value[to - 1]))
			to--;
		if (to > from) {
			bool is_equal = to - from == token_length;

			for (size_t i = 0; is_equal && i < token_length; i++)
				is_equal = lower(value[from + i]) == token[i];
			found = is_last ? is_equal : found || is_equal;
		}
		at = end + 1;
	}
	return found;
}

static void finish_content_length(struct http_head_machine *machine)
{
	struct http_head *head = &machine->head;
	uint64_t length;

	if (machine->is_value_cut || !parse_length(machine->value, machine->value_length, &length) ||
	    (head->has_content_length && head->content_length != length)) {
		head->is_framing_invalid = true;
		return;
	}
	head->has_content_length = true;
	head->content_length = length;
}

/* Ends the header line that was read; only now, because the next line may continue it (RFC 9112, section 5.2). */
static void finish_header(struct http_head_machine *machine)
{
	struct http_head *head = &machine->head;

	if (!machine->has_header)
		return;
	machine->has_header = false;
	while (machine->value_length && is_blank((uint8_t)machine->value[machine->value_length - 1]))
		machine->value_length--;
	if (machine->is_trailer)
		return;
	if (name_is(machine, "content-length")) {
		/* "Content-Length : 5" is read differently by different servers: no telling where the message ends.
		 */
		head->is_framing_invalid |= machine->is_name_spaced;
		finish_content_length(machine);
	} else if (name_is(machine, "transfer-encoding")) {
		head->is_framing_invalid |= machine->is_name_spaced || machine->is_value_cut;
		machine->has_transfer_coding = true;
		head->is_chunked = value_has_token(machine->value, machine->value_length, "chunked", true);
	} else if (name_is(machine, "connection")) {
		head->is_close |= value_has_token(machine->value, machine->value_length, "close", false);
	} else if (name_is(machine, "expect")) {
		head->is_expect_continue |=
			value_has_token(machine->value, machine->value_length, "100-continue", false);
	} else if (name_is(machine, "upgrade")) {
		head->is_upgrade = true;
		head->is_h2c_upgrade |= value_has_token(machine->value, machine->value_length, "h2c", false);
	}
}

static bool is_value_kept(const struct http_head_machine *machine)
{
	for (size_t i = 0; i < sizeof(kept_headers) / sizeof(kept_headers[0]); i++)
		if (name_is(machine, kept_headers[i]))
			return true;
	return false;
}

static void finish_head(struct http_head_machine *machine)
{
	struct http_head *head = &machine->head;

	head->is_complete = true;
	/* A transfer coding overrides a length; one that does not end in chunked leaves a request without an end
	 * (RFC 9112, section 6.3), and HTTP/1.0 knows none. A response then ends with the connection. */
	if (machine->has_transfer_coding) {
		head->has_content_length = false;
		if (!machine->is_response && (!head->is_chunked || head->protocol == HTTP_1_0))
			head->is_framing_invalid = true;
	}
}

static enum http_head_step step_header_start(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	if (byte == '\n') {
		finish_header(machine);
		finish_head(machine);
		return HTTP_HEAD_DONE;
	}
	if (is_blank(byte) && machine->has_header) {
		if (machine->value_length < sizeof(machine->value))
			machine->value[machine->value_length++] = ' ';
		machine->phase = HTTP_PHASE_VALUE;
		return HTTP_HEAD_MORE;
	}
	finish_header(machine);
	machine->phase = HTTP_PHASE_NAME;
	machine->name_length = machine->value_length = 0;
	machine->is_name_cut = machine->is_value_cut = false;
	machine->name[machine->name_length++] = lower((char)byte);
	*ret_class = HTTP_BYTE_KEEP;
	return HTTP_HEAD_MORE;
}

static void step_name(struct http_head_machine *machine, uint8_t byte)
{
	if (byte == '\n') { /* a line without a colon is no header */
		machine->phase = HTTP_PHASE_HEADER_START;
	} else if (byte == ':') {
		machine->has_header = true;
		machine->phase = HTTP_PHASE_VALUE_START;
		machine->is_name_spaced = is_blank((uint8_t)machine->name[machine->name_length - 1]);
		while (machine->name_length && is_blank((uint8_t)machine->name[machine->name_length - 1]))
			machine->name_length--;
		machine->is_value_kept = is_value_kept(machine);
	} else if (machine->name_length < sizeof(machine->name)) {
		machine->name[machine->name_length++] = lower((char)byte);
	} else {
		machine->is_name_cut = true;
	}
}

static void step_value(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	if (byte == '\n') {
		machine->phase = HTTP_PHASE_HEADER_START;
		return;
	}
	if (machine->phase == HTTP_PHASE_VALUE_START && is_blank(byte))
		return;
	machine->phase = HTTP_PHASE_VALUE;
	if (machine->value_length < sizeof(machine->value))
		machine->value[machine->value_length++] = (char)byte;
	else
		machine->is_value_cut = true;
	if (!machine->is_value_kept)
		*ret_class = HTTP_BYTE_SECRET;
}

/* ---- first lines ---- */

static enum http_head_step step_method(struct http_head_machine *machine, uint8_t byte)
{
	struct http_head *head = &machine->head;

	if (byte == ' ' && machine->method_length > 0) {
		machine->phase = HTTP_PHASE_TARGET;
		return HTTP_HEAD_MORE;
	}
	if (!is_token_byte(byte) || machine->method_length == HTTP_METHOD_MAX)
		return HTTP_HEAD_INVALID;
	head->method[machine->method_length++] = (char)byte;
	head->method[machine->method_length] = '\0';
	return HTTP_HEAD_MORE;
}

/* "HTTP/1.x", and in a request also the one line that opens HTTP/2 with prior knowledge (RFC 9113, section 3.4). */
static enum http_head_step step_version(struct http_head_machine *machine, uint8_t byte)
{
	struct http_head *head = &machine->head;
	size_t at = machine->line_length++;
	bool is_request = !machine->is_response;

	if (at < 5)
		return byte == (uint8_t) "HTTP/"[at] ? HTTP_HEAD_MORE : HTTP_HEAD_INVALID;
	switch (at) {
	case 5:
		if (is_request && byte == '2' && strcmp(head->method, "PRI") == 0 && strcmp(head->target, "*") == 0)
			head->protocol = HTTP_H2C;
		else if (byte != '1')
			return HTTP_HEAD_INVALID;
		return HTTP_HEAD_MORE;
	case 6:
		return byte == '.' ? HTTP_HEAD_MORE : HTTP_HEAD_INVALID;
	case 7:
		if (byte < '0' || byte > '9')
			return HTTP_HEAD_INVALID;
		if (head->protocol != HTTP_H2C)
			head->protocol = byte == '0' ? HTTP_1_0 : HTTP_1_1;
		return HTTP_HEAD_MORE;
	default:
		break;
	}
	if (is_request && byte == '\n') {
		machine->is_line_complete = true;
		machine->phase = HTTP_PHASE_HEADER_START;
		return HTTP_HEAD_MORE;
	}
	if (machine->is_response && byte == ' ') {
		machine->phase = HTTP_PHASE_STATUS;
		machine->line_length = 0;
		return HTTP_HEAD_MORE;
	}
	return HTTP_HEAD_INVALID;
}

static enum http_head_step step_status(struct http_head_machine *machine, uint8_t byte)
{
	if (machine->line_length < 3) {
		if (byte < '0' || byte > '9')
			return HTTP_HEAD_INVALID;
		machine->head.status = machine->head.status * 10 + (uint32_t)(byte - '0');
		machine->line_length++;
		return machine->line_length == 3 && machine->head.status < 100 ? HTTP_HEAD_INVALID : HTTP_HEAD_MORE;
	}
	if (byte == '\n') {
		machine->is_line_complete = true;
		machine->phase = HTTP_PHASE_HEADER_START;
		return HTTP_HEAD_MORE;
	}
	if (byte != ' ')
		return HTTP_HEAD_INVALID;
	machine->phase = HTTP_PHASE_REASON;
	return HTTP_HEAD_MORE;
}

static enum http_head_step step_before(struct http_head_machine *machine, uint8_t byte)
{
	if (machine->is_response) {
		machine->phase = HTTP_PHASE_VERSION;
		return step_version(machine, byte);
	}
	/* RFC 9112, section 2.2: line ends before a request line are ignored. */
	if (byte == '\n')
		return HTTP_HEAD_MORE;
	machine->phase = HTTP_PHASE_METHOD;
	return step_method(machine, byte);
}

static enum http_head_step step(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	switch (machine->phase) {
	case HTTP_PHASE_BEFORE:
		return step_before(machine, byte);
	case HTTP_PHASE_METHOD:
		return step_method(machine, byte);
	case HTTP_PHASE_TARGET:
		return http_target_step(machine, byte, ret_class);
	case HTTP_PHASE_VERSION:
		return step_version(machine, byte);
	case HTTP_PHASE_STATUS:
		return step_status(machine, byte);
	case HTTP_PHASE_REASON:
		/* A first line that was found wrong is stored as NUL bytes: they must be wrong, too. */
		if (byte == '\0')
			return HTTP_HEAD_INVALID;
		if (byte == '\n') {
			machine->is_line_complete = true;
			machine->phase = HTTP_PHASE_HEADER_START;
		}
		return HTTP_HEAD_MORE;
	case HTTP_PHASE_HEADER_START:
		return step_header_start(machine, byte, ret_class);
	case HTTP_PHASE_NAME:
		step_name(machine, byte);
		return HTTP_HEAD_MORE;
	case HTTP_PHASE_VALUE_START:
	case HTTP_PHASE_VALUE:
		step_value(machine, byte, ret_class);
		return HTTP_HEAD_MORE;
	}
	return HTTP_HEAD_INVALID;
}

/* A line ends with CR LF, or with LF alone (RFC 9112, section 2.2). A CR before anything else is an ordinary byte of
 * a header and an error in a first line. */
enum http_head_step http_head_step(struct http_head_machine *machine, uint8_t byte, uint8_t *ret_class)
{
	*ret_class = HTTP_BYTE_KEEP;
	machine->head.length_bytes++;
	if (machine->has_carriage_return && byte != '\n') {
		if (!machine->is_line_complete)
			return HTTP_HEAD_INVALID;

		uint8_t ignored;

		machine->has_carriage_return = false;
		if (step(machine, '\r', &ignored) == HTTP_HEAD_INVALID)
			return HTTP_HEAD_INVALID;
	}
	if (byte == '\r') {
		bool may_end_line = machine->phase != HTTP_PHASE_METHOD && machine->phase != HTTP_PHASE_TARGET &&
				    (machine->phase != HTTP_PHASE_BEFORE || !machine->is_response) &&
				    (machine->phase != HTTP_PHASE_STATUS || machine->line_length == 3);

		machine->has_carriage_return = true;
		return may_end_line ? HTTP_HEAD_MORE : HTTP_HEAD_INVALID;
	}
	machine->has_carriage_return = false;
	return step(machine, byte, ret_class);
}

bool http_is_standard_method(const char *method)
{
	static const char *const methods[] = {"GET",	 "HEAD",    "POST",  "PUT",  "DELETE",
					      "CONNECT", "OPTIONS", "TRACE", "PATCH"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(method, methods[i]) == 0)
			return true;
	return false;
}

/* ---- heads in one piece ---- */

static bool parse_head(const uint8_t *bytes, size_t length, bool is_response, struct http_head *ret_head)
{
	struct http_head_machine machine;
	uint8_t class;

	http_head_start(&machine, is_response);
	machine.head.method[0] = machine.head.target[0] = '\0';
	for (size_t i = 0; i < length; i++) {
		switch (http_head_step(&machine, bytes[i], &class)) {
		case HTTP_HEAD_INVALID:
			return false;
		case HTTP_HEAD_DONE:
			*ret_head = machine.head;
			return true;
		case HTTP_HEAD_MORE:
			break;
		}
	}
	*ret_head = machine.head;
	return length > 0;
}

bool http_request_head(const uint8_t *bytes, size_t length_bytes, struct http_head *ret_head)
{
	return parse_head(bytes, length_bytes, false, ret_head);
}

bool http_response_head(const uint8_t *bytes, size_t length_bytes, struct http_head *ret_head)
{
	return parse_head(bytes, length_bytes, true, ret_head);
}

const char *http_protocol_name(enum http_protocol protocol)
{
	switch (protocol) {
	case HTTP_1_0:
		return "http/1.0";
	case HTTP_1_1:
		return "http/1.1";
	case HTTP_H2C:
		return "h2c";
	case HTTP_TLS:
	case HTTP_OPAQUE:
		break;
	}
	return "opaque";
}
