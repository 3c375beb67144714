/* JSON pieces that the report's and the comparison's renderers share, and the report's lists of things. */
#pragma once

#include "analyze/comparison.h"
#include "analyze/report.h"
#include "base/json_out.h"

extern const char *const json_count_names[COUNT_COUNT];

void json_put_int(struct json_out *json, const char *key, int64_t value);
void json_put_real(struct json_out *json, const char *key, double value);
void json_put_bool(struct json_out *json, const char *key, bool value);
void json_put_text(struct json_out *json, const char *key, const char *text); /* NULL: no key at all */
void json_put_texts(struct json_out *json, const char *key, const char *const *texts, size_t count);

/* ABSENT: no key. NONE: null. */
void json_put_maybe(struct json_out *json, const char *key, struct maybe value);
void json_put_maybe_bool(struct json_out *json, const char *key, struct maybe value);
void json_put_maybe_real(struct json_out *json, const char *key, struct maybe_real value);
void json_put_maybe_text(struct json_out *json, const char *key, struct maybe_text value);

/* "": no key, that is, not observed. */
void json_put_observed_text(struct json_out *json, const char *key, const char *text);

struct page;

/* The whole report as one object. For a page (else NULL) without the tiles of the requests' paths, which it has in a
 * shape of its own, with the most read entries of each jar alone, and with the numbers of the page's texts for the
 * frames of stacks. */
void json_put_report(struct json_out *json, const struct report *report, struct page *page);
void json_put_comparison(struct json_out *json, const struct comparison *comparison);

void json_put_exceptions(struct json_out *json, const struct report *report, struct page *page);
void json_put_throws(struct json_out *json, const struct report *report);
void json_put_classes(struct json_out *json, const struct report_classes *classes);
void json_put_jars(struct json_out *json, const struct report *report, size_t entries_most); /* of each jar */
void json_put_duplicates(struct json_out *json, const struct report *report);
void json_put_searches(struct json_out *json, const struct report *report);
void json_put_page_cache(struct json_out *json, const struct report_page_cache *cache);
void json_put_jvm_work(struct json_out *json, const struct report *report); /* compilations, methods, pauses */
void json_put_thread_roles(struct json_out *json, const struct report *report);
void json_put_files(struct json_out *json, const struct report *report);
void json_put_machinery(struct json_out *json, const struct report *report); /* faults, jit, gc */
void json_put_threads(struct json_out *json, const struct report *report);
void json_put_memory(struct json_out *json, const struct report *report);
void json_put_connections(struct json_out *json, const struct report *report);
