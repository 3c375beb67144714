#include "cli/bench.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/term.h"
#include "cli/helper_run.h"
#include "cli/recording.h"
#include "parse/jvm_log.h"
#include "parse/redact.h"
#include "record/features.h"
#include "record/kernel_words.h"
#include "record/run.h"

/* ---- begin and end ---- */

static struct err *check_privilege(void)
{
	struct features features = {};

	TRY(features_detect(&features));
	features_done(&features);
	return NULL;
}

struct err *bench_open(const struct options *options, struct outcome *outcome, struct bench *ret_bench)
{
	struct bench *bench = ret_bench;

	*bench = (struct bench){.options = options, .outcome = outcome, .seed = options->seed};
	TRY(check_privilege());
	kernel_words_show(options->is_verbose);
	if (!options->has_seed) {
		/* A seed that a person can type again. */
		uint16_t drawn = 0;

		if (getrandom(&drawn, sizeof(drawn), 0) == sizeof(drawn))
			bench->seed = drawn;
	}
	TRY(invoker_find(options->as_root, &bench->invoker));
	TRY(work_folder_open(options->work_path, &bench->invoker, &bench->folder));
	comparing_open(options, &bench->comparing);
	bench->is_terminal = isatty(STDERR_FILENO) && !options->is_quiet;
	interruption_begin(&bench->interruption);
	if (!options->requests.count && !options->load_command && !options->end_after_requests)
		bench_say(bench, "no request is given (-r): each run lasts until its command ends by itself");
	return NULL;
}

static void clear_progress(struct bench *bench)
{
	if (bench->has_progress)
		fputs("\r\033[K", stderr);
	bench->has_progress = false;
}

void bench_close(struct bench *bench)
{
	clear_progress(bench);
	interruption_end(&bench->interruption);
	comparing_close(&bench->comparing);
	vec_done(&bench->scenarios);
	work_folder_close(&bench->folder);
	invoker_done(&bench->invoker);
	arena_done(&bench->arena);
}

struct err *bench_check_command(const struct bench *bench, const char *name)
{
	char path[PATH_MAX];
	int error = command_find(name, invoker_search_path(&bench->invoker), path);

	if (!error)
		return NULL;
	return err_errno(error == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE, error, "cannot run '%s'", name);
}

struct bench_scenario *bench_add(struct bench *bench, const char *name, const struct java_command *java,
				 const char *const *java_options)
{
	struct bench_scenario *scenario = vec_push(&bench->scenarios);

	*scenario = (struct bench_scenario){
		.name = name,
		.java = *java,
		.java_options = java_options,
		.number = comparing_add_scenario(&bench->comparing, name,
						 java_command_with(java, java_options, NULL, &bench->arena)),
	};
	return scenario;
}

/* ---- saying ---- */

static void write_line(struct bench *bench, const char *format, va_list arguments)
{
	struct term term = term_detect(STDERR_FILENO, TERM_COLOUR_NEVER);
	auto_free char *line = NULL;

	if (vasprintf(&line, format, arguments) < 0) {
		line = NULL;
		return;
	}
	fprintf(stderr, "warmtrace: %s", utf8_safe(&bench->arena, line, term.has_utf8));
}

void bench_say(struct bench *bench, const char *format, ...)
{
	va_list arguments;

	if (bench->options->is_quiet)
		return;
	clear_progress(bench);
	va_start(arguments, format);
	write_line(bench, format, arguments);
	va_end(arguments);
	putc('\n', stderr);
}

void bench_progress(struct bench *bench, const char *format, ...)
{
	va_list arguments;

	if (!bench->is_terminal)
		return;
	clear_progress(bench);
	va_start(arguments, format);
	write_line(bench, format, arguments);
	va_end(arguments);
	bench->has_progress = true;
	fflush(stderr);
}

static void say_of_run(void *context, const char *line)
{
	bench_say(context, "%s", line);
}

/* ---- one run ---- */

enum {
	TRAINING_STOP_S = 300, /* a JVM that assembles a cache at its end needs a quarter of a minute or more */
	COMPLAINT_MOST = 200,
};

static void set_kind(const struct options *options, enum bench_run_kind kind, struct run_options *run)
{
	switch (kind) {
	case BENCH_MEASURED:
		break;
	case BENCH_TRAINING:
		run->sample_rate_hz = 0;
		run->drop_caches = false;
		run->measure_overhead = false;
		if (run->stop_timeout_s < TRAINING_STOP_S)
			run->stop_timeout_s = TRAINING_STOP_S;
		if (options->train_command) {
			run->load_command = options->train_command;
			run->end_after_requests = 0;
			run->request_count = 0;
		}
		break;
	case BENCH_ASKING:
		run->warm_rounds = 0;
		run->drop_caches = false;
		run->measure_overhead = false;
		break;
	}
}

