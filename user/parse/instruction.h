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

/* Whether a return probe on a callee is safe as far as this caller goes: the function reaches `callee` only by calls
 * and never leaves by a jump out of itself (a tail jump would hand its own return address to the callee).
 * Conservative: code that cannot be decoded to the end counts as a tail jump. The bytes are the whole function. */
bool instruction_has_tail_jump(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes);

/* The call instructions in the function, direct and indirect; false where the code cannot be decoded to the end. */
bool instruction_count_calls(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes, size_t *ret_calls);
