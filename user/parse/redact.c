#include "parse/redact.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/vec.h"
#include "parse/http.h"

/* ---- names ---- */

static const char *const secret_parts[] = {"password",	 "passwd", "passphrase", "secret",   "token",
					   "credential", "apikey", "signature",	 "sessionid"};
static const char *const secret_word_ends[] = {"key", "keys", "pwd", "pass", "auth", "sig"};

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_upper(char byte)
{
	return byte >= 'A' && byte <= 'Z';
}

static bool is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool contains(const char *text, size_t length, const char *part)
{
	size_t part_length = strlen(part);

	for (size_t i = 0; i + part_length <= length; i++)
		if (strncasecmp(text + i, part, part_length) == 0)
			return true;
	return false;
}

/* Whether a word ends before `at`: at punctuation, a digit, the end, or where camelCase goes on. */
static bool is_word_end(const char *name, size_t length, size_t at)
{
	return at == length || !is_letter(name[at]) || (is_upper(name[at]) && !is_upper(name[at - 1]));
}

bool redact_is_secret_name(const char *name, size_t length_bytes)
{
	if ((length_bytes == 3 && memcmp(name, "PWD", 3) == 0) ||
	    (length_bytes == 6 && memcmp(name, "OLDPWD", 6) == 0))
		return false;
	for (size_t i = 0; i < sizeof(secret_parts) / sizeof(secret_parts[0]); i++)
		if (contains(name, length_bytes, secret_parts[i]))
			return true;
	for (size_t i = 0; i < sizeof(secret_word_ends) / sizeof(secret_word_ends[0]); i++) {
		size_t end_length = strlen(secret_word_ends[i]);

		for (size_t at = end_length; at <= length_bytes; at++)
			if (is_word_end(name, length_bytes, at) &&
			    strncasecmp(name + at - end_length, secret_word_ends[i], end_length) == 0)
				return true;
	}
	return false;
}

bool redact_is_secret_header(const char *name, size_t length_bytes)
{
	return contains(name, length_bytes, "authorization") || contains(name, length_bytes, "cookie") ||
	       redact_is_secret_name(name, length_bytes);
}

static bool name_contains(const char *assignment, const char *part)
{
	return contains(assignment, strcspn(assignment, "="), part);
}

static bool is_options_variable(const char *assignment)
{
	return name_contains(assignment, "OPTS") || name_contains(assignment, "OPTIONS") ||
	       name_contains(assignment, "ARGS");
}

bool redact_is_runtime_variable(const char *assignment)
{
	static const char *const prefixes[] = {
		"JAVA", "JDK", "_JAVA_OPTIONS=", "CLASSPATH=", "LD_", "MALLOC_", "GLIBC_TUNABLES="};
	size_t length = strcspn(assignment, "=");

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_begins_with(assignment, prefixes[i]))
			return true;
	return length >= 5 && strncmp(assignment + length - 5, "_OPTS", 5) == 0;
}

/* ---- socket bytes ---- */

size_t redact_transfer(const uint8_t *classes, uint8_t *head, size_t head_length, uint64_t *last_bytes)
{
	uint64_t kept = 0;
	size_t length = 0;

	for (size_t i = 0; i < head_length; i++) {
		if (classes[i] == HTTP_BYTE_BODY)
			head[i] = 0;
		else if (classes[i] == HTTP_BYTE_SECRET)
			head[i] = '*';
		if (classes[i] != HTTP_BYTE_BODY)
			length = i + 1;
	}
	for (size_t i = 0; i < HTTP_LAST_BYTES; i++) {
		uint8_t class = classes[head_length + i];
		uint64_t byte = class == HTTP_BYTE_SECRET ? '*' : (*last_bytes >> (8 * i)) & 0xff;

		if (class != HTTP_BYTE_BODY)
			kept |= byte << (8 * i);
	}
	*last_bytes = kept;
	return length;
}

/* ---- texts ---- */

struct output {
	VEC(char) bytes;
};

static void put(struct output *output, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_push(&output->bytes) = text[i];
}

static void put_stars(struct output *output)
{
	put(output, "***", 3);
}

/* The text, to be freed by the caller; *ret_length without the NUL that is added. */
static char *output_take(struct output *output, size_t *ret_length)
{
	*ret_length = output->bytes.count;
	*vec_push(&output->bytes) = '\0';
	return output->bytes.items;
}

static bool is_name_byte(char byte)
{
	return is_letter(byte) || (byte >= '0' && byte <= '9') || (byte && strchr("_.-%", byte)) || (byte & 0x80);
}

static bool is_quote(char byte)
{
	return byte == '"' || byte == '\'';
}

/* The end of a value that begins at `at`; what separates it from the next is what separated its name from the last
 * one, because a value may well hold the other separators. */
static size_t value_end(const char *text, size_t length, size_t at, char before_name)
{
	const char *separators = before_name == '?' || before_name == '&' ? "&#"
				 : before_name == ';'			  ? ";"
				 : before_name == ','			  ? ","
				 : before_name == '#'			  ? "&"
									  : "";

	if (at < length && is_quote(text[at])) {
		size_t end = at + 1;

		while (end < length && text[end] != text[at])
			end += text[end] == '\\' && end + 1 < length ? 2 : 1;
		return end < length ? end + 1 : length;
	}
	while (at < length && !is_space(text[at]) && !is_quote(text[at]) && !strchr(separators, text[at]))
		at++;
	return at;
}

