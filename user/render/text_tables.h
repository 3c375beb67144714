/* Tables of a report's lists, for the startup screen (short) and the full report (long).
 * `most` is the number of rows shown; the rest is one line that says how many more and their total. 0: no limit. */
#pragma once

#include <stddef.h>

#include "render/screen.h"

/* text_run_tables.c: what happened when. */
void text_phases(struct screen *screen, const struct report *report);
void text_requests(struct screen *screen, const struct report *report, size_t most);
void text_routes(struct screen *screen, const struct report *report, size_t most);
void text_what_ifs(struct screen *screen, const struct report *report);
void text_path(struct screen *screen, const struct report_request *request, size_t most);
void text_threads(struct screen *screen, const struct report *report, size_t most);
void text_connections(struct screen *screen, const struct report *report, size_t most);
void text_machinery(struct screen *screen, const struct report *report); /* JIT and GC */

/* text_lists.c: what was used. */
void text_exceptions(struct screen *screen, const struct report *report, size_t most);
void text_throws(struct screen *screen, const struct report *report, size_t most);
void text_class_sources(struct screen *screen, const struct report *report);
void text_slowest_classes(struct screen *screen, const struct report *report, size_t most);
void text_class_groups(struct screen *screen, const struct report *report, size_t most); /* by jar, package, loader */
void text_class_work(struct screen *screen, const struct report *report, size_t most);	/* initialisers, generated, not found */
void text_jit_work(struct screen *screen, const struct report *report, size_t most);	/* compilations, methods */
void text_pause_causes(struct screen *screen, const struct report *report);
void text_thread_roles(struct screen *screen, const struct report *report);
void text_files(struct screen *screen, const struct report *report, size_t most);
void text_searches(struct screen *screen, const struct report *report, size_t most);
void text_page_cache(struct screen *screen, const struct report *report, size_t most);
void text_faults(struct screen *screen, const struct report *report);
void text_fault_files(struct screen *screen, const struct report *report, size_t most);
void text_memory(struct screen *screen, const struct report *report);

/* text_jars.c: archives, their entries, unused ones and duplicates. */
void text_jars(struct screen *screen, const struct report *report, size_t most);
void text_entries(struct screen *screen, const struct report *report, size_t most);
void text_class_path(struct screen *screen, const struct report *report, size_t most);

/* Begins a section's table with its first column, whose title is the section's. */
void section_begin(struct screen *screen, struct table *table, const char *title, unsigned shrinks_to);
void section_number(struct table *table, const char *title, unsigned optional);
void section_text(struct table *table, const char *title, unsigned shrinks_to, unsigned optional);
void section_end(struct screen *screen, struct table *table);
size_t section_rows(size_t count, size_t most);
/* The first cell of the row that stands for all that are not shown. */
void section_more(struct table *table, size_t more);
