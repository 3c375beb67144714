#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/option_table.h"
#include "cli/option_values.h"
#include "cli/verbs.h"
#include "parse/redact.h"
#include "record/client.h"
#include "record/probes.h"

struct parser {
	struct options *options;
	char *const *next; /* word */
	FILE *text;	   /* collects what the recording says of the options */
};

static const uint64_t second_ns = 1000000000;

/* ---- what the recording says of the options ---- */

/* A command line for the shell, its words taken apart at blanks: redaction looks at one argument after another. */
static char *redact_command(const char *command)
{
	size_t length = strlen(command), redacted_length;
	auto_free char *words = strdup(command);

	for (size_t i = 0; words && i < length; i++)
		if (words[i] == ' ')
			words[i] = '\0';

	char *redacted = words ? redact_arguments(words, length, &redacted_length) : NULL;

	for (size_t i = 0; redacted && i + 1 < redacted_length; i++)
		if (!redacted[i])
			redacted[i] = ' ';
	return redacted ? realloc(redacted, redacted_length + 1) : NULL;
}

static char *redact_value(const struct option_row *row, const char *value)
{
	switch (row->secret) {
	case SECRET_NONE:
		return strdup(value);
	case SECRET_URL:
		return redact_url(value);
	case SECRET_HEADER:
		return redact_header(value);
	case SECRET_COMMAND:
		return redact_command(value);
	case SECRET_ALL:
		break;
	}
	return strdup("***");
}

static void write_quoted(FILE *out, const char *text)
{
	bool is_plain = *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
						    "%+,-./:=@_*?&")];

	if (is_plain) {
		fputs(text, out);
		return;
	}
	putc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	putc('\'', out);
}

static void note_option(struct parser *parser, const struct option_row *row, const char *value)
{
	fprintf(parser->text, "%s%s", ftell(parser->text) ? " " : "", option_name(row).text);
	if (!value)
		return;

	auto_free char *redacted = redact_value(row, value);

	putc(' ', parser->text);
	write_quoted(parser->text, redacted ? redacted : "***");
}

/* ---- words ---- */

static bool is_named(const struct option_row *row, const char *name, size_t length)
{
	return row->name && strlen(row->name) == length && strncmp(row->name, name, length) == 0;
}

static const char *verb_name(const struct verb *verb)
{
	return verb->name ? verb->name : "the main form";
}

static struct err *unknown_option(const struct verb *verb, const char *word)
{
	auto_done(arena_done) struct arena arena = {};
	const char **names = arena_array(&arena, const char *, option_row_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].name && (option_rows[i].verbs & verb->id))
			names[count++] = option_rows[i].name;

	struct err *err = err_new(ERR_USAGE, "unknown option '%s'", word);
	const char *nearest = strncmp(word, "--", 2) == 0 ? value_nearest(word + 2, names) : NULL;

	return nearest ? err_hint(err, "did you mean --%s?", nearest) : err;
}

/* An option of other verbs only: says of which. */
static struct err *foreign_option(const struct verb *verb, const char *word, unsigned taking)
{
	auto_free char *list = NULL;
	size_t size = 0;
	auto_file FILE *stream = open_memstream(&list, &size);

	for (size_t i = 0; stream && i < verb_count; i++)
		if (taking & verbs[i].id)
			fprintf(stream, "%s%s", ftell(stream) ? ", " : "", verb_name(&verbs[i]));
	if (stream)
		fflush(stream);
	return err_hint(err_new(ERR_USAGE, "option %s: %s does not take it", word, verb_name(verb)),
			"it is an option of: %s", list ? list : "");
}

/* The verb's row among those of this name (some names mean something else elsewhere), or an error. */
static struct err *find_row(const struct parser *parser, const char *word, char letter, const char *name,
			    size_t length, const struct option_row **ret_row)
{
	const struct verb *verb = parser->options->verb;
	unsigned taking = 0;

	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (letter ? row->letter != letter : !is_named(row, name, length))
			continue;
		if (row->verbs & verb->id) {
			*ret_row = row;
			return NULL;
		}
		taking |= row->verbs;
	}
	return taking ? foreign_option(verb, word, taking) : unknown_option(verb, word);
}

static struct err *apply(struct parser *parser, const struct option_row *row, const char *value)
{
	if (row->argument && !value) {
		if (!*parser->next)
			return err_new(ERR_USAGE, "option %s: %s is missing", option_name(row).text, row->argument);
		value = *parser->next++;
	}
	note_option(parser, row, value);

