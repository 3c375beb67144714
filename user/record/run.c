#include "record/run.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "parse/redact.h"
#include "record/attach.h"
#include "record/detach.h"
#include "record/ports.h"
#include "record/session.h"
#include "record/snapshot.h"
#include "record/untraced.h"

enum { TICK_MS = 10 };

void session_say(struct session *session, const char *format, ...)
{
	auto_free char *line = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	if (line && session->say && !session->options->is_quiet)
		session->say(session->say_context, line);
}

/* ---- what the tracer tells ---- */

static bool on_hold(void *context, pid_t pid, pid_t tid)
{
	struct session *session = context;
	uint64_t start_ns = clock_now_ns();

	/* A JVM is held when libjvm is mapped, perhaps when libstdc++ is, and last at JNI_CreateJavaVM: the record of that has
	 * come with the others then, and has opened the VM. */
	consumer_take(session);
	libraries_attach(&session->libraries, pid, true);

	const uint64_t *created_ns = map_find(&session->vms_created, (uint64_t)pid);
	bool is_last = created_ns != NULL;

	if (created_ns) {
		/* It stands since that record was made, also while the VM's tables were read. */
		start_ns = *created_ns < start_ns ? *created_ns : start_ns;
		map_remove(&session->vms_created, (uint64_t)pid);
	}

	struct event_hold *event =
		event_begin(&session->output.builder, EVENT_HOLD, clock_now_ns(), (uint32_t)pid, (uint32_t)tid);

	event->duration_ns = event->header.time_ns - start_ns;
	event->reason = HOLD_ATTACH;
	output_event(&session->output, event_end(&session->output.builder));
	return is_last;
}

static void on_exit_reaped(void *context, pid_t pid, int wait_status, const struct rusage *usage)
{
	struct session *session = context;

	if (pid == session->command.pid)
		session->command_cpu_ns =
			(uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ull +
			(uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ull;
	plan_on_process_end(session, pid, wait_status, true);
}

static void on_request(void *context, const struct live_request *request)
{
	plan_on_request(context, request);
}

/* ---- setting up ---- */

static struct err *check_port(struct session *session)
{
	const struct run_options *options = session->options;
	bool is_local;
	pid_t holder;

	if (!options->request_count)
		return NULL;
	session->request_port = client_url_port(options->requests[0].url, &is_local);
	if (!session->request_port)
		return err_new(ERR_USAGE, "'%s' is no http or https URL", options->requests[0].url);
	if (!options->command || !is_local || !port_is_held(session->request_port, &holder))
		return NULL;
	if (holder)
		return err_hint(err_new(ERR_FAILED, "cannot use port %u: process %d already listens on it",
					session->request_port, holder),
				"end that process, or give the command another port");
	return err_new(ERR_FAILED, "cannot use port %u: another process already listens on it", session->request_port);
}

/* Said before anything is written: a mistyped name must not replace an earlier recording. */
static struct err *check_command(struct session *session)
{
	const char *name = session->options->command[0];
	char path[PATH_MAX];
	int error = command_find(name, invoker_search_path(&session->invoker), path);

	if (!error)
		return NULL;
	return err_errno(error == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE, error, "cannot run '%s'", name);
}

static struct err *open_descriptors(struct session *session)
{
	struct itimerspec period = {
		.it_interval.tv_nsec = TICK_MS * 1000000, .it_value.tv_nsec = TICK_MS * 1000000};
	sigset_t taken, blocked;

	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGHUP);
	sigaddset(&taken, SIGQUIT);
	blocked = taken;
	/* Blocked, a limit on file sizes is an error of write instead of our death. */
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &session->signal_mask);
	session->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	session->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (session->signal_fd < 0 || session->timer_fd < 0 || timerfd_settime(session->timer_fd, 0, &period, NULL) != 0)
		return err_errno(ERR_FAILED, errno, "cannot open the descriptors of a run");
	return NULL;
}

