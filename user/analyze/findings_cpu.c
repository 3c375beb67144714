/* Findings about the CPU: throttled, crowded, taken by compilers, and stopped for collections. */
#include "analyze/findings_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_threads.h"
#include "base/auto.h"

/* ---- cpu-throttled ---- */

static void tell_counters(const struct report_machine *machine, struct finding_draft *draft)
{
	int64_t periods = 0, throttled_periods = 0, throttled_ns = 0, seen_ns = 0;
	bool is_time_known = true;

	for (size_t i = 0; i < machine->cgroup_cpu_count; i++) {
		const struct report_cgroup_cpu *row = &machine->cgroup_cpu[i];

		periods += row->periods;
		throttled_periods += row->throttled_periods;
		throttled_ns += row->throttled_ns.value;
		seen_ns += row->seen_ns;
		is_time_known &= row->throttled_ns.state == KNOWN;
		if (strcmp(row->to, "first_request") == 0 && row->throttled_ns.state == KNOWN)
			finding_evidence(draft,
					 "From %s to the end of the first requests its own counters grew by %s throttled "
					 "of %s periods, and by %s that its CPUs' queues stood still.",
					 row->from, fmt_count(row->throttled_periods).text, fmt_count(row->periods).text,
					 fmt_duration(row->throttled_ns.value).text);
	}
	if (!periods)
		return;
	finding_evidence(draft,
			 "In the whole run they say: throttled in %s of %s periods%s%s; some thread was seen standing "
			 "still for %s.",
			 fmt_count(throttled_periods).text, fmt_count(periods).text, is_time_known ? ", for " : "",
			 is_time_known ? fmt_duration(throttled_ns).text : "", fmt_duration(seen_ns).text);
}

static void tell_quota(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report_machine *machine = &context->report->machine;

	if (machine->cpu_quota.state == KNOWN)
		finding_evidence(draft, "The cgroup's quota is %.2f CPUs on a machine that has %s.",
				 machine->cpu_quota.value, fmt_count(machine->cpus).text);
	tell_counters(machine, draft);
}

bool finding_cpu_throttled(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t throttled_ns = finding_cause_sum(context, CAUSE_CPU_THROTTLED);

	if (!finding_matters(context, throttled_ns))
		return false;
	finding_evidence(
		draft,
		"For %s of the %s of the first %s, its path stood still because the CPU quota was used up (%s).",
		fmt_duration(throttled_ns).text, fmt_duration(context->cold->latency_ns).text, context->cold->route,
		finding_share(context, throttled_ns));
	tell_quota(context, draft);
	finding_price(draft, throttled_ns, finding_cause_is_estimated(context, CAUSE_CPU_THROTTLED));
	finding_remedy(
		draft,
		"Give it more CPU while it starts: a higher limit (docker --cpus, resources.limits.cpu), or none "
		"until it "
		"is warm. Fewer compiler threads (-XX:CICompilerCount) spread the same work over a longer time.");
	return true;
}

/* ---- who had the CPU ---- */

struct displacer {
	const char *name;
	uint32_t pid;
	int64_t time_ns;
	bool is_of_tree;
	const char *role; /* of the service's own threads, else "" */
};

/* The thread that took the CPU from ours, else the one that ran there before ours did. */
static bool displacer_of(const struct finding_context *context, const struct tile *tile,
			 struct displacer *ret_displacer)
{
	const struct model *model = context->model;
	const struct event_header *event = model->events[tile->evidence];
	const struct thread *thread = &model->threads.list.items[tile->thread];
	uint32_t pid = 0, tid = 0, other;
	const char *name = "";

	if (event->kind == EVENT_SWITCH_OUT) {
		const struct event_switch_out *out = (const struct event_switch_out *)event;

		pid = out->next_pid;
		tid = out->next_tid;
		name = out->tail;
	} else if (tile->interval != NO_INDEX && tile->interval + 1 < thread->intervals.count) {
		uint32_t next = thread->intervals.items[tile->interval + 1].event;

		if (next == NO_INDEX || model->events[next]->kind != EVENT_SWITCH_IN)
			return false;
		pid = MODEL_EVENT(model, next, switch_in)->previous_pid;
		tid = MODEL_EVENT(model, next, switch_in)->previous_tid;
		name = MODEL_EVENT(model, next, switch_in)->tail;
	}
	if (tid == 0)
		return false; /* the CPU was idle and had to wake up */
	other = model_thread_at(model, tid, tile->start_ns);
	if (other != NO_INDEX && model->threads.list.items[other].pid != pid)
		other = NO_INDEX;
	*ret_displacer = (struct displacer){
		.name = other != NO_INDEX ? model_thread_name(model, other, tile->start_ns) : name,
		.pid = pid,
		.time_ns = (int64_t)(tile->end_ns - tile->start_ns),
		.is_of_tree = other != NO_INDEX,
		.role = other != NO_INDEX ? thread_role(model, other) : "",
	};
	return true;
}

