/* Command lines taken apart and put together again for remedies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/findings_command.h"
#include "base/auto.h"

#define READ(launch, ...)                                                                                            \
	static const char *const arguments[] = {__VA_ARGS__};                                                        \
	struct launch launch;                                                                                        \
	struct arena arena auto_done(arena_done) = {};                                                               \
	launch_read(arguments, array_length(arguments), &launch)

static void a_jar_is_found_behind_options_with_values(void **state)
{
	READ(launch, "env", "A=1", "/opt/jdk/bin/java", "-Xmx1g", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
	     "-jar", "app.jar", "-jar", "x");
	(void)state;
	assert_int_equal(launch.java, 2);
	assert_int_equal(launch.jar, 7);
	assert_int_equal(launch.main, 7);
	assert_string_equal(
		launch_text_with(&launch, "-Xss1m", "out/app.jar", &arena),
		"env A=1 /opt/jdk/bin/java -Xss1m -Xmx1g --add-opens java.base/java.lang=ALL-UNNAMED -jar "
		"out/app.jar -jar x");
	assert_string_equal(
		launch_text_without(&launch, 3, &arena),
		"env A=1 /opt/jdk/bin/java --add-opens java.base/java.lang=ALL-UNNAMED -jar app.jar -jar x");
}

static void a_main_class_follows_the_class_path(void **state)
{
	READ(launch, "java", "-cp", "lib/*:classes", "com.example.Main", "-cp");
	(void)state;
	assert_int_equal(launch.jar, launch.count);
	assert_int_equal(launch.main, 3);
	assert_string_equal(launch_text(&launch, &arena), "java -cp lib/*:classes com.example.Main -cp");
}

static void a_module_is_the_main_class(void **state)
{
	READ(launch, "java", "-p", "mods", "--module", "app/com.example.Main");
	(void)state;
	assert_int_equal(launch.main, 4);
	(void)arena;
}

static void without_java_the_command_stays_as_it_is(void **state)
{
	READ(launch, "./start.sh", "-jar", "app.jar");
	(void)state;
	assert_int_equal(launch.java, launch.count);
	assert_int_equal(launch.main, launch.count);
	assert_string_equal(launch_text_with(&launch, "-Xmx1g", "other.jar", &arena), "./start.sh -jar app.jar");
}

static void options_that_end_early_are_no_main_class(void **state)
{
	READ(launch, "java", "-jar");
	(void)state;
	assert_int_equal(launch.main, launch.count);
	(void)arena;
}

static void what_a_shell_would_change_is_quoted(void **state)
{
	struct arena arena auto_done(arena_done) = {};

	(void)state;
	assert_string_equal(shell_quoted(&arena, "-Xmx1g"), "-Xmx1g");
	assert_string_equal(shell_quoted(&arena, ""), "''");
	assert_string_equal(shell_quoted(&arena, "a b"), "'a b'");
	assert_string_equal(shell_quoted(&arena, "it's; $HOME"), "'it'\\''s; $HOME'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jar_is_found_behind_options_with_values),
		cmocka_unit_test(a_main_class_follows_the_class_path),
		cmocka_unit_test(a_module_is_the_main_class),
		cmocka_unit_test(without_java_the_command_stays_as_it_is),
		cmocka_unit_test(options_that_end_early_are_no_main_class),
		cmocka_unit_test(what_a_shell_would_change_is_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
