#include "analyze/run_facts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyze/phases.h"
#include "analyze/tracing_cost.h"
#include "base/auto.h"
#include "base/fmt.h"
#include "base/text.h"
#include "model/snapshots.h"

static const char *event_kind_name(uint32_t kind)
{
	switch ((enum event_kind)kind) {
#define E(id, NAME, name, tail, doc)                                                                                 \
	case EVENT_##NAME:                                                                                           \
		return #name;
		EVENT_TABLE(E)
#undef E
	case EVENT_KIND_END:
		break;
	}
	return "other";
}

static const char *text_or(const struct model *model, const char *key, const char *other)
{
	const char *text = model_run_text(model, key, NULL);

	return text ? text : other;
}

static bool number_of(const struct model *model, const char *key, int64_t *ret_value)
{
	const char *text = model_run_text(model, key, NULL);
	char *end;

	if (!text || !*text)
		return false;

	long long value = strtoll(text, &end, 10);

	if (*end)
		return false;
	*ret_value = value;
	return true;
}

/* A list of NUL-separated texts. */
static const char *const *split(const char *text, size_t length, struct arena *arena, size_t *ret_count)
{
	size_t count = 0;

	for (const char *at = text; at < text + length; at += strlen(at) + 1)
		count++;

	const char **list = arena_array(arena, const char *, count + 1);

	*ret_count = 0;
	for (const char *at = text; at < text + length; at += strlen(at) + 1)
		list[(*ret_count)++] = at;
	return list;
}

/* ---- the run ---- */

static void fill_exit(const struct model *model, const struct process *process, struct report *report)
{
	const char *kind = model_run_text(model, "exit_kind", NULL);
	int64_t code = 0;

	report->run.exit_kind = EXIT_KIND_RUNNING;
	report->run.exit_oom.state = NONE;
	if (kind && strcmp(kind, "running") != 0) {
		report->run.exit_kind = strcmp(kind, "signal") == 0 ? EXIT_KIND_SIGNAL : EXIT_KIND_EXIT;
		number_of(model, "exit_code", &code);
		report->run.exit_code = (int)code;
	} else if (!kind && process->ended_ns) {
		bool is_signal = WIFSIGNALED((int)process->exit_status);

		report->run.exit_kind = is_signal ? EXIT_KIND_SIGNAL : EXIT_KIND_EXIT;
		report->run.exit_code =
			is_signal ? WTERMSIG((int)process->exit_status) : WEXITSTATUS((int)process->exit_status);
	}

	const char *by_us = model_run_text(model, "exit_by_us", NULL);

	report->run.exit_by_us =
		by_us ? strcmp(by_us, "1") == 0 || strcmp(by_us, "true") == 0 : model->texts.stop_signals.count > 0;
}

/* The last snapshot of a file of the cgroup, and its number under a key. */
static struct maybe cgroup_number_at(const struct model *model, enum proc_file file, const char *key, bool is_at_exec)
{
	struct maybe found = {.state = NONE};

	for vec_each(text, &model->texts.proc) {
		size_t key_length = strlen(key);

		if (text->file != file || (is_at_exec && text->moment != MOMENT_EXEC))
			continue;
		for (const char *line = text->text; line && *line;) {
			if (strncmp(line, key, key_length) == 0 && line[key_length] == ' ')
				found = (struct maybe){KNOWN, strtoll(line + key_length + 1, NULL, 10)};
			line = strchr(line, '\n');
			line = line ? line + 1 : NULL;
		}
	}
	return found;
}

static struct maybe cgroup_number(const struct model *model, enum proc_file file, const char *key)
{
	return cgroup_number_at(model, file, key, false);
}

/* Not every kernel's cgroups count each of these: version 1 knows oom_kill alone. What is not counted was not
 * observed. */
static struct maybe cgroup_event(const struct model *model, const char *key)
{
	struct maybe number = cgroup_number(model, PROC_FILE_MEMORY_STAT, key);

	return number.state == KNOWN ? number : (struct maybe){.state = ABSENT};
}

