/* This test's own file as the sample: what the linker made of it is known from inside. Then files made byte by byte,
 * most of them damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/elf.h"

__attribute__((noinline, used, visibility("default"))) int elf_test_landmark(int value);

int elf_test_landmark(int value)
{
	return value * 3 + 1;
}

__attribute__((used)) static int elf_test_hidden(int value)
{
	return value * 5 + 2;
}

__attribute__((used)) static int elf_test_datum = 0x5eed1234;

static struct elf_file *open_file(int fd)
{
	struct elf_file *file = NULL;
	struct err *err = elf_open(fd, "sample", &file);

	if (err) {
		print_message("%s\n", err->message);
		err_free(err);
	}
	return file;
}

static int first_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static void own_symbols(void **state)
{
	struct elf_query queries[] = {{.name = "elf_test_landmark"},
				      {.name = "elf_test_no_such_symbol"},
				      {.name = "elf_test_hidden"},
				      {.name = "elf_test_datum"},
				      {.name = "main"}};
	auto_fd int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_done(elf_close_auto) struct elf_file *file = open_file(fd);
	uint64_t base = 0, offset, address;
	uint8_t code[8], from_file[8];
	int datum;
	size_t length;

	(void)state;
	assert_non_null(file);
	dl_iterate_phdr(first_base, &base);
	assert_true(elf_info(file)->has_symtab);
	assert_false(elf_info(file)->is_static);
	assert_false(elf_info(file)->is_go);
	assert_true(elf_info(file)->is_dynamic);
	assert_true(strstr(elf_info(file)->interpreter, "ld-linux") != NULL);
	assert_null(elf_find(file, queries, 5));
	assert_true(queries[0].is_found);
	assert_false(queries[1].is_found);
	for (size_t i = 2; i < 5; i++)
		assert_true(queries[i].is_found);
	assert_int_equal(queries[0].symbol.address + base, (uint64_t)(uintptr_t)elf_test_landmark);
	assert_int_equal(queries[2].symbol.address + base, (uint64_t)(uintptr_t)elf_test_hidden);
	assert_int_equal(queries[2].symbol.binding, STB_LOCAL);
	assert_int_equal(queries[0].symbol.type, STT_FUNC);
	assert_true(queries[0].symbol.length_bytes >= 4);

	/* The bytes at the offset are the function's. */
	memcpy(code, (const void *)(uintptr_t)elf_test_landmark, sizeof(code));
	assert_int_equal(pread(fd, from_file, sizeof(from_file), (off_t)queries[0].symbol.file_offset), 8);
	assert_memory_equal(code, from_file, 8);
	assert_null(elf_read_address(file, queries[0].symbol.address, from_file, 8, &length));
	assert_int_equal(length, 8);
	assert_memory_equal(code, from_file, 8);
	assert_null(elf_read_address(file, queries[3].symbol.address, &datum, sizeof(datum), &length));
	assert_int_equal(datum, elf_test_datum);
	assert_true(elf_file_offset(file, queries[3].symbol.address, &offset));
	assert_true(elf_address(file, offset, &address));
	assert_int_equal(address, queries[3].symbol.address);
	assert_false(elf_file_offset(file, UINT64_MAX, &offset));
}

static bool count_landmarks(void *context, const struct elf_symbol *symbol)
{
	*(int *)context +=
		strncmp(symbol->name, "elf_test_", 9) == 0 && symbol->type == STT_FUNC && !symbol->is_dynamic;
	return true;
}

static bool stop_at_once(void *context, const struct elf_symbol *symbol)
{
	(void)symbol;
	++*(int *)context;
	return false;
}

static void visiting_symbols(void **state)
{
	auto_fd int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_done(elf_close_auto) struct elf_file *file = open_file(fd);
	int landmarks = 0, calls = 0;

	(void)state;
	assert_null(elf_each_symbol(file, count_landmarks, &landmarks));
	assert_int_equal(landmarks, 2);
	assert_null(elf_each_symbol(file, stop_at_once, &calls));
	assert_int_equal(calls, 1);
}

static int write_file(const void *bytes, size_t length)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	return fd;
}

