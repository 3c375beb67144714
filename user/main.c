/* Finds the verb, runs it, prints what went wrong, chooses the exit status. Nothing else in the program prints an
 * error or ends it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/term.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/verbs.h"

/* A file that is opened while one of the standard streams is closed would take its place, and messages would go into
 * it. The command is executed without what stands in for them here. */
static void fill_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* One line, whatever the names in it hold. */
static void print_line(const char *label, const char *text)
{
	auto_done(arena_done) struct arena arena = {};
	struct term term = term_detect(STDERR_FILENO, TERM_COLOUR_NEVER);

	fprintf(stderr, "warmtrace: %s%s\n", label, utf8_safe(&arena, text, term.has_utf8));
}

static int print_error(struct err *err)
{
	auto_free char *line = err_line(err);
	const char *hint = err_hint_text(err);
	int status = err->kind;

	print_line("", line ? line : "out of memory");
	if (hint)
		print_line("hint: ", hint);
	err_free(err);
	return status;
}

static struct err *print_help(const struct options *options)
{
	struct term term = term_detect(STDOUT_FILENO, (enum term_colour)options->colour);

	if (options->wants_version)
		puts("warmtrace " WARMTRACE_VERSION);
	else
		help_print(options->verb, &term, stdout);
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_errno(ERR_FAILED, errno ? errno : EIO, "cannot write 'standard output'");
	return NULL;
}

static struct err *run(char *const *words, struct options *options, struct outcome *outcome)
{
	const struct verb *verb = verb_find(words, &words);

	TRY(options_parse(verb, words, options));
	if (options->wants_help || options->wants_version)
		return print_help(options);
	return verb->run(options, outcome);
}

int main(int argument_count, char **arguments)
{
	auto_done(options_done) struct options options = {};
	auto_done(outcome_done) struct outcome outcome = {};
	struct err *err;

	fill_streams();
	err = run(arguments + (argument_count > 0), &options, &outcome);
	if (err)
		return print_error(err);
	if (outcome.no_answer) {
		auto_free char *line = NULL;

		if (asprintf(&line, "no request was answered, on '%s': no response came", outcome.no_answer) >= 0)
			print_line("", line);
	}
	for vec_each(line, &outcome.failed_gates)
		print_line("", *line);
	return outcome_status(&outcome);
}
