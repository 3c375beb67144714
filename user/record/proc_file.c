#include "record/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "parse/procfs.h"

struct err *text_file_read(const char *path, char **ret_text, size_t *ret_length_bytes)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	VEC(char) text = {};

	if (fd < 0)
		return err_errno(ERR_FAILED, errno, "cannot read '%s'", path);
	for (;;) {
		/* Large reads: each read of /proc/PID/smaps takes the address space's lock anew. */
		if (text.capacity - text.count < 256 * 1024) {
			text.capacity = text.capacity * 2 + 512 * 1024;
			text.items = realloc(text.items, text.capacity);
			if (!text.items)
				memory_exhausted();
		}

		ssize_t length = read(fd, text.items + text.count, text.capacity - text.count - 1);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0) {
			int error = errno;

			free(text.items);
			return err_errno(ERR_FAILED, error, "cannot read '%s'", path);
		}
		if (length == 0)
			break;
		text.count += (size_t)length;
	}
	text.items[text.count] = 0;
	*ret_text = text.items;
	*ret_length_bytes = text.count;
	return NULL;
}

struct err *proc_file_read(pid_t pid, const char *name, char **ret_text, size_t *ret_length_bytes)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return text_file_read(path, ret_text, ret_length_bytes);
}

bool proc_identity_read(pid_t pid, struct proc_identity *ret_identity)
{
	auto_free char *text = NULL;
	size_t length = 0;
	struct procfs_status status;
	struct err *err = proc_file_read(pid, "status", &text, &length);

	if (err) {
		err_free(err);
		return false;
	}
	procfs_status_parse(text, length, &status);
	procfs_unescape(status.name, ret_identity->name, sizeof(ret_identity->name));
	ret_identity->pid = pid;
	ret_identity->thread_group = (pid_t)status.tgid;
	ret_identity->parent_pid = (pid_t)status.parent_pid;
	return true;
}
