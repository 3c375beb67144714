/* Making an archive index: what the readers of zip and jimage and the unpacker share. Not for users of an index. */
#pragma once

#include "parse/archive.h"

struct archive_index *archive_index_new(uint64_t source_bytes);

/* Appends an archive that begins with no entry; valid until the next one is added. */
struct archive *archive_add(struct archive_index *index, const struct archive_entry *parent_entry);

/* Room for a name that is written in place; archive_add_entry takes it. Valid until either is called again. */
char *archive_name_room(struct archive_index *index, size_t length_bytes);

/* True while one more entry with such a name can be counted in 32 bits. */
bool archive_has_room(const struct archive_index *index, size_t name_bytes);

/* Appends an entry to the last archive. Its name are the `name_bytes` last written to archive_name_room. */
struct archive_entry *archive_add_entry(struct archive_index *index, uint16_t name_bytes);

/* Brings the last archive's entries into the order of their headers (equal ones keep theirs). */
void archive_sort_entries(struct archive_index *index);

/* Marks the entries of the last archive, in order already, that share bytes. */
void archive_mark_overlaps(struct archive_index *index);

static inline struct archive *archive_last(struct archive_index *index)
{
	return &index->archives.items[index->archives.count - 1];
}
