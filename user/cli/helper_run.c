#include "cli/helper_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "cli/interruption.h"

enum { TEXT_MAX = 4 << 20, LOOK_MS = 20, PATIENCE_MS = 5000 };

const char *helper_text(const char *path, struct arena *arena, size_t *ret_length)
{
	/* The command's user can put anything there: never through a link, never a pipe that blocks. */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	size_t length = 0, size;
	char *text;

	*ret_length = 0;
	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return "";
	size = status.st_size < TEXT_MAX ? (size_t)status.st_size : TEXT_MAX;
	text = arena_alloc(arena, size + 1);
	while (length < size) {
		ssize_t got = pread(fd, text + length, size - length, (off_t)length);

		if (got <= 0)
			break;
		length += (size_t)got;
	}
	text[length] = '\0';
	*ret_length = length;
	return text;
}

static void nap(void)
{
	const struct timespec duration = {.tv_nsec = LOOK_MS * 1000000l};

	nanosleep(&duration, NULL);
}

/* A wrapper script leaves its JVM behind when it is ended: its children are ended too. */
static void signal_tree(pid_t pid, int signal)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);

	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[length > 0 ? length : 0] = '\0';
	for (char *at = text, *end; *at; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		if (child > 1)
			signal_tree((pid_t)child, signal);
	}
	kill(pid, signal);
}

static bool is_enough(const struct helper *helper)
{
	struct arena arena auto_done(arena_done) = {};
	const char *text;
	size_t length;

	if (!helper->is_enough)
		return false;
	text = helper_text(helper->watched_path ? helper->watched_path : helper->output_path, &arena, &length);
	return helper->is_enough(text, length);
}

static void end(pid_t pid, struct helper_result *result)
{
	uint64_t asked_ns = clock_now_ns();
	bool is_killed = false;

	result->was_ended = true;
	signal_tree(pid, SIGTERM);
	while (waitpid(pid, &result->wait_status, WNOHANG) == 0) {
		if (!is_killed && clock_now_ns() - asked_ns > PATIENCE_MS * 1000000ull) {
			is_killed = true;
			signal_tree(pid, SIGKILL);
		}
		nap();
	}
}

static void wait_for(const struct helper *helper, pid_t pid, struct helper_result *result)
{
	uint64_t started_ns = clock_now_ns();

	for (;;) {
		pid_t ended = waitpid(pid, &result->wait_status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return;
		result->is_timed_out = clock_now_ns() - started_ns > helper->timeout_ns;
		if (result->is_timed_out || interruption_seen() || is_enough(helper)) {
			end(pid, result);
			return;
		}
		nap();
	}
}

struct err *helper_run(const struct helper *helper, char *const *words, struct arena *arena,
		       struct helper_result *ret_result)
{
	struct helper_result result = {};
	struct command command;
	sigset_t mask;
	struct err *err;

	sigprocmask(SIG_SETMASK, NULL, &mask);

	struct command_options options = {
		.arguments = words,
		.invoker = helper->invoker,
		.output_path = helper->output_path,
		.signal_mask = &mask,
	};

	TRY(command_start(&options, &command));
	err = command_release(&command, words[0]);
	if (err) {
		command_abandon(&command);
		return err;
	}
	wait_for(helper, command.pid, &result);
	result.text = helper_text(helper->output_path, arena, &result.length);
	*ret_result = result;
	return NULL;
}
