#include "render/text_tables.h"

#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

void text_exceptions(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->exceptions_count, most);

	if (!report->exceptions_count)
		return;
	section_begin(screen, &table, "Exceptions", 30);
	section_number(&table, "traces filled", 0);
	section_number(&table, "time", 0);
	section_text(&table, "phase", 0, 1);
	section_text(&table, "thrown at", 26, 2);
	section_text(&table, "caught at", 26, 3);
	for (size_t i = 0; i < shown; i++) {
		const struct report_exception *exception = &report->exceptions[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", exception->class_name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(exception->count).text);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, exception->duration_ns));
		table_cell(&table, TERM_DIM, "%s", phase_words(exception->phase));
		table_cell(&table, TERM_DIM, "%s",
			   exception->thrown_at && *exception->thrown_at ? exception->thrown_at : "?");
		table_cell(&table, TERM_DIM, "%s",
			   exception->caught_at && *exception->caught_at ? exception->caught_at : "?");
	}
	if (shown < report->exceptions_count) {
		int64_t count = 0, duration_ns = 0;

		for (size_t i = shown; i < report->exceptions_count; i++) {
			count = fmt_add(count, report->exceptions[i].count);
			if (report->exceptions[i].duration_ns.state == KNOWN)
				duration_ns = fmt_add(duration_ns, report->exceptions[i].duration_ns.value);
		}
		section_more(&table, report->exceptions_count - shown);
		table_cell(&table, TERM_DIM, "%s", fmt_count(count).text);
		table_cell(&table, TERM_DIM, "%s", fmt_duration(duration_ns).text);
	}
	section_end(screen, &table);
}

void text_throws(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->throws_count, most);

	if (!report->throws_count)
		return;
	section_begin(screen, &table, "Without a stack trace", 30);
	section_number(&table, "seen thrown", 0);
	section_text(&table, "phase", 0, 1);
	section_text(&table, "first seen at", 26, 2);
	section_text(&table, "by", 0, 3);
	for (size_t i = 0; i < shown; i++) {
		const struct report_throw *thrown = &report->throws[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", thrown->class_name);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(thrown->count).text);
		table_cell(&table, TERM_DIM, "%s", phase_words(thrown->phase));
		table_cell(&table, TERM_DIM, "%s", *thrown->seen_at ? thrown->seen_at : "?");
		table_cell(&table, TERM_DIM, "%s", thrown->is_by_vm ? "the VM" : "Java");
	}
	if (shown < report->throws_count) {
		int64_t count = 0;

		for (size_t i = shown; i < report->throws_count; i++)
			count = fmt_add(count, report->throws[i].count);
		section_more(&table, report->throws_count - shown);
		table_cell(&table, TERM_DIM, "%s", fmt_count(count).text);
	}
	section_end(screen, &table);
}

void text_class_sources(struct screen *screen, const struct report *report)
{
	const struct report_classes *classes = &report->classes;
	const struct {
		const char *words;
		struct maybe value;
	} sources[] = {
		{"from the CDS archive", classes->from_cds},
		{"from the AOT cache", classes->from_aot},
		{"from jars", classes->from_jar},
		{"from the JDK's own image", classes->from_jrt},
		{"from directories", classes->from_directory},
		{"generated at run time", classes->from_generated},
		{"from elsewhere", classes->from_other},
	};
	const char *text = "";

	if (classes->loaded.state != KNOWN)
		return;
	for (size_t i = 0; i < array_length(sources); i++)
		if (sources[i].value.state == KNOWN && sources[i].value.value)
			text = arena_format(&screen->arena, "%s%s%s %s", text, *text ? ", " : ": ",
					    fmt_count(sources[i].value.value).text, sources[i].words);
	screen_blank(screen);
	screen_paragraph(screen, TERM_PLAIN, "Classes", "%s loaded%s", fmt_count(classes->loaded.value).text, text);
}

void text_searches(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->searches_count, most);
	int64_t failed = 0, duration_ns = 0;

	if (!shown)
		return;
	section_begin(screen, &table, "Searches that found nothing", 30);
	section_text(&table, "for", 0, 2);
	section_number(&table, "tries", 0);
	section_number(&table, "names", 1);
	section_number(&table, "cold", 3);
	section_number(&table, "warm", 4);
	section_number(&table, "time", 0);
	for (size_t i = 0; i < shown; i++) {
		const struct report_search *search = &report->searches[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s/%s", strcmp(search->folder, "/") == 0 ? "" : search->folder,
			   search->pattern);
		table_cell(&table, TERM_DIM, "%s", search->purpose);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(search->failed).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(search->names).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(search->phase_failed[PHASE_FIRST_REQUEST]).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(search->phase_failed[PHASE_WARM]).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(search->duration_ns).text);
	}
	if (shown < report->searches_count) {
		for (size_t i = shown; i < report->searches_count; i++) {
			failed = fmt_add(failed, report->searches[i].failed);
			duration_ns = fmt_add(duration_ns, report->searches[i].duration_ns);
		}
		section_more(&table, report->searches_count - shown);
		table_cell(&table, TERM_DIM, "%s", "");
		table_cell(&table, TERM_DIM, "%s", fmt_count(failed).text);
		table_cell(&table, TERM_DIM, "%s", "");
		table_cell(&table, TERM_DIM, "%s", "");
		table_cell(&table, TERM_DIM, "%s", "");
		table_cell(&table, TERM_DIM, "%s", fmt_duration(duration_ns).text);
	}
	section_end(screen, &table);
}

