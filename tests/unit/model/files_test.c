#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "format/event.h"
#include "parse/archive.h"
#include "unit/model/trace.h"

static uint32_t find(const struct model *model, enum event_kind kind, uint32_t number)
{
	for (uint32_t i = 0; i < model->event_count; i++) {
		if (model->events[i]->kind == kind && number-- == 0)
			return i;
	}
	fail_msg("no such event");
	return 0;
}

static void paths_are_made_absolute(void **state)
{
	static const char *const expected[] = {
		"/srv/app.jar", "/srv/lib/x.jar", "/etc/hosts", "/top", "/srv/app.jar", "",
		"lib/x.jar",	"/srv",		  "/..",
	};
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "1 1/1 file_lookup path_flags=relative \"app.jar\" \"srv\"\n"
			    "2 1/1 file_lookup path_flags=relative \"x.jar\" \"lib\" \"srv\"\n"
			    "3 1/1 file_lookup \"/etc/hosts\"\n"
			    "4 1/1 file_lookup path_flags=relative \"top\"\n"
			    "5 1/1 file_lookup path_flags=relative \"./app.jar\" \"srv\"\n"
			    "6 1/1 file_lookup path_flags=unreadable \"\"\n"
			    "7 1/1 file_lookup path_flags=relative|base_cut \"x.jar\" \"lib\"\n"
			    "8 1/1 file_lookup path_flags=relative \"\" \"srv\"\n"
			    "9 1/1 file_lookup path_flags=relative \"..\"\n");

	(void)state;
	for (uint32_t i = 0; i < array_length(expected); i++)
		assert_string_equal(model_event_path(model, find(model, EVENT_FILE_LOOKUP, i)), expected[i]);
}

static void files_are_known_by_inode_and_named_by_their_opens(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "1 1/1 file_open result=3 inode=5 device=1 \"/srv/app.jar\"\n"
			    "2 1/1 file_open result=3 inode=5 device=2 \"/srv/notes.txt\"\n"
			    "3 1/1 file_open result=-2 \"/srv/none\"\n"
			    "4 1/1 file_read result=10 inode=6 device=1\n"
			    "5 1/1 file_map result=0x1000 length=4096 inode=7 device=1 protection=5 \"libc.so.6\"\n");

	(void)state;
	uint32_t jar = model_file_by_inode(model, 1, 5), notes = model_file_by_inode(model, 2, 5);

	assert_string_equal(model_file_path(model, jar), "/srv/app.jar");
	assert_true(model->files.list.items[jar].is_archive);
	assert_string_equal(model_file_path(model, notes), "/srv/notes.txt");
	assert_false(model->files.list.items[notes].is_archive);
	assert_string_equal(model_file_path(model, model_file_by_inode(model, 1, 6)), "");
	assert_true(model_file_by_inode(model, 1, 6) != 0);
	assert_int_equal(model_file_by_inode(model, 1, 8), 0);

	const struct file *library = &model->files.list.items[model_file_by_inode(model, 1, 7)];

	assert_string_equal(model_text(model, library->path), "libc.so.6");
	assert_true(library->is_code && library->is_mapped);
	assert_string_equal(model_event_path(model, find(model, EVENT_FILE_OPEN, 2)), "/srv/none");
}

static void reads_of_the_random_source_are_marked(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "1 1/1 file_open result=3 inode=5 device=1 \"/dev/random\"\n"
			    "2..3 1/1 syscall number=0 argument0=3 file_type=2 result=8\n"
			    "4..5 1/1 syscall number=0 argument0=4 file_type=2 result=8\n"
			    "6..7 1/1 syscall number=3 argument0=3 file_type=2\n"
			    "8..9 1/1 syscall number=0 argument0=3 file_type=2 result=8\n"
			    "10..11 1/1 syscall number=318 result=8\n");
	const struct spans *spans = &model->threads.list.items[0].spans;
	const bool expected[] = {false, true, false, false, false, true};

	(void)state;
	assert_int_equal(spans->count, array_length(expected));
	for (size_t i = 0; i < spans->count; i++)
		assert_int_equal((spans->items[i].flags & SPAN_RANDOM) != 0, expected[i]);
}

/* ---- archives ---- */

/* A stored zip by hand, two entries "a" and "bb" with 3 and 5 bytes: headers of 30 bytes, the name, then the data. */
struct bytes {
	uint8_t bytes[512];
	size_t length;
};

static void put(struct bytes *to, uint64_t value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to->bytes[to->length++] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
}

static void put_text(struct bytes *to, const char *text)
{
	memcpy(to->bytes + to->length, text, strlen(text));
	to->length += strlen(text);
}

