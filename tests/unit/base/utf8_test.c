/* Decoding against the examples of the Unicode standard, and what is safe to show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "base/utf8.h"

static void assert_decodes(const char *bytes, size_t length, const int32_t *characters, size_t count)
{
	const char *at = bytes, *end = bytes + length;

	for (size_t i = 0; i < count; i++) {
		assert_true(at < end);
		assert_int_equal(utf8_next(&at, end), characters[i]);
	}
	assert_ptr_equal(at, end);
}

#define ASSERT_DECODES(bytes, ...)                                                                                   \
	assert_decodes(bytes, sizeof(bytes) - 1, (const int32_t[]){__VA_ARGS__},                                     \
		       array_length(((const int32_t[]){__VA_ARGS__})))

static void whole_characters(void **state)
{
	(void)state;
	ASSERT_DECODES("a", 'a');
	ASSERT_DECODES("\x7f\xc2\x80\xdf\xbf", 0x7f, 0x80, 0x7ff);
	ASSERT_DECODES("\xe0\xa0\x80\xef\xbf\xbf", 0x800, 0xffff);
	ASSERT_DECODES("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0x10000, 0x10ffff);
	ASSERT_DECODES("\0z", 0, 'z');
}

/* Tables 3-8 to 3-11 of the Unicode standard: overlong forms, surrogates, other ill-formed and truncated sequences.
 */
static void maximal_parts(void **state)
{
	enum { X = UTF8_INVALID };

	(void)state;
	ASSERT_DECODES("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", X, X, X, X, X, X, X, X, 'A');
	ASSERT_DECODES("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", X, X, X, X, X, X, X, X, 'A');
	ASSERT_DECODES("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", X, X, X, X, X, 'A', X, X, 'B');
	ASSERT_DECODES("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", X, X, X, X, 'A');
	ASSERT_DECODES("\xf0\x9f\x98", X);
}

static void assert_safe(const char *text, bool has_utf8, const char *safe)
{
	auto_done(arena_done) struct arena arena = {};

	assert_string_equal(utf8_safe(&arena, text, has_utf8), safe);
}

static void safe_texts(void **state)
{
	(void)state;
	assert_safe("/srv/app.jar!/a", true, "/srv/app.jar!/a");
	assert_safe("a\nb\tc\033[2J\x7f", true, "a\\x0ab\\x09c\\x1b[2J\\x7f");
	assert_safe("caf\xc3\xa9 \xe2\x86\x92 \xe9", true, "caf\xc3\xa9 \xe2\x86\x92 \\xe9");
	assert_safe("\xc2\x9b"
		    "31m",
		    true, "\\x9b31m"); /* CSI of one character */
	assert_safe("a\xe2\x80\xae"
		    "b\xe2\x81\xa6\xef\xbb\xbf",
		    true, "a\\u202eb\\u2066\\ufeff");
	assert_safe("\xf3\xa0\x81\x81", true, "\\U000e0041");
	assert_safe("back\\slash", true, "back\\slash");
	assert_safe("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81", true, "e\xcc\x81\xcc\x81\xcc\x81\\u0301");
	assert_safe("", true, "");
	/* Without UTF-8 typography is spelt out and the rest escaped. */
	assert_safe("12 \xc2\xb5s \xc3\x97 3 \xe2\x86\x92 \xe2\x80\xa6", false, "12 us x 3 -> ...");
	assert_safe("caf\xc3\xa9 \xe8\xaa\xad \xf0\x9f\x98\x80", false, "caf\\xe9 \\u8aad \\U0001f600");
}

static void columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_columns("abc"), 3);
	assert_int_equal(utf8_columns("caf\xc3\xa9"), 4);
	assert_int_equal(utf8_columns("e\xcc\x81x"), 2);
	assert_int_equal(utf8_columns("\xe8\xaa\xad\xe3\x81\xbf"), 4);
	assert_int_equal(utf8_columns("\xf0\x9f\x98\x80"), 2);
	assert_int_equal(utf8_columns(""), 0);
}

static void assert_fits(const char *text, size_t columns_wanted, enum utf8_cut cut, bool has_utf8, const char *fitted)
{
	auto_done(arena_done) struct arena arena = {};
	char *copy = arena_copy(&arena, text, strlen(text));

	assert_string_equal(utf8_fit(&arena, copy, columns_wanted, cut, has_utf8), fitted);
	assert_true(utf8_columns(fitted) <= columns_wanted);
}

static void fits(void **state)
{
	(void)state;
	assert_fits("0123456789", 10, UTF8_CUT_MIDDLE, true, "0123456789");
	/* Nine of ten columns are one ellipsis, a quarter of eight before and the rest behind it. */
	assert_fits("0123456789", 9, UTF8_CUT_MIDDLE, true,
		    "01\xe2\x80\xa6"
		    "456789");
	assert_fits("0123456789", 9, UTF8_CUT_END, true, "01234567\xe2\x80\xa6");
	assert_fits("0123456789", 9, UTF8_CUT_MIDDLE, false, "0...56789");
	assert_fits("0123456789", 5, UTF8_CUT_MIDDLE, false, "0.789");
	assert_fits("0123456789", 1, UTF8_CUT_MIDDLE, true, "\xe2\x80\xa6");
	assert_fits("0123456789", 0, UTF8_CUT_MIDDLE, true, "");
	/* A wide character that does not fit is left out whole; a mark stays with its letter. */
	assert_fits("\xe8\xaa\xad\xe8\xaa\xad\xe8\xaa\xad", 4, UTF8_CUT_END, true, "\xe8\xaa\xad\xe2\x80\xa6");
	assert_fits("abcde\xcc\x81"
		    "f",
		    3, UTF8_CUT_MIDDLE, true,
		    "\xe2\x80\xa6"
		    "e\xcc\x81"
		    "f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_characters), cmocka_unit_test(maximal_parts), cmocka_unit_test(safe_texts),
		cmocka_unit_test(columns),	    cmocka_unit_test(fits),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
