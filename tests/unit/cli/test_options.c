#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "record/client.h"

#define WORDS(...)                                                                                                   \
	(char *const[])                                                                                              \
	{                                                                                                            \
		__VA_ARGS__, NULL                                                                                    \
	}

static void parse(struct options *options, char *const *words)
{
	const struct verb *verb = verb_find(words, &words);

	assert_null(options_parse(verb, words, options));
}

static void assert_request(const struct client_request *request, const char *url, const char *method,
			   const char *data, size_t header_count)
{
	assert_string_equal(request->url, url);
	if (method)
		assert_string_equal(request->method, method);
	else
		assert_null(request->method);
	if (data)
		assert_string_equal(request->data, data);
	else
		assert_null(request->data);
	assert_int_equal(request->header_count, header_count);
}

/* -X, -H and -d before the first -r are for all requests, after an -r for that one. */
static void test_what_belongs_to_which_request(void **state)
{
	auto_done(options_done) struct options options = {};

	(void)state;
	parse(&options,
	      WORDS("-H", "A: 1", "-X", "PUT", "-d", "all", "-r", "http://a/", "-r", "http://b/", "-X", "DELETE",
		    "-H", "B: 2", "-H", "C: 3", "-r", "http://c/", "-d", "x=1", "-d", "y=2", "--", "server"));
	assert_int_equal(options.requests.count, 3);
	assert_request(&options.requests.items[0], "http://a/", "PUT", "all", 1);
	assert_request(&options.requests.items[1], "http://b/", "DELETE", "all", 3);
	assert_request(&options.requests.items[2], "http://c/", "PUT", "x=1&y=2", 1);
	assert_string_equal(options.requests.items[1].headers[0], "A: 1");
	assert_string_equal(options.requests.items[1].headers[2], "C: 3");
}

/* As curl -d @FILE: line ends are left out. */
static void test_data_from_a_file(void **state)
{
	auto_done(options_done) struct options options = {};
	char path[] = "/tmp/warmtrace-test-XXXXXX", argument[64];
	auto_fd int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "{\r\n \"a\":1\n}\0!", 13), 13);
	snprintf(argument, sizeof(argument), "@%s", path);
	parse(&options, WORDS("-r", "http://a/", "-d", argument, "server"));
	unlink(path);
	assert_string_equal(options.requests.items[0].data, "{ \"a\":1}!");
}

/* Options end at -- or at the first word that is none; what follows is the command's, whatever it looks like. */
static void test_where_the_command_begins(void **state)
{
	auto_done(options_done) struct options marked = {}, bare = {}, record = {}, named = {};

	(void)state;
	parse(&marked, WORDS("-q", "-o", "x.wtr", "--", "java", "-o", "y", "--", "a.jar"));
	assert_string_equal(marked.output_path, "x.wtr");
	assert_string_equal(marked.command[0], "java");
	assert_string_equal(marked.command[1], "-o");
	assert_string_equal(marked.command[3], "--");
	assert_null(marked.command[5]);
	assert_true(marked.is_command_marked && marked.is_quiet);

	parse(&bare, WORDS("-ox.wtr", "java", "-o", "y"));
	assert_string_equal(bare.output_path, "x.wtr");
	assert_string_equal(bare.command[0], "java");
	assert_false(bare.is_command_marked);

	parse(&record, WORDS("record", "java", "-q"));
	assert_string_equal(record.verb->name, "record");
	assert_false(record.is_quiet);
	assert_string_equal(record.command[1], "-q");

	/* A command that has a verb's name. */
	parse(&named, WORDS("--", "report", "x"));
	assert_null(named.verb->name);
	assert_string_equal(named.command[0], "report");
}

static void test_values_and_defaults(void **state)
{
	auto_done(options_done) struct options options = {}, given = {};

	(void)state;
	parse(&options, WORDS("server"));
	assert_int_equal(options.warm_rounds, 30);
	assert_int_equal(options.concurrency, 1);
	assert_int_equal(options.ready_timeout_ns, 120000000000);
	assert_int_equal(options.request_timeout_ns, 60000000000);
	assert_int_equal(options.stop_timeout_ns, 30000000000);
	assert_null(options.output_path);
	assert_int_equal(options.format, REPORT_TEXT);
	assert_int_equal(options.colour, TERM_COLOUR_AUTO);

	parse(&given, WORDS("-qvn5", "--ready-timeout=500ms", "--stop-timeout", "0", "--buffer", "5M",
			    "--sample-rate=0", "-fjson", "--color=never", "--warm", "7", "server"));
	assert_true(given.is_quiet && given.is_verbose);
	assert_int_equal(given.warm_rounds, 7); /* the last one counts */
	assert_int_equal(given.ready_timeout_ns, 500000000);
	assert_int_equal(given.stop_timeout_ns, 0);
	assert_int_equal(given.ring_bytes, 8 << 20); /* the next power of two */
	assert_int_equal(given.sample_rate_hz, 0);
	assert_int_equal(given.format, REPORT_JSON);
	assert_int_equal(given.colour, TERM_COLOUR_NEVER);
}

