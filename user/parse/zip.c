#include "parse/zip.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "parse/archive_build.h"

enum {
	DIRECTORY_RECORD_BYTES = 46,
	RECORD_BYTES_MAX = DIRECTORY_RECORD_BYTES + 3 * 65535, /* with the longest name, extra field and comment */
	BUFFER_BYTES = 256 * 1024,
	EXTRA_ZIP64 = 1,
	FLAG_ENCRYPTED = 1 << 0,
	FLAG_DESCRIPTOR = 1 << 3,
	FLAG_UTF8 = 1 << 11,
};
_Static_assert(BUFFER_BYTES >= RECORD_BYTES_MAX, "a directory record fits the buffer");

static const uint8_t record_signature[4] = {'P', 'K', 1, 2};
static const uint8_t local_signature[4] = {'P', 'K', 3, 4};

struct zip_reader {
	const struct archive_source *source;
	struct archive_index *index;

	/* What remains of the directory that is being read: buffer[at .. filled), then the source from `next` on. */
	uint64_t next, end;
	size_t at, filled;
	uint8_t *buffer; /* BUFFER_BYTES */
};

/* Makes `wanted` bytes of the directory available at buffer[at]; false at its end or where it cannot be read. */
static bool directory_need(struct zip_reader *reader, size_t wanted)
{
	if (reader->filled - reader->at >= wanted)
		return true;
	memmove(reader->buffer, reader->buffer + reader->at, reader->filled - reader->at);
	reader->filled -= reader->at;
	reader->at = 0;

	size_t count = BUFFER_BYTES - reader->filled;

	if (count > reader->end - reader->next)
		count = (size_t)(reader->end - reader->next);
	if (reader->filled + count < wanted ||
	    archive_source_read(reader->source, reader->next, reader->buffer + reader->filled, count) < 0)
		return false;
	reader->filled += count;
	reader->next += count;
	return true;
}

/* Makes the next record of the directory available at buffer[at]: its length, or 0 where there is none. */
static size_t directory_record_bytes(struct zip_reader *reader)
{
	if (!directory_need(reader, DIRECTORY_RECORD_BYTES))
		return 0;

	const uint8_t *record = reader->buffer + reader->at;
	size_t bytes =
		(size_t)DIRECTORY_RECORD_BYTES + zip_u16(record + 28) + zip_u16(record + 30) + zip_u16(record + 32);

	if (memcmp(record, record_signature, sizeof(record_signature)) != 0 || !directory_need(reader, bytes))
		return 0;
	return bytes;
}

static bool starts_with_folder(const char *name, size_t length, const char *folder)
{
	return length > strlen(folder) && strncasecmp(name, folder, strlen(folder)) == 0;
}

static bool ends_with(const char *name, size_t length, const char *ending)
{
	return length >= strlen(ending) && strncasecmp(name + length - strlen(ending), ending, strlen(ending)) == 0;
}

/* META-INF/versions/N/..., as the JDK's ZipFile looks for it (case does not count). */
static bool is_version_name(const char *name, size_t length)
{
	static const char folder[] = "META-INF/versions/";

	if (!starts_with_folder(name, length, folder))
		return false;

	size_t digits = 0, at = sizeof(folder) - 1;

	for (; at < length && name[at] >= '0' && name[at] <= '9'; at++)
		digits++;
	return digits > 0 && at < length && name[at] == '/';
}

/* A signature file or block directly in META-INF: one is enough for the JDK's JarFile to prepare for verifying. */
static bool is_signature_name(const char *name, size_t length)
{
	static const char folder[] = "META-INF/";
	static const char *const endings[] = {".SF", ".RSA", ".DSA", ".EC"};

	if (!starts_with_folder(name, length, folder) ||
	    memchr(name + sizeof(folder) - 1, '/', length - sizeof(folder) + 1))
		return false;
	for (size_t i = 0; i < array_length(endings); i++)
		if (ends_with(name, length, endings[i]))
			return true;
	return false;
}

static bool is_archive_name(const char *name, size_t length)
{
	static const char *const endings[] = {".jar",  ".war", ".ear", ".rar", ".zip",
					      ".jmod", ".aar", ".whl", ".pyz"};

	for (size_t i = 0; i < array_length(endings); i++)
		if (ends_with(name, length, endings[i]))
			return true;
	return false;
}

