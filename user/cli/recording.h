/* From the options to a recording: main, record and attach. */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "record/run.h"

/* The file that the options name, or the default. */
const char *recording_path(const struct options *options);

/* Runs the command (or attaches) under probes; says what happens on standard error unless --quiet. */
struct err *recording_make(const struct options *options, struct outcome *outcome) must_check;

/* The run that the options ask for; the caller changes what is different in its own. The options must outlive it. */
void recording_run_options(const struct options *options, struct run_options *ret_run);

/* Kind ERR_NOT_FOUND or ERR_NOT_EXECUTABLE. With privilege the run itself finds out. */
struct err *recording_check_command(const char *name) must_check;
