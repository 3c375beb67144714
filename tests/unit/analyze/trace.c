#include "unit/analyze/trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "format/text.h"

struct sink {
	struct model_builder *builder;
	uint32_t without;
};

static struct err *add(void *context, const struct event_header *event)
{
	struct sink *sink = context;

	if (event->kind != sink->without)
		model_add(sink->builder, event);
	return NULL;
}

struct err *trace_load_text(const char *text, size_t length, const char *name, uint32_t without, struct model **ret_model)
{
	struct sink sink = {.builder = model_begin(), .without = without};
	struct err *err = text_parse(text, length, name, add, &sink);

	if (err) {
		model_abandon(sink.builder);
		return err;
	}
	return model_finish(sink.builder, ret_model);
}

char *trace_read(const char *path, size_t *ret_length)
{
	auto_file FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t capacity = 0;

	if (!file)
		return NULL;

	ssize_t length = getdelim(&text, &capacity, '\0', file);

	*ret_length = length < 0 ? 0 : (size_t)length;
	return text;
}
