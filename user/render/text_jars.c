/* What was read of archives: by archive, by entry, and what nothing was read of. */
#include "render/text_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

/* Adds what is known of a part to a sum; the sum is known once a part is. */
static void maybe_add(struct maybe *sum, struct maybe part)
{
	if (part.state != KNOWN)
		return;
	sum->state = KNOWN;
	sum->value = fmt_add(sum->value, part.value);
}

static void jar_cells(struct screen *screen, struct table *table, const struct report_jar *jar, enum term_style style)
{
	table_cell(table, style, "%s", maybe_count(screen, jar->opens));
	table_cell(table, style, "%s", maybe_count(screen, jar->reads));
	table_cell(table, style, "%s", maybe_bytes(screen, jar->bytes_read));
	table_cell(table, style, "%s", maybe_bytes(screen, jar->bytes_wanted));
	if (jar->bytes_read.state == KNOWN && jar->bytes_wanted.state == KNOWN && jar->bytes_wanted.value > 0)
		table_cell(table, style, "%s",
			   fmt_factor((double)jar->bytes_read.value / (double)jar->bytes_wanted.value).text);
	else
		table_cell(table, style, "-");
	table_cell(table, style, "%s", fmt_bytes(jar->phases[PHASE_FIRST_REQUEST].bytes).text);
	table_cell(table, style, "%s", fmt_bytes(jar->phases[PHASE_WARM].bytes).text);
	table_cell(table, style, "%s", maybe_count(screen, jar->entries_read));
	table_cell(table, style, "%s", maybe_count(screen, jar->entries_reread));
	table_cell(table, style, "%s", maybe_count(screen, jar->entries_total));
	if (jar->size.state == KNOWN && jar->size.value > 0 && jar->bytes_touched.state == KNOWN)
		table_cell(table, style, "%s",
			   fmt_percent((double)jar->bytes_touched.value / (double)jar->size.value).text);
	else
		table_cell(table, style, "-");
}

void text_jars(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->jars_count, most);

	if (!report->jars_count)
		return;
	section_begin(screen, &table, "Jars", 24);
	section_number(&table, "opens", 6);
	section_number(&table, "reads", 0);
	section_number(&table, "read", 0);
	section_number(&table, "wanted", 1);
	section_number(&table, "times", 2);
	section_number(&table, "cold", 7);
	section_number(&table, "warm", 8);
	section_number(&table, "entries", 3);
	section_number(&table, "again", 4);
	section_number(&table, "of", 5);
	section_number(&table, "touched", 9);
	for (size_t i = 0; i < shown; i++) {
		const struct report_jar *jar = &report->jars[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s%s%s", jar->nested_in ? jar->nested_in : "",
			   jar->nested_in ? "!/" : "", jar->path);
		jar_cells(screen, &table, jar, TERM_PLAIN);
	}
	if (shown < report->jars_count) {
		struct report_jar rest = {};

		for (size_t i = shown; i < report->jars_count; i++) {
			maybe_add(&rest.opens, report->jars[i].opens);
			maybe_add(&rest.reads, report->jars[i].reads);
			maybe_add(&rest.bytes_read, report->jars[i].bytes_read);
			maybe_add(&rest.bytes_wanted, report->jars[i].bytes_wanted);
			maybe_add(&rest.entries_read, report->jars[i].entries_read);
			maybe_add(&rest.entries_reread, report->jars[i].entries_reread);
			maybe_add(&rest.entries_total, report->jars[i].entries_total);
			for (int phase = 0; phase < PHASE_COUNT; phase++)
				rest.phases[phase].bytes =
					fmt_add(rest.phases[phase].bytes, report->jars[i].phases[phase].bytes);
		}
		section_more(&table, report->jars_count - shown);
		jar_cells(screen, &table, &rest, TERM_DIM);
	}
	section_end(screen, &table);
}

/* ---- entries ---- */

struct shown_entry {
	const struct report_jar *jar;
	const struct report_jar_entry *entry;
};

