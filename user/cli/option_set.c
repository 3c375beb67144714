#include "cli/option_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/explain.h"
#include "cli/option_values.h"
#include "record/client.h"

#define FIELD_OF(options, row, type) ((type *)((char *)(options) + (row)->offset))

struct err *set_flag(struct options *options, const struct option_row *row, const char *value)
{
	(void)value;
	*FIELD_OF(options, row, bool) = true;
	return NULL;
}

struct err *set_text(struct options *options, const struct option_row *row, const char *value)
{
	if (!*value)
		return err_new(ERR_USAGE, "it is empty");
	*FIELD_OF(options, row, const char *) = value;
	return NULL;
}

struct err *set_count(struct options *options, const struct option_row *row, const char *value)
{
	return value_count(value, row->minimum, row->maximum, FIELD_OF(options, row, uint64_t));
}

struct err *set_seed(struct options *options, const struct option_row *row, const char *value)
{
	options->has_seed = true;
	return set_count(options, row, value);
}

struct err *set_duration(struct options *options, const struct option_row *row, const char *value)
{
	uint64_t duration_ns;

	TRY(value_duration(value, &duration_ns));
	if (duration_ns < row->minimum)
		return err_new(ERR_USAGE, "it must be more than 0");
	*FIELD_OF(options, row, uint64_t) = duration_ns;
	return NULL;
}

/* The kernel takes a power of two of whole pages. Less than 256 KiB cannot hold what a JVM does between two looks. */
struct err *set_buffer(struct options *options, const struct option_row *row, const char *value)
{
	const uint64_t minimum = 256 << 10, maximum = 1 << 30;
	uint64_t wanted, size = minimum;

	TRY(value_size(value, &wanted));
	if (wanted < minimum || wanted > maximum)
		return err_new(ERR_USAGE, "a size from 256K to 1G is needed");
	while (size < wanted)
		size *= 2;
	*FIELD_OF(options, row, uint64_t) = size;
	return NULL;
}

struct err *set_choice(struct options *options, const struct option_row *row, const char *value)
{
	return value_choice(value, row->choices, FIELD_OF(options, row, unsigned));
}

struct err *set_list(struct options *options, const struct option_row *row, const char *value)
{
	struct option_texts *list = FIELD_OF(options, row, struct option_texts);

	for (const char *at = value;; at++) {
		size_t length = strcspn(at, ",");
		const char *item = arena_copy(&options->arena, at, length);
		unsigned choice;

		if (!length)
			return err_new(ERR_USAGE, "a list without empty items is needed");
		if (row->choices) {
			TRY(value_choice(item, row->choices, &choice));
			item = row->choices[choice];
		}
		for vec_each(other, list)
			if (strcmp(*other, item) == 0)
				return err_new(ERR_USAGE, "'%s' is in it twice", item);
		*vec_push(list) = item;
		at += length;
		if (!*at)
			return NULL;
	}
}

/* ---- requests ---- */

static struct option_request *current_request(struct options *options)
{
	return options->asked.count ? &options->asked.items[options->asked.count - 1] : &options->common;
}

struct err *set_request(struct options *options, const struct option_row *row, const char *value)
{
	bool is_local;

	(void)row;
	if (client_url_port(value, &is_local) == 0) {
		struct err *err = err_new(ERR_USAGE, "an http or https URL is needed");
		const char *with_scheme = arena_format(&options->arena, "http://%s", value);

		/* "localhost:8080/x" reads as a URL of the scheme "localhost". */
		if (!strstr(value, "://") && client_url_port(with_scheme, &is_local))
			return err_hint(err, "did you mean %s?", with_scheme);
		return err;
	}
	vec_push(&options->asked)->url = value;
	return NULL;
}

