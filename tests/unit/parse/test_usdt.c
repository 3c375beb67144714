/* Notes and argument forms written out, then every note of every JVM on this machine against readelf. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/usdt.h"

/* ---- arguments ---- */

/* The argument's value, computed as usdt_spec.h says, from these registers: 8 bytes at offset n hold 0x1000 + n,
 * repeated in the high half; memory at an address holds the address times three. */
static uint64_t evaluate(const struct usdt_argument_spec *spec)
{
	uint64_t base = 0x1000u + spec->register_offset, index = 0x1000u + spec->index_offset, raw = 0;

	switch ((enum usdt_argument_kind)spec->kind) {
	case USDT_ARGUMENT_NONE:
		fail();
		break;
	case USDT_ARGUMENT_CONSTANT:
		raw = (uint64_t)spec->value;
		break;
	case USDT_ARGUMENT_REGISTER:
		raw = base << 32 | base;
		break;
	case USDT_ARGUMENT_MEMORY:
		raw = (base + (uint64_t)spec->value) * 3;
		break;
	case USDT_ARGUMENT_INDEXED:
		raw = (base + (index << spec->scale_shift) + (uint64_t)spec->value) * 3;
		break;
	}
	raw <<= spec->left_shift;
	return spec->is_signed ? (uint64_t)((int64_t)raw >> spec->right_shift) : raw >> spec->right_shift;
}

static void one_argument(const char *text, enum elf_machine machine, uint64_t expected)
{
	struct usdt_site_spec spec;

	if (!usdt_arguments_parse(text, machine, &spec) || spec.argument_count != 1 ||
	    evaluate(&spec.arguments[0]) != expected)
		fail_msg("%s", text);
}

static void forms_of_x86_64(void **state)
{
	const uint64_t rdx = 0x1000 + 96, rdi = 0x1000 + 112, rbp = 0x1000 + 32, rax = 0x1000 + 80, rbx = 0x1000 + 40,
		       rsp = 0x1000 + 152, rcx = 0x1000 + 88;

	(void)state;
	/* Those of cases.md's B03 first. */
	one_argument("8@%rdx", ELF_X86_64, rdx << 32 | rdx);
	one_argument("-4@%eax", ELF_X86_64, rax);
	one_argument("8@152(%rdi)", ELF_X86_64, (rdi + 152) * 3);
	one_argument("1@%cl", ELF_X86_64, rcx & 0xff);
	one_argument("1@$1", ELF_X86_64, 1);
	one_argument("-4@$-1", ELF_X86_64, UINT64_MAX);
	one_argument("4@$-1", ELF_X86_64, UINT32_MAX);
	one_argument("-4@-60(%rbp)", ELF_X86_64, (rbp - 60) * 3);
	one_argument("8@$0", ELF_X86_64, 0); /* no zero is hidden */
	one_argument("8@(%rdi)", ELF_X86_64, rdi * 3);
	one_argument("2@%ax", ELF_X86_64, rax & 0xffff);
	one_argument("1@%ah", ELF_X86_64, rax >> 8 & 0xff);
	one_argument("-1@%dil", ELF_X86_64, (uint64_t)(int64_t)(int8_t)rdi);
	one_argument("-1@$200", ELF_X86_64, (uint64_t)-56);
	one_argument("8@%r15", ELF_X86_64, 0x0000100000001000);
	one_argument("4@%r8d", ELF_X86_64, 0x1000 + 72);
	one_argument("2@%r9w", ELF_X86_64, 0x1000 + 64);
	one_argument("1@%r10b", ELF_X86_64, 56);
	one_argument("8@(%rax,%rbx,8)", ELF_X86_64, (rax + (rbx << 3)) * 3);
	one_argument("8@-16(%rax,%rbx,2)", ELF_X86_64, (rax + (rbx << 1) - 16) * 3);
	one_argument("8@(%rax,%rbx)", ELF_X86_64, (rax + rbx) * 3);
	one_argument("8@8(,%rbx,1)", ELF_X86_64, (rbx + 8) * 3);
	one_argument("8@16+8(%rsp)", ELF_X86_64, (rsp + 24) * 3);
	one_argument("8@0x10(%rsp)", ELF_X86_64, (rsp + 16) * 3);
	one_argument("8@$0xffffffffffffffff", ELF_X86_64, UINT64_MAX);
	/* The register is narrower than the argument: only it counts. */
	one_argument("-4@%ax", ELF_X86_64, (uint64_t)(int64_t)(int16_t)rax);
}

