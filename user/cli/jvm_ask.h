/* What a JVM can do, by asking it: its flags and its version. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/java_command.h"
#include "cli/work_folder.h"
#include "record/command.h"

/* How a JVM makes an archive of the classes that an application loads. */
enum cache_method {
	CACHE_NONE,	/* before JDK 10 */
	CACHE_STATIC,	/* JDK 10 to 12: a list of classes, then an archive of them */
	CACHE_DYNAMIC,	/* JDK 13 to 23: an archive at exit, on top of the JDK's own */
	CACHE_TWO_STEP, /* JDK 24: an AOT cache, recorded and created */
	CACHE_ONE_STEP, /* JDK 25 and newer: an AOT cache written at exit */
};

struct jvm_facts {
	enum cache_method method;
	bool needs_app_cds;	  /* JDK 10: archives of applications have to be switched on */
	bool has_training_switch; /* method profiles in the cache can be left unused */
	bool has_linking_switch;  /* classes need not be linked in the cache */
	int major;		  /* 8, 17, 25 …; 0 not known */
	const char *version;	  /* as it says, "" not known */
	const char *collector;	  /* "g1", "zgc" …, as in --gc; "other" */
	const char *refusal;	  /* NULL, or why it does not start with the options: its own words */
};

/* Asks the JVM of the command, started with `options` (NULL-terminated, may be NULL). A script's JVM is asked to dump
 * an archive, so that no application starts. WARMTRACE_WITHOUT=aot_cache_output,aot_mode,archive_classes_at_exit
 * takes these abilities for absent, so that what is done without them can be tried on any JVM. */
struct err *jvm_ask(const struct java_command *command, const char *const *options, const struct invoker *invoker,
		    struct work_folder *folder, struct arena *arena, struct jvm_facts *ret_facts) must_check;

/* Whether WARMTRACE_WITHOUT lists this ability. */
bool ability_is_taken_for_absent(const char *ability);

/* "-XX:+UseZGC" for "zgc"; NULL for a name that is not in --gc's list. */
const char *collector_option(const char *name);
