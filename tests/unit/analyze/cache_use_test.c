/* Whether a cache was used, and what it did not give: on made-up recordings of a JVM that serves one request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/analyze.h"
#include "analyze/cache_use.h"
#include "analyze/coverage.h"
#include "base/auto.h"
#include "model/model.h"
#include "unit/model/trace.h"

struct case_of {
	struct model *model;
	struct report report;
	struct arena arena;
	struct cache_use use;
};

static void case_done(struct case_of *of)
{
	report_done(&of->report);
	model_free(&of->model);
	arena_done(&of->arena);
}

/* A JVM with these arguments; `mapping` is what it does with its cache at 0.3 ms; `classes` are loaded in its startup
 * (shared or not, by a count each) and then in its request (any lines). */
static void make(const char *arguments, const char *mapping, int shared, int unshared, const char *in_request,
		 struct case_of *ret)
{
	auto_free char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	fprintf(out, "thread main = 100/100\n0 100/100 run_text \"command\\0java\\0%s\\0-jar\\0/srv/app.jar\"\n",
		arguments);
	fputs("0 0/0 run_text \"jvm.100.version\\025.0.3+9-LTS\"\n0 0/0 run_text \"arch\\0x86_64\"\n0 0/0 run_text \"pid\\0100\"\n"
	      "0 100/100 run_text \"region.100.heap\\0600000000-800000000\"\n"
	      "0 main exec parent_pid=1 \"/usr/bin/java\"\n0 main switch_in\n"
	      "0.1ms main jvm_state state=mapped\n"
	      "0.2ms main jvm_state state=create\n0.25ms main jvm_state state=init_begin\n",
	      out);
	fputs(mapping, out);
	fputs("0.5ms main jvm_state state=init_end\n", out);
	for (int i = 0; i < shared + unshared; i++)
		fprintf(out, "%d.%03dms main class_loaded stack_pointer=9000 is_shared=%d \"com/example/S%d\"\n",
			1 + i / 1000, i % 1000, i < shared, i);
	fputs("5ms main socket_listen socket=1 descriptor=3 port=8080\n5ms main socket_ready socket=1 descriptor=3 "
	      "port=8080\n"
	      "6ms main socket_accept result=4 socket=7 port=8080 peer_port=5000 \"127.0.0.1\"\n"
	      "10ms 900/900 socket_arrival socket=7 length=18 port=8080 peer_port=5000\n"
	      "10ms..10.03ms main socket_read result=18 socket=7 flags=accepted port=8080 peer_port=5000 \"GET / "
	      "HTTP/1.1\\r\\n\\r\\n\"\n",
	      out);
	fputs(in_request, out);
	fputs("30ms..30.05ms main socket_write result=40 socket=7 flags=accepted port=8080 peer_port=5000 \"HTTP/1.1 "
	      "200 "
	      "OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"\n40ms main exit status=0 is_last_thread=1\n",
	      out);
	fclose(out);
	*ret = (struct case_of){.model = trace_model(text)};
	analyze_report(ret->model, &ret->report);
	cache_use_find(ret->model, &ret->report, &ret->arena, &ret->use);
}

#define OPEN "0.3ms main file_open result=9 inode=40 device=1 \"/srv/app.aot\"\n"
#define MAP(from, address, flags)                                                                                    \
	from " main file_map result=" address " length=0x100000 inode=40 device=1 protection=3 flags=" flags         \
	     " \"app.aot\"\n"

static void test_mapped(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-XX:AOTCache=app.aot", OPEN MAP("0.31ms", "0x70000000", "0x12") MAP("0.32ms", "0x7ffc00000", "0x12"),
	     120, 3,
	     "12ms main class_loaded stack_pointer=9000 is_shared=1 \"com/example/A\"\n"
	     "13ms main class_loaded stack_pointer=9000 \"com/example/B\"\n",
	     &of);
	assert_true(of.use.is_mapped);
	assert_null(of.use.reason);
	assert_string_equal(of.use.requested.text, "app.aot");
	assert_false(of.use.is_archive);
	assert_int_equal(of.use.startup_classes.value, 123);
	assert_int_equal(of.use.startup_shared.value, 120);
	assert_int_equal(of.use.request_classes.value, 2);
	assert_int_equal(of.use.request_shared.value, 1);
	/* 0x7ffc00000 lies in the heap: archived objects. */
	assert_int_equal(of.use.is_heap_used.state, KNOWN);
	assert_int_equal(of.use.is_heap_used.value, 1);
}

