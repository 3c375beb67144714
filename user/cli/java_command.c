#include "cli/java_command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "cli/argument_words.h"

struct words {
	const char **items;
	size_t count, capacity;
};

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* ---- options that are taken out ---- */

static const struct {
	enum java_drop kind;
	bool is_whole; /* the option is this and nothing more */
	const char *start;
} droppable[] = {
	{DROP_CACHES, false, "-XX:AOTCache="},
	{DROP_CACHES, false, "-XX:AOTCacheOutput="},
	{DROP_CACHES, false, "-XX:AOTMode="},
	{DROP_CACHES, false, "-XX:AOTConfiguration="},
	{DROP_CACHES, false, "-XX:SharedArchiveFile="},
	{DROP_CACHES, false, "-XX:ArchiveClassesAtExit="},
	{DROP_CACHES, false, "-XX:SharedClassListFile="},
	{DROP_CACHES, false, "-XX:DumpLoadedClassList="},
	{DROP_CACHES, true, "-XX:+AutoCreateSharedArchive"},
	{DROP_CACHES, true, "-XX:+UseAppCDS"},
	{DROP_CACHES, false, "-Xshare:"},
	{DROP_COLLECTORS, true, "-XX:+UseG1GC"},
	{DROP_COLLECTORS, true, "-XX:+UseZGC"},
	{DROP_COLLECTORS, true, "-XX:+UseSerialGC"},
	{DROP_COLLECTORS, true, "-XX:+UseParallelGC"},
	{DROP_COLLECTORS, true, "-XX:+UseParallelOldGC"},
	{DROP_COLLECTORS, true, "-XX:+UseShenandoahGC"},
	{DROP_COLLECTORS, true, "-XX:+UseEpsilonGC"},
	{DROP_COLLECTORS, true, "-XX:+UseConcMarkSweepGC"},
	{DROP_AGENTS, false, "-javaagent:"},
	{DROP_AGENTS, false, "-agentlib:"},
	{DROP_AGENTS, false, "-agentpath:"},
	{DROP_AGENTS, false, "-Xrun"},
	{DROP_AGENTS, false, "-XX:StartFlightRecording"},
	{DROP_AGENTS, false, "-Dcom.sun.management.jmxremote.port="},
};

static bool is_dropped(const char *option, unsigned drop)
{
	for (size_t i = 0; i < array_length(droppable); i++)
		if ((droppable[i].kind & drop) && (droppable[i].is_whole ? strcmp(option, droppable[i].start) == 0
									 : starts(option, droppable[i].start)))
			return true;
	return false;
}

