/* The text form: lines and the records they mean, records and their lines, and the error of each wrong line. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "format/schema.h"
#include "format/text.h"
#include "unit/format/made.h"

static void parse(const char *text, struct made_list *list)
{
	/* An exactly sized copy, so that a sanitizer sees a read past the end. */
	size_t length = strlen(text);
	auto_free char *bytes = malloc(length + !length);

	memcpy(bytes, text, length);
	made_assert_ok(text_parse(bytes, length, "trace.txt", made_list_sink, list));
}

static void assert_wrong(const char *text, const char *line)
{
	struct made_list list = {};

	made_assert_error(text_parse(text, strlen(text), "trace.txt", made_list_sink, &list), line);
	made_list_done(&list);
}

static char *print(const struct event_header *event)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	text_print(event, out);
	fclose(out);
	return text;
}

/* Parses one line and prints what it means. */
static void assert_prints(const char *line, const char *expected)
{
	struct made_list list = {};

	parse(line, &list);
	assert_int_equal(list.count, 1);

	auto_free char *actual = print(made_list_next(&list, NULL));

	assert_string_equal(actual, expected);
	made_list_done(&list);
}

static void reads_a_trace(void **state)
{
	static const char trace[] =
		"# what a person would write\n"
		"thread main = 100/101   # its first thread\n"
		"thread poller = 100/102\n"
		"\n"
		"12.5ms main exec parent_pid=1 uid=1000 \"/usr/bin/java\"\n"
		"20ms..22ms\tmain file_open result=3 path_flags=relative|8 \"app.jar\" \"srv\" \"\"\n"
		"1s+250us 7 fault duration=250us address=0x7f001000 is_major=1 cpu=3\r\n"
		"30ms poller wake target=main context=network\n"
		"31 300/301 fork child=poller";
	struct made_list list = {};
	size_t length;

	(void)state;
	/* A duration given twice is a mistake; it goes first here. */
	assert_wrong(trace, "trace.txt:7: field 'duration_ns' is given twice");

	char *fixed = strdup(trace);
	char *twice = strstr(fixed, "duration=250us ");

	memmove(twice, twice + 15, strlen(twice + 15) + 1);
	parse(fixed, &list);
	free(fixed);
	assert_int_equal(list.count, 5);

	const struct event_exec *exec = (const struct event_exec *)made_list_next(&list, NULL);

	assert_int_equal(exec->header.time_ns, 12500000);
	assert_int_equal(exec->header.pid, 100);
	assert_int_equal(exec->header.tid, 101);
	assert_int_equal(exec->header.kind, EVENT_EXEC);
	assert_int_equal(exec->uid, 1000);
	assert_int_equal(exec->header.size, 32 + 13);
	assert_memory_equal(EVENT_TAIL(exec, &length), "/usr/bin/java", 13);

	const struct event_file_open *open = (const struct event_file_open *)made_list_next(&list, &exec->header);

	assert_int_equal(open->header.time_ns, 22000000);
	assert_int_equal(open->duration_ns, 2000000);
	assert_int_equal(open->result, 3);
	assert_int_equal(open->path_flags, PATH_RELATIVE | PATH_BASE_CUT);
	assert_memory_equal(EVENT_TAIL(open, &length), "app.jar\0srv\0", 12);
	assert_int_equal(length, 12);

	const struct event_fault *fault = (const struct event_fault *)made_list_next(&list, &open->header);

	assert_int_equal(fault->header.time_ns, 1000250000);
	assert_int_equal(fault->duration_ns, 250000);
	assert_int_equal(fault->header.pid, 7);
	assert_int_equal(fault->header.tid, 7);
	assert_int_equal(fault->header.cpu, 3);
	assert_int_equal(fault->address, 0x7f001000);
	assert_int_equal(fault->instruction, 0);

	const struct event_wake *wake = (const struct event_wake *)made_list_next(&list, &fault->header);

	assert_int_equal(wake->header.tid, 102);
	assert_int_equal(wake->target_pid, 100);
	assert_int_equal(wake->target_tid, 101);
	assert_int_equal(wake->context, CONTEXT_NETWORK);

	const struct event_fork *fork_event = (const struct event_fork *)made_list_next(&list, &wake->header);

	assert_int_equal(fork_event->header.time_ns, 31);
	assert_int_equal(fork_event->child_pid, 100);
	assert_int_equal(fork_event->child_tid, 102);
	made_list_done(&list);
}

