/* Where a JVM's options go in command lines of many kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/auto.h"
#include "cli/argument_words.h"
#include "cli/java_command.h"

/* Words and environments are written as one text, their parts separated by '|'. */
static const char *const *split(struct arena *arena, const char *text)
{
	const char **list = arena_array(arena, const char *, strlen(text) + 2);
	size_t count = 0;

	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "|");

		list[count++] = arena_copy(arena, at, length);
		at += length + (at[length] == '|');
	}
	return list;
}

static const char *joined(struct arena *arena, char *const *words)
{
	const char *text = "";

	for (size_t i = 0; words[i]; i++)
		text = arena_format(arena, "%s%s%s", text, i ? "|" : "", words[i]);
	return text;
}

struct row {
	const char *words, *environment, *options;
	unsigned drop;
	const char *expected, *dropped;
};

static const struct row rows[] = {
	/* right after the word */
	{"java|-jar|a.jar", "", "-X1|-X2", 0, "java|-X1|-X2|-jar|a.jar", ""},
	{"/opt/jdk/bin/java|-Xmx1g|-cp|a:b|Main|-jar|x", "", "-X1", 0,
	 "/opt/jdk/bin/java|-X1|-Xmx1g|-cp|a:b|Main|-jar|x", ""},
	{"java|-p|mods|-m|app/Main|x", "", "-X1", 0, "java|-X1|-p|mods|-m|app/Main|x", ""},
	/* wrappers execute what follows */
	{"env|A=b|/usr/bin/java|-jar|a.jar", "", "-X1", 0, "env|A=b|/usr/bin/java|-X1|-jar|a.jar", ""},
	{"nice|-n|5|java|-jar|a.jar", "", "-X1", 0, "nice|-n|5|java|-X1|-jar|a.jar", ""},
	{"taskset|-c|0|java|-jar|a.jar", "", "-X1", 0, "taskset|-c|0|java|-X1|-jar|a.jar", ""},
	/* scripts get them through the environment */
	{"./start.sh|java|-jar", "", "-X1", 0, "/usr/bin/env|JAVA_TOOL_OPTIONS=-X1|./start.sh|java|-jar", ""},
	{"sh|-c|exec java -jar a.jar", "", "-X1|-Da=b c", 0,
	 "/usr/bin/env|JAVA_TOOL_OPTIONS=-X1 \"-Da=b c\"|sh|-c|exec java -jar a.jar", ""},
	{"./start.sh", "JAVA_TOOL_OPTIONS=-Xmx1g -Dx='a b'", "-X1", 0,
	 "/usr/bin/env|JAVA_TOOL_OPTIONS=-Xmx1g -Dx='a b' -X1|./start.sh", ""},
	{"./start.sh", "", "", 0, "./start.sh", ""},
	{"./start.sh", "JAVA_TOOL_OPTIONS=-Xmx1g", "", 0, "./start.sh", ""},
	/* what the scenarios set is taken out, and nothing behind the program's name */
	{"java|-XX:AOTCache=old.aot|-Xshare:auto|-jar|a.jar|-XX:AOTCache=arg", "", "-X1", DROP_CACHES,
	 "java|-X1|-jar|a.jar|-XX:AOTCache=arg", "-XX:AOTCache=old.aot -Xshare:auto"},
	{"java|-XX:+UseZGC|-XX:+UseStringDeduplication|-jar|a.jar", "", "-XX:+UseG1GC", DROP_COLLECTORS,
	 "java|-XX:+UseG1GC|-XX:+UseStringDeduplication|-jar|a.jar", "-XX:+UseZGC"},
	{"java|-XX:+UseZGC|-jar|a.jar", "", "-X1", DROP_CACHES, "java|-X1|-XX:+UseZGC|-jar|a.jar", ""},
	{"java|-cp|-XX:AOTCache=a_strange_folder|Main", "", "", DROP_CACHES,
	 "java|-cp|-XX:AOTCache=a_strange_folder|Main", ""},
	/* also out of the environment, where it would win or clash */
	{"java|-jar|a.jar", "PATH=/bin|JAVA_TOOL_OPTIONS=-Xmx1g -XX:SharedArchiveFile=old.jsa", "-X1", DROP_CACHES,
	 "/usr/bin/env|JAVA_TOOL_OPTIONS=-Xmx1g|java|-X1|-jar|a.jar", "-XX:SharedArchiveFile=old.jsa"},
	{"java|-jar|a.jar", "JDK_JAVA_OPTIONS=\"-XX:AOTCache=a b.aot\"|_JAVA_OPTIONS=-XX:+UseZGC", "-X1",
	 DROP_CACHES | DROP_COLLECTORS, "/usr/bin/env|JDK_JAVA_OPTIONS=|_JAVA_OPTIONS=|java|-X1|-jar|a.jar",
	 "-XX:AOTCache=a b.aot -XX:+UseZGC"},
	{"./start.sh", "JAVA_TOOL_OPTIONS=-XX:AOTCache=old.aot -Xmx1g", "-X1", DROP_CACHES,
	 "/usr/bin/env|JAVA_TOOL_OPTIONS=-Xmx1g -X1|./start.sh", "-XX:AOTCache=old.aot"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < array_length(rows); i++) {
		auto_done(arena_done) struct arena arena = {};
		struct java_command command;
		struct err *err = java_command_parse(split(&arena, rows[i].words),
						     (char *const *)split(&arena, rows[i].environment), rows[i].drop,
						     &arena, &command);
		const char *actual;

		assert_null(err);
		actual = joined(&arena, java_command_with(&command, split(&arena, rows[i].options), NULL, &arena));
		if (strcmp(actual, rows[i].expected) != 0)
			fail_msg("%s becomes\n%s\nnot\n%s", rows[i].words, actual, rows[i].expected);
		if (strcmp(command.dropped, rows[i].dropped) != 0)
			fail_msg("of %s is left out \"%s\", not \"%s\"", rows[i].words, command.dropped,
				 rows[i].dropped);
	}
}

