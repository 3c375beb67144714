/* Everything that happened, handed out piece by piece, for tools that draw it themselves. */
#include "analyze/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/span_title.h"
#include "model/model.h"

struct walk {
	const struct model *model;
	const struct timeline_visitor *visitor;
	uint64_t start_ns, end_ns;
	struct arena scratch;
};

uint64_t timeline_exec_ns(const struct model *model)
{
	return model->exec_ns;
}

static struct timeline_thread thread_of(const struct walk *walk, uint32_t thread, uint64_t time_ns)
{
	const struct thread *of = &walk->model->threads.list.items[thread];

	return (struct timeline_thread){of->pid, of->tid, model_thread_name(walk->model, thread, time_ns)};
}

/* ---- spans ---- */

/* Texts are for one call only: a long walk must not keep them all. */
static const char *title_of(struct walk *walk, const struct span *span)
{
	if (walk->scratch.total_bytes > 1 << 20)
		arena_done(&walk->scratch);
	return span_title(walk->model, span, &walk->scratch);
}

enum { OPEN_MAX = 128 };

static void walk_spans(struct walk *walk, uint32_t index)
{
	const struct spans *spans = &walk->model->threads.list.items[index].spans;
	struct timeline_thread thread = thread_of(walk, index, walk->model->end_ns);
	uint64_t open_ends[OPEN_MAX];
	size_t open = 0;

	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->items[i];
		uint64_t start_ns = span->start_ns > walk->start_ns ? span->start_ns : walk->start_ns;
		uint64_t end_ns = span->end_ns < walk->end_ns ? span->end_ns : walk->end_ns;

		if (span->start_ns >= walk->end_ns)
			break;
		if (span->end_ns < walk->start_ns || open == OPEN_MAX)
			continue;
		while (open && open_ends[open - 1] <= start_ns)
			walk->visitor->end(walk->visitor->context, &thread, open_ends[--open]);
		walk->visitor->begin(walk->visitor->context, &thread, start_ns, span_flame_kind(span),
				     title_of(walk, span));
		if (open && end_ns > open_ends[open - 1])
			end_ns = open_ends[open - 1];
		open_ends[open++] = end_ns;
	}
	while (open)
		walk->visitor->end(walk->visitor->context, &thread, open_ends[--open]);
}

/* ---- scheduling ---- */

enum { CPUS_MAX = 4096 };

/* Both sides of one switch are recorded where both threads are of the tree: the second says nothing new. */
struct last_switch {
	uint64_t time_ns;
	uint32_t next_tid;
};

static struct timeline_thread other_thread(const struct walk *walk, uint32_t pid, uint32_t tid, const char *name,
					   uint64_t time_ns)
{
	uint32_t thread = tid ? model_thread_at(walk->model, tid, time_ns) : NO_INDEX;

	if (thread != NO_INDEX && walk->model->threads.list.items[thread].pid == pid)
		return thread_of(walk, thread, time_ns);
	return (struct timeline_thread){pid, tid, tid ? name : "swapper"};
}

static void give_switch(struct walk *walk, struct last_switch *lasts, const struct timeline_switch *sched)
{
	struct last_switch *last = &lasts[sched->cpu % CPUS_MAX];

	if (last->time_ns == sched->time_ns && last->next_tid == sched->next.tid)
		return;
	*last = (struct last_switch){sched->time_ns, sched->next.tid};
	walk->visitor->switched(walk->visitor->context, sched);
}

static void walk_scheduling_event(struct walk *walk, struct last_switch *lasts, const struct event_header *event)
{
	uint64_t time_ns = event->time_ns;
	struct timeline_thread own = other_thread(walk, event->pid, event->tid, "", time_ns);

	if (event->kind == EVENT_SWITCH_OUT) {
		const struct event_switch_out *out = (const struct event_switch_out *)event;

		give_switch(walk, lasts,
			    &(struct timeline_switch){
				    time_ns, event->cpu, own,
				    other_thread(walk, out->next_pid, out->next_tid, out->tail, time_ns),
				    out->state});
	} else if (event->kind == EVENT_SWITCH_IN) {
		const struct event_switch_in *in = (const struct event_switch_in *)event;

		give_switch(walk, lasts,
			    &(struct timeline_switch){
				    time_ns, event->cpu,
				    other_thread(walk, in->previous_pid, in->previous_tid, in->tail, time_ns), own,
				    in->previous_state});
	} else if (event->kind == EVENT_WAKE) {
		const struct event_wake *wake = (const struct event_wake *)event;

		walk->visitor->woke(
			walk->visitor->context,
			&(struct timeline_wake){time_ns, event->cpu,
						other_thread(walk, event->pid, event->tid, wake->tail, time_ns),
						other_thread(walk, wake->target_pid, wake->target_tid, "", time_ns)});
	}
}

static void walk_scheduling(struct walk *walk)
{
	struct last_switch *lasts = calloc(CPUS_MAX, sizeof(*lasts));

	if (!lasts)
		memory_exhausted();
	for (uint32_t i = model_first_event_at(walk->model, walk->start_ns);
	     i < walk->model->event_count && walk->model->events[i]->time_ns < walk->end_ns; i++)
		walk_scheduling_event(walk, lasts, walk->model->events[i]);
	free(lasts);
}

/* ---- the whole ---- */

static const char *process_name(const struct model *model, const struct process *process)
{
	const char *program = model_text(model, process->program);
	const char *slash = strrchr(program, '/');

	if (*program)
		return slash ? slash + 1 : program;
	return process->main_thread == NO_INDEX ? "" : model_thread_name(model, process->main_thread, model->end_ns);
}

void timeline_walk(const struct model *model, const struct report *report, int phase,
		   const struct timeline_visitor *visitor)
{
	struct walk walk = {.model = model, .visitor = visitor};
	bool is_first = true;

	for (size_t i = 0; i < report->phases_count; i++) {
		if (phase != FLAME_ALL_PHASES && (int)report->phases[i].phase != phase)
			continue;
		if (is_first)
			walk.start_ns = model->exec_ns + (uint64_t)report->phases[i].start_ns;
		is_first = false;
		walk.end_ns = model->exec_ns + (uint64_t)report->phases[i].end_ns;
	}
	for vec_each(process, &model->threads.processes)
		visitor->process(visitor->context, process->pid, process->parent_pid, process_name(model, process));
	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		struct timeline_thread thread = thread_of(&walk, i, model->end_ns);

		visitor->thread(visitor->context, &thread);
		walk_spans(&walk, i);
	}
	walk_scheduling(&walk);
	arena_done(&walk.scratch);
}
