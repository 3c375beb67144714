/* The notes. Their arguments are in usdt_arguments.c.
 *
 * A note of .note.stapsdt: name "stapsdt", type 3, and as its content three addresses and three strings:
 *
 *     u64 location | u64 base | u64 semaphore | provider NUL | name NUL | arguments NUL
 *
 * `base` is where .stapsdt.base lay when the note was written. A tool that moves the file's addresses afterwards
 * (prelink) does not know the notes; the difference to where that section lies now is what it moved. */
#include "parse/usdt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	SECTION_MAX_BYTES = 64 << 20,
	NOTE_TYPE = 3,
	ADDRESSES_BYTES = 24,
};

static size_t align4(size_t value)
{
	return (value + 3) & ~(size_t)3;
}

/* The NUL-terminated string at *at, which must end before `end`; moves *at behind it. */
static const char *take_string(const uint8_t *section, size_t *at, size_t end)
{
	const char *string = (const char *)section + *at;
	const uint8_t *nul = *at < end ? memchr(section + *at, '\0', end - *at) : NULL;

	if (!nul)
		return NULL;
	*at = (size_t)(nul - section) + 1;
	return string;
}

static bool parse_content(const uint8_t *section, size_t at, size_t end, uint64_t base_address,
			  struct usdt_note *ret_note)
{
	struct usdt_note note = {.file_offset = UINT64_MAX};
	uint64_t addresses[3];

	if (end - at < ADDRESSES_BYTES)
		return false;
	memcpy(addresses, section + at, ADDRESSES_BYTES);
	at += ADDRESSES_BYTES;
	note.provider = take_string(section, &at, end);
	note.name = note.provider ? take_string(section, &at, end) : NULL;
	note.arguments = note.name ? take_string(section, &at, end) : NULL;
	if (!note.arguments || !note.provider[0] || !note.name[0])
		return false;

	uint64_t moved = base_address && addresses[1] ? base_address - addresses[1] : 0;

	note.address = addresses[0] + moved;
	note.semaphore_address = addresses[2] ? addresses[2] + moved : 0;
	*ret_note = note;
	return true;
}

void usdt_notes_parse(uint8_t *section, size_t length_bytes, uint64_t base_address, struct usdt_notes *ret_notes)
{
	VEC(struct usdt_note) notes = {};
	size_t at = 0, malformed = 0;

	while (length_bytes - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr header;
		size_t name, content;
		struct usdt_note note;

		memcpy(&header, section + at, sizeof(header));
		name = at + sizeof(header);
		if (align4(header.n_namesz) > length_bytes - name) {
			malformed++;
			break;
		}
		content = name + align4(header.n_namesz);
		/* The last note's padding may be missing. */
		if (header.n_descsz > length_bytes - content) {
			malformed++;
			break;
		}
		if (header.n_namesz != 8 || memcmp(section + name, "stapsdt", 8) != 0 || header.n_type != NOTE_TYPE)
			; /* somebody else's note */
		else if (parse_content(section, content, content + header.n_descsz, base_address, &note))
			*vec_push(&notes) = note;
		else
			malformed++;
		if (align4(header.n_descsz) > length_bytes - content)
			break;
		at = content + align4(header.n_descsz);
	}
	*ret_notes = (struct usdt_notes){
		.items = notes.items, .count = notes.count, .malformed_count = malformed, .section = section};
}

struct err *usdt_notes_read(struct elf_file *file, struct usdt_notes *ret_notes)
{
	struct elf_section section, base = {};
	uint8_t *bytes;

	*ret_notes = (struct usdt_notes){};
	if (!elf_find_section(file, ".note.stapsdt", &section))
		return NULL;
	elf_find_section(file, ".stapsdt.base", &base);
	TRY(elf_read_section(file, &section, SECTION_MAX_BYTES, &bytes));
	usdt_notes_parse(bytes, (size_t)section.length_bytes, base.address, ret_notes);
	for (size_t i = 0; i < ret_notes->count; i++) {
		struct usdt_note *note = &ret_notes->items[i];

		if (!elf_file_offset(file, note->address, &note->file_offset))
			note->file_offset = UINT64_MAX;
		/* 0 stands for no semaphore; one that lies nowhere cannot be counted up. */
		if (note->semaphore_address &&
		    !elf_file_offset(file, note->semaphore_address, &note->semaphore_file_offset))
			note->semaphore_file_offset = 0;
	}
	return NULL;
}

void usdt_notes_done(struct usdt_notes *notes)
{
	free(notes->items);
	free(notes->section);
	*notes = (struct usdt_notes){};
}
