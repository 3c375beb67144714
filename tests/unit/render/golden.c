#include "unit/render/golden.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"

static size_t line_of(const char *text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

void assert_golden(const char *name, const char *text, size_t length_bytes)
{
	auto_free char *path = NULL;
	auto_free char *wanted = NULL;
	size_t wanted_size = 0, same = 0;

	assert_true(asprintf(&path, "golden/%s", name) > 0);
	if (getenv("WARMTRACE_BLESS")) {
		auto_file FILE *file = fopen(path, "w");

		assert_non_null(file);
		assert_int_equal(fwrite(text, 1, length_bytes, file), length_bytes);
		return;
	}

	auto_file FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("tests/%s is missing: scripts/bless makes it", path);

	ssize_t got = getdelim(&wanted, &wanted_size, EOF, file);
	size_t wanted_bytes = got > 0 ? (size_t)got : 0;

	while (same < length_bytes && same < wanted_bytes && text[same] == wanted[same])
		same++;
	if (same < length_bytes || same < wanted_bytes)
		fail_msg("tests/%s differs at line %zu; scripts/bless rewrites it", path, line_of(text, same));
}
