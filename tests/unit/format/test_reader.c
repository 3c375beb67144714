/* What a reader does with recordings that are cut, damaged, of other versions, or no recordings at all. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "format/columns.h"
#include "format/frame_file.h"
#include "format/layout.h"
#include "format/reader.h"
#include "format/recording.h"
#include "format/schema.h"
#include "format/text.h"
#include "format/writer.h"
#include "unit/format/made.h"
#include "unit/format/stream.h"

enum { FRAMES_MAX = 16 };

/* A small recording in memory: what it holds, and where each frame ends and how many records are in the file up to
 * there. */
struct sample {
	char folder[64], path[96];
	char *bytes;
	size_t length;
	struct made_list written;
	size_t frame_count;
	size_t frame_ends[FRAMES_MAX];
	size_t events_up_to[FRAMES_MAX];
};

static void find_frames(struct sample *sample)
{
	size_t at = sizeof(struct recording_header), events = 0;

	sample->frame_count = 0;
	while (at < sample->length) {
		struct frame_header header;

		assert_true(sample->frame_count < FRAMES_MAX);
		memcpy(&header, sample->bytes + at, sizeof(header));
		assert_int_equal(header.magic, FRAME_MAGIC);
		at += sizeof(header) + header.stored_bytes;
		events += header.event_count;
		sample->frame_ends[sample->frame_count] = at;
		sample->events_up_to[sample->frame_count++] = events;
	}
	assert_int_equal(at, sample->length);
}

static int set_up(void **state)
{
	struct sample *sample = calloc(1, sizeof(*sample));
	struct writer *writer;
	struct event_builder builder = {};
	struct made_random random = {21};

	made_folder(sample->folder);
	snprintf(sample->path, sizeof(sample->path), "%s/run.wtr", sample->folder);
	made_assert_ok(writer_open(sample->path, geteuid(), getegid(), "warmtrace test", &writer));
	/* SCHEMA, COLUMNS, RECORDS, COLUMNS, RECORDS, END */
	for (int frame = 0; frame < 4; frame++) {
		made_assert_ok(writer_set_urgent(writer, frame % 2));
		for (int i = 0; i < 25; i++) {
			uint32_t kind = (uint32_t)made_below(&random, EVENT_KIND_END);

			while (!schema_by_id(kind))
				kind = (kind + 1) % EVENT_KIND_END;
			made_list_add(&sample->written, made_event(&builder, &random, kind));
			made_assert_ok(writer_append(writer, event_end(&builder)));
		}
		made_assert_ok(writer_flush(writer));
	}
	event_builder_done(&builder);
	made_assert_ok(writer_close(&writer));
	sample->bytes = made_file_bytes(sample->path, &sample->length);
	find_frames(sample);
	*state = sample;
	return 0;
}

static int tear_down(void **state)
{
	struct sample *sample = *state;

	made_folder_remove(sample->folder);
	made_list_done(&sample->written);
	free(sample->bytes);
	free(sample);
	return 0;
}

/* An exactly sized copy, so that a sanitizer sees a read past the end. */
static char *copy(const struct sample *sample, size_t length)
{
	char *bytes = malloc(length + !length);

	memcpy(bytes, sample->bytes, length);
	return bytes;
}

static struct reader *open_bytes(const char *bytes, size_t length)
{
	struct reader *reader;

	made_assert_ok(reader_open_bytes(bytes, length, "x.wtr", &reader));
	return reader;
}

/* The records read must be among those written, in their order, none changed. */
static void assert_part_of(const struct made_list *whole, const struct made_list *part)
{
	const struct event_header *left = NULL, *right = NULL;

	while ((right = made_list_next(part, right))) {
		do {
			left = made_list_next(whole, left);
			assert_non_null(left);
		} while (left->kind != right->kind || left->size != right->size ||
			 memcmp(left, right, left->size) != 0);
	}
}

/* ---- cut ---- */

