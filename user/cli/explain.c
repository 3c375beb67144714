#include "cli/explain.h"

#include <string.h>

#include "analyze/report.h"
#include "base/auto.h"
#include "base/fmt.h"
#include "base/vec.h"
#include "cli/option_values.h"

extern const char findings_page[]; /* embedded, see CMakeLists.txt */

static const char heading[] = "\n## ";

/* The name after a heading, and where its section's text begins. */
static const char *section_next(const char *at, size_t *ret_length)
{
	const char *found = strstr(at, heading);

	if (!found)
		return NULL;
	found += strlen(heading);
	*ret_length = strcspn(found, "\n");
	return found;
}

const char **explain_ids(struct arena *arena)
{
	const char **ids;
	size_t count = 0, length;

	for (const char *at = section_next(findings_page, &length); at; at = section_next(at, &length))
		count++;
	ids = arena_array(arena, const char *, count + 1);
	count = 0;
	for (const char *at = section_next(findings_page, &length); at; at = section_next(at, &length))
		ids[count++] = arena_copy(arena, at, length);
	return ids;
}

struct err *explain_check_id(const char *id)
{
	auto_done(arena_done) struct arena arena = {};
	const char **ids = explain_ids(&arena);
	const char *nearest;

	for (size_t i = 0; ids[i]; i++)
		if (strcmp(ids[i], id) == 0)
			return NULL;

	struct err *err = err_new(ERR_USAGE, "there is no finding '%s'", id);

	nearest = value_nearest(id, ids);
	return nearest ? err_hint(err, "did you mean %s?", nearest) : err;
}

static void print_run(const struct report *report, const char *id, const struct term *term, FILE *out)
{
	bool is_found = false;

	for (size_t i = 0; i < report->findings_count; i++) {
		const struct report_finding *finding = &report->findings[i];

		if (strcmp(finding->id, id) != 0)
			continue;
		is_found = true;
		term_paragraph(term, out, TERM_PLAIN, "", 0, TERM_BOLD, finding->title);
		if (finding->cost_ns.state == KNOWN) {
			auto_done(arena_done) struct arena arena = {};

			term_paragraph(term, out, TERM_TITLE, "price", 10, TERM_PLAIN,
				       arena_format(&arena, "%s%s of the first request",
						    finding->is_estimated ? "about " : "",
						    fmt_duration(finding->cost_ns.value).text));
		}
		for (size_t k = 0; k < finding->evidence_count; k++)
			term_paragraph(term, out, TERM_TITLE, k ? "" : "evidence", 10, TERM_PLAIN,
				       finding->evidence[k]);
		if (*finding->remedy)
			term_paragraph(term, out, TERM_TITLE, "remedy", 10, TERM_PLAIN, finding->remedy);
	}
	if (!is_found)
		term_paragraph(term, out, TERM_PLAIN, "", 0, TERM_PLAIN, "This run does not have it.");
	putc('\n', out);
}

/* Paragraphs are wrapped anew; lines that begin with blanks are commands and stay as they are. */
static void print_section(const char *at, const char *end, const struct term *term, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	char *paragraph = arena_alloc(&arena, (size_t)(end - at) + 2), *to = paragraph;

	while (at < end) {
		size_t length = strcspn(at, "\n");

		if (length && *at != ' ') {
			if (to > paragraph)
				*to++ = ' ';
			to = mempcpy(to, at, length);
		} else {
			*to = '\0';
			if (to > paragraph)
				term_paragraph(term, out, TERM_PLAIN, "", 0, TERM_PLAIN, paragraph);
			to = paragraph;
			fprintf(out, "%.*s\n", (int)length, at);
		}
		at += length + 1;
	}
	*to = '\0';
	if (to > paragraph)
		term_paragraph(term, out, TERM_PLAIN, "", 0, TERM_PLAIN, paragraph);
}

void explain_print(const char *id, const struct report *report, const struct term *term, FILE *out)
{
	size_t length;

	for (const char *at = section_next(findings_page, &length); at; at = section_next(at, &length)) {
		const char *end = strstr(at, heading);

		if (strlen(id) != length || strncmp(at, id, length) != 0)
			continue;
		term_styled(term, out, TERM_TITLE, id);
		fputs("\n\n", out);
		if (report)
			print_run(report, id, term, out);
		at += length + 2; /* the empty line after the heading */
		print_section(at, end ? end : at + strlen(at), term, out);
		return;
	}
}
