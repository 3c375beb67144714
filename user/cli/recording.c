#include "cli/recording.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/fmt.h"
#include "base/term.h"
#include "cli/option_values.h"
#include "parse/redact.h"
#include "record/command.h"
#include "record/kernel_words.h"
#include "record/run.h"

const char *recording_path(const struct options *options)
{
	return options->output_path ? options->output_path : "warmtrace.wtr";
}

/* run.h takes whole seconds: a part of one is not worth less patience. */
static uint32_t seconds_of(uint64_t duration_ns)
{
	uint64_t seconds = duration_ns / 1000000000 + (duration_ns % 1000000000 != 0);

	return seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
}

/* What goes to the terminal while a run is on. Where nobody else writes there, one line stands for how far it is and
 * is written over; where the command writes there too, a whole line comes from time to time. */
struct teller {
	struct term term;
	bool is_terminal, is_ours_alone, has_line;
	uint64_t told_ns;
};

enum { TELL_BESIDE_COMMAND_S = 10 };

static void clear_line(struct teller *teller)
{
	if (teller->has_line)
		fputs("\r\033[K", stderr);
	teller->has_line = false;
}

static void say(void *context, const char *line)
{
	struct teller *teller = context;
	auto_done(arena_done) struct arena arena = {};

	clear_line(teller);
	fprintf(stderr, "warmtrace: %s\n", utf8_safe(&arena, line, teller->term.has_utf8));
}

static void tell(void *context, const struct run_progress *progress)
{
	struct teller *teller = context;
	const uint64_t pause_ns = TELL_BESIDE_COMMAND_S * 1000000000ull;
	char line[192];

	if (!teller->is_ours_alone && progress->elapsed_ns - teller->told_ns < pause_ns)
		return;
	teller->told_ns = progress->elapsed_ns;
	snprintf(line, sizeof(line), "warmtrace: %s, %.1f s, %s events, %s %s", progress->stage,
		 (double)progress->elapsed_ns / 1e9, fmt_count((int64_t)progress->events).text,
		 fmt_count((int64_t)progress->requests).text, progress->requests == 1 ? "request" : "requests");
	clear_line(teller);
	fprintf(stderr, "%.*s%s", (int)teller->term.columns - 1, line, teller->is_ours_alone ? "" : "\n");
	fflush(stderr);
	teller->has_line = teller->is_ours_alone;
}

static struct teller teller_for(const struct options *options)
{
	return (struct teller){
		.term = term_detect(STDERR_FILENO, (enum term_colour)options->colour),
		.is_terminal = isatty(STDERR_FILENO) && !options->is_quiet,
		.is_ours_alone = !options->command || options->command_output_path,
	};
}

/* A verb in the wrong place or misspelt would be taken for a command. */
static struct err *check_for_verb(const struct options *options)
{
	auto_done(arena_done) struct arena arena = {};
	const char **names = arena_array(&arena, const char *, verb_count);
	const char *word = options->command[0], *nearest;
	char path[PATH_MAX];
	size_t count = 0;

	if (options->is_command_marked || options->verb->name)
		return NULL;
	for (size_t i = 0; i < verb_count; i++)
		if (verbs[i].name)
			names[count++] = verbs[i].name;
	nearest = value_nearest(word, names);
	if (!nearest || command_find(word, NULL, path) == 0)
		return NULL;
	if (strcmp(word, nearest) == 0)
		return err_hint(err_new(ERR_USAGE, "unexpected '%s': the verb comes before the options", word),
				"warmtrace %s [OPTIONS]; to run a command of that name: warmtrace [OPTIONS] -- %s",
				word, word);
	return err_hint(err_new(ERR_USAGE, "unknown verb '%s', and there is no such command", word),
			"did you mean '%s'?", nearest);
}

/* By interface.md's order a command that is not there is said before a missing privilege. With privilege the run
 * itself finds out, as the user and in the environment that the command will have. */
struct err *recording_check_command(const char *name)
{
	char path[PATH_MAX];
	int error;

	if (geteuid() == 0)
		return NULL;
	error = command_find(name, NULL, path);
	if (!error)
		return NULL;
	return err_errno(error == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE, error, "cannot run '%s'", name);
}

static void settle(const struct options *options, const struct run_result *result, struct outcome *outcome)
{
	if (result->has_ended && (result->ended_itself || result->was_interrupted)) {
		outcome->has_command_status = true;
		outcome->command_status = WIFSIGNALED(result->wait_status) ? 128 + WTERMSIG(result->wait_status)
									   : WEXITSTATUS(result->wait_status);
	}
	outcome->was_interrupted = result->was_interrupted;
	if (options->requests.count && !result->was_answered)
		outcome->no_answer = redact_url(options->requests.items[0].url);
}

void recording_run_options(const struct options *options, struct run_options *ret_run)
{
	*ret_run = (struct run_options){
		.command = options->command,
		.attach_pid = (pid_t)options->attach_pid,
		.attach_name = options->attach_name,
		.output_path = recording_path(options),
		.command_output_path = options->command_output_path,
		.options_text = options->text,
		.measure_overhead = options->measure_overhead,
		.requests = options->requests.items,
		.request_count = options->requests.count,
		.warm_rounds = (uint32_t)options->warm_rounds,
		.concurrency = (uint32_t)options->concurrency,
		.load_command = options->load_command,
		.end_after_requests = options->end_after_requests,
		.ready_timeout_s = seconds_of(options->ready_timeout_ns),
		.request_timeout_s = seconds_of(options->request_timeout_ns),
		.stop_timeout_s = seconds_of(options->stop_timeout_ns),
		.keep_running = options->keep_running,
		.drop_caches = options->drop_caches,
		.as_root = options->as_root,
		.no_hold = options->no_hold,
		.is_quiet = options->is_quiet,
		.is_verbose = options->is_verbose,
		.sample_rate_hz = (uint32_t)options->sample_rate_hz,
		.ring_bytes = options->ring_bytes,
	};
}

struct err *recording_make(const struct options *options, struct outcome *outcome)
{
	struct teller teller = teller_for(options);
	struct run_options run;
	struct run_result result = {};
	struct err *err;

	recording_run_options(options, &run);
	run.is_last = true;
	if (options->command) {
		TRY(check_for_verb(options));
		TRY(recording_check_command(options->command[0]));
	}
	kernel_words_show(options->is_verbose);
	if (teller.is_terminal)
		run.tell = tell;
	err = run_record(&run, say, &teller, &result);
	clear_line(&teller);
	TRY(err);
	settle(options, &result, outcome);
	if (options->verb->id == VERB_RECORD && !options->is_quiet) {
		auto_free char *line = NULL;

		if (asprintf(&line, "the recording is in '%s'", run.output_path) >= 0)
			say(&teller, line);
	}
	return NULL;
}
