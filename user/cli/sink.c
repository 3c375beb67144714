#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "format/newfile.h"
#include "record/command.h"

enum { BUFFER_BYTES = 1 << 20 };

static struct err *create(const char *path, int *ret_fd)
{
	auto_done(invoker_done) struct invoker invoker = {};

	TRY(invoker_find(false, &invoker));
	return newfile_create(path, invoker.uid, invoker.gid, ret_fd);
}

/* Exports are hundreds of megabytes where the recording has millions of events: by pages that is a system call for
 * each. A stream that is not ours alone keeps the buffer that it has. */
static void give_buffer(struct sink *sink)
{
	sink->buffer = malloc(BUFFER_BYTES);
	if (sink->buffer)
		setvbuf(sink->file, sink->buffer, _IOFBF, BUFFER_BYTES);
}

/* A second stream on standard output or standard error, so that the buffer can be ours; nothing waits in the first. A
 * report on standard error, which has none of its own, would be a thousand writes, each of which the terminal shows. */
static FILE *output_stream(FILE *stream)
{
	auto_fd int fd = fflush(stream) == 0 ? fcntl(fileno(stream), F_DUPFD_CLOEXEC, 3) : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (file)
		take_fd(&fd);
	return file;
}

struct err *sink_open(const char *path, FILE *stream, struct sink *ret_sink)
{
	bool is_output = path && strcmp(path, "-") == 0;
	auto_fd int fd = -1;

	if (!path || is_output) {
		is_output |= stream == stdout;
		if (is_output)
			stream = stdout;
		*ret_sink = (struct sink){.name = is_output ? "standard output" : "standard error"};
		ret_sink->file = output_stream(stream);
		if (ret_sink->file) {
			give_buffer(ret_sink);
		} else {
			ret_sink->file = stream;
			ret_sink->is_stream = true;
		}
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
	give_buffer(ret_sink);
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
	free(sink->buffer);
	sink->buffer = NULL;
	return has_failed ? err_errno(ERR_FAILED, error ? error : EIO, "cannot write '%s'", sink->name) : NULL;
}
