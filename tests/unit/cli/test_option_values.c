#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "cli/option_values.h"

static void assert_duration(const char *text, uint64_t expected_ns)
{
	uint64_t duration_ns = 0;

	assert_null(value_duration(text, &duration_ns));
	assert_int_equal(duration_ns, expected_ns);
}

static void assert_no_duration(const char *text)
{
	uint64_t duration_ns = 7;
	struct err *err = value_duration(text, &duration_ns);

	assert_non_null(err);
	assert_int_equal(err->kind, ERR_USAGE);
	assert_int_equal(duration_ns, 7);
	err_free(err);
}

static void test_durations(void **state)
{
	(void)state;
	assert_duration("30", 30000000000);
	assert_duration("30s", 30000000000);
	assert_duration("500ms", 500000000);
	assert_duration("1.5s", 1500000000);
	assert_duration("0.000000001", 1);
	assert_duration("0.0000000019s", 1);
	assert_duration("250us", 250000);
}

static void test_what_is_no_duration(void **state)
{
	(void)state;
	assert_no_duration("");
	assert_no_duration("s");
	assert_no_duration("-1");
	assert_no_duration("+1");
	assert_no_duration(" 1");
	assert_no_duration("1 s");
	assert_no_duration("1.");
	assert_no_duration(".5");
	assert_no_duration("1e3");
	assert_no_duration("5x");
	assert_no_duration("9223372037s"); /* one more second than INT64_MAX nanoseconds hold */
	assert_no_duration("18446744073709551616");
}

static void test_sizes(void **state)
{
	uint64_t size = 0;
	struct err *err;

	(void)state;
	assert_null(value_size("65536", &size));
	assert_int_equal(size, 65536);
	assert_null(value_size("16M", &size));
	assert_int_equal(size, 16777216);
	assert_null(value_size("1.5KiB", &size));
	assert_int_equal(size, 1536);
	err = value_size("16MB", &size);
	assert_non_null(err);
	err_free(err);
	err = value_size("8589934592G", &size);
	assert_non_null(err);
	err_free(err);
}

static void test_counts(void **state)
{
	uint64_t count = 0;
	struct err *err;

	(void)state;
	assert_null(value_count("0", 0, 5, &count));
	assert_int_equal(count, 0);
	assert_null(value_count("18446744073709551615", 0, UINT64_MAX, &count));
	assert_true(count == UINT64_MAX);
	err = value_count("6", 0, 5, &count);
	assert_string_equal(err->message, "a whole number from 0 to 5 is needed");
	err_free(err);
	err = value_count("0", 1, UINT64_MAX, &count);
	assert_string_equal(err->message, "a whole number from 1 up is needed");
	err_free(err);
}

static void test_choices(void **state)
{
	static const char *const names[] = {"launch", "first_request", "critical-path", NULL};
	unsigned index = 9;
	struct err *err;

	(void)state;
	assert_null(value_choice("first-request", names, &index));
	assert_int_equal(index, 1);
	assert_null(value_choice("critical_path", names, &index));
	assert_int_equal(index, 2);
	err = value_choice("laun", names, &index);
	assert_string_equal(err->message, "launch, first_request or critical-path is needed");
	err_free(err);
}

static void test_nearest(void **state)
{
	static const char *const names[] = {"report", "record", "request", "request-timeout", "output", NULL};

	(void)state;
	assert_string_equal(value_nearest("reprot", names), "report"); /* two neighbours exchanged */
	assert_string_equal(value_nearest("recrod", names), "record");
	assert_string_equal(value_nearest("requst", names), "request");		   /* one missing */
	assert_string_equal(value_nearest("outputs", names), "output");		   /* one too many */
	assert_string_equal(value_nearest("request-t", names), "request-timeout"); /* its beginning */
	assert_null(value_nearest("javac", names));
	assert_null(value_nearest("x", names));
	assert_null(value_nearest("a-name-that-is-far-longer-than-any-option-of-the-program", names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations), cmocka_unit_test(test_what_is_no_duration),
		cmocka_unit_test(test_sizes),	  cmocka_unit_test(test_counts),
		cmocka_unit_test(test_choices),	  cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
