/* Instructions written out with their lengths, then every instruction of the C library against objdump. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/instruction.h"

struct sample {
	const char *bytes;
	size_t length; /* of the bytes given */
	size_t expected;
	enum instruction_cost cost;
};

#define SAMPLE(text, expected, cost)                                                                                 \
	{                                                                                                            \
		text, sizeof(text) - 1, expected, INSTRUCTION_##cost                                                 \
	}

static void lengths_and_costs(void **state)
{
	static const struct sample samples[] = {
		SAMPLE("\x55", 1, EMULATED),			    /* push %rbp */
		SAMPLE("\x41\x57", 2, EMULATED),		    /* push %r15 */
		SAMPLE("\x48\x55", 2, STEPPED),			    /* push with a REX the kernel does not know */
		SAMPLE("\x90", 1, EMULATED),			    /* nop */
		SAMPLE("\x66\x90", 2, EMULATED),		    /* nop */
		SAMPLE("\x41\x90", 2, UNKNOWN),			    /* xchg %eax,%r8d */
		SAMPLE("\xe8\x00\x00\x00\x00", 5, EMULATED),	    /* call */
		SAMPLE("\xe9\x00\x00\x00\x00", 5, EMULATED),	    /* jmp */
		SAMPLE("\xeb\xfe", 2, EMULATED),		    /* jmp */
		SAMPLE("\x74\x05", 2, EMULATED),		    /* je */
		SAMPLE("\x0f\x85\x10\x00\x00\x00", 6, EMULATED),    /* jne */
		SAMPLE("\x66\x48\xe8\x00\x00\x00\x00", 7, UNKNOWN), /* data16 rex.W call */
		SAMPLE("\x66\xe8\x00\x00\x00\x00", 0, UNKNOWN),	    /* processors disagree */
		SAMPLE("\xf3\x0f\x1e\xfa", 4, STEPPED),		    /* endbr64 */
		SAMPLE("\x48\x83\xec\x08", 4, STEPPED),		    /* sub $8,%rsp */
		SAMPLE("\x48\x81\xec\x00\x10\x00\x00", 7, STEPPED), /* sub $0x1000,%rsp */
		SAMPLE("\x66\x81\xc3\x34\x12", 5, STEPPED),	    /* add $0x1234,%bx */
		SAMPLE("\x89\xf8", 2, STEPPED),			    /* mov %edi,%eax */
		SAMPLE("\x48\x8b\x05\x01\x02\x03\x04", 7, STEPPED), /* mov 0x4030201(%rip),%rax */
		SAMPLE("\x48\x8b\x44\x24\x08", 5, STEPPED),	    /* mov 8(%rsp),%rax */
		SAMPLE("\x8b\x04\x25\x00\x10\x00\x00", 7, STEPPED), /* mov 0x1000,%eax */
		SAMPLE("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, STEPPED), /* movabs */
		SAMPLE("\xb8\x01\x02\x03\x04", 5, STEPPED),			 /* mov $,%eax */
		SAMPLE("\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08", 10, STEPPED), /* movabs from an address */
		SAMPLE("\xf6\xc1\x01", 3, STEPPED),				 /* test $1,%cl */
		SAMPLE("\xf7\xd8", 2, STEPPED),					 /* neg %eax */
		SAMPLE("\xc3", 1, STEPPED),					 /* ret */
		SAMPLE("\xc8\x10\x00\x00", 4, STEPPED),				 /* enter */
		SAMPLE("\xff\x25\x00\x00\x00\x00", 6, STEPPED),			 /* jmp *(%rip) */
		SAMPLE("\x0f\x1f\x44\x00\x00", 5, STEPPED),			 /* five-byte nop */
		SAMPLE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, STEPPED),	 /* mov %fs:0x28,%rax */
		SAMPLE("\xc5\xf8\x77", 3, STEPPED),				 /* vzeroupper */
		SAMPLE("\xc4\xe3\x7d\x39\xc0\x01", 6, STEPPED),			 /* vextracti128 */
		SAMPLE("\x62\xf1\x7c\x48\x10\x40\x01", 7, STEPPED),		 /* vmovups 64(%rax),%zmm0 */
		SAMPLE("\x0f\x3a\x0f\xc1\x08", 5, STEPPED),			 /* palignr */
		SAMPLE("\x06", 0, UNKNOWN),					 /* not in 64-bit mode */
		SAMPLE("\x0f", 0, UNKNOWN),					 /* cut */
		SAMPLE("\x48\x8b", 0, UNKNOWN),					 /* cut */
		SAMPLE("\xe8\x00\x00\x00", 0, UNKNOWN),				 /* cut */
		SAMPLE("", 0, UNKNOWN),
		SAMPLE("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 0, UNKNOWN), /* 16 bytes */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const uint8_t *bytes = (const uint8_t *)samples[i].bytes;

		if (instruction_length(bytes, samples[i].length) != samples[i].expected ||
		    instruction_cost(ELF_X86_64, bytes, samples[i].length) != samples[i].cost)
			fail_msg("sample %zu", i);
	}
}

static void probe_offsets(void **state)
{
	static const struct {
		const char *bytes;
		size_t length, offset;
		enum instruction_cost cost;
	} cases[] = {
		{"\x55\x48\x89\xe5", 4, 0, INSTRUCTION_EMULATED},
		{"\xf3\x0f\x1e\xfa\x55", 5, 4, INSTRUCTION_EMULATED},
		{"\xf3\x0f\x1e\xfa\x48\x83\xec\x08", 8, 0, INSTRUCTION_STEPPED}, /* no gain in going on */
		{"\xf3\x0f\x1e\xfa", 4, 0, INSTRUCTION_STEPPED},
		{"\x48\x83\xec\x08\x55", 5, 0, INSTRUCTION_STEPPED}, /* the stack has moved at the push */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t offset = 99;

		assert_int_equal(instruction_probe_offset(ELF_X86_64, (const uint8_t *)cases[i].bytes,
							  cases[i].length, &offset),
				 cases[i].cost);
		assert_int_equal(offset, cases[i].offset);
	}
}

struct after_calls {
	const char *bytes;
	size_t length;
	size_t count, offsets[2]; /* expected */
};

#define AFTER(text, ...)                              \
	{                                             \
		text, sizeof(text) - 1, __VA_ARGS__ \
	}

static void check_after_calls(enum elf_machine machine, const struct after_calls *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t offsets[2] = {99, 99};

		if (instruction_after_calls(machine, (const uint8_t *)cases[i].bytes, cases[i].length, 0x1000, 0x2000,
					    offsets, 2) != cases[i].count)
			fail_msg("case %zu", i);
		for (size_t j = 0; j < cases[i].count; j++)
			assert_int_equal(offsets[j], cases[i].offsets[j]);
	}
}

