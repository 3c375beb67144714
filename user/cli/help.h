/* --help, made from the tables of verbs and options. */
#pragma once

#include <stdio.h>

#include "base/term.h"
#include "cli/verbs.h"

void help_print(const struct verb *verb, const struct term *term, FILE *out);
