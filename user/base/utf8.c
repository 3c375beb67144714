#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"

/* The bytes that may follow a lead byte (Unicode, table 3-7): the second byte's range shuts out overlong forms,
 * surrogates and what lies beyond U+10FFFF. */
struct lead {
	unsigned char first, last, second_first, second_last, length;
};

static const struct lead leads[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

int32_t utf8_next(const char **at, const char *end)
{
	unsigned char first = (unsigned char)*(*at)++;

	if (first < 0x80)
		return first;
	for (size_t i = 0; i < array_length(leads); i++) {
		const struct lead *lead = &leads[i];

		if (first < lead->first || first > lead->last)
			continue;

		int32_t character = first & (0xff >> (lead->length + 1));

		for (unsigned n = 1; n < lead->length; n++) {
			unsigned char lowest = n == 1 ? lead->second_first : 0x80;
			unsigned char highest = n == 1 ? lead->second_last : 0xbf;

			if (*at >= end)
				return UTF8_INVALID;

			unsigned char next = (unsigned char)**at;

			if (next < lowest || next > highest)
				return UTF8_INVALID;
			character = character << 6 | (next & 0x3f);
			(*at)++;
		}
		return character;
	}
	return UTF8_INVALID;
}

struct range {
	int32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, int32_t character)
{
	for (size_t i = 0; i < count; i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

/* The blocks that hold combining marks only, and the marks of the scripts met most. The C library's wcwidth would
 * need a locale and differ between machines, and a report must not. */
static const struct range combining[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x06d6, 0x06dc},
	{0x0900, 0x0902}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
};

static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0xa4cf},   {0xa960, 0xa97f}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff},   {0xfe30, 0xfe6f},	{0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

/* Controls, soft hyphen, zero-width and direction marks, line and paragraph separators, variation selectors, private
 * use, fillers that look like blanks, interlinear and tag characters. */
static const struct range invisible[] = {
	{0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160},
	{0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
	{0xe000, 0xf8ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xe0000, 0x10ffff},
};

unsigned utf8_character_columns(int32_t character)
{
	if (character < 0x300)
		return 1;
	if (is_in(combining, array_length(combining), character))
		return 0;
	return is_in(wide, array_length(wide), character) ? 2 : 1;
}

bool utf8_is_visible(int32_t character)
{
	if (character >= 0x20 && character < 0x7f)
		return true;
	return character >= 0 && (character & 0xfffe) != 0xfffe &&
	       !is_in(invisible, array_length(invisible), character);
}

/* What our own words use beyond ASCII. */
static const struct {
	int32_t character;
	const char *ascii;
} spellings[] = {
	{0xa0, " "},	 {0xb1, "+-"},	 {0xb5, "u"},	 {0xb7, "-"},	 {0xd7, "x"},
	{0x2010, "-"},	 {0x2011, "-"},	 {0x2012, "-"},	 {0x2013, "-"},	 {0x2014, "-"},
	{0x2018, "'"},	 {0x2019, "'"},	 {0x201c, "\""}, {0x201d, "\""}, {0x2022, "*"},
	{0x2026, "..."}, {0x202f, " "},	 {0x2190, "<-"}, {0x2192, "->"}, {0x2212, "-"},
	{0x2248, "~"},	 {0x2260, "!="}, {0x2264, "<="}, {0x2265, ">="}, {0x3bc, "u"},
};

static const char *spelling_of(int32_t character)
{
	for (size_t i = 0; i < array_length(spellings); i++)
		if (spellings[i].character == character)
			return spellings[i].ascii;
	return NULL;
}

/* A pile of combining marks runs over the lines above and below: more than this many in a row are escaped. */
enum { MARKS_IN_A_ROW = 3, ESCAPE_BYTES = sizeof("\\U0010ffff") };

char *utf8_safe(struct arena *arena, const char *text, bool has_utf8)
{
	size_t length = strlen(text);
	const char *end = text + length;
	/* A stray byte becomes four; a character of two to four bytes at most ten. */
	size_t room = length * 5 + 1;
	char *safe = arena_alloc(arena, room), *out = safe;
	unsigned marks = 0;

	for (const char *at = text; at < end;) {
		const char *start = at;
		int32_t character = utf8_next(&at, end);

		if (character == UTF8_INVALID) {
			for (; start < at; start++)
				out += snprintf(out, ESCAPE_BYTES, "\\x%02x", (unsigned char)*start);
			marks = 0;
			continue;
		}
		marks = utf8_character_columns(character) ? 0 : marks + 1;

		const char *ascii = has_utf8 ? NULL : spelling_of(character);
		bool is_kept =
			utf8_is_visible(character) && (character < 0x7f || has_utf8) && marks <= MARKS_IN_A_ROW;

		if (is_kept) {
			memcpy(out, start, (size_t)(at - start));
			out += at - start;
		} else if (ascii) {
			out += snprintf(out, ESCAPE_BYTES, "%s", ascii);
		} else {
			const char *format = character < 0x100	   ? "\\x%02x"
					     : character < 0x10000 ? "\\u%04x"
								   : "\\U%08x";

			out += snprintf(out, ESCAPE_BYTES, format, (unsigned)character);
		}
	}
	*out = 0;
	return safe;
}

size_t utf8_columns(const char *safe_text)
{
	size_t columns = 0;
	const char *end = safe_text + strlen(safe_text);

	for (const char *at = safe_text; at < end;)
		columns += utf8_character_columns(utf8_next(&at, end));
	return columns;
}

/* The longest start of the text that is at most so many columns wide; its end is returned. */
static const char *start_of_columns(const char *text, size_t columns)
{
	const char *end = text + strlen(text), *fits = text;

	for (const char *at = text; at < end; fits = at) {
		size_t next = utf8_character_columns(utf8_next(&at, end));

		if (next > columns)
			break;
		columns -= next;
	}
	return fits;
}

/* Skips characters until at most so many columns are left, and then marks that would combine with what is before
 * them. */
static const char *end_of_columns(const char *text, size_t columns)
{
	const char *end = text + strlen(text), *at = text;
	size_t left = utf8_columns(text);

	while (at < end) {
		const char *next = at;
		unsigned width = utf8_character_columns(utf8_next(&next, end));

		if (left <= columns && width > 0)
			break;
		left -= width;
		at = next;
	}
	return at;
}

char *utf8_fit(struct arena *arena, char *safe_text, size_t columns, enum utf8_cut cut, bool has_utf8)
{
	if (utf8_columns(safe_text) <= columns)
		return safe_text;

	const char *ellipsis = has_utf8 ? "…" : columns > 6 ? "..." : ".";
	size_t ellipsis_columns = has_utf8 || columns <= 6 ? 1 : 3;
	size_t left = columns > ellipsis_columns ? columns - ellipsis_columns : 0;
	size_t head = cut == UTF8_CUT_END ? left : left / 4;
	const char *head_end = start_of_columns(safe_text, head);
	const char *tail = cut == UTF8_CUT_END ? "" : end_of_columns(safe_text, left - head);

	return arena_format(arena, "%.*s%s%s", (int)(head_end - safe_text), safe_text, columns ? ellipsis : "", tail);
}
