/* One x86-64 instruction taken apart, as far as walking code needs. Internal to parse. */
#pragma once

#include "parse/instruction.h"

enum opcode_map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };

struct instruction {
	size_t opcode_at; /* of the last opcode byte */
	size_t modrm_at;  /* 0: none */
	size_t length;
	enum opcode_map map;
	bool has_operand_prefix, has_address_prefix, is_wide, is_vector; /* is_vector: VEX or EVEX */
};

/* False where the instruction is not known or does not fit. */
bool instruction_decode(const uint8_t *bytes, size_t length, struct instruction *ret_decoded);