static void forms_of_aarch64(void **state)
{
	(void)state;
	one_argument("8@x0", ELF_AARCH64, 0x0000100000001000);
	one_argument("-4@w19", ELF_AARCH64, 0x1000 + 152);
	one_argument("8@x30", ELF_AARCH64, 0x000010f0000010f0);
	one_argument("-4@5", ELF_AARCH64, 5);
	one_argument("-4@-1", ELF_AARCH64, UINT64_MAX);
	one_argument("8@[sp, 16]", ELF_AARCH64, (0x1000 + 248 + 16) * 3);
	one_argument("8@[x1]", ELF_AARCH64, (0x1000 + 8) * 3);
	one_argument("8@[x1,#-8]", ELF_AARCH64, 0x1000 * 3);
	one_argument("8@[x0, x2]", ELF_AARCH64, (0x1000 + 0x1010) * 3);
	one_argument("8@[x0, x2, lsl 3]", ELF_AARCH64, (0x1000 + 0x1010 * 8) * 3);
}

static void forms_that_cannot_be_read(void **state)
{
	static const char *const x86_64[] = {"8f@%xmm0",
					     "8@%xmm0",
					     "8@counter(%rip)",
					     "8@8(%rip)",
					     "8@%fs:16",
					     "8@$symbol",
					     "16@%rax",
					     "3@%rax",
					     "%rax",
					     "8@",
					     "8@(%rax,%rbx",
					     "8@(,%rbx,4)",
					     "8@(%rax,%rbx,3)",
					     "8@(%eax)",
					     "8@8",
					     "@%rax",
					     "8@%rax,4",
					     "8@$",
					     "8@$1x",
					     "0@%rax",
					     "8@x0",
					     "-9223372036854775808@%rax",
					     "8@$99999999999999999999"};
	static const char *const aarch64[] = {"8@d0",	"8@x31", "8@[w0]", "8@[x0, w1, sxtw 3]", "8@[x0, x1, lsl 7]",
					      "8@%rax", "8@x"};
	struct usdt_site_spec spec;

	(void)state;
	for (size_t i = 0; i < array_length(x86_64); i++) {
		char text[128];

		/* The argument after it is not harmed. */
		snprintf(text, sizeof(text), "%s 4@$7", x86_64[i]);
		if (!usdt_arguments_parse(text, ELF_X86_64, &spec)) {
			assert_string_equal(x86_64[i], "8@(%rax,%rbx"); /* its bracket swallows the rest */
			continue;
		}
		assert_int_equal(spec.argument_count, 2);
		if (spec.arguments[0].kind != USDT_ARGUMENT_NONE)
			fail_msg("%s", x86_64[i]);
		assert_int_equal(evaluate(&spec.arguments[1]), 7);
	}
	for (size_t i = 0; i < array_length(aarch64); i++) {
		assert_true(usdt_arguments_parse(aarch64[i], ELF_AARCH64, &spec));
		assert_int_equal(spec.arguments[0].kind, USDT_ARGUMENT_NONE);
	}
	assert_true(usdt_arguments_parse("8@%rax", ELF_OTHER, &spec));
	assert_int_equal(spec.arguments[0].kind, USDT_ARGUMENT_NONE);
	assert_false(usdt_arguments_parse("8@%rax)", ELF_X86_64, &spec));
}

