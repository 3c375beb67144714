/* What a JVM was told: its own list of arguments, the variables that it reads, the command line. */
#include "analyze/inventory_sources.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/findings_command.h"
#include "base/auto.h"

/* NUL separated strings. */
static bool each_string(const char *text, size_t length, jvm_argument_function *function, void *context)
{
	for (const char *at = text, *end = text + length; at < end; at += strlen(at) + 1) {
		if (*at && function(context, at))
			return true;
	}
	return false;
}

/* A command line: what stands between java and its main class or jar. What follows is the program's own. */
static bool each_of_command(const char *text, size_t length, jvm_argument_function *function, void *context)
{
	VEC(const char *) arguments = {};
	struct launch launch;
	bool is_done = false;

	for (const char *at = text, *end = text + length; at < end; at += strlen(at) + 1)
		*vec_push(&arguments) = at;
	launch_read(arguments.items, arguments.count, &launch);
	for (size_t i = launch.java + 1; i < launch.main && !is_done; i++)
		is_done = function(context, arguments.items[i]);
	vec_done(&arguments);
	return is_done;
}

/* The JVM splits these variables at blanks; quotes keep blanks together. */
static bool each_word(const char *text, jvm_argument_function *function, void *context)
{
	auto_free char *word = malloc(strlen(text) + 1);

	if (!word)
		memory_exhausted();
	while (*text) {
		size_t length = 0;
		char quote = 0;

		while (*text == ' ' || *text == '\t' || *text == '\n')
			text++;
		for (; *text && (quote || (*text != ' ' && *text != '\t' && *text != '\n')); text++) {
			if (*text == quote)
				quote = 0;
			else if (!quote && (*text == '"' || *text == '\''))
				quote = *text;
			else
				word[length++] = *text;
		}
		word[length] = '\0';
		if (length && function(context, word))
			return true;
	}
	return false;
}

struct variable_context {
	jvm_argument_function *function;
	void *context;
};

static bool on_variable(void *context, const char *variable)
{
	static const char *const names[] = {"JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="};
	const struct variable_context *inner = context;

	for (size_t i = 0; i < array_length(names); i++) {
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return each_word(variable + strlen(names[i]), inner->function, inner->context);
	}
	return false;
}

bool jvm_each_argument(const struct model *model, uint32_t pid, jvm_argument_function *function, void *context)
{
	struct variable_context variable = {.function = function, .context = context};
	uint32_t process = model_process_of(model, pid);
	size_t length = 0;
	const char *own = NULL;
	char key[64];

	snprintf(key, sizeof(key), "jvm.%u.arguments", pid);
	own = model_run_text(model, key, &length);
	if (own && each_string(own, length, function, context))
		return true;
	for vec_each(text, &model->texts.proc) {
		if (text->pid != pid)
			continue;
		if (text->file == PROC_FILE_ENVIRON &&
		    each_string(text->text, text->length, on_variable, &variable))
			return true;
		if (text->file == PROC_FILE_CMDLINE &&
		    each_of_command(text->text, text->length, function, context))
			return true;
	}
	if (process == NO_INDEX || process != model->threads.command_process)
		return false;

	const char *command = model_run_text(model, "command", &length);

	return command && each_of_command(command, length, function, context);
}

struct option_context {
	const char *name;
	size_t name_length;
	struct arena *arena;
	const char *value;
};

/* The last one counts, as for the JVM. */
static bool on_option(void *context, const char *argument)
{
	struct option_context *option = context;

	if (strncmp(argument, "-XX:", 4) == 0 && strncmp(argument + 4, option->name, option->name_length) == 0 &&
	    argument[4 + option->name_length] == '=') {
		const char *value = argument + 4 + option->name_length + 1;

		option->value = arena_copy(option->arena, value, strlen(value));
	}
	return false;
}

const char *jvm_option_value(const struct model *model, uint32_t pid, const char *name, struct arena *arena)
{
	struct option_context option = {.name = name, .name_length = strlen(name), .arena = arena};

	jvm_each_argument(model, pid, on_option, &option);
	return option.value;
}
