/* Zips made byte by byte. The one that most tests begin with:
 *
 *     0 header 30 | 30 "a/B.class" 9 | 39 "hello" 5
 *     44 header 30 | 74 "c.txt" 5 | 79 extra 4 | 83 data 3 | 86 descriptor 16
 *     102 directory (46 + 9) + (46 + 5) = 106 | 208 end record 22 | 230 */
#include "archive_bytes.h"

#include <stdio.h>
#include <time.h>

#include "parse/zip.h"

static const struct zip_item two[] = {
	{.name = "a/B.class", .data = "hello", .data_bytes = 5},
	{.name = "c.txt",
	 .data = "xyz",
	 .data_bytes = 3,
	 .method = 8,
	 .flags = 8,
	 .local_extra_bytes = 4,
	 .uncompressed_bytes = 77},
};

static void assert_two(const struct archive_index *index, uint64_t prefix, uint32_t problems)
{
	const struct archive *archive = &index->archives.items[0];

	assert_int_equal(index->archives.count, 1);
	assert_int_equal(archive->kind, ARCHIVE_ZIP);
	assert_int_equal(archive->problems, problems);
	assert_int_equal(archive->directory_offset, prefix + 102);
	assert_int_equal(archive->directory_bytes, 106);
	assert_int_equal(archive->entry_count, 2);
	assert_int_equal(index->entries.count, 2);
	assert_entry(index, 0, "a/B.class", prefix, prefix + 39, 5, 5);
	assert_entry(index, 1, "c.txt", prefix + 44, prefix + 83, 3, 77);
	assert_int_equal(index->entries.items[0].method, ARCHIVE_METHOD_STORED);
	assert_int_equal(index->entries.items[1].method, ARCHIVE_METHOD_DEFLATED);
	assert_int_equal(index->entries.items[1].flags, ARCHIVE_ENTRY_DESCRIPTOR);
}