/* "scheme://user:password@host": returns where to go on, after what was put out, or `at` where there is no user-info.
 */
static size_t scan_authority(struct output *output, const char *text, size_t length, size_t at)
{
	size_t end = at, user_end = at;

	while (end < length && !is_space(text[end]) && !is_quote(text[end]) && !strchr("/?#<>", text[end])) {
		if (text[end] == '@')
			user_end = end;
		end++;
	}
	if (user_end > at)
		put_stars(output);
	return user_end;
}

/* "name=value" whose '=' is at `at`: returns where to go on after putting "=***", or `at`. */
static size_t scan_assignment(struct output *output, const char *text, size_t length, size_t at)
{
	size_t name = at;

	while (name > 0 && is_name_byte(text[name - 1]))
		name--;
	if (!redact_is_secret_name(text + name, at - name))
		return at;

	size_t end = value_end(text, length, at + 1, name > 0 ? text[name - 1] : '\0');

	if (end == at + 1)
		return at;
	put(output, "=", 1);
	put_stars(output);
	return end;
}

/* JSON: "name": "value" whose first quote is at `at`. */
static size_t scan_member(struct output *output, const char *text, size_t length, size_t at)
{
	size_t name_end = at + 1, value;

	while (name_end < length && is_name_byte(text[name_end]))
		name_end++;
	if (name_end == length || text[name_end] != '"' || !redact_is_secret_name(text + at + 1, name_end - at - 1))
		return at;
	value = name_end + 1;
	while (value < length && is_space(text[value]))
		value++;
	if (value == length || text[value] != ':')
		return at;
	value++;
	while (value < length && is_space(text[value]))
		value++;
	if (value == length || text[value] == '{' || text[value] == '[')
		return at;
	put(output, text + at, value - at);
	put(output, "\"***\"", 5);
	return text[value] == '"' ? value_end(text, length, value, '\0')
				  : value + strcspn(text + value, ",}] \t\r\n");
}

/* "jdbc:oracle:thin:user/password@...": the one common URL whose user-info does not follow "//". */
static size_t scan_oracle(struct output *output, const char *text, size_t length, size_t at)
{
	static const char prefix[] = "jdbc:oracle:";
	size_t end = at + sizeof(prefix) - 1, user;

	if (length - at < sizeof(prefix) - 1 || strncasecmp(text + at, prefix, sizeof(prefix) - 1) != 0)
		return at;
	while (end < length && is_letter(text[end])) /* the driver: thin, oci */
		end++;
	if (end == length || text[end] != ':')
		return at;
	user = ++end;
	while (end < length && end - user < 256 && text[end] != '@' && !is_space(text[end]) && !is_quote(text[end]))
		end++;
	if (end == length || text[end] != '@' || end == user)
		return at;
	put(output, text + at, user - at);
	put_stars(output);
	return end;
}

static void scan_text(struct output *output, const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		size_t next = at;

		if (text[at] == '=')
			next = scan_assignment(output, text, length, at);
		else if (text[at] == '"')
			next = scan_member(output, text, length, at);
		else if (text[at] == 'j' || text[at] == 'J')
			next = scan_oracle(output, text, length, at);
		if (next > at) {
			at = next;
			continue;
		}
		put(output, text + at, 1);
		at++;
		if (at >= 3 && memcmp(text + at - 3, "://", 3) == 0)
			at = scan_authority(output, text, length, at);
	}
}

char *redact_url(const char *url)
{
	struct output output = {};
	size_t length;

	scan_text(&output, url, strlen(url));
	return output_take(&output, &length);
}

static void put_header(struct output *output, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	size_t name_length = colon ? (size_t)(colon - line) : length, value = name_length + 1;

	if (!colon || !redact_is_secret_header(line, name_length)) {
		scan_text(output, line, length);
		return;
	}
	while (value < length && is_space(line[value]))
		value++;
	put(output, line, value < length ? value : length);
	if (value < length)
		put_stars(output);
}

char *redact_header(const char *line)
{
	struct output output = {};
	size_t length;

	put_header(&output, line, strlen(line));
	return output_take(&output, &length);
}

/* ---- arguments ---- */

/* What the argument before says about the next one. */
enum expectation {
	EXPECT_NOTHING,
	EXPECT_SECRET,
	EXPECT_HEADER,
	EXPECT_USER, /* user:password */
};

static bool is_text(const char *bytes, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(bytes, text, length) == 0;
}

/* An option's name without its dashes and without -D. */
static size_t option_name(const char *argument, size_t length)
{
	size_t at = 0;

	while (at < length && at < 2 && argument[at] == '-')
		at++;
	return at == 1 && length > 1 && argument[1] == 'D' ? 2 : at;
}

static enum expectation expectation_after(const char *argument, size_t length)
{
	size_t name = option_name(argument, length);

