#include "parse/instruction_decode.h"

/* ---- what the kernel does at a probe ---- */

/* As arch/x86/kernel/uprobes.c: branch_setup_xol_ops and push_setup_xol_ops. */
static enum instruction_cost cost_x86_64(const uint8_t *bytes, size_t length)
{
	struct instruction decoded;
	uint8_t opcode;

	if (!instruction_decode(bytes, length, &decoded))
		return INSTRUCTION_UNKNOWN;
	if (decoded.is_vector)
		return INSTRUCTION_STEPPED;
	opcode = bytes[decoded.opcode_at];
	/* The kernel refuses probes on branches with an operand size prefix. */
	if (decoded.map == MAP_0F && (opcode & 0xf0) == 0x80)
		return decoded.has_operand_prefix ? INSTRUCTION_UNKNOWN : INSTRUCTION_EMULATED;
	if (decoded.map != MAP_ONE_BYTE)
		return INSTRUCTION_STEPPED;
	if ((opcode & 0xf8) == 0x50) {
		bool is_plain = decoded.length == 1 || (decoded.length == 2 && bytes[0] == 0x41);

		return is_plain ? INSTRUCTION_EMULATED : INSTRUCTION_STEPPED;
	}
	/* xchg %r8,%rax is a nop's opcode with a REX prefix. The kernel takes it for a nop; a probe there would
	 * change the program. */
	if (opcode == 0x90)
		return decoded.opcode_at > 0 && (bytes[decoded.opcode_at - 1] & 0xf1) == 0x41 ? INSTRUCTION_UNKNOWN
											      : INSTRUCTION_EMULATED;
	if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb || (opcode & 0xf0) == 0x70)
		return decoded.has_operand_prefix ? INSTRUCTION_UNKNOWN : INSTRUCTION_EMULATED;
	return INSTRUCTION_STEPPED;
}

static uint32_t word_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool is_branch_aarch64(uint32_t word, int64_t *ret_distance)
{
	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		*ret_distance = (int64_t)((uint64_t)word << 38) >> 36;
	else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz, cbnz */
		*ret_distance = (int64_t)((uint64_t)(word >> 5) << 45) >> 43;
	else if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		*ret_distance = (int64_t)((uint64_t)(word >> 5) << 50) >> 48;
	else
		return false;
	return true;
}

enum instruction_cost instruction_cost(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes)
{
	int64_t distance;

	if (machine == ELF_X86_64)
		return cost_x86_64(bytes, length_bytes);
	if (machine != ELF_AARCH64 || length_bytes < 4)
		return INSTRUCTION_UNKNOWN;
	return is_branch_aarch64(word_at(bytes), &distance) ? INSTRUCTION_EMULATED : INSTRUCTION_STEPPED;
}

enum instruction_cost instruction_probe_offset(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes,
					       size_t *ret_offset)
{
	enum { ENDBR64_BYTES = 4 };
	bool is_endbr64 = machine == ELF_X86_64 && length_bytes > ENDBR64_BYTES && word_at(bytes) == 0xfa1e0ff3;

	*ret_offset = 0;
	if (is_endbr64 &&
	    instruction_cost(machine, bytes + ENDBR64_BYTES, length_bytes - ENDBR64_BYTES) == INSTRUCTION_EMULATED) {
		*ret_offset = ENDBR64_BYTES;
		return INSTRUCTION_EMULATED;
	}
	return instruction_cost(machine, bytes, length_bytes);
}

/* ---- whole functions ---- */

static int64_t signed_at(const uint8_t *bytes, size_t size)
{
	return size == 1 ? (int8_t)bytes[0] : (int32_t)word_at(bytes);
}

/* Whether the x86-64 instruction may go on outside the function by a jump. */
static bool jumps_out_x86_64(const uint8_t *bytes, const struct instruction *decoded, uint64_t at, uint64_t length)
{
	uint8_t opcode = bytes[decoded->opcode_at];
	size_t operand = decoded->opcode_at + 1;
	size_t size = 0;
	uint64_t target;

	if (decoded->is_vector)
		return false;
	if (decoded->map == MAP_0F && (opcode & 0xf0) == 0x80)
		size = 4;
	else if (decoded->map == MAP_ONE_BYTE && opcode == 0xe9)
		size = 4;
	else if (decoded->map == MAP_ONE_BYTE &&
		 (opcode == 0xeb || (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0))
		size = 1;
	else if (decoded->map == MAP_ONE_BYTE && opcode == 0xff) {
		unsigned int reg = (bytes[decoded->modrm_at] >> 3) & 7;

		return reg == 4 || reg == 5; /* through a register or memory: nobody knows where to */
	}
	if (!size)
		return false;
	target = at + decoded->length + (uint64_t)signed_at(bytes + operand, size);
	return target >= length;
}

static bool is_call_x86_64(const uint8_t *bytes, const struct instruction *decoded)
{
	uint8_t opcode = bytes[decoded->opcode_at];

	if (decoded->map != MAP_ONE_BYTE || decoded->is_vector)
		return false;
	return opcode == 0xe8 || (opcode == 0xff && ((bytes[decoded->modrm_at] >> 3) & 6) == 2);
}

/* Walks the function; false where it cannot be decoded to its end. */
static bool walk_x86_64(const uint8_t *bytes, size_t length, bool *ret_jumps_out, size_t *ret_calls)
{
	size_t at = 0;

	*ret_jumps_out = false;
	*ret_calls = 0;
	while (at < length) {
		struct instruction decoded;

		if (!instruction_decode(bytes + at, length - at, &decoded))
			return false;
		*ret_jumps_out |= jumps_out_x86_64(bytes + at, &decoded, at, length);
		*ret_calls += is_call_x86_64(bytes + at, &decoded);
		at += decoded.length;
	}
	return length > 0;
}

static bool walk_aarch64(const uint8_t *bytes, size_t length, bool *ret_jumps_out, size_t *ret_calls)
{
	*ret_jumps_out = false;
	*ret_calls = 0;
	for (size_t at = 0; at + 4 <= length; at += 4) {
		uint32_t word = word_at(bytes + at);
		int64_t distance;

		if ((word & 0xfc000000) == 0x94000000 || (word & 0xfefff800) == 0xd63f0000)
			++*ret_calls; /* bl; blr, blraa ... */
		else if ((word & 0xfefff800) == 0xd61f0000)
			*ret_jumps_out = true; /* br, braa ... */
		else if (is_branch_aarch64(word, &distance) && at + (uint64_t)distance >= length)
			*ret_jumps_out = true;
	}
	return length > 0 && length % 4 == 0;
}

static bool walk(enum elf_machine machine, const uint8_t *bytes, size_t length, bool *ret_jumps_out,
		 size_t *ret_calls)
{
	if (machine == ELF_X86_64)
		return walk_x86_64(bytes, length, ret_jumps_out, ret_calls);
	if (machine == ELF_AARCH64)
		return walk_aarch64(bytes, length, ret_jumps_out, ret_calls);
	return false;
}

bool instruction_has_tail_jump(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes)
{
	bool jumps_out;
	size_t calls;

	return !walk(machine, bytes, length_bytes, &jumps_out, &calls) || jumps_out;
}

bool instruction_count_calls(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes, size_t *ret_calls)
{
	bool jumps_out;
	size_t calls;

	if (!walk(machine, bytes, length_bytes, &jumps_out, &calls))
		return false;
	*ret_calls = calls;
	return true;
}