static void fill_machine(const struct model *model, struct report *report)
{
	const char *quota = model_run_text(model, "cpu_quota", NULL);
	int64_t limit = 0;
	/* The count is the cgroup's own, from whenever it was made. */
	int64_t oom_kills_before = cgroup_number_at(model, PROC_FILE_MEMORY_STAT, "oom_kill", true).value;

	report->machine.kernel = text_or(model, "kernel", "");
	report->machine.arch = text_or(model, "arch", "");
	number_of(model, "cpus", &report->machine.cpus);
	report->machine.cpu_quota.state = quota && *quota ? KNOWN : NONE;
	report->machine.cpu_quota.value = quota ? strtod(quota, NULL) : 0;
	report->machine.memory_limit = cgroup_number(model, PROC_FILE_MEMORY_STAT, "limit");
	if (report->machine.memory_limit.state == NONE && number_of(model, "memory_limit", &limit))
		report->machine.memory_limit = (struct maybe){KNOWN, limit};
	report->machine.cgroup_peak = cgroup_number(model, PROC_FILE_MEMORY_STAT, "peak");
	report->machine.cgroup_oom = cgroup_event(model, "oom");
	report->machine.cgroup_oom_kill = cgroup_event(model, "oom_kill");
	report->machine.cgroup_max = cgroup_event(model, "max");
	if (report->run.exit_kind == EXIT_KIND_SIGNAL && report->run.exit_code == SIGKILL &&
	    !report->run.exit_by_us && report->machine.cgroup_oom_kill.state == KNOWN &&
	    report->machine.cgroup_oom_kill.value > oom_kills_before)
		report->run.exit_oom = (struct maybe_text){KNOWN, "cgroup"};
}

/* ---- losses, observed, events ---- */

static void fill_losses(const struct model *model, struct report *report)
{
	const struct model_texts *texts = &model->texts;
	int64_t by_kind[EVENT_KIND_END] = {};
	struct named_value *kinds = arena_array(&report->arena, struct named_value, EVENT_KIND_END);
	struct report_loss_span *spans =
		arena_array(&report->arena, struct report_loss_span, texts->losses.count + 1);

	for vec_each(loss, &texts->losses) {
		report->lost_events += (int64_t)loss->count;
		by_kind[loss->kind < EVENT_KIND_END ? loss->kind : 0] += (int64_t)loss->count;
		spans[report->losses_by_span_count++] = (struct report_loss_span){
			.start_ns = (int64_t)(loss->start_ns - model->exec_ns),
			.end_ns = (int64_t)(loss->end_ns - model->exec_ns),
			.events = (int64_t)loss->count,
		};
	}
	by_kind[0] += (int64_t)model->file_state.dropped_events;
	report->lost_events += (int64_t)model->file_state.dropped_events;
	for (uint32_t kind = 0; kind < EVENT_KIND_END; kind++) {
		if (by_kind[kind])
			kinds[report->losses_by_kind_count++] =
				(struct named_value){event_kind_name(kind), by_kind[kind]};
	}
	report->losses_by_kind = kinds;
	report->losses_by_span = spans;
}

/* Causes that no run can show, however much of it is seen. */
static const struct report_observed never_observed[] = {
	{"cpu.stolen", "no", "the kernel counts what a hypervisor takes for the whole machine only: a note says how much"},
	{"jit.deopt", "no", "HotSpot has no place where a deoptimisation's end can be seen: they are counted"},
};

static void fill_observed(const struct model *model, struct report *report)
{
	static const char *const states[] = {
		[OBSERVED_NO] = "no", [OBSERVED_YES] = "yes", [OBSERVED_PARTLY] = "partly"};
	size_t count = model->texts.observed.count;
	struct report_observed *list =
		arena_array(&report->arena, struct report_observed, count + array_length(never_observed));

	for (size_t i = 0; i < count; i++) {
		const struct observed *observed = &model->texts.observed.items[i];

		list[i] = (struct report_observed){
			.what = observed->what,
			.state = (unsigned int)observed->state <= OBSERVED_PARTLY ? states[observed->state] : "no",
			.why = observed->state == OBSERVED_YES ? NULL : observed->why,
		};
	}
	/* A recording that says nothing of what was observed (a made-up one) is not made to. */
	for (size_t i = 0; i < array_length(never_observed) && model->texts.observed.count; i++)
		list[count++] = never_observed[i];
	report->observed = list;
	report->observed_count = count;
}

