/* The packed form of an archive index: what an ARCHIVE record of a recording holds.
 *
 *     version (1 byte), source_bytes, archive count, entry count, bytes of all names with their NULs
 *     per archive:  [parent_entry - that of the archive before] (not for the first), kind, flags, problems,
 *                   directory_offset - offset, directory_bytes, end_offset - directory's end,
 *                   entry count, dropped_entry_count
 *     its entries:  tag, [gap], [extra], [method, flags], [uncompressed], compressed,
 *                   bytes shared with the start and with the end of the name before, count of those between, these
 *
 * Numbers are LEB128; signed ones zigzag. `gap` is the distance from the end of the entry before, `extra` that from
 * the end of the name to the data; both, and method and flags, are left out where they are the same as for the entry
 * before. An archive's range is its parent entry's data. In a jar of classes an entry takes about 20 bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "parse/archive_build.h"

enum {
	PACK_VERSION = 1,
	ENTRY_PACKED_BYTES_MIN = 5,

	/* A name can be almost all of the name before it, so few bytes could stand for very many. Such an index is
	 * packed without sharing, and unpacking refuses more. */
	NAMES_TO_PACKED_MAX = 16,
};

enum entry_tag {
	TAG_GAP = 1,
	TAG_EXTRA = 2,
	TAG_METHOD = 4,
	TAG_UNCOMPRESSED = 8, /* it is not compressed_bytes */
};

enum archive_flag {
	FLAG_ZIP64 = 1,
	FLAG_SIGNED = 2,
	FLAG_MULTI_RELEASE = 4,
};

/* What an entry is coded against: the one before it in its archive. */
struct neighbour {
	const char *name;
	size_t name_bytes;
	uint64_t end, gap, extra;
	uint8_t method, flags;
};

