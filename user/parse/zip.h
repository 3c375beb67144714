/* The zip format and its children (jar, war, jmod, wheel, zipapp): from a file to an archive index.
 *
 * Known: end records with comment, ZIP64, bytes in front of the archive (offsets corrected for them or not), data
 * descriptors, local extra fields that differ from the directory's, duplicate names, and archives stored in an
 * archive. The directory is read in one pass and is the only source of names and sizes; an entry's local header is
 * read only where the place of the data does not follow from it. File data is never read. */
#pragma once

#include "parse/archive.h"

/* As archive_read. */
struct err *zip_read(const struct archive_source *source, struct archive_index **ret_index) must_check;

/* Where an archive in [offset, offset + length) of a source ends and keeps its directory, in the source's offsets. */
struct zip_end {
	uint64_t directory_offset, directory_bytes;
	uint64_t end_offset;	 /* of the first end record */
	uint64_t origin;	 /* what the archive's own offsets count from */
	uint64_t entry_count;	 /* as declared */
	uint64_t trailing_bytes; /* behind the comment */
	bool is_zip64;
};

struct err *zip_find_end(const struct archive_source *source, uint64_t offset, uint64_t length_bytes,
			 struct zip_end *ret_end) must_check;

/* Numbers in a zip are little-endian and not aligned. */
static inline uint16_t zip_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t zip_u32(const uint8_t *at)
{
	return zip_u16(at) | (uint32_t)zip_u16(at + 2) << 16;
}

static inline uint64_t zip_u64(const uint8_t *at)
{
	return zip_u32(at) | (uint64_t)zip_u32(at + 4) << 32;
}