static void write_start(struct session *session)
{
	struct output *output = &session->output;
	const struct run_options *options = session->options;
	struct timespec now;

	snapshot_machine(output);
	clock_gettime(CLOCK_REALTIME, &now);
	output_textf(output, "start_realtime_ns", "%lld", (long long)now.tv_sec * 1000000000ll + now.tv_nsec);
	output_text(output, "user", session->invoker.name);
	if (options->options_text)
		output_text(output, "options", options->options_text);

	const char *advice = options->command ? command_daemon_advice(options->command) : NULL;

	if (advice) {
		session_say(session, "%s", advice);
		output_text(output, "note", advice);
	}
	for (size_t i = 0; i < options->request_count; i++) {
		auto_free char *url = redact_url(options->requests[i].url);
		char key[32];

		snprintf(key, sizeof(key), "request.%zu", i);
		output_text(output, key, url ? url : "");
	}
}

static void write_command(struct session *session)
{
	auto_free char *text = NULL, *redacted = NULL;
	size_t length = 0, redacted_length = 0;
	FILE *stream = open_memstream(&text, &length);

	for (char *const *argument = session->options->command; stream && *argument; argument++)
		fwrite(*argument, strlen(*argument) + 1, 1, stream);
	if (stream)
		fclose(stream);
	if (text)
		redacted = redact_arguments(text, length, &redacted_length);
	/* The last NUL ends the last argument: it separates nothing. */
	if (redacted && redacted_length)
		output_text_bytes(&session->output, "command", redacted, redacted_length - 1);
	output_textf(&session->output, "pid", "%d", session->command.pid);
}

/* Whether this is a start from a cold page cache is a fact about the run, whoever emptied it. */
static void prepare_page_cache(struct session *session)
{
	struct page_cache_files *files = &session->page_cache;

	page_cache_find(session->options->command, invoker_search_path(&session->invoker), files);
	if (session->options->drop_caches) {
		uint64_t left_bytes;

		page_cache_drop(files);
		left_bytes = page_cache_record(files, &session->output, MOMENT_EXEC);
		output_textf(&session->output, "drop_caches", "%lu", (unsigned long)left_bytes);
		session_say(session, "page cache: %zu files evicted, %.1f MB of them stayed resident", files->items.count,
			    (double)left_bytes / 1e6);
	} else {
		page_cache_record(files, &session->output, MOMENT_EXEC);
	}
}

static struct err *start_command(struct session *session)
{
	const struct run_options *options = session->options;
	struct command_options command = {
		.arguments = options->command,
		.invoker = &session->invoker,
		.output_path = options->command_output_path,
		.signal_mask = &session->signal_mask,
	};
	struct err *err;

	TRY(command_start(&command, &session->command));
	write_command(session);
	prepare_page_cache(session);
	cgroup_folders_find(session->command.pid, &session->cgroup);
	snapshot_cgroup(&session->output, &session->cgroup, session->command.pid, MOMENT_EXEC);
	snapshot_cpus(&session->output, session->command.pid, MOMENT_EXEC);
	TRY(probes_trace_thread(&session->probes, session->command.pid, session->command.pid));
	tree_add(&session->tree, session->command.pid);
	tracer_seize(&session->tracer, session->command.pid);
	session->exec_ns = clock_now_ns();
	err = command_release(&session->command, options->command[0]);
	/* Nothing ran: there is nothing to keep. */
	if (err)
		unlink(options->output_path);
	return err;
}

/* ---- taking down ---- */

static void write_loss(void *context, enum event_kind kind, uint64_t start_ns, uint64_t end_ns, uint64_t count)
{
	struct output *output = context;
	struct event_loss *event = event_begin(&output->builder, EVENT_LOSS, end_ns, 0, 0);

	event->start_ns = start_ns;
	event->end_ns = end_ns;
	event->count = count;
	event->lost_kind = kind;
	output_event(output, event_end(&output->builder));
}