static void put_entry(struct bytes *zip, struct bytes *directory, const char *name, const char *data)
{
	size_t header = zip->length;

	put(zip, 0x04034b50, 4);
	put(zip, 10, 2);
	put(zip, 0, 2 + 2 + 4 + 4); /* flags, stored, time, checksum */
	put(zip, strlen(data), 4);
	put(zip, strlen(data), 4);
	put(zip, strlen(name), 2);
	put(zip, 0, 2);
	put_text(zip, name);
	put_text(zip, data);
	put(directory, 0x02014b50, 4);
	put(directory, 10, 2);
	put(directory, 10, 2);
	put(directory, 0, 2 + 2 + 4 + 4);
	put(directory, strlen(data), 4);
	put(directory, strlen(data), 4);
	put(directory, strlen(name), 2);
	put(directory, 0, 2 + 2 + 2 + 2 + 4);
	put(directory, header, 4);
	put_text(directory, name);
}

static int read_bytes(void *context, uint64_t offset, void *buffer, size_t length)
{
	const struct bytes *from = context;

	memcpy(buffer, from->bytes + offset, length);
	return 0;
}

static void add_archive(struct model_builder *builder, struct event_builder *record)
{
	struct bytes zip = {}, directory = {};
	struct archive_index *index auto_done(archive_index_done) = NULL;
	auto_free uint8_t *packed = NULL;
	size_t packed_length;

	put_entry(&zip, &directory, "a", "AAA");
	put_entry(&zip, &directory, "bb", "BBBBB");

	size_t start = zip.length;

	memcpy(zip.bytes + zip.length, directory.bytes, directory.length);
	zip.length += directory.length;
	put(&zip, 0x06054b50, 4);
	put(&zip, 0, 4);
	put(&zip, 2, 2);
	put(&zip, 2, 2);
	put(&zip, directory.length, 4);
	put(&zip, start, 4);
	put(&zip, 0, 2);

	struct archive_source source = {.read_at = read_bytes, .context = &zip, .size_bytes = zip.length};

	assert_null(archive_read(&source, &index));
	archive_pack(index, &packed, &packed_length);

	struct event_archive *archive = event_begin(record, EVENT_ARCHIVE, 5, 0, 0);

	archive->inode = 9;
	archive->device = 1;
	event_add_part(record, "/srv/app.zip", strlen("/srv/app.zip"));
	event_add_part(record, packed, packed_length);
	model_add(builder, event_end(record));
}

struct seen {
	size_t count;
	struct archive_piece pieces[8];
};

static void see(void *context, const struct archive_piece *piece)
{
	struct seen *seen = context;

	assert_true(seen->count < array_length(seen->pieces));
	seen->pieces[seen->count++] = *piece;
}

static void archives_tell_what_a_read_covers(void **state)
{
	struct model_builder *builder = model_begin();
	struct event_builder record auto_done(event_builder_done) = {};
	struct model *model auto_done(model_free) = NULL;
	struct seen seen = {};
	struct archive_entry_facts entry;
	struct archive_facts facts;

	(void)state;
	event_begin(&record, EVENT_EXEC, 0, 1, 1);
	model_add(builder, event_end(&record));
	add_archive(builder, &record);
	assert_null(model_finish(builder, &model));

	const struct file *file = &model->files.list.items[model_file_by_inode(model, 1, 9)];

	assert_true(file->is_archive);
	assert_int_equal(file->archive, 0);
	assert_int_equal(model_archive_entry_count(model, 0), 2);
	assert_true(model_archive_facts(model, 0, 0, &facts));
	assert_string_equal(facts.name, "/srv/app.zip");
	assert_false(model_archive_facts(model, 0, 1, &facts));
	/* "a": header 0..31, data 31..34; "bb": header 34..66, data 66..71. */
	model_archive_pieces(model, 0, 33, 40, see, &seen);
	assert_int_equal(seen.pieces[0].kind, PIECE_DATA);
	assert_int_equal(seen.pieces[0].length_bytes, 1);
	assert_true(model_archive_entry(model, 0, seen.pieces[0].entry, &entry));
	assert_string_equal(entry.name, "a");
	assert_int_equal(seen.pieces[1].kind, PIECE_HEADER);
	assert_int_equal(seen.pieces[seen.count - 1].kind, PIECE_DIRECTORY);
	assert_int_equal(seen.pieces[seen.count - 1].length_bytes, 2);
	assert_false(model_archive_entry(model, 0, 2, &entry));
	assert_int_equal(model_archive_count(model, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_made_absolute),
		cmocka_unit_test(files_are_known_by_inode_and_named_by_their_opens),
		cmocka_unit_test(reads_of_the_random_source_are_marked),
		cmocka_unit_test(archives_tell_what_a_read_covers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