static void fill_events(const struct model *model, struct report *report)
{
	struct named_value *kinds = arena_array(&report->arena, struct named_value, EVENT_KIND_END);
	int64_t cost_ns = 0;

	for (uint32_t kind = 0; kind < EVENT_KIND_END; kind++) {
		int64_t count = (int64_t)model->kind_counts[kind];

		if (count == 0)
			continue;
		report->events_total += count;
		cost_ns += count * tracing_cost_of_kind_ns((enum event_kind)kind);
		kinds[report->events_by_kind_count++] = (struct named_value){event_kind_name(kind), count};
	}
	report->events_by_kind = kinds;
	report->overhead_estimated_ns = (struct maybe){KNOWN, cost_ns};

	const char *ratio = model_run_text(model, "measured_ratio", NULL);

	if (ratio)
		report->overhead_measured_ratio = (struct maybe_real){KNOWN, strtod(ratio, NULL)};
}

void analyze_run(const struct model *model, struct report *report)
{
	const struct process *main = &model->threads.processes.items[main_process_of(model)];
	int64_t pid = 0;
	size_t length = 0;
	const char *command = model_run_text(model, "command", &length);

	report->tool_version = text_or(model, "tool_version", "");
	if (command)
		report->run.command = split(command, length, &report->arena, &report->run.command_count);
	if (!number_of(model, "pid", &pid) && model->threads.processes.count)
		pid = model->threads.processes.items[0].pid;
	report->run.pid = (uint32_t)pid;
	report->run.main_pid = main->pid;
	number_of(model, "start_realtime_ns", &report->run.start_realtime_ns);
	report->run.wall_ns = (int64_t)(model->end_ns - model->exec_ns);
	report->run.user = text_or(model, "user", "");
	fill_exit(model, main, report);
	fill_machine(model, report);
	fill_losses(model, report);
	fill_observed(model, report);
	fill_events(model, report);
}

/* ---- runtime ---- */

static const struct file *archive_of_classes(const struct model *model, const char *suffix)
{
	const struct file *best = NULL;

	for vec_each(file, &model->files.list) {
		if (text_ends_with(model_text(model, file->path), suffix) &&
		    (!best || (file->is_mapped && !best->is_mapped)))
			best = file;
	}
	return best;
}

static struct maybe_text process_text(const struct model *model, uint32_t pid, const char *key)
{
	const char *text = model_process_text(model, pid, key);

	return (struct maybe_text){text ? KNOWN : ABSENT, text};
}

static const char *argument_value(const struct report *report, const char *prefix)
{
	const char *value = NULL;

	for (size_t i = 0; i < report->runtime.argument_count; i++) {
		if (strncmp(report->runtime.arguments[i], prefix, strlen(prefix)) == 0)
			value = report->runtime.arguments[i] + strlen(prefix);
	}
	return value;
}

void analyze_runtime(const struct model *model, struct report *report)
{
	const struct process *process = &model->threads.processes.items[main_process_of(model)];
	struct report_runtime *runtime = &report->runtime;
	char key[64];
	size_t length = 0;

	runtime->kind = process->is_jvm ? "hotspot" : "native";
	runtime->cds_archive.state = runtime->aot_requested.state = runtime->aot_reason.state = NONE;
	runtime->cds_mapped = runtime->aot_mapped = (struct maybe){.state = NONE};
	runtime->version.state = runtime->vendor.state = runtime->gc.state = NONE;
	runtime->max_heap.state = NONE;
	if (!process->is_jvm)
		return;
	runtime->version = process_text(model, process->pid, "version");
	runtime->vendor = process_text(model, process->pid, "vendor");
	runtime->gc = process_text(model, process->pid, "gc");

	struct maybe_text heap = process_text(model, process->pid, "max_heap");

	runtime->max_heap =
		heap.text ? (struct maybe){KNOWN, strtoll(heap.text, NULL, 10)} : (struct maybe){.state = ABSENT};
	snprintf(key, sizeof(key), "jvm.%u.arguments", process->pid);

	const char *arguments = model_run_text(model, key, &length);

	if (arguments)
		runtime->arguments = split(arguments, length, &report->arena, &runtime->argument_count);

	const struct file *cds = archive_of_classes(model, ".jsa"), *aot = archive_of_classes(model, ".aot");
	const char *requested = argument_value(report, "-XX:AOTCache=");

	runtime->cds_mapped = (struct maybe){KNOWN, cds && cds->is_mapped};
	runtime->aot_mapped = (struct maybe){KNOWN, aot && aot->is_mapped};
	if (cds)
		runtime->cds_archive = (struct maybe_text){KNOWN, model_text(model, cds->path)};
	if (requested)
		runtime->aot_requested = (struct maybe_text){KNOWN, requested};
	if (requested && !runtime->aot_mapped.value)
		runtime->aot_reason = (struct maybe_text){KNOWN, aot ? "the JVM opened it and did not map it"
								     : "the JVM did not open it"};
}

