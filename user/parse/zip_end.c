/* Finding a zip's directory from its end (APPNOTE 4.3.6 and 4.3.14 to 4.3.16):
 *
 *     ... | directory | [ZIP64 end record | ZIP64 locator] | end record | comment |
 *
 * The end record is searched backwards, because a comment of up to 65,535 bytes follows it and may hold anything,
 * also something that looks like an end record. A candidate counts when its directory is where it says. What stands
 * in front of an archive shifts all its offsets unless the tool that put it there corrected them; either way the
 * directory ends where the end records begin, which gives the shift. */
#include "parse/zip.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum {
	END_BYTES = 22,
	END64_BYTES = 56,
	LOCATOR_BYTES = 20,
	COMMENT_MAX = 65535,
	FIRST_WINDOW_BYTES = 1024, /* most archives have no comment: one short read then finds the end */

	/* Each one costs a few reads; a file made of nothing but signatures must not cost 16,000 of them. */
	CANDIDATES_MAX = 64,
};

static const uint8_t end_signature[4] = {'P', 'K', 5, 6};
static const uint8_t end64_signature[4] = {'P', 'K', 6, 6};
static const uint8_t locator_signature[4] = {'P', 'K', 6, 7};
static const uint8_t directory_signature[4] = {'P', 'K', 1, 2};

struct range {
	const struct archive_source *source;
	uint64_t offset, end;
};

static bool has_signature(const struct range *range, uint64_t at, const uint8_t signature[4])
{
	uint8_t bytes[4];

	return at >= range->offset && at < range->end && range->end - at >= sizeof(bytes) &&
	       archive_source_read(range->source, at, bytes, sizeof(bytes)) == 0 &&
	       memcmp(bytes, signature, sizeof(bytes)) == 0;
}

/* Reads the ZIP64 end record at `at` into `record` if it is one and ends where its locator begins. */
static bool read_end64(const struct range *range, uint64_t at, uint64_t locator, uint8_t record[END64_BYTES])
{
	if (at < range->offset || at > locator || locator - at < END64_BYTES ||
	    archive_source_read(range->source, at, record, END64_BYTES) != 0 ||
	    memcmp(record, end64_signature, sizeof(end64_signature)) != 0)
		return false;
	return zip_u64(record + 4) == locator - at - 12;
}

/* Finds the ZIP64 end record that belongs to an end record at `end`. The locator's offset is wrong by the length of a
 * prefix that was put in front later; then the record is the one right before the locator. */
static bool find_end64(const struct range *range, uint64_t end, uint64_t *ret_at, uint8_t record[END64_BYTES])
{
	uint8_t locator_bytes[LOCATOR_BYTES];

	if (end - range->offset < LOCATOR_BYTES + END64_BYTES)
		return false;

	uint64_t locator = end - LOCATOR_BYTES;

	if (archive_source_read(range->source, locator, locator_bytes, LOCATOR_BYTES) != 0 ||
	    memcmp(locator_bytes, locator_signature, sizeof(locator_signature)) != 0)
		return false;

	uint64_t said = zip_u64(locator_bytes + 8);

	if (said < range->end - range->offset && read_end64(range, range->offset + said, locator, record)) {
		*ret_at = range->offset + said;
		return true;
	}
	*ret_at = locator - END64_BYTES;
	return read_end64(range, *ret_at, locator, record);
}

/* Places the directory before `end->end_offset`; false where there is none. */
static bool place_directory(const struct range *range, uint64_t said_offset, struct zip_end *end)
{
	const uint64_t room = end->end_offset - range->offset;

	if (end->directory_bytes > room)
		return false;

	uint64_t adjacent = end->end_offset - end->directory_bytes;

	if (said_offset <= adjacent - range->offset) {
		end->directory_offset = adjacent;
		end->origin = adjacent - said_offset;
		if (end->directory_bytes == 0 ? end->entry_count == 0
					      : has_signature(range, adjacent, directory_signature))
			return true;
	}

	/* Something between directory and end record, such as a signature block of a tool of its own. */
	if (said_offset > room || end->directory_bytes > room - said_offset || end->directory_bytes == 0)
		return false;
	end->directory_offset = range->offset + said_offset;
	end->origin = range->offset;
	return has_signature(range, end->directory_offset, directory_signature);
}

/* Whether an end record stands at `at`; `record` are its bytes. */
static bool try_end(const struct range *range, uint64_t at, const uint8_t record[END_BYTES], struct zip_end *ret_end)
{
	const uint64_t comment_end = at + END_BYTES + zip_u16(record + 20);

	if (comment_end > range->end)
		return false;

	struct zip_end end = {.end_offset = at,
			      .directory_bytes = zip_u32(record + 12),
			      .entry_count = zip_u16(record + 10),
			      .trailing_bytes = range->end - comment_end};
	uint8_t record64[END64_BYTES];
	struct zip_end end64 = end;

	if (find_end64(range, at, &end64.end_offset, record64)) {
		end64.entry_count = zip_u64(record64 + 32);
		end64.directory_bytes = zip_u64(record64 + 40);
		end64.is_zip64 = true;
		if (place_directory(range, zip_u64(record64 + 48), &end64)) {
			*ret_end = end64;
			return true;
		}
	}
	if (!place_directory(range, zip_u32(record + 16), &end))
		return false;
	*ret_end = end;
	return true;
}

/* Tries every end record that begins in the last `window_bytes` of the range, the last one first. An empty directory
 * proves nothing, so such a record must end exactly with the range. */
static struct err *search_window(const struct range *range, uint64_t window_bytes, bool *ret_is_found,
				 struct zip_end *ret_end)
{
	const uint64_t window_offset = range->end - window_bytes;
	auto_free uint8_t *window = malloc(window_bytes);
	int candidates = 0;

	if (!window)
		memory_exhausted();

	int result = archive_source_read(range->source, window_offset, window, window_bytes);

	if (result < 0)
		return err_errno(ERR_FAILED, -result, "cannot read the end of the archive");
	*ret_is_found = false;
	for (uint64_t at = window_bytes - END_BYTES + 1; at-- > 0 && candidates < CANDIDATES_MAX;) {
		if (memcmp(window + at, end_signature, sizeof(end_signature)) != 0)
			continue;
		candidates++;
		if (!try_end(range, window_offset + at, window + at, ret_end) ||
		    (ret_end->directory_bytes == 0 && ret_end->trailing_bytes > 0))
			continue;
		*ret_is_found = true;
		return NULL;
	}
	return NULL;
}

struct err *zip_find_end(const struct archive_source *source, uint64_t offset, uint64_t length_bytes,
			 struct zip_end *ret_end)
{
	if (offset > source->size_bytes || length_bytes > source->size_bytes - offset)
		return err_new(ERR_FAILED, "archive reaches beyond the end of its file");
	if (length_bytes < END_BYTES)
		return err_new(ERR_FAILED, "too short for a zip archive: %llu bytes",
			       (unsigned long long)length_bytes);

	const struct range range = {.source = source, .offset = offset, .end = offset + length_bytes};
	const uint64_t windows[] = {FIRST_WINDOW_BYTES, END_BYTES + COMMENT_MAX};

	for (size_t i = 0; i < array_length(windows); i++) {
		bool is_found;

		TRY(search_window(&range, windows[i] < length_bytes ? windows[i] : length_bytes, &is_found, ret_end));
		if (is_found)
			return NULL;
		if (windows[i] >= length_bytes)
			break;
	}
	return err_new(ERR_FAILED, "not a zip archive: no end record with a directory");
}
