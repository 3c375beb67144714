/* One self-contained HTML page: reports/page.html with the style, the script and the data put in.
 *
 * The page asks nothing of any network, and its content security policy forbids it to: one style and one script,
 * named by their hashes, and data that is no script. Data is JSON with every '<' escaped, so no name of the traced
 * program can end the element it is in; the script makes text nodes of names, never markup. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "base/json_out.h"
#include "base/strpool.h"

/* What a page's data writes to: JSON in memory, and the texts that it names by number. */
struct page {
	struct json_out json;
	struct strpool texts; /* written as "texts", see put_texts */
	char *bytes;
	size_t length_bytes;
	FILE *stream;
};

enum page_kind { PAGE_REPORT, PAGE_COMPARISON, PAGE_FLAME };

/* Begins the data: one object, open. */
struct err *page_begin(struct page *page) must_check;
uint32_t page_text(struct page *page, const char *text);
/* Ends the data and writes the page. `title` is plain text. Releases the page, also after a failure. */
struct err *page_finish(struct page *page, enum page_kind kind, const char *title, FILE *out) must_check;
void page_done(struct page *page);
