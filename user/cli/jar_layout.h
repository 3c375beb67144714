/* The extracted layout of an application: its classes and libraries as plain jars on a class path, made by the
 * application's own tooling. Spring Boot jars have one; what cannot be extracted is explained. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "cli/java_command.h"
#include "cli/work_folder.h"
#include "record/command.h"

/* What a jar is, by the names in it. */
enum jar_kind {
	JAR_BOOT_TOOLS,	 /* Spring Boot 3.3 and newer: -Djarmode=tools */
	JAR_BOOT_LAYERS, /* Spring Boot 2.3 to 3.2: -Djarmode=layertools */
	JAR_BOOT_OLD,	 /* older: no tool in it */
	JAR_NESTED,	 /* another launcher's: jars in the jar */
	JAR_PLAIN,	 /* no jars in it */
};

/* Kind of the file's entries; fails where it cannot be read as a jar. */
struct err *jar_kind_of(const char *path, enum jar_kind *ret_kind) must_check;

/* Extracts the command's jar into the folder and gives the same command on the extracted layout. Fails with an
 * explanation where there is no such layout. */
struct err *jar_layout_extract(const struct java_command *command, const struct invoker *invoker,
			       struct work_folder *folder, struct arena *arena,
			       struct java_command *ret_command) must_check;
