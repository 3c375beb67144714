/* Records through a recording and back: all kinds, all magnitudes, raw and in columns, large ones, many; and the
 * size. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "format/reader.h"
#include "format/recording.h"
#include "format/schema.h"
#include "format/writer.h"
#include "unit/format/made.h"
#include "unit/format/stream.h"

struct fixture {
	char folder[64];
	char path[96];
	struct made_list written, read;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	made_folder(fixture->folder);
	snprintf(fixture->path, sizeof(fixture->path), "%s/run.wtr", fixture->folder);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	made_folder_remove(fixture->folder);
	made_list_done(&fixture->written);
	made_list_done(&fixture->read);
	free(fixture);
	return 0;
}

static struct writer *open_writer(struct fixture *fixture)
{
	struct writer *writer;

	made_assert_ok(writer_open(fixture->path, geteuid(), getegid(), "warmtrace test", &writer));
	return writer;
}

static struct reader_status read_back(struct fixture *fixture)
{
	struct reader *reader;
	struct reader_status status;

	made_assert_ok(reader_open(fixture->path, &reader));
	made_read_all(reader, &fixture->read);
	status = *reader_status(reader);
	assert_string_equal(status.created_by, "warmtrace test");
	assert_int_equal(status.format_version, RECORDING_VERSION);
	status.gaps = NULL;
	status.created_by = NULL;
	reader_close(&reader);
	return status;
}

static void assert_whole(struct fixture *fixture, struct reader_status status)
{
	assert_true(status.is_ended);
	assert_false(status.is_cut);
	assert_int_equal(status.events, fixture->written.count);
	assert_int_equal(status.unknown_events + status.dropped_events + status.damaged_frames + status.cut_bytes, 0);
	made_assert_same_lists(&fixture->written, &fixture->read);
}

static void append(struct fixture *fixture, struct writer *writer, const struct event_header *event)
{
	made_assert_ok(writer_append(writer, event));
	made_list_add(&fixture->written, event);
}

static void append_random(struct fixture *fixture, struct writer *writer, size_t count, uint64_t seed)
{
	struct event_builder builder = {};
	struct made_random random = {seed};

	while (count) {
		uint32_t kind = (uint32_t)made_below(&random, EVENT_KIND_END);

		if (!schema_by_id(kind))
			continue;
		append(fixture, writer, made_event(&builder, &random, kind));
		count--;
	}
	event_builder_done(&builder);
}

static void keeps_one_of_each_kind(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct event_builder builder = {};
	struct made_random random = {3};

	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind))
		append(fixture, writer, made_event(&builder, &random, kind->id));
	event_builder_done(&builder);
	made_assert_ok(writer_close(&writer));
	assert_null(writer);
	assert_whole(fixture, read_back(fixture));
}

static void keeps_an_empty_recording(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);

	made_assert_ok(writer_close(&writer));
	made_assert_ok(writer_close(&writer)); /* NULL is accepted */
	assert_whole(fixture, read_back(fixture));
}

static void keeps_random_records(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct writer *writer = open_writer(fixture);

		append_random(fixture, writer, seed * seed * 1000, seed);
		made_assert_ok(writer_close(&writer));
		assert_whole(fixture, read_back(fixture));
		made_list_done(&fixture->written);
		made_list_done(&fixture->read);
	}
}

/* Each column mode must come up, and come back: constant, small, signed, steps, steps by thread, few distinct values.
 */
static void keeps_patterns(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct event_builder builder = {};
	struct made_random random = {9};

	for (uint64_t i = 0; i < 5000; i++) {
		uint32_t tid = 100 + (uint32_t)(i % 3);
		struct event_file_read *read = event_begin(&builder, EVENT_FILE_READ, 1000 * i, 100, tid);

		read->header.cpu = (u16)(i % 300); /* more CPUs than are remembered */
		read->duration_ns = 77;
		read->result = (i64)made_below(&random, 9) - 4;
		read->inode = 0x1234567800 + made_below(&random, 5) * 0x100000007ull;
		read->offset = i << 40;
		read->length = ((u64)tid << 50) + i * 16;
		read->device = (u32)i;
		append(fixture, writer, event_end(&builder));
	}
	event_builder_done(&builder);
	made_assert_ok(writer_close(&writer));
	assert_whole(fixture, read_back(fixture));
}

static void trims_padding_of_kinds_without_tail(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	/* 24 bytes of header and one 32-bit field: sizeof is 32, the record 28. */
	struct event_jvm_state jvm = {.header = {.kind = EVENT_JVM_STATE, .size = sizeof(jvm)}, .state = 5};

	assert_int_equal(sizeof(jvm), 32);
	made_assert_ok(writer_append(writer, &jvm.header));
	made_assert_ok(writer_close(&writer));
	read_back(fixture);
	assert_int_equal(fixture->read.count, 1);
	assert_int_equal(made_list_next(&fixture->read, NULL)->size, 28);
}

