/* A length decoder for x86-64, by opcode map: enough to walk compiled code, no more. Opcodes that compilers do not
 * emit in user code are unknown. */
#include "parse/instruction_decode.h"

enum {
	INSTRUCTION_MAX_BYTES = 15, /* what the processor accepts */
};

enum immediate {
	IMMEDIATE_NONE,
	IMMEDIATE_BYTE,
	IMMEDIATE_WORD,
	IMMEDIATE_OPERAND, /* 4 bytes, 2 with an operand size prefix */
	IMMEDIATE_FULL,	   /* likewise, 8 with REX.W */
	IMMEDIATE_BRANCH,  /* 4 bytes; with an operand size prefix and no REX.W processors disagree */
	IMMEDIATE_ENTER,   /* 3 bytes */
	IMMEDIATE_OFFSET,  /* an address: 8 bytes, 4 with an address size prefix */
};

struct shape {
	bool is_known, has_modrm;
	enum immediate immediate;
};

static struct shape plain(enum immediate immediate)
{
	return (struct shape){.is_known = true, .immediate = immediate};
}

static struct shape modrm(enum immediate immediate)
{
	return (struct shape){.is_known = true, .has_modrm = true, .immediate = immediate};
}

static struct shape unknown(void)
{
	return (struct shape){};
}

/* 0x00-0x3f: eight arithmetic operations of one pattern. */
static struct shape shape_arithmetic(uint8_t opcode)
{
	switch (opcode & 7) {
	case 4:
		return plain(IMMEDIATE_BYTE);
	case 5:
		return plain(IMMEDIATE_OPERAND);
	case 6:
	case 7:
		return unknown();
	default:
		return modrm(IMMEDIATE_NONE);
	}
}

/* `reg` is bits 3-5 of the byte after the opcode: group opcodes differ by it. */
static struct shape shape_one_byte(uint8_t opcode, unsigned int reg)
{
	if (opcode < 0x40)
		return shape_arithmetic(opcode);
	switch (opcode) {
	case 0x50 ... 0x5f:
	case 0x6c ... 0x6f:
	case 0x90 ... 0x99:
	case 0x9b ... 0x9f:
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
	case 0xc3:
	case 0xc9:
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xd7:
	case 0xec ... 0xef:
	case 0xf1:
	case 0xf4:
	case 0xf5:
	case 0xf8 ... 0xfd:
		return plain(IMMEDIATE_NONE);
	case 0x6a:
	case 0x70 ... 0x7f:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return plain(IMMEDIATE_BYTE);
	case 0x68:
	case 0xa9:
		return plain(IMMEDIATE_OPERAND);
	case 0xa0 ... 0xa3:
		return plain(IMMEDIATE_OFFSET);
	case 0xb8 ... 0xbf:
		return plain(IMMEDIATE_FULL);
	case 0xc2:
	case 0xca:
		return plain(IMMEDIATE_WORD);
	case 0xc8:
		return plain(IMMEDIATE_ENTER);
	case 0xe8:
	case 0xe9:
		return plain(IMMEDIATE_BRANCH);
	case 0x63:
	case 0x84 ... 0x8e:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
		return modrm(IMMEDIATE_NONE);
	case 0x8f:
		return reg == 0 ? modrm(IMMEDIATE_NONE) : unknown();
	case 0xfe:
		return reg <= 1 ? modrm(IMMEDIATE_NONE) : unknown();
	case 0xff:
		return reg <= 6 ? modrm(IMMEDIATE_NONE) : unknown();
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
		return modrm(IMMEDIATE_BYTE);
	case 0xc6:
		return reg == 0 ? modrm(IMMEDIATE_BYTE) : unknown();
	case 0x69:
	case 0x81:
		return modrm(IMMEDIATE_OPERAND);
	case 0xc7:
		return reg == 0 ? modrm(IMMEDIATE_OPERAND) : unknown();
	case 0xf6: /* test has an immediate, the others of the group have none */
		return modrm(reg <= 1 ? IMMEDIATE_BYTE : IMMEDIATE_NONE);
	case 0xf7:
		return modrm(reg <= 1 ? IMMEDIATE_OPERAND : IMMEDIATE_NONE);
	default:
		return unknown();
	}
}

static struct shape shape_0f(uint8_t opcode)
{
	switch (opcode) {
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x0f:
	case 0x24 ... 0x27:
	case 0x36:
	case 0x38 ... 0x3f:
	case 0x7a:
	case 0x7b:
	case 0xa6:
	case 0xa7:
		return unknown();
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x0e:
	case 0x30 ... 0x35:
	case 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return plain(IMMEDIATE_NONE);
	case 0x80 ... 0x8f:
		return plain(IMMEDIATE_BRANCH);
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return modrm(IMMEDIATE_BYTE);
	default:
		return modrm(IMMEDIATE_NONE);
	}
}

