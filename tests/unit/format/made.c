#include "unit/format/made.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "base/vec.h"
#include "format/reader.h"
#include "format/recording.h"
#include "format/schema.h"

uint64_t made_next(struct made_random *random)
{
	uint64_t mixed = random->state += 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
	return mixed ^ mixed >> 31;
}

uint64_t made_below(struct made_random *random, uint64_t limit)
{
	return made_next(random) % limit;
}

/* As likely of one bit as of 64; also 0 and the value with all bits. */
static uint64_t any_magnitude(struct made_random *random)
{
	unsigned bits = (unsigned)made_below(random, 66);

	if (bits == 65)
		return UINT64_MAX;
	return bits == 0 ? 0 : made_next(random) >> (64 - bits);
}

static void add_tail(struct event_builder *builder, struct made_random *random)
{
	char bytes[256];
	size_t length = made_below(random, 4) ? made_below(random, 40) : made_below(random, sizeof(bytes));
	struct made_random content = {made_below(random, 60)}; /* few seeds: some tails come again */

	if (made_below(random, 2))
		length = content.state;
	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)made_next(&content);
	event_add_bytes(builder, bytes, length);
}

const struct event_header *made_event(struct event_builder *builder, struct made_random *random, uint32_t kind)
{
	const struct schema_kind *row = schema_by_id(kind);
	uint32_t tid = (uint32_t)any_magnitude(random);
	struct event_header *event = event_begin(builder, (enum event_kind)kind, any_magnitude(random),
						 made_below(random, 3) ? 77 : tid, tid);

	event->cpu = (u16)any_magnitude(random);
	for (size_t i = 0; i < row->field_count; i++)
		schema_field_set(&row->fields[i], event, any_magnitude(random));
	if (row->tail_name[0])
		add_tail(builder, random);
	return event_end(builder);
}

void made_list_add(struct made_list *list, const struct event_header *event)
{
	size_t stride = record_stride(event->size);

	if (list->length_bytes + stride > list->capacity_bytes)
		list->bytes = vec_grow(list->bytes, &list->capacity_bytes, list->length_bytes + stride, 1);
	memset(list->bytes + list->length_bytes, 0, stride);
	memcpy(list->bytes + list->length_bytes, event, event->size);
	list->length_bytes += stride;
	list->count++;
}

struct err *made_list_sink(void *list, const struct event_header *event)
{
	made_list_add(list, event);
	return NULL;
}

void made_list_done(struct made_list *list)
{
	free(list->bytes);
	*list = (struct made_list){};
}

const struct event_header *made_list_next(const struct made_list *list, const struct event_header *previous)
{
	const char *at = previous ? (const char *)previous + record_stride(previous->size) : list->bytes;

	return at < list->bytes + list->length_bytes ? (const struct event_header *)at : NULL;
}

void made_assert_same(const struct event_header *expected, const struct event_header *actual)
{
	assert_int_equal(actual->kind, expected->kind);
	assert_int_equal(actual->size, expected->size);
	assert_memory_equal(actual, expected, expected->size);
}

void made_assert_same_lists(const struct made_list *expected, const struct made_list *actual)
{
	const struct event_header *left = NULL, *right = NULL;

	assert_int_equal(actual->count, expected->count);
	while ((left = made_list_next(expected, left))) {
		right = made_list_next(actual, right);
		assert_non_null(right);
		made_assert_same(left, right);
	}
}

void made_assert_ok(struct err *err)
{
	if (err)
		fail_msg("unexpected error: %s", err_line(err));
}

void made_assert_error(struct err *err, const char *line)
{
	assert_non_null(err);

	auto_free char *actual = err_line(err);

	err_free(err);
	assert_string_equal(actual, line);
}

void made_read_all(struct reader *reader, struct made_list *list)
{
	const struct event_header *event;

	for (;;) {
		made_assert_ok(reader_next(reader, &event));
		if (!event)
			return;

		const struct schema_kind *kind = schema_by_id(event->kind);

		/* What reader.h promises of every record. */
		assert_non_null(kind);
		assert_true(event->size >= kind->fixed_bytes);
		assert_int_equal((uintptr_t)event % 8, 0);
		assert_int_equal(((const char *)event)[event->size], 0);
		made_list_add(list, event);
	}
}

void made_folder(char path[64])
{
	snprintf(path, 64, "/tmp/warmtrace-test-XXXXXX");
	assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void made_folder_remove(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *made_file_bytes(const char *path, size_t *ret_length)
{
	auto_file FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);

	size_t length = (size_t)ftell(file);
	char *bytes = malloc(length + 1);

	assert_non_null(bytes);
	rewind(file);
	assert_int_equal(fread(bytes, 1, length, file), length);
	*ret_length = length;
	return bytes;
}
