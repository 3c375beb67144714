/* The messages are those of Temurin 25.0.3, Debian's 17.0.15 and 26, as they were printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "parse/jvm_log.h"

struct refused {
	enum refusal refusal;
	const char *message, *log;
};

static const struct refused refused[] = {
	{REFUSAL_ENCODING,
	 "The saved state of UseCompressedOops and UseCompressedClassPointers is different from runtime, CDS will be "
	 "disabled.",
	 "[0.163s][warning][aot] Unable to use AOT cache.\n"
	 "[                    ] The saved state of UseCompressedOops and UseCompressedClassPointers is different "
	 "from runtime, "
	 "CDS will be disabled.\n"
	 "[0.163s][error  ][aot] An error has occurred while processing the AOT cache. Run with -Xlog:aot for "
	 "details.\n"
	 "[0.163s][error  ][aot] Loading static archive failed.\n"
	 "[0.163s][info   ][cds] Opening of static archive h.aot failed\n"
	 "[0.163s][error  ][aot] Unable to map shared spaces\n"},
	{REFUSAL_MISSING, "Specified AOT cache not found (none.aot)",
	 "[0.020s][info][aot] Specified AOT cache not found (none.aot)\n"
	 "[0.020s][error][aot] Loading static archive failed.\n"
	 "[0.020s][error][aot] Unable to map shared spaces\n"},
	{REFUSAL_MODULES,
	 "Mismatched values for property jdk.module.addopens: java.base/java.lang=ALL-UNNAMED specified during "
	 "runtime but not "
	 "during dump time",
	 "[0.017s][error][aot] Mismatched values for property jdk.module.addopens: java.base/java.lang=ALL-UNNAMED "
	 "specified "
	 "during runtime but not during dump time\n"
	 "[0.017s][error][aot] Disabling optimized module handling\n"
	 "[0.017s][error][aot] AOT cache has aot-linked classes. It cannot be used when archived full module graph "
	 "is not used.\n"
	 "[0.017s][error][aot] Unable to map shared spaces"},
	{REFUSAL_FLIGHT_RECORDER,
	 "Mismatched values for property jdk.module.addmods: jdk.jfr specified during runtime but not during dump "
	 "time",
	 "[0.021s][error][aot] Mismatched values for property jdk.module.addmods: jdk.jfr specified during runtime "
	 "but not "
	 "during dump time\n"},
	{REFUSAL_AGENT,
	 "Mismatched values for property jdk.module.addmods: java.instrument specified during runtime but not during "
	 "dump time",
	 "[0.021s][error][aot] Mismatched values for property jdk.module.addmods: java.instrument specified during "
	 "runtime but "
	 "not during dump time\n"},
	{REFUSAL_AGENT, "AOT cache has aot-linked classes. It cannot be used with JDWP agent",
	 "[0.015s][error][aot] AOT cache has aot-linked classes. It cannot be used with JDWP agent\n"
	 "[0.015s][error][aot] Unable to map shared spaces\n"},
	{REFUSAL_COMPACT_HEADERS,
	 "The AOT cache's UseCompactObjectHeaders setting (disabled) does not equal the current "
	 "UseCompactObjectHeaders setting "
	 "(enabled).",
	 "[0.006s][warning][aot] Unable to use AOT cache.\n"
	 "[                    ] The AOT cache's UseCompactObjectHeaders setting (disabled) does not equal the "
	 "current "
	 "UseCompactObjectHeaders setting (enabled).\n"},
	{REFUSAL_DAMAGED, "The AOT cache has been truncated.",
	 "[0.011s][warning][aot] The AOT cache has been truncated.\n[0.011s][error  ][aot] Loading static archive "
	 "failed.\n"},
	{REFUSAL_DAMAGED, "The AOT cache has a bad magic number: 0x3682eee4",
	 "[0.005s][warning][aot] The AOT cache has a bad magic number: 0x3682eee4\n"
	 "[0.005s][warning][aot] Unable to read the file header.\n"},
	{REFUSAL_MODULES, "AOT cache is disabled when the --limit-modules option is specified.",
	 "[0.001s][warning][aot] AOT cache is disabled when the --limit-modules option is specified.\n"},
	{REFUSAL_MODULES, "Unable to use AOT cache: CDS is disabled when java.base module is patched.",
	 "[0.001s][warning][aot] Unable to use AOT cache: CDS is disabled when java.base module is patched.\n"},
	{REFUSAL_OTHER_BUILD, "The AOT cache was created by a different version or build of HotSpot",
	 "[0.011s][info][aot] The AOT cache was created by a different version or build of HotSpot\n"},
	{REFUSAL_JAR_CHANGED, "A jar file is not the one used while building the shared archive file: h17.jar",
	 "[0.040s][info][cds       ] Mapped dynamic region #0 at base 0x00007f381bbc7000 top 0x00007f381bbd3000 "
	 "(ReadWrite)\n"
	 "[0.040s][info][cds       ] UseSharedSpaces: A jar file is not the one used while building the shared "
	 "archive file: "
	 "h17.jar\n"
	 "[0.040s][warning][cds,dynamic] Unable to use shared archive. The top archive failed to load: h.jsa\n"},
	{REFUSAL_JAR_CHANGED,
	 "This file is not the one used while building the AOT cache: '/srv/lib/a.jar', timestamp has changed",
	 "[0.040s][warning][aot] This file is not the one used while building the AOT cache: '/srv/lib/a.jar', "
	 "timestamp has "
	 "changed\n"},
	{REFUSAL_OTHER_IMAGE,
	 "This file is not the one used while building the AOT cache: '/opt/image/lib/modules', size has changed",
	 "[0.040s][warning][aot] This file is not the one used while building the AOT cache: "
	 "'/opt/image/lib/modules', size has "
	 "changed\n"},
	{REFUSAL_JAR_MISSING, "Required classpath entry does not exist: b.jar",
	 "[0.040s][warning][cds] Required classpath entry does not exist: b.jar\n"},
	{REFUSAL_CLASS_PATH, "[APP classpath mismatch, actual: -Djava.class.path=x.jar",
	 "[0.040s][info][class,path] [APP classpath mismatch, actual: -Djava.class.path=x.jar\n"
	 "[0.040s][warning][cds] shared class paths mismatch (hint: enable -Xlog:class+path=info to diagnose the "
	 "failure)\n"},
	{REFUSAL_MISSING, "Specified shared archive not found (none.jsa).",
	 "[0.013s][info][cds       ] UseSharedSpaces: Specified shared archive not found (none.jsa).\n"
	 "[0.013s][info][cds       ] UseSharedSpaces: Unable to map shared spaces\r\n"},
	{REFUSAL_OTHER_BUILD, "Cannot handle shared archive file version 0xb. Must be at least 0xd.",
	 "[0.002s][warning][cds] Cannot handle shared archive file version 0xb. Must be at least 0xd.\n"
	 "[0.002s][error  ][cds] Not a valid shared archive file (h.jsa)\n"
	 "[0.002s][info   ][cds] Unable to use shared archive: invalid archive\n"},
	{REFUSAL_DAMAGED, "Not a valid shared archive file (h.jsa)",
	 "[0.002s][error  ][cds] Not a valid shared archive file (h.jsa)\n"
	 "[0.002s][info   ][cds] Unable to use shared archive: invalid archive\n"},
	{REFUSAL_UNNAMED, "Unable to use shared archive.",
	 "[0.190s][info][cds       ] UseSharedSpaces: Unable to use shared archive.\n"},
};

/* A cache that is used: some of its words are those of refusals. */
static const char used[] =
	"[0.009s][info][aot       ] trying to map h.aot\n"
	"[0.009s][info][aot       ] Opened AOT cache h.aot.\n"
	"[0.024s][info][class,path] Modules image /usr/lib/jvm/25/lib/modules validation: passed\n"
	"[0.024s][info][aot       ] optimized module handling: enabled\n"
	"[0.016s][info][aot,codecache,init] Unable to use AOT Code Cache.\n"
	"[0.016s][info][aot,codecache,init] AOT Code Cache disabled: it was created with different GC: G1 GC vs "
	"current Serial GC\n"
	"[0.016s][warning][aot,codecache,init] Unable to use AOT cache.\n"
	"[0.025s][info][aot       ] Using AOT-linked classes: true (static archive: has aot-linked classes)\n"
	"hello: cache failed, Unable to use AOT cache. (says the program)\n";

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < array_length(refused); i++) {
		enum refusal refusal = REFUSAL_COUNT;
		const char *message = NULL;
		size_t length = 0;

		if (!jvm_log_refusal(refused[i].log, strlen(refused[i].log), &refusal, &message, &length))
			fail_msg("no refusal is seen in: %s", refused[i].log);
		if (length != strlen(refused[i].message) || memcmp(message, refused[i].message, length) != 0)
			fail_msg("the message is \"%.*s\", not \"%s\"", (int)length, message, refused[i].message);
		if (refusal != refused[i].refusal)
			fail_msg("\"%.*s\" is: %s", (int)length, message, refusal_words(refusal));
	}
}

