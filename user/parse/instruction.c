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

/* What a walk through a function asks of each instruction. */
struct step {
	size_t length;	   /* 0: not known */
	bool is_call;	   /* direct, to target */
	bool ends_line;	   /* nothing is known of what runs after it: a return, an indirect jump, a trap */
	uint64_t target;
};

static struct step step_x86_64(const uint8_t *bytes, size_t length, uint64_t address)
{
	struct instruction decoded;

	if (!instruction_decode(bytes, length, &decoded))
		return (struct step){};

	struct step step = {.length = decoded.length};
	uint8_t opcode = bytes[decoded.opcode_at];

	if (decoded.is_vector)
		return step;
	if (decoded.map == MAP_ONE_BYTE && opcode == 0xe8) {
		step.is_call = true;
		step.target = address + decoded.length +
			      (uint64_t)(int64_t)(int32_t)word_at(bytes + decoded.opcode_at + 1);
	} else if (decoded.map == MAP_ONE_BYTE && opcode == 0xff) {
		unsigned int reg = (bytes[decoded.modrm_at] >> 3) & 7;

		step.ends_line = reg == 4 || reg == 5; /* jmp through a register or memory */
	} else if (decoded.map == MAP_ONE_BYTE) {
		/* ret, int3, hlt; loop and jrcxz may go elsewhere */
		step.ends_line = (opcode & 0xf6) == 0xc2 || opcode == 0xcc || opcode == 0xf4 || (opcode & 0xfc) == 0xe0;
	} else {
		step.ends_line = decoded.map == MAP_0F && opcode == 0x0b; /* ud2 */
	}
	return step;
}

static struct step step_aarch64(const uint8_t *bytes, size_t length, uint64_t address)
{
	uint32_t word = length >= 4 ? word_at(bytes) : 0;
	struct step step = {.length = length >= 4 ? 4 : 0};
	int64_t distance;

	if ((word & 0xfc000000) == 0x94000000 && is_branch_aarch64(word, &distance)) { /* bl */
		step.is_call = true;
		step.target = address + (uint64_t)distance;
	}
	/* br, ret and their authenticated forms; brk and the rest of the exceptions */
	step.ends_line = (word & 0xfebf0000) == 0xd61f0000 || (word & 0xff000000) == 0xd4000000 || word >> 16 == 0;
	return step;
}

static struct step step_at(enum elf_machine machine, const uint8_t *bytes, size_t length, uint64_t address)
{
	if (machine == ELF_X86_64)
		return step_x86_64(bytes, length, address);
	if (machine == ELF_AARCH64)
		return step_aarch64(bytes, length, address);
	return (struct step){};
}

size_t instruction_after_calls(enum elf_machine machine, const uint8_t *bytes, size_t length_bytes, uint64_t address,
			       uint64_t callee, size_t *ret_offsets, size_t capacity)
{
	bool is_behind = false; /* a call of the callee, and no place for it yet */
	size_t count = 0;

	for (size_t at = 0; at < length_bytes;) {
		const struct step step = step_at(machine, bytes + at, length_bytes - at, address + at);

		if (!step.length)
			return 0;
		if (is_behind && instruction_cost(machine, bytes + at, length_bytes - at) == INSTRUCTION_EMULATED) {
			if (count == capacity)
				return 0;
			ret_offsets[count++] = at;
			is_behind = false;
		}
		if (is_behind && step.ends_line)
			return 0;
		is_behind |= step.is_call && step.target == callee;
		at += step.length;
	}
	return is_behind ? 0 : count;
}