static void refuses_what_no_reader_could_take(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct event_header event = {.kind = 99, .size = sizeof(event)};

	made_assert_error(writer_append(writer, &event), "cannot record an event of unknown kind 99");
	event.kind = EVENT_EXEC;
	made_assert_error(writer_append(writer, &event), "cannot record an event 'exec' of 24 bytes");
	event.size = EVENT_SIZE_MAX + 1;
	made_assert_error(writer_append(writer, &event), "cannot record an event 'exec' of 67108865 bytes");
	made_assert_ok(writer_close(&writer));
	assert_whole(fixture, read_back(fixture));
}

static void keeps_large_records(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct event_builder builder = {};
	char *bytes = malloc(9 << 20);
	struct made_random random = {5};

	for (size_t i = 0; i < 9 << 20; i++)
		bytes[i] = (char)(made_next(&random) & 7);
	for (int urgent = 0; urgent < 2; urgent++) {
		made_assert_ok(writer_set_urgent(writer, urgent));
		append_random(fixture, writer, 100, 1);
		for (size_t length = 1 << 20; length <= 9 << 20; length += 4 << 20) {
			event_begin(&builder, EVENT_PROC_TEXT, length, 1, 1);
			event_add_bytes(&builder, bytes, length);
			append(fixture, writer, event_end(&builder));
			append_random(fixture, writer, 10, 2);
		}
	}
	made_assert_ok(writer_close(&writer));
	assert_whole(fixture, read_back(fixture));
	free(bytes);
	event_builder_done(&builder);
}

/* More than is kept in memory, in and out of urgent stretches, with flushes between. */
static void keeps_urgent_stretches(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	uint64_t raw_bytes, encoded_bytes;

	append_random(fixture, writer, 1000, 1);
	made_assert_ok(writer_set_urgent(writer, true));
	assert_int_equal(writer_totals(writer).frames, 0);
	append_random(fixture, writer, 120000, 2);
	raw_bytes = writer_totals(writer).written_bytes;
	assert_true(raw_bytes > 1 << 20); /* beyond what is kept */
	assert_true(fixture->written.length_bytes - raw_bytes < WRITER_URGENT_BYTES);
	made_assert_ok(writer_set_urgent(writer, false));
	encoded_bytes = writer_totals(writer).written_bytes;
	append_random(fixture, writer, 1000, 3);
	made_assert_ok(writer_flush(writer));
	made_assert_ok(writer_set_urgent(writer, true));
	append_random(fixture, writer, 10, 4);
	made_assert_ok(writer_flush(writer));
	append_random(fixture, writer, 10, 5);
	assert_int_equal(writer_totals(writer).events, 122020);
	made_assert_ok(writer_close(&writer));
	assert_whole(fixture, read_back(fixture));
	/* What was written raw was replaced. Random fields do not compress much, being in columns alone does a
	 * little. */
	assert_true(encoded_bytes < fixture->written.length_bytes * 8 / 10);
}

/* What is in the file after a flush can be read while the writer goes on, and after it was killed. */
static void can_be_read_after_a_flush(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct reader_status status;

	append_random(fixture, writer, 500, 1);
	made_assert_ok(writer_flush(writer));
	made_assert_ok(writer_append(writer, made_list_next(&fixture->written, NULL)));
	status = read_back(fixture);
	assert_true(status.is_cut);
	assert_int_equal(status.cut_bytes, 0);
	made_assert_same_lists(&fixture->written, &fixture->read);
	writer_abandon(&writer);
	writer_abandon(&writer);
}

static void reads_again_after_rewind(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct reader *reader;
	const struct event_header *event;

	append_random(fixture, writer, 50000, 1);
	made_assert_ok(writer_close(&writer));
	made_assert_ok(reader_open(fixture->path, &reader));
	for (int i = 0; i < 40000; i++)
		made_assert_ok(reader_next(reader, &event));
	reader_rewind(reader);
	assert_int_equal(reader_status(reader)->events, 0);
	made_read_all(reader, &fixture->read);
	made_assert_same_lists(&fixture->written, &fixture->read);
	reader_close(&reader);
	reader_close(&reader);
}

/* The bar of six bytes a record, on records as a server's start makes them. */
static void is_small(void **state)
{
	struct fixture *fixture = *state;
	struct writer *writer = open_writer(fixture);
	struct made_list list = {};
	const struct event_header *event = NULL;

	made_assert_ok(stream_make(100000, 1, made_list_sink, &list));
	while ((event = made_list_next(&list, event)))
		made_assert_ok(writer_append(writer, event));
	made_assert_ok(writer_close(&writer));

	struct reader_status status = read_back(fixture);
	double bytes_each = (double)status.file_bytes / (double)list.count;

	printf("%.2f bytes a record\n", bytes_each);
	made_assert_same_lists(&list, &fixture->read);
	assert_true(bytes_each < 6);
	made_list_done(&list);
}

int main(void)
{
#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_FILE(keeps_one_of_each_kind),
		WITH_FILE(keeps_an_empty_recording),
		WITH_FILE(keeps_random_records),
		WITH_FILE(keeps_patterns),
		WITH_FILE(trims_padding_of_kinds_without_tail),
		WITH_FILE(refuses_what_no_reader_could_take),
		WITH_FILE(keeps_large_records),
		WITH_FILE(keeps_urgent_stretches),
		WITH_FILE(can_be_read_after_a_flush),
		WITH_FILE(reads_again_after_rewind),
		WITH_FILE(is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