static void test_sets_of_recordings(void **state)
{
	auto_done(options_done) struct options options = {};

	(void)state;
	parse(&options, WORDS("compare", "a1", "-q", "a2", "--vs", "b1", "b2", "--name", "x,y", "--", "-b3"));
	assert_int_equal(options.files.count, 5);
	assert_string_equal(options.files.items[1].path, "a2");
	assert_int_equal(options.files.items[1].set, 0);
	assert_int_equal(options.files.items[2].set, 1);
	assert_string_equal(options.files.items[4].path, "-b3");
	assert_int_equal(options.files.items[4].set, 1);
	assert_string_equal(options.names.items[1], "y");
}

static void test_export_and_bench(void **state)
{
	auto_done(options_done) struct options export = {}, bench = {}, aot = {};

	(void)state;
	parse(&export, WORDS("export", "--phase", "first-request", "x.wtr", "--vs", "y.wtr", "-o", "-"));
	assert_string_equal(export_phase_names[export.export_phase], "first_request");
	assert_string_equal(export.versus_path, "y.wtr");
	assert_string_equal(export.output_path, "-");

	parse(&bench, WORDS("bench", "--scenario", "a=x --b=c", "--scenario", "b=y", "--seed", "0"));
	assert_int_equal(bench.scenarios.count, 2);
	assert_string_equal(bench.scenarios.items[0].name, "a");
	assert_string_equal(bench.scenarios.items[0].command, "x --b=c");
	assert_true(bench.has_seed);
	assert_int_equal(bench.runs, 10);

	parse(&aot, WORDS("aot", "--gc", "g1,zgc", "--layout", "extracted", "--", "java", "-jar", "a.jar"));
	assert_int_equal(aot.collectors.count, 2);
	assert_string_equal(aot.collectors.items[1], "zgc");
	assert_string_equal(aot.layouts.items[0], "extracted");
	assert_false(aot.has_seed);
}

/* What the recording keeps of the options tells no secret. */
static void test_text_without_secrets(void **state)
{
	auto_done(options_done) struct options options = {}, quoted = {};

	(void)state;
	parse(&options, WORDS("-H", "Authorization: Bearer abc", "-H", "Accept: */*", "-r",
			      "http://user:hunter2@127.0.0.1/x?token=abc&page=1", "-d", "password=hunter2", "--load",
			      "curl -u x --password hunter2 http://me:hunter2@h/", "-n", "3", "--", "server",
			      "--password", "hunter2"));
	assert_null(strstr(options.text, "hunter2"));
	assert_null(strstr(options.text, "abc"));
	assert_non_null(strstr(options.text, "page=1"));
	assert_non_null(strstr(options.text, "-d '***'") ? options.text : strstr(options.text, "-d ***"));
	assert_non_null(strstr(options.text, "--warm 3"));
	assert_non_null(strstr(options.text, "'Accept: */*'"));

	parse(&quoted, WORDS("-o", "it's here.wtr", "server"));
	assert_string_equal(quoted.text, "--output 'it'\\''s here.wtr'");
}

/* interface.md's order: the command's own, 124, 1, 0. */
static void test_exit_status(void **state)
{
	char url[] = "http://a/", line[] = "gate failed";
	char *lines[] = {line};
	struct outcome outcome = {};

	(void)state;
	assert_int_equal(outcome_status(&outcome), 0);
	outcome.failed_gates.items = lines;
	outcome.failed_gates.count = 1;
	assert_int_equal(outcome_status(&outcome), 1);
	outcome.no_answer = url;
	assert_int_equal(outcome_status(&outcome), 124);
	/* It ended by itself, and well: that answers no request. */
	outcome.has_command_status = true;
	assert_int_equal(outcome_status(&outcome), 124);
	outcome.command_status = 3;
	assert_int_equal(outcome_status(&outcome), 3);
	/* After Ctrl-C: its own, whatever it is. */
	outcome.command_status = 0;
	outcome.was_interrupted = true;
	assert_int_equal(outcome_status(&outcome), 0);
	outcome.has_command_status = false;
	assert_int_equal(outcome_status(&outcome), 124);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_belongs_to_which_request),
		cmocka_unit_test(test_data_from_a_file),
		cmocka_unit_test(test_where_the_command_begins),
		cmocka_unit_test(test_values_and_defaults),
		cmocka_unit_test(test_sets_of_recordings),
		cmocka_unit_test(test_export_and_bench),
		cmocka_unit_test(test_text_without_secrets),
		cmocka_unit_test(test_exit_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
