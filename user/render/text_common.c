/* The parts that open and close every report on a run: what was run, the verdict, milestones, findings, limits. */
#include "render/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

static const char *runtime_text(struct screen *screen, const struct report_runtime *runtime)
{
	const char *text;

	if (strcmp(runtime->kind, "hotspot") != 0)
		return strcmp(runtime->kind, "native") == 0 ? "no JVM" : "unknown runtime";
	text = arena_format(&screen->arena, "%s %s", runtime->vendor.text ? runtime->vendor.text : "JVM",
			    runtime->version.text ? runtime->version.text : "");
	if (runtime->gc.text)
		text = arena_format(&screen->arena, "%s, %s", text, runtime->gc.text);
	if (runtime->max_heap.state == KNOWN)
		text = arena_format(&screen->arena, "%s, max heap %s", text, fmt_bytes(runtime->max_heap.value).text);
	if (runtime->aot_mapped.state == KNOWN && runtime->aot_mapped.value)
		text = arena_format(&screen->arena, "%s, AOT cache", text);
	else if (runtime->cds_mapped.state == KNOWN)
		text = arena_format(&screen->arena, "%s, %s", text, runtime->cds_mapped.value ? "CDS" : "no CDS");
	return text;
}

static const char *machine_text(struct screen *screen, const struct report_machine *machine)
{
	const char *text = arena_format(&screen->arena, "%s CPU%s", fmt_count(machine->cpus).text,
					machine->cpus == 1 ? "" : "s");

	if (machine->cpu_quota.state == KNOWN)
		text = arena_format(&screen->arena, "%s (quota %.2g)", text, machine->cpu_quota.value);
	if (machine->memory_limit.state == KNOWN)
		text = arena_format(&screen->arena, "%s, memory limit %s", text,
				    fmt_bytes(machine->memory_limit.value).text);
	return arena_format(&screen->arena, "%s; Linux %s%s%s", text, machine->kernel ? machine->kernel : "?",
			    machine->arch ? " " : "", machine->arch ? machine->arch : "");
}

static bool has_failed(const struct report_run *run)
{
	if (run->exit_oom.state == KNOWN)
		return true;
	return !run->exit_by_us && run->exit_kind != EXIT_KIND_RUNNING &&
	       (run->exit_kind == EXIT_KIND_SIGNAL || run->exit_code != 0);
}

static const char *oom_words(const char *kind)
{
	static const struct {
		const char *kind, *words;
	} table[] = {
		{"cgroup", "its control group ran out of memory, and the kernel killed it"},
		{"heap", "out of memory in the Java heap"},
		{"metaspace", "out of memory in metaspace"},
		{"direct", "out of memory for direct buffers"},
		{"threads", "out of memory for threads"},
	};

	for (size_t i = 0; i < array_length(table); i++)
		if (kind && strcmp(kind, table[i].kind) == 0)
			return table[i].words;
	return "out of memory";
}

/* How far the run came: "before it was ready". */
static const char *progress_words(const struct report *report)
{
	static const struct {
		const char *milestone, *words;
	} steps[] = {
		{"first_response", ""},
		{"first_arrival", " before it answered its first request"},
		{"ready", " before it answered a request"},
		{"listening", " before it was ready for requests"},
		{"main_class", " before it listened on a port"},
		{"vm_created", " before its main class ran"},
	};

	for (size_t i = 0; i < array_length(steps); i++)
		for (size_t m = 0; m < report->milestones_count; m++)
			if (strcmp(report->milestones[m].name, steps[i].milestone) == 0)
				return steps[i].words;
	return "";
}

static void text_failure(struct screen *screen, const struct report *report)
{
	const struct report_run *run = &report->run;
	const struct report_machine *machine = &report->machine;
	const char *how;

	if (run->exit_kind == EXIT_KIND_RUNNING)
		how = "It is still running";
	else if (run->exit_kind == EXIT_KIND_SIGNAL) {
		const char *name = sigabbrev_np(run->exit_code);

		how = arena_format(&screen->arena, "Ended by signal %d%s%s%s", run->exit_code, name ? " (SIG" : "",
				   name ? name : "", name ? ")" : "");
	} else {
		how = arena_format(&screen->arena, "Ended with status %d", run->exit_code);
	}

	const char *text = arena_format(&screen->arena, "%s after %s,%s", how, fmt_duration(run->wall_ns).text,
					progress_words(report));
	size_t length = strlen(text);

	if (text[length - 1] == ',')
		text = arena_format(&screen->arena, "%.*s", (int)(length - 1), text);
	if (run->exit_oom.state == KNOWN)
		text = arena_format(&screen->arena, "%s: %s", text, oom_words(run->exit_oom.text));
	if (machine->memory_limit.state == KNOWN && machine->cgroup_peak.state == KNOWN &&
	    run->exit_oom.state == KNOWN)
		text = arena_format(&screen->arena, "%s (limit %s, peak %s)", text,
				    fmt_bytes(machine->memory_limit.value).text,
				    fmt_bytes(machine->cgroup_peak.value).text);
	screen_paragraph(screen, TERM_BAD, NULL, "%s.", text);
	screen_blank(screen);
}