struct err *set_method(struct options *options, const struct option_row *row, const char *value)
{
	(void)row;
	/* RFC 9110: a method is a token. */
	if (!*value ||
	    value[strspn(value, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return err_new(ERR_USAGE, "an HTTP method such as PUT is needed");
	current_request(options)->method = value;
	return NULL;
}

/* The file that @FILE names (@- is standard input), whole, with a NUL after it. */
static struct err *read_named_file(const char *value, char **ret_text, size_t *ret_length)
{
	enum { NAMED_FILE_MAX = 64 << 20 };
	bool is_input = strcmp(value, "@-") == 0;
	auto_file FILE *file = is_input ? fdopen(dup(STDIN_FILENO), "re") : fopen(value + 1, "re");
	auto_free char *text = NULL;
	size_t length = 0, capacity = 0, got;

	if (!file)
		return err_errno(ERR_USAGE, errno, "cannot open '%s'", value + 1);
	do {
		if (capacity - length < 4096) {
			capacity = capacity ? capacity * 2 : 65536;
			text = realloc(text, capacity);
			if (!text)
				memory_exhausted();
		}
		got = fread(text + length, 1, capacity - length - 1, file);
		length += got;
		if (length > NAMED_FILE_MAX)
			return err_new(ERR_USAGE, "'%s' is larger than 64 MiB", value + 1);
	} while (got);
	if (ferror(file))
		return err_errno(ERR_USAGE, errno, "cannot read '%s'", value + 1);
	text[length] = '\0';
	*ret_text = take(&text);
	*ret_length = length;
	return NULL;
}

static struct err *add_header(struct option_request *request, const char *line)
{
	size_t name = strcspn(line, ":;");

	if (!name || !line[name] || line[strcspn(line, "\r\n")])
		return err_new(ERR_USAGE, "a header such as 'Accept: application/json' is needed");
	*vec_push(&request->headers) = line;
	return NULL;
}

struct err *set_header(struct options *options, const struct option_row *row, const char *value)
{
	auto_free char *text = NULL;
	size_t length;

	(void)row;
	if (value[0] != '@')
		return add_header(current_request(options), value);
	TRY(read_named_file(value, &text, &length));
	for (char *at = text; *at;) {
		size_t line = strcspn(at, "\r\n");

		if (line)
			TRY(add_header(current_request(options), arena_copy(&options->arena, at, line)));
		at += line;
		at += strspn(at, "\r\n");
	}
	return NULL;
}

/* As curl -d: line ends of a file are left out, and so is what cannot be in a string. */
struct err *set_data(struct options *options, const struct option_row *row, const char *value)
{
	struct option_request *request = current_request(options);
	const char *data = value;

	(void)row;
	if (value[0] == '@') {
		auto_free char *text = NULL;
		size_t length, kept = 0;

		TRY(read_named_file(value, &text, &length));
		for (size_t i = 0; i < length; i++)
			if (text[i] != '\r' && text[i] != '\n' && text[i] != '\0')
				text[kept++] = text[i];
		data = arena_copy(&options->arena, text, kept);
	}
	request->data = request->data ? arena_format(&options->arena, "%s&%s", request->data, data) : data;
	return NULL;
}

/* ---- findings ---- */

struct err *set_finding(struct options *options, const struct option_row *row, const char *value)
{
	TRY(explain_check_id(value));
	return set_text(options, row, value);
}

struct err *set_findings(struct options *options, const struct option_row *row, const char *value)
{
	size_t known = options->fail_on.count;

	TRY(set_list(options, row, value));
	/* A misspelt one would never fail. */
	for (size_t i = known; i < options->fail_on.count; i++)
		TRY(explain_check_id(options->fail_on.items[i]));
	return NULL;
}

/* ---- gates, scenarios, sets of recordings ---- */

struct err *set_gate(struct options *options, const struct option_row *row, const char *value)
{
	struct gate gate;

	(void)row;
	TRY(gate_parse(value, &gate));
	*vec_push(&options->gates) = gate;
	return NULL;
}

struct err *set_scenario(struct options *options, const struct option_row *row, const char *value)
{
	size_t length = strcspn(value, "=");
	const char *name = arena_copy(&options->arena, value, length);

	(void)row;
	if (!length || !value[length] || !value[length + 1])
		return err_new(ERR_USAGE, "NAME='COMMAND' is needed");
	for vec_each(other, &options->scenarios)
		if (strcmp(other->name, name) == 0)
			return err_new(ERR_USAGE, "there are two scenarios '%s'", name);
	*vec_push(&options->scenarios) = (struct option_scenario){.name = name, .command = value + length + 1};
	return NULL;
}

/* Opens the next set: the files that follow belong to it too. */
struct err *set_versus_files(struct options *options, const struct option_row *row, const char *value)
{
	uint32_t last = options->files.count ? options->files.items[options->files.count - 1].set : 0;

	(void)row;
	if (!options->files.count)
		return err_new(ERR_USAGE, "the baseline's recordings must come before it");
	*vec_push(&options->files) = (struct option_file){.path = value, .set = last + 1};
	return NULL;
}
