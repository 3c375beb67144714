/* Copies a recording without the records of some kinds: what a test of "no cause is a remainder" takes away.
 *
 *	recording_without FILE COPY KIND... */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "format/reader.h"
#include "format/schema.h"
#include "format/writer.h"

static struct err *copy(const char *from, const char *to, const bool *is_left_out)
{
	auto_done(reader_close) struct reader *reader = NULL;
	auto_done(writer_abandon) struct writer *writer = NULL;
	const struct event_header *event;

	TRY(reader_open(from, &reader));
	TRY(writer_open(to, geteuid(), getegid(), "recording_without", &writer));
	for (;;) {
		TRY(reader_next(reader, &event));
		if (!event)
			break;
		if (!is_left_out[event->kind])
			TRY(writer_append(writer, event));
	}
	return writer_close(&writer);
}

int main(int count, char **arguments)
{
	bool is_left_out[EVENT_KIND_END] = {};

	if (count < 4) {
		fputs("recording_without: usage: recording_without FILE COPY KIND...\n", stderr);
		return 2;
	}
	for (int i = 3; i < count; i++) {
		const struct schema_kind *kind = schema_by_name(arguments[i], strlen(arguments[i]));

		if (!kind) {
			fprintf(stderr, "recording_without: no such kind: %s\n", arguments[i]);
			return 2;
		}
		is_left_out[kind->id] = true;
	}

	struct err *err = copy(arguments[1], arguments[2], is_left_out);

	if (err) {
		auto_free char *line = err_line(err);

		fprintf(stderr, "recording_without: %s\n", line);
		err_free(err);
		return 1;
	}
	return 0;
}
