/* Text traces: no input may crash the parser, and what it took must come back the same from what text_print makes of
 * it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct err *expect_same(void *expected, const struct event_header *event)
{
	if (event->size != ((const struct event_header *)expected)->size || memcmp(expected, event, event->size) != 0)
		abort();
	return NULL;
}

static struct err *print_and_parse(void *count, const struct event_header *event)
{
	char *line = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&line, &length);

	if (!out)
		abort();
	text_print(event, out);
	fclose(out);

	struct err *err = text_parse(line, length, "printed", expect_same, (void *)event);

	if (err)
		abort();
	free(line);
	++*(size_t *)count;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = 0;

	err_free(text_parse((const char *)data, size, "input", print_and_parse, &count));
	return 0;
}