/* One page: header, program headers (code at offset 0, address 0x400000; a note), sections, .symtab with a local and
 * a global of one name. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr programs[2];
	Elf64_Shdr sections[5];
	Elf64_Sym symbols[5];
	char strings[32];
	char section_names[64];
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[20];
	} note;
	uint8_t code[20]; /* to the end of the structure, without padding */
};

static struct image make_image(void)
{
	struct image image = {
		.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_phoff = offsetof(struct image, programs),
			   .e_shoff = offsetof(struct image, sections),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = 5,
			   .e_shstrndx = 3},
		.programs = {{.p_type = PT_LOAD,
			      .p_vaddr = 0x400000,
			      .p_filesz = sizeof(struct image),
			      .p_memsz = sizeof(struct image) + 4096},
			     {.p_type = PT_NOTE,
			      .p_offset = offsetof(struct image, note),
			      .p_filesz = sizeof(image.note)}},
		.sections = {{},
			     {.sh_name = 1,
			      .sh_type = SHT_SYMTAB,
			      .sh_offset = offsetof(struct image, symbols),
			      .sh_size = sizeof(image.symbols),
			      .sh_link = 2,
			      .sh_entsize = sizeof(Elf64_Sym)},
			     {.sh_name = 9,
			      .sh_type = SHT_STRTAB,
			      .sh_offset = offsetof(struct image, strings),
			      .sh_size = sizeof(image.strings)},
			     {.sh_name = 17,
			      .sh_type = SHT_STRTAB,
			      .sh_offset = offsetof(struct image, section_names),
			      .sh_size = sizeof(image.section_names)},
			     {.sh_name = 27,
			      .sh_type = SHT_NOTE,
			      .sh_addr = 0x400000 + offsetof(struct image, note),
			      .sh_offset = offsetof(struct image, note),
			      .sh_size = sizeof(image.note)}},
		.symbols = {{},
			    {.st_name = 1,
			     .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			     .st_shndx = 4,
			     .st_value = 0x400001},
			    {.st_name = 1,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = 4,
			     .st_value = 0x400000 + offsetof(struct image, code),
			     .st_size = 16},
			    {.st_name = 5, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = SHN_UNDEF},
			    {.st_name = 9,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			     .st_shndx = 4,
			     .st_value = 0x900000}},
		.note = {.header = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
			 .name = "GNU",
			 .id = {0xab, 0x01}},
		.code = {1, 2, 3, 4},
	};

	memcpy(image.strings, "\0fun\0imp\0far", 13);
	memcpy(image.section_names, "\0.symtab\0.strtab\0.shstrtab\0.go.buildinfo", 41);
	return image;
}

static void made_image(void **state)
{
	struct image image = make_image();
	auto_fd int fd = write_file(&image, sizeof(image));
	auto_done(elf_close_auto) struct elf_file *file = open_file(fd);
	struct elf_query queries[] = {{.name = "fun"}, {.name = "imp"}, {.name = "far"}, {.name = ""}};
	struct elf_section section;
	auto_free uint8_t *bytes = NULL;
	char id[129];
	uint8_t tail[32];
	size_t length;

	(void)state;
	assert_non_null(file);
	assert_int_equal(elf_info(file)->machine, ELF_AARCH64);
	assert_true(elf_info(file)->is_static);
	assert_true(elf_info(file)->is_go); /* by its section */
	assert_false(elf_info(file)->is_shared_object);
	assert_false(elf_info(file)->has_dynsym);
	elf_build_id_text(elf_info(file), id);
	assert_string_equal(id, "ab01000000000000000000000000000000000000");
	assert_null(elf_find(file, queries, 4));
	assert_true(queries[0].is_found);
	assert_int_equal(queries[0].symbol.binding, STB_GLOBAL);
	assert_int_equal(queries[0].symbol.file_offset, offsetof(struct image, code));
	assert_false(queries[1].is_found); /* imported */
	assert_true(queries[2].is_found);
	assert_true(queries[2].symbol.file_offset == UINT64_MAX);
	assert_false(queries[3].is_found);
	assert_true(elf_find_section(file, ".go.buildinfo", &section));
	assert_int_equal(section.length_bytes, sizeof(image.note));
	assert_false(elf_find_section(file, ".note.stapsdt", &section));
	assert_null(elf_read_section(file, &section, 4096, &bytes));
	assert_memory_equal(bytes, &image.note, sizeof(image.note));

	struct err *err = elf_read_section(file, &section, 8, &bytes);

	assert_non_null(err);
	err_free(err);
	/* A read ends with the part of the segment that is in the file. */
	assert_null(elf_read_address(file, 0x400000 + offsetof(struct image, code), tail, sizeof(tail), &length));
	assert_int_equal(length, 20);
	err = elf_read_address(file, 0x400000 + sizeof(image), tail, 1, &length);
	assert_non_null(err);
	err_free(err);
}

