/* Files by identity and by path, descriptors, and what is known of archives.
 *
 * A file is a (device, inode) pair; its path is the one that it was last opened by. Opens and look-ups that failed
 * have no identity: their events still have a path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "bpf/events.h"

struct model;
struct archive_index; /* parse/archive.h, private to model */

struct file {
	uint64_t inode;
	uint32_t device;
	uint32_t path;	  /* string id, 0 where no name is known */
	uint32_t archive; /* index in archives, or NO_INDEX */
	bool is_mapped;	  /* some process mapped it */
	bool is_code;	  /* it was mapped executable: a program or library */
	bool is_archive;  /* an ARCHIVE record, or a name that ends in .jar, .war, .ear, .zip or .jmod */
};

/* An ARCHIVE record: the entry table of one file, with the archives that are stored in it. */
struct packed_archive {
	uint32_t path; /* string id */
	uint64_t inode;
	uint32_t device, flags;
	uint32_t event;		     /* the record */
	struct archive_index *index; /* NULL where the table is damaged */
};

struct model_files {
	VEC(struct file) list; /* item 0 is "no file" */
	VEC(struct packed_archive) archives;
	struct map by_inode;	/* hash of (device, inode) -> index in list */
	/* By event, 0 for none; NULL where there is no such event at all. */
	uint32_t *event_paths; /* FILE_OPEN and FILE_LOOKUP: string id of the absolute path */
	uint32_t *event_files; /* FILE_OPEN: file index */
};

/* The file of an identity, 0 where it was never seen. */
uint32_t model_file_by_inode(const struct model *model, uint32_t device, uint64_t inode);
const char *model_file_path(const struct model *model, uint32_t file); /* "" where unknown */

/* The file that a FILE_OPEN event opened, 0 for none. */
uint32_t model_event_file(const struct model *model, uint32_t event);

/* The string id of model_event_path, 0 for none. */
uint32_t model_event_path_id(const struct model *model, uint32_t event);

/* The absolute path of a FILE_OPEN or FILE_LOOKUP event, "" where it could not be read. Lives as the model. */
const char *model_event_path(const struct model *model, uint32_t event);

/* ---- what is in an archive ---- */

/* One of the archives in a file: 0 is the file itself, the others are stored in it, outer before inner. */
struct archive_facts {
	const char *name; /* 0: the file's path; else the entry's name in its parent, as spelt there */
	uint32_t parent;  /* NO_INDEX for 0 */
	uint32_t first_entry, entry_count;
	uint64_t offset, length_bytes, directory_bytes; /* in the file */
	bool is_jimage, is_signed, is_multi_release;
};

struct archive_entry_facts {
	const char *name; /* raw bytes of any charset, NUL added; a jimage's is "module/package/Name.class" */
	uint32_t archive; /* which of the archives in the file */
	uint32_t nested;  /* the archive that this entry is, or NO_INDEX */
	uint64_t data_offset, compressed_bytes, uncompressed_bytes;
	bool is_compressed;
};

uint32_t model_archive_count(const struct model *model, uint32_t archive);	 /* archives in it, 0: no table */
uint32_t model_archive_entry_count(const struct model *model, uint32_t archive); /* entries of all of them */
bool model_archive_facts(const struct model *model, uint32_t archive, uint32_t inner,
			 struct archive_facts *ret_facts);
bool model_archive_entry(const struct model *model, uint32_t archive, uint32_t entry,
			 struct archive_entry_facts *ret_entry);

enum archive_piece_kind { PIECE_PREFIX, PIECE_HEADER, PIECE_DATA, PIECE_DIRECTORY, PIECE_END, PIECE_GAP };

struct archive_piece {
	uint64_t offset, length_bytes; /* in the file */
	uint32_t inner;		       /* the innermost archive there */
	uint32_t entry;		       /* for PIECE_HEADER and PIECE_DATA, else NO_INDEX */
	enum archive_piece_kind kind;
};

/* Calls `function` for each piece of the archive that [offset, offset + length) covers, in file order, without
 * overlap. */
typedef void archive_piece_function(void *context, const struct archive_piece *piece);
void model_archive_pieces(const struct model *model, uint32_t archive, uint64_t offset, uint64_t length_bytes,
			  archive_piece_function *function, void *context);
