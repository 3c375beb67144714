/* Where a report or an export goes: a file that is made safely, or one of our streams. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct sink {
	const char *name; /* for messages, borrowed */
	FILE *file;	  /* borrowed where is_stream */
	bool is_stream;
	char *buffer; /* its own, freed on closing */
};

/* `path` NULL: the stream; "-": standard output; under /dev (a terminal, /dev/null, /dev/fd/63 of a shell): opened as
 * it is. Else a new file of mode 0600 that belongs to the user who called sudo, an older one kept as PATH.old. */
struct err *sink_open(const char *path, FILE *stream, struct sink *ret_sink) must_check;

/* Flushes and closes; fails where not everything could be written. Also after an error of the writer's. */
struct err *sink_close(struct sink *sink) must_check;