void text_page_cache(struct screen *screen, const struct report *report, size_t most)
{
	const struct report_page_cache *cache = &report->page_cache;
	struct table table = {};
	size_t shown = section_rows(cache->files_count, most);

	if (cache->state) {
		screen_blank(screen);
		screen_paragraph(screen, TERM_PLAIN, "Page cache",
				 "%s: %s of %s of the files that the command names were in memory at exec%s; threads waited "
				 "%s for the disk, all together",
				 strcmp(cache->state, "partly") == 0 ? "partly warm" : cache->state,
				 fmt_bytes(cache->resident).text, fmt_bytes(cache->size).text,
				 cache->was_dropped ? ", after --drop-caches" : "", fmt_duration(cache->disk_ns).text);
	}
	if (!shown)
		return;
	section_begin(screen, &table, "Files and the disk", 24);
	section_number(&table, "size", 3);
	section_number(&table, "at exec", 0);
	section_number(&table, "at exit", 1);
	section_number(&table, "read ahead", 4);
	section_number(&table, "faults from disk", 2);
	section_number(&table, "waited", 0);
	for (size_t i = 0; i < shown; i++) {
		const struct report_cached_file *file = &cache->files[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", file->path);
		table_cell(&table, TERM_PLAIN, "%s", maybe_bytes(screen, file->size));
		table_cell(&table, TERM_PLAIN, "%s", maybe_bytes(screen, file->resident));
		table_cell(&table, TERM_PLAIN, "%s", maybe_bytes(screen, file->resident_at_exit));
		table_cell(&table, TERM_PLAIN, "%s", maybe_bytes(screen, file->read_ahead));
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(file->major_faults).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(file->disk_ns).text);
	}
	if (shown < cache->files_count)
		section_more(&table, cache->files_count - shown);
	section_end(screen, &table);
}

static void file_cells(struct table *table, const struct report_file *file, enum term_style style)
{
	table_cell(table, style, "%s", fmt_count(file->opens).text);
	table_cell(table, style, "%s", fmt_count(file->failed_opens).text);
	table_cell(table, style, "%s", fmt_count(file->lookups).text);
	table_cell(table, style, "%s", fmt_count(file->failed_lookups).text);
	table_cell(table, style, "%s", fmt_count(file->reads).text);
	table_cell(table, style, "%s", fmt_bytes(file->bytes_read).text);
	table_cell(table, style, "%s", fmt_duration(file->duration_ns).text);
}

void text_files(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};
	size_t shown = section_rows(report->files_count, most);

	if (!report->files_count)
		return;
	section_begin(screen, &table, "Files", 24);
	section_number(&table, "opens", 0);
	section_number(&table, "failed", 3);
	section_number(&table, "look-ups", 1);
	section_number(&table, "failed", 2);
	section_number(&table, "reads", 0);
	section_number(&table, "read", 0);
	section_number(&table, "time", 0);
	for (size_t i = 0; i < shown; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", report->files[i].path);
		file_cells(&table, &report->files[i], TERM_PLAIN);
	}
	if (shown < report->files_count) {
		struct report_file rest = {};

		for (size_t i = shown; i < report->files_count; i++) {
			rest.opens = fmt_add(rest.opens, report->files[i].opens);
			rest.failed_opens = fmt_add(rest.failed_opens, report->files[i].failed_opens);
			rest.lookups = fmt_add(rest.lookups, report->files[i].lookups);
			rest.failed_lookups = fmt_add(rest.failed_lookups, report->files[i].failed_lookups);
			rest.reads = fmt_add(rest.reads, report->files[i].reads);
			rest.bytes_read = fmt_add(rest.bytes_read, report->files[i].bytes_read);
			rest.duration_ns = fmt_add(rest.duration_ns, report->files[i].duration_ns);
		}
		section_more(&table, report->files_count - shown);
		file_cells(&table, &rest, TERM_DIM);
	}
	section_end(screen, &table);
}

void text_faults(struct screen *screen, const struct report *report)
{
	const struct report_faults *faults = &report->faults;
	struct table table = {};

	if (faults->minor.state == ABSENT && faults->major.state == ABSENT)
		return;
	section_begin(screen, &table, "Page faults by what was touched", 16);
	section_number(&table, "from memory", 0);
	section_number(&table, "from disk", 0);
	section_number(&table, "time", 0);
	for (size_t i = 0; i < faults->by_mapping_count; i++) {
		const struct report_fault_kind *kind = &faults->by_mapping[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", mapping_kind_words(kind->kind));
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(kind->minor).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(kind->major).text);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, kind->duration_ns));
	}
	table_row(&table);
	table_cell(&table, TERM_BOLD, "total");
	table_cell(&table, TERM_BOLD, "%s", maybe_count(screen, faults->minor));
	table_cell(&table, TERM_BOLD, "%s", maybe_count(screen, faults->major));
	table_cell(&table, TERM_BOLD, "%s", maybe_duration(screen, faults->duration_ns));
	section_end(screen, &table);
}

