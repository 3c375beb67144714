#include "record/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/vec.h"
#include "parse/procfs.h"
#include "record/proc_file.h"

enum {
	TASK_DETACHING = 1, /* a stop was asked for, to detach in it */
	TASK_FLAGS_BITS = 8,
	WATCHDOG_LIMIT_MS = 5000,
	WATCHDOG_PERIOD_MS = 250,
	PAGE_BYTES = 4096,
};

/* ---- the watchdog: a process of its own that ends a tracer which hangs while others depend on it ----
 *
 * As long as anybody is seized, each of their stops waits for us. The kernel undoes that when we die, not when we hang. */

struct watchdog {
	struct {
		volatile uint64_t alive_ns; /* when the tracer was last seen at work */
		volatile uint64_t tasks;    /* that depend on it */
	} *shared;
	int pipe_fd; /* closed by our death, which ends the watchdog */
	pid_t pid;
};

/* Ctrl-Z stops the tracer together with the command: the job is then no longer its terminal's foreground group. */
static bool is_stopped_as_job(pid_t tracer)
{
	auto_free char *text = NULL;
	size_t length = 0;
	struct procfs_stat stat;
	struct err *err = proc_file_read(tracer, "stat", &text, &length);

	if (err) {
		err_free(err);
		return false;
	}
	return procfs_stat_parse(text, length, &stat) && stat.state == 'T' && stat.terminal_process_group > 0 &&
	       (uint64_t)stat.terminal_process_group != stat.process_group;
}

_Noreturn static void watchdog_run(const struct watchdog *watchdog, int pipe_fd, pid_t tracer)
{
	struct pollfd life = {.fd = pipe_fd, .events = POLLIN};

	/* A Ctrl-C or a kill of the whole group is not for the watchdog. */
	setsid();
	while (poll(&life, 1, WATCHDOG_PERIOD_MS) == 0) {
		if (watchdog->shared->tasks &&
		    clock_now_ns() - watchdog->shared->alive_ns > WATCHDOG_LIMIT_MS * 1000000ull &&
		    !is_stopped_as_job(tracer))
			kill(tracer, SIGKILL);
	}
	_exit(0);
}

static struct err *watchdog_start(struct watchdog **ret_watchdog)
{
	struct watchdog *watchdog = calloc(1, sizeof(*watchdog));
	void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ends[2];
	pid_t tracer = getpid();

	if (!watchdog || page == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0)
		return err_errno(ERR_FAILED, errno, "cannot start the watchdog");
	watchdog->shared = page;
	watchdog->shared->alive_ns = clock_now_ns();
	watchdog->pid = fork();
	if (watchdog->pid < 0)
		return err_errno(ERR_FAILED, errno, "cannot start the watchdog");
	if (watchdog->pid == 0) {
		/* It must keep nothing alive that the tracer's death should end: not the probes, not the command's gate. */
		for (int fd = 0; fd < 256; fd++)
			if (fd != ends[0])
				close(fd);
		watchdog_run(watchdog, ends[0], tracer);
	}
	close(ends[0]);
	watchdog->pipe_fd = ends[1];
	*ret_watchdog = watchdog;
	return NULL;
}

static void watchdog_stop(struct watchdog *watchdog)
{
	if (!watchdog)
		return;
	close(watchdog->pipe_fd);
	waitpid(watchdog->pid, NULL, 0);
	munmap(watchdog->shared, PAGE_BYTES);
	free(watchdog);
}

/* ---- tasks ---- */

static uint64_t task_value(pid_t pid, uint32_t flags)
{
	return (uint64_t)(uint32_t)pid << TASK_FLAGS_BITS | flags;
}

static pid_t task_process(const struct tracer *tracer, pid_t tid)
{
	uint64_t *value = map_find(&tracer->tasks, (uint64_t)tid);

	return value ? (pid_t)(*value >> TASK_FLAGS_BITS) : 0;
}

