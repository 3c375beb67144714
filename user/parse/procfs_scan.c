#include "parse/procfs_scan.h"

#include <string.h>

bool scan_line(struct procfs_text *text, struct procfs_text *ret_line)
{
	const char *end;

	if (text->next >= text->end)
		return false;
	end = memchr(text->next, '\n', (size_t)(text->end - text->next));
	*ret_line = (struct procfs_text){.next = text->next, .end = end ? end : text->end};
	text->next = end ? end + 1 : text->end;
	return true;
}

static int digit_of(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'z' ? byte - 'a' + 10 : 99;
}

bool scan_unsigned(struct procfs_text *text, unsigned int base, uint64_t *ret_value)
{
	const char *at = text->next;
	uint64_t value = 0;

	while (at < text->end && (unsigned int)digit_of(*at) < base) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_of(*at), &value))
			return false;
		at++;
	}
	if (at == text->next)
		return false;
	text->next = at;
	*ret_value = value;
	return true;
}

bool scan_byte(struct procfs_text *text, char byte)
{
	if (text->next == text->end || *text->next != byte)
		return false;
	text->next++;
	return true;
}

void scan_blanks(struct procfs_text *text)
{
	while (text->next < text->end && (*text->next == ' ' || *text->next == '\t'))
		text->next++;
}

struct procfs_string scan_word(struct procfs_text *text)
{
	struct procfs_string word = {.text = text->next};

	while (text->next < text->end && *text->next != ' ' && *text->next != '\t')
		text->next++;
	word.length_bytes = (size_t)(text->next - word.text);
	return word;
}

struct procfs_string scan_rest(struct procfs_text *text)
{
	struct procfs_string rest = {.text = text->next, .length_bytes = (size_t)(text->end - text->next)};

	text->next = text->end;
	return rest;
}

bool scan_device(struct procfs_text *text, unsigned int base, uint32_t *ret_major, uint32_t *ret_minor)
{
	uint64_t major, minor;

	if (!scan_unsigned(text, base, &major) || !scan_byte(text, ':') || !scan_unsigned(text, base, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	*ret_major = (uint32_t)major;
	*ret_minor = (uint32_t)minor;
	return true;
}

bool scan_key(struct procfs_text *line, struct procfs_string *ret_key)
{
	const char *colon = memchr(line->next, ':', (size_t)(line->end - line->next));

	if (!colon)
		return false;
	*ret_key = (struct procfs_string){.text = line->next, .length_bytes = (size_t)(colon - line->next)};
	line->next = colon + 1;
	scan_blanks(line);
	return true;
}

static bool scan_sized(struct procfs_text line, uint64_t *ret_value)
{
	uint64_t value;

	if (!scan_unsigned(&line, 10, &value))
		return false;
	scan_blanks(&line);
	if (procfs_string_is(scan_word(&line), "kB") && __builtin_mul_overflow(value, 1024, &value))
		return false;
	*ret_value = value;
	return true;
}

void scan_fields(struct procfs_text line, const struct scan_field *fields, size_t count)
{
	struct procfs_string key;

	if (!scan_key(&line, &key))
		return;
	for (size_t i = 0; i < count; i++)
		if (procfs_string_is(key, fields[i].key))
			scan_sized(line, fields[i].value);
}

void scan_fields_unknown(const struct scan_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*fields[i].value = PROCFS_UNKNOWN;
}
