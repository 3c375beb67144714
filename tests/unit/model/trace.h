/* Made-up recordings in their text form as models, for tests. */
#pragma once

#include "base/err.h"
#include "model/model.h"

/* Loads a trace from text; records of `without` (an event kind, 0: none) are left out. */
struct err *trace_load_text(const char *text, size_t length, const char *name, uint32_t without,
			    struct model **ret_model) must_check;

/* The same for a text that must be right: fails the test where it is not. */
struct model *trace_model(const char *text);

/* The whole file as text; the caller frees. Fails the test where it cannot be read. */
char *trace_read(const char *path, size_t *ret_length);
