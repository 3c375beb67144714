/* The first instructions of a function, for choosing where a uprobe goes.
 *
 * On x86-64 the kernel emulates push of a register, nop, and relative jmp, call and jcc at a probe, and single-steps
 * all other instructions out of line, which was measured at 23-44 us a hit instead of 0.6. Code is read from files
 * that may be anybody's: what is not recognised is reported as unknown, and unknown means "do not". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse/elf.h"

enum instruction_cost {
	INSTRUCTION_UNKNOWN = 0, /* cannot be decoded: do not probe there */
	INSTRUCTION_EMULATED,	 /* cheap */
	INSTRUCTION_STEPPED,	 /* single-stepped: expensive */
};

/* The length in bytes of the x86-64 instruction at bytes, 0 where it is not known or does not fit. */
size_t instruction_length(const uint8_t *bytes, size_t length_bytes);

enum instruction_cost instruction_cost(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes);

/* Where to probe the function that begins at `bytes`, so that arguments are still in their registers and the stack
 * pointer is the entry's: 0, or 4 where an endbr64 is followed by an emulated instruction. Returns the cost at that
 * offset. On aarch64 always 0. */
enum instruction_cost instruction_probe_offset(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes,
					       size_t *ret_offset);

/* Where in a function, whose bytes are given whole and lie at `address`, a direct call of `callee` has just returned: for each such
 * call the offset of the first emulated instruction behind it, with nothing between that leaves the straight line. The stack
 * pointer there is the caller's. Returns how many there are, at most `capacity`; 0 where there is no such call, where code cannot
 * be decoded to the function's end, or where one of the calls has no such place behind it. */
size_t instruction_after_calls(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes, uint64_t address,
			       uint64_t callee, size_t *ret_offsets, size_t capacity);