static void test_two_entries(void **state)
{
	struct bytes bytes = {};

	(void)state;
	zip_archive(&bytes, two, 2, (struct zip_options){});
	assert_int_equal(bytes.count, 230);

	struct archive_index *index = must_read(&bytes);

	assert_two(index, 0, 0);
	assert_int_equal(index->archives.items[0].end_offset, 208);

	struct parts parts = look_up(index, 0, 1000);

	assert_int_equal(parts.count, 10);
	assert_part(index, &parts.items[0], ARCHIVE_PART_HEADER, 0, 30, 0, "a/B.class");
	assert_part(index, &parts.items[1], ARCHIVE_PART_NAME, 30, 9, 0, "a/B.class");
	assert_part(index, &parts.items[2], ARCHIVE_PART_DATA, 39, 5, 0, "a/B.class");
	assert_part(index, &parts.items[3], ARCHIVE_PART_HEADER, 44, 30, 0, "c.txt");
	assert_part(index, &parts.items[4], ARCHIVE_PART_NAME, 74, 5, 0, "c.txt");
	assert_part(index, &parts.items[5], ARCHIVE_PART_HEADER, 79, 4, 0, "c.txt");
	assert_part(index, &parts.items[6], ARCHIVE_PART_DATA, 83, 3, 0, "c.txt");
	assert_part(index, &parts.items[7], ARCHIVE_PART_GAP, 86, 16, 0, NULL);
	assert_part(index, &parts.items[8], ARCHIVE_PART_DIRECTORY, 102, 106, 0, NULL);
	assert_part(index, &parts.items[9], ARCHIVE_PART_END, 208, 22, 0, NULL);

	parts = look_up(index, 41, 1);
	assert_int_equal(parts.count, 1);
	assert_part(index, &parts.items[0], ARCHIVE_PART_DATA, 41, 1, 0, "a/B.class");
	assert_int_equal(look_up(index, 230, 10).count, 0);
	assert_int_equal(look_up(index, UINT64_MAX, UINT64_MAX).count, 0);
	assert_int_equal(look_up(index, 7, 0).count, 0);
	assert_int_equal(look_up(index, 225, UINT64_MAX).items[0].length_bytes, 5);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_prefix(void **state)
{
	(void)state;
	for (int is_corrected = 0; is_corrected < 2; is_corrected++)
		for (int is_zip64 = 0; is_zip64 < 2; is_zip64++) {
			struct bytes bytes = {};

			bytes_add(&bytes, "#!/sh\n\n", 7);
			zip_archive(&bytes, two, 2,
				    (struct zip_options){.shift = is_corrected ? 7 : 0, .is_zip64 = is_zip64});

			struct archive_index *index = must_read(&bytes);

			assert_two(index, 7, 0);
			assert_int_equal(index->archives.items[0].is_zip64, is_zip64);

			struct parts parts = look_up(index, 2, 6);

			assert_part(index, &parts.items[0], ARCHIVE_PART_PREFIX, 2, 5, 0, NULL);
			assert_part(index, &parts.items[1], ARCHIVE_PART_HEADER, 7, 1, 0, "a/B.class");
			archive_index_free(index);
			bytes_done(&bytes);
		}
}

static void test_zip64(void **state)
{
	struct bytes bytes = {};
	const struct zip_item items[] = {{.name = "big", .data = "12345678", .data_bytes = 8, .is_zip64 = true},
					 {.name = "big2", .data = "1", .data_bytes = 1, .is_zip64 = true}};

	(void)state;
	zip_archive(&bytes, items, 2, (struct zip_options){.is_zip64 = true, .end64_extra_bytes = 19});

	struct archive_index *index = must_read(&bytes);

	/* 30 + 3 + 8 = 41; 41 + 30 + 4 + 1 = 76. Each record has 33 bytes of extra field. */
	assert_entry(index, 0, "big", 0, 33, 8, 8);
	assert_entry(index, 1, "big2", 41, 75, 1, 1);
	assert_int_equal(index->archives.items[0].directory_offset, 76);
	assert_int_equal(index->archives.items[0].directory_bytes, 2 * (46 + 33) + 7);
	assert_int_equal(index->archives.items[0].end_offset, 76 + 165);
	assert_int_equal(index->archives.items[0].problems, 0);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_comment_that_looks_like_an_end(void **state)
{
	struct bytes bytes = {}, comment = {};

	(void)state;
	for (int i = 0; i < 50; i++) {
		bytes_add(&comment, "PK\5\6", 4);
		bytes_zeros(&comment, 6);
		bytes_add(&comment, "\1\0\1\0\77\0\0\0\5\0\0\0\0\0some text", 23);
	}
	zip_archive(&bytes, two, 2,
		    (struct zip_options){.comment = (char *)comment.items, .comment_bytes = comment.count});

	struct archive_index *index = must_read(&bytes);

	assert_two(index, 0, 0);
	archive_index_free(index);
	bytes_zeros(&bytes, 100);
	index = must_read(&bytes);
	assert_two(index, 0, ARCHIVE_PROBLEM_TRAILING_BYTES);
	archive_index_free(index);
	bytes_done(&comment);
	bytes_done(&bytes);
}

static void test_not_an_archive(void **state)
{
	struct bytes bytes = {};

	(void)state;
	assert_true(is_refused(&bytes));
	bytes_add(&bytes, "PK\5\6", 4);
	assert_true(is_refused(&bytes));
	bytes_zeros(&bytes, 200000);
	assert_true(is_refused(&bytes));
	bytes.count = 0;
	zip_archive(&bytes, NULL, 0, (struct zip_options){});
	assert_int_equal(bytes.count, 22);
	assert_false(is_refused(&bytes));

	/* A directory that is longer than the file, then one of 4 GiB in a ZIP64 file. */
	bytes_done(&bytes);
	zip_archive(&bytes, two, 2, (struct zip_options){});
	bytes.items[208 + 12 + 2] = 1;
	assert_true(is_refused(&bytes));
	bytes_done(&bytes);
	zip_archive(&bytes, two, 2, (struct zip_options){.is_zip64 = true});
	bytes.items[208 + 40 + 4] = 1;
	assert_true(is_refused(&bytes));
	bytes_done(&bytes);
}

static void test_damage_leaves_the_rest(void **state)
{
	struct bytes bytes = {};

	(void)state;

	/* The second directory record has no signature. */
	zip_archive(&bytes, two, 2, (struct zip_options){});
	bytes.items[102 + 55] = 'X';

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->archives.items[0].problems,
			 ARCHIVE_PROBLEM_DIRECTORY_CUT | ARCHIVE_PROBLEM_COUNT_DIFFERS);
	assert_int_equal(index->entries.count, 1);

	struct parts parts = look_up(index, 39, 60);

	assert_int_equal(parts.count, 2);
	assert_part(index, &parts.items[1], ARCHIVE_PART_GAP, 44, 55, 0, NULL);
	archive_index_free(index);

	/* The second entry's local header has none; then its offset lies in the directory. */
	bytes.items[102 + 55] = 'P';
	bytes.items[44] = 'X';
	for (int i = 0; i < 2; i++) {
		index = must_read(&bytes);
		assert_int_equal(index->archives.items[0].problems, ARCHIVE_PROBLEM_ENTRIES_DROPPED);
		assert_int_equal(index->archives.items[0].dropped_entry_count, 1);
		assert_int_equal(index->entries.count, 1);
		archive_index_free(index);
		bytes.items[44] = 'P';
		bytes.items[102 + 55 + 42] = 102;
	}

	/* A size that does not fit. */
	bytes.items[102 + 55 + 42] = 44;
	bytes.items[102 + 55 + 22] = 1;
	index = must_read(&bytes);
	assert_int_equal(index->archives.items[0].dropped_entry_count, 1);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_count_lies(void **state)
{
	(void)state;
	for (int is_zip64 = 0; is_zip64 < 2; is_zip64++) {
		struct bytes bytes = {};

		zip_archive(&bytes, two, 2, (struct zip_options){.count_error = 50000, .is_zip64 = is_zip64});

		struct archive_index *index = must_read(&bytes);

		assert_two(index, 0, ARCHIVE_PROBLEM_COUNT_DIFFERS);
		archive_index_free(index);
		bytes_done(&bytes);
	}
}

static void test_unordered_and_duplicate_entries(void **state)
{
	struct bytes bytes = {};
	const struct zip_item items[] = {{.name = "same", .data = "1", .data_bytes = 1},
					 {.name = "same", .data = "22", .data_bytes = 2}};

	(void)state;
	zip_local(&bytes, &items[0]); /* 0, data at 34 */
	zip_local(&bytes, &items[1]); /* 35, data at 69, ends at 71 */
	zip_record(&bytes, &items[1], 35);
	zip_record(&bytes, &items[0], 0);
	bytes_add(&bytes, "PK\5\6\0\0\0\0\2\0\2\0\144\0\0\0\107\0\0\0\0\0", 22);

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->archives.items[0].problems, 0);
	assert_entry(index, 0, "same", 0, 34, 1, 1);
	assert_entry(index, 1, "same", 35, 69, 2, 2);
	archive_index_free(index);
	bytes_done(&bytes);
}

static void test_names_with_a_meaning(void **state)
{
	static const struct {
		const char *name;
		bool is_signed, is_multi_release;
	} names[] = {
		{"META-INF/KEY.SF", true, false},
		{"meta-inf/key.rsa", true, false},
		{"META-INF/KEY.DSA", true, false},
		{"META-INF/KEY.EC", true, false},
		{"META-INF/sub/KEY.RSA", false, false},
		{"x/META-INF/KEY.RSA", false, false},
		{"META-INF/MANIFEST.MF", false, false},
		{"META-INF/", false, false},
		{"META-INF/versions/9/A.class", false, true},
		{"META-INF/versions/21/", false, true},
		{"META-INF/versions/9", false, false},
		{"META-INF/versions/x/A.class", false, false},
		{"META-INF/versions//A.class", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes bytes = {};

		zip_archive(&bytes, &(struct zip_item){.name = names[i].name, .flags = 1 << 11}, 1,
			    (struct zip_options){});

		struct archive_index *index = must_read(&bytes);

		assert_int_equal(index->archives.items[0].is_signed, names[i].is_signed);
		assert_int_equal(index->archives.items[0].is_multi_release, names[i].is_multi_release);
		assert_int_equal(index->entries.items[0].flags, ARCHIVE_ENTRY_UTF8);
		archive_index_free(index);
		bytes_done(&bytes);
	}
}

/* "two" in an archive in an archive:
 * outer 0 header 30 | 30 "lib/m.jar" 9 | 39 { inner 0 header 30 | 30 "n.zip" 5 | 35 { two, 230 } | 265 directory 51 |
 * 316 end 22 | 338 } 377 directory 55 | 432 end 22 | 454. So "two" begins at 39 + 35 = 74. */
static void test_nested(void **state)
{
	struct bytes innermost = {}, inner = {}, outer = {};

	(void)state;
	zip_archive(&innermost, two, 2, (struct zip_options){});
	zip_archive(&inner,
		    &(struct zip_item){.name = "n.zip", .data = innermost.items, .data_bytes = innermost.count}, 1,
		    (struct zip_options){});
	zip_archive(&outer, &(struct zip_item){.name = "lib/m.jar", .data = inner.items, .data_bytes = inner.count},
		    1, (struct zip_options){});
	assert_int_equal(outer.count, 454);

	struct archive_index *index = must_read(&outer);

	assert_int_equal(index->archives.count, 3);
	assert_int_equal(index->archives.items[2].parent, 1);
	assert_int_equal(index->archives.items[2].depth, 2);
	assert_int_equal(index->archives.items[2].offset, 74);
	assert_int_equal(index->archives.items[2].length_bytes, 230);
	assert_int_equal(index->archives.items[2].directory_offset, 74 + 102);
	assert_string_equal(archive_entry_name(index, &index->entries.items[index->archives.items[2].parent_entry]),
			    "n.zip");
	assert_int_equal(index->entries.count, 4);
	assert_entry(index, 2, "a/B.class", 74, 74 + 39, 5, 5);
	assert_entry(index, 3, "c.txt", 74 + 44, 74 + 83, 3, 77);

	struct parts parts = look_up(index, 60, 394);

	assert_part(index, &parts.items[0], ARCHIVE_PART_HEADER, 60, 9, 1, "n.zip");
	assert_part(index, &parts.items[1], ARCHIVE_PART_NAME, 69, 5, 1, "n.zip");
	assert_part(index, &parts.items[2], ARCHIVE_PART_HEADER, 74, 30, 2, "a/B.class");
	assert_part(index, &parts.items[11], ARCHIVE_PART_END, 282, 22, 2, NULL);
	assert_part(index, &parts.items[12], ARCHIVE_PART_DIRECTORY, 304, 51, 1, NULL);
	assert_part(index, &parts.items[13], ARCHIVE_PART_END, 355, 22, 1, NULL);
	assert_part(index, &parts.items[14], ARCHIVE_PART_DIRECTORY, 377, 55, 0, NULL);
	assert_part(index, &parts.items[15], ARCHIVE_PART_END, 432, 22, 0, NULL);
	assert_int_equal(parts.count, 16);
	archive_index_free(index);

	/* Deflated, encrypted, or of another size in the directory: what lies there is not the archive. */
	const struct zip_item others[] = {
		{.name = "m.jar", .data = inner.items, .data_bytes = inner.count, .method = 8},
		{.name = "m.jar", .data = inner.items, .data_bytes = inner.count, .flags = 1},
		{.name = "m.txt", .data = inner.items, .data_bytes = inner.count},
		{.name = "m.jar", .data = inner.items, .data_bytes = inner.count, .uncompressed_bytes = 5}};

	outer.count = 0;
	zip_archive(&outer, others, 4, (struct zip_options){});
	index = must_read(&outer);
	assert_int_equal(index->archives.count, 1);
	assert_int_equal(index->archives.items[0].problems, 0);
	archive_index_free(index);
	bytes_done(&outer);
	bytes_done(&inner);
	bytes_done(&innermost);
}

static void test_nested_too_deep(void **state)
{
	struct bytes bytes = {};

	(void)state;
	zip_archive(&bytes, two, 2, (struct zip_options){});
	for (int depth = 0; depth < 11; depth++) {
		struct bytes outer = {};

		zip_archive(&outer,
			    &(struct zip_item){.name = "x.jar", .data = bytes.items, .data_bytes = bytes.count}, 1,
			    (struct zip_options){});
		bytes_done(&bytes);
		bytes = outer;
	}

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->archives.count, ARCHIVE_DEPTH_MAX + 1);
	assert_int_equal(index->archives.items[ARCHIVE_DEPTH_MAX].problems, ARCHIVE_PROBLEM_TOO_DEEP);
	look_up(index, 0, bytes.count);
	archive_index_free(index);
	bytes_done(&bytes);
}

/* 2,000 directory records for one local header whose data is an archive of 2,000 entries: read at its word, the file
 * of 330 kB would have 4 million entries. */
static void test_overlapping_archives(void **state)
{
	enum { COUNT = 2000 };
	struct bytes inner = {}, bytes = {};
	struct zip_item *items = calloc(COUNT, sizeof(*items));

	(void)state;
	for (int i = 0; i < COUNT; i++)
		items[i] = (struct zip_item){.name = "e"};
	zip_archive(&inner, items, COUNT, (struct zip_options){});

	const struct zip_item holder = {.name = "x.jar", .data = inner.items, .data_bytes = inner.count};

	zip_local(&bytes, &holder);

	const size_t directory = bytes.count;

	for (int i = 0; i < COUNT; i++)
		zip_record(&bytes, &holder, 0);

	const size_t directory_bytes = bytes.count - directory;

	bytes_add(&bytes, "PK\5\6\0\0\0\0", 8);
	bytes_number(&bytes, COUNT, 2);
	bytes_number(&bytes, COUNT, 2);
	bytes_number(&bytes, directory_bytes, 4);
	bytes_number(&bytes, directory, 4);
	bytes_number(&bytes, 0, 2);

	struct archive_index *index = must_read(&bytes);

	assert_int_equal(index->archives.count, 1);
	assert_int_equal(index->entries.count, COUNT);
	assert_int_equal(index->archives.items[0].problems, ARCHIVE_PROBLEM_OVERLAP);
	assert_true(index->entries.items[COUNT - 1].flags & ARCHIVE_ENTRY_OVERLAPS);
	look_up(index, 0, bytes.count);
	archive_index_free(index);
	free(items);
	bytes_done(&inner);
	bytes_done(&bytes);
}

/* What stands between the directory and the end record is a gap, whatever it is. */
static void test_gap_before_end(void **state)
{
	struct bytes bytes = {}, spread = {};

	(void)state;
	zip_archive(&bytes, two, 2, (struct zip_options){});
	bytes_add(&spread, bytes.items, 208);
	bytes_zeros(&spread, 11);
	bytes_add(&spread, bytes.items + 208, 22);

	struct archive_index *index = must_read(&spread);

	assert_two(index, 0, 0);

	struct parts parts = look_up(index, 207, 14);

	assert_part(index, &parts.items[0], ARCHIVE_PART_DIRECTORY, 207, 1, 0, NULL);
	assert_part(index, &parts.items[1], ARCHIVE_PART_GAP, 208, 11, 0, NULL);
	assert_part(index, &parts.items[2], ARCHIVE_PART_END, 219, 2, 0, NULL);
	archive_index_free(index);
	bytes_done(&spread);
	bytes_done(&bytes);
}

/* An archive with a nested one, for the tests that damage it everywhere. */
static void make_sample(struct bytes *bytes)
{
	struct bytes inner = {};

	zip_archive(&inner, two, 2, (struct zip_options){.is_zip64 = true});
	zip_archive(bytes,
		    (struct zip_item[]){two[0],
					{.name = "l/i.jar", .data = inner.items, .data_bytes = inner.count},
					two[1],
					{.name = "z", .data = "zz", .data_bytes = 2, .is_zip64 = true}},
		    4, (struct zip_options){.is_zip64 = true, .comment = "comment", .comment_bytes = 7});
	bytes_done(&inner);
}

static void check_any(const struct bytes *bytes)
{
	struct memory memory = {.bytes = bytes->items};
	struct archive_source source = {memory_read_at, &memory, bytes->count};
	struct archive_index *index = NULL;
	struct err *err = archive_read(&source, &index);

	assert_true((err == NULL) != (index == NULL));
	if (index)
		look_up(index, 0, bytes->count);
	err_free(err);
	archive_index_free(index);
}

static void test_every_truncation_and_change(void **state)
{
	struct bytes bytes = {};

	(void)state;
	make_sample(&bytes);
	for (size_t length = 0; length < bytes.count; length++) {
		/* A copy of just this length, so that the sanitizer sees a read beyond it. */
		struct bytes cut = {.items = malloc(length + !length), .count = length};

		memcpy(cut.items, bytes.items, length);
		check_any(&cut);
		bytes_done(&cut);
	}
	for (size_t at = 0; at < bytes.count; at++) {
		static const uint8_t changes[] = {0xff, 0x01, 0x80};

		for (size_t i = 0; i < sizeof(changes); i++) {
			bytes.items[at] ^= changes[i];
			check_any(&bytes);
			bytes.items[at] ^= changes[i];
		}
	}
	bytes_done(&bytes);
}

static void test_failing_reads(void **state)
{
	struct bytes bytes = {};
	int failures = 0, problems = 0;

	(void)state;
	make_sample(&bytes);
	for (int reads = 1; reads < 40; reads++) {
		struct memory memory = {.bytes = bytes.items, .reads_until_failure = reads};
		struct archive_source source = {memory_read_at, &memory, bytes.count};
		struct archive_index *index = NULL;
		struct err *err = zip_read(&source, &index);

		failures += err != NULL;
		for (size_t i = 0; index && i < index->archives.count; i++)
			problems += index->archives.items[i].problems != 0;
		err_free(err);
		archive_index_free(index);
	}
	assert_true(failures > 0 && problems > 0);
	bytes_done(&bytes);
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time, since the machine may be busy otherwise; sanitizers multiply it. */
#ifdef __SANITIZE_ADDRESS__
static const double indexing_seconds = 1.0;
#else
static const double indexing_seconds = 0.2;
#endif

/* 100,000 entries with data: only the directory, the end and such headers as must be are read, in a fifth of a second. */
static void test_no_data_is_read(void **state)
{
	enum { COUNT = 100000 };
	struct zip_item *items = calloc(COUNT, sizeof(*items));
	char(*names)[16] = calloc(COUNT, sizeof(*names));
	static const char data[300];

	(void)state;
	for (int has_descriptors = 0; has_descriptors < 2; has_descriptors++) {
		struct bytes bytes = {};

		for (int i = 0; i < COUNT; i++) {
			snprintf(names[i], sizeof(names[i]), "p/Class%08d", i);
			items[i] = (struct zip_item){.name = names[i],
						     .data = data,
						     .data_bytes = sizeof(data),
						     .flags = has_descriptors ? 8 : 0};
		}
		zip_archive(&bytes, items, COUNT, (struct zip_options){.is_zip64 = true});

		struct memory memory = {.bytes = bytes.items};
		struct archive_source source = {memory_read_at, &memory, bytes.count};
		struct archive_index *index = NULL;

		double began = cpu_seconds(), took;

		assert_null(zip_read(&source, &index));
		took = cpu_seconds() - began;
		print_message("100,000 entries %s descriptors: %.3f s\n", has_descriptors ? "with" : "without", took);
		assert_true(took < indexing_seconds);
		assert_int_equal(index->entries.count, COUNT);
		assert_entry(index, COUNT - 1, "p/Class00099999", (COUNT - 1) * (has_descriptors ? 361ull : 345ull),
			     (COUNT - 1) * (has_descriptors ? 361ull : 345ull) + 45, 300, 300);

		/* Directory 61 bytes an entry in 256 KiB reads; the end; a local header of 30 bytes where it is
		 * needed. */
		assert_in_range(memory.read_bytes, 61 * COUNT,
				61 * COUNT + 2048 + (has_descriptors ? 30 * COUNT : 0));
		assert_in_range(memory.reads, 20, 40 + (has_descriptors ? COUNT : 0));
		archive_index_free(index);
		bytes_done(&bytes);
	}
	free(names);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_entries),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_zip64),
		cmocka_unit_test(test_comment_that_looks_like_an_end),
		cmocka_unit_test(test_not_an_archive),
		cmocka_unit_test(test_damage_leaves_the_rest),
		cmocka_unit_test(test_count_lies),
		cmocka_unit_test(test_unordered_and_duplicate_entries),
		cmocka_unit_test(test_names_with_a_meaning),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_nested_too_deep),
		cmocka_unit_test(test_overlapping_archives),
		cmocka_unit_test(test_gap_before_end),
		cmocka_unit_test(test_every_truncation_and_change),
		cmocka_unit_test(test_failing_reads),
		cmocka_unit_test(test_no_data_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
