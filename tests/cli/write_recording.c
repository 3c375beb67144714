/* Writes a recording from its text form (user/format/text.h): write_recording TEXT RECORDING */
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "format/text.h"
#include "format/writer.h"

static struct err *append(void *context, const struct event_header *event)
{
	return writer_append(context, event);
}

static struct err *write_recording(const char *text_path, const char *path)
{
	auto_file FILE *text = fopen(text_path, "re");
	struct writer *writer = NULL;

	if (!text)
		return err_new(ERR_FAILED, "cannot open '%s'", text_path);
	TRY(writer_open(path, geteuid(), getegid(), "warmtrace test", &writer));

	struct err *err = text_parse_file(text, text_path, append, writer);

	if (err) {
		writer_abandon(&writer);
		return err;
	}
	return writer_close(&writer);
}

int main(int argument_count, char **arguments)
{
	struct err *err;

	if (argument_count != 3) {
		fprintf(stderr, "usage: write_recording TEXT RECORDING\n");
		return 2;
	}
	err = write_recording(arguments[1], arguments[2]);
	if (!err)
		return 0;

	auto_free char *line = err_line(err);

	fprintf(stderr, "write_recording: %s\n", line);
	err_free(err);
	return 1;
}
