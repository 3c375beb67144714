#include "parse/jimage.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "parse/archive_build.h"

enum {
	HEADER_BYTES = 28,
	MAJOR_VERSION = 1,
	TABLES_BYTES_MAX = 256 * 1024 * 1024, /* the whole JDK 25 has 1.5 MB */
	NAME_BYTES_MAX = 65535,
	ATTRIBUTES_MAX = 32, /* of one location; eight kinds exist */

	/* Strings are shared between locations, so small tables can name endlessly much. In a JDK the names take
	 * together 1.3 times the tables. */
	NAMES_TO_TABLES_MAX = 16,
};

#define MAGIC 0xcafedadau

/* A location is a list of (kind << 3 | length - 1, value in `length` big-endian bytes), ended by kind 0. */
enum attribute {
	ATTRIBUTE_END,
	ATTRIBUTE_MODULE,
	ATTRIBUTE_PARENT,
	ATTRIBUTE_BASE,
	ATTRIBUTE_EXTENSION,
	ATTRIBUTE_OFFSET,
	ATTRIBUTE_COMPRESSED,
	ATTRIBUTE_UNCOMPRESSED,
	ATTRIBUTE_COUNT,
};

struct jimage_reader {
	bool is_swapped;
	uint64_t source_bytes;
	uint64_t tables_bytes; /* header and tables: where the resources begin */
	uint64_t names_budget; /* bytes of names that may still be looked at */
	uint32_t table_length, locations_bytes, strings_bytes;
	const uint8_t *offsets, *locations;
	const char *strings;
};

static uint32_t get_u32(const struct jimage_reader *reader, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return reader->is_swapped ? __builtin_bswap32(value) : value;
}

bool jimage_is(const struct archive_source *source)
{
	uint32_t magic;

	return archive_source_read(source, 0, &magic, sizeof(magic)) == 0 &&
	       (magic == MAGIC || magic == __builtin_bswap32(MAGIC));
}

static struct err *read_header(const struct archive_source *source, struct jimage_reader *reader)
{
	uint8_t header[HEADER_BYTES];
	uint32_t magic;
	int result = archive_source_read(source, 0, header, sizeof(header));

	if (result < 0)
		return err_errno(ERR_FAILED, -result, "cannot read the header of the modules file");
	memcpy(&magic, header, sizeof(magic));
	if (magic != MAGIC && magic != __builtin_bswap32(MAGIC))
		return err_new(ERR_FAILED, "not a modules file");
	reader->is_swapped = magic != MAGIC;

	uint32_t version = get_u32(reader, header + 4);

	if (version >> 16 != MAJOR_VERSION)
		return err_new(ERR_FAILED, "modules file of unknown version %u.%u", version >> 16, version & 0xffff);
	reader->source_bytes = source->size_bytes;
	reader->table_length = get_u32(reader, header + 16);
	reader->locations_bytes = get_u32(reader, header + 20);
	reader->strings_bytes = get_u32(reader, header + 24);
	reader->tables_bytes =
		HEADER_BYTES + 8 * (uint64_t)reader->table_length + reader->locations_bytes + reader->strings_bytes;
	if (reader->tables_bytes > source->size_bytes || reader->tables_bytes > TABLES_BYTES_MAX)
		return err_new(ERR_FAILED, "modules file with tables of %llu bytes in %llu bytes",
			       (unsigned long long)reader->tables_bytes, (unsigned long long)source->size_bytes);
	reader->names_budget = NAMES_TO_TABLES_MAX * reader->tables_bytes;
	return NULL;
}

/* Reads the attributes of the location at `at`; those it does not have are 0, which is the empty string. */
static bool read_location(const struct jimage_reader *reader, uint32_t at, uint64_t values[ATTRIBUTE_COUNT])
{
	memset(values, 0, ATTRIBUTE_COUNT * sizeof(values[0]));
	for (int count = 0; count < ATTRIBUTES_MAX && at < reader->locations_bytes; count++) {
		uint8_t kind = reader->locations[at] >> 3, length = (reader->locations[at] & 7) + 1;
		uint64_t value = 0;

		if (kind == ATTRIBUTE_END)
			return true;
		if (length >= reader->locations_bytes - at)
			return false;
		for (uint8_t i = 1; i <= length; i++)
			value = value << 8 | reader->locations[at + i];

		/* Kinds of a later minor version add to what a resource is, not to where it is. */
		if (kind < ATTRIBUTE_COUNT)
			values[kind] = value;
		at += length + 1u;
	}
	return false;
}

/* The name "module/parent/base.extension" into the index's name room. False where it is not valid, is too long, or
 * the budget is used up. */