static void several_arguments(void **state)
{
	struct usdt_site_spec spec;

	(void)state;
	assert_true(usdt_arguments_parse("", ELF_X86_64, &spec));
	assert_int_equal(spec.argument_count, 0);
	assert_true(usdt_arguments_parse("  8@%rdx -4@%eax\t8@152(%rdi) 1@%cl ", ELF_X86_64, &spec));
	assert_int_equal(spec.argument_count, 4);
	assert_int_equal(spec.arguments[1].size, 4);
	assert_true(spec.arguments[1].is_signed);
	assert_false(spec.arguments[3].is_signed);
	assert_int_equal(spec.kind, 0);
	assert_true(usdt_arguments_parse("1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12 1@$13",
					 ELF_X86_64, &spec));
	assert_int_equal(spec.argument_count, USDT_ARGUMENTS_MAX);
	assert_int_equal(spec.arguments[11].value, 12);
}

/* ---- notes ---- */

static size_t put_note(uint8_t *section, size_t at, const char *owner, uint32_t type, const uint64_t *addresses,
		       const char *strings, size_t strings_length)
{
	Elf64_Nhdr header = {
		.n_namesz = (uint32_t)strlen(owner) + 1, .n_descsz = (uint32_t)(24 + strings_length), .n_type = type};

	memcpy(section + at, &header, sizeof(header));
	at += sizeof(header);
	memcpy(section + at, owner, header.n_namesz);
	at += (header.n_namesz + 3) & ~3u;
	memcpy(section + at, addresses, 24);
	memcpy(section + at + 24, strings, strings_length);
	return at + ((header.n_descsz + 3) & ~3u);
}

static void notes_written_out(void **state)
{
	static const uint64_t plain[3] = {0x1000, 0x9000, 0}, with_semaphore[3] = {0x2000, 0x9000, 0x8000};
	uint8_t *section = calloc(1, 1024);
	struct usdt_notes notes auto_done(usdt_notes_done) = {};
	size_t length = 0;

	(void)state;
	length = put_note(section, length, "stapsdt", 3, plain, "one\0begin\0008@%rdi\0", 18);
	length = put_note(section, length, "GNU", 1, plain, "abcd", 4);
	length = put_note(section, length, "stapsdt", 4, plain, "other\0type\0\0", 12);
	length = put_note(section, length, "stapsdt", 3, plain, "no\0end\0of", 9);
	length = put_note(section, length, "stapsdt", 3, with_semaphore, "two\0end\0\0", 9);
	usdt_notes_parse(section, length, 0x9010, &notes);
	assert_int_equal(notes.count, 2);
	assert_int_equal(notes.malformed_count, 1);
	assert_string_equal(notes.items[0].provider, "one");
	assert_string_equal(notes.items[0].name, "begin");
	assert_string_equal(notes.items[0].arguments, "8@%rdi");
	/* The file was moved by 16 after the notes were written. */
	assert_int_equal(notes.items[0].address, 0x1010);
	assert_int_equal(notes.items[0].semaphore_address, 0);
	assert_int_equal(notes.items[1].address, 0x2010);
	assert_int_equal(notes.items[1].semaphore_address, 0x8010);
	assert_string_equal(notes.items[1].arguments, "");
}

static void cut_sections(void **state)
{
	static const uint64_t addresses[3] = {0x1000, 0, 0};
	uint8_t whole[256] = {};
	size_t length = put_note(whole, 0, "stapsdt", 3, addresses, "p\0n\0008@%rdi\0", 11);

	(void)state;
	for (size_t cut = 0; cut <= length; cut++) {
		uint8_t *section = malloc(cut + !cut);
		struct usdt_notes notes auto_done(usdt_notes_done) = {};

		memcpy(section, whole, cut);
		usdt_notes_parse(section, cut, 0, &notes);
		/* 55 bytes: header 12, name 8, content 35; one byte of padding. */
		assert_int_equal(notes.count, cut >= 55);
	}
}

