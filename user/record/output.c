#include "record/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"

void output_event(struct output *output, const struct event_header *event)
{
	output->events++;
	struct err *err = writer_append(output->writer, event);

	if (!err)
		return;
	if (output->error)
		err_free(err);
	else
		output->error = err;
}

void output_text_bytes(struct output *output, const char *key, const void *value, size_t length_bytes)
{
	event_begin(&output->builder, EVENT_RUN_TEXT, clock_now_ns(), 0, 0);
	event_add_text(&output->builder, key);
	event_add_part(&output->builder, value, length_bytes);
	output_event(output, event_end(&output->builder));
}

void output_text(struct output *output, const char *key, const char *value)
{
	output_text_bytes(output, key, value, strlen(value));
}

void output_textf(struct output *output, const char *key, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		output_text(output, key, text);
}

void output_proc_text(struct output *output, pid_t pid, enum proc_file file, enum moment moment, const char *text,
		      size_t length_bytes)
{
	struct event_proc_text *event =
		event_begin(&output->builder, EVENT_PROC_TEXT, clock_now_ns(), (uint32_t)pid, (uint32_t)pid);

	event->file = file;
	event->moment = moment;
	event_add_bytes(&output->builder, text, length_bytes);
	output_event(output, event_end(&output->builder));
}

void output_observed(struct output *output, const char *what, enum observed_state state, const char *why)
{
	struct event_observed *event = event_begin(&output->builder, EVENT_OBSERVED, clock_now_ns(), 0, 0);

	event->state = state;
	event_add_text(&output->builder, what);
	event_add_text(&output->builder, why);
	output_event(output, event_end(&output->builder));
}

struct err *output_close(struct output *output)
{
	struct err *err = writer_close(&output->writer);

	event_builder_done(&output->builder);
	if (output->error) {
		err_free(err);
		err = output->error;
		output->error = NULL;
	}
	return err;
}
