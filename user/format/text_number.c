#include "format/text_number.h"

const struct number_unit number_times[] = {
	{"", 1, 0}, {"ns", 1, 0}, {"us", 1000, 3}, {"ms", 1000000, 6}, {"s", 1000000000, 9}, {},
};
const struct number_unit number_sizes[] = {
	{"", 1, 0}, {"KiB", 1 << 10, 0}, {"MiB", 1 << 20, 0}, {"GiB", 1 << 30, 0}, {},
};
const struct number_unit number_plain[] = {{"", 1, 0}, {}};

int number_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	return 16;
}

/* Digits up to the first byte that is none in the base. False on overflow and without any. */
static bool take_digits(struct span *text, unsigned base, uint64_t *ret_value, unsigned *ret_count)
{
	uint64_t value = 0;
	unsigned count = 0;

	for (; text->at < text->end && (unsigned)number_digit(*text->at) < base; text->at++, count++)
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)number_digit(*text->at), &value))
			return false;
	*ret_value = value;
	*ret_count = count;
	return count > 0;
}

bool number_parse(struct span text, const struct number_unit *units, uint64_t *ret_value)
{
	uint64_t value, fraction = 0;
	unsigned digits, decimals = 0;

	if (span_length(text) > 2 && text.at[0] == '0' && text.at[1] == 'x') {
		text.at += 2;
		return take_digits(&text, 16, ret_value, &digits) && text.at == text.end;
	}
	if (!take_digits(&text, 10, &value, &digits))
		return false;
	if (text.at < text.end && *text.at == '.') {
		text.at++;
		if (!take_digits(&text, 10, &fraction, &decimals))
			return false;
	}
	while (units->name && !span_is(text, units->name))
		units++;
	if (!units->name || decimals > units->decimals)
		return false;
	for (; decimals < units->decimals; decimals++)
		fraction *= 10;
	return !__builtin_mul_overflow(value, units->factor, &value) &&
	       !__builtin_add_overflow(value, fraction, ret_value);
}

bool number_parse_u32(struct span text, uint32_t *ret_value)
{
	uint64_t value;

	if (!number_parse(text, number_plain, &value) || value > UINT32_MAX)
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

static bool parse_errno(struct span text, uint64_t *ret_value)
{
	enum { ERRNO_END = 4096 }; /* the kernel's results below are errors */

	for (int number = 1; number < ERRNO_END; number++) {
		const char *name = strerrorname_np(number);

		if (name && span_is(text, name)) {
			*ret_value = (uint64_t)number;
			return true;
		}
	}
	return false;
}

bool number_parse_signed(struct span text, uint64_t *ret_value)
{
	bool is_negative = text.at < text.end && *text.at == '-';
	uint64_t value;

	text.at += is_negative;
	if (!number_parse(text, number_plain, &value) && !(is_negative && parse_errno(text, &value)))
		return false;
	if (value > (uint64_t)INT64_MAX + is_negative)
		return false;
	*ret_value = is_negative ? 0 - value : value;
	return true;
}
