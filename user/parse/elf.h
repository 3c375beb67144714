/* ELF files, read through a descriptor: symbols, build id, sections, addresses to file offsets.
 *
 * The file may be anybody's: every offset and count is checked, tables are read with pread (a mapping would die with
 * SIGBUS when the file shrinks), sizes are capped. Only 64-bit little-endian files; others are errors. An absent
 * table is no error: nothing is found in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elf_file;

enum elf_machine {
	ELF_OTHER = 0,
	ELF_X86_64 = 62, /* EM_X86_64 */
	ELF_AARCH64 = 183,
};

struct elf_info {
	enum elf_machine machine;
	bool is_shared_object; /* ET_DYN: also a position-independent program */
	bool is_dynamic;       /* has PT_DYNAMIC */
	bool is_static;	       /* a program without interpreter */
	bool is_go;
	bool has_symtab, has_dynsym;
	bool has_debug_link;   /* .gnu_debuglink: symbols may lie in a file of their own */
	bool has_usdt;	       /* .note.stapsdt */
	char interpreter[256]; /* "" for none */
	uint8_t build_id[64];
	size_t build_id_bytes; /* 0: none */
};

struct elf_symbol {
	const char *name; /* borrowed, valid until elf_close */
	uint64_t address; /* as linked */
	uint64_t length_bytes;
	uint64_t file_offset; /* UINT64_MAX where the address lies in no loaded part of the file */
	uint16_t section;     /* 0: undefined, i.e. imported */
	uint8_t type;	      /* STT_... */
	uint8_t binding;      /* STB_... */
	bool is_dynamic;      /* from .dynsym */
};

struct elf_section {
	uint64_t address, offset, length_bytes;
	uint32_t type;
	uint64_t flags;
};

/* `fd` stays the caller's and must stay open until elf_close. `name` is for messages. Closed with elf_close (NULL
 * accepted). */
must_check struct err *elf_open(int fd, const char *name, struct elf_file **ret_file);
void elf_close(struct elf_file *file);
void elf_close_auto(struct elf_file **file); /* for auto_done */

const struct elf_info *elf_info(const struct elf_file *file);

/* One query per name. Defined symbols only; .symtab wins over .dynsym; of several with that name, a global one, else
 * the first. */
struct elf_query {
	const char *name;
	bool is_found; /* out */
	struct elf_symbol symbol;
};

must_check struct err *elf_find(struct elf_file *file, struct elf_query *queries, size_t query_count);

/* Every defined symbol of .symtab, then of .dynsym (one that is in both comes twice), until the visitor returns
 * false: for mangled names to be matched by prefix or predicate, and for address look-up tables. */
typedef bool elf_visitor(void *context, const struct elf_symbol *symbol);
must_check struct err *elf_each_symbol(struct elf_file *file, elf_visitor *visitor, void *context);

/* False where no PT_LOAD's file part holds the address. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret_offset);
bool elf_address(const struct elf_file *file, uint64_t file_offset, uint64_t *ret_address);

bool elf_find_section(const struct elf_file *file, const char *name, struct elf_section *ret_section);

/* Up to size_bytes of the loaded file content at an address; *ret_length may be less at the end of a segment or of
 * the file. */
must_check struct err *elf_read_address(const struct elf_file *file, uint64_t address, void *bytes, size_t size_bytes,
					size_t *ret_length);

/* A section's content, the caller frees; more than max_bytes is an error. */
must_check struct err *elf_read_section(const struct elf_file *file, const struct elf_section *section,
					size_t max_bytes, uint8_t **ret_bytes);

/* "3f2a..." into text of 2 * build_id_bytes + 1. */
void elf_build_id_text(const struct elf_info *info, char *text);