static void test_no_refusal(void **state)
{
	enum refusal refusal;
	const char *message;
	size_t length;

	(void)state;
	assert_false(jvm_log_refusal(used, strlen(used), &refusal, &message, &length));
	assert_false(jvm_log_refusal("", 0, &refusal, &message, &length));
	assert_false(jvm_log_refusal("[", 1, &refusal, &message, &length));
}

static void test_every_refusal_has_words(void **state)
{
	(void)state;
	for (int refusal = 0; refusal < REFUSAL_COUNT; refusal++)
		assert_true(strlen(refusal_words((enum refusal)refusal)) > 10);
	assert_string_equal(refusal_words(REFUSAL_COUNT), "");
}

static void test_exclusions(void **state)
{
	static const char log[] =
		"[34.445s][warning][aot] Skipping jdk/proxy2/$Proxy22: Unsupported location\n"
		"Skipping nothing\n"
		"[34.445s][warning][aot] Skipping a long sentence: not this\n"
		"[4.097s][info][cds] Skipping org/x/A: Pre JDK 6 class not supported by CDS: 49.0 org/x/A\r\n"
		"Skipping b/B: Signed JAR";
	const char *at = log, *end = log + strlen(log);
	struct jvm_log_exclusion exclusion;
	static const char *const expected[][2] = {{"jdk/proxy2/$Proxy22", "Unsupported location"},
						  {"org/x/A", "Pre JDK 6 class not supported by CDS: 49.0 org/x/A"},
						  {"b/B", "Signed JAR"}};

	(void)state;
	for (size_t i = 0; i < array_length(expected); i++) {
		assert_true(jvm_log_exclusion(&at, end, &exclusion));
		assert_int_equal(exclusion.name_length, strlen(expected[i][0]));
		assert_memory_equal(exclusion.name, expected[i][0], exclusion.name_length);
		assert_int_equal(exclusion.reason_length, strlen(expected[i][1]));
		assert_memory_equal(exclusion.reason, expected[i][1], exclusion.reason_length);
	}
	assert_false(jvm_log_exclusion(&at, end, &exclusion));
}

