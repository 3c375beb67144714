#include "cli/jar_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "cli/helper_run.h"
#include "cli/jvm_ask.h"
#include "parse/archive.h"
#include "parse/jvm_log.h"

enum { EXTRACT_TIMEOUT_S = 120 };

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static enum jar_kind kind_of(const struct archive_index *index)
{
	bool is_boot = false, has_tools = false, has_layers = false;

	for vec_each(entry, &index->entries) {
		const char *name = archive_entry_name(index, entry);

		if (entry->archive != 0)
			continue;
		/* The class of Boot's launcher, whose package changed with 3.2. */
		is_boot |= starts(name, "org/springframework/boot/loader/");
		has_tools |= starts(base_name(name), "spring-boot-jarmode-tools-");
		has_layers |= starts(base_name(name), "spring-boot-jarmode-layertools-");
	}
	if (is_boot)
		return has_tools && !ability_is_taken_for_absent("jarmode_tools") ? JAR_BOOT_TOOLS
		       : has_tools || has_layers				  ? JAR_BOOT_LAYERS
										  : JAR_BOOT_OLD;
	return index->archives.count > 1 ? JAR_NESTED : JAR_PLAIN;
}

struct err *jar_kind_of(const char *path, enum jar_kind *ret_kind)
{
	auto_done(archive_index_done) struct archive_index *index = NULL;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return err_errno(ERR_FAILED, errno, "cannot open '%s'", path);
	if (!S_ISREG(status.st_mode))
		return err_new(ERR_FAILED, "cannot read '%s': it is no file", path);

	struct archive_source source = archive_source_descriptor(fd, (uint64_t)status.st_size);

	TRY_CONTEXT(archive_read(&source, &index), "cannot read '%s'", path);
	*ret_kind = kind_of(index);
	return NULL;
}

static struct err *explain(const char *jar, enum jar_kind kind)
{
	struct err *err = err_new(ERR_FAILED, "cannot extract '%s': %s", jar,
				  kind == JAR_BOOT_OLD ? "its Spring Boot has no tool for that"
				  : kind == JAR_NESTED
					  ? "it holds jars, but its launcher is none that is known to extract them"
					  : "there are no jars in it: its classes are on a plain class path already");

	return err_hint(err, kind == JAR_PLAIN
				     ? "leave out --layout extracted"
				     : "extract it as its build tool says, and compare both with 'warmtrace bench'");
}

/* ---- running the jar's tool ---- */

static struct err *run_tool(const struct java_command *command, const char *const *tool_options,
			    const char *const *arguments, const struct invoker *invoker, struct work_folder *folder,
			    struct arena *arena)
{
	struct java_command bare = *command;
	struct helper helper = {.invoker = invoker,
				.output_path = work_folder_file(folder, "extract", ".log"),
				.timeout_ns = EXTRACT_TIMEOUT_S * 1000000000ull};
	struct helper_result result;
	char **with_options, **words;
	size_t length, complaint_length, count = 0, given = 0;
	const char *complaint;

	/* The application's own arguments are not the tool's. */
	bare.count = (size_t)command->main + 1;
	with_options = java_command_with(&bare, tool_options, NULL, arena);
	while (with_options[count])
		count++;
	while (arguments[given])
		given++;
	words = arena_array(arena, char *, count + given + 1);
	memcpy(words, with_options, count * sizeof(*words));
	memcpy(words + count, arguments, given * sizeof(*words));
	unlink(helper.output_path);
	TRY_CONTEXT(helper_run(&helper, words, arena, &result), "cannot extract '%s'", command->words[command->jar]);
	length = result.length;
	if (!result.was_ended && WIFEXITED(result.wait_status) && WEXITSTATUS(result.wait_status) == 0)
		return NULL;
	complaint = jvm_log_complaint(result.text, length, &complaint_length);
	return err_new(ERR_FAILED, "cannot extract '%s': %.*s", command->words[command->jar],
		       complaint ? (int)complaint_length : 20, complaint ? complaint : "its tool did not end well");
}

/* ---- layers: -cp of what they hold ---- */

static const char *manifest_value(const char *text, const char *key, struct arena *arena)
{
	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (starts(at, key)) {
			size_t length = strcspn(at + strlen(key), "\r\n");

			return arena_copy(arena, at + strlen(key), length);
		}
	return NULL;
}