	if (is_text(argument, length, "-H") || is_text(argument, length, "--header") ||
	    is_text(argument, length, "--proxy-header"))
		return EXPECT_HEADER;
	if (is_text(argument, length, "-u") || is_text(argument, length, "--user") ||
	    is_text(argument, length, "-U") || is_text(argument, length, "--proxy-user"))
		return EXPECT_USER;
	/* One-letter options are too short to mean anything. */
	if (name == 0 || length - name < 3 || memchr(argument, '=', length) || memchr(argument, ':', length) ||
	    (argument[0] == '-' && length > 1 && argument[1] == 'D'))
		return EXPECT_NOTHING;
	return redact_is_secret_name(argument + name, length - name) ? EXPECT_SECRET : EXPECT_NOTHING;
}

static void put_argument(struct output *output, const char *argument, size_t length);

/* What an option's name promises: "Name: value" or "user:password". Anything else is an argument like others. */
static void put_promised(struct output *output, const char *text, size_t length, enum expectation expectation)
{
	const char *colon = memchr(text, ':', length);

	if (!colon || memchr(text, '=', (size_t)(colon - text))) {
		put_argument(output, text, length);
	} else if (expectation == EXPECT_HEADER) {
		put_header(output, text, length);
	} else {
		put(output, text, (size_t)(colon - text) + 1);
		put_stars(output);
	}
}

static void put_argument(struct output *output, const char *argument, size_t length)
{
	const char *equals = memchr(argument, '=', length);
	size_t name = option_name(argument, length);

	if (equals && equals + 1 < argument + length && (size_t)(equals - argument) > name) {
		size_t name_length = (size_t)(equals - argument) - name;
		const char *value = equals + 1;

		if (is_text(argument, name + name_length, "--header")) {
			put(output, argument, (size_t)(value - argument));
			put_promised(output, value, length - (size_t)(value - argument), EXPECT_HEADER);
			return;
		}
		if (is_text(argument, name + name_length, "--user")) {
			put(output, argument, (size_t)(value - argument));
			put_promised(output, value, length - (size_t)(value - argument), EXPECT_USER);
			return;
		}
		/* To the end of the argument, whatever the value holds; but a URL's parameters are found one by one.
		 */
		if (redact_is_secret_name(argument + name, name_length) &&
		    !memchr(argument, '?', name + name_length) && !memchr(argument, '"', name + name_length) &&
		    !memchr(argument, ';', name + name_length)) {
			put(output, argument, (size_t)(value - argument));
			put_stars(output);
			return;
		}
	}
	scan_text(output, argument, length);
}

static enum expectation put_next_argument(struct output *output, const char *argument, size_t length,
					  enum expectation expectation)
{
	bool is_option = length >= 2 && argument[0] == '-' && argument[1] == '-';

	if (expectation != EXPECT_NOTHING && !is_option) {
		if (expectation != EXPECT_SECRET)
			put_promised(output, argument, length, expectation);
		else if (length > 0)
			put_stars(output);
		return EXPECT_NOTHING;
	}
	put_argument(output, argument, length);
	return expectation_after(argument, length);
}

char *redact_arguments(const char *arguments, size_t length_bytes, size_t *ret_length_bytes)
{
	struct output output = {};
	enum expectation expectation = EXPECT_NOTHING;
	size_t at = 0;

	while (at < length_bytes) {
		const char *end = memchr(arguments + at, '\0', length_bytes - at);
		size_t length = end ? (size_t)(end - arguments) - at : length_bytes - at;

		expectation = put_next_argument(&output, arguments + at, length, expectation);
		at += length;
		if (end) {
			put(&output, "", 1);
			at++;
		}
	}
	return output_take(&output, ret_length_bytes);
}

/* A command line in one string: arguments end at blanks outside quotes, as the JVM reads JAVA_TOOL_OPTIONS. */
static void put_command_line(struct output *output, const char *text, size_t length)
{
	enum expectation expectation = EXPECT_NOTHING;
	size_t at = 0;

	while (at < length) {
		size_t end = at;
		char quote = '\0';

		while (at < length && is_space(text[at]))
			put(output, text + at++, 1);
		for (end = at; end < length && (quote || !is_space(text[end])); end++) {
			if (quote && text[end] == quote)
				quote = '\0';
			else if (!quote && is_quote(text[end]))
				quote = text[end];
		}
		if (end > at)
			expectation = put_next_argument(output, text + at, end - at, expectation);
		at = end;
	}
}

char *redact_variable(const char *assignment)
{
	struct output output = {};
	size_t name_length = strcspn(assignment, "="), length = strlen(assignment);

	if (name_length == length) {
		put(&output, assignment, length);
		return output_take(&output, &length);
	}

	const char *value = assignment + name_length + 1;
	size_t value_length = length - name_length - 1;

	put(&output, assignment, name_length + 1);
	if (value_length > 0 && redact_is_secret_name(assignment, name_length))
		put_stars(&output);
	else if (is_options_variable(assignment))
		put_command_line(&output, value, value_length);
	else
		scan_text(&output, value, value_length);
	return output_take(&output, &length);
}