static void refused(const void *bytes, size_t length, const char *message)
{
	auto_fd int fd = write_file(bytes, length);
	struct elf_file *file = NULL;
	struct err *err = elf_open(fd, "x", &file);

	assert_non_null(err);
	assert_string_equal(err->message, message);
	assert_null(file);
	err_free(err);
}

static void not_such_files(void **state)
{
	struct image image = make_image();
	auto_fd int folder = open("/", O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;
	struct err *err;

	(void)state;
	refused("", 0, "'x' is not an ELF file");
	refused("#!/bin/sh\nexec java -jar application.jar --and --some --more --so --that --it --is --long\n", 90,
		"'x' is not an ELF file");
	refused(&image, sizeof(Elf64_Ehdr) - 1, "'x' is not an ELF file");
	image.header.e_ident[EI_CLASS] = ELFCLASS32;
	refused(&image, sizeof(image), "'x' is not a 64-bit little-endian ELF file");
	image = make_image();
	image.header.e_phoff = UINT64_MAX - 8;
	refused(&image, sizeof(image), "a table of 'x' lies beyond its end");
	err = elf_open(folder, "x", &file);
	assert_string_equal(err->message, "'x' is not a regular file");
	err_free(err);
}

/* Damage that leaves something to go on with: no symbol is found, nothing is read wildly. */
static void damaged_tables(void **state)
{
	struct elf_query query = {.name = "fun"};
	uint64_t offset;

	(void)state;
	for (int damage = 0; damage < 8; damage++) {
		struct image image = make_image();

		switch (damage) {
		case 0:
			image.header.e_shoff = 1ull << 62;
			break;
		case 1:
			image.sections[1].sh_size = UINT64_MAX;
			break;
		case 2:
			image.sections[1].sh_link = 77;
			break;
		case 3:
			image.sections[2].sh_offset = UINT64_MAX - 3;
			break;
		case 4:
			image.symbols[1].st_name = image.symbols[2].st_name = UINT32_MAX;
			break;
		case 5:
			image.header.e_shnum = 0; /* then section 0's size counts: 0 */
			break;
		case 6:
			image.sections[1].sh_entsize = 3;
			break;
		case 7:
			image.sections[3].sh_offset = UINT64_MAX / 2;
			image.sections[1].sh_type = SHT_NOBITS;
			break;
		}

		auto_fd int fd = write_file(&image, sizeof(image));
		auto_done(elf_close_auto) struct elf_file *file = open_file(fd);

		assert_non_null(file);
		err_free(elf_find(file, &query, 1));
		assert_false(query.is_found);
	}

	/* Segments whose sums overflow. */
	struct image image = make_image();

	image.programs[0].p_offset = UINT64_MAX - 2;
	image.programs[0].p_filesz = UINT64_MAX;

	auto_fd int fd = write_file(&image, sizeof(image));
	auto_done(elf_close_auto) struct elf_file *file = open_file(fd);

	assert_false(elf_file_offset(file, 0x400010, &offset));

	uint8_t byte;
	size_t length;
	struct err *err = elf_read_address(file, 0x400010, &byte, 1, &length);

	assert_non_null(err);
	err_free(err);
}

static void cut_files(void **state)
{
	struct image image = make_image();
	struct elf_query query = {.name = "fun"};

	(void)state;
	for (size_t length = 0; length < sizeof(image); length++) {
		auto_fd int fd = write_file(&image, length);
		struct elf_file *file = NULL;
		struct err *err = elf_open(fd, "x", &file);

		if (!err)
			err = elf_find(file, &query, 1);
		err_free(err);
		elf_close(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_symbols),	  cmocka_unit_test(visiting_symbols), cmocka_unit_test(made_image),
		cmocka_unit_test(not_such_files), cmocka_unit_test(damaged_tables),   cmocka_unit_test(cut_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
