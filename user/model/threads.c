#include "model/load.h"

#include <stdlib.h>
#include <string.h>

enum { COMM_BYTES = 15 };

uint32_t process_find_or_make(struct load *load, uint32_t pid, uint64_t time_ns)
{
	struct model_threads *threads = &load->model->threads;
	bool is_new;
	uint64_t *place = map_set(&threads->process_by_pid, pid, threads->processes.count, &is_new);

	if (!is_new)
		return (uint32_t)*place;
	*vec_push(&threads->processes) =
		(struct process){.pid = pid, .parent = NO_INDEX, .main_thread = NO_INDEX, .created_ns = time_ns};
	vec_push(&load->processes)->open_pause = NO_INDEX;
	return (uint32_t)*place;
}

static uint32_t process_begin(struct load *load, uint32_t pid, uint64_t time_ns)
{
	map_remove(&load->model->threads.process_by_pid, pid);
	return process_find_or_make(load, pid, time_ns);
}

static uint32_t thread_begin(struct load *load, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct model_threads *threads = &load->model->threads;
	uint32_t index = (uint32_t)threads->list.count;
	bool is_new;
	uint64_t *place = map_set(&threads->by_tid, tid, index, &is_new);
	uint32_t previous = is_new ? NO_INDEX : (uint32_t)*place;

	*place = index;
	*vec_push(&threads->list) = (struct thread){
		.pid = pid,
		.tid = tid,
		.process = process_find_or_make(load, pid, time_ns),
		.previous_life = previous,
		.creator = NO_INDEX,
		.fork_event = NO_INDEX,
		.last_name = NO_INDEX,
		.created_ns = time_ns,
	};
	*vec_push(&load->threads) = (struct thread_state){
		.read_event = NO_INDEX, .open_compilation = NO_INDEX, .open_collection = NO_INDEX};
	load->cache[tid % THREAD_CACHE_SLOTS].tid = tid;
	load->cache[tid % THREAD_CACHE_SLOTS].thread = index;

	struct process *process = &threads->processes.items[threads->list.items[index].process];

	if (tid == pid)
		process->main_thread = index;
	return index;
}

uint32_t threads_find(struct load *load, uint32_t tid)
{
	uint32_t slot = tid % THREAD_CACHE_SLOTS;

	if (tid && load->cache[slot].tid == tid)
		return load->cache[slot].thread;

	uint64_t *place = map_find(&load->model->threads.by_tid, tid);

	if (!place)
		return NO_INDEX;
	load->cache[slot].tid = tid;
	load->cache[slot].thread = (uint32_t)*place;
	return load->cache[slot].thread;
}

uint32_t threads_of_event(struct load *load, const struct event_header *event)
{
	uint32_t index = threads_find(load, event->tid);

	if (index != NO_INDEX) {
		const struct intervals *intervals = &load->model->threads.list.items[index].intervals;

		/* After its exit event a thread still wakes its parent and leaves the CPU a last time. */
		if (!load->threads.items[index].has_exited || intervals->count == 0 ||
		    intervals->items[intervals->count - 1].state != INTERVAL_ENDED)
			return index;
	}
	return thread_begin(load, event->pid, event->tid, event->time_ns);
}

static void name_thread(struct load *load, uint32_t thread, uint64_t time_ns, uint32_t name, bool is_java_name)
{
	struct model_threads *threads = &load->model->threads;
	uint32_t *place = is_java_name ? &threads->list.items[thread].java_name : &threads->list.items[thread].name;

	if (name == 0 || *place == name)
		return;
	*place = name;
	*vec_push(&threads->names) = (struct thread_name){.time_ns = time_ns,
							  .thread = thread,
							  .name = name,
							  .previous = threads->list.items[thread].last_name,
							  .is_java_name = is_java_name};
	threads->list.items[thread].last_name = (uint32_t)threads->names.count - 1;
}

static void on_exec(struct load *load, uint32_t thread, const struct event_exec *event)
{
	struct model *model = load->model;
	uint32_t process = model->threads.list.items[thread].process;
	struct process *of = &model->threads.processes.items[process];
	size_t length;
	const char *program = MODEL_TAIL(event, &length);
	const char *base = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;

	of->exec_ns = event->header.time_ns;
	of->program = strpool_add_text(&model->strings, program);
	if (of->parent_pid == 0)
		of->parent_pid = event->parent_pid;
	model->threads.list.items[thread].is_start_known = true;
	name_thread(load, thread, event->header.time_ns,
		    strpool_add(&model->strings, base, strnlen(base, COMM_BYTES)), false);
	mappings_on_exec(load, process);
}

