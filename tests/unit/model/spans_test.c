#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "unit/model/trace.h"

struct expected_span {
	enum span_kind kind;
	uint64_t start_ns, end_ns;
	int parent; /* index, -1 none */
	uint8_t flags;
};

static void expect_spans(const struct model *model, const struct expected_span *expected, size_t count)
{
	const struct spans *spans = &model->threads.list.items[0].spans;

	for (size_t i = 0; i < spans->count && i < count; i++) {
		const struct span *is = &spans->items[i];
		const struct expected_span *should = &expected[i];

		if (is->kind != should->kind || is->start_ns != should->start_ns || is->end_ns != should->end_ns ||
		    (int)is->parent != should->parent || is->flags != should->flags)
			fail_msg("span %zu is of kind %u, [%llu, %llu), in %d, flags %u", i, is->kind,
				 (unsigned long long)is->start_ns, (unsigned long long)is->end_ns, (int)is->parent,
				 is->flags);
	}
	assert_int_equal(spans->count, count);
}

#define EXPECT_SPANS(model, ...)                                                                                     \
	expect_spans(model, (const struct expected_span[]){__VA_ARGS__},                                             \
		     array_length(((const struct expected_span[]){__VA_ARGS__})))

static void exact_spans_nest(void **state)
{
	struct model *model auto_done(model_free) = trace_model("0 1/1 exec \"a\"\n"
								"12..13 1/1 interrupt context=timer\n"
								"11..14 1/1 fault address=1 is_major=1\n"
								"10..20 1/1 file_read result=1 inode=5 device=1\n"
								"25..30 1/1 syscall number=202\n");

	(void)state;
	EXPECT_SPANS(model, {SPAN_FILE_READ, 10, 20, -1, 0}, {SPAN_FAULT, 11, 14, 0, SPAN_MAJOR},
		     {SPAN_INTERRUPT, 12, 13, 1, 0}, {SPAN_SYSCALL, 25, 30, -1, 0});

	uint64_t before_ns;

	assert_int_equal(model_span_at(model, 0, 12, &before_ns), 2);
	assert_int_equal(before_ns, 12);
	assert_int_equal(model_span_at(model, 0, 13, &before_ns), 1);
	assert_int_equal(before_ns, 13);
	assert_int_equal(model_span_at(model, 0, 19, &before_ns), 0);
	assert_int_equal(before_ns, 14);
	assert_int_equal(model_span_at(model, 0, 24, &before_ns), NO_INDEX);
	assert_int_equal(before_ns, 20);
	assert_int_equal(model_span_at(model, 0, 9, &before_ns), NO_INDEX);
	assert_int_equal(before_ns, 0);
	assert_int_equal(model_span_within(model, 0, 2, SPAN_FILE_READ), 0);
	assert_int_equal(model_span_within(model, 0, 2, SPAN_SYSCALL), NO_INDEX);
}

/* A child's loader asks its parent, which does not find the class and throws; then it defines the class itself. */
static void a_class_is_found_by_its_second_loader(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"java\"\n"
			    "10 1/1 class_load stack_pointer=1000 \"a/B\"\n"
			    "12 1/1 class_load stack_pointer=800 \"a/B\"\n" /* the boot loader, asked on the way */
			    "14..15 1/1 syscall number=202\n"
			    "18..20 1/1 exception stack_pointer=900 count=1 \"java/lang/ClassNotFoundException\"\n"
			    "22..30 1/1 file_read result=500 inode=5 device=1\n"
			    "32 1/1 class_load stack_pointer=850 \"a/B\"\n"
			    "33 1/1 class_parse stack_pointer=700 \"a/B\"\n"
			    "34 1/1 class_load stack_pointer=600 \"a/Super\"\n"
			    "36 1/1 class_loaded stack_pointer=550 is_shared=1 \"a/Super\"\n"
			    "40 1/1 class_loaded stack_pointer=750 loader=7 \"a/B\"\n"
			    "50 1/1 fault address=1\n");
	const uint8_t loaded = SPAN_LOADED;

	(void)state;
	EXPECT_SPANS(model, {SPAN_CLASS_LOAD, 10, 40, -1, loaded}, {SPAN_CLASS_LOAD, 12, 15, 0, SPAN_END_ESTIMATED},
		     {SPAN_SYSCALL, 14, 15, 1, 0}, {SPAN_EXCEPTION, 18, 20, 0, 0}, {SPAN_FILE_READ, 22, 30, 0, 0},
		     {SPAN_CLASS_LOAD, 32, 40, 0, loaded}, {SPAN_CLASS_PARSE, 33, 40, 5, SPAN_LOADED},
		     {SPAN_CLASS_LOAD, 34, 36, 6, SPAN_LOADED | SPAN_SHARED});
	assert_int_equal(model->jvm.classes.count, 2);

	const struct loaded_class *super = &model->jvm.classes.items[0], *class = &model->jvm.classes.items[1];

	assert_true(super->is_shared);
	assert_int_equal(super->span, 7);
	assert_string_equal(model_text(model, class->name), "a/B");
	assert_int_equal(class->span, 0);
	assert_true(class->is_parsed);
	assert_false(super->is_parsed);
	assert_int_equal(class->read_bytes, 500);
	assert_int_equal(class->read_file, model_file_by_inode(model, 1, 5));
	assert_false(class->is_shared);
}