static void write_unsent(void *context, const struct unsent_exceptions_key *key,
			 const struct unsent_exceptions *exceptions)
{
	struct session *session = context;
	struct output *output = &session->output;
	struct event_exception *event =
		event_begin(&output->builder, EVENT_EXCEPTION, exceptions->time_ns, key->pid, exceptions->tid);
	size_t length = exceptions->name_length < UNSENT_NAME_BYTES ? exceptions->name_length : UNSENT_NAME_BYTES;

	event->duration_ns = exceptions->duration_ns;
	event->class_address = key->class_address;
	event->stack_id = key->stack_id;
	event->count = (uint32_t)exceptions->count;
	event->flags = EXCEPTION_STACK_OF_EARLIER | EXCEPTION_COUNTED;
	event_add_bytes(&output->builder, exceptions->name, length);
	output_event(output, stack_ids_shorten(&session->stack_ids, event_end(&output->builder)));
}

static void write_end(struct session *session)
{
	struct output *output = &session->output;

	pid_t pid = session->main_pid ? session->main_pid : session->command.pid;

	snapshot_cgroup(output, &session->cgroup, pid, MOMENT_EXIT);
	snapshot_cpus(output, pid, MOMENT_EXIT);
	page_cache_record(&session->page_cache, output, MOMENT_EXIT);
	for (uint32_t kind = 0; kind < EVENT_KIND_END; kind++) {
		struct probes_kind_count count = probes_kind_count(&session->probes, (enum event_kind)kind);

		if (!count.count)
			continue;

		struct event_kind_total *event = event_begin(&output->builder, EVENT_KIND_TOTAL, clock_now_ns(), 0, 0);

		event->count = count.count;
		event->sum_ns = count.sum_ns;
		event->counted_kind = kind;
		output_event(output, event_end(&output->builder));
	}
	probes_each_unsent(&session->probes, write_unsent, session);
	probes_each_loss(&session->probes, write_loss, output);
	probes_observe_walks(&session->probes);
	for vec_each(observation, &session->probes.observations)
		output_observed(output, observation->what, observation->state, observation->why);
	if (session->result.has_ended) {
		int status = session->result.wait_status;

		output_text(output, "exit_kind", WIFSIGNALED(status) ? "signal" : "exit");
		output_textf(output, "exit_code", "%d", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		output_text(output, "exit_by_us", session->is_ended_by_us ? "1" : "0");
	} else {
		output_text(output, "exit_kind", "running");
	}
}

/* Asked to end while it ends: what was asked for is under way. Left pending, the signal would end this process before its
 * report. */
static void take_late_signals(struct session *session)
{
	static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct timespec at_once = {};
	sigset_t taken;

	if (session->signal_fd < 0)
		return;
	sigemptyset(&taken);
	for (size_t i = 0; i < array_length(asking); i++)
		if (!sigismember(&session->signal_mask, asking[i]))
			sigaddset(&taken, asking[i]);
	while (sigtimedwait(&taken, NULL, &at_once) > 0)
		session->result.was_interrupted = true;
}

static void close_session(struct session *session)
{
	client_close(session->client);
	if (session->rings)
		consumer_close(session);
	libraries_done(&session->libraries);
	probes_close(&session->probes);
	tracer_close(&session->tracer);
	live_done(&session->live);
	stack_ids_done(&session->stack_ids);
	archives_done(&session->archives);
	page_cache_files_done(&session->page_cache);
	tree_done(&session->tree);
	map_done(&session->vms_created);
	invoker_done(&session->invoker);
	if (session->signal_fd >= 0)
		close(session->signal_fd);
	if (session->timer_fd >= 0)
		close(session->timer_fd);
	sigprocmask(SIG_SETMASK, &session->signal_mask, NULL);
}

/* The command without probes, once before and once after: the ratio of its CPU times, which are steadier than its wall
 * times. Without requests of ours nobody can know before whether it ends by itself: then twice after, where it did. */
static struct err *measure_once(struct session *session, uint64_t *ret_cpu_ns)
{
	session_say(session, "measuring the command without probes");
	if (!session->request_port)
		return untraced_run_to_end(session->options, &session->invoker, &session->signal_mask, ret_cpu_ns);
	return untraced_run(session->options, &session->invoker, &session->signal_mask, session->request_port, ret_cpu_ns);
}

static struct err *measure_after(struct session *session, uint64_t before_cpu_ns)
{
	uint64_t after_cpu_ns = 0;

	if (!session->has_command_ended ||
	    (!session->request_port && (session->is_ended_by_us || session->result.was_interrupted))) {
		output_text(&session->output, "note",
			    session->has_command_ended
				    ? "the overhead was not measured: the command does not end by itself, and no request (-r) says when it has done its work"
				    : "the overhead was not measured: the command was left running");
		return NULL;
	}
	if (!session->request_port)
		TRY(measure_once(session, &before_cpu_ns));
	TRY(measure_once(session, &after_cpu_ns));
	if (before_cpu_ns + after_cpu_ns)
		output_textf(&session->output, "measured_ratio", "%.4f",
			     2.0 * (double)session->command_cpu_ns / (double)(before_cpu_ns + after_cpu_ns));
	return NULL;
}

static struct err *record(struct session *session)
{
	uint64_t before_cpu_ns = 0;

	const struct run_options *options = session->options;
	struct probes_options probes_options = {.ring_bytes = options->ring_bytes, .sample_rate_hz = options->sample_rate_hz};
	struct client_options client_options = {
		.requests = options->requests,
		.request_count = options->request_count,
		.warm_rounds = options->warm_rounds,
		.concurrency = options->concurrency,
		.timeout_s = options->request_timeout_s,
	};

	TRY(invoker_find(options->as_root, &session->invoker));
	if (options->command)
		TRY(check_command(session));
	TRY(check_port(session));
	TRY(open_descriptors(session));
	if (options->measure_overhead && session->request_port)
		TRY(measure_once(session, &before_cpu_ns));
	TRY(tracer_open(!options->no_hold && options->command, on_hold, on_exit_reaped, session, &session->tracer));
	TRY(probes_open(&probes_options, &session->probes));
	TRY(consumer_open(session));
	if (options->request_count)
		TRY(client_open(&client_options, &session->client));
	TRY(writer_open(options->output_path, session->invoker.uid, session->invoker.gid, "warmtrace " WARMTRACE_VERSION,
			&session->output.writer));
	write_start(session);
	session->start_ns = clock_now_ns();
	if (options->command)
		TRY(start_command(session));
	else
		TRY(attach_start(session));
	TRY(loop_run(session));
	consumer_take(session);
	/* A program that goes on, as after attach, tells of no end: what is still to be read of it is read now. */
	probes_set_in_request(&session->probes, false);
	detach_links(&session->probes, &session->libraries.links, options->is_last && !options->measure_overhead);
	libraries_finish(&session->libraries);
	if (options->measure_overhead && options->command)
		return measure_after(session, before_cpu_ns);
	return NULL;
}

struct err *run_record(const struct run_options *options, run_say *say, void *say_context, struct run_result *ret_result)
{
	struct session session = {
		.options = options,
		.say = say,
		.say_context = say_context,
		.signal_fd = -1,
		.timer_fd = -1,
		.libraries = {.probes = &session.probes, .output = &session.output},
		.command = {.gate_fd = -1, .exec_error_fd = -1},
	};
	struct err *err, *write_error;

	sigprocmask(SIG_SETMASK, NULL, &session.signal_mask);
	live_init(&session.live, on_request, &session);
	err = record(&session);
	if (err && session.command.pid && session.command.gate_fd >= 0)
		command_abandon(&session.command);
	if (session.output.writer && !err)
		write_end(&session);
	write_error = session.output.writer ? output_close(&session.output) : NULL;
	take_late_signals(&session);
	*ret_result = session.result;
	close_session(&session);
	if (err) {
		err_free(write_error);
		return err;
	}
	return write_error;
}
