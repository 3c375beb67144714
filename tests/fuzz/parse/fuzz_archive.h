/* What must hold for any archive index, whatever bytes it was made from; a violation aborts. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "parse/archive.h"

#define MUST(condition)                                                                                              \
	do {                                                                                                         \
		if (!(condition))                                                                                    \
			abort();                                                                                     \
	} while (0)

static inline void fuzz_part(void *context, const struct archive_part *part)
{
	uint64_t *next = context;

	MUST(part->offset == *next && part->length_bytes > 0);
	*next += part->length_bytes;
}

static inline void fuzz_lookup(const struct archive_index *index, uint64_t offset, uint64_t length)
{
	uint64_t next = offset, room = offset < index->source_bytes ? index->source_bytes - offset : 0;

	archive_lookup(index, offset, length, fuzz_part, &next);
	MUST(next - offset == (length < room ? length : room));
}

static inline void fuzz_check(const struct archive_index *index)
{
	MUST(index->archives.count > 0);
	for (size_t i = 0; i < index->archives.count; i++) {
		const struct archive *archive = &index->archives.items[i];

		MUST(archive->first_entry + (uint64_t)archive->entry_count <= index->entries.count);
		MUST(archive->depth <= ARCHIVE_DEPTH_MAX);
		MUST((archive->parent == ARCHIVE_NONE) == (i == 0) && (i == 0 || archive->parent < i));
		MUST(i == 0 || index->entries.items[archive->parent_entry].nested == i);
		for (uint32_t k = 0; k < archive->entry_count; k++) {
			const struct archive_entry *entry = &index->entries.items[archive->first_entry + k];

			MUST(entry->archive == i && entry->header_offset <= entry->data_offset);
			MUST(k == 0 || entry[-1].header_offset <= entry->header_offset);
			MUST(entry->header_offset >= archive->offset);
			MUST(entry->data_offset + entry->compressed_bytes <= archive->offset + archive->length_bytes);
			MUST(archive_entry_name(index, entry)[entry->name_bytes] == '\0');
		}
	}
	fuzz_lookup(index, 0, UINT64_MAX);
	for (uint64_t step = 0; step < 64; step++)
		fuzz_lookup(index, index->source_bytes * step / 64, 1 + step * step);
}

/* Packs, unpacks and compares. */
static inline void fuzz_pack(const struct archive_index *index)
{
	struct archive_index *back = NULL;
	uint8_t *packed, *again;
	size_t length, again_length;

	archive_pack(index, &packed, &length);
	MUST(!archive_unpack(packed, length, &back));
	fuzz_check(back);
	MUST(back->entries.count == index->entries.count && back->archives.count == index->archives.count);
	for (size_t i = 0; i < index->entries.count; i++) {
		struct archive_entry left = index->entries.items[i], right = back->entries.items[i];

		MUST(memcmp(archive_entry_name(index, &left), archive_entry_name(back, &right),
			    left.name_bytes + 1u) == 0);
		left.name_at = right.name_at = 0;
		MUST(memcmp(&left, &right, sizeof(left)) == 0);
	}
	archive_pack(back, &again, &again_length);
	MUST(length == again_length && memcmp(packed, again, length) == 0);
	free(packed);
	free(again);
	archive_index_free(back);
}

struct fuzz_memory {
	const uint8_t *bytes;
	uint64_t read_bytes;
};

static inline int fuzz_read_at(void *context, uint64_t offset, void *buffer, size_t length_bytes)
{
	struct fuzz_memory *memory = context;

	memory->read_bytes += length_bytes;
	memcpy(buffer, memory->bytes + offset, length_bytes);
	return 0;
}