static void text_losses(struct screen *screen, const struct report *report)
{
	auto_done(words_done) struct words kinds = {};

	if (!report->lost_events)
		return;
	for (size_t i = 0; i < report->losses_by_kind_count && i < 4; i++)
		words_add(&kinds, "%s%s %s", i ? ", " : "", fmt_count(report->losses_by_kind[i].value).text,
			  report->losses_by_kind[i].name);
	screen_paragraph(screen, TERM_WARNING, "Lost",
			 "%s of %s events were lost%s%s%s. Counts, lists and times of these kinds are lower "
			 "bounds.",
			 fmt_count(report->lost_events).text,
			 fmt_count(fmt_add(report->events_total, report->lost_events)).text,
			 report->losses_by_kind_count ? " (" : "", words_text(&kinds),
			 report->losses_by_kind_count ? ")" : "");
}

void text_head(struct screen *screen, const struct report *report, const struct render_options *options)
{
	enum { NOTES_ON_SCREEN = 3 };
	const struct report_run *run = &report->run;
	size_t note_count = report->note_count;

	screen_line(screen, TERM_BOLD, "%s", command_text(screen, run->command, run->command_count));
	screen_paragraph(screen, TERM_DIM, NULL, "%s; %s; user %s", runtime_text(screen, &report->runtime),
			 machine_text(screen, &report->machine), run->user ? run->user : "?");
	screen_blank(screen);
	if (has_failed(run))
		text_failure(screen, report);
	if (report->verdict && *report->verdict)
		screen_paragraph(screen, TERM_BOLD, NULL, "%s", report->verdict);
	if (!report->milestones_count && !report->phases_count)
		screen_paragraph(screen, TERM_WARNING, NULL, "Nothing of this run was recorded.");
	text_losses(screen, report);
	if (!options->is_full && note_count > NOTES_ON_SCREEN)
		note_count = NOTES_ON_SCREEN - 1;
	for (size_t i = 0; i < note_count; i++)
		screen_paragraph(screen, TERM_WARNING, i ? "" : "Note", "%s", report->notes[i]);
	if (note_count < report->note_count)
		screen_paragraph(screen, TERM_DIM, "", "and %zu more notes in the full report",
				 report->note_count - note_count);
}

static const char *milestone_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} table[] = {
		{"exec", "exec"},
		{"vm_created", "JVM"},
		{"main_class", "main class"},
		{"listening", "listening"},
		{"ready", "ready"},
		{"first_arrival", "first request"},
		{"first_response", "answer"},
		{"exit", "exit"},
	};

	for (size_t i = 0; i < array_length(table); i++)
		if (strcmp(name, table[i].name) == 0)
			return table[i].words;
	return name;
}

void text_milestones(struct screen *screen, const struct report *report)
{
	auto_done(words_done) struct words line = {};
	struct table table = {};

	if (!report->milestones_count)
		return;
	screen_blank(screen);
	for (size_t i = 0; i < report->milestones_count && i < TABLE_COLUMNS_MAX; i++)
		table_column(&table, (struct table_column){
					     .title = milestone_words(report->milestones[i].name),
					     .align = TABLE_RIGHT,
				     });
	table_row(&table);
	for (size_t i = 0; i < report->milestones_count && i < TABLE_COLUMNS_MAX; i++) {
		const struct report_milestone *milestone = &report->milestones[i];
		const char *at = moment_text(screen, milestone->time_ns);

		at = arena_format(&screen->arena, "%s%s", milestone->is_estimated ? "~" : "", at);
		table_cell(&table, TERM_PLAIN, "%s", at);
		words_add(&line, "%s%s %s", i ? " · " : "", milestone_words(milestone->name), at);
	}
	if (table_width(&table, &screen->term) <= screen->term.columns)
		screen_table(screen, &table);
	else
		screen_paragraph(screen, TERM_PLAIN, "From exec", "%s", words_text(&line));
	table_done(&table);
}

/* A name of the `observed` list as words; most need no more than their underscores taken away. */
static const char *observed_words(struct screen *screen, const char *what)
{
	static const struct {
		const char *what, *words;
	} table[] = {
		{"scheduling", "when threads ran and waited"},
		{"fault_duration", "the time of page faults"},
		{"file_opens", "files opened"},
		{"exceptions", "Java exceptions"},
		{"exception_classes", "which exceptions they were"},
		{"exceptions_without_trace", "exceptions without a stack trace"},
		{"deoptimization_reasons", "why compiled code was given up"},
		{"exception_duration", "the time of exceptions"},
		{"class_find", "the time to find classes"},
		{"class_find_ends", "when the search for a class ended"},
		{"samples", "samples of running code"},
		{"java_stacks", "Java stacks"},
		{"gc", "garbage collection"},
		{"jit", "compilations"},
		{"jit_queue_wait", "how long compilations waited"},
		{"arrival", "the arrival of requests"},
		{"native_exceptions", "C++ exceptions"},
		{"memory", "memory by kind"},
		{"cpu.stolen", "where CPU was taken by a hypervisor"},
		{"jit.deopt", "the time of deoptimisations"},
	};
	char *words;

	for (size_t i = 0; i < array_length(table); i++)
		if (strcmp(what, table[i].what) == 0)
			return table[i].words;
	words = arena_copy(&screen->arena, what, strlen(what));
	for (char *at = words; (at = strchr(at, '_'));)
		*at = ' ';
	return words;
}

