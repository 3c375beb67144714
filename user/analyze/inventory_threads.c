#include "analyze/inventory_threads.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_internal.h"
#include "base/auto.h"

/* The kernel keeps 15 bytes of a name; the entries are what is left of HotSpot's, JDK 8 to 26. Java threads of the
 * JVM's own housekeeping count as the VM's. */
static const struct name_role {
	const char *start, *role;
} name_roles[] = {
	{"C1 CompilerThre", ROLE_C1},
	{"C2 CompilerThre", ROLE_C2},
	{"C1 ", ROLE_C1},
	{"C2 ", ROLE_C2},
	{"JVMCI CompilerT", ROLE_C2},
	{"JVMCI-native Co", ROLE_C2},
	{"G1 ", ROLE_GC},
	{"GC Thread#", ROLE_GC},
	{"GC task thread#", ROLE_GC},
	{"Gang worker#", ROLE_GC},
	{"ParGC Thread#", ROLE_GC},
	{"Concurrent Mark", ROLE_GC},
	{"ZGC", ROLE_GC},
	{"ZDriver", ROLE_GC},
	{"ZDirector", ROLE_GC},
	{"ZStat", ROLE_GC},
	{"ZWorker", ROLE_GC},
	{"ZUncommitter", ROLE_GC},
	{"ZUnmapper", ROLE_GC},
	{"ZRuntimeWorker", ROLE_GC},
	{"RuntimeWorker#", ROLE_GC},
	{"ZWorkerYoung#", ROLE_GC},
	{"ZWorkerOld#", ROLE_GC},
	{"XDriver", ROLE_GC},
	{"XDirector", ROLE_GC},
	{"XStat", ROLE_GC},
	{"XWorker", ROLE_GC},
	{"XUncommitter", ROLE_GC},
	{"XUnmapper", ROLE_GC},
	{"Shenandoah", ROLE_GC},
	{"VM Thread", ROLE_VM},
	{"VM Periodic Tas", ROLE_VM},
	{"Signal Dispatch", ROLE_VM},
	{"Service Thread", ROLE_VM},
	{"Monitor Deflati", ROLE_VM},
	{"Notification Th", ROLE_VM},
	{"Attach Listener", ROLE_VM},
	{"Sweeper thread", ROLE_VM},
	{"Surrogate Locke", ROLE_VM},
	{"Reference Handl", ROLE_VM},
	{"Finalizer", ROLE_VM},
	{"Common-Cleaner", ROLE_VM},
	{"Cleaner-0", ROLE_VM},
	{"StringDedup", ROLE_VM},
	{"Native Heap Tri", ROLE_VM},
	{"AsyncLog Thread", ROLE_VM},
	{"PeriodicMetasp", ROLE_VM},
};

uint32_t java_main_thread(const struct model *model, uint32_t process)
{
	uint32_t pid = model->threads.processes.items[process].pid;

	if (!model->threads.processes.items[process].is_jvm)
		return NO_INDEX;
	for (struct event_walk walk = model_walk(model, EVENT_JVM_STATE); model_walk_next(&walk);) {
		const struct event_header *event = model->events[walk.index];

		if (event->pid == pid) {
			enum jvm_state state = (enum jvm_state)MODEL_EVENT(model, walk.index, jvm_state)->state;

			if (state == JVM_STATE_CREATE || state == JVM_STATE_INIT_BEGIN || state == JVM_STATE_INIT_END)
				return model_thread_at(model, event->tid, event->time_ns);
		}
	}
	return NO_INDEX;
}

bool thread_serves_requests(const struct model *model, uint32_t thread)
{
	for vec_each(request, &model->requests.list) {
		if (request->reader == thread || request->writer == thread)
			return true;
	}
	return false;
}

static const char *role_by_name(const char *name)
{
	for (size_t i = 0; i < array_length(name_roles); i++) {
		if (strncmp(name, name_roles[i].start, strlen(name_roles[i].start)) == 0)
			return name_roles[i].role;
	}
	return NULL;
}

