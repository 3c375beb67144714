/* Any bytes as a section of notes, as an argument text and as code. */
#include <stdlib.h>
#include <string.h>

#include "parse/instruction.h"
#include "parse/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_arguments(const char *text, enum elf_machine machine)
{
	struct usdt_site_spec spec;

	if (!usdt_arguments_parse(text, machine, &spec))
		return;
	if (spec.argument_count > USDT_ARGUMENTS_MAX)
		abort();
	for (uint32_t i = 0; i < spec.argument_count; i++) {
		const struct usdt_argument_spec *argument = &spec.arguments[i];

		if (argument->kind > USDT_ARGUMENT_INDEXED || argument->left_shift > 63 ||
		    argument->right_shift > 63 || argument->left_shift > argument->right_shift ||
		    argument->scale_shift > 4 || argument->register_offset > PT_ARM64_SP ||
		    argument->register_offset % 8 || argument->index_offset % 8)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *section = malloc(size + !size);
	char *text = malloc(size + 1);
	struct usdt_notes notes;
	size_t length, offset, places[2];

	memcpy(section, data, size);
	memcpy(text, data, size);
	text[size] = '\0';
	check_arguments(text, ELF_X86_64);
	check_arguments(text, ELF_AARCH64);
	usdt_notes_parse(section, size, 0x1234, &notes);
	for (size_t i = 0; i < notes.count; i++) {
		if (strlen(notes.items[i].provider) == 0 || strlen(notes.items[i].name) == 0)
			abort();
		check_arguments(notes.items[i].arguments, ELF_X86_64);
	}
	usdt_notes_done(&notes);

	length = instruction_length(data, size);
	if (length > size || length > 15)
		abort();
	instruction_probe_offset(ELF_X86_64, data, size, &offset);
	/* A function at address 0 that calls itself. */
	instruction_after_calls(ELF_X86_64, data, size, 0, 0, places, 2);
	instruction_after_calls(ELF_AARCH64, data, size, 0, 0, places, 2);
	free(text);
	return 0;
}