/* Puts the 64-bit values in place of those that did not fit (APPNOTE 4.5.3: only these, in this order). */
static void apply_zip64(const uint8_t *extra, size_t extra_bytes, uint64_t *values[3])
{
	while (extra_bytes >= 4) {
		size_t size = zip_u16(extra + 2);
		const uint8_t *at = extra + 4;

		if (size > extra_bytes - 4)
			return;
		if (zip_u16(extra) == EXTRA_ZIP64) {
			for (int i = 0; i < 3; i++) {
				if (*values[i] != UINT32_MAX)
					continue;
				if (extra + 4 + size < at + 8)
					return;
				*values[i] = zip_u64(at);
				at += 8;
			}
			return;
		}
		extra += 4 + size;
		extra_bytes -= 4 + size;
	}
}

/* Adds the entry of one directory record, or counts it as dropped. data_offset is not known yet. */
static void add_record(struct zip_reader *reader, const uint8_t *record, uint64_t origin)
{
	struct archive *archive = archive_last(reader->index);
	const uint16_t name_bytes = zip_u16(record + 28), flags = zip_u16(record + 8), method = zip_u16(record + 10);
	const char *name = (const char *)record + DIRECTORY_RECORD_BYTES;
	uint64_t compressed = zip_u32(record + 20), uncompressed = zip_u32(record + 24),
		 header = zip_u32(record + 42);

	apply_zip64(record + DIRECTORY_RECORD_BYTES + name_bytes, zip_u16(record + 30),
		    (uint64_t *[3]){&uncompressed, &compressed, &header});
	archive->is_signed |= is_signature_name(name, name_bytes);
	archive->is_multi_release |= is_version_name(name, name_bytes);

	/* All of it must lie before the directory, since that is where its header and data are. */
	const uint64_t room = archive->directory_offset - origin;

	if (header > room || compressed > room - header ||
	    room - header - compressed < (uint64_t)ARCHIVE_LOCAL_HEADER_BYTES + name_bytes) {
		archive->dropped_entry_count++;
		return;
	}
	memcpy(archive_name_room(reader->index, name_bytes), name, name_bytes);

	struct archive_entry *entry = archive_add_entry(reader->index, name_bytes);

	entry->header_offset = origin + header;
	entry->compressed_bytes = compressed;
	entry->uncompressed_bytes = uncompressed;
	entry->method = method < ARCHIVE_METHOD_JIMAGE ? (uint8_t)method : ARCHIVE_METHOD_OTHER;
	entry->flags = (uint8_t)((flags & FLAG_UTF8 ? ARCHIVE_ENTRY_UTF8 : 0) |
				 (flags & FLAG_ENCRYPTED ? ARCHIVE_ENTRY_ENCRYPTED : 0) |
				 (flags & FLAG_DESCRIPTOR ? ARCHIVE_ENTRY_DESCRIPTOR : 0));
}

static void read_directory(struct zip_reader *reader, const struct zip_end *end)
{
	uint64_t record_count = 0;

	reader->next = end->directory_offset;
	reader->end = end->directory_offset + end->directory_bytes;
	reader->at = reader->filled = 0;
	while (reader->next < reader->end || reader->at < reader->filled) {
		size_t record_bytes = directory_record_bytes(reader);

		if (!record_bytes || !archive_has_room(reader->index, UINT16_MAX)) {
			archive_last(reader->index)->problems |= ARCHIVE_PROBLEM_DIRECTORY_CUT;
			break;
		}
		add_record(reader, reader->buffer + reader->at, end->origin);
		reader->at += record_bytes;
		record_count++;
	}

	/* Tools without ZIP64 write the lowest 16 bits of a larger count, and readers accept it. */
	if ((end->is_zip64 ? record_count : (uint16_t)record_count) != end->entry_count)
		archive_last(reader->index)->problems |= ARCHIVE_PROBLEM_COUNT_DIFFERS;
}

/* Where the entry's data begins. Without a descriptor, an entry that fills the room up to the next header exactly has
 * no extra field there, and its header need not be read; for a jar of 100,000 entries that is most of the time. */
