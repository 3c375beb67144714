/* Modules files made byte by byte, in both byte orders. */
#include "archive_bytes.h"

#include <stdio.h>

#include "parse/jimage.h"

struct jimage_options {
	bool is_big_endian;
	uint32_t version, extra_strings_bytes, extra_table_length;
};

static void put_u32(struct bytes *bytes, uint32_t value, bool is_big_endian)
{
	bytes_number(bytes, is_big_endian ? __builtin_bswap32(value) : value, 4);
}

/* Strings: 0 "" 1 "java.base" 11 "java/lang" 21 "Object" 28 "class" 34 "release" 42 end.
 *
 * Locations, 33 bytes: at 0 java.base/java/lang/Object.class at 0x110, 28 bytes; at 15 "release" at 0, 99 bytes,
 * compressed 16; at 24 "Object" at 16, nothing. Tables: 28 + 3 * 8 + 33 + 42 = 127. Resources: 300 bytes. */
static const uint8_t locations[33] = {
	1 << 3, 1,  2 << 3, 11, 3 << 3, 21, 4 << 3, 28, 5 << 3 | 1, 1, 16, 7 << 3 | 1, 0, 28, 0, /* length 2 each */
	3 << 3, 34, 6 << 3, 16, 7 << 3, 99, 9 << 3, 7,	0, /* kind 9 is unknown */
	3 << 3, 21, 5 << 3, 16, 0,	0,  0,	    0,	0,
};
static const char strings[42] = "\0java.base\0java/lang\0Object\0class\0release";

static void make(struct bytes *bytes, struct jimage_options options)
{
	const bool big = options.is_big_endian;

	put_u32(bytes, 0xcafedada, big);
	put_u32(bytes, options.version ? options.version : 1 << 16, big);
	put_u32(bytes, 0, big);
	put_u32(bytes, 3, big);
	put_u32(bytes, 3 + options.extra_table_length, big);
	put_u32(bytes, sizeof(locations), big);
	put_u32(bytes, sizeof(strings) + options.extra_strings_bytes, big);
	bytes_zeros(bytes, 12);
	put_u32(bytes, 0, big);
	put_u32(bytes, 15, big);
	put_u32(bytes, 24, big);
	bytes_add(bytes, locations, sizeof(locations));
	bytes_add(bytes, strings, sizeof(strings));
	bytes_zeros(bytes, 300);
}

static void test_resources(void **state)
{
	(void)state;
	for (int is_big = 0; is_big < 2; is_big++) {
		struct bytes bytes = {};

		make(&bytes, (struct jimage_options){.is_big_endian = is_big});

		struct archive_index *index = must_read(&bytes);
		const struct archive *archive = &index->archives.items[0];

		assert_int_equal(index->archives.count, 1);
		assert_int_equal(archive->kind, ARCHIVE_JIMAGE);
		assert_int_equal(archive->problems, 0);
		assert_int_equal(archive->directory_bytes, 127);
		assert_int_equal(index->entries.count, 3);
		assert_entry(index, 0, "release", 127, 127, 16, 99);
		assert_entry(index, 1, "Object", 143, 143, 0, 0);
		assert_entry(index, 2, "java.base/java/lang/Object.class", 127 + 0x110, 127 + 0x110, 28, 28);
		assert_int_equal(index->entries.items[0].method, ARCHIVE_METHOD_JIMAGE);
		assert_int_equal(index->entries.items[2].method, ARCHIVE_METHOD_STORED);

		struct parts parts = look_up(index, 100, 1000);

		assert_int_equal(parts.count, 4);
		assert_part(index, &parts.items[0], ARCHIVE_PART_DIRECTORY, 100, 27, 0, NULL);
		assert_part(index, &parts.items[1], ARCHIVE_PART_DATA, 127, 16, 0, "release");
		assert_part(index, &parts.items[2], ARCHIVE_PART_GAP, 143, 256, 0, NULL);
		assert_part(index, &parts.items[3], ARCHIVE_PART_DATA, 399, 28, 0,
			    "java.base/java/lang/Object.class");
		archive_index_free(index);
		bytes_done(&bytes);
	}
}

