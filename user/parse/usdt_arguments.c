/* The argument text of a USDT note, as the assembler wrote its operands:
 *
 *     x86-64    8@%rdx   -4@$-1   8@152(%rdi)   -4@-60(%rbp)   8@(%rax,%rbx,8)   8@8(,%rbx,4)
 *     aarch64   8@x0     -4@5     8@[sp, 16]    8@[x1]         8@[x0, x2]        8@[x0, x2, lsl 3]
 *
 * The number before '@' is the size in bytes, negative for a signed value. A form that is not here (a symbol, %rip, a
 * vector or floating point register, a segment) gives an argument that cannot be read, and no more harm than that. */
#include <string.h>

#include "parse/usdt.h"

struct operand {
	const char *next, *end;
};

static bool take_byte(struct operand *operand, char byte)
{
	if (operand->next == operand->end || *operand->next != byte)
		return false;
	operand->next++;
	return true;
}

static void take_blanks(struct operand *operand)
{
	while (take_byte(operand, ' ') || take_byte(operand, '\t'))
		;
}

static bool is_done(const struct operand *operand)
{
	return operand->next == operand->end;
}

static int digit_value(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 99;
}

/* [+-]digits or 0x..., wrapping at 64 bits as the assembler's expressions do, but not further. */
static bool take_term(struct operand *operand, uint64_t *ret_value)
{
	bool is_negative = take_byte(operand, '-');
	unsigned int base = 10;
	uint64_t value = 0;

	if (!is_negative)
		take_byte(operand, '+');
	if (operand->end - operand->next > 2 && operand->next[0] == '0' && (operand->next[1] | 0x20) == 'x') {
		operand->next += 2;
		base = 16;
	}

	const char *first = operand->next;

	while (!is_done(operand) && (unsigned int)digit_value(*operand->next) < base) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(*operand->next), &value))
			return false;
		operand->next++;
	}
	*ret_value = is_negative ? 0 - value : value;
	return operand->next > first;
}

/* A sum of numbers: "16", "-8+4". */
static bool take_number(struct operand *operand, int64_t *ret_value)
{
	uint64_t sum, term;

	if (!take_term(operand, &sum))
		return false;
	while (!is_done(operand) && (*operand->next == '+' || *operand->next == '-')) {
		if (!take_term(operand, &term))
			return false;
		sum += term;
	}
	*ret_value = (int64_t)sum;
	return true;
}

/* ---- registers ---- */

struct register_place {
	uint8_t offset, size, high_bits; /* high_bits: how far above the register's lowest bit it begins */
};

static bool register_x86_64(const char *name, size_t length, struct register_place *ret_place)
{
	static const struct {
		const char *names[4]; /* of 8, 4, 2 and 1 bytes */
		uint8_t offset;
	} registers[] = {
		{{"rax", "eax", "ax", "al"}, PT_X86_RAX},      {{"rbx", "ebx", "bx", "bl"}, PT_X86_RBX},
		{{"rcx", "ecx", "cx", "cl"}, PT_X86_RCX},      {{"rdx", "edx", "dx", "dl"}, PT_X86_RDX},
		{{"rsi", "esi", "si", "sil"}, PT_X86_RSI},     {{"rdi", "edi", "di", "dil"}, PT_X86_RDI},
		{{"rbp", "ebp", "bp", "bpl"}, PT_X86_RBP},     {{"rsp", "esp", "sp", "spl"}, PT_X86_RSP},
		{{"r8", "r8d", "r8w", "r8b"}, PT_X86_R8},      {{"r9", "r9d", "r9w", "r9b"}, PT_X86_R9},
		{{"r10", "r10d", "r10w", "r10b"}, PT_X86_R10}, {{"r11", "r11d", "r11w", "r11b"}, PT_X86_R11},
		{{"r12", "r12d", "r12w", "r12b"}, PT_X86_R12}, {{"r13", "r13d", "r13w", "r13b"}, PT_X86_R13},
		{{"r14", "r14d", "r14w", "r14b"}, PT_X86_R14}, {{"r15", "r15d", "r15w", "r15b"}, PT_X86_R15},
	};
	static const struct {
		const char *name;
		uint8_t offset;
	} second_bytes[] = {{"ah", PT_X86_RAX}, {"bh", PT_X86_RBX}, {"ch", PT_X86_RCX}, {"dh", PT_X86_RDX}};

	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		for (size_t width = 0; width < 4; width++)
			if (strlen(registers[i].names[width]) == length &&
			    memcmp(registers[i].names[width], name, length) == 0) {
				*ret_place = (struct register_place){.offset = registers[i].offset,
								     .size = (uint8_t)(8 >> width)};
				return true;
			}
	for (size_t i = 0; i < sizeof(second_bytes) / sizeof(second_bytes[0]); i++)
		if (length == 2 && memcmp(second_bytes[i].name, name, 2) == 0) {
			*ret_place =
				(struct register_place){.offset = second_bytes[i].offset, .size = 1, .high_bits = 8};
			return true;
		}
	return false;
}

