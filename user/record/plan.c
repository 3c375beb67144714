/* What a run does when: waits until the command is ready, sends the first requests and the warm ones (or lets others
 * send), takes its snapshots between them, and ends the command. Each entry is told one thing that happened. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/auto.h"
#include "base/clock.h"
#include "parse/redact.h"
#include "record/session.h"
#include "record/snapshot.h"

enum {
	/* After listen() a server that waits on its socket in a way that is not seen (io_uring) is taken for ready.
	 */
	UNSEEN_READY_MS = 2000,
	/* How long no request has to be open before sampling falls back to its slow rate and batches are compressed.
	 */
	REQUEST_QUIET_MS = 20,
	PRUNE_MS = 500,
	TELL_MS = 250,
	DEATH_GRACE_MS = 500,
};

static uint64_t ms(uint64_t value)
{
	return value * 1000000ull;
}

static void enter(struct session *session, enum plan_stage stage)
{
	session->stage = stage;
	session->stage_ns = clock_now_ns();
}

static void take_memory(struct session *session, enum moment moment)
{
	if (!session->main_pid)
		return;
	snapshot_memory(&session->output, session->main_pid, moment);
	snapshot_cpus(&session->output, session->main_pid, moment);
	if (cgroup_folders_follow(session->main_pid, &session->cgroup))
		snapshot_cgroup(&session->output, &session->cgroup, session->main_pid, MOMENT_EXEC);
	snapshot_cgroup(&session->output, &session->cgroup, session->main_pid, moment);
	libraries_write_metaspace(&session->libraries, session->main_pid);
}

/* ---- ready ---- */

void plan_on_listening(struct session *session, const struct event_socket_listen *event)
{
	if (event->result != 0 || session->listening_ns ||
	    (session->request_port && event->port != session->request_port))
		return;
	session->listening_ns = event->header.time_ns;
	session->main_pid = (pid_t)event->header.pid;
}

static void send_first(struct session *session)
{
	enter(session, PLAN_FIRST);
	client_send_first(session->client);
}

static void start_load(struct session *session)
{
	struct err *err = command_run_shell(session->options->load_command, &session->invoker, &session->signal_mask,
					    &session->load_pid);

	if (!err) {
		enter(session, PLAN_LOAD);
		return;
	}

	auto_free char *line = err_line(err);

	session_say(session, "cannot run the load generator: %s", line ? line : "");
	output_textf(&session->output, "note", "the load generator could not be started: %s", line ? line : "");
	err_free(err);
	plan_stop(session);
}

void plan_on_ready(struct session *session, uint16_t port, pid_t pid, bool is_seen)
{
	if (session->ready_ns || session->stage != PLAN_STARTING ||
	    (session->request_port && port != session->request_port))
		return;
	session->ready_ns = clock_now_ns();
	session->main_pid = pid;
	session_say(session, "ready on port %u after %.2f s%s", port,
		    (double)(session->ready_ns - session->exec_ns) / 1e9,
		    is_seen ? "" : " (listening; its first wait on the socket was not seen)");
	take_memory(session, MOMENT_READY);
	if (session->client)
		send_first(session);
	else if (session->options->load_command)
		start_load(session);
	else
		enter(session, PLAN_WATCHING);
}

/* ---- requests ---- */

static void after_first(struct session *session)
{
	if (session->is_first_snapshot_taken)
		return;
	session->is_first_snapshot_taken = true;
	take_memory(session, MOMENT_FIRST_REQUEST);
}

static void after_warm(struct session *session)
{
	take_memory(session, MOMENT_WARM);
}

void plan_on_request(struct session *session, const struct live_request *live)
{
	const struct http_request *request = live->request;

	session->main_pid = request->writer_pid ? (pid_t)request->writer_pid : session->main_pid;
	if (live->is_first_of_route && request->completion == HTTP_COMPLETE)
		session_say(session, "first %s %s: %u in %.1f ms", *request->method ? request->method : "opaque",
			    *request->path ? request->path : "request", request->status,
			    (double)(request->end_ns - request->start_ns) / 1e6);
}