/* Options of the launcher whose value is the next word (JDK 9 to 26). */
static bool takes_next(const char *option)
{
	static const char *const options[] = {
		"-cp",
		"-classpath",
		"--class-path",
		"-p",
		"--module-path",
		"--add-modules",
		"--add-opens",
		"--add-exports",
		"--add-reads",
		"--patch-module",
		"--limit-modules",
		"--source",
		"--upgrade-module-path",
		"--enable-native-access",
	};

	for (size_t i = 0; i < array_length(options); i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* ---- where things are ---- */

/* Programs that execute the words after their own options. A script could take the word "java" as anything. */
static bool is_wrapper(const char *word)
{
	static const char *const wrappers[] = {
		"env",	   "nice",    "ionice",	 "taskset", "numactl", "chrt",	  "setpriv",
		"setsid",  "stdbuf",  "timeout", "time",    "nohup",   "prlimit", "chroot",
		"unshare", "nsenter", "runuser", "cgexec",  "setarch", "strace",
	};

	for (size_t i = 0; i < array_length(wrappers); i++)
		if (strcmp(base_name(word), wrappers[i]) == 0)
			return true;
	return false;
}

static int find_java(const char *const *words)
{
	if (strcmp(base_name(words[0]), "java") == 0)
		return 0;
	for (int i = 1; is_wrapper(words[0]) && words[i]; i++)
		if (strcmp(base_name(words[i]), "java") == 0)
			return i;
	return NO_WORD;
}

struct parser {
	struct arena *arena;
	unsigned drop;
	struct words words;
	int main, jar;
	bool has_expansion; /* @FILE is understood */
	const char *dropped;
};

static void push(struct parser *parser, const char *word)
{
	*vec_push(&parser->words) = arena_copy(parser->arena, word, strlen(word));
}

static void note_dropped(struct parser *parser, const char *option)
{
	parser->dropped = arena_format(parser->arena, "%s%s%s", parser->dropped, *parser->dropped ? " " : "", option);
}

/* How the words before main go on: what the next word is. */
enum expected { EXPECT_OPTION, EXPECT_VALUE, EXPECT_JAR, EXPECT_MODULE };

static struct err *take_word(struct parser *parser, const char *word, enum expected *expected);

/* Whether a file of arguments has to be replaced by what it holds: something in it goes, or the program is named in
 * it. */
static struct err *take_argument_file(struct parser *parser, const char *word, enum expected *expected)
{
	struct parser inner = {
		.arena = parser->arena, .drop = parser->drop, .main = NO_WORD, .jar = NO_WORD, .dropped = ""};
	struct err *err;
	char *text, *at, *argument;
	enum expected inside = *expected;

	TRY(argument_file_read(word + 1, parser->arena, &text));
	at = text;
	while ((argument = argument_file_next(&at))) {
		if (inner.main != NO_WORD) {
			push(&inner, argument);
			continue;
		}
		err = take_word(&inner, argument, &inside);
		if (err) {
			vec_done(&inner.words);
			return err;
		}
	}
	if (*inner.dropped || inner.main != NO_WORD) {
		int base = (int)parser->words.count;

		for vec_each(held, &inner.words)
			push(parser, *held);
		parser->main = inner.main == NO_WORD ? NO_WORD : base + inner.main;
		parser->jar = inner.jar == NO_WORD ? NO_WORD : base + inner.jar;
		if (*inner.dropped)
			note_dropped(parser, inner.dropped);
	} else {
		push(parser, word);
	}
	*expected = inside;
	vec_done(&inner.words);
	return NULL;
}

static struct err *take_word(struct parser *parser, const char *word, enum expected *expected)
{
	enum expected was = *expected;

	*expected = EXPECT_OPTION;
	if (was == EXPECT_OPTION && word[0] == '@' && word[1] && parser->has_expansion)
		return take_argument_file(parser, word, expected);
	if (was == EXPECT_OPTION && strcmp(word, "--disable-@files") == 0)
		parser->has_expansion = false;
	if (was == EXPECT_OPTION && is_dropped(word, parser->drop)) {
		note_dropped(parser, word);
		return NULL;
	}
	push(parser, word);
	if (was == EXPECT_JAR || was == EXPECT_MODULE)
		parser->main = (int)parser->words.count - 1;
	if (was == EXPECT_JAR)
		parser->jar = parser->main;
	if (was != EXPECT_OPTION)
		return NULL;
	if (strcmp(word, "-jar") == 0)
		*expected = EXPECT_JAR;
	else if (strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0)
		*expected = EXPECT_MODULE;
	else if (takes_next(word))
		*expected = EXPECT_VALUE;
	else if (word[0] != '-' || starts(word, "--module="))
		parser->main = (int)parser->words.count - 1;
	return NULL;
}

/* ---- the environment ---- */

static const char *const variable_names[] = {"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"};

/* The JVM splits these at blanks; quotes of either kind keep blanks together. Returns the next word with its quotes.
 */
static const char *next_quoted_word(const char **at, size_t *ret_length)
{
	const char *word;
	char quote = 0;

	*at += strspn(*at, " \t\n");
	word = *at;
	for (; **at && (quote || !strchr(" \t\n", **at)); ++*at) {
		if (quote && **at == quote)
			quote = 0;
		else if (!quote && (**at == '"' || **at == '\''))
			quote = **at;
	}
	*ret_length = (size_t)(*at - word);
	return *ret_length ? word : NULL;
}

static const char *unquoted(struct arena *arena, const char *word, size_t length)
{
	char *text = arena_copy(arena, word, length), *out = text;

	for (size_t i = 0; i < length; i++)
		if (word[i] != '"' && word[i] != '\'')
			*out++ = word[i];
	*out = '\0';
	return text;
}

/* The variable's value without the options that go; NULL where all stay. */
static const char *filtered_value(struct parser *parser, const char *value)
{
	const char *kept = "", *at = value, *word;
	bool is_changed = false;
	size_t length;

	while ((word = next_quoted_word(&at, &length))) {
		const char *option = unquoted(parser->arena, word, length);

		if (is_dropped(option, parser->drop)) {
			note_dropped(parser, option);
			is_changed = true;
		} else {
			kept = arena_format(parser->arena, "%s%s%.*s", kept, *kept ? " " : "", (int)length, word);
		}
	}
	return is_changed ? kept : NULL;
}

static const char *variable_value(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (char *const *variable = environment ? environment : environ; variable && *variable; variable++)
		if (strncmp(*variable, name, length) == 0 && (*variable)[length] == '=')
			return *variable + length + 1;
	return NULL;
}

static void filter_environment(struct parser *parser, char *const *environment, struct java_command *command)
{
	const char **variables = arena_array(parser->arena, const char *, array_length(variable_names) + 1);

	command->tool_options = "";
	for (size_t i = 0; i < array_length(variable_names); i++) {
		const char *value = variable_value(environment, variable_names[i]);
		const char *filtered = value ? filtered_value(parser, value) : NULL;

		if (i == 0 && value)
			command->tool_options = arena_format(parser->arena, "%s", filtered ? filtered : value);
		if (filtered)
			variables[command->variable_count++] =
				arena_format(parser->arena, "%s=%s", variable_names[i], filtered);
	}
	command->variables = variables;
}

/* ---- parsing ---- */

static struct err *parse_words(struct parser *parser, const char *const *words, int java)
{
	enum expected expected = EXPECT_OPTION;

	for (int i = 0; words[i]; i++) {
		if (java == NO_WORD || i <= java || parser->main != NO_WORD)
			push(parser, words[i]);
		else
			TRY(take_word(parser, words[i], &expected));
	}
	return NULL;
}

struct err *java_command_parse(const char *const *words, char *const *environment, unsigned drop, struct arena *arena,
			       struct java_command *ret_command)
{
	struct parser parser = {
		.arena = arena, .drop = drop, .main = NO_WORD, .jar = NO_WORD, .has_expansion = true, .dropped = ""};
	struct java_command command = {.java = find_java(words)};
	struct err *err = parse_words(&parser, words, command.java);

	if (!err) {
		filter_environment(&parser, environment, &command);
		command.count = parser.words.count;
		*vec_push(&parser.words) = NULL;
		command.words = (const void *)arena_copy(arena, parser.words.items,
							 parser.words.count * sizeof(*parser.words.items));
		command.main = parser.main;
		command.jar = parser.jar;
		command.dropped = parser.dropped;
		*ret_command = command;
	}
	vec_done(&parser.words);
	return err;
}

const char *java_command_option(const struct java_command *command, const char *prefix)
{
	const char *value = NULL;

	for (int i = command->java + 1; command->java != NO_WORD && (size_t)i < command->count; i++) {
		if (i == command->main)
			break;
		if (starts(command->words[i], prefix))
			value = command->words[i] + strlen(prefix);
	}
	return value;
}

/* ---- putting together ---- */

/* As the JVM reads JAVA_TOOL_OPTIONS: it knows quotes, and no escape. */
static const char *quoted_option(struct arena *arena, const char *option)
{
	char quote = strchr(option, '"') ? '\'' : '"';

	return option[strcspn(option, " \t\n\"'")] ? arena_format(arena, "%c%s%c", quote, option, quote) : option;
}

static char **finish(struct words *list, struct arena *arena)
{
	char **copy;

	*vec_push(list) = NULL;
	copy = (void *)arena_copy(arena, list->items, list->count * sizeof(*list->items));
	vec_done(list);
	return copy;
}

/* env with the variables that must be set; JAVA_TOOL_OPTIONS gets `options` for a script. */
static void push_environment(const struct java_command *command, const char *const *options, struct arena *arena,
			     struct words *list)
{
	static const char name[] = "JAVA_TOOL_OPTIONS=";
	bool is_script = command->java == NO_WORD && options && options[0];

	if (!is_script && !command->variable_count)
		return;
	*vec_push(list) = "/usr/bin/env";
	for (size_t i = 0; i < command->variable_count; i++)
		if (!is_script || !starts(command->variables[i], name))
			*vec_push(list) = command->variables[i];
	if (!is_script)
		return;

	const char *value = command->tool_options;

	for (size_t i = 0; options[i]; i++)
		value = arena_format(arena, "%s%s%s", value, *value ? " " : "", quoted_option(arena, options[i]));
	*vec_push(list) = arena_format(arena, "%s%s", name, value);
}

char **java_command_with(const struct java_command *command, const char *const *options, const char *jar,
			 struct arena *arena)
{
	struct words list = {};

	push_environment(command, options, arena, &list);
	for (int i = 0; (size_t)i < command->count; i++) {
		*vec_push(&list) = i == command->jar && jar ? jar : command->words[i];
		for (size_t k = 0; i == command->java && options && options[k]; k++)
			*vec_push(&list) = options[k];
	}
	return finish(&list, arena);
}

char **java_command_asking(const struct java_command *command, const char *const *options, struct arena *arena)
{
	struct words list = {};

	push_environment(command, NULL, arena, &list);
	for (int i = 0; (size_t)i < command->count && i != command->main; i++) {
		bool is_main_next = i + 1 == command->main;

		/* -jar and -m want their word. */
		if (is_main_next && (strcmp(command->words[i], "-jar") == 0 || strcmp(command->words[i], "-m") == 0 ||
				     strcmp(command->words[i], "--module") == 0))
			break;
		*vec_push(&list) = command->words[i];
	}
	for (size_t i = 0; options && options[i]; i++)
		*vec_push(&list) = options[i];
	*vec_push(&list) = "-version";
	return finish(&list, arena);
}

const char *const *options_joined(struct arena *arena, const char *const *first, const char *const *second)
{
	const char *const *lists[] = {first, second};
	size_t count = 0;
	const char **joined;

	for (size_t i = 0; i < array_length(lists); i++)
		for (size_t k = 0; lists[i] && lists[i][k]; k++)
			count++;
	joined = arena_array(arena, const char *, count + 1);
	count = 0;
	for (size_t i = 0; i < array_length(lists); i++)
		for (size_t k = 0; lists[i] && lists[i][k]; k++)
			joined[count++] = lists[i][k];
	return joined;
}
