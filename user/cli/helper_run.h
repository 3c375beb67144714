/* Programs that are run on the way, untraced, as the user who called: the JVM that is asked something, a jar's own
 * tool. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/command.h"

/* Looks at what the program has printed so far; true: that is enough, it can be ended. */
typedef bool helper_enough(const char *text, size_t length);

struct helper {
	const struct invoker *invoker;
	const char *output_path; /* its output and errors, appended; the invoker must be able to write there */
	uint64_t timeout_ns;
	helper_enough *is_enough; /* NULL: wait for its end */
	const char *watched_path; /* what is_enough looks at; NULL: the output */
};

struct helper_result {
	const char *text; /* all that the file holds, NUL-terminated, in the arena; cut at 4 MiB */
	size_t length;
	bool is_timed_out, was_ended; /* by us: enough, timed out or interrupted */
	int wait_status;
};

/* Fails where the program could not be executed (kinds as command_release). */
struct err *helper_run(const struct helper *helper, char *const *words, struct arena *arena,
		       struct helper_result *ret_result) must_check;

/* What a file holds, as helper_result has it; "" where it cannot be read. */
const char *helper_text(const char *path, struct arena *arena, size_t *ret_length);
