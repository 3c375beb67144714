#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "unit/model/trace.h"

static void events_are_put_in_order_and_equal_times_keep_theirs(void **state)
{
	struct model_builder *builder = model_begin();
	struct model *model auto_done(model_free) = NULL;
	struct event_fault fault = {.header = {.kind = EVENT_FAULT, .pid = 1, .tid = 1, .size = sizeof(fault)}};
	enum { COUNT = 5000 };

	(void)state;
	/* From the last to the first, in pairs of equal times: far from sorted, so that the merge sort is used. */
	for (int i = COUNT - 1; i >= 0; i--) {
		fault.header.time_ns = (uint64_t)i / 2;
		fault.address = (uint64_t)i;
		model_add(builder, &fault.header);
	}
	assert_null(model_finish(builder, &model));
	assert_int_equal(model->event_count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_int_equal(model->events[i]->time_ns, i / 2);
		assert_int_equal(MODEL_EVENT(model, i, fault)->address, i ^ 1);
	}
	assert_int_equal(model_first_event_at(model, 3), 6);
	assert_int_equal(model_first_event_at(model, COUNT), COUNT);
}

static void nearly_sorted_events_too(void **state)
{
	struct model *model auto_done(model_free) = trace_model("1 1/1 fault address=1\n"
								"4 1/1 fault address=4\n"
								"3 1/1 fault address=2\n"
								"3 1/1 fault address=3\n"
								"5 1/1 fault address=5\n");

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(MODEL_EVENT(model, i, fault)->address, i + 1);
}

static void time_begins_at_the_commands_exec(void **state)
{
	struct model *model auto_done(model_free) = trace_model("1ms 7/7 exec \"/sbin/gate\"\n"
								"2ms 7/7 file_open result=3 inode=1 \"/gate\"\n"
								"3ms 7/7 run_text \"pid\" \"8\"\n"
								"5ms 8/8 exec \"/bin/java\"\n"
								"6ms 8/8 fault address=1\n");

	(void)state;
	assert_int_equal(model->exec_ns, 5000000);
	assert_false(model->is_attached);
	assert_int_equal(model->event_count, 3);
	assert_int_equal(model->events[0]->kind, EVENT_RUN_TEXT);

	struct model *attached auto_done(model_free) = trace_model("6ms 8/8 fault address=1\n");

	assert_true(attached->is_attached);
	assert_int_equal(attached->exec_ns, 6000000);
}

static void a_recording_without_a_run_is_an_error(void **state)
{
	static const char text[] = "1 0/0 run_text \"kernel\" \"6.1\"\n";
	struct model *model = NULL;
	struct err *err = trace_load_text(text, strlen(text), "empty", 0, &model);

	(void)state;
	assert_non_null(err);
	assert_string_equal(err->message, "the recording holds no event of a run");
	err_free(err);
}

static void processes_and_threads_have_lives_and_names(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 10/10 exec parent_pid=1 \"/usr/bin/bash\"\n"
			    "1 10/10 fork child=20/20\n"
			    "2 20/20 exec parent_pid=10 \"/usr/bin/java\"\n"
			    "3 20/20 fork child=20/21\n"
			    "4 20/21 thread_name \"C1 CompilerThre\"\n"
			    "5 20/21 java_thread step=begin native_tid=21 \"C1 CompilerThread0\"\n"
			    "6 20/20 jvm_state state=create\n"
			    "7 20/21 exit\n"
			    "8 20/21 switch_out state=interruptible\n"
			    "9 20/20 fork child=20/21\n" /* the id again */
			    "10 20/21 switch_in\n"
			    "11 20/20 exit status=256 is_last_thread=1\n"
			    "12 10/10 exit is_last_thread=1\n");
	const struct model_threads *threads = &model->threads;

	(void)state;
	assert_int_equal(threads->processes.count, 2);
	assert_int_equal(threads->list.count, 4);

	uint32_t java = model_process_of(model, 20);

	assert_int_equal(threads->processes.items[java].parent, model_process_of(model, 10));
	assert_string_equal(model_text(model, threads->processes.items[java].program), "/usr/bin/java");
	assert_true(threads->processes.items[java].is_jvm);
	assert_int_equal(threads->processes.items[java].jvm_create_ns, 6);
	assert_int_equal(threads->processes.items[java].ended_ns, 11);
	assert_int_equal(threads->processes.items[java].exit_status, 256);
	assert_int_equal(model->end_ns, 12);

	uint32_t first = model_thread_at(model, 21, 5), second = model_thread_at(model, 21, 10);

	assert_int_not_equal(first, second);
	assert_int_equal(threads->list.items[first].ended_ns, 7);
	assert_true(threads->list.items[first].is_java);
	assert_string_equal(model_thread_name(model, first, 6), "C1 CompilerThread0");
	assert_string_equal(model_thread_name(model, second, 10), "java"); /* its creator's */

	uint32_t main = model_thread_at(model, 20, 3);

	assert_string_equal(model_thread_name(model, main, 1), "bash");
	assert_string_equal(model_thread_name(model, main, 3), "java");
	assert_int_equal(threads->list.items[second].creator, main);
	assert_int_equal(model_thread_at(model, 99, 0), NO_INDEX);
}

