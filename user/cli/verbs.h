/* The table of verbs: one row each, from which main, the parser, --help and the completion check live. */
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "cli/option_table.h"

enum verb_operands {
	OPERANDS_NONE,
	OPERANDS_COMMAND, /* the command to run, to the end of the line */
	OPERANDS_FILE,	  /* one recording */
	OPERANDS_FILES,	  /* recordings in sets that --vs parts */
};

/* What main makes the exit status of, where nothing failed. */
struct outcome {
	bool has_command_status; /* the command ended before it was asked to, or after Ctrl-C */
	bool was_interrupted;
	int command_status; /* as a shell has it: 128 + signal */
	char *no_answer;    /* where requests were given and none was answered: the first one's URL, without secrets;
			       owned */
	VEC(char *) failed_gates; /* one line each, owned */
};

void outcome_done(struct outcome *outcome);

/* 0, 1, 124 or the command's own, in interface.md's order. */
int outcome_status(const struct outcome *outcome);

typedef struct err *verb_run(const struct options *options, struct outcome *outcome);

struct verb {
	enum verb_id id;
	const char *name;     /* NULL: the main form */
	const char *synopsis; /* what follows "warmtrace " */
	const char *summary;  /* one line */
	const char *description;
	enum verb_operands operands;
	verb_run *run;
	const char *examples[3];
};

extern const struct verb verbs[]; /* the main form first */
extern const size_t verb_count;

/* The verb that the words (after the program's name) begin with, else the main form. *ret_words: what follows the
 * verb. */
const struct verb *verb_find(char *const *words, char *const **ret_words);

verb_run verb_main, verb_record, verb_attach, verb_report, verb_compare, verb_bench, verb_aot, verb_export,
	verb_doctor;
