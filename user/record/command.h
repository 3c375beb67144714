/* The traced command: started behind a gate, as the user who called, with that user's environment.
 *
 * The child waits before exec until command_release: the probes can be put in place around it. If warmtrace dies first, the
 * child sees its gate closed and ends without having run anything. Signal mask and dispositions are those that warmtrace was
 * started with. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Who called: through sudo, or directly. */
struct invoker {
	uid_t uid;
	gid_t gid;
	char *name;	    /* owned, never NULL */
	char **environment; /* NULL-terminated, owned; NULL: our own */
};

struct err *invoker_find(bool as_root, struct invoker *ret_invoker) must_check;
void invoker_done(struct invoker *invoker);

/* Where execvp would find this program: a path, or a name that is looked for in `search_path` (NULL: our PATH). 0 and the
 * path, or why not as an errno (ENOENT, EACCES). `path` of PATH_MAX bytes. */
int command_find(const char *name, const char *search_path, char *path);

/* The invoker's PATH; NULL where their environment is ours. */
const char *invoker_search_path(const struct invoker *invoker);

struct command_options {
	char *const *arguments; /* NULL-terminated */
	const struct invoker *invoker;
	const char *output_path; /* NULL: our own output and error */
	const sigset_t *signal_mask; /* what the command starts with */
};

struct command {
	pid_t pid;
	int gate_fd, exec_error_fd; /* -1 once used */
};

/* Forks the child, which waits at the gate. */
struct err *command_start(const struct command_options *options, struct command *ret_command) must_check;

/* Opens the gate and waits until the command has been executed, or says why not (kinds ERR_NOT_FOUND,
 * ERR_NOT_EXECUTABLE). The child's end is still to be reaped by the caller. */
struct err *command_release(struct command *command, const char *name) must_check;

/* Ends a child that still waits at the gate, without running the command. */
void command_abandon(struct command *command);

/* Runs `sh -c text` as the invoker, not traced: a load generator. Returns its pid. */
struct err *command_run_shell(const char *text, const struct invoker *invoker, const sigset_t *signal_mask,
			      pid_t *ret_pid) must_check;

/* A sentence of advice where the command only asks a daemon to start the real program elsewhere (docker run, systemctl
 * start, kubectl …); NULL for others. */
const char *command_daemon_advice(char *const *arguments);
