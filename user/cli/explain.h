/* The page about a finding (docs/findings.md, which is in the program), and the list of findings that have one. */
#pragma once

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/term.h"

struct report;

/* Whether there is a finding of this name: an error of usage if not, with the one that was probably meant. */
struct err *explain_check_id(const char *id) must_check;

/* All names, NULL-terminated, in the page's order. */
const char **explain_ids(struct arena *arena);

/* Writes the page; before it, where there is a report, what that run has of the finding. The id must be a known one.
 */
void explain_print(const char *id, const struct report *report, const struct term *term, FILE *out);
