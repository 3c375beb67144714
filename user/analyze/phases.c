#include "analyze/phases.h"

#include <string.h>

#include "analyze/counts.h"
#include "analyze/detail.h"
#include "base/fmt.h"

enum { MILESTONE_COUNT_MAX = 8 };

static int64_t from_exec(const struct model *model, uint64_t time_ns)
{
	return (int64_t)(time_ns - model->exec_ns);
}

const struct request *first_answered(const struct model *model)
{
	const struct request *first = NULL;

	for vec_each(request, &model->requests.list) {
		if (request->is_complete && !request->is_handshake && (!first || request->end_ns < first->end_ns))
			first = request;
		if (first && request->arrival_ns > first->end_ns)
			break;
	}
	return first;
}

static const struct request *first_arrived(const struct model *model)
{
	for vec_each(request, &model->requests.list) {
		if (request->is_complete && !request->is_handshake)
			return request;
	}
	return NULL;
}

uint32_t main_process_of(const struct model *model)
{
	const struct request *first = first_answered(model);
	uint32_t pid = 0;

	if (first && first->writer != NO_INDEX)
		return model->threads.list.items[first->writer].process;
	for (uint32_t i = 0; i < model->threads.processes.count; i++) {
		if (model->threads.processes.items[i].is_jvm)
			return i;
	}

	const char *text = model_run_text(model, "pid", NULL);

	for (; text && *text >= '0' && *text <= '9'; text++)
		pid = pid * 10 + (uint32_t)(*text - '0');

	uint32_t command = pid ? model_process_of(model, pid) : NO_INDEX;

	return command == NO_INDEX ? 0 : command;
}

/* ---- the main class ---- */