static void on_client_result(struct session *session, const struct client_result *result)
{
	const struct client_request *request = &session->options->requests[result->request];
	auto_free char *url = redact_url(request->url);
	struct event_client_request *event =
		event_begin(&session->output.builder, EVENT_CLIENT_REQUEST, result->end_ns, 0, 0);

	event->start_ns = result->start_ns;
	event->name_ns = result->name_ns;
	event->connect_ns = result->connect_ns;
	event->tls_ns = result->tls_ns;
	event->wait_ns = result->wait_ns;
	event->receive_ns = result->receive_ns;
	event->total_ns = result->total_ns;
	event->body_length = result->body_length;
	event->status = result->status;
	event->local_port = result->local_port;
	event->error = result->is_failed;
	event->round = result->round;
	event_add_text(&session->output.builder, request->method ? request->method : request->data ? "POST" : "GET");
	event_add_text(&session->output.builder, url ? url : "");
	output_event(&session->output, event_end(&session->output.builder));

	session->has_request_failed = result->is_failed;
	if (!result->is_failed) {
		session->result.was_answered = true;
		if (*result->error && result->round == 0)
			output_textf(&session->output, "note", "request %s was answered in part: %s", url ? url : "", result->error);
		return;
	}
	if (result->round == 0) {
		session_say(session, "request %s was not answered: %s", url ? url : "", result->error);
		output_textf(&session->output, "note", "request %s was not answered: %s", url ? url : "",
			     result->error);
	}
}

void plan_on_client(struct session *session)
{
	struct client_result result;

	while (client_take_result(session->client, &result))
		on_client_result(session, &result);
	if (!client_is_idle(session->client))
		return;
	if (session->stage == PLAN_FIRST) {
		/* The server's records of the last response may still be in the ring. */
		consumer_take(session);
		after_first(session);
		enter(session, PLAN_WARM);
		client_send_warm(session->client);
	} else if (session->stage == PLAN_WARM) {
		consumer_take(session);
		after_warm(session);
		if (session->options->load_command)
			start_load(session);
		else
			plan_stop(session);
	}
}

/* ---- the end ---- */

static void record_signal(struct session *session, int signal, pid_t pid)
{
	struct event_stop_signal *event = event_begin(&session->output.builder, EVENT_STOP_SIGNAL, clock_now_ns(),
						      (uint32_t)pid, (uint32_t)pid);

	event->signal = (uint32_t)signal;
	event->target_pid = (uint32_t)pid;
	output_event(&session->output, event_end(&session->output.builder));
}

/* A server that dies of a request is seen by its client first: its end counts as its own only if it is waited for. */
static void let_it_die(struct session *session)
{
	struct timespec pause = {.tv_nsec = 10000000};

	tracer_handle(&session->tracer);
	for (int i = 0; i < DEATH_GRACE_MS / 10 && session->has_request_failed && !session->has_command_ended; i++) {
		nanosleep(&pause, NULL);
		tracer_handle(&session->tracer);
	}
}

void plan_stop(struct session *session)
{
	const struct run_options *options = session->options;

	if (session->stage >= PLAN_STOPPING)
		return;
	if (options->command)
		let_it_die(session);
	enter(session, PLAN_STOPPING);
	if (options->keep_running || !options->command) {
		archives_write(&session->archives, &session->output);
		enter(session, PLAN_OVER);
		return;
	}
	session->stop_deadline_ns = session->stage_ns + ms(options->stop_timeout_s * 1000ull);
	session->result.ended_itself = session->has_command_ended;
	if (!session->has_command_ended) {
		session->is_ended_by_us = true;
		record_signal(session, SIGTERM, session->command.pid);
		kill(session->command.pid, SIGTERM);
	}
	/* A wrapper script that waits for its java passes nothing on: the server is asked as well. */
	if (session->main_pid && session->main_pid != session->command.pid &&
	    tree_has(&session->tree, session->main_pid)) {
		record_signal(session, SIGTERM, session->main_pid);
		kill(session->main_pid, SIGTERM);
	}
	archives_write(&session->archives, &session->output);
}

/* A crash is never what we asked for: the client may hear of it, and end the run, before its core is written. */
static bool is_crash(int wait_status)
{
	return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) != SIGTERM && WTERMSIG(wait_status) != SIGKILL;
}

void plan_on_process_end(struct session *session, pid_t pid, int wait_status, bool is_reaped)
{
	if (session->load_pid && pid == session->load_pid && is_reaped) {
		session->load_pid = 0;
		consumer_take(session);
		after_warm(session);
		plan_stop(session);
		return;
	}
	if (pid != session->command.pid || !is_reaped)
		return;
	session->has_command_ended = true;
	session->result.has_ended = true;
	session->result.wait_status = wait_status;
	/* A signal that somebody else sent and that was passed on is that one's wish, not ours. */
	if (session->stage < PLAN_STOPPING || (session->result.was_interrupted && !session->is_killed) ||
	    is_crash(wait_status))
		session->result.ended_itself = true;
	tree_remove(&session->tree, pid);
}

