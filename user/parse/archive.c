#include "parse/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/archive_build.h"
#include "parse/jimage.h"
#include "parse/zip.h"

static int descriptor_read_at(void *context, uint64_t offset, void *buffer, size_t length_bytes)
{
	for (char *at = buffer; length_bytes;) {
		ssize_t count = pread((int)(intptr_t)context, at, length_bytes, (off_t)offset);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			return -ENODATA;
		at += count;
		offset += (uint64_t)count;
		length_bytes -= (size_t)count;
	}
	return 0;
}

struct archive_source archive_source_descriptor(int descriptor, uint64_t size_bytes)
{
	return (struct archive_source){
		.read_at = descriptor_read_at, .context = (void *)(intptr_t)descriptor, .size_bytes = size_bytes};
}

int archive_source_read(const struct archive_source *source, uint64_t offset, void *buffer, size_t length_bytes)
{
	if (offset > source->size_bytes || length_bytes > source->size_bytes - offset)
		return -ENODATA;
	return length_bytes ? source->read_at(source->context, offset, buffer, length_bytes) : 0;
}

struct err *archive_read(const struct archive_source *source, struct archive_index **ret_index)
{
	return jimage_is(source) ? jimage_read(source, ret_index) : zip_read(source, ret_index);
}

struct archive_index *archive_index_new(uint64_t source_bytes)
{
	struct archive_index *index = calloc(1, sizeof(*index));

	if (!index)
		memory_exhausted();
	index->source_bytes = source_bytes;

	/* Never NULL: the place of an archive's first entry is then a valid pointer for an empty one too. */
	index->entries.items = vec_grow(NULL, &index->entries.capacity, 0, sizeof(index->entries.items[0]));
	return index;
}

void archive_index_free(struct archive_index *index)
{
	if (!index)
		return;
	vec_done(&index->archives);
	vec_done(&index->entries);
	vec_done(&index->names);
	free(index);
}

struct archive *archive_add(struct archive_index *index, const struct archive_entry *parent_entry)
{
	uint32_t parent = parent_entry ? parent_entry->archive : ARCHIVE_NONE;
	struct archive *archive = vec_push(&index->archives);

	archive->parent = parent;
	archive->parent_entry = parent_entry ? (uint32_t)(parent_entry - index->entries.items) : ARCHIVE_NONE;
	archive->depth = parent_entry ? index->archives.items[parent].depth + 1 : 0;
	archive->offset = parent_entry ? parent_entry->data_offset : 0;
	archive->length_bytes = parent_entry ? parent_entry->compressed_bytes : index->source_bytes;
	archive->first_entry = (uint32_t)index->entries.count;
	return archive;
}

bool archive_has_room(const struct archive_index *index, size_t name_bytes)
{
	return index->entries.count < ARCHIVE_NONE - 1 && index->names.count + name_bytes < UINT32_MAX;
}

char *archive_name_room(struct archive_index *index, size_t length_bytes)
{
	size_t wanted = index->names.count + length_bytes + 1;

	if (wanted > index->names.capacity)
		index->names.items = vec_grow(index->names.items, &index->names.capacity, wanted, 1);
	return index->names.items + index->names.count;
}

struct archive_entry *archive_add_entry(struct archive_index *index, uint16_t name_bytes)
{
	struct archive *archive = archive_last(index);
	struct archive_entry *entry = vec_push(&index->entries);

	entry->archive = (uint32_t)(archive - index->archives.items);
	entry->nested = ARCHIVE_NONE;
	entry->name_at = (uint32_t)index->names.count;
	entry->name_bytes = name_bytes;
	index->names.items[index->names.count + name_bytes] = '\0';
	index->names.count += (size_t)name_bytes + 1;
	archive->entry_count++;
	return entry;
}

/* A jimage's empty resources share the offset of the next one: they come first, so that the bytes there are the
 * other's. Names are appended in the order of the directory, so their place breaks the remaining ties. */
static int compare_entries(const void *left, const void *right)
{
	const struct archive_entry *a = left, *b = right;

	if (a->header_offset != b->header_offset)
		return a->header_offset < b->header_offset ? -1 : 1;
	if (a->compressed_bytes != b->compressed_bytes)
		return a->compressed_bytes < b->compressed_bytes ? -1 : 1;
	return (a->name_at > b->name_at) - (a->name_at < b->name_at);
}

void archive_sort_entries(struct archive_index *index)
{
	const struct archive *archive = archive_last(index);
	struct archive_entry *entries = index->entries.items + archive->first_entry;

	/* Nearly always they are in order: most tools write the directory in the order of the entries. */
	for (uint32_t i = 1; i < archive->entry_count; i++)
		if (compare_entries(&entries[i - 1], &entries[i]) > 0) {
			qsort(entries, archive->entry_count, sizeof(*entries), compare_entries);
			return;
		}
}

void archive_mark_overlaps(struct archive_index *index)
{
	struct archive *archive = archive_last(index);
	struct archive_entry *entries = index->entries.items + archive->first_entry;
	uint64_t covered_to = archive->offset;

	for (uint32_t i = 0; i < archive->entry_count; i++) {
		uint64_t end = entries[i].data_offset + entries[i].compressed_bytes;

		if (entries[i].header_offset < covered_to)
			entries[i].flags |= ARCHIVE_ENTRY_OVERLAPS;
		if (i + 1 < archive->entry_count && end > entries[i + 1].header_offset)
			entries[i].flags |= ARCHIVE_ENTRY_OVERLAPS;
		if (entries[i].flags & ARCHIVE_ENTRY_OVERLAPS)
			archive->problems |= ARCHIVE_PROBLEM_OVERLAP;
		if (end > covered_to)
			covered_to = end;
	}
}

const char *archive_entry_name(const struct archive_index *index, const struct archive_entry *entry)
{
	return index->names.items + entry->name_at;
}

const char *archive_problem_text(enum archive_problem problem)
{
	switch (problem) {
#define P(bit, NAME, text)                                                                                           \
	case ARCHIVE_PROBLEM_##NAME:                                                                                 \
		return text;
		ARCHIVE_PROBLEMS(P)
#undef P
	}
	return NULL;
}
