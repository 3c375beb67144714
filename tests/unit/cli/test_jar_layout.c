/* What a jar is, by the names in it. */
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
#include "cli/jar_layout.h"
#include "unit/parse/archive_bytes.h"

#define LOADER "org/springframework/boot/loader/launch/JarLauncher.class"
#define OLD_LOADER "org/springframework/boot/loader/JarLauncher.class"

/* A jar with these entries, separated by '|'; those that end in .jar are real ones with one class in them. */
static void is_kind(const char *names, enum jar_kind expected)
{
	const struct zip_item class = {.name = "a/B.class", .data = "class", .data_bytes = 5};
	char path[] = "/tmp/warmtrace-jar-XXXXXX";
	auto_free char *copy = strdup(names);
	auto_done(bytes_done) struct bytes inner = {}, outer = {};
	struct zip_item items[8] = {};
	enum jar_kind kind = JAR_PLAIN;
	struct err *err;
	size_t count = 0;
	int fd = mkstemp(path);

	zip_archive(&inner, &class, 1, (struct zip_options){});
	for (char *rest = copy, *name; (name = strsep(&rest, "|"));) {
		bool is_jar = strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".jar") == 0;

		items[count++] = (struct zip_item){.name = name,
						   .data = is_jar ? inner.items : (const void *)"x",
						   .data_bytes = is_jar ? inner.count : 1};
	}
	zip_archive(&outer, items, count, (struct zip_options){});
	assert_int_equal(write(fd, outer.items, outer.count), outer.count);
	close(fd);
	err = jar_kind_of(path, &kind);
	unlink(path);
	if (err)
		fail_msg("%s: %s", names, err->message);
	if (kind != expected)
		fail_msg("%s is of kind %d, not %d", names, kind, expected);
}

static void test_kinds(void **state)
{
	(void)state;
	is_kind(LOADER "|BOOT-INF/lib/a.jar|BOOT-INF/lib/spring-boot-jarmode-tools-3.5.7.jar", JAR_BOOT_TOOLS);
	is_kind(OLD_LOADER "|BOOT-INF/lib/spring-boot-jarmode-layertools-2.7.18.jar", JAR_BOOT_LAYERS);
	is_kind(OLD_LOADER "|BOOT-INF/lib/a.jar", JAR_BOOT_OLD);
	is_kind("demo/Launcher.class|lib/app.jar", JAR_NESTED);
	is_kind("demo/Main.class|META-INF/MANIFEST.MF", JAR_PLAIN);
	/* A name alone makes no Boot jar. */
	is_kind("demo/Main.class|lib/spring-boot-jarmode-tools-3.5.7.jar", JAR_NESTED);
	is_kind("demo/Main.class|docs/org/springframework/boot/loader/readme.txt", JAR_PLAIN);
}

static void test_unreadable(void **state)
{
	enum jar_kind kind;
	struct err *err = jar_kind_of("/nowhere/at/all.jar", &kind);

	(void)state;
	assert_non_null(err);
	err_free(err);
	err = jar_kind_of("/dev/null", &kind);
	assert_non_null(err);
	err_free(err);
	err = jar_kind_of("/etc/passwd", &kind);
	assert_non_null(err);
	err_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
