/* From a file range to the parts it covers.
 *
 * Entries of an archive are in the order of their headers, so the one that a byte belongs to is the last that begins
 * at or before it; it reaches at most to where the next one or the directory begins. The walk goes from part to part
 * and steps into nested archives; an archive's parent has a smaller index and a depth below ARCHIVE_DEPTH_MAX, which
 * bounds the steps. */
#include "parse/archive.h"

#include "base/search.h"

struct lookup {
	const struct archive_index *index;
	archive_part_function *function;
	void *context;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void give(const struct lookup *lookup, uint64_t from, uint64_t to, enum archive_part_kind kind,
		 const struct archive *archive, const struct archive_entry *entry)
{
	const struct archive_index *index = lookup->index;

	lookup->function(
		lookup->context,
		&(struct archive_part){.offset = from,
				       .length_bytes = to - from,
				       .archive = (uint32_t)(archive - index->archives.items),
				       .entry = entry ? (uint32_t)(entry - index->entries.items) : ARCHIVE_NONE,
				       .kind = kind});
}

/* How many of the archive's entries begin at or before `at`. */
static uint32_t count_begun(const struct archive_index *index, const struct archive *archive, uint64_t at)
{
	const struct archive_entry *entries = index->entries.items + archive->first_entry;
	return first_where(archive->entry_count, i, entries[i].header_offset > at);
}

static void look_up_archive(const struct lookup *lookup, const struct archive *archive, uint64_t from, uint64_t to);

/* The parts of one entry in [from, to), which begins in it and does not reach beyond what is its own. */
static void look_up_entry(const struct lookup *lookup, const struct archive *archive,
			  const struct archive_entry *entry, uint64_t from, uint64_t to)
{
	const uint64_t name = entry->header_offset + ARCHIVE_LOCAL_HEADER_BYTES;
	const uint64_t data_end = entry->data_offset + entry->compressed_bytes;
	const struct {
		enum archive_part_kind kind;
		uint64_t end;
	} parts[] = {
		{ARCHIVE_PART_HEADER, smaller(name, entry->data_offset)},
		{ARCHIVE_PART_NAME, smaller(name + entry->name_bytes, entry->data_offset)},
		{ARCHIVE_PART_HEADER, entry->data_offset},
		{ARCHIVE_PART_DATA, data_end},
		{ARCHIVE_PART_GAP, UINT64_MAX},
	};

	for (size_t i = 0; from < to; i++) {
		uint64_t end = smaller(parts[i].end, to);

		if (from >= end)
			continue;
		if (parts[i].kind == ARCHIVE_PART_DATA && entry->nested != ARCHIVE_NONE)
			look_up_archive(lookup, &lookup->index->archives.items[entry->nested], from, end);
		else
			give(lookup, from, end, parts[i].kind, archive,
			     parts[i].kind == ARCHIVE_PART_GAP ? NULL : entry);
		from = end;
	}
}

static void look_up_archive(const struct lookup *lookup, const struct archive *archive, uint64_t from, uint64_t to)
{
	const struct archive_entry *entries = lookup->index->entries.items + archive->first_entry;
	const uint64_t directory_end = archive->directory_offset + archive->directory_bytes;
	uint32_t begun = count_begun(lookup->index, archive, from);

	while (from < to) {
		uint64_t end = to;

		while (begun < archive->entry_count && entries[begun].header_offset <= from)
			begun++;
		if (from >= archive->end_offset) {
			give(lookup, from, end, ARCHIVE_PART_END, archive, NULL);
		} else if (from >= archive->directory_offset && from < directory_end) {
			end = smaller(end, directory_end);
			give(lookup, from, end, ARCHIVE_PART_DIRECTORY, archive, NULL);
		} else {
			end = smaller(end, archive->end_offset);
			if (from < archive->directory_offset)
				end = smaller(end, archive->directory_offset);
			if (begun < archive->entry_count)
				end = smaller(end, entries[begun].header_offset);
			if (begun)
				look_up_entry(lookup, archive, &entries[begun - 1], from, end);
			else
				give(lookup, from, end,
				     from < archive->directory_offset ? ARCHIVE_PART_PREFIX : ARCHIVE_PART_GAP,
				     archive, NULL);
		}
		from = end;
	}
}

void archive_lookup(const struct archive_index *index, uint64_t offset, uint64_t length_bytes,
		    archive_part_function *function, void *context)
{
	const struct lookup lookup = {.index = index, .function = function, .context = context};

	if (offset >= index->source_bytes)
		return;
	look_up_archive(&lookup, index->archives.items, offset,
			offset + smaller(length_bytes, index->source_bytes - offset));
}