enum { REASONS_MOST = 3 };

static const char *why_of(const struct report_observed *observed)
{
	return observed->why ? observed->why : "";
}

static bool is_seen(const struct report_observed *observed)
{
	return strcmp(observed->state, "yes") == 0;
}

/* True for the first item with its reason. */
static bool is_first_reason(const struct report *report, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!is_seen(&report->observed[i]) &&
		    strcmp(why_of(&report->observed[i]), why_of(&report->observed[index])) == 0)
			return false;
	return true;
}

/* Items with the same reason stand together, in the order in which the reasons come up. */
/* A cause's name has a dot. What no run can show, or not all of it, is in the full report. */
static bool is_of_every_run(const struct report_observed *observed)
{
	return strchr(observed->what, '.') != NULL ||
	       (strcmp(observed->what, "exceptions_without_trace") == 0 && strcmp(observed->state, "partly") == 0);
}

void text_limits(struct screen *screen, const struct report *report)
{
	auto_done(words_done) struct words words = {};
	size_t reasons = 0;

	for (size_t i = 0; i < report->observed_count; i++) {
		const char *why = why_of(&report->observed[i]);

		if (is_of_every_run(&report->observed[i]) || is_seen(&report->observed[i]) ||
		    !is_first_reason(report, i) || reasons++ >= REASONS_MOST)
			continue;
		words_add(&words, "%s", reasons > 1 ? "; " : "");
		for (size_t k = i; k < report->observed_count; k++) {
			const struct report_observed *other = &report->observed[k];

			if (!is_seen(other) && strcmp(why_of(other), why) == 0)
				words_add(&words, "%s%s%s", k > i ? ", " : "", observed_words(screen, other->what),
					  strcmp(other->state, "partly") == 0 ? " in part" : "");
		}
		words_add(&words, "%s%s%s", *why ? " (" : "", why, *why ? ")" : "");
	}
	if (reasons > REASONS_MOST)
		words_add(&words, "; and more for %zu other reasons: see the full report", reasons - REASONS_MOST);
	if (reasons)
		screen_paragraph(screen, TERM_DIM, "Not seen", "%s.", words_text(&words));
}

static void text_finding(struct screen *screen, const struct report_finding *finding, bool is_full)
{
	const char *price = finding->cost_ns.state == KNOWN
				    ? arena_format(&screen->arena, "%s%s", finding->is_estimated ? "~" : "",
						   fmt_duration(finding->cost_ns.value).text)
				    : "-";
	bool has_remedy = finding->remedy && *finding->remedy;

	if (!is_full) {
		screen_paragraph(screen, TERM_PLAIN, price, "%s%s%s", finding->title, has_remedy ? " " : "",
				 has_remedy ? finding->remedy : "");
		return;
	}
	screen_paragraph(screen, TERM_WARNING, price, "%s", finding->title);
	for (size_t i = 0; i < finding->evidence_count; i++)
		screen_paragraph(screen, TERM_PLAIN, "", "%s", finding->evidence[i]);
	if (has_remedy)
		screen_paragraph(screen, TERM_GOOD, "", "%s", finding->remedy);
	screen_paragraph(screen, TERM_DIM, "", "(%s)", finding->id);
}

/* Findings beyond the first ones, by their titles. */
static void text_more_findings(struct screen *screen, const struct report *report, size_t shown)
{
	auto_done(words_done) struct words words = {};

	for (size_t i = shown; i < report->findings_count; i++) {
		const struct report_finding *finding = &report->findings[i];
		size_t length = strlen(finding->title);

		if (length && finding->title[length - 1] == '.')
			length--;
		words_add(&words, "%s%.*s", i > shown ? "; " : "", (int)length, finding->title);
		if (finding->cost_ns.state == KNOWN)
			words_add(&words, " (%s%s)", finding->is_estimated ? "~" : "",
				  fmt_duration(finding->cost_ns.value).text);
	}
	if (shown < report->findings_count)
		screen_paragraph(screen, TERM_PLAIN, "also", "%s", words_text(&words));
}

/* `most` are shown with their remedy, the rest by title; 0: all of them, with their evidence. */
void text_findings(struct screen *screen, const struct report *report, size_t most)
{
	size_t shown = most && most < report->findings_count ? most : report->findings_count;

	if (!report->findings_count)
		return;
	screen_blank(screen);
	screen_heading(screen, "Findings");
	for (size_t i = 0; i < shown; i++)
		text_finding(screen, &report->findings[i], !most);
	text_more_findings(screen, report, shown);
}