static void test_mapped_without_heap(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-XX:AOTCache=app.aot", OPEN MAP("0.31ms", "0x70000000", "0x12"), 120, 0, "", &of);
	assert_true(of.use.is_mapped);
	assert_int_equal(of.use.is_heap_used.value, 0);
}

/* Other collectors read what G1 maps. */
static void test_heap_that_is_read(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-XX:AOTCache=app.aot",
	     OPEN MAP("0.31ms", "0x70000000", "0x12") "0.32ms..0.33ms main file_read result=788944 inode=40 device=1 "
						      "offset=9629696 length=788944 descriptor=9\n",
	     120, 0, "", &of);
	assert_int_equal(of.use.is_heap_used.value, 1);
}

static void refused(const char *mapping, int shared, int unshared, const char *reason)
{
	auto_done(case_done) struct case_of of;

	make("-XX:AOTCache=app.aot", mapping, shared, unshared, "", &of);
	assert_false(of.use.is_mapped);
	assert_int_equal(of.use.requested.state, KNOWN);
	assert_non_null(of.use.reason);
	assert_string_equal(of.use.reason, reason);
}

static void test_refused(void **state)
{
	(void)state;
	refused("0.3ms main file_open result=-2 \"/srv/app.aot\"\n", 0, 150, "the file was not found");
	refused("", 0, 150, "the JVM did not open it");
	refused(OPEN, 0, 150, "the JVM opened it and did not map it");
	/* The header is read through a mapping that is not fixed. */
	refused(OPEN MAP("0.31ms", "0x70000000", "0x02"), 0, 150, "the JVM opened it and did not map it");
	/* Given up again: no class came from it. */
	refused(OPEN MAP("0.31ms", "0x70000000", "0x12"), 0, 150, "the JVM mapped it and gave it up again");
	/* Given up again, while the JDK's own archive stays: the unmapping shows it. */
	refused(OPEN MAP("0.31ms", "0x70000000", "0x12") "0.33ms..0.34ms main syscall number=11 argument0=0x70000000 "
							 "argument1=0x100000\n",
		150, 0, "the JVM mapped it and gave it up again");
}

/* A file of that name that is another's, and none asked for. */
static void test_nothing_asked_for(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-Xmx1g", OPEN MAP("0.31ms", "0x70000000", "0x12"), 120, 0, "", &of);
	assert_int_equal(of.use.requested.state, NONE);
	assert_false(of.use.is_mapped);
	assert_null(of.use.reason);
}

/* Where a cache is made, the option names what is written. */
static void test_making_one(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-XX:AOTMode=create\\0-XX:AOTCache=app.aot", OPEN, 120, 0, "", &of);
	assert_int_equal(of.use.requested.state, NONE);
}

static void test_archive(void **state)
{
	auto_done(case_done) struct case_of of;

	(void)state;
	make("-XX:SharedArchiveFile=/jdk/classes.jsa:app.jsa",
	     "0.3ms main file_open result=9 inode=41 device=1 \"/srv/app.jsa\"\n"
	     "0.31ms main file_map result=0x70000000 length=0x1000 inode=41 device=1 protection=3 flags=0x12 "
	     "\"app.jsa\"\n",
	     120, 0, "", &of);
	assert_true(of.use.is_mapped);
	assert_true(of.use.is_archive);
	assert_string_equal(of.use.requested.text, "/jdk/classes.jsa:app.jsa");
}

/* ---- coverage ---- */

static const struct coverage_group *group_of(const struct coverage *coverage, const char *why)
{
	for (size_t i = 0; i < coverage->groups_count; i++)
		if (strcmp(coverage->groups[i].why, why) == 0)
			return &coverage->groups[i];
	fail_msg("no group \"%s\"", why);
	return NULL;
}

