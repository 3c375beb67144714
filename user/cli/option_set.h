/* What an option does to struct options: the setters that rows of the option table name. Private to the parser.
 *
 * The value is NULL for options without an argument. Errors do not name the option: the parser adds it. */
#pragma once

#include "cli/option_table.h"

/* Plain values: the row's offset says which field, of the type that the setter writes. */
option_set set_flag;	 /* bool */
option_set set_text;	 /* const char *, not empty */
option_set set_count;	 /* uint64_t, in the row's range */
option_set set_seed;	 /* the same, and says that it was given */
option_set set_duration; /* uint64_t, ns */
option_set set_buffer;	 /* uint64_t, bytes, as the kernel wants a ring buffer */
option_set set_choice;	 /* unsigned, index in the row's choices */
option_set set_list;	 /* struct option_texts, from a comma-separated value */

option_set set_request, set_method, set_header, set_data;
option_set set_finding, set_findings; /* known ones */
option_set set_gate, set_scenario, set_versus_files;
