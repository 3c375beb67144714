#include "analyze/findings_command.h"

#include <string.h>

#include "base/auto.h"

static bool is_java_program(const char *argument)
{
	const char *base = strrchr(argument, '/') ? strrchr(argument, '/') + 1 : argument;

	return strcmp(base, "java") == 0;
}

/* Options of the launcher whose value is the next argument. */
static bool takes_next(const char *option)
{
	static const char *const options[] = {
		"-cp",
		"-classpath",
		"--class-path",
		"-p",
		"--module-path",
		"--upgrade-module-path",
		"--add-modules",
		"--add-opens",
		"--add-exports",
		"--add-reads",
		"--patch-module",
		"--limit-modules",
		"--enable-native-access",
		"--source",
	};

	for (size_t i = 0; i < array_length(options); i++) {
		if (strcmp(option, options[i]) == 0)
			return true;
	}
	return false;
}

void launch_read(const char *const *arguments, size_t count, struct launch *launch)
{
	*launch = (struct launch){.arguments = arguments, .count = count, .java = count, .jar = count, .main = count};
	for (size_t i = 0; i < launch->count && launch->java == launch->count; i++) {
		if (is_java_program(launch->arguments[i]))
			launch->java = i;
	}
	for (size_t i = launch->java + 1; i < launch->count; i++) {
		const char *argument = launch->arguments[i];

		if (strcmp(argument, "-jar") == 0 && i + 1 < launch->count) {
			launch->jar = launch->main = i + 1;
			return;
		}
		if (strcmp(argument, "-m") == 0 || strcmp(argument, "--module") == 0) {
			launch->main = i + 1 < launch->count ? i + 1 : launch->count;
			return;
		}
		if (takes_next(argument)) {
			i++;
		} else if (argument[0] != '-' && argument[0] != '@') {
			launch->main = i;
			return;
		}
	}
}

void launch_parse(const struct model *model, const struct report *report, uint32_t process, struct launch *ret_launch,
		  struct arena *arena)
{
	VEC(const char *) arguments = {};

	launch_read(report->run.command, report->run.command_count, ret_launch);
	for vec_each(text, &model->texts.proc) {
		if (process == NO_INDEX || text->file != PROC_FILE_CMDLINE ||
		    text->pid != model->threads.processes.items[process].pid)
			continue;
		arguments.count = 0;
		for (const char *at = text->text; at < text->text + text->length; at += strlen(at) + 1)
			*vec_push(&arguments) = at;
	}
	if (arguments.count && ret_launch->java == ret_launch->count)
		launch_read(
			(const void *)arena_copy(arena, arguments.items, arguments.count * sizeof(*arguments.items)),
			arguments.count, ret_launch);
	vec_done(&arguments);
}

const char *shell_quoted(struct arena *arena, const char *argument)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-*";
	const char *text = "'";

	if (*argument && argument[strspn(argument, plain)] == '\0')
		return argument;
	/* Each quote inside ends the quoted text, stands escaped, and begins it again. */
	while (*argument) {
		size_t length = strcspn(argument, "'");

		text = arena_format(arena, "%s%.*s", text, (int)length, argument);
		argument += length;
		if (*argument) {
			text = arena_format(arena, "%s'\\''", text);
			argument++;
		}
	}
	return arena_format(arena, "%s'", text);
}

static const char *join(const char *text, const char *argument, struct arena *arena)
{
	return arena_format(arena, "%s%s%s", text, *text ? " " : "", shell_quoted(arena, argument));
}

const char *launch_text_with(const struct launch *launch, const char *option, const char *jar, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < launch->count; i++) {
		text = join(text, i == launch->main && jar ? jar : launch->arguments[i], arena);
		if (i == launch->java && option)
			text = arena_format(arena, "%s %s", text, option);
	}
	return text;
}

const char *launch_text(const struct launch *launch, struct arena *arena)
{
	return launch_text_with(launch, NULL, NULL, arena);
}

const char *launch_text_without(const struct launch *launch, size_t argument, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; i < launch->count; i++) {
		if (i != argument)
			text = join(text, launch->arguments[i], arena);
	}
	return text;
}