static void reads_up_to_the_last_whole_frame(void **state)
{
	struct sample *sample = *state;
	size_t frame = 0;

	for (size_t length = sizeof(struct recording_header); length < sample->length; length++) {
		char *bytes = copy(sample, length);
		struct reader *reader = open_bytes(bytes, length);
		struct made_list read = {};
		uint64_t cut_bytes;

		while (sample->frame_ends[frame] <= length)
			frame++;

		size_t whole_bytes = frame ? sample->frame_ends[frame - 1] : sizeof(struct recording_header);

		made_read_all(reader, &read);
		assert_true(reader_was_cut(reader, &cut_bytes));
		assert_int_equal(cut_bytes, length - whole_bytes);
		assert_int_equal(read.count, frame ? sample->events_up_to[frame - 1] : 0);
		assert_int_equal(reader_status(reader)->damaged_frames, 0);
		assert_part_of(&sample->written, &read);
		made_list_done(&read);
		reader_close(&reader);
		free(bytes);
	}
	assert_int_equal(frame, sample->frame_count - 1);
}

static void refuses_a_file_cut_in_its_head(void **state)
{
	struct sample *sample = *state;
	struct reader *reader;

	for (size_t length = 0; length < sizeof(struct recording_header); length++) {
		char *bytes = copy(sample, length);

		made_assert_error(reader_open_bytes(bytes, length, "x.wtr", &reader),
				  length ? "'x.wtr' is cut within its first 64 bytes: nothing can be read from it"
					 : "'x.wtr' is empty");
		free(bytes);
	}
}

/* ---- damaged ---- */

/* Any byte changed, anywhere: it is noticed, the rest is read, nothing wrong is given out. */
static void notices_every_changed_byte(void **state)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff};
	struct sample *sample = *state;
	struct reader *reader;

	for (size_t at = 0; at < sample->length; at++)
		for (size_t i = 0; i < array_length(changes); i++) {
			char *bytes = copy(sample, sample->length);
			struct made_list read = {};

			bytes[at] ^= (char)changes[i];

			struct err *err = reader_open_bytes(bytes, sample->length, "x.wtr", &reader);

			if (at < RECORDING_MAGIC_BYTES) {
				made_assert_error(err, "'x.wtr' is not a warmtrace recording");
				free(bytes);
				continue;
			}
			made_assert_ok(err);
			made_read_all(reader, &read);

			const struct reader_status *status = reader_status(reader);

			assert_true(status->damaged_frames >= 1);
			assert_true(status->gap_count >= 1);
			assert_true(status->gaps[0].offset_bytes <= at);
			assert_true(status->gaps[0].offset_bytes + status->gaps[0].length_bytes > at);
			assert_true(read.count >= 75); /* at most one of four frames is lost */
			assert_int_equal(status->events, read.count);
			assert_part_of(&sample->written, &read);
			made_list_done(&read);
			reader_close(&reader);
			free(bytes);
		}
}

static void states_what_a_damaged_payload_held(void **state)
{
	struct sample *sample = *state;
	char *bytes = copy(sample, sample->length);
	struct made_list read = {};
	struct frame_header header;

	/* The second frame is the first with records. */
	memcpy(&header, bytes + sample->frame_ends[0], sizeof(header));
	bytes[sample->frame_ends[0] + sizeof(header) + 3] ^= 1;

	struct reader *reader = open_bytes(bytes, sample->length);

	made_read_all(reader, &read);

	const struct reader_status *status = reader_status(reader);

	assert_true(status->is_ended);
	assert_int_equal(read.count, 75);
	assert_int_equal(status->damaged_events, 25);
	assert_int_equal(status->gap_count, 1);
	assert_int_equal(status->gaps[0].offset_bytes, sample->frame_ends[0]);
	assert_int_equal(status->gaps[0].length_bytes, sample->frame_ends[1] - sample->frame_ends[0]);
	assert_int_equal(status->gaps[0].events, 25);
	assert_true(status->gaps[0].first_time_ns == header.first_time_ns);
	assert_true(status->gaps[0].last_time_ns == header.last_time_ns);
	made_list_done(&read);
	reader_close(&reader);
	free(bytes);
}

