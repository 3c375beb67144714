/* Short ids of stacks: each hash becomes an even number, the same for every kind of record, in the order of first use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/stack_ids.h"

static uint64_t sample_id(struct stack_ids *ids, uint64_t id)
{
	struct event_sample sample = {.header = {.kind = EVENT_SAMPLE, .size = sizeof(sample)}, .stack_id = id, .mode = SAMPLE_USER};
	const struct event_sample *shortened = (const void *)stack_ids_shorten(ids, &sample.header);

	assert_int_equal(sample.stack_id, id);
	assert_int_equal(shortened->mode, SAMPLE_USER);
	return shortened->stack_id;
}

static void numbers_hashes_in_order(void **state)
{
	struct stack_ids ids = {};

	(void)state;
	assert_int_equal(sample_id(&ids, 0xfedcba9876543210ull), 2);
	assert_int_equal(sample_id(&ids, 0x0123456789abcdeeull), 4);
	assert_int_equal(sample_id(&ids, 0xfedcba9876543210ull), 2);
	/* A mark in bit 0 stays, and is no stack of its own. */
	assert_int_equal(sample_id(&ids, 0x0123456789abcdefull), 5);
	assert_int_equal(sample_id(&ids, 6), 6);
	stack_ids_done(&ids);
}

static void names_the_stack_alike(void **state)
{
	struct stack_ids ids = {};
	struct event_stack stack = {.header = {.kind = EVENT_STACK, .size = sizeof(stack)}, .stack_id = 0x1000, .frame_count = 0};
	const struct event_stack *shortened;

	(void)state;
	assert_int_equal(sample_id(&ids, 0x2000), 2);
	shortened = (const void *)stack_ids_shorten(&ids, &stack.header);
	assert_int_equal(shortened->stack_id, 4);
	assert_int_equal(sample_id(&ids, 0x1000), 4);
	stack_ids_done(&ids);
}

static void leaves_what_has_no_stack(void **state)
{
	struct stack_ids ids = {};
	struct event_fault fault = {.header = {.kind = EVENT_FAULT, .size = sizeof(fault)}, .address = 0x5000};
	struct event_exception exception = {.header = {.kind = EVENT_EXCEPTION, .size = sizeof(exception)}, .stack_id = 0};

	(void)state;
	assert_ptr_equal(stack_ids_shorten(&ids, &fault.header), &fault);
	assert_ptr_equal(stack_ids_shorten(&ids, &exception.header), &exception);
	stack_ids_done(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_hashes_in_order),
		cmocka_unit_test(names_the_stack_alike),
		cmocka_unit_test(leaves_what_has_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