	struct err *err = row->set(parser->options, row, value);

	if (!err)
		return NULL;
	if (!value || row->secret == SECRET_ALL)
		return err_wrap(err, "option %s", option_name(row).text);

	/* Standard error is logged as often as a recording is passed on. */
	auto_free char *redacted = redact_value(row, value);

	return err_wrap(err, "option %s '%s'", option_name(row).text, redacted ? redacted : "***");
}

static struct err *take_long(struct parser *parser, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	const struct option_row *row = NULL;
	auto_free char *bare = strndup(word, 2 + length);

	if (!bare)
		memory_exhausted();
	TRY(find_row(parser, bare, 0, word + 2, length, &row));
	if (value && !row->argument)
		return err_new(ERR_USAGE, "option %s: it takes no value", bare);
	return apply(parser, row, value);
}

/* "-qv", "-n5", "-n 5" */
static struct err *take_letters(struct parser *parser, const char *word)
{
	for (const char *at = word + 1; *at; at++) {
		const char as_word[] = {'-', *at, '\0'};
		const struct option_row *row = NULL;

		TRY(find_row(parser, as_word, *at, NULL, 0, &row));
		if (row->argument)
			return apply(parser, row, at[1] ? at + 1 : NULL);
		TRY(apply(parser, row, NULL));
	}
	return NULL;
}

static struct err *take_operand(struct parser *parser, const char *word)
{
	struct options *options = parser->options;
	uint32_t set = options->files.count ? options->files.items[options->files.count - 1].set : 0;

	switch (options->verb->operands) {
	case OPERANDS_FILE:
		if (options->files.count)
			return err_new(ERR_USAGE, "unexpected '%s': %s takes one recording", word,
				       verb_name(options->verb));
		break;
	case OPERANDS_FILES:
		break;
	case OPERANDS_NONE:
	case OPERANDS_COMMAND:
		return err_new(ERR_USAGE, "unexpected '%s': %s takes only options", word, verb_name(options->verb));
	}
	*vec_push(&options->files) = (struct option_file){.path = word, .set = set};
	return NULL;
}

static struct err *take_words(struct parser *parser)
{
	struct options *options = parser->options;
	bool is_after_mark = false;

	while (*parser->next) {
		const char *word = *parser->next;
		bool is_option = !is_after_mark && word[0] == '-' && word[1];

		if (is_option && strcmp(word, "--") == 0) {
			parser->next++;
			is_after_mark = true;
			options->is_command_marked = true;
			continue;
		}
		if (!is_option && options->verb->operands == OPERANDS_COMMAND) {
			options->command = parser->next;
			return NULL;
		}
		parser->next++;
		if (!is_option)
			TRY(take_operand(parser, word));
		else if (word[1] == '-')
			TRY(take_long(parser, word));
		else
			TRY(take_letters(parser, word));
		if (options->wants_help || options->wants_version)
			return NULL;
	}
	return NULL;
}

/* ---- the whole ---- */

static struct err *resolve_requests(struct options *options)
{
	const struct option_request *common = &options->common;

	if (!options->asked.count && (common->method || common->data || common->headers.count))
		return err_new(ERR_USAGE, "option %s: there is no request: -r URL is missing",
			       common->method ? "-X"
			       : common->data ? "-d"
					      : "-H");
	for vec_each(asked, &options->asked) {
		size_t count = common->headers.count + asked->headers.count;
		const char **headers = arena_array(&options->arena, const char *, count + 1);

		for (size_t i = 0; i < common->headers.count; i++)
			headers[i] = common->headers.items[i];
		for (size_t i = 0; i < asked->headers.count; i++)
			headers[common->headers.count + i] = asked->headers.items[i];
		*vec_push(&options->requests) = (struct client_request){
			.url = asked->url,
			.method = asked->method ? asked->method : common->method,
			.data = asked->data ? asked->data : common->data,
			.headers = headers,
			.header_count = count,
		};
	}
	return NULL;
}

static struct err *check_operands(const struct options *options)
{
	const struct verb *verb = options->verb;