/* The function lies at 0x1000, what it calls at 0x2000: a call at its very beginning is e8 fb 0f 00 00. */
static void after_calls(void **state)
{
	static const struct after_calls cases[] = {
		AFTER("\xe8\xfb\x0f\x00\x00\x74\x00\xc3", 1, {5}),				    /* call; je */
		AFTER("\xe8\xfb\x0f\x00\x00\x49\x89\xc2\x4d\x85\xe4\x0f\x84\x37\x03\x00\x00\xc3", 1, {11}), /* mov, test */
		AFTER("\x55\xe8\xfa\x0f\x00\x00\x90\xc3", 1, {6}),			    /* push; call; nop */
		AFTER("\xe8\xfb\x0f\x00\x00\x90\xe8\xf5\x0f\x00\x00\xeb\x00\xc3", 2, {5, 11}),	    /* two of them */
		AFTER("\xe8\xfb\x0f\x00\x00\xe8\xf6\x0f\x00\x00\xeb\x00\xc3", 2, {5, 10}), /* the next call is the place */
		AFTER("\xe8\xfb\x0f\x00\x01\x90\xc3", 0, {}),				    /* of another function */
		AFTER("\xe8\xfb\x0f\x00\x00\xc3\x90", 0, {}),				    /* it returns first */
		AFTER("\xe8\xfb\x0f\x00\x00\xff\xe0\x90", 0, {}),			    /* jmp *%rax first */
		AFTER("\xe8\xfb\x0f\x00\x00\xe3\x01\x90", 0, {}),			    /* jrcxz first */
		AFTER("\xe8\xfb\x0f\x00\x00\x0f\x0b\x90", 0, {}),			    /* ud2 first */
		AFTER("\xe8\xfb\x0f\x00\x00\x90\xe8\xf5\x0f\x00\x00\xc3", 0, {}), /* one of two has no place */
		AFTER("\xe8\xfb\x0f\x00\x00\x48\x89\xc3", 0, {}),			    /* the function ends */
		AFTER("\xe8\xfb\x0f\x00\x00\x90\x06", 0, {}),				    /* cannot be decoded */
		AFTER("\xe8\xfb\x0f\x00", 0, {}),					    /* cut */
		AFTER("\xe8\xfb\x0f\x00\x00\x90\xe8\xf5\x0f\x00\x00\x90\xe8\xef\x0f\x00\x00\x90", 0, {}), /* no room */
		AFTER("", 0, {}),
	};

	(void)state;
	check_after_calls(ELF_X86_64, cases, sizeof(cases) / sizeof(cases[0]));
	assert_int_equal(instruction_after_calls(ELF_OTHER, (const uint8_t *)"\x90", 1, 0, 0, NULL, 0), 0);
}

