/* Made-up reports for the tests of render. All that a report holds is static or in its arena; arena_done releases it.
 */
#pragma once

#include "analyze/comparison.h"
#include "analyze/report.h"

/* A Spring-like service: a slow first request, thirty warm ones, everything observed but two things. Numbers fit
 * together: causes add up to latencies, tiles to causes, excess to cold less warm. Cold 434,127,418 ns, warm
 * 13,482,915 ns. */
void sample_spring(struct report *report);

/* The same with names that try to break out: escape sequences, newlines, bytes that are no UTF-8, direction marks,
 * markup, a path of 10,000 characters. */
void sample_hostile(struct report *report);

/* A static C server: no JVM, Java figures not observed, a second route, an opaque request, a client of its own. */
void sample_native(struct report *report);

/* A report with nothing in it: the command was started and nothing else is known. */
void sample_empty(struct report *report);

/* A JVM that its control group killed before it was ready, with lost events. */
void sample_failed(struct report *report);

/* Three scenarios of ten runs; the cache of one was refused in all of them. */
void sample_comparison(struct comparison *comparison);

/* For building samples. */
#define SAMPLE_LIST(report, name, items)                                                                             \
	do {                                                                                                         \
		(report)->name = (items);                                                                            \
		(report)->name##_count = array_length(items);                                                        \
	} while (0)

static inline struct maybe known(int64_t value)
{
	return (struct maybe){KNOWN, value};
}

static inline struct maybe none(void)
{
	return (struct maybe){.state = NONE};
}

static inline struct maybe_text known_text(const char *text)
{
	return (struct maybe_text){KNOWN, text};
}

/* A part of a path: what one thread did on it for a cause, and for how long. */
struct sample_piece {
	enum cause cause;
	int64_t duration_ns;
	const char *thread, *detail;
};

/* The request's path: the pieces one after another, then on `thread` a tile of what they left of each cause. */
void sample_path(struct report *report, struct report_request *request, const char *thread,
		 const struct sample_piece *pieces, size_t count);

/* The pair of a cold request and the warm causes, sorted as analyze does. */
void sample_pair(struct report *report, struct report_cold_vs_warm *pair, const struct report_request *cold,
		 const int64_t *warm_causes);
