/* The page cache: which files a command is about to use, how much of them is in memory, and evicting just them. */
#pragma once

#include "base/strpool.h"
#include "base/vec.h"
#include "record/output.h"

struct page_cache_files {
	struct strpool paths;
	VEC(uint32_t) items; /* ids of paths, each once */
};

/* The files that the command line names or implies: the program itself, files among its arguments, a class path with its
 * folders and wildcards, for a java launcher the JDK's libraries, modules and archives, and a lib folder beside its jar. */
void page_cache_find(char *const *command, const char *search_path, struct page_cache_files *ret_files);

/* Evicts the files' pages, as far as the kernel does (pages that others have mapped or that are dirty stay). */
void page_cache_drop(const struct page_cache_files *files);

/* RESIDENCY records for all of them. Returns the bytes that are in memory. */
uint64_t page_cache_record(const struct page_cache_files *files, struct output *output, enum moment moment);

void page_cache_files_done(struct page_cache_files *files);