/* bl 0x2000 at 0x1000 is 94000400; at 0x1004 it is 940003ff. */
static void after_calls_aarch64(void **state)
{
	static const struct after_calls cases[] = {
		/* bl; mov x0,x1; cbz x0,+4; ret */
		AFTER("\x00\x04\x00\x94\xe0\x03\x01\xaa\x20\x00\x00\xb4\xc0\x03\x5f\xd6", 1, {8}),
		AFTER("\x1f\x20\x03\xd5\xff\x03\x00\x94\x01\x00\x00\x14\xc0\x03\x5f\xd6", 1, {8}), /* nop; bl; b +4 */
		AFTER("\x00\x04\x00\x94\xc0\x03\x5f\xd6", 0, {}),				 /* bl; ret */
		AFTER("\x00\x04\x00\x94\x00\x02\x1f\xd6\x01\x00\x00\x14", 0, {}),		 /* bl; br x16; b */
		AFTER("\x01\x04\x00\x94\x01\x00\x00\x14", 0, {}),				 /* bl elsewhere */
		AFTER("\x00\x04\x00\x94\x01\x00", 0, {}),					 /* cut */
	};

	(void)state;
	check_after_calls(ELF_AARCH64, cases, sizeof(cases) / sizeof(cases[0]));
	assert_int_equal(instruction_cost(ELF_AARCH64, (const uint8_t *)"\x00\x04\x00\x14", 4), INSTRUCTION_EMULATED);
}

/* objdump's line: address, tab, the bytes in hexadecimal, tab, text. */
static size_t line_bytes(const char *line, uint8_t *bytes, size_t capacity)
{
	const char *at = strchr(line, '\t'), *end = at ? strchr(at + 1, '\t') : NULL;
	size_t count = 0;

	while (end && ++at < end && count < capacity) {
		char digits[3] = {at[0], at[1], '\0'};

		if (digits[0] == ' ')
			break;
		bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
		at += 2;
	}
	return count;
}

static void every_instruction_of_the_c_library(void **state)
{
	char command[4200], line[1024];
	size_t count = 0, unknown = 0;
	Dl_info info;
	FILE *output;

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	/* A function that no sanitizer replaces. */
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info));
	snprintf(command, sizeof(command), "objdump -d -w --insn-width=16 '%s'", info.dli_fname);
	output = popen(command, "r");
	assert_non_null(output);
	while (fgets(line, sizeof(line), output)) {
		uint8_t bytes[16];
		size_t expected = line_bytes(line, bytes, sizeof(bytes)), length;

		if (!expected || strstr(line, "(bad)"))
			continue;
		length = instruction_length(bytes, expected);
		count++;
		unknown += length == 0;
		if (length != 0 && length != expected)
			fail_msg("%zu bytes: %s", length, line);
	}
	pclose(output);
	print_message("%zu instructions, %zu unknown\n", count, unknown);
	assert_true(count > 10000);
	assert_true(unknown * 1000 < count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_and_costs),
		cmocka_unit_test(probe_offsets),
		cmocka_unit_test(after_calls),
		cmocka_unit_test(after_calls_aarch64),
		cmocka_unit_test(every_instruction_of_the_c_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
