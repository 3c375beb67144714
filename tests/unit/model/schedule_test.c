/* Which waking ended which wait, where the records of two CPUs cross. Times are nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "unit/model/trace.h"

static const char begin[] = "0 1/1 exec \"a\"\n"
			    "1 1/1 fork child=1/2\n"
			    "2 1/2 switch_in\n";

/* Thread 2's intervals, written as "running 2 blocked 10 runnable 10 (wake 8)": the wake is that which model_interval_wake
 * gives for a wait. */
static const char *intervals_of(const char *records, char *text, size_t text_bytes)
{
	static const char *const names[] = {"unknown", "running", "runnable", "blocked", "ended"};
	char trace[4096];
	size_t length = 0;

	snprintf(trace, sizeof(trace), "%s%s", begin, records);

	struct model *model auto_done(model_free) = trace_model(trace);
	uint32_t thread = model_thread_at(model, 2, 2);
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;

	text[0] = 0;
	for (uint32_t i = 0; i < intervals->count; i++) {
		const struct interval *interval = &intervals->items[i];
		uint32_t wake = interval->state == INTERVAL_BLOCKED ? model_interval_wake(model, thread, i) : NO_INDEX;

		if (interval->start_ns < 2)
			continue; /* ready, since the fork */
		length += (size_t)snprintf(text + length, text_bytes - length, "%s%s %lu", length ? " " : "",
					   names[interval->state], (unsigned long)interval->start_ns);
		if (wake != NO_INDEX)
			length += (size_t)snprintf(text + length, text_bytes - length, " (wake %lu)",
						   (unsigned long)model->events[wake]->time_ns);
	}
	return text;
}

#define assert_intervals(records, expected)                                             \
	do {                                                                            \
		char text_[1024];                                                       \
		assert_string_equal(intervals_of(records, text_, sizeof(text_)), expected); \
	} while (0)

static void a_waking_after_the_switch_ends_the_wait(void **state)
{
	(void)state;
	assert_intervals("10 1/2 switch_out state=interruptible\n"
			 "50 1/1 wake target=1/2\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 10 (wake 50) runnable 50 running 60");
}

/* The waker's CPU met the thread between its last look and its switch: here the switch took 3 ms, as when the hypervisor
 * takes the CPU meanwhile. */
static void a_waking_while_the_cpu_is_left_ends_the_wait(void **state)
{
	(void)state;
	assert_intervals("10 1/1 wake target=1/2\n"
			 "3000010 1/2 switch_out state=interruptible\n"
			 "3000060 1/2 switch_in\n",
			 "running 2 blocked 3000010 (wake 10) runnable 3000010 running 3000060");
	/* Of two the later: the first one was spent, or the second could not have come. */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "20 1/1 wake target=1/2\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 30 (wake 20) runnable 30 running 60");
	/* The switch back is missing, but what it did then says that it ran: it was ready meanwhile, for all that is known. */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 fault address=1\n",
			 "running 2 blocked 30 unknown 30 running 60");
}

/* Woken on its way to sleep it goes on, looks again and sleeps: another waking ends that. */
static void a_waking_that_was_spent_does_not(void **state)
{
	(void)state;
	assert_intervals("10 1/1 wake target=1/2\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "50 1/1 wake target=1/2\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 30 (wake 50) runnable 50 running 60");
	assert_intervals("10 1/1 wake target=1/2\n"
			 "11 1/2 switch_out\n"
			 "12 1/2 switch_in\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "50 1/1 wake target=1/2\n"
			 "60 1/2 switch_in\n",
			 "running 2 runnable 11 running 12 blocked 30 (wake 50) runnable 50 running 60");
}

/* The same where the record of that other one is missing: nothing says what ended the wait. */
static void what_came_before_does_not_stand_in_for_a_missing_waking(void **state)
{
	(void)state;
	/* It went on: it did something between, */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "15 1/2 syscall duration=10 number=202\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 30 running 60");
	/* served an interrupt, which a CPU in the middle of a switch does not, */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "15 1/2 interrupt duration=1 context=timer\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 30 running 60");
	/* was displaced, */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "11 1/2 switch_out\n"
			 "12 1/2 switch_in\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 runnable 11 running 12 blocked 30 running 60");
	/* or it was woken on its own CPU, by an interrupt: it was not in the middle of a switch. */
	assert_intervals("10 1/2 wake target=1/2 context=network\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 30 running 60");
	/* An earlier wait's waking is not a later one's. */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "20 1/2 switch_out state=interruptible\n"
			 "30 1/2 switch_in\n"
			 "40 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n",
			 "running 2 blocked 20 (wake 10) runnable 20 running 30 blocked 40 running 60");
	/* Wakings were lost: the one that ended the wait may be among them. */
	assert_intervals("10 1/1 wake target=1/2\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "60 1/2 switch_in\n"
			 "70 0/0 loss start=40 end=50 count=1 lost_kind=wake\n",
			 "running 2 blocked 30 running 60");
}

static void a_wait_that_does_not_end_stays_one(void **state)
{
	(void)state;
	assert_intervals("10 1/1 wake target=1/2\n"
			 "30 1/2 switch_out state=interruptible\n"
			 "90 1/1 fault address=1\n",
			 "running 2 blocked 30");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_waking_after_the_switch_ends_the_wait),
		cmocka_unit_test(a_waking_while_the_cpu_is_left_ends_the_wait),
		cmocka_unit_test(a_waking_that_was_spent_does_not),
		cmocka_unit_test(what_came_before_does_not_stand_in_for_a_missing_waking),
		cmocka_unit_test(a_wait_that_does_not_end_stays_one),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