static void prints_records(void **state)
{
	(void)state;
	assert_prints("0 1 exit", "0 1 exit\n");
	assert_prints("999 1/2 exit status=256", "999ns 1/2 exit status=256\n");
	assert_prints("1000 1 exit", "1us 1 exit\n");
	assert_prints("1230000us 1 exit cpu=2", "1.23s 1 exit cpu=2\n");
	assert_prints("2054.640287689s 1 exit", "2054.640287689s 1 exit\n");
	assert_prints("18446744073.709551615s 1 exit", "18446744073.709551615s 1 exit\n");
	assert_prints("1ms 1 file_lookup result=-2", "1ms 1 file_lookup result=-ENOENT\n");
	assert_prints("1ms 1 file_lookup result=-ENOENT", "1ms 1 file_lookup result=-ENOENT\n");
	assert_prints("1ms 1 file_lookup result=-9223372036854775808",
		      "1ms 1 file_lookup result=-9223372036854775808\n");
	assert_prints("1ms 1 file_read length=64KiB offset=0x10", "1ms 1 file_read offset=16 length=65536\n");
	assert_prints("1ms 1 switch_out state=interruptible|1024 flags=4",
		      "1ms 1 switch_out state=interruptible|0x400 flags=preempted\n");
	assert_prints("1ms 1 class_init step=clinit \"a/B\"", "1ms 1 class_init step=clinit \"a/B\"\n");
	assert_prints("1ms 1 class_init step=77", "1ms 1 class_init step=77\n");
	assert_prints("1ms 1 loss lost_kind=fault count=3", "1ms 1 loss count=3 lost_kind=fault\n");
	assert_prints("1ms 1 socket_read last_bytes=255", "1ms 1 socket_read last_bytes=0xff\n");
	assert_prints("1ms 1 run_text \"k\\0a\\\"b\\\\\\n\\t\\r\\x01\\xff#\"",
		      "1ms 1 run_text \"k\\0a\\\"b\\\\\\n\\t\\r\\x01\\xff#\"\n");
	assert_prints("1ms 1 stack stack_id=5 [interpreted 0x7f10 12] [c2 0x10 0x20 3] [99]",
		      "1ms 1 stack stack_id=5 [interpreted 0x7f10 0xc 0] [c2 0x10 0x20 3] [99 0x0 0x0 0]\n");
	assert_prints("1ms 1 stack \"odd\"", "1ms 1 stack \"odd\"\n");
}

static void prints_unknown_kinds_as_comments(void **state)
{
	struct event_header event = {.kind = 119, .size = sizeof(event)};
	auto_free char *text = print(&event);

	(void)state;
	assert_string_equal(text, "# a record of unknown kind 119\n");
}

static void goes_there_and_back(void **state)
{
	struct event_builder builder = {};
	struct made_random random = {31};
	struct made_list written = {}, read = {};
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind))
		for (int i = 0; i < 30; i++) {
			made_list_add(&written, made_event(&builder, &random, kind->id));
			text_print(event_end(&builder), out);
		}
	fclose(out);
	parse(text, &read);
	made_assert_same_lists(&written, &read);
	made_list_done(&read);

	/* And from a stream. */
	FILE *in = fmemopen(text, length, "r");

	made_assert_ok(text_parse_file(in, "trace.txt", made_list_sink, &read));
	made_assert_same_lists(&written, &read);
	fclose(in);
	made_list_done(&written);
	made_list_done(&read);
	event_builder_done(&builder);
	free(text);
}

static struct err *refuse(void *context, const struct event_header *event)
{
	(void)context;
	return err_new(ERR_FAILED, "no more than '%s'", schema_kind_name(event->kind));
}

static void passes_on_the_sinks_error(void **state)
{
	static const char text[] = "1 1 gc step=begin\n2 1 exit\n";

	(void)state;
	made_assert_error(text_parse(text, sizeof(text) - 1, "trace.txt", refuse, NULL), "no more than 'gc'");
}