static bool place_data(struct zip_reader *reader, struct archive_entry *entry, uint64_t next)
{
	const struct archive *archive = archive_last(reader->index);
	uint64_t shortest = entry->header_offset + ARCHIVE_LOCAL_HEADER_BYTES + entry->name_bytes;
	uint8_t header[ARCHIVE_LOCAL_HEADER_BYTES];

	entry->data_offset = shortest;
	if (!(entry->flags & ARCHIVE_ENTRY_DESCRIPTOR) && shortest + entry->compressed_bytes == next)
		return true;
	if (archive_source_read(reader->source, entry->header_offset, header, sizeof(header)) < 0 ||
	    memcmp(header, local_signature, sizeof(local_signature)) != 0)
		return false;
	entry->data_offset =
		entry->header_offset + ARCHIVE_LOCAL_HEADER_BYTES + zip_u16(header + 26) + zip_u16(header + 28);
	return entry->data_offset <= archive->directory_offset &&
	       entry->compressed_bytes <= archive->directory_offset - entry->data_offset;
}

static void place_entries(struct zip_reader *reader)
{
	struct archive *archive = archive_last(reader->index);
	struct archive_entry *entries = reader->index->entries.items + archive->first_entry;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < archive->entry_count; i++) {
		uint64_t next =
			i + 1 < archive->entry_count ? entries[i + 1].header_offset : archive->directory_offset;

		if (place_data(reader, &entries[i], next))
			entries[kept++] = entries[i];
	}
	archive->dropped_entry_count += archive->entry_count - kept;
	reader->index->entries.count -= archive->entry_count - kept;
	archive->entry_count = kept;
	if (archive->dropped_entry_count)
		archive->problems |= ARCHIVE_PROBLEM_ENTRIES_DROPPED;
}

/* Reads the archive that is the whole source (parent_entry NULL) or an entry of it, and adds it to the index. */
static struct err *read_archive(struct zip_reader *reader, struct archive_entry *parent_entry)
{
	const uint64_t offset = parent_entry ? parent_entry->data_offset : 0;
	const uint64_t length = parent_entry ? parent_entry->compressed_bytes : reader->source->size_bytes;
	struct zip_end end;

	TRY(zip_find_end(reader->source, offset, length, &end));
	if (parent_entry)
		parent_entry->nested = (uint32_t)reader->index->archives.count;

	struct archive *archive = archive_add(reader->index, parent_entry);

	archive->kind = ARCHIVE_ZIP;
	archive->directory_offset = end.directory_offset;
	archive->directory_bytes = end.directory_bytes;
	archive->end_offset = end.end_offset;
	archive->is_zip64 = end.is_zip64;
	if (end.trailing_bytes)
		archive->problems |= ARCHIVE_PROBLEM_TRAILING_BYTES;
	read_directory(reader, &end);
	archive_sort_entries(reader->index);
	place_entries(reader);
	archive_mark_overlaps(reader->index);
	return NULL;
}

/* Reads the archives that are stored in archive `holder`. Only entries that share no byte with another one count:
 * then all directories together are no longer than the file, whatever it claims. */
static void read_nested(struct zip_reader *reader, uint32_t holder)
{
	struct archive_index *index = reader->index;
	const uint32_t first = index->archives.items[holder].first_entry,
		       count = index->archives.items[holder].entry_count;

	for (uint32_t i = first; i < first + count; i++) {
		const struct archive_entry *entry = &index->entries.items[i];

		if (entry->method != ARCHIVE_METHOD_STORED || entry->compressed_bytes != entry->uncompressed_bytes ||
		    entry->flags & (ARCHIVE_ENTRY_ENCRYPTED | ARCHIVE_ENTRY_OVERLAPS) ||
		    !is_archive_name(archive_entry_name(index, entry), entry->name_bytes))
			continue;
		if (index->archives.items[holder].depth == ARCHIVE_DEPTH_MAX) {
			index->archives.items[holder].problems |= ARCHIVE_PROBLEM_TOO_DEEP;
			return;
		}

		struct err *err = read_archive(reader, &index->entries.items[i]);

		if (err)
			index->archives.items[holder].problems |= ARCHIVE_PROBLEM_NESTED_UNREADABLE;
		err_free(err);
	}
}

struct err *zip_read(const struct archive_source *source, struct archive_index **ret_index)
{
	auto_done(archive_index_done) struct archive_index *index = archive_index_new(source->size_bytes);
	auto_free uint8_t *buffer = malloc(BUFFER_BYTES);
	struct zip_reader reader = {.source = source, .index = index, .buffer = buffer};

	if (!buffer)
		memory_exhausted();
	TRY(read_archive(&reader, NULL));
	for (uint32_t i = 0; i < index->archives.count; i++)
		read_nested(&reader, i);
	*ret_index = take(&index);
	return NULL;
}
