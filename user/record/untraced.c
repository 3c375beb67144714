#include "record/untraced.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "record/client.h"
#include "record/command.h"
#include "record/output.h"

enum { TRY_PERIOD_MS = 50, END_PERIOD_MS = 20 };

static void sleep_ms(long duration_ms)
{
	struct timespec duration = {.tv_sec = duration_ms / 1000, .tv_nsec = duration_ms % 1000 * 1000000};

	nanosleep(&duration, NULL);
}

static bool takes_connections(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

/* Waits for the end of one step of the client. */
static void finish_step(struct client *client)
{
	struct pollfd finished = {.fd = client_fd(client), .events = POLLIN};
	struct client_result result;

	do {
		poll(&finished, 1, -1);
		while (client_take_result(client, &result))
			continue;
	} while (!client_is_idle(client));
}

static struct err *send_requests(const struct run_options *options)
{
	struct client_options client_options = {
		.requests = options->requests,
		.request_count = options->request_count,
		.warm_rounds = options->warm_rounds,
		.concurrency = options->concurrency,
		.timeout_s = options->request_timeout_s,
	};
	struct client *client = NULL;

	TRY(client_open(&client_options, &client));
	client_send_first(client);
	finish_step(client);
	client_send_warm(client);
	finish_step(client);
	client_close(client);
	return NULL;
}

/* False where the command ended, or its time is over. */
static bool wait_until_ready(const struct run_options *options, pid_t pid, uint16_t port)
{
	uint64_t deadline_ns = clock_now_ns() + options->ready_timeout_s * 1000000000ull;

	while (clock_now_ns() < deadline_ns) {
		siginfo_t ended = {};

		if (takes_connections(port))
			return true;
		if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid)
			return false;
		sleep_ms(TRY_PERIOD_MS);
	}
	return false;
}

static uint64_t cpu_ns_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ull +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ull;
}

static uint64_t end_command(const struct run_options *options, pid_t pid)
{
	uint64_t deadline_ns = clock_now_ns() + options->stop_timeout_s * 1000000000ull;
	struct rusage usage = {};
	int status;

	kill(pid, SIGTERM);
	while (wait4(pid, &status, WNOHANG, &usage) == 0) {
		if (clock_now_ns() > deadline_ns)
			kill(pid, SIGKILL);
		sleep_ms(END_PERIOD_MS);
	}
	return cpu_ns_of(&usage);
}

static struct err *start(const struct run_options *options, const struct invoker *invoker, const sigset_t *signal_mask,
			 struct command *ret_command)
{
	struct command_options command_options = {
		.arguments = options->command,
		.invoker = invoker,
		.output_path = options->command_output_path,
		.signal_mask = signal_mask,
	};

	TRY(command_start(&command_options, ret_command));
	return command_release(ret_command, options->command[0]);
}

struct err *untraced_run(const struct run_options *options, const struct invoker *invoker, const sigset_t *signal_mask,
			 uint16_t port, uint64_t *ret_cpu_ns)
{
	struct command command;
	struct err *err = NULL;

	TRY(start(options, invoker, signal_mask, &command));
	if (wait_until_ready(options, command.pid, port))
		err = send_requests(options);
	else
		err = err_new(ERR_FAILED, "cannot measure the overhead: without probes '%s' did not become ready",
			      options->command[0]);
	*ret_cpu_ns = end_command(options, command.pid);
	return err;
}

struct err *untraced_run_to_end(const struct run_options *options, const struct invoker *invoker, const sigset_t *signal_mask,
				uint64_t *ret_cpu_ns)
{
	struct command command;
	struct rusage usage = {};
	int status;

	TRY(start(options, invoker, signal_mask, &command));
	while (wait4(command.pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return err_errno(ERR_FAILED, errno, "cannot wait for '%s' without probes", options->command[0]);
	*ret_cpu_ns = cpu_ns_of(&usage);
	return NULL;
}
