/* The command line that started the service's JVM, taken apart, so that a remedy can be given as a command that fits.
 */
#pragma once

#include "analyze/report.h"
#include "base/vec.h"
#include "model/model.h"

struct launch {
	const char *const *arguments;
	size_t count;
	size_t java; /* index of the java program; == count where there is none */
	size_t jar;  /* index of the file after -jar; == count where there is none */
	size_t main; /* index of the main class or module, of `jar` where there is one; == count where there is none
		      */
};

/* Takes a command line apart that the caller keeps. */
void launch_read(const char *const *arguments, size_t count, struct launch *ret_launch);

/* From the process's own command line where it was recorded (a script may have started it), else from the run's
 * command. Strings are the model's and the report's. */
void launch_parse(const struct model *model, const struct report *report, uint32_t process, struct launch *ret_launch,
		  struct arena *arena);

/* The whole command, each argument quoted for a shell where it must be. */
const char *launch_text(const struct launch *launch, struct arena *arena);

/* With an option for the JVM added (NULL: none), and the jar or main class replaced (NULL: as it is). The command as
 * it is where no java is in it. */
const char *launch_text_with(const struct launch *launch, const char *option, const char *jar, struct arena *arena);

/* Without one of its arguments. */
const char *launch_text_without(const struct launch *launch, size_t argument, struct arena *arena);

const char *shell_quoted(struct arena *arena, const char *argument);