	switch (verb->operands) {
	case OPERANDS_NONE:
		return NULL;
	case OPERANDS_COMMAND:
		if (!options->command)
			return err_new(ERR_USAGE, "no command: what is to be run is missing");
		if (!options->command[0][0])
			return err_new(ERR_USAGE, "no command: its name is empty");
		return NULL;
	case OPERANDS_FILE:
		if (!options->files.count && !options->explain_id)
			return err_new(ERR_USAGE, "no recording: the file to read is missing");
		return NULL;
	case OPERANDS_FILES:
		if (!options->files.count)
			return err_new(ERR_USAGE, "no recordings: the files to compare are missing");
		if (!options->files.items[options->files.count - 1].set)
			return err_new(ERR_USAGE, "nothing to compare with: --vs is missing");
		if (options->names.count &&
		    options->names.count != options->files.items[options->files.count - 1].set + 1)
			return err_new(ERR_USAGE, "option --name: one name for each set of recordings is needed");
		return NULL;
	}
	return NULL;
}

static struct err *check_together(const struct options *options)
{
	bool has_client = options->requests.count || options->load_command;
	bool needs_baseline = options->verb->id & (VERB_COMPARE | VERBS_BENCH);

	if (options->end_after_requests && has_client)
		return err_new(ERR_USAGE,
			       "option --requests: it is for requests that others send, without -r and --load");
	if (options->verb->id == VERB_ATTACH && !options->attach_pid == !options->attach_name)
		return err_new(ERR_USAGE, options->attach_pid ? "options -p and --wait-for: only one of them can be"
							      : "no process: -p PID or --wait-for NAME is missing");
	if (options->verb->id == VERB_BENCH && !options->scenarios.count)
		return err_new(ERR_USAGE, "nothing to run: --scenario NAME='COMMAND' is missing");
	if (options->output_path && (options->verb->id & VERBS_RECORD) && strcmp(options->output_path, "-") == 0)
		return err_new(ERR_USAGE, "option --output '-': a recording is a file, not a stream");
	if (options->output_path && options->report_path && strcmp(options->output_path, options->report_path) == 0)
		return err_new(ERR_USAGE, "options --output and --report: both are '%s'", options->output_path);
	if (options->explain_id && options->format != REPORT_TEXT)
		return err_new(ERR_USAGE, "options --explain and --format: a page about a finding is text");
	for vec_each(gate, &options->gates)
		if (!needs_baseline && (gate->is_change || gate->statistic != GATE_PLAIN))
			return err_hint(err_new(ERR_USAGE, "option --fail-if '%s': %s has one run and no baseline",
						gate->expression, verb_name(options->verb)),
					"compare, bench and aot know statistics and changes such as '+5%%'");
	return NULL;
}

static struct err *parse(struct parser *parser)
{
	struct options *options = parser->options;

	TRY(take_words(parser));
	if (options->wants_help || options->wants_version)
		return NULL;
	TRY(check_operands(options));
	TRY(resolve_requests(options));
	return check_together(options);
}

static void set_defaults(struct options *options)
{
	options->warm_rounds = 30;
	options->concurrency = 1;
	options->ready_timeout_ns = 120 * second_ns;
	options->request_timeout_ns = 60 * second_ns;
	options->stop_timeout_ns = 30 * second_ns;
	options->sample_rate_hz = PROBES_SAMPLE_RATE_DEFAULT_HZ;
	options->runs = 10;
	for (unsigned i = 0; export_phase_names[i]; i++)
		if (strcmp(export_phase_names[i], "first_request") == 0)
			options->export_phase = i;
}

struct err *options_parse(const struct verb *verb, char *const *words, struct options *ret_options)
{
	auto_free char *text = NULL;
	size_t size = 0;
	auto_file FILE *stream = open_memstream(&text, &size);
	struct parser parser = {.options = ret_options, .next = words, .text = stream};

	if (!stream)
		memory_exhausted();
	*ret_options = (struct options){.verb = verb};
	set_defaults(ret_options);

	struct err *err = parse(&parser);

	fflush(stream);
	ret_options->text = arena_copy(&ret_options->arena, text, size);
	if (!err || err_hint_text(err))
		return err;
	return err_hint(err, "'warmtrace %s%s--help' says what there is", verb->name ? verb->name : "",
			verb->name ? " " : "");
}

void options_done(struct options *options)
{
	for vec_each(asked, &options->asked)
		vec_done(&asked->headers);
	vec_done(&options->asked);
	vec_done(&options->common.headers);
	vec_done(&options->requests);
	vec_done(&options->fail_on);
	vec_done(&options->gates);
	vec_done(&options->scenarios);
	vec_done(&options->collectors);
	vec_done(&options->layouts);
	vec_done(&options->files);
	vec_done(&options->names);
	arena_done(&options->arena);
}
