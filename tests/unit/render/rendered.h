/* A sample rendered into memory. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#include "base/auto.h"
#include "render/render.h"

struct rendered {
	char *text;
	size_t length_bytes;
};

static inline void rendered_done(struct rendered *rendered)
{
	free(rendered->text);
	*rendered = (struct rendered){};
}

enum sample {
	SAMPLE_SPRING,
	SAMPLE_HOSTILE,
	SAMPLE_NATIVE,
	SAMPLE_EMPTY,
	SAMPLE_FAILED,
	SAMPLE_COMPARISON,
	SAMPLE_COUNT
};

extern const char *const sample_names[SAMPLE_COUNT];

struct rendered rendered_text(enum sample sample, const struct render_options *options);
struct rendered rendered_json(enum sample sample);
