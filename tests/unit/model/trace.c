#include "unit/model/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

struct err *trace_load_text(const char *text, size_t length, const char *name, uint32_t without,
			    struct model **ret_model)
{
	struct sink sink = {.builder = model_begin(), .without = without};
	struct err *err = text_parse(text, length, name, add, &sink);

	if (err) {
		model_abandon(sink.builder);
		return err;
	}
	return model_finish(sink.builder, ret_model);
}

struct model *trace_model(const char *text)
{
	struct model *model = NULL;
	struct err *err = trace_load_text(text, strlen(text), "trace", 0, &model);

	if (err) {
		char *line = err_line(err);

		fail_msg("%s", line ? line : err->message);
	}
	return model;
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
