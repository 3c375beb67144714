/* The table of options: one row each, from which the parser, --help and the completion check live. */
#pragma once

#include <stdint.h>

#include "cli/options.h"

enum verb_id {
	VERB_MAIN = 1 << 0, /* no word of its own */
	VERB_RECORD = 1 << 1,
	VERB_ATTACH = 1 << 2,
	VERB_REPORT = 1 << 3,
	VERB_COMPARE = 1 << 4,
	VERB_BENCH = 1 << 5,
	VERB_AOT = 1 << 6,
	VERB_EXPORT = 1 << 7,
	VERB_DOCTOR = 1 << 8,

	VERBS_RECORD = VERB_MAIN | VERB_RECORD | VERB_ATTACH, /* make one recording */
	VERBS_RUN = VERBS_RECORD | VERB_BENCH | VERB_AOT,
	VERBS_COMMAND = VERBS_RUN & ~VERB_ATTACH,
	VERBS_REPORT = VERB_MAIN | VERB_ATTACH | VERB_REPORT | VERB_COMPARE | VERB_BENCH | VERB_AOT,
	VERBS_BENCH = VERB_BENCH | VERB_AOT,
	VERBS_COMPARE = VERB_COMPARE | VERBS_BENCH, /* have a baseline */
	VERBS_ALL = 0xffff,
};

/* Headings of --help, in their order. */
enum option_group {
	GROUP_REQUESTS,
	GROUP_RUN,
	GROUP_SCENARIOS,
	GROUP_EXPORT,
	GROUP_REPORT,
	GROUP_COMMON,
	GROUP_COUNT
};

enum option_secret {
	SECRET_NONE,
	SECRET_URL,
	SECRET_HEADER,
	SECRET_COMMAND, /* a command line for the shell */
	SECRET_ALL,
};

struct option_row;
typedef struct err *option_set(struct options *options, const struct option_row *row, const char *value);

struct option_row {
	enum option_group group;
	unsigned verbs;	      /* bits of enum verb_id */
	char letter;	      /* 0: none */
	const char *name;     /* without --; NULL: none */
	const char *argument; /* NULL: takes none */
	const char *help;     /* one sentence without a full stop */
	option_set *set;
	size_t offset;		    /* of the field in struct options, for the setters of plain values */
	uint64_t minimum, maximum;  /* counts */
	const char *const *choices; /* NULL-terminated */
	enum option_secret secret;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

extern const char *const report_format_names[];
extern const char *const export_format_names[];
extern const char *const export_by_names[];
extern const char *const export_phase_names[];

/* "--warm" or "-X": how messages name the option. */
struct option_name {
	char text[32];
};
struct option_name option_name(const struct option_row *row);