static void on_fork(struct load *load, uint32_t parent, uint32_t index, const struct event_fork *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	bool is_process = event->child_pid != model->threads.list.items[parent].pid;

	if (is_process) {
		uint32_t parent_process = model->threads.list.items[parent].process;
		uint32_t child_process = process_begin(load, event->child_pid, time_ns);
		struct process *child = &model->threads.processes.items[child_process];

		child->parent = parent_process;
		child->parent_pid = model->threads.processes.items[parent_process].pid;
		child->program = model->threads.processes.items[parent_process].program;
		mappings_on_fork(load, parent_process, child_process);
	}

	uint32_t child = thread_begin(load, event->child_pid, event->child_tid, time_ns);
	struct thread *thread = &model->threads.list.items[child];

	thread->creator = parent;
	thread->fork_event = index;
	thread->is_start_known = true;
	name_thread(load, child, time_ns, model->threads.list.items[parent].name, false);
	schedule_on_fork(load, child, index, time_ns);
}

static void on_exit_event(struct load *load, uint32_t thread, const struct event_exit *event)
{
	struct model_threads *threads = &load->model->threads;
	struct thread *of = &threads->list.items[thread];

	of->ended_ns = event->header.time_ns;
	load->threads.items[thread].has_exited = true;
	if (event->is_last_thread) {
		struct process *process = &threads->processes.items[of->process];

		process->ended_ns = event->header.time_ns;
		process->exit_status = event->status;
	}
}

/* Java threads tell their name when they start; the probe may run on the thread that starts it, so the native id,
 * where it is given, says whose name it is. */
static void on_java_thread(struct load *load, uint32_t thread, const struct event_java_thread *event)
{
	size_t length;
	const char *name = MODEL_TAIL(event, &length);
	uint32_t named = event->native_tid ? threads_find(load, event->native_tid) : thread;

	if (named == NO_INDEX || load->model->threads.list.items[named].pid != event->header.pid)
		named = thread;
	load->model->threads.list.items[named].is_java = true;
	if (event->step == STEP_BEGIN)
		name_thread(load, named, event->header.time_ns, strpool_add(&load->model->strings, name, length),
			    true);
}

void threads_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_EXEC:
		on_exec(load, thread, (const struct event_exec *)event);
		break;
	case EVENT_FORK:
		on_fork(load, thread, index, (const struct event_fork *)event);
		break;
	case EVENT_EXIT:
		on_exit_event(load, thread, (const struct event_exit *)event);
		break;
	case EVENT_THREAD_NAME: {
		size_t length;
		const char *name = MODEL_TAIL((const struct event_thread_name *)event, &length);

		name_thread(load, thread, event->time_ns, strpool_add(&load->model->strings, name, length), false);
		break;
	}
	case EVENT_JAVA_THREAD:
		on_java_thread(load, thread, (const struct event_java_thread *)event);
		break;
	default:
		break;
	}
}

void threads_done(struct model *model)
{
	for vec_each(thread, &model->threads.list) {
		free(thread->intervals.items);
		free(thread->spans.items);
		free(thread->samples.items);
		free(thread->vm_waits.items);
	}
	vec_done(&model->threads.list);
	vec_done(&model->threads.processes);
	vec_done(&model->threads.names);
	map_done(&model->threads.by_tid);
	map_done(&model->threads.process_by_pid);
}

/* ---- questions ---- */

uint32_t model_thread_at(const struct model *model, uint32_t tid, uint64_t time_ns)
{
	uint64_t *place = map_find(&model->threads.by_tid, tid);
	uint32_t thread = place ? (uint32_t)*place : NO_INDEX;

	while (thread != NO_INDEX && model->threads.list.items[thread].created_ns > time_ns &&
	       model->threads.list.items[thread].previous_life != NO_INDEX)
		thread = model->threads.list.items[thread].previous_life;
	return thread;
}

uint32_t model_process_of(const struct model *model, uint32_t pid)
{
	uint64_t *place = map_find(&model->threads.process_by_pid, pid);

	return place ? (uint32_t)*place : NO_INDEX;
}

const char *model_thread_name(const struct model *model, uint32_t thread, uint64_t time_ns)
{
	const struct thread *of = &model->threads.list.items[thread];
	uint32_t entry = of->last_name;

	if (of->java_name)
		return model_text(model, of->java_name);
	while (entry != NO_INDEX && model->threads.names.items[entry].time_ns > time_ns &&
	       model->threads.names.items[entry].previous != NO_INDEX)
		entry = model->threads.names.items[entry].previous;
	return entry == NO_INDEX ? "" : model_text(model, model->threads.names.items[entry].name);
}

uint64_t model_thread_cpu_ns(const struct model *model, uint32_t thread, uint64_t start_ns, uint64_t end_ns)
{
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;
	uint64_t cpu_ns = 0;
	uint32_t first = model_interval_at(model, thread, start_ns);

	for (uint32_t i = first == NO_INDEX ? 0 : first; i < intervals->count; i++) {
		uint64_t from_ns = intervals->items[i].start_ns, to_ns = model_interval_end(model, thread, i);

		if (from_ns >= end_ns)
			break;
		if (intervals->items[i].state != INTERVAL_RUNNING)
			continue;
		if (from_ns < start_ns)
			from_ns = start_ns;
		if (to_ns > end_ns)
			to_ns = end_ns;
		cpu_ns += to_ns > from_ns ? to_ns - from_ns : 0;
	}
	return cpu_ns;
}
