#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "unit/model/trace.h"

/* The kinds of the faults, in order of time. */
static void expect_kinds(const char *text, const enum region_kind *kinds, size_t count)
{
	struct model *model auto_done(model_free) = trace_model(text);

	assert_int_equal(model->mappings.faults.count, count);
	for (size_t i = 0; i < count; i++) {
		if (model->mappings.fault_kinds.items[i] != kinds[i])
			fail_msg("fault %zu is %s, expected %s", i,
				 model_region_name((enum region_kind)model->mappings.fault_kinds.items[i]),
				 model_region_name(kinds[i]));
	}
}

#define EXPECT_KINDS(text, ...)                                                                                      \
	expect_kinds(text, (const enum region_kind[]){__VA_ARGS__},                                                  \
		     array_length(((const enum region_kind[]){__VA_ARGS__})))

static void mapped_files_are_known_by_name(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 exec \"a\"\n"
		     "1 1/1 file_map result=0x100000 length=0x1000 inode=1 device=1 \"classes.jsa\"\n"
		     "1 1/1 file_map result=0x200000 length=0x1000 inode=2 device=1 \"app.aot\"\n"
		     "1 1/1 file_map result=0x300000 length=0x1000 inode=3 device=1 \"app.jar\"\n"
		     "1 1/1 file_map result=0x400000 length=0x1000 inode=4 device=1 \"libc.so.6\"\n"
		     "1 1/1 file_map result=0x500000 length=0x1000 inode=5 device=1 \"modules\"\n"
		     "1 1/1 file_map result=0x600000 length=0x1000 inode=6 device=1 protection=5 \"tool\"\n"
		     "1 1/1 file_map result=0x700000 length=0x1000\n"
		     "1 1/1 file_map result=0x800000 length=0x1000 flags=0x20022\n"
		     "1 1/1 file_map result=0xa00000 length=0x1000 inode=7 device=1 \"memfd:java_heap\"\n"
		     "2 1/1 fault address=0x100000\n"
		     "3 1/1 fault address=0x200fff\n"
		     "4 1/1 fault address=0x300010\n"
		     "5 1/1 fault address=0x400010\n"
		     "6 1/1 fault address=0x500010\n"
		     "7 1/1 fault address=0x600010\n"
		     "8 1/1 fault address=0x700010\n"
		     "9 1/1 fault address=0x800010\n"
		     "10 1/1 fault address=0x801000\n"
		     "11 1/1 fault address=0xa00000\n",
		     REGION_CDS, REGION_AOT, REGION_JAR, REGION_LIBRARY, REGION_FILE, REGION_LIBRARY, REGION_MALLOC,
		     REGION_STACK, REGION_OTHER, REGION_HEAP);
}

static void what_the_jvm_says_goes_before_anonymous_memory_and_memory_files(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 run_text \"region.1.heap\" \"100000-200000\"\n"
		     "0 1/1 run_text \"region.1.metaspace\" \"300000-310000,400000-410000\"\n"
		     "0 1/1 run_text \"region.2.gc\" \"500000-600000\"\n"
		     "0 1/1 exec \"java\"\n"
		     "1 1/1 file_map result=0x100000 length=0x100000 inode=9 device=1 \"memfd:java_heap\"\n"
		     "1 1/1 file_map result=0x180000 length=0x1000 inode=1 device=1 \"classes.jsa\"\n"
		     "1 1/1 file_map result=0x400000 length=0x10000\n"
		     "1 1/1 file_map result=0x500000 length=0x10000\n"
		     "2 1/1 fault address=0x100000\n"
		     "3 1/1 fault address=0x180000\n"
		     "4 1/1 fault address=0x181000\n"
		     "5 1/1 fault address=0x300000\n"
		     "6 1/1 fault address=0x40ffff\n"
		     "7 1/1 fault address=0x410000\n"
		     "8 1/1 fault address=0x500000\n" /* the region is another process's */
		     "9 1/1 run_text \"region.1.cds\" \"800000-900000\"\n"
		     "9 1/1 file_map result=0x800000 length=0x1000\n"
		     "9 1/1 file_map result=0x801000 length=0x10000 inode=5 device=1 \"app.cache\"\n"
		     "9 1/1 file_map result=0x840000 length=0x1000 inode=6 device=1 \"LC_PAPER\"\n"
		     "10 1/1 fault address=0x801000\n"
		     "11 1/1 fault address=0x840000\n", /* another file within the bounds that the JVM told */
		     REGION_HEAP, REGION_CDS, REGION_HEAP, REGION_METASPACE, REGION_METASPACE, REGION_OTHER,
		     REGION_MALLOC, REGION_CDS, REGION_FILE);
}

