/* A command line that starts a JVM, taken apart far enough to put options where they work.
 *
 *	env A=b /opt/jdk/bin/java @common -Xmx1g -jar app.jar --port 80
 *	                     ^java  (here)            ^main
 *
 * Options go right after the java word, which is the command itself or follows a wrapper such as env, nice or
 *taskset. Every other command is taken for a script that starts java: there they go into JAVA_TOOL_OPTIONS, which the
 *JVM reads. Files of arguments (@FILE) are looked into, and replaced by what they hold where something in them has to
 *be taken out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum { NO_WORD = -1 };

/* Options that are taken out, because the scenarios set them. */
enum java_drop {
	DROP_CACHES = 1,     /* AOT caches, AppCDS archives, -Xshare */
	DROP_COLLECTORS = 2, /* -XX:+Use...GC */
	DROP_AGENTS = 4,     /* agents, debuggers and recordings: where a JVM is only asked something */
};

struct java_command {
	const char *const *words; /* NULL-terminated, without what was taken out */
	size_t count;
	int java; /* NO_WORD: a script; everything below is then NO_WORD too */
	int main; /* the jar's file, main class or module; NO_WORD where there is none */
	int jar;  /* the file after -jar, else NO_WORD */
	const char *const
		*variables; /* NULL-terminated NAME=VALUE that have to be set, because something was taken out */
	size_t variable_count;
	const char *tool_options; /* what JAVA_TOOL_OPTIONS holds after that, "" for nothing */
	const char *dropped;	  /* what was taken out, separated by blanks; "" for nothing */
};

/* `environment`: that of the command, NULL-terminated; NULL: ours. `drop`: bits of enum java_drop. Fails where a file
 * of arguments cannot be read. Everything is in `arena`. */
struct err *java_command_parse(const char *const *words, char *const *environment, unsigned drop, struct arena *arena,
			       struct java_command *ret_command) must_check;

/* The command to run, NULL-terminated, with `options` (NULL-terminated) added; `jar` not NULL: in the place of the
 * -jar file. In `arena`. */
char **java_command_with(const struct java_command *command, const char *const *options, const char *jar,
			 struct arena *arena);

/* The command's own options for the JVM alone, with `options` and then `-version`: asks the JVM instead of running
 * the program. For commands with a java word. */
char **java_command_asking(const struct java_command *command, const char *const *options, struct arena *arena);

/* The value of an option "-XX:NAME=" among the words before main, the last one; NULL where it is not given. */
const char *java_command_option(const struct java_command *command, const char *prefix);

/* Two NULL-terminated lists of options, either NULL, as one. */
const char *const *options_joined(struct arena *arena, const char *const *first, const char *const *second);
