/* The packed form of an index: what comes back is what went in; damaged bytes are refused or still keep every
 * promise. */
#include "archive_bytes.h"

static void assert_same(const struct archive_index *a, const struct archive_index *b)
{
	assert_int_equal(a->source_bytes, b->source_bytes);
	assert_int_equal(a->archives.count, b->archives.count);
	assert_int_equal(a->entries.count, b->entries.count);
	for (size_t i = 0; i < a->archives.count; i++)
		assert_memory_equal(&a->archives.items[i], &b->archives.items[i], sizeof(struct archive));
	for (size_t i = 0; i < a->entries.count; i++) {
		struct archive_entry left = a->entries.items[i], right = b->entries.items[i];

		assert_memory_equal(archive_entry_name(a, &left), archive_entry_name(b, &right),
				    left.name_bytes + 1u);
		left.name_at = right.name_at = 0;
		assert_memory_equal(&left, &right, sizeof(left));
	}
}

static size_t assert_round_trip(const struct bytes *bytes)
{
	struct archive_index *index = must_read(bytes), *back = NULL;
	uint8_t *packed;
	size_t length;

	archive_pack(index, &packed, &length);

	struct err *err = archive_unpack(packed, length, &back);

	if (err)
		fail_msg("%s", err->message);
	assert_same(index, back);
	free(packed);
	archive_index_free(index);
	archive_index_free(back);
	return length;
}

static void make_sample(struct bytes *bytes)
{
	struct bytes inner = {};
	const struct zip_item items[] = {{.name = "com/example/First.class", .data = "12345", .data_bytes = 5},
					 {.name = "com/example/Second.class",
					  .data = "1",
					  .data_bytes = 1,
					  .method = 8,
					  .flags = 8 | 1 << 11,
					  .uncompressed_bytes = 300,
					  .local_extra_bytes = 9},
					 {.name = "META-INF/A.SF"}};

	zip_archive(&inner, items, 3, (struct zip_options){.is_zip64 = true});
	bytes_add(bytes, "start", 5);
	zip_archive(bytes,
		    (struct zip_item[]){items[0],
					{.name = "lib/a.jar", .data = inner.items, .data_bytes = inner.count},
					{.name = "lib/not.jar", .data = "no", .data_bytes = 2, .flags = 1 << 11},
					items[1],
					{.name = "lib/b.jar", .data = inner.items, .data_bytes = inner.count}},
		    5, (struct zip_options){.count_error = 1, .comment = "c", .comment_bytes = 1});
	bytes_done(&inner);
}

static void test_round_trip(void **state)
{
	struct bytes bytes = {};

	(void)state;
	zip_archive(&bytes, NULL, 0, (struct zip_options){});
	assert_round_trip(&bytes);
	bytes.count = 0;
	make_sample(&bytes);
	assert_round_trip(&bytes);
	bytes_done(&bytes);
}

/* Two entries "pkg/Aa" and "pkg/Ab" of 5 stored bytes; all is 208 bytes long. Head: version, that size, archives,
 * entries, bytes of names with NULs. Archive: kind, flags, problems, directory at 82, its length 104, no gap, 2
 * entries, none dropped. The first entry lies at the start, without gap and extra field, stored and without flags, so
 * its tag is 0; the second shares "pkg/A". */
static void test_packed_bytes(void **state)
{
	static const uint8_t expected[] = {
		1, 0xd0, 0x01, 1,  2,	14,			      /* 208 bytes in all */
		1, 0,	 0,    82, 104, 0,   2,	  0,		      /* the archive */
		0, 5,	 0,    0,  6,	'p', 'k', 'g', '/', 'A', 'a', /* 5 bytes of data; shared 0 + 0, own 6 */
		0, 5,	 5,    0,  1,	'b',
	};
	const struct zip_item items[] = {{.name = "pkg/Aa", .data = "hello", .data_bytes = 5},
					 {.name = "pkg/Ab", .data = "hello", .data_bytes = 5}};
	struct bytes bytes = {};
	uint8_t *packed;
	size_t length;

	(void)state;
	zip_archive(&bytes, items, 2, (struct zip_options){});
	assert_int_equal(bytes.count, 208);

	struct archive_index *index = must_read(&bytes);

	archive_pack(index, &packed, &length);
	assert_int_equal(length, sizeof(expected));
	assert_memory_equal(packed, expected, length);
	free(packed);
	archive_index_free(index);
	bytes_done(&bytes);
}

