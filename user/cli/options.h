/* The options of all verbs: parsed, checked and ready to be acted on.
 *
 * One struct for all verbs, because most options mean the same everywhere; which verb takes which option is a column
 * of the option table (option_table.c), and what a verb does not take is an error of usage. Durations are
 * nanoseconds, sizes bytes.
 *
 * Words are read in order. For verbs that run a command, options end at `--` or at the first word that is no option:
 * what follows belongs to the command. Other verbs take options and files mixed. Long names are not abbreviated: a
 * script must not break when an option is added. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/term.h"
#include "base/vec.h"
#include "cli/gate.h"

struct client_request; /* record/client.h */
struct verb;

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_HTML };

struct option_texts {
	const char **items;
	size_t count, capacity;
};

/* A request of -r, with the -X, -H and -d that are its own; options_parse resolves them into `requests`. */
struct option_request {
	const char *url, *method, *data;
	struct option_texts headers;
};

struct option_file {
	const char *path;
	uint32_t set; /* compare: 0 before the first --vs, 1 after it … */
};

struct option_scenario {
	const char *name, *command; /* as for the shell */
};

struct options {
	const struct verb *verb;
	struct arena arena; /* owns the texts that are not words of the command line */

	/* running the command */
	char *const *command;	 /* NULL-terminated; NULL where the verb takes none */
	bool is_command_marked;	 /* by -- */
	const char *output_path; /* NULL: default */
	VEC(struct client_request) requests;
	uint64_t warm_rounds, concurrency;
	const char *load_command;
	uint64_t end_after_requests;
	uint64_t ready_timeout_ns, request_timeout_ns, stop_timeout_ns;
	bool keep_running, drop_caches, as_root, measure_overhead, no_hold;
	const char *command_output_path;
	uint64_t sample_rate_hz, ring_bytes;
	uint64_t attach_pid;
	const char *attach_name;

	/* reports */
	unsigned format;	 /* enum report_format */
	const char *report_path; /* NULL: default */
	const char *explain_id;
	struct option_texts fail_on;
	VEC(struct gate) gates;

	/* bench, aot */
	VEC(struct option_scenario) scenarios;
	uint64_t runs, seed;
	struct option_texts collectors; /* of --gc */
	struct option_texts layouts;
	const char *train_command, *work_path;
	bool is_aot_required, has_seed, has_parts;

	/* compare, export */
	VEC(struct option_file) files;
	struct option_texts names;
	const char *hyperfine_path;			 /* of --export-json; NULL: none */
	unsigned export_format, export_by, export_phase; /* indices into the lists of option_table.h */
	const char *versus_path;
	bool minus_warm;

	/* everywhere */
	bool is_quiet, is_verbose, wants_help, wants_version;
	unsigned colour; /* enum term_colour */

	const char *text; /* the options without their secrets, as one line for the recording */

	/* while parsing */
	struct option_request common;
	VEC(struct option_request) asked;
};

/* Reads the words after the verb. With --help or --version the rest is not checked. Errors are of kind ERR_USAGE and
 * have a hint. The words must outlive the options; end with options_done also after a failure. */
struct err *options_parse(const struct verb *verb, char *const *words, struct options *ret_options) must_check;
void options_done(struct options *options);