/* BOOT-INF/classpath.idx: a line `- "BOOT-INF/lib/a.jar"` for each library, in class path order. */
static const char *layer_class_path(const char *folder, const char *index, struct arena *arena)
{
	static const char *const layers[] = {"dependencies", "snapshot-dependencies", "application"};
	const char *path = arena_format(arena, "%s/application/BOOT-INF/classes", folder);

	for (const char *at = index; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		const char *open = at + strspn(at, "- \""), *library;
		size_t length = strcspn(open, "\"\r\n");

		if (!length || open == at)
			continue;
		library = arena_copy(arena, open, length);
		for (size_t i = 0; i < array_length(layers); i++) {
			const char *file = arena_format(arena, "%s/%s/%s", folder, layers[i], library);

			if (access(file, R_OK) == 0) {
				path = arena_format(arena, "%s:%s", path, file);
				break;
			}
		}
	}
	return path;
}

static struct err *use_layers(const struct java_command *command, const char *folder, struct arena *arena,
			      struct java_command *ret_command)
{
	size_t length;
	const char *manifest =
		helper_text(arena_format(arena, "%s/application/META-INF/MANIFEST.MF", folder), arena, &length);
	const char *index =
		helper_text(arena_format(arena, "%s/application/BOOT-INF/classpath.idx", folder), arena, &length);
	const char *main_class = manifest_value(manifest, "Start-Class: ", arena);
	const char **words = arena_array(arena, const char *, command->count + 3);
	size_t count = 0;

	if (!main_class || !*index)
		return err_new(ERR_FAILED,
			       "cannot use the layers of '%s': its main class or class path index is missing",
			       command->words[command->jar]);
	/* -jar FILE becomes -cp PATH CLASS. */
	for (int i = 0; (size_t)i < command->count; i++) {
		if (i == command->jar - 1) {
			words[count++] = "-cp";
			words[count++] = layer_class_path(folder, index, arena);
		} else {
			words[count++] = i == command->jar ? main_class : command->words[i];
		}
	}
	*ret_command = *command;
	ret_command->words = words;
	ret_command->count = count;
	ret_command->main = command->main + 1;
	ret_command->jar = NO_WORD;
	return NULL;
}

static struct err *extract_layers(const struct java_command *command, const struct invoker *invoker,
				  struct work_folder *folder, struct arena *arena, struct java_command *ret_command)
{
	const char *destination = work_folder_file(folder, "layers", "");
	const char *const options[] = {"-Djarmode=layertools", NULL};
	const char *const arguments[] = {"extract", "--destination", destination, NULL};

	TRY(run_tool(command, options, arguments, invoker, folder, arena));
	return use_layers(command, destination, arena, ret_command);
}

/* ---- tools: a jar beside its libraries ---- */

static struct err *extract_tools(const struct java_command *command, const struct invoker *invoker,
				 struct work_folder *folder, struct arena *arena, struct java_command *ret_command)
{
	const char *destination = work_folder_file(folder, "extracted", "");
	const char *const options[] = {"-Djarmode=tools", NULL};
	/* Of an earlier bench in the same folder. */
	bool is_there = access(destination, F_OK) == 0;
	const char *const arguments[] = {"extract", "--destination", destination, is_there ? "--force" : NULL, NULL};
	const char *jar = arena_format(arena, "%s/%s", destination, base_name(command->words[command->jar]));
	const char **words = arena_array(arena, const char *, command->count + 1);

	TRY(run_tool(command, options, arguments, invoker, folder, arena));
	if (access(jar, R_OK) != 0)
		return err_errno(ERR_FAILED, errno, "cannot find the extracted '%s'", jar);
	memcpy(words, command->words, command->count * sizeof(*words));
	words[command->jar] = jar;
	*ret_command = *command;
	ret_command->words = words;
	return NULL;
}

struct err *jar_layout_extract(const struct java_command *command, const struct invoker *invoker,
			       struct work_folder *folder, struct arena *arena, struct java_command *ret_command)
{
	enum jar_kind kind;

	if (command->jar == NO_WORD)
		return err_hint(
			err_new(ERR_FAILED, "cannot extract the application: the command line has no '-jar FILE'"),
			"leave out --layout extracted, or compare layouts with 'warmtrace bench'");
	TRY(jar_kind_of(command->words[command->jar], &kind));
	switch (kind) {
	case JAR_BOOT_TOOLS:
		return extract_tools(command, invoker, folder, arena, ret_command);
	case JAR_BOOT_LAYERS:
		return extract_layers(command, invoker, folder, arena, ret_command);
	case JAR_BOOT_OLD:
	case JAR_NESTED:
	case JAR_PLAIN:
		break;
	}
	return explain(command->words[command->jar], kind);
}