/* Work that only Java threads do, for JVMs that do not tell which those are. */
static bool has_java_work(const struct thread *thread)
{
	for (size_t i = 0; i < thread->spans.count; i++) {
		switch ((enum span_kind)thread->spans.items[i].kind) {
		case SPAN_EXCEPTION:
		case SPAN_CLASS_LOAD:
		case SPAN_CLASS_INIT:
			return true;
		default:
			break;
		}
	}
	return false;
}

const char *thread_role(const struct model *model, uint32_t index)
{
	const struct thread *thread = &model->threads.list.items[index];
	const struct process *process = &model->threads.processes.items[thread->process];
	const char *name = model_text(model, thread->java_name ? thread->java_name : thread->name);
	const char *role;

	if (!process->is_jvm)
		return thread->tid == thread->pid ? ROLE_MAIN : ROLE_NATIVE;
	role = role_by_name(name);
	if (role)
		return role;
	if (thread->has_compiled)
		return ROLE_C2;
	if (thread->has_vm_operations)
		return ROLE_VM;
	if (thread->has_gc)
		return ROLE_GC;
	if (strcmp(model_text(model, thread->java_name), "main") == 0)
		return ROLE_MAIN;
	return thread->is_java || has_java_work(thread) ? ROLE_JAVA : ROLE_NATIVE;
}

static int compare_threads(const void *left, const void *right)
{
	const struct report_thread *a = left, *b = right;

	if (a->created_ns != b->created_ns)
		return a->created_ns < b->created_ns ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Marks in one walk what thread_serves_requests asks for one by one, and the main threads of JVMs. */
static void mark_threads(const struct model *model, uint8_t *serves, uint8_t *is_main)
{
	for vec_each(request, &model->requests.list) {
		if (request->reader != NO_INDEX)
			serves[request->reader] = 1;
		if (request->writer != NO_INDEX)
			serves[request->writer] = 1;
	}
	for (uint32_t i = 0; i < model->threads.processes.count; i++) {
		uint32_t thread = java_main_thread(model, i);

		if (thread != NO_INDEX)
			is_main[thread] = 1;
	}
}

void inventory_threads(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	size_t count = model->threads.list.count;
	struct arena scratch auto_done(arena_done) = {};
	uint8_t *serves = arena_array(&scratch, uint8_t, count), *is_main = arena_array(&scratch, uint8_t, count);
	VEC(struct report_thread) rows = {};

	mark_threads(model, serves, is_main);
	for (uint32_t i = 0; i < count; i++) {
		const struct thread *thread = &model->threads.list.items[i];
		struct report_thread *row = vec_push(&rows);
		const char *name = model_thread_name(model, i, thread->ended_ns ? thread->ended_ns : model->end_ns);
		const char *role = is_main[i] ? ROLE_MAIN : thread_role(model, i);
		uint64_t end_ns = thread->ended_ns ? thread->ended_ns : model->end_ns;

		if (serves[i] && (strcmp(role, ROLE_JAVA) == 0 || strcmp(role, ROLE_NATIVE) == 0))
			role = ROLE_REQUEST;
		*row = (struct report_thread){
			.pid = thread->pid,
			.tid = thread->tid,
			.name = arena_copy(&report->arena, name, strlen(name)),
			.role = role,
			.created_ns = time_from_exec(model, thread->created_ns),
		};
		if (thread->ended_ns)
			row->ended_ns = known(time_from_exec(model, thread->ended_ns));
		else
			row->ended_ns.state = NONE;
		if (model->threads.has_schedule && is_observed(model, "scheduling"))
			row->cpu_ns = known((int64_t)model_thread_cpu_ns(model, i, thread->created_ns, end_ns + 1));
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_threads);
	inventory_put(inventory, threads, &rows);
}