static void mappings_change_over_time(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 exec \"a\"\n"
		     "1 1/1 file_map result=0x100000 length=0x10000 inode=3 device=1 \"app.jar\"\n"
		     "2 1/1 file_map result=0x104000 length=0x1000\n" /* in its middle */
		     "3 1/1 fault address=0x103fff\n"
		     "4 1/1 fault address=0x104000\n"
		     "5 1/1 fault address=0x105000\n"
		     "6 1/1 syscall number=11 argument0=0x100000 argument1=0x4000\n" /* munmap */
		     "7 1/1 fault address=0x103fff\n"
		     "8 1/1 fault address=0x105000\n"
		     "9 1/1 syscall number=25 argument0=0x105000 argument1=0x1000 argument2=0x2000 result=0x900000\n"
		     "10 1/1 fault address=0x105000\n"
		     "11 1/1 fault address=0x901fff\n"
		     "12 1/1 syscall number=11 argument0=0x900000 argument1=0x1000 result=-22\n" /* failed */
		     "13 1/1 fault address=0x900000\n"
		     "14 1/1 fork child=2/2\n"
		     "15 2/2 fault address=0x900000\n"
		     "16 2/2 exec \"b\"\n"
		     "17 2/2 fault address=0x900000\n"
		     "18 1/1 syscall number=12 result=0x5000\n"
		     "19 1/1 syscall number=12 result=0x9000\n"
		     "20 1/1 fault address=0x8fff\n",
		     REGION_JAR, REGION_MALLOC, REGION_JAR, REGION_OTHER, REGION_JAR, REGION_OTHER, REGION_JAR,
		     REGION_JAR, REGION_JAR, REGION_OTHER, REGION_MALLOC);
}

/* What the kernel maps at exec has no call: it is known from the next snapshot, for earlier faults too. */
static void snapshots_tell_what_no_call_mapped(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 exec \"/bin/tool\"\n"
		     "1 1/1 fault address=0x400000\n"
		     "2 1/1 fault address=0x402000\n"
		     "3 1/1 fault address=0x7ffd0000\n"
		     "4 1/1 fault address=0x5000\n"
		     "5 1/1 fault address=0x6000\n"
		     "6 1/1 fault address=0x7000\n"
		     "9 1/1 proc_text file=maps \""
		     "00005000-00006000 rw-p 00000000 00:00 0 [heap]\\n"
		     "00006000-00007000 rw-p 00000000 00:00 0 \\n"
		     "00400000-00401000 r-xp 00000000 08:01 77 /bin/tool\\n"
		     "00402000-00403000 rw-p 00002000 08:01 77 /bin/tool\\n"
		     "7ffd0000-7ffd2000 rw-p 00000000 00:00 0 [stack]\\n\"\n",
		     REGION_LIBRARY, REGION_LIBRARY, REGION_STACK, REGION_MALLOC, REGION_MALLOC, REGION_OTHER);
}

/* HotSpot puts the guard of a thread's stack into it, glibc's loader the zeroes of a library's data behind those of the
 * file; neither makes the place another thing. */
static void what_is_put_in_a_place_keeps_what_it_is(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 exec \"a\"\n"
		     "1 1/1 file_map result=0x100000 length=0x100000 protection=3 flags=0x20022\n"
		     "2 1/1 file_map result=0x100000 length=0x4000 protection=3 flags=0x32\n"
		     "3 1/1 fault address=0x101000\n"
		     "4 1/1 file_map result=0x300000 length=0x50000 inode=4 device=1 protection=1 \"libx.so.6\"\n"
		     "5 1/1 file_map result=0x310000 length=0x10000 inode=4 device=1 protection=5 flags=0x12 \"libx.so.6\"\n"
		     "6 1/1 file_map result=0x340000 length=0x10000 protection=3 flags=0x32\n"
		     "7 1/1 fault address=0x340000\n"
		     /* Not within it: past its end. */
		     "8 1/1 file_map result=0x340000 length=0x20000 protection=3 flags=0x32\n"
		     "9 1/1 fault address=0x340000\n",
		     REGION_STACK, REGION_LIBRARY, REGION_MALLOC);
}

