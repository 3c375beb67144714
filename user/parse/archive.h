/* Archives: which part of a jar, zip, jmod or JDK modules file lies at a file offset.
 *
 * An archive index is the table of one file: its entries and, at any depth, those of archives stored in it without
 * compression (a fat jar's libraries). Every offset is one of the outermost file, so that a read of that file
 * needs no other step to find the innermost entry:
 *
 *     outer jar  | prefix | header name data | header name [ data = a nested jar          ] | directory | end |
 *     nested jar |        |                  |             [ header name data directory end ]
 *
 * An index is made by archive_read (zip.h, jimage.h) from the file, or by archive_unpack from the packed form that a
 * recording holds. It owns all it names and refers to no file. Input is untrusted: damage gives an error, or an
 * index that covers less and says so (`problems`, `dropped_entry_count`); memory and time stay in proportion to the
 * size of the input.
 *
 * This module reads no file data and keeps no descriptor; what a manifest says is not looked at. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* How the bytes of a file are had, so that a file of gigabytes is never mapped or held. */
struct archive_source {
	/* Fills all of `buffer`: 0, or a negative errno (-ENODATA where the file has become shorter). */
	int (*read_at)(void *context, uint64_t offset, void *buffer, size_t length_bytes);
	void *context;
	uint64_t size_bytes;
};

/* A source that reads an open descriptor with pread; the descriptor stays the caller's and must outlive it. */
struct archive_source archive_source_descriptor(int descriptor, uint64_t size_bytes);

/* Reads a range that the source must hold whole: 0, or a negative errno (-ENODATA beyond the end). */
int archive_source_read(const struct archive_source *source, uint64_t offset, void *buffer, size_t length_bytes);

#define ARCHIVE_NONE UINT32_MAX

enum {
	ARCHIVE_DEPTH_MAX = 8,		 /* of nesting; deeper ones are plain entries */
	ARCHIVE_LOCAL_HEADER_BYTES = 30, /* of a zip's local header without its name and extra field */
};

enum archive_kind {
	ARCHIVE_ZIP = 1,
	ARCHIVE_JIMAGE = 2,
};

/* What is known to be missing from an index or odd in an archive: P(bit, NAME, text for a reader). */
#define ARCHIVE_PROBLEMS(P)                                                                                          \
	P(1, DIRECTORY_CUT, "its directory could not be read to the end")                                            \
	P(2, ENTRIES_DROPPED, "entries that lie outside of the file or have no valid header")                        \
	P(4, COUNT_DIFFERS, "its directory holds another number of entries than it declares")                        \
	P(8, OVERLAP, "entries overlap one another")                                                                 \
	P(16, NESTED_UNREADABLE, "an entry named like an archive could not be read as one")                          \
	P(32, TOO_DEEP, "archives are nested too deeply")                                                            \
	P(64, TRAILING_BYTES, "bytes follow its end")

enum archive_problem {
#define P(bit, NAME, text) ARCHIVE_PROBLEM_##NAME = bit,
	ARCHIVE_PROBLEMS(P)
#undef P
};

struct archive {
	uint32_t parent;       /* the archive that holds it, of a smaller index; ARCHIVE_NONE for the file itself */
	uint32_t parent_entry; /* the parent's entry that it is, and whose name it has; ARCHIVE_NONE likewise */
	uint32_t depth;	       /* 0 for the file itself */
	uint32_t first_entry, entry_count; /* its entries lie together, in the order of their header_offset */
	uint32_t dropped_entry_count;
	uint32_t problems; /* of enum archive_problem */
	enum archive_kind kind;
	uint64_t offset, length_bytes;		    /* its range in the outermost file */
	uint64_t directory_offset, directory_bytes; /* a zip's central directory, a jimage's header and tables */
	uint64_t end_offset;			    /* a zip's end records and all behind them, to its end */
	bool is_zip64;
	bool is_signed;	       /* by its names (META-INF/X.SF, .RSA, .DSA, .EC): the JDK prepares to verify it */
	bool is_multi_release; /* by its names (META-INF/versions/N/); the manifest, which decides, is not read */
};