/* A stretch of zeroes, as a file system leaves it after a power cut: what follows is found again. */
static void finds_the_next_frame_after_garbage(void **state)
{
	struct sample *sample = *state;
	size_t gap = 200000, end = sample->frame_ends[1];
	char *bytes = malloc(sample->length + gap);
	struct made_list read = {};

	memcpy(bytes, sample->bytes, end);
	memset(bytes + end, 0, gap);
	/* Bait: the magic of a frame, with nothing behind it, across the reader's own steps. */
	for (size_t at = 0; at + 4 < gap; at += 977)
		memcpy(bytes + end + at, "WTRf", 4);
	memcpy(bytes + end + gap, sample->bytes + end, sample->length - end);

	struct reader *reader = open_bytes(bytes, sample->length + gap);

	made_read_all(reader, &read);
	made_assert_same_lists(&sample->written, &read);
	assert_int_equal(reader_status(reader)->damaged_bytes, gap);
	assert_int_equal(reader_status(reader)->gap_count, 1);
	assert_true(reader_status(reader)->is_ended);
	made_list_done(&read);
	reader_close(&reader);
	free(bytes);
}

static void says_what_stands_behind_the_end(void **state)
{
	struct sample *sample = *state;
	char *bytes = malloc(sample->length + 10);
	struct made_list read = {};

	memcpy(bytes, sample->bytes, sample->length);
	memset(bytes + sample->length, 'x', 10);

	struct reader *reader = open_bytes(bytes, sample->length + 10);

	made_read_all(reader, &read);
	made_assert_same_lists(&sample->written, &read);
	assert_true(reader_status(reader)->is_ended);
	assert_int_equal(reader_status(reader)->damaged_bytes, 10);
	made_list_done(&read);
	reader_close(&reader);
	free(bytes);
}

/* The schema's checksum in the head lets a program with the same schema do without the SCHEMA frame. */
static void does_without_a_damaged_schema_that_is_its_own(void **state)
{
	struct sample *sample = *state;
	char *bytes = copy(sample, sample->length);
	struct made_list read = {};

	bytes[sizeof(struct recording_header) + sizeof(struct frame_header) + 20] ^= 1;

	struct reader *reader = open_bytes(bytes, sample->length);

	made_read_all(reader, &read);
	made_assert_same_lists(&sample->written, &read);
	assert_int_equal(reader_status(reader)->damaged_frames, 1);
	made_list_done(&read);
	reader_close(&reader);

	/* Not when the head is damaged as well: then nothing says how the records lie. */
	bytes[40] ^= 1;
	reader = open_bytes(bytes, sample->length);
	made_read_all(reader, &read);
	assert_int_equal(read.count, 0);
	assert_int_equal(reader_status(reader)->damaged_events, 100);
	reader_close(&reader);
	free(bytes);
}

/* ---- foreign ---- */

