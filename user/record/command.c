#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "record/proc_file.h"

/* ---- who called ---- */

static char **environment_from_text(const char *text, size_t length_bytes)
{
	VEC(char *) variables = {};

	for (size_t at = 0; at < length_bytes;) {
		size_t here = strnlen(text + at, length_bytes - at);

		*vec_push(&variables) = strndup(text + at, here);
		at += here + 1;
	}
	*vec_push(&variables) = NULL;
	return variables.items;
}

/* The environment that sudo was given is the one its own process started with. sudo may have put a monitor process between
 * itself and us (use_pty), so its ancestors are looked through. */
static char **environment_of_sudo(void)
{
	pid_t pid = getppid();

	for (int depth = 0; depth < 4 && pid > 1; depth++) {
		struct proc_identity identity;

		if (!proc_identity_read(pid, &identity))
			return NULL;
		if (strcmp(identity.name, "sudo") == 0) {
			struct proc_identity parent;

			/* The monitor is called sudo too: the outermost one has the caller's environment. */
			if (proc_identity_read(identity.parent_pid, &parent) && strcmp(parent.name, "sudo") == 0) {
				pid = identity.parent_pid;
				continue;
			}

			auto_free char *text = NULL;
			size_t length = 0;

			err_free(proc_file_read(pid, "environ", &text, &length));
			return text && length ? environment_from_text(text, length) : NULL;
		}
		pid = identity.parent_pid;
	}
	return NULL;
}

struct err *invoker_find(bool as_root, struct invoker *ret_invoker)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID"), *name = getenv("SUDO_USER");
	struct invoker invoker = {.uid = getuid(), .gid = getgid()};

	if (!as_root && geteuid() == 0 && uid && gid) {
		char *uid_end, *gid_end;
		unsigned long uid_value = strtoul(uid, &uid_end, 10), gid_value = strtoul(gid, &gid_end, 10);

		if (*uid_end || *gid_end || uid_end == uid || gid_end == gid || uid_value >= (uid_t)-1)
			return err_new(ERR_FAILED, "cannot tell who called: SUDO_UID is '%s' and SUDO_GID '%s'", uid, gid);
		invoker.uid = (uid_t)uid_value;
		invoker.gid = (gid_t)gid_value;
		invoker.environment = environment_of_sudo();
	} else {
		name = NULL;
	}

	const struct passwd *entry = getpwuid(invoker.uid);
	char number[32];

	snprintf(number, sizeof(number), "%u", invoker.uid);
	invoker.name = strdup(name ? name : entry ? entry->pw_name : number);
	*ret_invoker = invoker;
	return NULL;
}

void invoker_done(struct invoker *invoker)
{
	for (char **variable = invoker->environment; variable && *variable; variable++)
		free(*variable);
	free(invoker->environment);
	free(invoker->name);
	*invoker = (struct invoker){};
}

/* ---- finding the program ---- */