enum archive_entry_flag {
	ARCHIVE_ENTRY_UTF8 = 1, /* the name is said to be UTF-8; without it a zip's names are of an unknown charset */
	ARCHIVE_ENTRY_ENCRYPTED = 2,
	ARCHIVE_ENTRY_DESCRIPTOR = 4, /* its local header lacks the sizes; they follow the data */
	ARCHIVE_ENTRY_OVERLAPS = 8,   /* its bytes are also another entry's: attribution is a guess */
};

enum archive_method {
	ARCHIVE_METHOD_STORED = 0,
	ARCHIVE_METHOD_DEFLATED = 8,
	ARCHIVE_METHOD_JIMAGE = 254, /* compressed by jlink, as the resource's own header says */
	ARCHIVE_METHOD_OTHER = 255,
};

struct archive_entry {
	uint64_t header_offset; /* of the local header; a jimage has none: there it is data_offset */
	uint64_t data_offset;
	uint64_t compressed_bytes; /* what the data takes in the file */
	uint64_t uncompressed_bytes;
	uint32_t archive;
	uint32_t nested;  /* the archive that it is, or ARCHIVE_NONE */
	uint32_t name_at; /* see archive_entry_name */
	uint16_t name_bytes;
	uint8_t method; /* zip's number where it is below 254, see enum archive_method */
	uint8_t flags;	/* of enum archive_entry_flag */
};

struct archive_index {
	uint64_t source_bytes;
	VEC(struct archive) archives; /* the file itself, then those nested in it, outer before inner; at least one */
	VEC(struct archive_entry) entries;
	VEC(char) names;
};

/* Indexes the file, as jimage or else as zip. On success the index is the caller's (archive_index_free). Fails where
 * no directory can be found; anything less is a problem that the index states. */
struct err *archive_read(const struct archive_source *source, struct archive_index **ret_index) must_check;

void archive_index_free(struct archive_index *index); /* accepts NULL */

static inline void archive_index_done(struct archive_index **index)
{
	archive_index_free(*index);
}

/* The entry's name as its archive spells it: raw bytes, which may be of any charset and hold NULs (name_bytes counts
 * them), with a NUL added. In a jimage "module/package/Name.class", as in a jrt:/ URL. Borrowed from the index. */
const char *archive_entry_name(const struct archive_index *index, const struct archive_entry *entry);

/* A clause for a reader, such as "its directory could not be read to the end"; NULL for a bit of no meaning. */
const char *archive_problem_text(enum archive_problem problem);

enum archive_part_kind {
	ARCHIVE_PART_PREFIX = 1, /* before the first entry: a start script, a jmod's own header */
	ARCHIVE_PART_HEADER,	 /* an entry's local header, extra field included */
	ARCHIVE_PART_NAME,	 /* the name in an entry's local header */
	ARCHIVE_PART_DATA,	 /* an entry's data */
	ARCHIVE_PART_DIRECTORY,
	ARCHIVE_PART_END, /* end records and comment */
	ARCHIVE_PART_GAP, /* none of these: descriptors, padding, entries that were dropped */
};

struct archive_part {
	uint64_t offset, length_bytes; /* in the outermost file */
	uint32_t archive;	       /* the innermost archive there */
	uint32_t entry;		       /* for header, name and data, else ARCHIVE_NONE */
	enum archive_part_kind kind;
};

typedef void archive_part_function(void *context, const struct archive_part *part);

/* Calls `function` for each part that [offset, offset + length_bytes) covers, in file order. The parts cover what the
 * range has in common with the file exactly once. Where entries overlap, bytes count for the one that begins last.
 * O(log entries + parts). */
void archive_lookup(const struct archive_index *index, uint64_t offset, uint64_t length_bytes,
		    archive_part_function *function, void *context);

/* The index as bytes for a recording: names coded against the name before, numbers short. archive_unpack gives an
 * equal index, apart from where names stand in `names`. The caller frees the bytes. */
void archive_pack(const struct archive_index *index, uint8_t **ret_bytes, size_t *ret_length_bytes);

/* Reverses archive_pack. The bytes are untrusted: what is returned keeps every promise of this header on ranges and
 * order, whatever they are; memory stays below 64 times `length_bytes`. */
struct err *archive_unpack(const void *bytes, size_t length_bytes, struct archive_index **ret_index) must_check;