static void an_initialiser_ends_with_its_end_and_inner_ones_with_theirs(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"java\"\n"
			    "10 1/1 class_link stack_pointer=900 \"A\"\n"
			    "12 1/1 class_init step=clinit stack_pointer=950 \"A\"\n"
			    "20 1/1 class_init step=clinit stack_pointer=500 \"B\"\n"
			    "25 1/1 class_init step=error stack_pointer=500 \"B\"\n"
			    "30 1/1 class_init step=end stack_pointer=950 \"A\"\n");

	(void)state;
	/* The initialiser's frame lies above the link's: its begin proves that linking had returned, by 10. */
	EXPECT_SPANS(model, {SPAN_CLASS_LINK, 10, 10, -1, SPAN_END_ESTIMATED}, {SPAN_CLASS_INIT, 12, 30, -1, 0},
		     {SPAN_CLASS_INIT, 20, 25, 1, SPAN_FAILED});
}

static void what_a_throw_unwinds_ends_with_it(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "10 1/1 native_throw stack_pointer=500 \"St9exception\"\n"
			    "12 1/1 native_throw stack_pointer=400 \"i\"\n"
			    "13 1/1 native_catch stack_pointer=450\n"
			    "15 1/1 native_catch stack_pointer=600\n"
			    "20 1/1 native_throw stack_pointer=500 \"i\"\n"
			    "21 1/1 fault address=1\n");

	(void)state;
	EXPECT_SPANS(model, {SPAN_NATIVE_THROW, 10, 15, -1, 0}, {SPAN_NATIVE_THROW, 12, 13, 0, 0},
		     {SPAN_NATIVE_THROW, 20, 21, -1, SPAN_END_UNSEEN});
}

/* An estimated end is a lower bound: a measured inner span that ends later moves it. Measured ones that cross are
 * cut. */
static void crossing_spans_are_made_to_nest(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"java\"\n"
			    "10 1/1 class_load stack_pointer=500 \"A\"\n"
			    "20..30 1/1 file_read result=1 inode=5 device=1\n"
			    "29 1/1 exception stack_pointer=600 count=1 \"E\"\n" /* returned by then */
			    "40..50 1/1 file_read result=1 inode=5 device=1\n"
			    "45..60 1/1 file_read result=1 inode=5 device=1\n");

	(void)state;
	const struct spans *spans = &model->threads.list.items[0].spans;

	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->items[i];

		assert_true(span->end_ns >= span->start_ns);
		if (span->parent != NO_INDEX) {
			assert_true(spans->items[span->parent].start_ns <= span->start_ns);
			assert_true(spans->items[span->parent].end_ns >= span->end_ns);
		}
	}
}

static void pauses_know_their_operation(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"java\"\n"
			    "10 1/1 safepoint step=begin\n"
			    "11 1/1 vm_operation step=begin \"G1CollectForAllocation\"\n"
			    "12 1/1 gc step=begin is_full=1\n"
			    "13 1/1 gc step=end\n"
			    "14 1/1 vm_operation step=end \"G1CollectForAllocation\"\n"
			    "15 1/1 safepoint step=end\n"
			    "20 1/1 safepoint step=begin\n"
			    "21 1/1 safepoint step=end\n"
			    "30 1/1 vm_operation step=begin \"ICBufferFull\"\n" /* its safepoint was not seen */
			    "31 1/1 vm_operation step=end \"ICBufferFull\"\n"
			    "40 1/1 vm_operation step=begin mode=1 \"HandshakeAllThreads\"\n"
			    "41 1/1 vm_operation step=end mode=1 \"HandshakeAllThreads\"\n"
			    "50 1/1 compile step=begin \"C2\" \"a/B\" \"run\" \"()V\"\n"
			    "55 1/1 compile step=end is_success=1 \"C2\" \"a/B\" \"run\" \"()V\"\n");
	const struct model_jvm *jvm = &model->jvm;

	(void)state;
	assert_int_equal(jvm->pauses.count, 3);
	assert_int_equal(jvm->pauses.items[0].end_ns, 15);
	assert_true(jvm->pauses.items[0].is_collection);
	assert_string_equal(model_text(model, jvm->pauses.items[0].operation), "G1CollectForAllocation");
	assert_false(jvm->pauses.items[1].is_collection);
	assert_int_equal(jvm->pauses.items[2].start_ns, 30);
	assert_int_equal(jvm->pauses.items[2].end_ns, 31);
	assert_int_equal(jvm->collections.count, 1);
	assert_true(jvm->collections.items[0].is_full);
	assert_int_equal(jvm->compilations.count, 1);
	assert_int_equal(jvm->compilations.items[0].end_ns, 55);
	assert_true(jvm->compilations.items[0].is_success);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_spans_nest),
		cmocka_unit_test(a_class_is_found_by_its_second_loader),
		cmocka_unit_test(an_initialiser_ends_with_its_end_and_inner_ones_with_theirs),
		cmocka_unit_test(what_a_throw_unwinds_ends_with_it),
		cmocka_unit_test(crossing_spans_are_made_to_nest),
		cmocka_unit_test(pauses_know_their_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
