/* Walks over a flame that the exports share. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "analyze/flame.h"
#include "base/arena.h"
#include "base/err.h"

/* Calls the function for each node with a value of its own, in the tree's order, with the nodes from the outermost to
 * it; the root is not among them. */
typedef void flame_stack_function(void *context, const struct flame *flame, const uint32_t *nodes, size_t count);
void flame_each_stack(const struct flame *flame, flame_stack_function *function, void *context);

/* The names of all nodes, safe to show (utf8_safe); by node, in the arena. */
const char **flame_safe_names(const struct flame *flame, struct arena *arena);

/* A text, safe to show: itself, or a copy in the arena. */
const char *export_safe(struct arena *scratch, const char *text);

/* "first_request", "all" */
const char *flame_phase_name(int phase);

struct err *export_finish(FILE *out) must_check; /* flushes; the error of the stream */
