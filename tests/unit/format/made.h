/* What the tests of format/ share: random records, collecting records, files and bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "format/event.h"

struct reader;

/* Same seed, same numbers. */
struct made_random {
	uint64_t state;
};

uint64_t made_next(struct made_random *random);
uint64_t made_below(struct made_random *random, uint64_t limit);

/* A record of the kind with random header, fields of all magnitudes and, where the kind has one, a random tail. The
 * builder owns it. */
const struct event_header *made_event(struct event_builder *builder, struct made_random *random, uint32_t kind);

/* Records one after the other; a zeroed struct is empty. */
struct made_list {
	char *bytes;
	size_t length_bytes, capacity_bytes, count;
};

void made_list_add(struct made_list *list, const struct event_header *event);
struct err *made_list_sink(void *list, const struct event_header *event); /* a text_sink */
void made_list_done(struct made_list *list);

/* The record after `previous`, the first for NULL; NULL after the last. */
const struct event_header *made_list_next(const struct made_list *list, const struct event_header *previous);

/* Fails the test where the records differ in any byte. */
void made_assert_same(const struct event_header *expected, const struct event_header *actual);
void made_assert_same_lists(const struct made_list *expected, const struct made_list *actual);

/* Fails the test with the error's line where there is one. */
void made_assert_ok(struct err *err);

/* Fails the test unless there is an error whose line is this; frees it. */
void made_assert_error(struct err *err, const char *line);

/* Reads all that is left. */
void made_read_all(struct reader *reader, struct made_list *list);

/* A folder of its own under the temporary folder; removed with all that is in it by made_folder_remove. */
void made_folder(char path[64]);
void made_folder_remove(const char *path);

/* The whole file; the caller frees. */
char *made_file_bytes(const char *path, size_t *ret_length);
