/* Any bytes as an ELF file and all that is asked of one: symbols, sections, USDT notes with their arguments, code. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/instruction.h"
#include "parse/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool look_at(void *context, const struct elf_symbol *symbol)
{
	struct elf_file *file = context;
	uint8_t code[64];
	size_t length = 0, offset, places[2];

	if (strlen(symbol->name) == 0)
		abort();
	err_free(elf_read_address(file, symbol->address, code, sizeof(code), &length));
	if (length > sizeof(code))
		abort();
	instruction_probe_offset(elf_info(file)->machine, code, length, &offset);
	for (size_t i = instruction_after_calls(elf_info(file)->machine, code, length, symbol->address, symbol->address,
						places, 2);
	     i > 0; i--)
		if (places[i - 1] >= length)
			abort();
	return true;
}

static void look_at_notes(struct elf_file *file)
{
	struct usdt_notes notes auto_done(usdt_notes_done) = {};

	err_free(usdt_notes_read(file, &notes));
	for (size_t i = 0; i < notes.count; i++) {
		struct usdt_site_spec spec;

		if (usdt_arguments_parse(notes.items[i].arguments, elf_info(file)->machine, &spec) &&
		    spec.argument_count > USDT_ARGUMENTS_MAX)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_query queries[] = {{.name = "JVM_FillInStackTrace"}, {.name = "main"}};
	auto_fd int fd = memfd_create("elf", MFD_CLOEXEC);
	auto_done(elf_close_auto) struct elf_file *file = NULL;
	struct err *err;
	char id[129];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	err = elf_open(fd, "input", &file);
	if (err) {
		err_free(err);
		return 0;
	}
	elf_build_id_text(elf_info(file), id);
	err_free(elf_find(file, queries, 2));
	err_free(elf_each_symbol(file, look_at, file));
	look_at_notes(file);
	return 0;
}
