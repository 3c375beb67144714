/* From the options to a recording: main, record and attach. */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "cli/verbs.h"

/* The file that the options name, or the default. */
const char *recording_path(const struct options *options);

/* Runs the command (or attaches) under probes; says what happens on standard error unless --quiet. */
struct err *recording_make(const struct options *options, struct outcome *outcome) must_check;
