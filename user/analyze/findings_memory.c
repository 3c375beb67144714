/* Findings about memory: touching new heap, what lies outside of it, and running out. */
#include "analyze/findings_internal.h"

#include <string.h>

/* ---- heap-first-touch ---- */

struct heap_faults {
	int64_t early, early_ns; /* before main */
	int64_t in_cold;
};

static struct heap_faults count_heap_faults(const struct finding_context *context)
{
	const struct model *model = context->model;
	struct heap_faults faults = {};

	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		const struct event_fault *fault = MODEL_EVENT(model, model->mappings.faults.items[i], fault);
		enum phase phase;

		if (model->mappings.fault_kinds.items[i] != REGION_HEAP || fault->is_major)
			continue;
		phase = phase_of_time(context->report, model, fault->header.time_ns);
		if (phase == PHASE_LAUNCH || phase == PHASE_VM_INIT) {
			faults.early++;
			faults.early_ns += (int64_t)fault->duration_ns;
		}
		faults.in_cold += context->cold && fault->header.time_ns >= finding_cold_start(context) &&
				  fault->header.time_ns < finding_cold_end(context) &&
				  fault->header.pid == context->report->run.main_pid;
	}
	return faults;
}

static bool is_pre_touch(void *context, const char *argument)
{
	(void)context;
	return strcmp(argument, "-XX:+AlwaysPreTouch") == 0;
}

bool finding_heap_first_touch(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t path_ns = finding_cause_sum(context, cause_fault(false, MAPPING_HEAP));
	struct heap_faults faults = count_heap_faults(context);
	bool is_asked_for = jvm_each_argument(context->model, context->report->run.main_pid, is_pre_touch, NULL);

	if (finding_matters(context, path_ns)) {
		finding_evidence(draft,
				 "During the first %s, %s pages of the Java heap were touched for the first time; on "
				 "its path the "
				 "faults took %s of %s (%s).",
				 context->cold->route, fmt_count(faults.in_cold).text, fmt_duration(path_ns).text,
				 fmt_duration(context->cold->latency_ns).text, finding_share(context, path_ns));
		finding_price(draft, path_ns, false);
		finding_remedy(draft,
			       "Let the start pay for it: %s touches the initial heap before main begins (give it a "
			       "size with "
			       "-Xms), at the price of a longer start and of the memory.",
			       launch_text_with(&context->launch, "-XX:+AlwaysPreTouch", NULL, context->arena));
		return true;
	}
	if (faults.early < LIMIT_TOUCH_FAULTS)
		return false;
	finding_evidence(
		draft, "%s pages of the Java heap were touched before the program's own code began%s.",
		fmt_count(faults.early).text,
		context->report->faults.duration_ns.state == KNOWN
			? arena_format(context->arena, ", in %s of faults", fmt_duration(faults.early_ns).text)
			: "");
	if (is_asked_for)
		finding_evidence(draft, "-XX:+AlwaysPreTouch asks for it.");
	finding_remedy(
		draft,
		"Where the start matters more than the first requests, take -XX:+AlwaysPreTouch out or begin with a "
		"smaller -Xms; large pages (-XX:+UseTransparentHugePages) make the same touch far cheaper.");
	return true;
}

/* ---- memory-outside-heap ---- */

static const struct report_memory *last_memory(const struct finding_context *context)
{
	const struct report *report = context->report;

	return report->memory_count ? &report->memory[report->memory_count - 1] : NULL;
}

static int64_t heap_rss(const struct report_memory *memory)
{
	for (size_t i = 0; i < memory->by_kind_count; i++) {
		if (memory->by_kind[i].kind == MAPPING_HEAP)
			return memory->by_kind[i].rss;
	}
	return 0;
}

static const char *largest_kinds(const struct finding_context *context, const struct report_memory *memory)
{
	enum { NAMED_MOST = 4 };
	const char *text = "";
	int64_t below = INT64_MAX;

	for (int named = 0; named < NAMED_MOST; named++) {
		const struct report_memory_kind *most = NULL;

		for (size_t i = 0; i < memory->by_kind_count; i++) {
			const struct report_memory_kind *kind = &memory->by_kind[i];

			if (kind->kind != MAPPING_HEAP && kind->rss < below && kind->rss > 0 &&
			    (!most || kind->rss > most->rss))
				most = kind;
		}
		if (!most)
			break;
		below = most->rss;
		text = arena_format(context->arena, "%s%s%s %s", text, named ? ", " : "",
				    mapping_kind_name(most->kind), fmt_bytes(most->rss).text);
	}
	return text;
}

