/* The recorder's way into the recording: records of the kernel as they come, records of user space as they are made.
 *
 * A write error does not end the run: the traced command goes on, what was written before stays, and the error is kept
 * for the end (output_error). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "format/event.h"
#include "format/writer.h"

struct output {
	struct writer *writer;
	struct event_builder builder;
	struct err *error; /* the first write error, owned */
	uint64_t events;   /* so far */
};

void output_event(struct output *output, const struct event_header *event);

/* RUN_TEXT records, with the pid of the command (0: of the machine). */
void output_text(struct output *output, const char *key, const char *value);
void output_text_bytes(struct output *output, const char *key, const void *value, size_t length_bytes);
void output_textf(struct output *output, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* PROC_TEXT: a text of process `pid` at some moment. */
void output_proc_text(struct output *output, pid_t pid, enum proc_file file, enum moment moment, const char *text,
		      size_t length_bytes);

void output_observed(struct output *output, const char *what, enum observed_state state, const char *why);

struct err *output_close(struct output *output) must_check;