/* What is between header and data besides the name. A jimage has no local headers. */
static uint64_t overhead_of(const struct archive *archive, uint16_t name_bytes)
{
	return archive->kind == ARCHIVE_ZIP ? (uint64_t)ARCHIVE_LOCAL_HEADER_BYTES + name_bytes : 0;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t zagzig(uint64_t coded)
{
	return coded >> 1 ^ (coded & 1 ? UINT64_MAX : 0);
}

/* ---- packing ---- */

struct packer {
	VEC(uint8_t) bytes;
	bool is_sharing;
};

static void put_byte(struct packer *packer, uint8_t byte)
{
	if (packer->bytes.count == packer->bytes.capacity)
		packer->bytes.items = vec_grow(packer->bytes.items, &packer->bytes.capacity, packer->bytes.count, 1);
	packer->bytes.items[packer->bytes.count++] = byte;
}

static void put(struct packer *packer, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(packer, (uint8_t)(value | 0x80));
	put_byte(packer, (uint8_t)value);
}

static void pack_name(struct packer *packer, const struct neighbour *before, const char *name, size_t name_bytes)
{
	const size_t longest = !packer->is_sharing		 ? 0
			       : name_bytes < before->name_bytes ? name_bytes
								 : before->name_bytes;
	size_t start = 0, end = 0;

	while (start < longest && name[start] == before->name[start])
		start++;
	while (end < longest - start && name[name_bytes - 1 - end] == before->name[before->name_bytes - 1 - end])
		end++;
	put(packer, start);
	put(packer, end);
	put(packer, name_bytes - start - end);
	for (size_t i = start; i < name_bytes - end; i++)
		put_byte(packer, (uint8_t)name[i]);
}

static void pack_entry(struct packer *packer, const struct archive_index *index, const struct archive *archive,
		       const struct archive_entry *entry, struct neighbour *before)
{
	/* Whether it overlaps follows from the ranges; unpacking finds it out again. */
	const uint8_t flags = entry->flags & (uint8_t)~ARCHIVE_ENTRY_OVERLAPS;
	const struct neighbour now = {
		.name = archive_entry_name(index, entry),
		.name_bytes = entry->name_bytes,
		.end = entry->data_offset + entry->compressed_bytes,
		.gap = entry->header_offset - before->end,
		.extra = entry->data_offset - entry->header_offset - overhead_of(archive, entry->name_bytes),
		.method = entry->method,
		.flags = flags,
	};
	const bool is_new_method = now.method != before->method || now.flags != before->flags;

	put_byte(packer, (uint8_t)((now.gap != before->gap ? TAG_GAP : 0) |
				   (now.extra != before->extra ? TAG_EXTRA : 0) | (is_new_method ? TAG_METHOD : 0) |
				   (entry->uncompressed_bytes != entry->compressed_bytes ? TAG_UNCOMPRESSED : 0)));
	if (now.gap != before->gap)
		put(packer, zigzag(now.gap));
	if (now.extra != before->extra)
		put(packer, zigzag(now.extra));
	if (is_new_method) {
		put_byte(packer, now.method);
		put_byte(packer, now.flags);
	}
	if (entry->uncompressed_bytes != entry->compressed_bytes)
		put(packer, entry->uncompressed_bytes);
	put(packer, entry->compressed_bytes);
	pack_name(packer, before, now.name, now.name_bytes);
	*before = now;
}

static void pack_archive(struct packer *packer, const struct archive_index *index, const struct archive *archive)
{
	struct neighbour before = {.name = "", .end = archive->offset};

	if (archive->parent_entry != ARCHIVE_NONE)
		put(packer, archive->parent_entry -
				    (archive[-1].parent_entry == ARCHIVE_NONE ? 0 : archive[-1].parent_entry));
	put_byte(packer, (uint8_t)archive->kind);
	put_byte(packer, (uint8_t)((archive->is_zip64 ? FLAG_ZIP64 : 0) | (archive->is_signed ? FLAG_SIGNED : 0) |
				   (archive->is_multi_release ? FLAG_MULTI_RELEASE : 0)));
	put(packer, archive->problems);
	put(packer, archive->directory_offset - archive->offset);
	put(packer, archive->directory_bytes);
	put(packer, archive->end_offset - archive->directory_offset - archive->directory_bytes);
	put(packer, archive->entry_count);
	put(packer, archive->dropped_entry_count);
	for (uint32_t i = 0; i < archive->entry_count; i++)
		pack_entry(packer, index, archive, &index->entries.items[archive->first_entry + i], &before);
}

static void pack_index(struct packer *packer, const struct archive_index *index, uint64_t names_bytes)
{
	packer->bytes.count = 0;
	put_byte(packer, PACK_VERSION);
	put(packer, index->source_bytes);
	put(packer, index->archives.count);
	put(packer, index->entries.count);
	put(packer, names_bytes);
	for (size_t i = 0; i < index->archives.count; i++)
		pack_archive(packer, index, &index->archives.items[i]);
}

void archive_pack(const struct archive_index *index, uint8_t **ret_bytes, size_t *ret_length_bytes)
{
	struct packer packer = {.is_sharing = true};
	uint64_t names_bytes = 0;

	/* `names` may also hold those of entries that were dropped. */
	for (size_t i = 0; i < index->entries.count; i++)
		names_bytes += (uint64_t)index->entries.items[i].name_bytes + 1;
	pack_index(&packer, index, names_bytes);
	if (names_bytes / NAMES_TO_PACKED_MAX >= packer.bytes.count) {
		packer.is_sharing = false;
		pack_index(&packer, index, names_bytes);
	}
	*ret_bytes = packer.bytes.items;
	*ret_length_bytes = packer.bytes.count;
}

/* ---- unpacking ---- */

struct unpacker {
	const uint8_t *next, *end;
	struct archive_index *index;
	uint64_t archive_count, entry_count, names_bytes; /* as declared; what is added stays within */
};

static struct err *damaged(const char *what)
{
	return err_new(ERR_FAILED, "damaged archive table: %s", what);
}

static struct err *get_byte(struct unpacker *unpacker, uint8_t *ret_byte)
{
	if (unpacker->next == unpacker->end)
		return damaged("it ends early");
	*ret_byte = *unpacker->next++;
	return NULL;
}

static struct err *get(struct unpacker *unpacker, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte;

		TRY(get_byte(unpacker, &byte));
		if (shift == 63 && byte > 1)
			return damaged("number of more than 64 bits");
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	*ret_value = value;
	return NULL;
}

/* A number that must be at most `most`. */
static struct err *get_bounded(struct unpacker *unpacker, uint64_t most, const char *what, uint64_t *ret_value)
{
	TRY(get(unpacker, ret_value));
	return *ret_value > most ? damaged(what) : NULL;
}

/* Adds an entry with the name that comes next. */
static struct err *unpack_name(struct unpacker *unpacker, const struct neighbour *before,
			       struct archive_entry **ret_entry)
{
	struct archive_index *index = unpacker->index;
	uint64_t start, end, middle;

	TRY(get_bounded(unpacker, before->name_bytes, "name shares more than there is", &start));
	TRY(get_bounded(unpacker, before->name_bytes, "name shares more than there is", &end));
	TRY(get(unpacker, &middle));
	if (middle > (uint64_t)(unpacker->end - unpacker->next))
		return damaged("it ends in a name");

	const uint64_t total = start + middle + end;

	if (total > UINT16_MAX || index->names.count + total + 1 > unpacker->names_bytes ||
	    index->entries.count == unpacker->entry_count || !archive_has_room(index, total))
		return damaged("more or longer names than declared");

	/* Making room can move the name before: its place, not its address, is what stays. */
	const size_t before_at = before->name_bytes ? (size_t)(before->name - index->names.items) : 0;
	char *name = archive_name_room(index, total);
	const char *before_name = index->names.items + before_at;

	memcpy(name, before_name, start);
	memcpy(name + start, unpacker->next, middle);
	memcpy(name + start + middle, before_name + before->name_bytes - end, end);
	unpacker->next += middle;
	*ret_entry = archive_add_entry(index, (uint16_t)total);
	return NULL;
}

static struct err *unpack_entry(struct unpacker *unpacker, struct neighbour *before)
{
	struct archive_index *index = unpacker->index;
	struct neighbour now = {
		.gap = before->gap, .extra = before->extra, .method = before->method, .flags = before->flags};
	uint64_t compressed, uncompressed = 0;
	uint8_t tag;

	TRY(get_byte(unpacker, &tag));
	if (tag & TAG_GAP) {
		TRY(get(unpacker, &now.gap));
		now.gap = zagzig(now.gap);
	}
	if (tag & TAG_EXTRA) {
		TRY(get(unpacker, &now.extra));
		now.extra = zagzig(now.extra);
	}
	if (tag & TAG_METHOD) {
		TRY(get_byte(unpacker, &now.method));
		TRY(get_byte(unpacker, &now.flags));
	}
	if (tag & TAG_UNCOMPRESSED)
		TRY(get(unpacker, &uncompressed));
	TRY(get(unpacker, &compressed));

	struct archive_entry *entry;

	TRY(unpack_name(unpacker, before, &entry));

	const struct archive *archive = archive_last(index);
	const uint64_t archive_end = archive->offset + archive->length_bytes;
	const uint64_t previous = archive->entry_count > 1 ? entry[-1].header_offset : archive->offset;

	entry->header_offset = before->end + now.gap;
	entry->data_offset = entry->header_offset + overhead_of(archive, entry->name_bytes) + now.extra;
	entry->compressed_bytes = compressed;
	entry->uncompressed_bytes = tag & TAG_UNCOMPRESSED ? uncompressed : compressed;
	entry->method = now.method;
	entry->flags = now.flags & (uint8_t)~ARCHIVE_ENTRY_OVERLAPS;
	if (entry->header_offset < previous || entry->header_offset > entry->data_offset ||
	    entry->data_offset > archive_end || compressed > archive_end - entry->data_offset)
		return damaged("entry outside of its archive");
	now.name = archive_entry_name(index, entry);
	now.name_bytes = entry->name_bytes;
	now.end = entry->data_offset + compressed;
	*before = now;
	return NULL;
}

/* Adds the next archive, without its entries. */
static struct err *unpack_archive_head(struct unpacker *unpacker, uint64_t *ret_entry_count)
{
	struct archive_index *index = unpacker->index;
	struct archive_entry *parent_entry = NULL;
	uint64_t problems, directory, directory_bytes, gap, dropped;
	uint8_t kind, flags;

	if (index->archives.count) {
		const uint32_t before = archive_last(index)->parent_entry, base = before == ARCHIVE_NONE ? 0 : before;
		uint64_t distance;

		TRY(get(unpacker, &distance));
		if (base >= index->entries.count || distance >= index->entries.count - base)
			return damaged("archive in an entry that is not before it");
		parent_entry = &index->entries.items[base + distance];
		if (parent_entry->nested != ARCHIVE_NONE ||
		    index->archives.items[parent_entry->archive].depth == ARCHIVE_DEPTH_MAX)
			return damaged("archives nested wrongly");
		parent_entry->nested = (uint32_t)index->archives.count;
	}

	struct archive *archive = archive_add(index, parent_entry);

	TRY(get_byte(unpacker, &kind));
	TRY(get_byte(unpacker, &flags));
	TRY(get_bounded(unpacker, UINT32_MAX, "too many problems", &problems));
	TRY(get_bounded(unpacker, archive->length_bytes, "directory outside of its archive", &directory));
	TRY(get_bounded(unpacker, archive->length_bytes - directory, "directory too long", &directory_bytes));
	TRY(get_bounded(unpacker, archive->length_bytes - directory - directory_bytes, "end outside of its archive",
			&gap));
	TRY(get_bounded(unpacker, unpacker->entry_count - index->entries.count, "too many entries", ret_entry_count));
	TRY(get_bounded(unpacker, UINT32_MAX, "too many dropped entries", &dropped));
	if (kind != ARCHIVE_ZIP && kind != ARCHIVE_JIMAGE)
		return damaged("unknown kind of archive");
	archive->kind = kind;
	archive->is_zip64 = flags & FLAG_ZIP64;
	archive->is_signed = flags & FLAG_SIGNED;
	archive->is_multi_release = flags & FLAG_MULTI_RELEASE;
	archive->problems = (uint32_t)problems;
	archive->dropped_entry_count = (uint32_t)dropped;
	archive->directory_offset = archive->offset + directory;
	archive->directory_bytes = directory_bytes;
	archive->end_offset = archive->directory_offset + directory_bytes + gap;
	return NULL;
}

static struct err *unpack_head(struct unpacker *unpacker)
{
	const uint64_t length = (uint64_t)(unpacker->end - unpacker->next);
	uint8_t version;

	TRY(get_byte(unpacker, &version));
	if (version != PACK_VERSION)
		return err_new(ERR_FAILED, "archive table of unknown version %u", version);
	TRY(get_bounded(unpacker, INT64_MAX, "archive too long", &unpacker->index->source_bytes));
	TRY(get_bounded(unpacker, length, "too many archives", &unpacker->archive_count));
	TRY(get_bounded(unpacker, length / ENTRY_PACKED_BYTES_MIN, "too many entries", &unpacker->entry_count));
	TRY(get_bounded(unpacker, length * NAMES_TO_PACKED_MAX, "names too long", &unpacker->names_bytes));
	return unpacker->archive_count ? NULL : damaged("no archive");
}

struct err *archive_unpack(const void *bytes, size_t length_bytes, struct archive_index **ret_index)
{
	auto_done(archive_index_done) struct archive_index *index = archive_index_new(0);
	struct unpacker unpacker = {.next = bytes, .end = (const uint8_t *)bytes + length_bytes, .index = index};

	TRY(unpack_head(&unpacker));
	while (index->archives.count < unpacker.archive_count) {
		uint64_t entry_count;

		TRY(unpack_archive_head(&unpacker, &entry_count));

		struct neighbour before = {.name = "", .end = archive_last(index)->offset};

		while (entry_count--)
			TRY(unpack_entry(&unpacker, &before));
		archive_mark_overlaps(index);
	}
	if (unpacker.next != unpacker.end || index->entries.count != unpacker.entry_count)
		return damaged("more bytes or fewer entries than declared");
	*ret_index = take(&index);
	return NULL;
}