/* The heap has 256 MiB: 0x10000000. A byte for each 512 of it are 0x80000, a bit for each 8 bytes 0x400000. */
static void what_the_jvm_reserves_is_known_whole(void **state)
{
	(void)state;
	EXPECT_KINDS("0 1/1 run_text \"region.1.heap\" \"c0000000-d0000000\"\n"
		     "0 1/1 run_text \"region.1.metaspace\" \"7000000-7010000\"\n"
		     "0 1/1 run_text \"region.1.class_space\" \"40000000-40010000,40040000-40050000\"\n"
		     "0 1/1 exec \"java\"\n"
		     "1 1/2 file_map result=0x5000000 length=0x80000 protection=0 flags=0x4022\n" /* before the heap */
		     "2 1/2 file_map result=0xc0000000 length=0x10000000 protection=0 flags=0x4022\n"
		     "3 1/2 file_map result=0x6000000 length=0x81000 protection=0 flags=0x4022\n"
		     "4 1/2 file_map result=0x6800000 length=0x400000 protection=0 flags=0x4022\n"
		     "5 1/2 file_map result=0x6800000 length=0x1000 protection=3 flags=0x32\n"
		     "6 1/3 file_map result=0x5100000 length=0x80000 protection=0 flags=0x4022\n" /* another thread */
		     "7 1/2 file_map result=0x7000000 length=0x800000 protection=0 flags=0x4022\n"
		     "8 1/2 file_map result=0x3f000000 length=0x2000000 protection=0 flags=0x4022\n"
		     "9 1/2 file_map result=0x40000000 length=0x10000 protection=3 flags=0x32\n"
		     "10 1/2 fault address=0x5000000\n"
		     "11 1/2 fault address=0x6080000\n"
		     "12 1/2 fault address=0x6800000\n"
		     "13 1/2 fault address=0x6801000\n"
		     "14 1/2 fault address=0x5100000\n"
		     "15 1/2 fault address=0x7100000\n"
		     "16 1/2 fault address=0x40020000\n"
		     "17 1/2 fault address=0x40060000\n",
		     REGION_MALLOC, REGION_GC, REGION_GC, REGION_GC, REGION_MALLOC, REGION_METASPACE, REGION_CLASS_SPACE,
		     REGION_CLASS_SPACE);
}

/* Of an archive of classes: the bitmap lies where the kernel put it, archived objects in the heap. */
static void parts_of_files_are_told(void **state)
{
	static const enum mapping_part expected[] = {PART_DATA,	  PART_READ_ONLY, PART_BITMAP, PART_HEAP,
						      PART_TEXT,  PART_BSS,	  PART_TEXT,   PART_DATA,
						      PART_BSS,	  PART_NONE};
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 run_text \"region.1.heap\" \"c0000000-d0000000\"\n"
			    "0 1/1 exec \"java\"\n"
			    "1 1/1 file_map result=0x100000 length=0x1000 inode=1 device=1 protection=3 flags=0x12 \"a.jsa\"\n"
			    "1 1/1 file_map result=0x200000 length=0x1000 inode=1 device=1 protection=1 flags=0x12 \"a.jsa\"\n"
			    "1 1/1 file_map result=0x300000 length=0x1000 inode=1 device=1 protection=1 flags=2 \"a.jsa\"\n"
			    "1 1/1 file_map result=0xcff00000 length=0x1000 inode=1 device=1 protection=3 flags=0x12 \"a.jsa\"\n"
			    "1 1/1 file_map result=0x400000 length=0x9000 inode=2 device=1 protection=5 flags=2 \"libx.so\"\n"
			    "1 1/1 file_map result=0x408000 length=0x1000 protection=3 flags=0x32\n"
			    "2 1/1 fault address=0x100000\n"
			    "3 1/1 fault address=0x200000\n"
			    "4 1/1 fault address=0x300000\n"
			    "5 1/1 fault address=0xcff00000\n"
			    "6 1/1 fault address=0x400000\n"
			    "7 1/1 fault address=0x408000\n"
			    "8 1/1 fault address=0x600000\n"
			    "9 1/1 fault address=0x601000\n"
			    "10 1/1 fault address=0x602000\n"
			    "11 1/1 fault address=0x604000\n"
			    "12 1/1 proc_text file=maps \""
			    "00600000-00601000 r-xp 00000000 08:01 77 /bin/tool\\n"
			    "00601000-00602000 rw-p 00002000 08:01 77 /bin/tool\\n"
			    "00602000-00603000 rw-p 00000000 00:00 0 \\n"
			    "00604000-00605000 rw-p 00000000 00:00 0 \\n\"\n");

	(void)state;
	assert_int_equal(model->mappings.faults.count, array_length(expected));
	for (size_t i = 0; i < array_length(expected); i++)
		assert_string_equal(model_part_name((enum mapping_part)model->mappings.fault_parts.items[i]),
				    model_part_name(expected[i]));
	assert_int_equal(model->mappings.fault_kinds.items[3], REGION_CDS);
	assert_int_equal(model->mappings.fault_kinds.items[8], REGION_LIBRARY);
	assert_int_equal(model->mappings.fault_kinds.items[9], REGION_MALLOC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapped_files_are_known_by_name),
		cmocka_unit_test(what_the_jvm_says_goes_before_anonymous_memory_and_memory_files),
		cmocka_unit_test(mappings_change_over_time),
		cmocka_unit_test(snapshots_tell_what_no_call_mapped),
		cmocka_unit_test(what_is_put_in_a_place_keeps_what_it_is),
		cmocka_unit_test(what_the_jvm_reserves_is_known_whole),
		cmocka_unit_test(parts_of_files_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
