/* A stretch of text that somebody else owns, with no NUL at its end: what parsers of untrusted text take apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *at, *end;
};

static inline size_t span_length(struct span span)
{
	return (size_t)(span.end - span.at);
}

static inline bool span_is(struct span span, const char *text)
{
	return span_length(span) == strlen(text) && memcmp(span.at, text, span_length(span)) == 0;
}

/* Splits off what stands before the first `separator`; false, and nothing has changed, where it is not there. */
static inline bool span_split(struct span *from, const char *separator, struct span *ret_before)
{
	size_t length = span_length(*from);
	const char *found = length ? (const char *)memmem(from->at, length, separator, strlen(separator)) : NULL;

	if (!found)
		return false;
	*ret_before = (struct span){from->at, found};
	from->at = found + strlen(separator);
	return true;
}

/* Splits off what stands before the first `separator`, or all. */
static inline struct span span_take(struct span *from, const char *separator)
{
	struct span taken = *from;

	if (!span_split(from, separator, &taken))
		from->at = from->end;
	return taken;
}

/* For printf's %.*s: untrusted text in an error, up to a length that leaves the line readable. */
#define SPAN_SHOWN(span) (int)(span_length(span) < 60 ? span_length(span) : 60), (span).at