static const char *complaint_in(const char *log, struct arena *arena)
{
	size_t length, line_length;
	const char *text = helper_text(log, arena, &length);
	const char *line = jvm_log_complaint(text, length, &line_length);

	/* It becomes a clause of a sentence. */
	while (line && line_length && line[line_length - 1] == '.')
		line_length--;
	return line ? arena_copy(arena, line, line_length < COMPLAINT_MOST ? line_length : COMPLAINT_MOST) : NULL;
}

/* Why a run gave nothing, or NULL. */
static const char *why_failed(struct bench *bench, const struct run_options *run, const struct run_result *result,
			      const char *log)
{
	bool is_asked = run->request_count || run->load_command || run->end_after_requests;
	int status = result->wait_status;
	const char *said, *how;

	if (result->ended_itself && result->has_ended && (is_asked ? !result->was_answered : status != 0)) {
		said = complaint_in(log, &bench->arena);
		how = WIFSIGNALED(status) ? arena_format(&bench->arena, "was ended by signal %d", WTERMSIG(status))
					  : arena_format(&bench->arena, "ended with status %d", WEXITSTATUS(status));
		/* Without our own requests it is not known here whether others were answered; a status of 0 is an
		 * end. */
		if (!run->request_count && status == 0)
			return NULL;
		return arena_format(&bench->arena, "the command %s%s%s%s", how,
				    run->request_count ? " before it answered" : "", said ? ": " : "",
				    said ? said : "");
	}
	if (run->request_count && !result->was_answered)
		return "no request was answered";
	return NULL;
}

struct err *bench_record(struct bench *bench, const struct bench_run *bench_run, struct bench_run_result *ret_result)
{
	const struct options *options = bench->options;
	struct run_options run;
	struct run_result result = {};
	const char *log = work_folder_file(&bench->folder, bench_run->name, ".log");

	*ret_result = (struct bench_run_result){
		.recording = work_folder_file(&bench->folder, bench_run->name, ".wtr"), .log = log};
	recording_run_options(options, &run);
	set_kind(options, bench_run->kind, &run);
	run.command = bench_run->command;
	run.output_path = ret_result->recording;
	run.command_output_path = options->command_output_path
					  ? work_folder_file(&bench->folder, options->command_output_path, "")
					  : log;
	run.keep_running = false;
	run.is_quiet = !options->is_verbose;
	/* What an earlier bench left in the folder under these names is not of this one. */
	unlink(run.output_path);
	unlink(log);
	TRY(run_record(&run, say_of_run, bench, &result));
	ret_result->was_interrupted = result.was_interrupted;
	ret_result->was_answered = result.was_answered;
	if (result.was_interrupted) {
		bench->was_interrupted = true;
		bench->last_status = !result.has_ended		       ? 130
				     : WIFSIGNALED(result.wait_status) ? 128 + WTERMSIG(result.wait_status)
								       : WEXITSTATUS(result.wait_status);
		return NULL;
	}
	ret_result->why_failed = why_failed(bench, &run, &result, run.command_output_path);
	ret_result->has_failed = ret_result->why_failed;
	if (ret_result->has_failed && result.ended_itself)
		bench->last_status = WIFSIGNALED(result.wait_status) ? 128 + WTERMSIG(result.wait_status)
								     : WEXITSTATUS(result.wait_status);
	return NULL;
}

/* ---- the end ---- */

/* Interrupted: the command's own status. A scenario none of whose runs gave anything: the status of its command, or
 * 124. */
static void settle(struct bench *bench)
{
	struct outcome *outcome = bench->outcome;
	bool has_empty = false;

	for vec_each(scenario, &bench->scenarios)
		has_empty |= !scenario->answered && !scenario->why_not;
	if (bench->was_interrupted) {
		outcome->was_interrupted = outcome->has_command_status = true;
		outcome->command_status = bench->last_status;
	} else if (has_empty && bench->last_status) {
		outcome->has_command_status = true;
		outcome->command_status = bench->last_status;
	} else if (has_empty && bench->options->requests.count) {
		outcome->no_answer = redact_url(bench->options->requests.items[0].url);
	}
}

struct err *bench_report(struct bench *bench)
{
	bool has_any = false;

	clear_progress(bench);
	settle(bench);
	for vec_each(scenario, &bench->scenarios)
		has_any |= scenario->answered || scenario->died;
	if (bench->was_interrupted && !has_any) {
		bench_say(bench, "interrupted before a run was done: there is nothing to report");
		return NULL;
	}
	if (bench->was_interrupted)
		compare_add_note(bench->comparing.compare,
				 "It was interrupted: these are the runs that were done by then.");
	TRY(comparing_report(&bench->comparing, bench->outcome));
	if (!bench->folder.is_temporary)
		bench_say(bench, "recordings, caches and logs are in '%s'", bench->folder.path);
	return NULL;
}