static bool register_aarch64(const char *name, size_t length, struct register_place *ret_place)
{
	unsigned int number = 0;

	if (length == 2 && memcmp(name, "sp", 2) == 0) {
		*ret_place = (struct register_place){.offset = PT_ARM64_SP, .size = 8};
		return true;
	}
	if (length < 2 || length > 3 || (name[0] != 'x' && name[0] != 'w'))
		return false;
	for (size_t i = 1; i < length; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		number = number * 10 + (unsigned int)(name[i] - '0');
	}
	if (number > 30)
		return false;
	*ret_place = (struct register_place){.offset = (uint8_t)(PT_ARM64_X0 + 8 * number),
					     .size = name[0] == 'x' ? 8 : 4};
	return true;
}

static bool take_register(struct operand *operand, enum elf_machine machine, struct register_place *ret_place)
{
	const char *name;

	if (machine == ELF_X86_64 && !take_byte(operand, '%'))
		return false;
	name = operand->next;
	while (!is_done(operand) &&
	       ((*operand->next >= 'a' && *operand->next <= 'z') || (*operand->next >= '0' && *operand->next <= '9')))
		operand->next++;
	return machine == ELF_X86_64 ? register_x86_64(name, (size_t)(operand->next - name), ret_place)
				     : register_aarch64(name, (size_t)(operand->next - name), ret_place);
}

/* ---- operands ---- */

static void narrow(struct usdt_argument_spec *spec, const struct register_place *place)
{
	/* "-4@%ax": the operand is what the register holds, not its neighbours. */
	if (place->size < spec->size)
		spec->size = place->size;
	spec->right_shift = (uint8_t)(64 - 8 * spec->size);
	spec->left_shift = (uint8_t)(spec->right_shift - place->high_bits);
}

static bool parse_constant(struct operand *operand, struct usdt_argument_spec *spec)
{
	if (!take_number(operand, &spec->value) || !is_done(operand))
		return false;
	spec->kind = USDT_ARGUMENT_CONSTANT;
	return true;
}

static bool parse_register(struct operand *operand, enum elf_machine machine, struct usdt_argument_spec *spec)
{
	struct register_place place;

	if (!take_register(operand, machine, &place) || !is_done(operand))
		return false;
	spec->kind = USDT_ARGUMENT_REGISTER;
	spec->register_offset = place.offset;
	narrow(spec, &place);
	return true;
}

static bool take_scale(struct operand *operand, struct usdt_argument_spec *spec)
{
	int64_t scale;

	if (!take_number(operand, &scale) || (scale != 1 && scale != 2 && scale != 4 && scale != 8))
		return false;
	spec->scale_shift = (uint8_t)__builtin_ctzll((unsigned long long)scale);
	return true;
}

/* disp(base,index,scale), each part but one optional. */
static bool parse_memory_x86_64(struct operand *operand, struct usdt_argument_spec *spec)
{
	struct register_place base = {}, index = {};
	bool has_base = false;

	if (!is_done(operand) && *operand->next != '(' && !take_number(operand, &spec->value))
		return false;
	if (!take_byte(operand, '('))
		return false;
	if (!is_done(operand) && *operand->next == '%') {
		if (!take_register(operand, ELF_X86_64, &base) || base.size != 8)
			return false;
		has_base = true;
	}
	spec->kind = USDT_ARGUMENT_MEMORY;
	spec->register_offset = base.offset;
	if (take_byte(operand, ',')) {
		take_blanks(operand);
		if (!take_register(operand, ELF_X86_64, &index) || index.size != 8)
			return false;
		take_blanks(operand);
		if (take_byte(operand, ',')) {
			take_blanks(operand);
			if (!take_scale(operand, spec))
				return false;
		}
		spec->kind = USDT_ARGUMENT_INDEXED;
		spec->index_offset = index.offset;
	}
	/* An index without a base has no place in the spec; with scale 1 it is a base. */
	if (!has_base && spec->kind == USDT_ARGUMENT_INDEXED && spec->scale_shift == 0) {
		spec->kind = USDT_ARGUMENT_MEMORY;
		spec->register_offset = index.offset;
		spec->index_offset = 0;
		has_base = true;
	}
	return has_base && take_byte(operand, ')') && is_done(operand);
}