static int try_program(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int command_find(const char *name, const char *search_path, char *path)
{
	const char *folder = search_path ? search_path : getenv("PATH");
	int error = ENOENT;

	if (strchr(name, '/')) {
		if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
			return ENAMETOOLONG;
		return try_program(path);
	}
	for (folder = folder ? folder : "/bin:/usr/bin"; *name; folder++) {
		size_t length = strcspn(folder, ":");

		/* An empty element is the working folder. */
		if (snprintf(path, PATH_MAX, "%.*s/%s", length ? (int)length : 1, length ? folder : ".", name) < PATH_MAX) {
			int here = try_program(path);

			if (!here)
				return 0;
			if (here == EACCES)
				error = here;
		}
		folder += length;
		if (!*folder)
			break;
	}
	return error;
}

const char *invoker_search_path(const struct invoker *invoker)
{
	for (char **variable = invoker->environment; variable && *variable; variable++)
		if (strncmp(*variable, "PATH=", 5) == 0)
			return *variable + 5;
	return NULL;
}

/* ---- the child's side, between fork and exec: only calls that are safe there ---- */

static int become(const struct invoker *invoker)
{
	if (geteuid() != 0 || invoker->uid == geteuid())
		return 0;
	if (initgroups(invoker->name, invoker->gid) != 0 || setgid(invoker->gid) != 0 || setuid(invoker->uid) != 0)
		return -1;
	return 0;
}

static int redirect(const char *output_path)
{
	if (!output_path)
		return 0;

	int fd = open(output_path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		return -1;
	return close(fd);
}

_Noreturn static void child_run(const struct command_options *options, int gate, int exec_error)
{
	char byte;
	int error;

	if (read(gate, &byte, 1) != 1)
		_exit(127);
	if (become(options->invoker) == 0 && redirect(options->output_path) == 0) {
		sigprocmask(SIG_SETMASK, options->signal_mask, NULL);
		/* execvp looks in the PATH of `environ`: the caller's, not the one that sudo gave us. */
		if (options->invoker->environment)
			environ = options->invoker->environment;
		execvp(options->arguments[0], options->arguments);
	}
	error = errno;
	if (write(exec_error, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(error == ENOENT ? 127 : 126);
}

/* ---- the parent's side ---- */

struct err *command_start(const struct command_options *options, struct command *ret_command)
{
	int gate[2], exec_error[2];

	if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(exec_error, O_CLOEXEC) != 0)
		return err_errno(ERR_FAILED, errno, "cannot make a pipe");

	pid_t pid = fork();

	if (pid < 0)
		return err_errno(ERR_FAILED, errno, "cannot fork");
	if (pid == 0) {
		close(gate[1]);
		close(exec_error[0]);
		child_run(options, gate[0], exec_error[1]);
	}
	close(gate[0]);
	close(exec_error[1]);
	*ret_command = (struct command){.pid = pid, .gate_fd = gate[1], .exec_error_fd = exec_error[0]};
	return NULL;
}

struct err *command_release(struct command *command, const char *name)
{
	auto_fd int exec_error = take_fd(&command->exec_error_fd);
	auto_fd int gate = take_fd(&command->gate_fd);
	int error = 0;

	if (write(gate, "", 1) != 1)
		return err_errno(ERR_FAILED, errno, "cannot start '%s'", name);

	ssize_t length = read(exec_error, &error, sizeof(error));

	if (length == 0)
		return NULL;
	if (length != sizeof(error))
		return err_errno(ERR_FAILED, errno, "cannot learn whether '%s' was executed", name);
	if (error == ENOENT)
		return err_errno(ERR_NOT_FOUND, error, "cannot run '%s'", name);
	return err_errno(ERR_NOT_EXECUTABLE, error, "cannot run '%s'", name);
}

void command_abandon(struct command *command)
{
	if (command->gate_fd >= 0)
		close(command->gate_fd);
	if (command->exec_error_fd >= 0)
		close(command->exec_error_fd);
	command->gate_fd = command->exec_error_fd = -1;
	if (command->pid > 0)
		waitpid(command->pid, NULL, __WALL);
	command->pid = 0;
}

struct err *command_run_shell(const char *text, const struct invoker *invoker, const sigset_t *signal_mask, pid_t *ret_pid)
{
	char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)text, NULL};
	struct command_options options = {.arguments = arguments, .invoker = invoker, .signal_mask = signal_mask};
	struct command command;

	TRY(command_start(&options, &command));
	*ret_pid = command.pid;
	return command_release(&command, "sh");
}

const char *command_daemon_advice(char *const *arguments)
{
	static const struct {
		const char *program, *verb, *advice;
	} rows[] = {
		{"docker", "run", "the docker daemon starts the program elsewhere: trace it with 'warmtrace attach --wait-for NAME', or run warmtrace inside the container"},
		{"docker", "compose", "the docker daemon starts the programs elsewhere: trace one with 'warmtrace attach --wait-for NAME'"},
		{"docker", "start", "the docker daemon starts the program elsewhere: trace it with 'warmtrace attach --wait-for NAME'"},
		{"systemctl", "start", "systemd starts the program elsewhere: trace the unit's ExecStart command itself, or use 'warmtrace attach --wait-for NAME'"},
		{"systemctl", "restart", "systemd starts the program elsewhere: trace the unit's ExecStart command itself, or use 'warmtrace attach --wait-for NAME'"},
		{"kubectl", "", "the cluster starts the program elsewhere: run warmtrace on its node with 'warmtrace attach --wait-for NAME'"},
	};
	const char *slash = strrchr(arguments[0], '/');
	const char *program = slash ? slash + 1 : arguments[0];

	for (size_t i = 0; i < array_length(rows); i++) {
		if (strcmp(program, rows[i].program) != 0)
			continue;
		for (char *const *argument = arguments + 1; *argument; argument++)
			if (!*rows[i].verb || strcmp(*argument, rows[i].verb) == 0)
				return rows[i].advice;
	}
	return NULL;
}