/* 300 names of 5,000 bytes that differ in the last ones: shared, 1.5 MB of names would be 10 bytes each. */
static void test_names_that_share_too_much(void **state)
{
	enum { COUNT = 300, LENGTH = 5000 };
	struct zip_item items[COUNT];
	char(*names)[LENGTH + 1] = calloc(COUNT, sizeof(*names));
	struct bytes bytes = {};

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		memset(names[i], 'n', LENGTH);
		names[i][LENGTH - 3] = (char)('0' + i / 100);
		names[i][LENGTH - 2] = (char)('0' + i / 10 % 10);
		names[i][LENGTH - 1] = (char)('0' + i % 10);
		items[i] = (struct zip_item){.name = names[i]};
	}
	zip_archive(&bytes, items, COUNT, (struct zip_options){});
	assert_true(assert_round_trip(&bytes) > COUNT * LENGTH);
	free(names);
	bytes_done(&bytes);
}

static bool unpacks(const uint8_t *packed, size_t length)
{
	struct archive_index *index = NULL;
	struct err *err = archive_unpack(packed, length, &index);

	assert_true((err == NULL) != (index == NULL));
	if (index) {
		look_up(index, 0, UINT64_MAX);
		for (size_t i = 0; i < index->entries.count; i++)
			assert_int_equal(archive_entry_name(
						 index, &index->entries.items[i])[index->entries.items[i].name_bytes],
					 0);
	}
	err_free(err);
	archive_index_free(index);
	return index != NULL;
}

static void test_every_truncation_and_change(void **state)
{
	struct bytes bytes = {};
	uint8_t *packed;
	size_t length;

	(void)state;
	make_sample(&bytes);

	struct archive_index *index = must_read(&bytes);

	archive_pack(index, &packed, &length);
	for (size_t cut = 0; cut < length; cut++) {
		uint8_t *copy = malloc(cut + !cut);

		memcpy(copy, packed, cut);
		assert_false(unpacks(copy, cut));
		free(copy);
	}
	for (size_t at = 0; at < length; at++)
		for (int value = 0; value < 256; value++) {
			uint8_t was = packed[at];

			packed[at] = (uint8_t)value;
			unpacks(packed, length);
			packed[at] = was;
		}
	assert_true(unpacks(packed, length));
	free(packed);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_lies(void **state)
{
	static const uint8_t many_entries[] = {1, 100, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t many_archives[] = {1, 100, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t many_names[] = {1, 100, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t no_archive[] = {1, 100, 0, 0, 0};
	static const uint8_t wide_number[] = {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0};
	static const uint8_t later_version[] = {2, 100, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t good[] = {1, 100, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};

	(void)state;
	assert_false(unpacks(many_entries, sizeof(many_entries)));
	assert_false(unpacks(many_archives, sizeof(many_archives)));
	assert_false(unpacks(many_names, sizeof(many_names)));
	assert_false(unpacks(no_archive, sizeof(no_archive)));
	assert_false(unpacks(wide_number, sizeof(wide_number)));
	assert_false(unpacks(later_version, sizeof(later_version)));
	assert_true(unpacks(good, sizeof(good)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_packed_bytes),
		cmocka_unit_test(test_names_that_share_too_much),
		cmocka_unit_test(test_every_truncation_and_change),
		cmocka_unit_test(test_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