static void refuses_other_files(void **state)
{
	struct sample *sample = *state;
	struct reader *reader;
	char path[128], line[256];
	static const char text[] =
		"this is a text of more than sixty-four bytes, which no recording begins with at all\n";

	made_assert_error(reader_open_bytes(text, sizeof(text), "notes.txt", &reader),
			  "'notes.txt' is not a warmtrace recording");
	made_assert_error(reader_open("/nonexistent/x.wtr", &reader),
			  "cannot open '/nonexistent/x.wtr': No such file or directory");
	snprintf(line, sizeof(line), "cannot read '%s': it is a folder", sample->folder);
	made_assert_error(reader_open(sample->folder, &reader), line);
	snprintf(path, sizeof(path), "%s/pipe", sample->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(line, sizeof(line), "cannot read '%s': it is not a regular file", path);
	made_assert_error(reader_open(path, &reader), line);
}

/* ---- other versions ---- */

/* A recording with a schema and one frame of records of our making. */
static char *make_file(struct sample *sample, struct recording_header header, const char *schema,
		       struct frame_header frame, const void *payload, size_t *ret_length)
{
	auto_fd int fd = open(sample->path, O_RDWR | O_TRUNC);
	struct frame_file file = {.fd = fd, .path = sample->path};
	struct frame_header schema_header = {
		.type = FRAME_SCHEMA,
		.stored_bytes = (uint32_t)strlen(schema),
		.content_bytes = (uint32_t)strlen(schema),
	};

	memcpy(header.magic, RECORDING_MAGIC, RECORDING_MAGIC_BYTES);
	made_assert_ok(frame_file_start(&file, header));
	made_assert_ok(frame_file_append(&file, schema_header, schema));
	made_assert_ok(frame_file_append(&file, frame, payload));
	return made_file_bytes(sample->path, ret_length);
}

static void refuses_a_newer_format(void **state)
{
	struct sample *sample = *state;
	struct recording_header header = {.version = 9, .least_reader = 8, .created_by = "warmtrace 7.0\x1b[31m"};
	struct frame_header frame = {.type = FRAME_END, .stored_bytes = 1, .content_bytes = 1};
	size_t length;
	char *bytes = make_file(sample, header, "", frame, "x", &length);
	struct reader *reader;
	struct err *err = reader_open_bytes(bytes, length, "x.wtr", &reader);

	assert_non_null(err);
	assert_string_equal(err_hint_text(err), "read it with the version that wrote it, or a newer one");
	made_assert_error(err, "'x.wtr' was written by warmtrace 7.0?[31m in format 9, and this program reads up to "
			       "format 1");
	free(bytes);
}

/* A newer program that says that we may read it: kinds, fields, frame types and flags that we do not know. */
static void takes_what_it_knows_of_a_newer_recording(void **state)
{
	struct sample *sample = *state;
	struct recording_header header = {.version = 2, .least_reader = 1, .created_by = "warmtrace 2.0"};
	/* exec with a field before and one behind ours, and ours in the other order; a kind of the future; a kind
	 * whose number we know by another name. */
	static const char schema[] = "1 exec vm:u64:ID uid:u32:ID parent_pid:u32:ID extra:i32:CODE | file name\n"
				     "2 mitosis child_pid:u32:ID\n"
				     "200 future a:u64:ADDRESS | text\n";
	struct {
		struct event_header header;
		u64 vm;
		u32 uid, parent_pid;
		i32 extra;
		char tail[16];
	} exec = {{7, 10, 11, 1, 3, 52}, 1, 1000, 9, -1, "/bin/sh\n"};
	struct {
		struct event_header header;
		u64 a;
		char tail[8];
	} future = {{8, 10, 11, 200, 0, 34}, 5, "ab"};
	struct {
		struct event_header header;
		u32 child_pid;
	} mitosis = {{9, 10, 11, 2, 0, 28}, 4};
	char records[3 * 64] = {};
	struct frame_header frame = {.type = FRAME_RECORDS, .flags = 0x8000, .event_count = 4};
	size_t length, at = 0;
	struct made_list read = {};

	exec.tail[8] = 'x'; /* 24 + 8 + 4 + 4 + 4 is 44; the size says 52: eight bytes of tail */
	memcpy(records + at, &exec, 52);
	at += 56;
	memcpy(records + at, &future, 34);
	at += 40;
	memcpy(records + at, &mitosis, 28);
	at += 32;
	memcpy(records + at, &exec, 52);
	at += 56;
	frame.stored_bytes = frame.content_bytes = (uint32_t)at;

	char *bytes = make_file(sample, header, schema, frame, records, &length);
	struct reader *reader = open_bytes(bytes, length);

	made_read_all(reader, &read);
	assert_int_equal(reader_status(reader)->unknown_events, 2);
	assert_int_equal(reader_status(reader)->damaged_frames, 0);
	assert_int_equal(reader_status(reader)->format_version, 2);
	assert_int_equal(read.count, 2);

	const struct event_exec *event = (const struct event_exec *)made_list_next(&read, NULL);
	size_t tail_length;
	const char *tail = EVENT_TAIL(event, &tail_length);

	assert_int_equal(event->header.time_ns, 7);
	assert_int_equal(event->header.cpu, 3);
	assert_int_equal(event->parent_pid, 9);
	assert_int_equal(event->uid, 1000);
	assert_int_equal(tail_length, 8);
	assert_memory_equal(tail, "/bin/sh\n", 8);
	made_list_done(&read);
	reader_close(&reader);
	free(bytes);
}

/* An older program: a field that we added since is missing, another was narrower. */
static void fills_up_an_older_recording(void **state)
{
	struct sample *sample = *state;
	struct recording_header header = {.version = 1, .least_reader = 1, .created_by = "warmtrace 0.0"};
	static const char schema[] = "8 file_read duration_ns:u32:NS result:i32:RESULT\n";
	struct {
		struct event_header header;
		u32 duration_ns;
		i32 result;
	} old = {{7, 10, 11, 8, 3, 32}, 500, -2};
	char records[40] = {};
	struct frame_header frame = {
		.type = FRAME_RECORDS, .event_count = 1, .stored_bytes = 40, .content_bytes = 40};
	size_t length;
	struct made_list read = {};

	memcpy(records, &old, sizeof(old));

	char *bytes = make_file(sample, header, schema, frame, records, &length);
	struct reader *reader = open_bytes(bytes, length);

	made_read_all(reader, &read);
	assert_int_equal(read.count, 1);

	const struct event_file_read *event = (const struct event_file_read *)made_list_next(&read, NULL);

	assert_int_equal(event->header.size, schema_by_id(8)->fixed_bytes);
	assert_int_equal(event->duration_ns, 500);
	assert_true(event->result == -2);
	assert_int_equal(
		event->inode + event->offset + event->length + event->device + event->descriptor + event->number, 0);
	made_list_done(&read);
	reader_close(&reader);
	free(bytes);
}

/* The same by column: the schema and the frame's checksums are rewritten so that the columns of one kind belong to a
 * kind that we do not know, and those of a field to a field that we do not know. */
static void takes_what_it_knows_of_columns(void **state)
{
	struct sample *sample = *state;
	struct writer *writer;
	struct event_builder builder = {};
	struct made_random random = {4};
	size_t length, schema_length, known_count = 0;

	made_assert_ok(writer_open(sample->path, geteuid(), getegid(), "warmtrace test", &writer));
	for (int i = 0; i < 300; i++) {
		made_assert_ok(writer_append(writer, made_event(&builder, &random, EVENT_WAKE)));
		made_assert_ok(writer_append(writer, made_event(&builder, &random, EVENT_FILE_OPEN)));
		known_count++;
	}
	made_assert_ok(writer_close(&writer));

	char *whole = made_file_bytes(sample->path, &length);
	struct frame_header schema_header, columns_header;
	size_t at = sizeof(struct recording_header);

	memcpy(&schema_header, whole + at, sizeof(schema_header));
	at += sizeof(schema_header) + schema_header.stored_bytes;
	memcpy(&columns_header, whole + at, sizeof(columns_header));

	char *schema = layout_describe(&schema_length);
	char *wake = strstr(schema, "14 wake"), *device = strstr(strstr(schema, "6 file_open"), "device");

	memcpy(wake, "14 woke", 7);
	memcpy(device, "deuice", 6);

	struct recording_header header = {.version = 1, .least_reader = 1};
	size_t changed_length;
	char *changed = make_file(sample, header, schema, columns_header, whole + at + sizeof(columns_header),
				  &changed_length);
	struct reader *reader = open_bytes(changed, changed_length);
	struct reader *plain = open_bytes(whole, length);
	const struct event_header *left, *right;

	/* The recording as it was says what is to come: file_open only, device 0. */
	for (;;) {
		do
			made_assert_ok(reader_next(plain, &left));
		while (left && left->kind == EVENT_WAKE);
		made_assert_ok(reader_next(reader, &right));
		if (!left || !right)
			break;
		((struct event_file_open *)left)->device = 0;
		made_assert_same(left, right);
		known_count--;
	}
	assert_ptr_equal(left, right);
	assert_int_equal(known_count, 0);
	assert_int_equal(reader_status(reader)->unknown_events, 300);
	reader_close(&reader);
	reader_close(&plain);
	event_builder_done(&builder);
	free(schema);
	free(changed);
	free(whole);
}

/* A recording of each version of the format must open for ever, and mean what it meant: its records in columns, then
 * the same once more as they are. */
static void reads_pinned_recordings(void **state)
{
	struct reader *reader;
	const struct event_header *event;
	size_t length, text_length = 0;
	char *text = NULL;
	auto_free char *expected = made_file_bytes("unit/format/pinned/format-1.txt", &length);
	FILE *out = open_memstream(&text, &text_length);

	(void)state;
	made_assert_ok(reader_open("unit/format/pinned/format-1.recording", &reader));
	for (;;) {
		made_assert_ok(reader_next(reader, &event));
		if (!event)
			break;
		text_print(event, out);
	}
	fclose(out);
	assert_true(reader_status(reader)->is_ended);
	assert_int_equal(reader_status(reader)->damaged_frames, 0);
	assert_int_equal(text_length, 2 * length);
	assert_memory_equal(text, expected, length);
	assert_memory_equal(text + length, expected, length);
	reader_close(&reader);
	free(text);
}

/* ---- hostile ---- */

/* Any byte of a frame's columns changed, as by somebody who makes the checksums right again. */
static void stays_safe_with_hostile_columns(void **state)
{
	static const uint8_t changes[] = {0x01, 0x02, 0x80, 0xff};
	struct columns_encoder *encoder = columns_encoder_new();
	struct columns_decoder *decoder = columns_decoder_new();
	struct columns_content content;
	struct layout layout = {};
	struct made_list list = {};
	size_t schema_length, refused = 0;
	char *schema = layout_describe(&schema_length);
	uint8_t *bytes;

	(void)state;
	/* Enough for every mode of a column, and for threads and tails that come again. */
	made_assert_ok(stream_make(300, 1, made_list_sink, &list));
	content = columns_encode(encoder, list.bytes, (uint32_t)list.count);
	bytes = malloc(content.length_bytes);
	made_assert_ok(layout_parse(&layout, schema, schema_length));
	for (size_t at = 0; at < content.length_bytes; at++)
		for (size_t i = 0; i < array_length(changes); i++) {
			struct columns_records records;

			memcpy(bytes, content.bytes, content.length_bytes);
			bytes[at] ^= changes[i];
			if (!columns_decode(decoder, &layout, bytes, content.length_bytes, (uint32_t)list.count,
					    &records)) {
				refused++;
				continue;
			}

			const char *record = (const char *)records.first, *end = record + records.length_bytes;

			for (uint32_t j = 0; j < records.count; j++) {
				const struct event_header *event = (const struct event_header *)record;

				assert_true(event->size >= schema_by_id(event->kind)->fixed_bytes);
				record += record_stride(event->size);
				assert_true(record <= end);
				assert_int_equal(((const char *)event)[event->size], 0);
			}
			assert_ptr_equal(record, end);
		}
	assert_true(refused > 0);
	made_list_done(&list);
	layout_done(&layout);
	columns_encoder_free(encoder);
	columns_decoder_free(decoder);
	free(schema);
	free(bytes);
}

int main(void)
{
#define WITH_SAMPLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_SAMPLE(reads_up_to_the_last_whole_frame),
		WITH_SAMPLE(refuses_a_file_cut_in_its_head),
		WITH_SAMPLE(notices_every_changed_byte),
		WITH_SAMPLE(states_what_a_damaged_payload_held),
		WITH_SAMPLE(finds_the_next_frame_after_garbage),
		WITH_SAMPLE(says_what_stands_behind_the_end),
		WITH_SAMPLE(does_without_a_damaged_schema_that_is_its_own),
		WITH_SAMPLE(refuses_other_files),
		WITH_SAMPLE(refuses_a_newer_format),
		WITH_SAMPLE(takes_what_it_knows_of_a_newer_recording),
		WITH_SAMPLE(fills_up_an_older_recording),
		WITH_SAMPLE(takes_what_it_knows_of_columns),
		cmocka_unit_test(reads_pinned_recordings),
		cmocka_unit_test(stays_safe_with_hostile_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
