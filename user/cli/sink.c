#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "format/newfile.h"
#include "record/command.h"

static struct err *create(const char *path, int *ret_fd)
{
	auto_done(invoker_done) struct invoker invoker = {};

	TRY(invoker_find(false, &invoker));
	return newfile_create(path, invoker.uid, invoker.gid, ret_fd);
}

struct err *sink_open(const char *path, FILE *stream, struct sink *ret_sink)
{
	bool is_output = path && strcmp(path, "-") == 0;
	auto_fd int fd = -1;

	if (!path || is_output) {
		*ret_sink = (struct sink){
			.name = is_output || stream == stdout ? "standard output" : "standard error",
			.file = is_output ? stdout : stream,
			.is_stream = true,
		};
		return NULL;
	}
	if (strncmp(path, "/dev/", 5) == 0) {
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			return err_errno(ERR_FAILED, errno, "cannot write '%s'", path);
	} else {
		TRY(create(path, &fd));
	}

	FILE *file = fdopen(fd, "w");

	if (!file)
		return err_errno(ERR_FAILED, errno, "cannot write '%s'", path);
	take_fd(&fd);
	*ret_sink = (struct sink){.name = path, .file = file};
	return NULL;
}

struct err *sink_close(struct sink *sink)
{
	FILE *file = sink->file;
	bool has_failed;

	if (!file)
		return NULL;
	sink->file = NULL;
	errno = 0;
	has_failed = fflush(file) != 0 || ferror(file);

	int error = errno;

	if (!sink->is_stream && fclose(file) != 0 && !has_failed) {
		has_failed = true;
		error = errno;
	}
	return has_failed ? err_errno(ERR_FAILED, error ? error : EIO, "cannot write '%s'", sink->name) : NULL;
}