struct displacers {
	VEC(struct displacer) list;
	int64_t of_tree_ns, of_others_ns, compilers_ns;
	int64_t of_us_ns; /* warmtrace's own: in none of the others */
};

/* The recorder is not of the tree; without it the request would not have waited for it. */
static bool is_recorder(const struct displacer *displacer)
{
	return !displacer->is_of_tree && strcmp(displacer->name, "warmtrace") == 0;
}

static int compare_displacers(const void *left, const void *right)
{
	const struct displacer *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void add_displacer(struct displacers *displacers, const struct displacer *displacer)
{
	bool is_compiler = strcmp(displacer->role, ROLE_C1) == 0 || strcmp(displacer->role, ROLE_C2) == 0;

	if (is_recorder(displacer)) {
		displacers->of_us_ns += displacer->time_ns;
		return;
	}
	*(displacer->is_of_tree ? &displacers->of_tree_ns : &displacers->of_others_ns) += displacer->time_ns;
	displacers->compilers_ns += is_compiler ? displacer->time_ns : 0;
	for vec_each(known, &displacers->list) {
		if (known->pid == displacer->pid && strcmp(known->name, displacer->name) == 0) {
			known->time_ns += displacer->time_ns;
			return;
		}
	}
	*vec_push(&displacers->list) = *displacer;
}

static void find_displacers(const struct finding_context *context, struct displacers *ret_displacers)
{
	if (!context->cold_path)
		return;
	for vec_each(tile, &context->cold_path->tiles) {
		struct displacer displacer;

		if (tile->cause == CAUSE_CPU_RUNNABLE && tile->thread != NO_INDEX &&
		    displacer_of(context, tile, &displacer))
			add_displacer(ret_displacers, &displacer);
	}
	if (ret_displacers->list.count)
		qsort(ret_displacers->list.items, ret_displacers->list.count, sizeof(struct displacer),
		      compare_displacers);
}

static void displacers_done(struct displacers *displacers)
{
	vec_done(&displacers->list);
}

/* ---- cpu-contention ---- */

static void tell_displacers(const struct finding_context *context, const struct displacers *displacers,
			    struct finding_draft *draft)
{
	enum { NAMED_MOST = 4 };
	const char *text = "";

	for (size_t i = 0; i < displacers->list.count && i < NAMED_MOST; i++)
		text = arena_format(context->arena, "%s%s%s (process %u) %s", text, i ? ", " : "",
				    displacers->list.items[i].name, displacers->list.items[i].pid,
				    fmt_duration(displacers->list.items[i].time_ns).text);
	if (*text)
		finding_evidence(
			draft, "Running instead: threads of the program %s, other programs %s; most of it %s.",
			fmt_duration(displacers->of_tree_ns).text, fmt_duration(displacers->of_others_ns).text, text);
	if (displacers->of_us_ns)
		finding_evidence(draft, "For another %s warmtrace itself had the CPU; that is not in the price.",
				 fmt_duration(displacers->of_us_ns).text);
}

bool finding_cpu_contention(const struct finding_context *context, struct finding_draft *draft)
{
	struct displacers displacers auto_done(displacers_done) = {};
	int64_t waited_ns = finding_cause_sum(context, CAUSE_CPU_RUNNABLE);

	find_displacers(context, &displacers);
	waited_ns -= displacers.of_us_ns;
	if (!finding_matters(context, waited_ns) || waited_ns < context->cold->latency_ns / 100 * LIMIT_BROAD_PERCENT)
		return false;
	finding_evidence(draft,
			 "For %s of the %s of the first %s, a thread on its path could have run and had no CPU (%s).",
			 fmt_duration(waited_ns).text, fmt_duration(context->cold->latency_ns).text,
			 context->cold->route, finding_share(context, waited_ns));
	tell_displacers(context, &displacers, draft);
	finding_price(draft, waited_ns, false);
	if (displacers.of_others_ns > displacers.of_tree_ns)
		finding_remedy(draft, "Keep the other programs off its CPUs, or measure on a quiet machine: what "
				      "they took says nothing "
				      "about this program.");
	else
		finding_remedy(
			draft,
			"Its own threads crowd %s CPUs: more CPUs while it starts, or fewer threads at that moment.",
			fmt_count(context->report->machine.cpus).text);
	return true;
}

/* ---- jit-starved ---- */

static int64_t compiler_cpu_ns(const struct finding_context *context)
{
	const struct model *model = context->model;
	int64_t cpu_ns = 0;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const char *role;

		if (model->threads.list.items[i].pid != context->report->run.main_pid)
			continue;
		role = thread_role(model, i);
		if (strcmp(role, ROLE_C1) == 0 || strcmp(role, ROLE_C2) == 0)
			cpu_ns += (int64_t)model_thread_cpu_ns(model, i, finding_cold_start(context),
							       finding_cold_end(context));
	}
	return cpu_ns;
}