static void complains(const char *log, const char *expected)
{
	size_t length = 0;
	const char *line = jvm_log_complaint(log, strlen(log), &length);

	if (!expected) {
		assert_null(line);
		return;
	}
	assert_non_null(line);
	if (length != strlen(expected) || memcmp(line, expected, length) != 0)
		fail_msg("the complaint is \"%.*s\", not \"%s\"", (int)length, line, expected);
}

static void test_complaints(void **state)
{
	(void)state;
	complains("Unrecognized VM option 'AOTCache=x'\nError: Could not create the Java Virtual Machine.\n"
		  "Error: A fatal exception has occurred. Program will exit.\n",
		  "Unrecognized VM option 'AOTCache=x'");
	complains("[0.01s][error][aot] Unable to map shared spaces\nError occurred during initialization of VM\n"
		  "Unable to use AOT cache.\n",
		  "Unable to use AOT cache.");
	complains("Error occurred during initialization of VM\nMultiple garbage collectors selected\n",
		  "Multiple garbage collectors selected");
	complains("Error: Unable to access jarfile no.jar\n", "Error: Unable to access jarfile no.jar");
	complains("starting\nException in thread \"main\" java.lang.IllegalStateException: port\n\tat "
		  "x.Y.z(Y.java:1)\n",
		  "Exception in thread \"main\" java.lang.IllegalStateException: port");
	complains("[6.907s][error  ][aot] Error: non-empty directory '/srv/classes'\nmore\n", "Error: non-empty directory '/srv/classes'");
	complains("one\ntwo\n\n", "two");
	complains("\n\n", NULL);
	complains("", NULL);
	complains("Error occurred during initialization of VM", "Error occurred during initialization of VM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_no_refusal),
		cmocka_unit_test(test_every_refusal_has_words),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_complaints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