/* ---- notes ---- */

enum { NOTES_MAX = 64 };

static void note(struct report *report, const char **notes, const char *text)
{
	if (report->note_count < NOTES_MAX)
		notes[report->note_count++] = text;
}

/* A hundredth of the time is what a shared machine may lose all the time. */
static void note_stolen(const struct model *model, struct report *report, const char **notes)
{
	uint64_t start_ns, ready_ns, first_ns, end_ns;

	if (!model_stolen_ns(model, MOMENT_EXEC, &start_ns) || !model_stolen_ns(model, MOMENT_EXIT, &end_ns) ||
	    end_ns < start_ns || (int64_t)(end_ns - start_ns) < report->run.wall_ns / 100)
		return;

	const char *first = "";

	if (model_stolen_ns(model, MOMENT_READY, &ready_ns) && model_stolen_ns(model, MOMENT_FIRST_REQUEST, &first_ns) &&
	    first_ns >= ready_ns)
		first = arena_format(&report->arena, ", %s of it from when it was ready to the first answer",
				     fmt_duration((int64_t)(first_ns - ready_ns)).text);
	note(report, notes,
	     arena_format(&report->arena,
			  "The hypervisor took %s from this machine's CPUs during the run%s: whatever ran then looks longer.",
			  fmt_duration((int64_t)(end_ns - start_ns)).text, first));
}

static void note_page_cache(struct report *report, const char **notes)
{
	const struct report_page_cache *cache = &report->page_cache;

	if (!cache->state || strcmp(cache->state, "warm") == 0)
		return;
	note(report, notes,
	     arena_format(&report->arena,
			  "The page cache was %s: %s of the %s of files that the command names were in memory at exec%s.",
			  strcmp(cache->state, "cold") == 0 ? "cold" : "warm in part only",
			  fmt_bytes(cache->resident).text, fmt_bytes(cache->size).text,
			  cache->was_dropped ? ", after --drop-caches" : ""));
}

void analyze_notes(const struct model *model, struct report *report)
{
	const char **notes = arena_array(&report->arena, const char *, NOTES_MAX);
	const struct model_file_state *state = &model->file_state;
	uint64_t held_ns = 0;

	report->notes = notes;
	if (report->lost_events)
		note(report, notes,
		     arena_format(&report->arena, "%lld events were lost: counts and sums are lower bounds.",
				  (long long)report->lost_events));
	if (state->is_cut)
		note(report, notes, "The recording is cut: what came after its last whole part is missing.");
	if (state->damaged_bytes)
		note(report, notes,
		     arena_format(&report->arena, "%llu bytes of the recording are damaged and were left out.",
				  (unsigned long long)state->damaged_bytes));
	if (state->unknown_events)
		note(report, notes,
		     arena_format(&report->arena, "%llu records are of kinds that this version does not know.",
				  (unsigned long long)state->unknown_events));
	/* A short program can run from its exec to its end without leaving its CPU. */
	if (!model->threads.has_schedule &&
	    (model->requests.list.count || model_observed(model, "scheduling") != OBSERVED_YES))
		note(report, notes, "No scheduling records: where the time of requests went cannot be told.");

	note_stolen(model, report, notes);
	note_page_cache(report, notes);
	if (model->is_attached)
		note(report, notes, "The program was running when recording began: times are from then.");
	for vec_each(hold, &model->texts.holds)
		held_ns += hold->end_ns - hold->start_ns;
	if (held_ns)
		note(report, notes,
		     arena_format(
			     &report->arena,
			     "Processes were held for %s while probes were attached; that time is taken off.",
			     fmt_duration((int64_t)held_ns).text));
	for vec_each(text, &model->texts.run) {
		if (strcmp(text->key, "note") == 0 && *text->value)
			note(report, notes, text->value);
	}
}