bool finding_jit_starved(const struct finding_context *context, struct finding_draft *draft)
{
	struct displacers displacers auto_done(displacers_done) = {};
	const struct report_machine *machine = &context->report->machine;
	int64_t waits_ns = finding_cause_sum(context, CAUSE_JIT_WAIT), price_ns, cpu_ns;
	double cpus;

	if (!context->cold)
		return false;
	find_displacers(context, &displacers);
	price_ns = waits_ns + displacers.compilers_ns;
	if (!finding_matters(context, price_ns))
		return false;
	cpus = machine->cpu_quota.state == KNOWN ? machine->cpu_quota.value : (double)machine->cpus;
	cpu_ns = compiler_cpu_ns(context);
	if (waits_ns < price_ns / 2 &&
	    (double)cpu_ns < (double)context->cold->latency_ns * cpus / 100 * LIMIT_COMPILER_PERCENT)
		return false;
	finding_evidence(
		draft,
		"While the first %s was served, the compilers ran for %s and began %s; %.1f CPUs times %s were to be "
		"had.",
		context->cold->route, fmt_duration(cpu_ns).text,
		finding_plural(context, finding_count(&context->cold->counts, COUNT_COMPILATIONS), "compilation",
			       "compilations"),
		cpus, fmt_duration(context->cold->latency_ns).text);
	finding_evidence(draft,
			 "A thread on its path waited %s for a compiler to leave its CPU (this is part of all its "
			 "waiting for a "
			 "CPU), and %s for a compilation.",
			 fmt_duration(displacers.compilers_ns).text, fmt_duration(waits_ns).text);
	finding_price(draft, price_ns, false);
	finding_remedy(draft,
		       "More CPU while it starts; or compile less: try %s, which never uses the second compiler, and "
		       "mind what "
		       "it costs a warm service.",
		       launch_text_with(&context->launch, "-XX:TieredStopAtLevel=1", NULL, context->arena));
	return true;
}

/* ---- gc-in-first-request ---- */

/* Half of what the heap may grow to: an initial size that every heap allows. */
static const char *initial_heap_option(const struct finding_context *context)
{
	const struct maybe *heap = &context->report->runtime.max_heap;

	if (heap->state != KNOWN || heap->value < 2 * 1024 * 1024)
		return "-XX:InitialRAMPercentage=25";
	return arena_format(context->arena, "-Xms%ldm", (long)(heap->value / 2 / 1024 / 1024));
}

bool finding_gc_in_first_request(const struct finding_context *context, struct finding_draft *draft)
{
	const struct model *model = context->model;
	int64_t stopped_ns = finding_cause_sum(context, CAUSE_GC_PAUSE) + finding_cause_sum(context, CAUSE_GC_STALL);
	const struct maybe *heap = &context->report->runtime.max_heap;
	int64_t pauses = 0, pause_ns = 0;
	bool is_for_metadata = false;
	const char *name = "";

	if (!finding_matters(context, stopped_ns))
		return false;
	for vec_each(pause, &model->jvm.pauses) {
		const char *operation = model_text(model, pause->operation);

		if (!pause->is_collection || pause->start_ns >= finding_cold_end(context) ||
		    pause->end_ns <= finding_cold_start(context) ||
		    model->threads.processes.items[pause->process].pid != context->report->run.main_pid)
			continue;
		pauses++;
		pause_ns += (int64_t)(pause->end_ns - pause->start_ns);
		name = *operation ? operation : name;
		is_for_metadata |= strstr(operation, "Metadata") != NULL;
	}
	finding_evidence(draft, "The first %s was stopped for %s of collections, %s in all%s%s.",
			 context->cold->route, finding_plural(context, pauses, "pause", "pauses"),
			 fmt_duration(pause_ns).text, *name ? "; the last was " : "", name);
	finding_evidence(draft, "On its path they took %s of %s (%s).", fmt_duration(stopped_ns).text,
			 fmt_duration(context->cold->latency_ns).text, finding_share(context, stopped_ns));
	if (heap->state == KNOWN)
		finding_evidence(draft, "The heap may grow to %s.", fmt_bytes(heap->value).text);
	finding_price(draft, stopped_ns, false);
	if (is_for_metadata)
		finding_remedy(draft, "Class metadata passed its first threshold: raise it, e.g. %s",
			       launch_text_with(&context->launch, "-XX:MetaspaceSize=256m", NULL, context->arena));
	else
		finding_remedy(
			draft, "Let the heap begin larger, so that the start does not fill its young part: e.g. %s",
			launch_text_with(&context->launch, initial_heap_option(context), NULL, context->arena));
	return true;
}
