/* The text form of records: one per line, for made-up recordings in tests and for dump. docs/format.md has the
 *grammar.
 *
 *	# a comment
 *	thread main = 100/101
 *	12.5ms main exec parent_pid=1 uid=1000 "/usr/bin/java"
 *	20ms..22ms main file_open result=3 path_flags=relative "app.jar\0srv\0"
 *	30ms 100/102 wake target=main context=network
 *
 * Fields left out are 0. Generic over the event table (format/schema.h) and the names of codes (format/codes.h). */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "bpf/events.h"

/* Called for each record in the order of lines; the record is valid during the call, aligned, with a NUL after its
 * end. An error ends the parse and is returned as it is. */
typedef struct err *text_sink(void *context, const struct event_header *event);

/* Parses `length` bytes. Errors are one line, "NAME:LINE: what is wrong". Untrusted input is fine. */
struct err *text_parse(const char *bytes, size_t length, const char *name, text_sink *sink, void *context) must_check;

/* Reads the stream to its end and parses it. */
struct err *text_parse_file(FILE *file, const char *name, text_sink *sink, void *context) must_check;

/* One line with its newline, which text_parse reads back to the same record. Fields that are 0 are left out. The
 * record must be as reader_next gives it. A kind that is not of the event table becomes a comment. Errors stay in the
 * stream (ferror). */
void text_print(const struct event_header *event, FILE *out);