static void running_time_is_summed(void **state)
{
	struct model *model auto_done(model_free) = trace_model("0 1/1 exec \"a\"\n"
								"10 1/1 switch_out state=interruptible\n"
								"15 0/0 wake target=1/1 context=timer\n"
								"20 1/1 switch_in\n"
								"30 1/1 switch_out flags=preempted\n"
								"40 1/1 switch_in\n"
								"50 1/1 exit is_last_thread=1\n"
								"51 1/1 switch_out state=interruptible\n");

	(void)state;
	assert_int_equal(model_thread_cpu_ns(model, 0, 0, 1000), 10 + 10 + 11);
	assert_int_equal(model_thread_cpu_ns(model, 0, 5, 25), 5 + 5);
	assert_int_equal(model_thread_cpu_ns(model, 0, 12, 18), 0);
}

static void the_recorders_words_are_kept(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "1 0/0 observed state=no \"gc\" \"no probe\"\n"
			    "2 0/0 observed state=partly \"gc\" \"some\"\n"
			    "3 0/0 run_text \"command\" \"java\" \"-jar\"\n"
			    "4 0/0 run_text \"jvm.7.version\" \"25\"\n"
			    "5 0/0 loss start=10 end=20 count=3 lost_kind=fault\n"
			    "6 0/0 kind_total count=9 sum=100 counted_kind=fault\n"
			    "7 0/0 stack stack_id=5 frame_count=2 [interpreted 0x10 3] [c2 0x20 0x99]\n"
			    "8 0/0 frame_name method=0x10 at=3 type=interpreted \"a/B\" \"run\" \"B.java\" \"12\"\n"
			    "8 0/0 frame_name code=0x20 at=0x99 type=c2 \"a/Inner\" \"in\" \"I.java\" \"1\"\n"
			    "8 0/0 frame_name code=0x20 at=0x99 type=c2 \"a/Outer\" \"out\" \"O.java\" \"2\"\n"
			    "9 0/0 symbol address=0x1000 length=0x10 \"memcpy\"\n");
	struct frame_text names[FRAME_TEXTS_MAX];
	uint32_t count;
	size_t length;

	(void)state;
	assert_int_equal(model_observed(model, "gc"), OBSERVED_PARTLY);
	assert_int_equal(model_observed(model, "jit"), OBSERVED_YES);
	assert_string_equal(model->texts.observed.items[0].why, "some");
	assert_string_equal(model_run_text(model, "command", &length), "java");
	assert_int_equal(length, strlen("java") + 1 + strlen("-jar"));
	assert_string_equal(model_process_text(model, 7, "version"), "25");
	assert_null(model_run_text(model, "none", NULL));
	assert_true(model_has_loss(model, EVENT_FAULT, 19, 30));
	assert_false(model_has_loss(model, EVENT_FAULT, 20, 30));
	assert_false(model_has_loss(model, EVENT_WAKE, 0, 30));
	assert_int_equal(model->texts.totals[EVENT_FAULT].count, 9);

	const struct stack_frame *frames = model_stack(model, 5, &count, NULL);

	assert_int_equal(count, 2);
	assert_int_equal(model_frame_names(model, &frames[0], names), 1);
	assert_string_equal(names[0].method, "run");
	assert_int_equal(names[0].line, 12);
	assert_int_equal(model_frame_names(model, &frames[1], names), 2);
	assert_string_equal(names[0].class_name, "a/Inner");
	assert_string_equal(names[1].class_name, "a/Outer");
	assert_null(model_stack(model, 6, &count, NULL));
	assert_string_equal(model_symbol(model, 0x100f), "memcpy");
	assert_null(model_symbol(model, 0x1010));
	assert_null(model_symbol(model, 0xfff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_put_in_order_and_equal_times_keep_theirs),
		cmocka_unit_test(nearly_sorted_events_too),
		cmocka_unit_test(time_begins_at_the_commands_exec),
		cmocka_unit_test(a_recording_without_a_run_is_an_error),
		cmocka_unit_test(processes_and_threads_have_lives_and_names),
		cmocka_unit_test(running_time_is_summed),
		cmocka_unit_test(the_recorders_words_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
