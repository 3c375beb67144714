#include "cli/argument_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"

/* ---- files of arguments ---- */

enum { ARGUMENT_FILE_MAX = 1 << 20 };

struct err *argument_file_read(const char *path, struct arena *arena, char **ret_text)
{
	auto_file FILE *file = fopen(path, "re");
	size_t length = 0, got;
	char *text;

	if (!file)
		return err_errno(ERR_FAILED, errno, "cannot read the arguments in '%s'", path);
	text = arena_alloc(arena, ARGUMENT_FILE_MAX + 1);
	while (length <= ARGUMENT_FILE_MAX &&
	       (got = fread(text + length, 1, ARGUMENT_FILE_MAX + 1 - length, file)) > 0)
		length += got;
	if (ferror(file) || length > ARGUMENT_FILE_MAX)
		return err_new(ERR_FAILED, "cannot read the arguments in '%s': %s", path,
			       length > ARGUMENT_FILE_MAX ? "it is larger than 1 MiB" : "it cannot be read");
	text[length] = '\0';
	*ret_text = text;
	return NULL;
}

static char unescaped(char letter)
{
	switch (letter) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'f':
		return '\f';
	default:
		return letter;
	}
}

char *argument_file_next(char **at)
{
	char *word, *out, quote = 0;

	for (;;) {
		*at += strspn(*at, " \t\r\n\f");
		if (**at != '#')
			break;
		*at += strcspn(*at, "\n");
	}
	if (!**at)
		return NULL;
	word = out = *at;
	for (; **at && (quote || !strchr(" \t\r\n\f", **at)); ++*at) {
		if (!quote && (**at == '"' || **at == '\'')) {
			quote = **at;
		} else if (quote && **at == quote) {
			quote = 0;
		} else if (quote && **at == '\\' && (*at)[1]) {
			++*at;
			if (**at == '\n')
				*at += strspn(*at + 1, " \t\f");
			else
				*out++ = unescaped(**at);
		} else {
			*out++ = **at;
		}
	}
	if (**at)
		++*at;
	*out = '\0';
	return word;
}

/* ---- a shell's words ---- */

bool shell_words(const char *text, struct arena *arena, const char *const **ret_words)
{
	char *room = arena_copy(arena, text, strlen(text)), *out = room;
	VEC(const char *) list = {};
	char quote = 0;
	bool is_in_word = false;

	for (const char *at = text; *at; at++) {
		bool is_blank = !quote && (*at == ' ' || *at == '\t');

		if (is_blank && is_in_word) {
			*out++ = '\0';
			is_in_word = false;
		}
		if (is_blank)
			continue;
		/* What only a shell can do; in single quotes nothing is special, in double quotes these are. */
		if ((!quote && strchr("|&;<>()$`*?[]#~{}!\n", *at)) || (quote == '"' && strchr("$`\\", *at)) ||
		    (!quote && *at == '=' && list.count < 2)) {
			vec_done(&list);
			return false;
		}
		if (!is_in_word) {
			*vec_push(&list) = out;
			is_in_word = true;
		}
		if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else if (quote && *at == quote)
			quote = 0;
		else if (!quote && *at == '\\' && at[1])
			*out++ = *++at;
		else
			*out++ = *at;
	}
	*out = '\0';
	if (quote || !list.count) {
		vec_done(&list);
		return false;
	}
	*vec_push(&list) = NULL;
	*ret_words = (const void *)arena_copy(arena, list.items, list.count * sizeof(*list.items));
	vec_done(&list);
	return true;
}