/* An empty resource has the offset of the one that follows it, and takes none of its bytes. */
static void test_empty_resource(void **state)
{
	struct bytes bytes = {};

	(void)state;
	make(&bytes, (struct jimage_options){});

	/* The third location's offset becomes that of "release", which is not compressed now: 16 bytes at 0. */
	bytes.items[28 + 24 + 24 + 3] = 0;

	struct archive_index *index = must_read(&bytes);

	assert_string_equal(archive_entry_name(index, &index->entries.items[0]), "Object");
	assert_string_equal(archive_entry_name(index, &index->entries.items[1]), "release");
	assert_int_equal(index->archives.items[0].problems, 0);

	struct parts parts = look_up(index, 127, 16);

	assert_part(index, &parts.items[0], ARCHIVE_PART_DATA, 127, 16, 0, "release");
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_lies(void **state)
{
	struct bytes bytes = {};

	(void)state;
	make(&bytes, (struct jimage_options){.version = 2 << 16});
	assert_true(is_refused(&bytes));
	bytes.count = 0;
	make(&bytes, (struct jimage_options){.extra_table_length = 0x20000000});
	assert_true(is_refused(&bytes));
	bytes.count = 0;
	make(&bytes, (struct jimage_options){.extra_strings_bytes = 0xffffffff - sizeof(strings)});
	assert_true(is_refused(&bytes));

	/* One resource reaches beyond the end, one has a name beyond the strings. */
	bytes.count = 0;
	make(&bytes, (struct jimage_options){});
	bytes.items[52 + 12] = 0xff;
	bytes.items[52 + 16] = 42;

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->entries.count, 1);
	assert_int_equal(index->archives.items[0].dropped_entry_count, 2);
	assert_int_equal(index->archives.items[0].problems, ARCHIVE_PROBLEM_ENTRIES_DROPPED);
	archive_index_free(index);
	bytes_done(&bytes);
}

/* 20,000 slots of one location with a name of 60,000 bytes: 1.2 GB of names from 220 kB of tables. */
static void test_shared_strings(void **state)
{
	enum { SLOTS = 20000, NAME = 60000 };
	struct bytes bytes = {};

	(void)state;
	put_u32(&bytes, 0xcafedada, false);
	put_u32(&bytes, 1 << 16, false);
	put_u32(&bytes, 0, false);
	put_u32(&bytes, SLOTS, false);
	put_u32(&bytes, SLOTS, false);
	put_u32(&bytes, 3, false);
	put_u32(&bytes, NAME + 2, false);
	bytes_zeros(&bytes, 8 * SLOTS);
	bytes_add(&bytes, "\30\1\0", 3);
	bytes_zeros(&bytes, 1);
	for (int i = 0; i < NAME; i++)
		bytes_add(&bytes, "n", 1);
	bytes_zeros(&bytes, 1);

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->archives.items[0].problems & ARCHIVE_PROBLEM_DIRECTORY_CUT,
			 ARCHIVE_PROBLEM_DIRECTORY_CUT);
	assert_in_range(index->entries.count, 1, 100);
	assert_true(index->names.count <= 17 * bytes.count);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_every_truncation_and_change(void **state)
{
	struct bytes bytes = {};

	(void)state;
	make(&bytes, (struct jimage_options){});
	for (size_t length = 0; length < bytes.count; length++) {
		struct bytes cut = {.items = malloc(length + !length), .count = length};

		memcpy(cut.items, bytes.items, length);
		assert_int_equal(is_refused(&cut), length < 127);
		bytes_done(&cut);
	}
	for (size_t at = 0; at < 127; at++)
		for (int value = 0; value < 256; value++) {
			uint8_t was = bytes.items[at];
			struct memory memory = {.bytes = bytes.items};
			struct archive_source source = {memory_read_at, &memory, bytes.count};
			struct archive_index *index = NULL;

			bytes.items[at] = (uint8_t)value;
			err_free(jimage_read(&source, &index));
			if (index)
				look_up(index, 0, bytes.count);
			archive_index_free(index);
			bytes.items[at] = was;
		}
	bytes_done(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_empty_resource),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_shared_strings),
		cmocka_unit_test(test_every_truncation_and_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
