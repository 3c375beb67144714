/* Builds records in user space: fixed part, then a tail of any length.
 *
 *	struct event_builder builder auto_done(event_builder_done) = {};
 *	struct event_run_text *text = event_begin(&builder, EVENT_RUN_TEXT, now_ns, pid, tid);
 *	event_add_text(&builder, "kernel");
 *	event_add_text(&builder, release);
 *	TRY(writer_append(writer, event_end(&builder)));
 *
 * One builder serves any number of records, one after the other. Growth never fails (base/vec.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bpf/events.h"

/* A zeroed struct is ready for use. Its fields are its own affair. */
struct event_builder {
	char *bytes; /* the record, aligned as malloc does */
	size_t length_bytes, capacity_bytes;
	size_t part_count;
};

/* Starts a record over: zeroed fields, header filled in. Returns its struct, valid until the next event_add_*, so
 * fields are set before the tail. `kind` must be of the event table. */
void *event_begin(struct event_builder *builder, enum event_kind kind, uint64_t time_ns, uint32_t pid, uint32_t tid);

/* Appends bytes to the tail as they are. */
void event_add_bytes(struct event_builder *builder, const void *bytes, size_t length_bytes);

/* Appends a part of a tail whose parts are separated by NUL: a NUL before it unless it is the first. */
void event_add_part(struct event_builder *builder, const void *bytes, size_t length_bytes);
void event_add_text(struct event_builder *builder, const char *text);

/* The finished record, owned by the builder, valid until its next use. A tail that would make the record longer than
 * EVENT_SIZE_MAX is cut there. */
const struct event_header *event_end(struct event_builder *builder);

void event_builder_done(struct event_builder *builder);
