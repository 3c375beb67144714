/* Prints a recording's records as lines of JSON, for tests that compare a run with what other witnesses saw of it.
 *
 *	recording_events FILE [KIND...]
 *	recording_events --status FILE
 *
 * One object per record, in file order: "kind", "time_ns", "pid", "tid", the kind's fields as plain numbers, and the tail
 * as "tail", each of its bytes one character from U+0000 to U+00FF. With --status only what the reader says of the file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/err.h"
#include "format/reader.h"
#include "format/schema.h"

static void print_tail(const char *bytes, size_t length)
{
	fputs(", \"tail\": \"", stdout);
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte < ' ' || byte >= 0x7f || byte == '"' || byte == '\\')
			printf("\\u%04x", byte);
		else
			putchar(byte);
	}
	putchar('"');
}

static void print_event(const struct event_header *event)
{
	const struct schema_kind *kind = schema_by_id(event->kind);
	size_t length;

	printf("{\"kind\": \"%s\", \"time_ns\": %" PRIu64 ", \"pid\": %u, \"tid\": %u", kind->name, event->time_ns, event->pid,
	       event->tid);
	for (size_t i = 0; i < kind->field_count; i++) {
		const struct schema_field *field = &kind->fields[i];
		uint64_t value = schema_field_get(field, event);

		if (field->type == FIELD_I64 || field->type == FIELD_I32)
			printf(", \"%s\": %" PRId64, field->name, (int64_t)value);
		else
			printf(", \"%s\": %" PRIu64, field->name, value);
	}

	const char *tail = event_tail(event, kind->fixed_bytes, &length);

	if (*kind->tail_name)
		print_tail(tail, length);
	puts("}");
}

static void print_status(const struct reader_status *status)
{
	printf("{\"events\": %" PRIu64 ", \"file_bytes\": %" PRIu64 ", \"is_ended\": %s, \"is_cut\": %s, \"dropped\": %" PRIu64
	       ", \"unknown\": %" PRIu64 ", \"damaged_frames\": %" PRIu64 "}\n",
	       status->events, status->file_bytes, status->is_ended ? "true" : "false", status->is_cut ? "true" : "false",
	       status->dropped_events, status->unknown_events, status->damaged_frames);
}

static struct err *print_file(const char *path, bool is_status, const bool *is_wanted)
{
	auto_done(reader_close) struct reader *reader = NULL;
	const struct event_header *event;

	TRY(reader_open(path, &reader));
	for (;;) {
		TRY(reader_next(reader, &event));
		if (!event)
			break;
		if (!is_status && is_wanted[event->kind])
			print_event(event);
	}
	if (is_status)
		print_status(reader_status(reader));
	return NULL;
}

int main(int argument_count, char **arguments)
{
	bool is_status = argument_count == 3 && strcmp(arguments[1], "--status") == 0;
	bool is_wanted[EVENT_KIND_END] = {};

	if (argument_count < 2) {
		fprintf(stderr, "usage: recording_events FILE [KIND...], or --status FILE\n");
		return 2;
	}
	if (is_status)
		arguments++;
	for (int i = 2; i < argument_count && !is_status; i++) {
		const struct schema_kind *kind = schema_by_name(arguments[i], strlen(arguments[i]));

		if (!kind) {
			fprintf(stderr, "recording_events: no such kind: %s\n", arguments[i]);
			return 2;
		}
		is_wanted[kind->id] = true;
	}
	if (argument_count == 2)
		memset(is_wanted, true, sizeof(is_wanted));

	struct err *err = print_file(arguments[1], is_status, is_wanted);

	if (err) {
		auto_free char *line = err_line(err);

		fprintf(stderr, "recording_events: %s\n", line);
		err_free(err);
		return 1;
	}
	return ferror(stdout) || fflush(stdout) != 0;
}
