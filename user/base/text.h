/* How a text begins and ends, byte for byte. */
#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool text_begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static inline bool text_ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), suffix_length = strlen(suffix);

	return length >= suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}