void plan_on_signal(struct session *session, int signal, bool is_from_terminal)
{
	/* A second Ctrl-C is impatience. */
	if (session->stage == PLAN_STOPPING) {
		tree_signal(&session->tree, SIGKILL);
		return;
	}
	session->result.was_interrupted = true;
	if (session->load_pid)
		kill(session->load_pid, SIGTERM);
	/* The terminal's Ctrl-C reaches the command by itself, since it is in the same process group. */
	if (session->options->command && !is_from_terminal && !session->has_command_ended)
		kill(session->command.pid, signal);
	if (!session->options->command) {
		plan_stop(session);
		return;
	}
	enter(session, PLAN_STOPPING);
	session->stop_deadline_ns = session->stage_ns + ms(session->options->stop_timeout_s * 1000ull);
	archives_write(&session->archives, &session->output);
}

/* ---- time passing ---- */

static void tick_request_window(struct session *session, uint64_t now_ns)
{
	if (live_pending(&session->live) > 0) {
		session->last_busy_ns = now_ns;
		/* Raised by the programs at an arrival; again here where this side had lowered it at that moment. */
		probes_set_in_request(&session->probes, true);
	} else if (probes_is_in_request(&session->probes)) {
		if (!session->last_busy_ns)
			session->last_busy_ns = now_ns;
		if (now_ns - session->last_busy_ns > ms(REQUEST_QUIET_MS))
			probes_set_in_request(&session->probes, false);
	}

	struct err *err = writer_set_urgent(session->output.writer, probes_is_in_request(&session->probes));

	if (err && !session->output.error)
		session->output.error = err;
	else
		err_free(err);
}

static void tick_starting(struct session *session, uint64_t now_ns)
{
	const struct run_options *options = session->options;
	bool is_serving_expected = options->request_count || options->load_command;

	if (session->listening_ns && now_ns - session->listening_ns > ms(UNSEEN_READY_MS)) {
		plan_on_ready(session, session->request_port, session->main_pid, false);
		return;
	}
	if (is_serving_expected && now_ns - session->start_ns > ms(options->ready_timeout_s * 1000ull)) {
		session_say(session, "nothing of the command listened on port %u within %u s", session->request_port,
			    options->ready_timeout_s);
		output_textf(&session->output, "note",
			     "nothing of the command listened on port %u within %u s: no request was sent",
			     session->request_port, options->ready_timeout_s);
		plan_stop(session);
	}
}

static void tell_progress(struct session *session, uint64_t now_ns)
{
	static const char *const stages[] = {
		[PLAN_STARTING] = "starting", [PLAN_FIRST] = "first requests", [PLAN_WARM] = "warm requests",
		[PLAN_LOAD] = "load",	      [PLAN_WATCHING] = "watching",    [PLAN_STOPPING] = "ending",
	};
	struct run_progress progress = {
		.elapsed_ns = now_ns - session->exec_ns,
		.events = session->output.events,
		.requests = session->live.completed,
	};

	if (!session->options->tell || session->stage == PLAN_OVER || now_ns - session->told_ns < ms(TELL_MS))
		return;
	session->told_ns = now_ns;
	progress.stage = stages[session->stage];
	session->options->tell(session->say_context, &progress);
}

void plan_on_tick(struct session *session)
{
	uint64_t now_ns = clock_now_ns();

	tell_progress(session, now_ns);
	tick_request_window(session, now_ns);
	if (session->stage == PLAN_STARTING)
		tick_starting(session, now_ns);
	if (session->stage == PLAN_WATCHING || session->stage == PLAN_LOAD) {
		if (session->live.completed > 0 && live_pending(&session->live) == 0)
			after_first(session);
		if (session->options->end_after_requests && session->stage == PLAN_WATCHING &&
		    session->live.completed >= session->options->end_after_requests) {
			after_warm(session);
			plan_stop(session);
		}
	}
	if (session->stage == PLAN_STOPPING && !session->is_killed && now_ns > session->stop_deadline_ns) {
		session->is_killed = session->is_ended_by_us = true;
		session_say(session, "the command did not end within %u s: killed", session->options->stop_timeout_s);
		output_textf(&session->output, "note",
			     "the command did not end within %u s of being asked and was killed",
			     session->options->stop_timeout_s);
		record_signal(session, SIGKILL, session->command.pid);
		tree_signal(&session->tree, SIGKILL);
		if (!session->has_command_ended)
			kill(session->command.pid, SIGKILL);
	}
	if (session->has_command_ended || !session->options->command) {
		if (now_ns - session->stage_ns > ms(PRUNE_MS))
			tree_prune(&session->tree);
		if (tree_count(&session->tree) == 0) {
			if (session->stage < PLAN_STOPPING)
				archives_write(&session->archives, &session->output);
			enter(session, PLAN_OVER);
		}
	}
}
