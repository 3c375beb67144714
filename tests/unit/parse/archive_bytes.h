/* Archives made by hand for tests: a growing byte string, a zip writer that can lie, a source that reads memory. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/archive.h"

struct bytes {
	uint8_t *items;
	size_t count, capacity;
};

static inline void bytes_done(struct bytes *bytes)
{
	free(bytes->items);
	*bytes = (struct bytes){};
}

static inline void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (bytes->count + length > bytes->capacity)
		bytes->items = vec_grow(bytes->items, &bytes->capacity, bytes->count + length, 1);
	if (length)
		memcpy(bytes->items + bytes->count, data, length);
	bytes->count += length;
}

/* The `width` lowest bytes of the value, in little-endian order. */
static inline void bytes_number(struct bytes *bytes, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		bytes_add(bytes, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

static inline void bytes_zeros(struct bytes *bytes, size_t count)
{
	while (count--)
		bytes_add(bytes, "", 1);
}

struct zip_item {
	const char *name;
	const void *data;
	size_t data_bytes;
	uint16_t method, flags;
	uint16_t local_extra_bytes;  /* of zeros, in the local header alone */
	uint32_t uncompressed_bytes; /* 0: as many as data */
	bool is_zip64;		     /* sizes and offset in the directory's extra field */
};

struct zip_options {
	uint64_t shift; /* added to all offsets, as by a tool that corrects them for a prefix of this length */
	const char *comment;
	size_t comment_bytes;
	size_t end64_extra_bytes; /* beyond the ZIP64 end record's usual fields */
	bool is_zip64;
	int count_error; /* added to the declared count */
};

static inline void zip_local(struct bytes *out, const struct zip_item *item)
{
	const bool has_descriptor = item->flags & 8;

	bytes_add(out, "PK\3\4", 4);
	bytes_number(out, 20, 2);
	bytes_number(out, item->flags, 2);
	bytes_number(out, item->method, 2);
	bytes_zeros(out, 8);
	bytes_number(out, has_descriptor ? 0 : item->data_bytes, 4);
	bytes_number(out, has_descriptor ? 0 : item->uncompressed_bytes, 4);
	bytes_number(out, strlen(item->name), 2);
	bytes_number(out, item->local_extra_bytes, 2);
	bytes_add(out, item->name, strlen(item->name));
	bytes_zeros(out, item->local_extra_bytes);
	bytes_add(out, item->data, item->data_bytes);
	if (has_descriptor) {
		bytes_add(out, "PK\7\10", 4);
		bytes_zeros(out, 12);
	}
}

static inline void zip_record(struct bytes *out, const struct zip_item *item, uint64_t header)
{
	const size_t uncompressed = item->uncompressed_bytes ? item->uncompressed_bytes : item->data_bytes;

	bytes_add(out, "PK\1\2", 4);
	bytes_zeros(out, 4);
	bytes_number(out, item->flags, 2);
	bytes_number(out, item->method, 2);
	bytes_zeros(out, 8);
	bytes_number(out, item->is_zip64 ? UINT32_MAX : item->data_bytes, 4);
	bytes_number(out, item->is_zip64 ? UINT32_MAX : uncompressed, 4);
	bytes_number(out, strlen(item->name), 2);
	bytes_number(out, item->is_zip64 ? 33 : 0, 2);
	bytes_zeros(out, 10);
	bytes_number(out, item->is_zip64 ? UINT32_MAX : header, 4);
	bytes_add(out, item->name, strlen(item->name));
	if (item->is_zip64) {
		/* Another field first, as tools that keep times there do. */
		bytes_number(out, 0x5455, 2);
		bytes_number(out, 1, 2);
		bytes_zeros(out, 1);
		bytes_number(out, 1, 2);
		bytes_number(out, 24, 2);
		bytes_number(out, uncompressed, 8);
		bytes_number(out, item->data_bytes, 8);
		bytes_number(out, header, 8);
	}
}

static inline void zip_end64(struct bytes *out, size_t at, uint64_t count, uint64_t directory_bytes,
			     uint64_t directory, const struct zip_options *options)
{
	bytes_add(out, "PK\6\6", 4);
	bytes_number(out, 44 + options->end64_extra_bytes, 8);
	bytes_zeros(out, 12);
	bytes_number(out, count, 8);
	bytes_number(out, count, 8);
	bytes_number(out, directory_bytes, 8);
	bytes_number(out, directory, 8);
	bytes_zeros(out, options->end64_extra_bytes);
	bytes_add(out, "PK\6\7", 4);
	bytes_zeros(out, 4);
	bytes_number(out, at, 8);
	bytes_number(out, 1, 4);
}

/* Appends an archive whose offsets count from where it begins in `out`. */
static inline void zip_archive(struct bytes *out, const struct zip_item *items, size_t count,
			       struct zip_options options)
{
	const size_t start = out->count;
	uint64_t *headers = calloc(count + 1, sizeof(*headers));

	for (size_t i = 0; i < count; i++) {
		headers[i] = out->count - start + options.shift;
		zip_local(out, &items[i]);
	}

	const size_t directory = out->count;

	for (size_t i = 0; i < count; i++)
		zip_record(out, &items[i], headers[i]);
	free(headers);

	const size_t directory_bytes = out->count - directory;
	const uint64_t said = directory - start + options.shift, declared = count + (size_t)options.count_error;

	if (options.is_zip64)
		zip_end64(out, out->count - start + options.shift, declared, directory_bytes, said, &options);
	bytes_add(out, "PK\5\6", 4);
	bytes_zeros(out, 4);
	bytes_number(out, options.is_zip64 ? UINT16_MAX : declared, 2);
	bytes_number(out, options.is_zip64 ? UINT16_MAX : declared, 2);
	bytes_number(out, options.is_zip64 ? UINT32_MAX : directory_bytes, 4);
	bytes_number(out, options.is_zip64 ? UINT32_MAX : said, 4);
	bytes_number(out, options.comment_bytes, 2);
	bytes_add(out, options.comment, options.comment_bytes);
}

/* ---- reading ---- */

struct memory {
	const uint8_t *bytes;
	int reads_until_failure; /* 0: never fails */
	uint64_t reads, read_bytes;
};

static inline int memory_read_at(void *context, uint64_t offset, void *buffer, size_t length_bytes)
{
	struct memory *memory = context;

	if (memory->reads_until_failure && --memory->reads_until_failure == 0)
		return -EIO;
	memory->reads++;
	memory->read_bytes += length_bytes;
	memcpy(buffer, memory->bytes + offset, length_bytes);
	return 0;
}

static inline struct archive_index *must_read(const struct bytes *bytes)
{
	struct memory memory = {.bytes = bytes->items};
	struct archive_source source = {memory_read_at, &memory, bytes->count};
	struct archive_index *index = NULL;
	struct err *err = archive_read(&source, &index);

	if (err)
		fail_msg("%s", err->message);
	return index;
}

static inline bool is_refused(const struct bytes *bytes)
{
	struct memory memory = {.bytes = bytes->items};
	struct archive_source source = {memory_read_at, &memory, bytes->count};
	struct archive_index *index = NULL;
	struct err *err = archive_read(&source, &index);
	bool result = err != NULL;

	err_free(err);
	archive_index_free(index);
	return result;
}

/* ---- looking up ---- */

struct parts {
	struct archive_part items[64];
	size_t count;
	uint64_t next; /* where the next one must begin */
};

static inline void parts_add(void *context, const struct archive_part *part)
{
	struct parts *parts = context;

	assert_int_equal(part->offset, parts->next);
	assert_true(part->length_bytes > 0);
	parts->next += part->length_bytes;
	if (parts->count < 64)
		parts->items[parts->count++] = *part;
}

/* Looks up a range, and asserts that the parts cover what of it lies in the file exactly once. */
static inline struct parts look_up(const struct archive_index *index, uint64_t offset, uint64_t length)
{
	struct parts parts = {.next = offset};
	uint64_t end = offset >= index->source_bytes	       ? offset
		       : length > index->source_bytes - offset ? index->source_bytes
							       : offset + length;

	archive_lookup(index, offset, length, parts_add, &parts);
	assert_int_equal(parts.next, end);
	return parts;
}

static inline void assert_part(const struct archive_index *index, const struct archive_part *part,
			       enum archive_part_kind kind, uint64_t offset, uint64_t length, uint32_t archive,
			       const char *name)
{
	assert_int_equal(part->kind, kind);
	assert_int_equal(part->offset, offset);
	assert_int_equal(part->length_bytes, length);
	assert_int_equal(part->archive, archive);
	if (!name)
		assert_int_equal(part->entry, ARCHIVE_NONE);
	else
		assert_string_equal(archive_entry_name(index, &index->entries.items[part->entry]), name);
}

static inline void assert_entry(const struct archive_index *index, size_t i, const char *name, uint64_t header,
				uint64_t data, uint64_t compressed, uint64_t uncompressed)
{
	const struct archive_entry *entry = &index->entries.items[i];

	assert_string_equal(archive_entry_name(index, entry), name);
	assert_int_equal(entry->name_bytes, strlen(name));
	assert_int_equal(entry->header_offset, header);
	assert_int_equal(entry->data_offset, data);
	assert_int_equal(entry->compressed_bytes, compressed);
	assert_int_equal(entry->uncompressed_bytes, uncompressed);
}