/* The whole path stands in the table of jars. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int compare_shown(const void *left, const void *right)
{
	const struct shown_entry *a = left, *b = right;
	int order;

	if (a->entry->bytes_read != b->entry->bytes_read)
		return a->entry->bytes_read > b->entry->bytes_read ? -1 : 1;
	order = strcmp(a->jar->path, b->jar->path);
	return order ? order : strcmp(a->entry->name, b->entry->name);
}

static const char *phases_text(struct screen *screen, unsigned phases)
{
	const char *text = "";

	for (int phase = 0; phase < PHASE_COUNT; phase++)
		if (phases >> phase & 1)
			text = arena_format(&screen->arena, "%s%s%s", text, *text ? ", " : "",
					    phase_words((enum phase)phase));
	return *text ? text : "not wanted";
}

static void entry_row(struct screen *screen, struct table *table, const struct shown_entry *shown)
{
	const struct report_jar_entry *entry = shown->entry;

	table_row(table);
	table_cell(table, TERM_PLAIN, "%s!/%s", base_name(shown->jar->path), entry->name);
	table_cell(table, TERM_PLAIN, "%s", fmt_bytes(entry->bytes_wanted).text);
	table_cell(table, TERM_PLAIN, "%s", fmt_bytes(entry->bytes_read).text);
	table_cell(table, TERM_PLAIN, "%s", fmt_count(entry->reads).text);
	table_cell(table, TERM_PLAIN, "%s", fmt_count(entry->rereads).text);
	table_cell(table, TERM_PLAIN, "%s", fmt_bytes(entry->phase_bytes[PHASE_FIRST_REQUEST]).text);
	table_cell(table, TERM_PLAIN, "%s", fmt_bytes(entry->phase_bytes[PHASE_WARM]).text);
	table_cell(table, TERM_DIM, "%s", phases_text(screen, entry->wanted_phases));
	table_cell(table, TERM_DIM, "%s", entry->is_compressed ? "deflated" : "stored");
	table_cell(table, TERM_DIM, "%s", *entry->requested_by ? entry->requested_by : "?");
}

void text_entries(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	VEC(struct shown_entry) all = {};
	int64_t wanted = 0, read = 0, reads = 0;

	for (size_t i = 0; i < report->jars_count; i++)
		for (size_t k = 0; k < report->jars[i].entries_count; k++)
			*vec_push(&all) = (struct shown_entry){&report->jars[i], &report->jars[i].entries[k]};
	if (!all.count)
		return;
	qsort(all.items, all.count, sizeof(*all.items), compare_shown);
	section_begin(screen, &table, "Entries, most read first", 30);
	section_number(&table, "wanted", 0);
	section_number(&table, "read", 0);
	section_number(&table, "reads", 2);
	section_number(&table, "again", 3);
	section_number(&table, "cold", 4);
	section_number(&table, "warm", 5);
	section_text(&table, "wanted in", 0, 6);
	section_text(&table, "kept", 0, 8);
	section_text(&table, "for", 20, 7);

	size_t shown = section_rows(all.count, most);

	for (size_t i = 0; i < shown; i++)
		entry_row(screen, &table, &all.items[i]);
	for (size_t i = shown; i < all.count; i++) {
		wanted = fmt_add(wanted, all.items[i].entry->bytes_wanted);
		read = fmt_add(read, all.items[i].entry->bytes_read);
		reads = fmt_add(reads, all.items[i].entry->reads);
	}
	if (shown < all.count) {
		section_more(&table, all.count - shown);
		table_cell(&table, TERM_DIM, "%s", fmt_bytes(wanted).text);
		table_cell(&table, TERM_DIM, "%s", fmt_bytes(read).text);
		table_cell(&table, TERM_DIM, "%s", fmt_count(reads).text);
	}
	section_end(screen, &table);
	vec_done(&all);
}

/* ---- what a class path has too much of ---- */

void text_class_path(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t count = 0, known = 0, named = 0, shown = section_rows(report->duplicates_count, most);
	int64_t size = 0;
	const char *names = "";

	for (size_t i = 0; i < report->jars_count; i++) {
		const struct report_jar *jar = &report->jars[i];

		known += jar->is_unused.state == KNOWN;
		if (jar->is_unused.state != KNOWN || !jar->is_unused.value)
			continue;
		count++;
		size = fmt_add(size, jar->size.state == KNOWN ? jar->size.value : 0);
		if (named++ < most)
			names = arena_format(&screen->arena, "%s%s%s", names, *names ? ", " : "",
					     base_name(jar->path));
	}
	if (count) {
		screen_blank(screen);
		screen_paragraph(screen, TERM_PLAIN, "Unused jars",
				 "nothing was wanted of %s of %s archives, %s together: %s%s",
				 fmt_count((int64_t)count).text, fmt_count((int64_t)known).text, fmt_bytes(size).text,
				 names, named > most ? " and others" : "");
	}
	if (!report->duplicates_count)
		return;
	section_begin(screen, &table, "Classes in several jars", 26);
	section_text(&table, "loaded from", 26, 0);
	section_text(&table, "also in", 26, 1);
	for (size_t i = 0; i < shown; i++) {
		const struct report_duplicate *duplicate = &report->duplicates[i];
		const char *others = "";

		for (size_t k = 0; k < duplicate->jar_count; k++)
			if (!strstr(duplicate->loaded_from, duplicate->jars[k]))
				others = arena_format(&screen->arena, "%s%s%s", others, *others ? ", " : "",
						      duplicate->jars[k]);
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", duplicate->class_name);
		table_cell(&table, TERM_PLAIN, "%s", duplicate->loaded_from);
		table_cell(&table, TERM_DIM, "%s", others);
	}
	if (shown < report->duplicates_count)
		section_more(&table, report->duplicates_count - shown);
	section_end(screen, &table);
}