static const char request_classes[] =
	"12ms main class_loaded stack_pointer=9000 is_shared=1 \"com/example/A\"\n"
	/* 0.5 ms each, one in the other: 1.5 ms of which 0.5 are the inner one's. */
	"13ms main class_load stack_pointer=8000 \"com/example/Seen\"\n"
	"13.5ms main class_load stack_pointer=7000 \"com/example/Rare\"\n"
	"14ms main class_loaded stack_pointer=7000 \"com/example/Rare\"\n"
	"14.5ms main class_loaded stack_pointer=8000 \"com/example/Seen\"\n"
	"15ms main class_loaded stack_pointer=9000 \"com/example/Signed\"\n"
	"15.1ms main class_loaded stack_pointer=9000 \"com/example/Old\"\n"
	"15.2ms main class_loaded stack_pointer=9000 \"com/example/Own\"\n"
	"16ms main class_loaded stack_pointer=9000 \"jdk/proxy2/$Proxy7\"\n"
	"16.1ms main class_loaded stack_pointer=9000 \"com/example/A$$Lambda/0x00007f1234\"\n";

static void test_coverage(void **state)
{
	auto_done(case_done) struct case_of of, trained;
	auto_done(training_done) struct training training = {};
	struct coverage coverage;

	(void)state;
	make("-XX:AOTCacheOutput=app.aot", "", 120, 0,
	     "12ms main class_loaded stack_pointer=9000 \"com/example/Seen\"\n"
	     "13ms main class_loaded stack_pointer=9000 \"com/example/Signed\"\n",
	     &trained);
	make("-XX:AOTCache=app.aot", OPEN MAP("0.31ms", "0x70000000", "0x12"), 120, 0, request_classes, &of);
	training_add_run(&training, trained.model, &trained.report);
	training_add_exclusion(&training, "com/example/Signed", "Signed JAR");
	training_add_exclusion(&training, "com.example.Old", "Not linked");
	training_add_exclusion(&training, "com/example/Old",
			       "Pre JDK 6 class not supported by CDS: 49.0 com/example/Old");
	training_add_exclusion(&training, "com/example/Own", "Unsupported location");
	training_add_exclusion(&training, "jdk/proxy2/$Proxy7", "Unsupported location");
	assert_true(coverage_find(of.model, &of.report, &training, &of.arena, &coverage));
	assert_int_equal(coverage.classes, 8);
	assert_int_equal(coverage.shared, 1);
	assert_int_equal(coverage.groups_count, 6);
	/* The dearest first. */
	assert_string_equal(coverage.groups[0].why, "not kept by the cache");
	assert_int_equal(coverage.groups[0].duration_ns, 1000000);
	assert_string_equal(coverage.groups[0].examples[0], "com.example.Seen");
	assert_null(coverage.groups[0].examples[1]);
	assert_string_equal(coverage.groups[1].why, "not loaded in the training run");
	assert_int_equal(coverage.groups[1].duration_ns, 500000);
	assert_string_equal(coverage.groups[1].examples[0], "com.example.Rare");
	assert_int_equal(group_of(&coverage, "from a signed jar")->classes, 1);
	assert_int_equal(group_of(&coverage, "of a class file version that a cache cannot hold")->classes, 1);
	assert_int_equal(group_of(&coverage, "loaded by a class loader of the application's own")->classes, 1);
	assert_int_equal(group_of(&coverage, "made at run time (lambdas, proxies, method handles)")->classes, 2);
}

static void test_coverage_without_training(void **state)
{
	auto_done(case_done) struct case_of of;
	struct coverage coverage;

	(void)state;
	make("-XX:AOTCache=app.aot", OPEN MAP("0.31ms", "0x70000000", "0x12"), 120, 0, request_classes, &of);
	assert_true(coverage_find(of.model, &of.report, NULL, &of.arena, &coverage));
	assert_int_equal(group_of(&coverage, "not kept by the cache")->classes, 5);
	assert_int_equal(group_of(&coverage, "made at run time (lambdas, proxies, method handles)")->classes, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapped),
		cmocka_unit_test(test_mapped_without_heap),
		cmocka_unit_test(test_heap_that_is_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nothing_asked_for),
		cmocka_unit_test(test_making_one),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_coverage_without_training),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