/* [base], [base, number], [base, index], [base, index, lsl number]. */
static bool parse_memory_aarch64(struct operand *operand, struct usdt_argument_spec *spec)
{
	struct register_place base, index;
	int64_t shift = 0;

	if (!take_byte(operand, '[') || !take_register(operand, ELF_AARCH64, &base) || base.size != 8)
		return false;
	spec->kind = USDT_ARGUMENT_MEMORY;
	spec->register_offset = base.offset;
	take_blanks(operand);
	if (take_byte(operand, ',')) {
		take_blanks(operand);
		if (!is_done(operand) && *operand->next == 'x') {
			if (!take_register(operand, ELF_AARCH64, &index))
				return false;
			spec->kind = USDT_ARGUMENT_INDEXED;
			spec->index_offset = index.offset;
			take_blanks(operand);
			if (take_byte(operand, ',')) {
				take_blanks(operand);
				if (!take_byte(operand, 'l') || !take_byte(operand, 's') || !take_byte(operand, 'l'))
					return false;
				take_blanks(operand);
				take_byte(operand, '#');
				if (!take_number(operand, &shift) || shift < 0 || shift > 4)
					return false;
				spec->scale_shift = (uint8_t)shift;
			}
		} else {
			take_byte(operand, '#');
			if (!take_number(operand, &spec->value))
				return false;
		}
	}
	return take_byte(operand, ']') && is_done(operand);
}

static bool parse_operand(struct operand operand, enum elf_machine machine, struct usdt_argument_spec *spec)
{
	if (is_done(&operand))
		return false;
	if (machine == ELF_X86_64) {
		if (take_byte(&operand, '$'))
			return parse_constant(&operand, spec);
		if (*operand.next == '%')
			return parse_register(&operand, machine, spec);
		return parse_memory_x86_64(&operand, spec);
	}
	if (machine == ELF_AARCH64) {
		char first = *operand.next;

		if (first == '[')
			return parse_memory_aarch64(&operand, spec);
		if (first == 'x' || first == 'w' || first == 's')
			return parse_register(&operand, machine, spec);
		take_byte(&operand, '#');
		return parse_constant(&operand, spec);
	}
	return false;
}

static struct usdt_argument_spec parse_argument(struct operand text, enum elf_machine machine)
{
	struct usdt_argument_spec spec = {}, none = {};
	int64_t size;

	if (!take_number(&text, &size) || !take_byte(&text, '@') || size < -8 || size > 8)
		return none;
	spec.is_signed = size < 0;
	spec.size = (uint8_t)(size < 0 ? -size : size);
	if (spec.size != 1 && spec.size != 2 && spec.size != 4 && spec.size != 8)
		return none;
	spec.left_shift = spec.right_shift = (uint8_t)(64 - 8 * spec.size);
	return parse_operand(text, machine, &spec) ? spec : none;
}

bool usdt_arguments_parse(const char *arguments, enum elf_machine machine, struct usdt_site_spec *ret_spec)
{
	struct usdt_site_spec spec = {};
	const char *at = arguments;

	for (;;) {
		struct operand argument;
		int depth = 0;

		at += strspn(at, " \t");
		if (*at == '\0')
			break;
		/* Blanks inside brackets belong to the operand. */
		argument.next = at;
		for (; *at && (depth > 0 || (*at != ' ' && *at != '\t')); at++) {
			if (*at == '(' || *at == '[')
				depth++;
			else if ((*at == ')' || *at == ']') && --depth < 0)
				return false;
		}
		if (depth != 0)
			return false;
		argument.end = at;
		if (spec.argument_count < USDT_ARGUMENTS_MAX)
			spec.arguments[spec.argument_count++] = parse_argument(argument, machine);
	}
	*ret_spec = spec;
	return true;
}