static void parse(struct arena *arena, const char *words, unsigned drop, struct java_command *ret_command)
{
	assert_null(
		java_command_parse(split(arena, words), (char *const *)split(arena, ""), drop, arena, ret_command));
}

static void test_places(void **state)
{
	auto_done(arena_done) struct arena arena = {};
	struct java_command command;

	(void)state;
	parse(&arena, "env|A=b|java|-Xmx1g|-jar|a.jar|x", 0, &command);
	assert_int_equal(command.java, 2);
	assert_int_equal(command.jar, 5);
	assert_int_equal(command.main, 5);
	parse(&arena, "java|-cp|a:b|--add-opens|java.base/java.lang=ALL-UNNAMED|Main", 0, &command);
	assert_int_equal(command.jar, NO_WORD);
	assert_int_equal(command.main, 5);
	parse(&arena, "java|--module=app/Main|x", 0, &command);
	assert_int_equal(command.main, 1);
	parse(&arena, "java|-m|app/Main", 0, &command);
	assert_int_equal(command.main, 2);
	parse(&arena, "java|-version", 0, &command);
	assert_int_equal(command.main, NO_WORD);
	parse(&arena, "./start.sh|java", 0, &command);
	assert_int_equal(command.java, NO_WORD);
	assert_int_equal(command.main, NO_WORD);
	/* No program of that name: a path that ends otherwise. */
	parse(&arena, "/opt/java/run|-jar|a.jar", 0, &command);
	assert_int_equal(command.java, NO_WORD);
}

static void test_jar_is_replaced(void **state)
{
	auto_done(arena_done) struct arena arena = {};
	struct java_command command;

	(void)state;
	parse(&arena, "java|-Xmx1g|-jar|a.jar|a.jar", 0, &command);
	assert_string_equal(joined(&arena, java_command_with(&command, NULL, "/w/b.jar", &arena)),
			    "java|-Xmx1g|-jar|/w/b.jar|a.jar");
}

static void test_asking(void **state)
{
	static const char *const flags[] = {"-XX:+PrintFlagsFinal", NULL};
	auto_done(arena_done) struct arena arena = {};
	struct java_command command;

	(void)state;
	parse(&arena, "nice|java|-Xmx1g|-javaagent:a.jar|-jar|a.jar|x", DROP_AGENTS, &command);
	assert_string_equal(joined(&arena, java_command_asking(&command, flags, &arena)),
			    "nice|java|-Xmx1g|-XX:+PrintFlagsFinal|-version");
	parse(&arena, "java|-cp|a|Main|x", 0, &command);
	assert_string_equal(joined(&arena, java_command_asking(&command, flags, &arena)),
			    "java|-cp|a|-XX:+PrintFlagsFinal|-version");
	parse(&arena, "java|-p|mods|--module|app/Main", 0, &command);
	assert_string_equal(joined(&arena, java_command_asking(&command, flags, &arena)),
			    "java|-p|mods|-XX:+PrintFlagsFinal|-version");
}

static void test_options_before_the_program(void **state)
{
	auto_done(arena_done) struct arena arena = {};
	struct java_command command;

	(void)state;
	parse(&arena, "java|-XX:AOTCache=a.aot|-XX:AOTCache=b.aot|Main|-XX:AOTCache=c.aot", 0, &command);
	assert_string_equal(java_command_option(&command, "-XX:AOTCache="), "b.aot");
	parse(&arena, "java|Main|-XX:AOTCache=c.aot", 0, &command);
	assert_null(java_command_option(&command, "-XX:AOTCache="));
	parse(&arena, "./script|-XX:AOTCache=c.aot", 0, &command);
	assert_null(java_command_option(&command, "-XX:AOTCache="));
}

