#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

static struct err out_of_memory = {.kind = ERR_FAILED, .message = (char *)"out of memory"};

static struct err *err_vnew(enum err_kind kind, struct err *cause, const char *format, va_list arguments)
{
	struct err *err = calloc(1, sizeof(*err));
	char *message = NULL;

	if (!err || vasprintf(&message, format, arguments) < 0) {
		free(err);
		err_free(cause);
		return &out_of_memory;
	}
	err->kind = kind;
	err->message = message;
	err->cause = cause;
	return err;
}

struct err *err_new(enum err_kind kind, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct err *err = err_vnew(kind, NULL, format, arguments);
	va_end(arguments);
	return err;
}

struct err *err_errno(enum err_kind kind, int errno_value, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct err *err = err_vnew(kind, err_new(kind, "%s", strerror(errno_value)), format, arguments);
	va_end(arguments);
	return err;
}

struct err *err_hint(struct err *err, const char *format, ...)
{
	va_list arguments;

	if (err == &out_of_memory)
		return err;
	free(err->hint);
	va_start(arguments, format);
	if (vasprintf(&err->hint, format, arguments) < 0)
		err->hint = NULL;
	va_end(arguments);
	return err;
}

struct err *err_wrap(struct err *cause, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct err *err = err_vnew(cause->kind, cause, format, arguments);
	va_end(arguments);
	return err;
}

void err_free(struct err *err)
{
	while (err && err != &out_of_memory) {
		struct err *cause = err->cause;

		free(err->message);
		free(err->hint);
		free(err);
		err = cause;
	}
}

const char *err_hint_text(const struct err *err)
{
	for (; err; err = err->cause)
		if (err->hint)
			return err->hint;
	return NULL;
}

char *err_line(const struct err *err)
{
	char *line = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&line, &size);

	if (!stream)
		return NULL;
	for (const struct err *link = err; link; link = link->cause)
		fprintf(stream, "%s%s", link == err ? "" : ": ", link->message);
	if (fclose(stream) != 0) {
		free(line);
		return NULL;
	}
	return line;
}