void text_fault_files(struct screen *screen, const struct report *report, size_t most)
{
	const struct report_faults *faults = &report->faults;
	struct table table = {};
	size_t shown = section_rows(faults->by_file_count, most);
	int64_t minor = 0, major = 0;

	if (!shown)
		return;
	section_begin(screen, &table, "Page faults by file", 24);
	section_text(&table, "part", 0, 1);
	section_number(&table, "from memory", 0);
	section_number(&table, "from disk", 0);
	section_number(&table, "time", 0);
	for (size_t i = 0; i < shown; i++) {
		const struct report_fault_file *file = &faults->by_file[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", file->path);
		table_cell(&table, TERM_DIM, "%s", file->part);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(file->minor).text);
		table_cell(&table, TERM_PLAIN, "%s", fmt_count(file->major).text);
		table_cell(&table, TERM_PLAIN, "%s", maybe_duration(screen, file->duration_ns));
	}
	if (shown < faults->by_file_count) {
		for (size_t i = shown; i < faults->by_file_count; i++) {
			minor = fmt_add(minor, faults->by_file[i].minor);
			major = fmt_add(major, faults->by_file[i].major);
		}
		section_more(&table, faults->by_file_count - shown);
		table_cell(&table, TERM_DIM, "%s", "");
		table_cell(&table, TERM_DIM, "%s", fmt_count(minor).text);
		table_cell(&table, TERM_DIM, "%s", fmt_count(major).text);
	}
	section_end(screen, &table);
}

static const struct report_memory_kind *memory_kind_of(const struct report_memory *memory, enum mapping_kind kind)
{
	for (size_t i = 0; i < memory->by_kind_count; i++)
		if (memory->by_kind[i].kind == kind)
			return &memory->by_kind[i];
	return NULL;
}

static const char *memory_moment_words(const char *at)
{
	static const struct {
		const char *at, *words;
	} table[] = {
		{"ready", "when ready"},
		{"first_request", "after first"},
		{"warm", "when warm"},
		{"exit", "at exit"},
	};

	for (size_t i = 0; i < array_length(table); i++)
		if (strcmp(at, table[i].at) == 0)
			return table[i].words;
	return at;
}

/* Resident memory by kind at each moment; what is reserved and committed at the last of them. */
void text_memory(struct screen *screen, const struct report *report)
{
	struct table table = {};
	size_t count = report->memory_count < 8 ? report->memory_count : 8;

	if (!count)
		return;

	const struct report_memory *last = &report->memory[count - 1];

	section_begin(screen, &table, "Memory, resident", 12);
	for (size_t i = 0; i < count; i++)
		section_number(&table, memory_moment_words(report->memory[i].at), 0);
	section_number(&table, "committed", 1);
	section_number(&table, "reserved", 2);
	for (int kind = 0; kind < MAPPING_KIND_COUNT; kind++) {
		const struct report_memory_kind *of_last = memory_kind_of(last, (enum mapping_kind)kind);
		bool is_shown = false;

		for (size_t i = 0; i < count; i++)
			is_shown = is_shown || memory_kind_of(&report->memory[i], (enum mapping_kind)kind);
		if (!is_shown)
			continue;
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", mapping_kind_words((enum mapping_kind)kind));
		for (size_t i = 0; i < count; i++) {
			const struct report_memory_kind *part =
				memory_kind_of(&report->memory[i], (enum mapping_kind)kind);

			table_cell(&table, TERM_PLAIN, "%s", part ? fmt_bytes(part->rss).text : "-");
		}
		table_cell(&table, TERM_DIM, "%s", of_last ? fmt_bytes(of_last->committed).text : "-");
		table_cell(&table, TERM_DIM, "%s", of_last ? fmt_bytes(of_last->reserved).text : "-");
	}
	table_row(&table);
	table_cell(&table, TERM_BOLD, "total (RSS)");
	for (size_t i = 0; i < count; i++)
		table_cell(&table, TERM_BOLD, "%s", fmt_bytes(report->memory[i].rss).text);
	table_row(&table);
	table_cell(&table, TERM_PLAIN, "shared parts divided (PSS)");
	for (size_t i = 0; i < count; i++)
		table_cell(&table, TERM_PLAIN, "%s", fmt_bytes(report->memory[i].pss).text);
	table_row(&table);
	table_cell(&table, TERM_PLAIN, "control group");
	for (size_t i = 0; i < count; i++)
		table_cell(&table, TERM_PLAIN, "%s", maybe_bytes(screen, report->memory[i].cgroup_current));
	section_end(screen, &table);
}
