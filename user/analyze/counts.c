#include "analyze/counts.h"

#include <stdlib.h>

#include "base/search.h"

/* The recorder's name for the ability that a count rests on, and whether only a JVM has such things. */
static const struct {
	const char *ability;
	bool is_of_jvm;
} rests_on[COUNT_COUNT] = {
	[COUNT_OPENS] = {"file_opens", false},
	[COUNT_FAILED_OPENS] = {"file_opens", false},
	[COUNT_LOOKUPS] = {"file_opens", false},
	[COUNT_FAILED_LOOKUPS] = {"file_opens", false},
	[COUNT_READS] = {"file_opens", false},
	[COUNT_JAR_READS] = {"file_opens", false},
	[COUNT_MINOR_FAULTS] = {"page_faults", false},
	[COUNT_MAJOR_FAULTS] = {"page_faults", false},
	[COUNT_EXCEPTIONS] = {"exceptions", true},
	[COUNT_CLASSES_LOADED] = {"class_loading", true},
	[COUNT_CLASSES_INITIALIZED] = {"class_loading", true},
	[COUNT_THREADS_STARTED] = {"threads", false},
	[COUNT_CONTEXT_SWITCHES] = {"scheduling", false},
	[COUNT_COMPILATIONS] = {"jit", true},
	[COUNT_GC_PAUSES] = {"gc", true},
	[COUNT_CONNECTS] = {"sockets", false},
};

static void add(struct counts *counts, enum count count, int64_t value)
{
	if (counts->of[count].state == KNOWN)
		counts->of[count].value += value;
}

static void count_event(const struct model *model, const struct event_header *event, struct counts *counts)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_FILE_OPEN:
		add(counts, COUNT_OPENS, 1);
		if (((const struct event_file_open *)event)->result < 0)
			add(counts, COUNT_FAILED_OPENS, 1);
		break;
	case EVENT_FILE_LOOKUP:
		add(counts, COUNT_LOOKUPS, 1);
		if (((const struct event_file_lookup *)event)->result < 0)
			add(counts, COUNT_FAILED_LOOKUPS, 1);
		break;
	case EVENT_FILE_READ: {
		const struct event_file_read *read = (const struct event_file_read *)event;

		add(counts, COUNT_READS, 1);
		if (model->files.list.items[model_file_by_inode(model, read->device, read->inode)].is_archive)
			add(counts, COUNT_JAR_READS, 1);
		break;
	}
	case EVENT_FAULT:
		add(counts, ((const struct event_fault *)event)->is_major ? COUNT_MAJOR_FAULTS : COUNT_MINOR_FAULTS,
		    1);
		break;
	case EVENT_EXCEPTION: /* one record may stand for several */
		add(counts, COUNT_EXCEPTIONS, ((const struct event_exception *)event)->count ?: 1);
		break;
	case EVENT_NATIVE_THROW: /* a C++ exception: in the same list, by its type */
		add(counts, COUNT_EXCEPTIONS, 1);
		break;
	case EVENT_CLASS_INIT:
		if (((const struct event_class_init *)event)->step == CLASS_INIT_END)
			add(counts, COUNT_CLASSES_INITIALIZED, 1);
		break;
	case EVENT_FORK:
		if (((const struct event_fork *)event)->child_pid == event->pid)
			add(counts, COUNT_THREADS_STARTED, 1);
		break;
	case EVENT_SWITCH_OUT:
		add(counts, COUNT_CONTEXT_SWITCHES, 1);
		break;
	case EVENT_COMPILE:
		if (((const struct event_compile *)event)->step == STEP_BEGIN)
			add(counts, COUNT_COMPILATIONS, 1);
		break;
	case EVENT_SOCKET_CONNECT:
		add(counts, COUNT_CONNECTS, 1);
		break;
	default:
		break;
	}
}

static bool has_jvm(const struct model *model)
{
	for vec_each(process, &model->threads.processes) {
		if (process->is_jvm)
			return true;
	}
	return false;
}

static void begin_counts(const struct model *model, struct counts *counts)
{
	bool is_jvm_here = has_jvm(model);

	for (int count = 0; count < COUNT_COUNT; count++) {
		bool is_observed = model_observed(model, rests_on[count].ability) != OBSERVED_NO &&
				   (is_jvm_here || !rests_on[count].is_of_jvm);

		counts->of[count] = (struct maybe){.state = is_observed ? KNOWN : ABSENT};
	}
	if (model->kind_counts[EVENT_NATIVE_THROW])
		counts->of[COUNT_EXCEPTIONS].state = KNOWN;
}