static size_t immediate_bytes(const struct instruction *decoded, enum immediate immediate)
{
	switch (immediate) {
	case IMMEDIATE_NONE:
		return 0;
	case IMMEDIATE_BYTE:
		return 1;
	case IMMEDIATE_WORD:
		return 2;
	case IMMEDIATE_ENTER:
		return 3;
	case IMMEDIATE_BRANCH:
		return 4;
	case IMMEDIATE_FULL:
		if (decoded->is_wide)
			return 8;
		return decoded->has_operand_prefix ? 2 : 4;
	case IMMEDIATE_OPERAND:
		return decoded->has_operand_prefix && !decoded->is_wide ? 2 : 4;
	case IMMEDIATE_OFFSET:
		return decoded->has_address_prefix ? 4 : 8;
	}
	return 0;
}

/* ModRM, SIB and displacement at `at`; 0: they do not fit. */
static size_t address_bytes(const uint8_t *bytes, size_t length, size_t at)
{
	unsigned int mode, place;
	size_t size = 1;

	if (at >= length)
		return 0;
	mode = bytes[at] >> 6;
	place = bytes[at] & 7;
	if (mode == 3)
		return 1;
	if (place == 4) {
		if (at + 1 >= length)
			return 0;
		if (mode == 0 && (bytes[at + 1] & 7) == 5)
			size += 4;
		size++;
	} else if (mode == 0 && place == 5) {
		size += 4;
	}
	if (mode == 1)
		size += 1;
	else if (mode == 2)
		size += 4;
	return size;
}

static bool is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64 ... 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

/* VEX and EVEX: sets the map and moves *at to the opcode. False where the form is not known. */
static bool decode_vector_prefix(const uint8_t *bytes, size_t length, size_t *at, struct instruction *decoded)
{
	size_t prefix = bytes[*at] == 0xc5 ? 2 : bytes[*at] == 0xc4 ? 3 : 4;
	unsigned int map = 1;

	if (length - *at <= prefix)
		return false;
	if (prefix == 3)
		map = bytes[*at + 1] & 0x1f;
	if (prefix == 4) {
		map = bytes[*at + 1] & 7;
		/* Fixed bits: otherwise it is one of the extensions that share the prefix. */
		if ((bytes[*at + 1] & 0x08) || !(bytes[*at + 2] & 0x04))
			return false;
	}
	if (map < 1 || map > 3)
		return false;
	decoded->map = map == 1 ? MAP_0F : map == 2 ? MAP_0F38 : MAP_0F3A;
	decoded->is_vector = true;
	*at += prefix;
	return true;
}

static bool decode_opcode(const uint8_t *bytes, size_t length, struct instruction *decoded)
{
	size_t at = 0;

	while (at < length && is_legacy_prefix(bytes[at])) {
		decoded->has_operand_prefix |= bytes[at] == 0x66;
		decoded->has_address_prefix |= bytes[at] == 0x67;
		at++;
	}
	if (at < length && (bytes[at] & 0xf0) == 0x40)
		decoded->is_wide = bytes[at++] & 0x08;
	if (at >= length)
		return false;
	if (bytes[at] == 0xc4 || bytes[at] == 0xc5 || bytes[at] == 0x62) {
		if (!decode_vector_prefix(bytes, length, &at, decoded))
			return false;
	} else if (bytes[at] == 0x0f) {
		if (++at >= length)
			return false;
		decoded->map = MAP_0F;
		if (bytes[at] == 0x38 || bytes[at] == 0x3a) {
			decoded->map = bytes[at] == 0x38 ? MAP_0F38 : MAP_0F3A;
			at++;
		}
	}
	decoded->opcode_at = at;
	return at < length;
}

bool instruction_decode(const uint8_t *bytes, size_t length, struct instruction *ret_decoded)
{
	struct instruction decoded = {};
	struct shape shape;
	size_t at;

	if (length > INSTRUCTION_MAX_BYTES)
		length = INSTRUCTION_MAX_BYTES;
	if (!decode_opcode(bytes, length, &decoded))
		return false;
	at = decoded.opcode_at + 1;
	if (decoded.map == MAP_ONE_BYTE)
		shape = shape_one_byte(bytes[decoded.opcode_at], at < length ? (bytes[at] >> 3) & 7 : 0);
	else if (decoded.map == MAP_0F)
		shape = shape_0f(bytes[decoded.opcode_at]);
	else
		shape = modrm(decoded.map == MAP_0F3A ? IMMEDIATE_BYTE : IMMEDIATE_NONE);
	if (!shape.is_known ||
	    (shape.immediate == IMMEDIATE_BRANCH && decoded.has_operand_prefix && !decoded.is_wide))
		return false;
	if (shape.has_modrm) {
		size_t address = address_bytes(bytes, length, at);

		if (!address)
			return false;
		decoded.modrm_at = at;
		at += address;
	}
	at += immediate_bytes(&decoded, shape.immediate);
	if (at > length)
		return false;
	decoded.length = at;
	*ret_decoded = decoded;
	return true;
}

size_t instruction_length(const uint8_t *bytes, size_t length_bytes)
{
	struct instruction decoded;

	return instruction_decode(bytes, length_bytes, &decoded) ? decoded.length : 0;
}