static void says_what_is_wrong(void **state)
{
	(void)state;
	assert_wrong("# one\n\n1ms 1 exot\n", "trace.txt:3: unknown kind 'exot'");
	assert_wrong("1ms 1", "trace.txt:1: unknown kind ''");
	assert_wrong("1ms", "trace.txt:1: no thread '' was declared (thread NAME = PID/TID)");
	assert_wrong("1ms worker exit", "trace.txt:1: no thread 'worker' was declared (thread NAME = PID/TID)");
	assert_wrong("1ms 1/x exit", "trace.txt:1: '1/x' is not PID/TID");
	assert_wrong("1ms 4294967296 exit", "trace.txt:1: '4294967296' is not PID/TID");
	assert_wrong("1mm 1 exit", "trace.txt:1: '1mm' is not a time (12.5ms, 1ms..2ms, 1ms+20us)");
	assert_wrong("1.2345us 1 exit", "trace.txt:1: '1.2345us' is not a time (12.5ms, 1ms..2ms, 1ms+20us)");
	assert_wrong("18446744074s 1 exit", "trace.txt:1: '18446744074s' is not a time (12.5ms, 1ms..2ms, 1ms+20us)");
	assert_wrong("5ms..4ms 1 fault", "trace.txt:1: '5ms..4ms' ends before it starts");
	assert_wrong("1ms..2ms 1 exit", "trace.txt:1: 'exit' has no duration");
	assert_wrong("1ms 1 exit code=3", "trace.txt:1: 'exit' has no field 'code'");
	assert_wrong("1ms 1 exit status", "trace.txt:1: 'status' is neither FIELD=VALUE nor a tail in quotes");
	assert_wrong("1ms 1 exit status=", "trace.txt:1: '' is no value for field 'status' (CODE)");
	assert_wrong("1ms 1 exit status=1 status=1", "trace.txt:1: field 'status' is given twice");
	assert_wrong("1ms 1 exit status=4294967296", "trace.txt:1: '4294967296' is too large for field 'status'");
	assert_wrong("1ms 1 exit cpu=65536", "trace.txt:1: '65536' is not a CPU");
	assert_wrong("1ms 1 exit \"x\"", "trace.txt:1: 'exit' has no tail");
	assert_wrong("1ms 1 wake context=lunch", "trace.txt:1: 'lunch' is no value for field 'context' (CODE)");
	assert_wrong("1ms 1 wake target=nobody",
		     "trace.txt:1: no thread 'nobody' was declared (thread NAME = PID/TID)");
	assert_wrong("1ms 1 wake target_tid=nobody", "trace.txt:1: 'nobody' is no value for field 'target_tid' (ID)");
	assert_wrong("1ms 1 file_lookup result=-EWHAT",
		     "trace.txt:1: '-EWHAT' is no value for field 'result' (RESULT)");
	assert_wrong("1ms 1 file_lookup result=9223372036854775808",
		     "trace.txt:1: '9223372036854775808' is no value for field 'result' (RESULT)");
	assert_wrong("1ms 1 exec \"x", "trace.txt:1: a string has no closing quote");
	assert_wrong("1ms 1 exec \"x\\",
		     "trace.txt:1: unknown escape in a string (known: \\0 \\n \\t \\r \\\" \\\\ \\xHH)");
	assert_wrong("1ms 1 exec \"\\q\"",
		     "trace.txt:1: unknown escape in a string (known: \\0 \\n \\t \\r \\\" \\\\ \\xHH)");
	assert_wrong("1ms 1 exec \"x\" uid=1", "trace.txt:1: field 'uid' stands after the tail");
	assert_wrong("1ms 1 stack [c1 1 2", "trace.txt:1: a stack frame has no closing bracket");
	assert_wrong("1ms 1 stack [c9]", "trace.txt:1: 'c9' is not the type of a stack frame");
	assert_wrong("1ms 1 stack [c1 1 2 3 4]", "trace.txt:1: a stack frame is '[TYPE METHOD AT COOKIE]'");
	assert_wrong("thread main 1/2", "trace.txt:1: a declaration is 'thread NAME = PID/TID'");
	assert_wrong("thread 1x = 1/2", "trace.txt:1: a declaration is 'thread NAME = PID/TID'");
	assert_wrong("thread a = 1\nthread a = 2", "trace.txt:2: thread 'a' is declared twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_trace),
		cmocka_unit_test(prints_records),
		cmocka_unit_test(prints_unknown_kinds_as_comments),
		cmocka_unit_test(goes_there_and_back),
		cmocka_unit_test(passes_on_the_sinks_error),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