/* ---- files of arguments ---- */

static const char *write_arguments(struct arena *arena, const char *text)
{
	char path[] = "/tmp/warmtrace-arguments-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return arena_copy(arena, path, strlen(path));
}

static void with_file(const char *text, const char *words, unsigned drop, const char *expected, const char *dropped)
{
	auto_done(arena_done) struct arena arena = {};
	const char *path = write_arguments(&arena, text);
	const char *before = arena_format(&arena, words, path), *after = arena_format(&arena, expected, path);
	struct java_command command;
	const char *actual;

	parse(&arena, before, drop, &command);
	unlink(path);
	actual = joined(&arena, java_command_with(&command, split(&arena, "-X1"), NULL, &arena));
	if (strcmp(actual, after) != 0)
		fail_msg("%s with a file of \"%s\" becomes\n%s\nnot\n%s", before, text, actual, after);
	assert_string_equal(command.dropped, dropped);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void test_argument_files(void **state)
{
	(void)state;
	/* Nothing in it that goes: it stays. */
	with_file("-Xmx1g\n-Da=b", "java|@%s|-jar|a.jar", DROP_CACHES, "java|-X1|@%s|-jar|a.jar", "");
	/* Something goes: what is left takes its place. */
	with_file("# the cache\n-XX:AOTCache=old.aot -Xmx1g\n\"-Dname=a b\" '-Dquote=\"'", "java|@%s|-jar|a.jar",
		  DROP_CACHES, "java|-X1|-Xmx1g|-Dname=a b|-Dquote=\"|-jar|a.jar", "-XX:AOTCache=old.aot");
	/* The program is named in it. */
	with_file("-cp a.jar\nMain one", "java|@%s|two", DROP_CACHES, "java|-X1|-cp|a.jar|Main|one|two", "");
	/* Escapes, a joined line. */
	with_file("\"-Dp=C:\\\\a\\tb\" -XX:AOTMode=on \"-Dq=one\\\n   two\"", "java|-cp|x|@%s|Main", DROP_CACHES,
		  "java|-X1|-cp|x|-Dp=C:\\a\tb|-Dq=onetwo|Main", "-XX:AOTMode=on");
	/* Not one for the launcher. */
	with_file("-XX:AOTCache=x", "java|--disable-@files|@%s|Main", DROP_CACHES,
		  "java|-X1|--disable-@files|@%s|Main", "");
	with_file("-XX:AOTCache=x", "java|Main|@%s", DROP_CACHES, "java|-X1|Main|@%s", "");
	with_file("-XX:AOTCache=x", "java|-cp|@%s|Main", DROP_CACHES, "java|-X1|-cp|@%s|Main", "");
}

static void test_missing_argument_file(void **state)
{
	auto_done(arena_done) struct arena arena = {};
	struct java_command command;
	struct err *err =
		java_command_parse(split(&arena, "java|@/nowhere/at/all|Main"), NULL, DROP_CACHES, &arena, &command);

	(void)state;
	assert_non_null(err);
	assert_non_null(strstr(err->message, "/nowhere/at/all"));
	err_free(err);
}

/* ---- a shell's words ---- */

static void splits(const char *text, const char *expected)
{
	auto_done(arena_done) struct arena arena = {};
	const char *const *words;

	if (!shell_words(text, &arena, &words)) {
		if (expected)
			fail_msg("'%s' is said to need a shell", text);
		return;
	}
	if (!expected)
		fail_msg("'%s' needs a shell, and became %s", text, joined(&arena, (char *const *)words));
	assert_string_equal(joined(&arena, (char *const *)words), expected);
}

static void test_shell_words(void **state)
{
	(void)state;
	splits("java -jar app.jar", "java|-jar|app.jar");
	splits("  java\t-jar   'my app.jar' \"x y\"z  ", "java|-jar|my app.jar|x yz");
	splits("java -Da=b\\ c ''", "java|-Da=b c|");
	splits("java -jar app.jar | tee log", NULL);
	splits("cd app && java -jar app.jar", NULL);
	splits("JAVA_OPTS=-Xmx1g java -jar app.jar", NULL);
	splits("java -jar $APP", NULL);
	splits("java -jar \"$APP\"", NULL);
	splits("java -jar '$APP'", "java|-jar|$APP");
	splits("java -jar app-*.jar", NULL);
	splits("java -jar 'unclosed", NULL);
	splits("", NULL);
	splits("   ", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_jar_is_replaced),
		cmocka_unit_test(test_asking),
		cmocka_unit_test(test_options_before_the_program),
		cmocka_unit_test(test_argument_files),
		cmocka_unit_test(test_missing_argument_file),
		cmocka_unit_test(test_shell_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