static bool write_name(struct jimage_reader *reader, struct archive_index *index,
		       const uint64_t values[ATTRIBUTE_COUNT], uint16_t *ret_name_bytes)
{
	static const struct {
		enum attribute attribute;
		char before, after;
	} pieces[] = {{ATTRIBUTE_MODULE, 0, '/'},
		      {ATTRIBUTE_PARENT, 0, '/'},
		      {ATTRIBUTE_BASE, 0, 0},
		      {ATTRIBUTE_EXTENSION, '.', 0}};
	size_t lengths[array_length(pieces)], total = 0;

	for (size_t i = 0; i < array_length(pieces); i++) {
		uint64_t at = values[pieces[i].attribute];

		if (at >= reader->strings_bytes)
			return false;

		size_t room = reader->strings_bytes - at;

		if (room > NAME_BYTES_MAX)
			room = NAME_BYTES_MAX;
		lengths[i] = strnlen(reader->strings + at, room);
		total += lengths[i] + 1;
		reader->names_budget -= lengths[i] < reader->names_budget ? lengths[i] : reader->names_budget;
		if (lengths[i] == room)
			return false;
	}
	if (total > NAME_BYTES_MAX || reader->names_budget == 0 || !archive_has_room(index, total))
		return false;

	char *room = archive_name_room(index, total), *name = room;

	for (size_t i = 0; i < array_length(pieces); i++) {
		if (!lengths[i])
			continue;
		if (pieces[i].before)
			*name++ = pieces[i].before;
		memcpy(name, reader->strings + values[pieces[i].attribute], lengths[i]);
		name += lengths[i];
		if (pieces[i].after)
			*name++ = pieces[i].after;
	}
	*ret_name_bytes = (uint16_t)(name - room);
	return name > room;
}

/* Adds the resource of one slot of the offset table; false where it is not a valid one. */
static bool add_resource(struct jimage_reader *reader, struct archive_index *index, uint32_t location)
{
	uint64_t values[ATTRIBUTE_COUNT];
	uint16_t name_bytes;

	if (!read_location(reader, location, values))
		return false;

	const bool is_compressed = values[ATTRIBUTE_COMPRESSED] != 0;
	const uint64_t stored = values[is_compressed ? ATTRIBUTE_COMPRESSED : ATTRIBUTE_UNCOMPRESSED];
	const uint64_t room = reader->source_bytes - reader->tables_bytes;

	if (values[ATTRIBUTE_OFFSET] > room || stored > room - values[ATTRIBUTE_OFFSET] ||
	    !write_name(reader, index, values, &name_bytes))
		return false;

	struct archive_entry *entry = archive_add_entry(index, name_bytes);

	entry->data_offset = entry->header_offset = reader->tables_bytes + values[ATTRIBUTE_OFFSET];
	entry->compressed_bytes = stored;
	entry->uncompressed_bytes = values[ATTRIBUTE_UNCOMPRESSED];
	entry->method = is_compressed ? ARCHIVE_METHOD_JIMAGE : ARCHIVE_METHOD_STORED;
	entry->flags = ARCHIVE_ENTRY_UTF8;
	return true;
}

struct err *jimage_read(const struct archive_source *source, struct archive_index **ret_index)
{
	struct jimage_reader reader = {};

	TRY(read_header(source, &reader));

	auto_done(archive_index_done) struct archive_index *index = archive_index_new(source->size_bytes);
	auto_free uint8_t *tables = malloc(reader.tables_bytes);

	if (!tables)
		memory_exhausted();

	int result = archive_source_read(source, 0, tables, reader.tables_bytes);

	if (result < 0)
		return err_errno(ERR_FAILED, -result, "cannot read the tables of the modules file");
	reader.offsets = tables + HEADER_BYTES + 4 * (size_t)reader.table_length;
	reader.locations = reader.offsets + 4 * (size_t)reader.table_length;
	reader.strings = (const char *)reader.locations + reader.locations_bytes;

	struct archive *archive = archive_add(index, NULL);

	archive->kind = ARCHIVE_JIMAGE;
	archive->directory_bytes = reader.tables_bytes;
	archive->end_offset = source->size_bytes;
	for (uint32_t slot = 0; slot < reader.table_length; slot++) {
		if (reader.names_budget == 0) {
			archive->problems |= ARCHIVE_PROBLEM_DIRECTORY_CUT;
			break;
		}
		if (!add_resource(&reader, index, get_u32(&reader, reader.offsets + 4 * (size_t)slot)))
			archive->dropped_entry_count++;
	}
	if (archive->dropped_entry_count)
		archive->problems |= ARCHIVE_PROBLEM_ENTRIES_DROPPED;
	archive_sort_entries(index);
	archive_mark_overlaps(index);
	*ret_index = take(&index);
	return NULL;
}
