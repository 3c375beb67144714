/* Words as other programs read them: a shell's command line, the java launcher's files of arguments. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/* A command for a shell as words: split at blanks, quotes and backslashes understood. False where a shell is needed (pipes,
 * variables, wildcards …). NULL-terminated, in `arena`. */
bool shell_words(const char *text, struct arena *arena, const char *const **ret_words);

/* The text of a file of arguments, in `arena`; not more than 1 MiB. */
struct err *argument_file_read(const char *path, struct arena *arena, char **ret_text) must_check;

/* One argument from the launcher's syntax (java(1), "java Command-Line Argument Files"): '#' begins a comment, quotes keep
 * blanks, a backslash counts inside quotes only, and at the end of a line it joins the next one. Moves *at past it and
 * writes the argument over the text. NULL at the end. */
char *argument_file_next(char **at);
