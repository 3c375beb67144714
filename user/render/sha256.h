/* SHA-256 (FIPS 180-4): a page's content security policy names its one script by its hash. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint8_t bytes[32];
};

struct sha256 sha256_of(const void *bytes, size_t length_bytes);

/* "sha256-<base64>", as a content security policy spells it. */
struct sha256_source {
	char text[7 + 44 + 1];
};
struct sha256_source sha256_source_of(const void *bytes, size_t length_bytes);