static bool is_of_jdk(const char *name)
{
	static const char *const prefixes[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/", "[", "apple/"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/* When the program's own class begins to run: its static initialiser, or else its loading, on the launcher's way.
 * Without the class's name in hand it is the first one that is not of the JDK, once the VM stands. */
static const struct event_header *find_main_class(const struct model *model, const struct process *process,
						  const char **ret_name)
{
	uint64_t from_ns = process->jvm_init_end_ns ? process->jvm_init_end_ns : process->jvm_create_ns;

	if (!process->is_jvm || from_ns == 0)
		return NULL;
	for vec_each(class, &model->jvm.classes) {
		const char *name = model_text(model, class->name);

		if (class->loaded_ns < from_ns || model->threads.list.items[class->thread].pid != process->pid ||
		    is_of_jdk(name))
			continue;
		*ret_name = name;
		return model->events[class->event];
	}
	return NULL;
}

/* The command names its main class itself, unless it starts a jar. */
static bool is_in_command(const struct model *model, const char *dotted)
{
	size_t length;
	const char *command = model_run_text(model, "command", &length);

	for (const char *at = command; command && at < command + length; at += strlen(at) + 1) {
		if (strcmp(at, dotted) == 0)
			return true;
	}
	return false;
}

/* ---- milestones ---- */

struct marks {
	struct report_milestone list[MILESTONE_COUNT_MAX];
	size_t count;
};

static void mark(struct marks *marks, const char *name, int64_t time_ns, const char *detail, bool is_estimated)
{
	marks->list[marks->count++] = (struct report_milestone){
		.name = name, .time_ns = time_ns, .detail = detail, .is_estimated = is_estimated};
}

static const struct listener *main_listener(const struct model *model)
{
	const struct request *first = first_arrived(model);
	uint32_t port = first ? model->requests.connections.items[first->connection].port : 0;
	const struct listener *best = NULL;

	for vec_each(listener, &model->requests.listeners) {
		if (port && listener->port != port)
			continue;
		if (!best || listener->listening_ns < best->listening_ns)
			best = listener;
	}
	return best;
}

static void mark_listening(const struct model *model, struct report *report, struct marks *marks)
{
	const struct listener *listener = main_listener(model);

	if (!listener)
		return;

	const char *port = arena_format(&report->arena, "port %u", listener->port);

	if (listener->listening_ns)
		mark(marks, "listening", from_exec(model, listener->listening_ns), port, false);
	if (listener->ready_ns)
		mark(marks, "ready", from_exec(model, listener->ready_ns), port, false);
	else if (listener->listening_ns)
		mark(marks, "ready", from_exec(model, listener->listening_ns), port, true);
}

static void find_milestones(const struct model *model, struct report *report, struct marks *marks)
{
	const struct process *process = &model->threads.processes.items[main_process_of(model)];
	const struct request *arrived = first_arrived(model), *answered = first_answered(model);
	const char *main_class = NULL;
	const struct event_header *main_event = find_main_class(model, process, &main_class);
	uint64_t created_ns = process->jvm_create_ns ? process->jvm_create_ns : process->jvm_init_begin_ns;

	mark(marks, "exec", 0, model_text(model, process->program), model->is_attached);
	if (created_ns)
		mark(marks, "vm_created", from_exec(model, created_ns), "", false);
	else if (process->jvm_mapped_ns)
		mark(marks, "vm_created", from_exec(model, process->jvm_mapped_ns), "libjvm was mapped", true);
	if (main_event) {
		const char *dotted = dotted_name(main_class, &report->arena);

		mark(marks, "main_class", from_exec(model, main_event->time_ns), dotted,
		     !is_in_command(model, dotted));
	}
	mark_listening(model, report, marks);
	if (arrived)
		mark(marks, "first_arrival", from_exec(model, arrived->arrival_ns), model_text(model, arrived->route),
		     arrived->is_arrival_estimated);
	if (answered)
		mark(marks, "first_response", from_exec(model, answered->end_ns), model_text(model, answered->route),
		     answered->is_end_estimated);
	if (process->ended_ns)
		mark(marks, "exit", from_exec(model, process->ended_ns), "", false);
}

int64_t report_milestone(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->milestones_count; i++) {
		if (strcmp(report->milestones[i].name, name) == 0)
			return report->milestones[i].time_ns;
	}
	return -1;
}

/* ---- phases ---- */

/* When the end began: the VM's shutdown, our signal, or the exit. */
static int64_t shutdown_start(const struct model *model, int64_t end_ns)
{
	const struct process *process = &model->threads.processes.items[main_process_of(model)];
	int64_t start_ns = end_ns;

	if (process->jvm_shutdown_ns && from_exec(model, process->jvm_shutdown_ns) < start_ns)
		start_ns = from_exec(model, process->jvm_shutdown_ns);
	for vec_each(index, &model->texts.stop_signals) {
		if (from_exec(model, model->events[*index]->time_ns) < start_ns)
			start_ns = from_exec(model, model->events[*index]->time_ns);
	}
	return start_ns;
}

static int64_t last_request_end(const struct model *model)
{
	int64_t last_ns = -1;

	for vec_each(request, &model->requests.list) {
		if (request->is_complete && from_exec(model, request->end_ns) > last_ns)
			last_ns = from_exec(model, request->end_ns);
	}
	return last_ns;
}

static void count_phase(const struct model *model, struct report_phase *phase)
{
	uint64_t start_ns = model->exec_ns + (uint64_t)phase->start_ns,
		 end_ns = model->exec_ns + (uint64_t)phase->end_ns;

	/* The last phase includes its last instant. */
	counts_of(model, start_ns, phase->phase == PHASE_SHUTDOWN ? UINT64_MAX : end_ns, 0, &phase->counts);
	if (!model->threads.has_schedule)
		return;
	phase->cpu_ns = (struct maybe){.state = KNOWN};
	for (uint32_t i = 0; i < model->threads.list.count; i++)
		phase->cpu_ns.value = fmt_add(phase->cpu_ns.value,
					      (int64_t)model_thread_cpu_ns(model, i, start_ns, end_ns));
}

void analyze_phases(const struct model *model, uint64_t last_cold_end_ns, struct report *report)
{
	struct marks marks = {};

	find_milestones(model, report, &marks);
	report->milestones = arena_array(&report->arena, struct report_milestone, marks.count);
	memcpy((void *)report->milestones, marks.list, marks.count * sizeof(marks.list[0]));
	report->milestones_count = marks.count;

	int64_t end_ns = from_exec(model, model->end_ns);
	int64_t ready_ns = report_milestone(report, "ready"), arrival_ns = report_milestone(report, "first_arrival");
	int64_t stop_ns = shutdown_start(model, end_ns), last_end_ns = last_request_end(model);
	int64_t cold_end_ns = last_cold_end_ns ? from_exec(model, last_cold_end_ns) : -1;
	bool has_requests = arrival_ns >= 0;
	/* A phase ends at its milestone; one without is part of the next. Where nothing was served, what was going on
	 * ends when the end begins. */
	const int64_t ends_ns[PHASE_COUNT] = {
		[PHASE_LAUNCH] = report_milestone(report, "vm_created"),
		[PHASE_VM_INIT] = report_milestone(report, "main_class"),
		[PHASE_STARTUP] = ready_ns >= 0 || has_requests ? ready_ns : stop_ns,
		[PHASE_IDLE] = has_requests ? arrival_ns : (ready_ns >= 0 ? stop_ns : -1),
		[PHASE_FIRST_REQUEST] = cold_end_ns,
		[PHASE_WARM] = last_end_ns > cold_end_ns ? last_end_ns : -1,
		[PHASE_SHUTDOWN] = end_ns,
	};
	struct report_phase *phases = arena_array(&report->arena, struct report_phase, PHASE_COUNT);
	int64_t at_ns = 0;

	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		if (ends_ns[phase] < 0)
			continue;

		int64_t to_ns = ends_ns[phase] > at_ns ? ends_ns[phase] : at_ns;
		struct report_phase *of = &phases[report->phases_count];

		if (to_ns > end_ns && phase != PHASE_SHUTDOWN)
			to_ns = end_ns > at_ns ? end_ns : at_ns;
		*of = (struct report_phase){.phase = (enum phase)phase, .start_ns = at_ns, .end_ns = to_ns};
		report->phases_count++;
		count_phase(model, of);
		at_ns = to_ns;
	}
	report->phases = phases;
}

enum phase report_phase_at(const struct report *report, int64_t time_ns)
{
	for (size_t i = 0; i < report->phases_count; i++) {
		if (time_ns < report->phases[i].end_ns)
			return report->phases[i].phase;
	}
	return report->phases_count ? report->phases[report->phases_count - 1].phase : PHASE_STARTUP;
}
