/* Golden files: what was written is compared byte by byte with tests/golden/NAME. With WARMTRACE_BLESS set
 * (scripts/bless) the file is rewritten instead, for a person to read the difference. */
#pragma once

#include <stddef.h>

void assert_golden(const char *name, const char *text, size_t length_bytes);
