#include "record/attach.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "record/proc_file.h"
#include "record/snapshot.h"

enum { LOOK_INTERVAL_MS = 5, STATE_LISTEN = 0x0a };

/* Calls back for each number among a folder's entries. */
static void each_number(const char *path, void (*see)(void *context, pid_t number), void *context)
{
	auto_dir DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		pid_t number = atoi(entry->d_name);

		if (number > 0)
			see(context, number);
	}
}

/* ---- waiting for a process to start ---- */

struct name_search {
	const char *name;
	struct map *before; /* processes that ran already */
	pid_t found;
};

static void remember(void *context, pid_t pid)
{
	map_set(context, (uint64_t)pid, 1, NULL);
}

static void look(void *context, pid_t pid)
{
	struct name_search *search = context;
	struct proc_identity identity;

	if (search->found || map_find(search->before, (uint64_t)pid) || !proc_identity_read(pid, &identity))
		return;
	/* The kernel cuts names to 15 bytes. */
	if (strncmp(identity.name, search->name, 15) == 0)
		search->found = pid;
}

static struct err *wait_for_name(struct session *session, const char *name, pid_t *ret_pid)
{
	struct map before = {};
	struct name_search search = {.name = name, .before = &before};
	struct timespec interval = {.tv_nsec = LOOK_INTERVAL_MS * 1000000};
	uint64_t start_ns = clock_now_ns();
	sigset_t pending;

	each_number("/proc", remember, &before);
	session_say(session, "waiting for a process named %s to start", name);
	while (!search.found) {
		nanosleep(&interval, NULL);
		each_number("/proc", look, &search);
		sigpending(&pending);
		if (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		    clock_now_ns() - start_ns > session->options->ready_timeout_s * 1000000000ull)
			break;
	}
	map_done(&before);
	if (!search.found)
		return err_new(ERR_FAILED, "no process named '%s' started within %u s", name,
			       session->options->ready_timeout_s);
	*ret_pid = search.found;
	return NULL;
}

/* ---- the process as it is ---- */

struct thread_context {
	struct session *session;
	pid_t pid;
};

static void trace_thread(void *context, pid_t tid)
{
	struct thread_context *thread = context;

	err_free(probes_trace_thread(&thread->session->probes, thread->pid, tid));
}

static void trace_process(struct session *session, pid_t pid);

struct child_context {
	struct session *session;
	pid_t parent;
};

static void trace_child(void *context, pid_t pid)
{
	struct child_context *child = context;
	struct proc_identity identity;

	if (!tree_has(&child->session->tree, pid) && proc_identity_read(pid, &identity) &&
	    identity.parent_pid == child->parent)
		trace_process(child->session, pid);
}

static void trace_process(struct session *session, pid_t pid)
{
	struct thread_context thread = {.session = session, .pid = pid};
	struct child_context child = {.session = session, .parent = pid};
	char path[64];

	tree_add(&session->tree, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	each_number(path, trace_thread, &thread);
	snapshot_process(&session->output, pid, MOMENT_EXEC);
	snapshot_maps(&session->output, pid, MOMENT_EXEC);
	if (libraries_attach(&session->libraries, pid, false))
		libraries_jvm_state(&session->libraries, pid, JVM_STATE_CREATE);
	each_number("/proc", trace_child, &child);
}

/* Ports that the process's network namespace listens on; those of other processes there do no harm: their connections'
 * system calls are not the tree's. */
static void trace_ports(struct session *session, pid_t pid, const char *table)
{
	char path[64], link[64], target[64], line[512];
	unsigned int network_namespace = 0;

	snprintf(link, sizeof(link), "/proc/%d/ns/net", pid);

	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length <= 0)
		return;
	target[length] = 0;
	if (sscanf(target, "net:[%u]", &network_namespace) != 1)
		return;
	snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);

	auto_file FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		char local[64];
		unsigned int state;

		if (sscanf(line, " %*d: %63s %*s %x", local, &state) != 2 || state != STATE_LISTEN)
			continue;

		const char *colon = strrchr(local, ':');
		uint16_t port = colon ? (uint16_t)strtoul(colon + 1, NULL, 16) : 0;

		if (!port)
			continue;
		err_free(probes_trace_port(&session->probes, network_namespace, port));
		if (port == session->request_port)
			session->listening_ns = clock_now_ns();
	}
}

struct err *attach_start(struct session *session)
{
	const struct run_options *options = session->options;
	pid_t pid = options->attach_pid;

	if (options->attach_name)
		TRY(wait_for_name(session, options->attach_name, &pid));
	if (kill(pid, 0) != 0)
		return err_errno(ERR_FAILED, errno, "cannot attach to process %d", pid);
	output_textf(&session->output, "pid", "%d", pid);

	auto_free char *command = NULL;
	size_t length = 0;

	err_free(proc_file_read(pid, "cmdline", &command, &length));
	if (command && length)
		output_text_bytes(&session->output, "command", command, length - 1);
	cgroup_folders_find(pid, &session->cgroup);
	snapshot_cgroup(&session->output, &session->cgroup, pid, MOMENT_EXEC);
	snapshot_cpus(&session->output, pid, MOMENT_EXEC);
	probes_set_recording(&session->probes);
	trace_process(session, pid);
	trace_ports(session, pid, "tcp");
	trace_ports(session, pid, "tcp6");
	session->main_pid = pid;
	session->exec_ns = clock_now_ns();
	/* What listens already is ready: nothing more is to be waited for. */
	if (session->listening_ns)
		plan_on_ready(session, session->request_port, pid, true);
	return NULL;
}
