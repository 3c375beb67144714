/* USDT probes of a file: the notes of .note.stapsdt and where their arguments are.
 *
 * A probe is a nop in the code, described by a note: provider, name, address, and a text such as "8@%rdx -4@$-1
 * 8@152(%rdi)" with size (negative: signed) and place of each argument. A name may have several sites with different
 * places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/usdt_spec.h"
#include "parse/elf.h"

struct usdt_note {
	const char *provider, *name, *arguments; /* borrowed from the list, NUL-terminated */
	uint64_t address;			 /* of the nop, as the file is linked now (prelink moves corrected) */
	uint64_t file_offset;			 /* where to attach; UINT64_MAX: in no loaded part of the file */
	uint64_t semaphore_address;		 /* 0: none */
	uint64_t semaphore_file_offset;		 /* 0: none */
};

struct usdt_notes {
	struct usdt_note *items;
	size_t count;
	size_t malformed_count; /* notes that were skipped */
	uint8_t *section;	/* owned, the strings point into it */
};

/* An absent section gives an empty list. Ended with usdt_notes_done. */
must_check struct err *usdt_notes_read(struct elf_file *file, struct usdt_notes *ret_notes);
void usdt_notes_done(struct usdt_notes *notes);

/* As usdt_notes_read, on a section's bytes (taken over); base_address is .stapsdt.base's address now, 0: no such
 * section. */
void usdt_notes_parse(uint8_t *section, size_t length_bytes, uint64_t base_address, struct usdt_notes *ret_notes);

/* The site's arguments. False where the text could not be split into arguments at all; a single argument whose form
 * is not known is USDT_ARGUMENT_NONE. More than USDT_ARGUMENTS_MAX are cut. `ret_spec->kind` is 0. */
bool usdt_arguments_parse(const char *arguments, enum elf_machine machine, struct usdt_site_spec *ret_spec);