static void count_events(const struct model *model, uint32_t first, uint32_t end, uint32_t pid, struct counts *counts)
{
	for (uint32_t i = first; i < end; i++) {
		const struct event_header *event = model->events[i];

		if (pid == 0 || event->pid == pid)
			count_event(model, event, counts);
	}
}

static void count_pauses(const struct model *model, uint64_t start_ns, uint64_t end_ns, uint32_t pid,
			 struct counts *counts)
{
	size_t at = first_where(model->jvm.pauses.count, i, model->jvm.pauses.items[i].start_ns >= start_ns);

	for (; at < model->jvm.pauses.count && model->jvm.pauses.items[at].start_ns < end_ns; at++) {
		const struct pause *pause = &model->jvm.pauses.items[at];

		if (pause->is_collection && (pid == 0 || model->threads.processes.items[pause->process].pid == pid))
			add(counts, COUNT_GC_PAUSES, 1);
	}
}

/* Not the events: the VM tells of some classes twice (model/classes.c). */
static void count_classes(const struct model *model, uint64_t start_ns, uint64_t end_ns, uint32_t pid,
			  struct counts *counts)
{
	size_t at = first_where(model->jvm.classes.count, i, model->jvm.classes.items[i].loaded_ns >= start_ns);

	for (; at < model->jvm.classes.count && model->jvm.classes.items[at].loaded_ns < end_ns; at++)
		if (pid == 0 || model->events[model->jvm.classes.items[at].event]->pid == pid)
			add(counts, COUNT_CLASSES_LOADED, 1);
}

void counts_of(const struct model *model, uint64_t start_ns, uint64_t end_ns, uint32_t pid, struct counts *ret_counts)
{
	begin_counts(model, ret_counts);
	count_events(model, model_first_event_at(model, start_ns), model_first_event_at(model, end_ns), pid,
		     ret_counts);
	count_pauses(model, start_ns, end_ns, pid, ret_counts);
	count_classes(model, start_ns, end_ns, pid, ret_counts);
}

/* ---- many stretches ---- */

enum { EVENTS_PER_SUM = 1024 };

struct count_index {
	const struct model *model;
	uint32_t pid;
	VEC(struct counts) sums; /* of all events before number i * EVENTS_PER_SUM */
};

struct count_index *count_index_new(const struct model *model, uint32_t pid)
{
	struct count_index *index = calloc(1, sizeof(*index));
	struct counts counts;

	if (!index)
		memory_exhausted();
	index->model = model;
	index->pid = pid;
	begin_counts(model, &counts);
	for (uint32_t first = 0; first < model->event_count; first += EVENTS_PER_SUM) {
		uint32_t left = model->event_count - first;

		*vec_push(&index->sums) = counts;
		count_events(model, first, first + (left < EVENTS_PER_SUM ? left : EVENTS_PER_SUM), pid, &counts);
	}
	return index;
}

void count_index_free(struct count_index *index)
{
	if (index)
		vec_done(&index->sums);
	free(index);
}

/* Of all events before number `end`. */
static void counts_before(const struct count_index *index, uint32_t end, struct counts *ret_counts)
{
	uint32_t sum = end / EVENTS_PER_SUM;

	if (sum >= index->sums.count)
		sum = (uint32_t)index->sums.count - 1;
	*ret_counts = index->sums.items[sum];
	count_events(index->model, sum * EVENTS_PER_SUM, end, index->pid, ret_counts);
}

void counts_between(const struct count_index *index, uint64_t start_ns, uint64_t end_ns, struct counts *ret_counts)
{
	struct counts before;

	counts_before(index, model_first_event_at(index->model, start_ns), &before);
	counts_before(index, model_first_event_at(index->model, end_ns), ret_counts);
	for (int count = 0; count < COUNT_COUNT; count++)
		ret_counts->of[count].value -= before.of[count].value;
	count_pauses(index->model, start_ns, end_ns, index->pid, ret_counts);
	count_classes(index->model, start_ns, end_ns, index->pid, ret_counts);
}