/* ---- against readelf ---- */

struct expected {
	char provider[64], name[128], arguments[256];
	uint64_t location, base, semaphore;
};

static bool next_expected(FILE *output, struct expected *expected)
{
	char line[1024];

	while (fgets(line, sizeof(line), output)) {
		const char *provider = strstr(line, "Provider: ");

		if (!provider || sscanf(provider, "Provider: %63s", expected->provider) != 1)
			continue;
		assert_non_null(fgets(line, sizeof(line), output));
		assert_int_equal(sscanf(line, " Name: %127s", expected->name), 1);
		assert_non_null(fgets(line, sizeof(line), output));
		assert_int_equal(sscanf(line, " Location: %lx, Base: %lx, Semaphore: %lx", &expected->location,
					&expected->base, &expected->semaphore),
				 3);
		assert_non_null(fgets(line, sizeof(line), output));
		expected->arguments[0] = '\0';
		sscanf(line, " Arguments: %255[^\n]", expected->arguments);
		return true;
	}
	return false;
}

static size_t trimmed(const char *text)
{
	size_t length = strlen(text);

	while (length && text[length - 1] == ' ')
		length--;
	return length;
}

static size_t compare_file(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_done(elf_close_auto) struct elf_file *file = NULL;
	struct usdt_notes notes auto_done(usdt_notes_done) = {};
	struct expected expected = {};
	char command[4200];
	size_t count = 0, arguments = 0;
	FILE *output;

	assert_true(fd >= 0);
	assert_null(elf_open(fd, path, &file));
	assert_null(usdt_notes_read(file, &notes));
	assert_int_equal(notes.malformed_count, 0);
	snprintf(command, sizeof(command), "readelf -nW '%s'", path);
	output = popen(command, "r");
	assert_non_null(output);
	while (next_expected(output, &expected)) {
		const struct usdt_note *note = &notes.items[count++];
		struct usdt_site_spec spec;
		uint8_t nop = 0;

		assert_true(count <= notes.count);
		assert_string_equal(note->provider, expected.provider);
		assert_string_equal(note->name, expected.name);
		assert_int_equal(trimmed(note->arguments), trimmed(expected.arguments));
		assert_memory_equal(note->arguments, expected.arguments, trimmed(expected.arguments));
		assert_int_equal(note->address, expected.location);
		assert_int_equal(note->semaphore_address, expected.semaphore);
		assert_true(usdt_arguments_parse(note->arguments, elf_info(file)->machine, &spec));
		for (uint32_t i = 0; i < spec.argument_count; i++)
			if (spec.arguments[i].kind == USDT_ARGUMENT_NONE)
				fail_msg("%s: argument %u of %s", path, i, note->arguments);
		arguments += spec.argument_count;
		/* The site is a nop in the file. */
		assert_int_equal(pread(fd, &nop, 1, (off_t)note->file_offset), 1);
		if (elf_info(file)->machine == ELF_X86_64)
			assert_int_equal(nop, 0x90);
	}
	pclose(output);
	assert_int_equal(count, notes.count);
	print_message("%s: %zu notes, %zu arguments\n", path, count, arguments);
	return count;
}

static void every_note_of_every_jvm(void **state)
{
	glob_t found;
	size_t notes = 0;

	(void)state;
	if (system("readelf --version >/dev/null 2>&1") != 0 ||
	    glob("/usr/lib/jvm/*/lib/server/libjvm.so", 0, NULL, &found) != 0)
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++)
		notes += compare_file(found.gl_pathv[i]);
	globfree(&found);
	assert_true(notes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_x86_64),	     cmocka_unit_test(forms_of_aarch64),
		cmocka_unit_test(forms_that_cannot_be_read), cmocka_unit_test(several_arguments),
		cmocka_unit_test(notes_written_out),	     cmocka_unit_test(cut_sections),
		cmocka_unit_test(every_note_of_every_jvm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