static void task_add(struct tracer *tracer, pid_t tid)
{
	struct proc_identity identity;

	if (!map_find(&tracer->tasks, (uint64_t)tid) && proc_identity_read(tid, &identity))
		map_set(&tracer->tasks, (uint64_t)tid, task_value(identity.thread_group, 0), NULL);
}

bool tracer_seize(struct tracer *tracer, pid_t pid)
{
	long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;

	if (!tracer->is_enabled || map_find(&tracer->tasks, (uint64_t)pid))
		return false;
	if (ptrace(PTRACE_SEIZE, pid, 0, options) != 0)
		return false;
	task_add(tracer, pid);
	return true;
}

static void task_detach(struct tracer *tracer, pid_t tid, int signal)
{
	ptrace(PTRACE_DETACH, tid, 0, signal);
	map_remove(&tracer->tasks, (uint64_t)tid);
}

/* The other threads of a process that was let go are let go as well, each at a stop that is asked for. */
static void detach_siblings(struct tracer *tracer, pid_t pid)
{
	for (size_t i = 0; i < tracer->tasks.capacity; i++) {
		struct map_slot *slot = &tracer->tasks.slots[i];

		if (!slot->used || (pid_t)(slot->value >> TASK_FLAGS_BITS) != pid)
			continue;
		slot->value |= TASK_DETACHING;
		ptrace(PTRACE_INTERRUPT, (pid_t)slot->key, 0, 0);
	}
}

/* ---- stops ---- */

static bool is_our_signal(pid_t tid, int signal)
{
	siginfo_t info;

	return signal == SIGURG && ptrace(PTRACE_GETSIGINFO, tid, 0, &info) == 0 && info.si_code == SI_KERNEL;
}

static void handle_hold(struct tracer *tracer, pid_t tid)
{
	pid_t pid = task_process(tracer, tid);

	if (tracer->on_hold(tracer->context, pid ? pid : tid, tid)) {
		task_detach(tracer, tid, 0);
		detach_siblings(tracer, pid);
	} else {
		ptrace(PTRACE_CONT, tid, 0, 0);
	}
}

static void handle_stop(struct tracer *tracer, pid_t tid, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	uint64_t *task;

	task_add(tracer, tid);
	task = map_find(&tracer->tasks, (uint64_t)tid);
	if (!event && is_our_signal(tid, signal)) {
		handle_hold(tracer, tid);
		return;
	}
	if (task && (*task & TASK_DETACHING) && event == PTRACE_EVENT_STOP) {
		task_detach(tracer, tid, 0);
		return;
	}
	if (event == PTRACE_EVENT_STOP && signal != SIGTRAP)
		/* A group stop (job control): listening keeps it stopped as its parent expects. */
		ptrace(PTRACE_LISTEN, tid, 0, 0);
	else
		ptrace(PTRACE_CONT, tid, 0, event ? 0 : signal);
}

void tracer_handle(struct tracer *tracer)
{
	struct rusage usage;
	int status;
	pid_t tid;

	while ((tid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		if (WIFSTOPPED(status)) {
			handle_stop(tracer, tid, status);
			continue;
		}
		if (tracer->watchdog && tid == tracer->watchdog->pid)
			continue;

		pid_t pid = task_process(tracer, tid);

		map_remove(&tracer->tasks, (uint64_t)tid);
		if (!pid || pid == tid)
			tracer->on_exit(tracer->context, tid, status, &usage);
	}
	if (tracer->watchdog) {
		tracer->watchdog->shared->tasks = tracer->tasks.count;
		tracer->watchdog->shared->alive_ns = clock_now_ns();
	}
}

struct err *tracer_open(bool is_enabled, tracer_hold_callback *on_hold, tracer_exit_callback *on_exit, void *context,
			struct tracer *ret_tracer)
{
	*ret_tracer = (struct tracer){
		.is_enabled = is_enabled, .on_hold = on_hold, .on_exit = on_exit, .context = context};
	return is_enabled ? watchdog_start(&ret_tracer->watchdog) : NULL;
}

void tracer_close(struct tracer *tracer)
{
	watchdog_stop(tracer->watchdog);
	map_done(&tracer->tasks);
	*tracer = (struct tracer){};
}
