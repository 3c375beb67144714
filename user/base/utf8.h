/* UTF-8 of unknown origin: decoding, width on a terminal, and a form that is safe to show.
 *
 * Names in a report come from the traced program and are hostile until shown otherwise: escape sequences, newlines,
 * bytes that are no UTF-8, marks that turn the reading direction around. utf8_safe makes all of them visible:
 * `\x1b` for a control character or a stray byte, `\u202e` for an invisible or reordering character. A backslash is
 * left as it is (command lines are full of them), so the form is for people; JSON has the exact bytes. Where the
 * terminal knows no UTF-8, typographic characters are spelt in ASCII and all others escaped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { UTF8_INVALID = -1 };

/* The next character of [*at, end), which is not empty; moves *at past it. UTF8_INVALID stands for a maximal part
 * that begins no character (Unicode, chapter 3, "U+FFFD substitution of maximal subparts"), never for an empty one.
 */
int32_t utf8_next(const char **at, const char *end);

/* Columns of a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1. */
unsigned utf8_character_columns(int32_t character);

/* False for what is invisible, controls the terminal or reorders text. */
bool utf8_is_visible(int32_t character);

/* A copy in the arena that is one line, valid UTF-8 (ASCII where has_utf8 is false) and moves nothing on a terminal.
 */
char *utf8_safe(struct arena *arena, const char *text, bool has_utf8);

/* Columns of a text that utf8_safe made. */
size_t utf8_columns(const char *safe_text);

enum utf8_cut {
	UTF8_CUT_MIDDLE, /* keeps a quarter from the start and the end: paths and class names differ at their end */
	UTF8_CUT_END,	 /* keeps the start */
};

/* A text made by utf8_safe, at most `columns` wide, with an ellipsis where it was cut. Returns the text itself if it
 * fits. */
char *utf8_fit(struct arena *arena, char *safe_text, size_t columns, enum utf8_cut cut, bool has_utf8);