bool finding_memory_outside_heap(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report_memory *memory = last_memory(context);
	const struct report_machine *machine = &context->report->machine;
	const struct maybe *heap = &context->report->runtime.max_heap;
	int64_t outside, most;
	bool can_exceed;

	/* Where the heap's place is not known, everything would seem to lie outside of it. */
	if (!memory || heap_rss(memory) == 0)
		return false;
	outside = memory->rss - heap_rss(memory);
	most = heap->state == KNOWN ? heap->value + outside : 0;
	can_exceed =
		machine->memory_limit.state == KNOWN && heap->state == KNOWN && most > machine->memory_limit.value;
	if (!can_exceed && (outside < memory->rss / 100 * LIMIT_OUTSIDE_PERCENT ||
			    outside < (int64_t)LIMIT_OUTSIDE_MIB * 1024 * 1024))
		return false;
	finding_evidence(draft, "Of %s resident, %s are Java heap and %s are not: %s.", fmt_bytes(memory->rss).text,
			 fmt_bytes(heap_rss(memory)).text, fmt_bytes(outside).text, largest_kinds(context, memory));
	if (can_exceed) {
		int64_t fits = (machine->memory_limit.value - outside) / 1024 / 1024;

		finding_evidence(draft,
				 "The heap may grow to %s; with what lies outside that is %s, above the limit of %s.",
				 fmt_bytes(heap->value).text, fmt_bytes(most).text,
				 fmt_bytes(machine->memory_limit.value).text);
		if (fits > 0)
			finding_remedy(draft, "Leave room for it: %s, or a higher limit.",
				       launch_text_with(&context->launch,
							arena_format(context->arena, "-Xmx%ldm", (long)fits), NULL,
							context->arena));
		else
			finding_remedy(draft, "What lies outside the heap is already above the limit: raise it.");
	} else {
		finding_remedy(
			draft,
			"Size the container by the whole, not by -Xmx; let the JVM say what it holds: %s and jcmd "
			"PID "
			"VM.native_memory.",
			launch_text_with(&context->launch, "-XX:NativeMemoryTracking=summary", NULL, context->arena));
	}
	return true;
}

/* ---- oom-killed ---- */

static void tell_oom_remedy(const struct finding_context *context, const char *kind, struct finding_draft *draft)
{
	const struct report_machine *machine = &context->report->machine;
	const struct report_memory *memory = last_memory(context);
	int64_t outside = memory && heap_rss(memory) ? memory->rss - heap_rss(memory) : 0, fits = 0;

	if (strcmp(kind, "direct") == 0) {
		finding_remedy(
			draft, "Direct buffers ran out: find who keeps them, or allow more, e.g. %s",
			launch_text_with(&context->launch, "-XX:MaxDirectMemorySize=512m", NULL, context->arena));
		return;
	}
	if (strcmp(kind, "threads") == 0) {
		finding_remedy(draft, "No more threads could be made: look for a pool without a bound, and at the "
				      "limits of the user and "
				      "of the cgroup (ulimit -u, pids.max).");
		return;
	}
	if (machine->memory_limit.state == KNOWN && outside)
		fits = (machine->memory_limit.value - outside) / 1024 / 1024;
	if (fits > 0)
		finding_remedy(draft, "Raise the limit, or leave room for what lies outside the heap: %s",
			       launch_text_with(&context->launch,
						arena_format(context->arena, "-Xmx%ldm", (long)fits), NULL,
						context->arena));
	else
		finding_remedy(
			draft,
			"Raise the memory limit, or make the heap smaller (-Xmx) so that the rest fits beside it.");
}

bool finding_oom_killed(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report_run *run = &context->report->run;
	const struct report_machine *machine = &context->report->machine;
	const struct report_memory *memory = last_memory(context);

	if (run->exit_oom.state != KNOWN)
		return false;
	if (strcmp(run->exit_oom.text, "cgroup") == 0)
		finding_evidence(draft,
				 "It was killed by signal 9, and the cgroup's count of such kills went up by %s.",
				 fmt_count(machine->cgroup_oom_kill.value).text);
	else
		finding_evidence(draft, "It ended with %s %d after an OutOfMemoryError for %s.",
				 run->exit_kind == EXIT_KIND_SIGNAL ? "signal" : "status", run->exit_code,
				 strcmp(run->exit_oom.text, "threads") == 0 ? "a thread that could not be made"
									    : "direct memory");
	if (machine->memory_limit.state == KNOWN && machine->cgroup_peak.state == KNOWN)
		finding_evidence(draft, "The limit is %s, the peak was %s.",
				 fmt_bytes(machine->memory_limit.value).text,
				 fmt_bytes(machine->cgroup_peak.value).text);
	if (memory)
		finding_evidence(
			draft,
			"When it was last looked at (%s), %s were resident, %s of them Java heap; beside it %s.",
			memory->at, fmt_bytes(memory->rss).text, fmt_bytes(heap_rss(memory)).text,
			largest_kinds(context, memory));
	tell_oom_remedy(context, run->exit_oom.text, draft);
	return true;
}
