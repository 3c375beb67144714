/* The folder of a bench: recordings, caches, extracted layouts, the commands' output.
 *
 * It belongs to the user who called, because the commands that write there run as that user; what warmtrace itself
 * does there follows no links. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/command.h"

struct work_folder {
	const char *path; /* absolute; the command's working directory is another */
	bool is_temporary;
	struct arena arena;
};

/* `path` NULL: a new folder under TMPDIR or /tmp, gone at the end. Else that folder, made where it is not there yet,
 * and kept. Refused is one that belongs to somebody else. */
struct err *work_folder_open(const char *path, const struct invoker *invoker,
			     struct work_folder *ret_folder) must_check;

/* "FOLDER/NAMESUFFIX", the name made safe for a file's; in the folder's arena. */
const char *work_folder_file(struct work_folder *folder, const char *name, const char *suffix);

/* Removes a temporary one with all that is in it. */
void work_folder_close(struct work_folder *folder);
