#include "model/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/auto.h"
#include "base/search.h"
#include "format/reader.h"

enum { BLOCK_BYTES = (4 << 20) - 64, HUGE_PAGE_BYTES = 2 << 20 };

struct event_block {
	struct event_block *next;
	size_t used_bytes, capacity_bytes;
	_Alignas(8) char bytes[];
};

struct model_builder {
	struct model *model;
	size_t capacity;
	bool is_full; /* more events than 32 bits count */
};

struct model_builder *model_begin(void)
{
	struct model_builder *builder = calloc(1, sizeof(*builder));
	struct model *model = calloc(1, sizeof(*model));

	if (!builder || !model)
		memory_exhausted();
	builder->model = model;
	return builder;
}

/* Whole huge pages: of a report's time a tenth was faults on small ones. */
static struct event_block *room_for_block(size_t size_bytes)
{
	size_t room_bytes = (size_bytes + HUGE_PAGE_BYTES - 1) & ~(size_t)(HUGE_PAGE_BYTES - 1);
	struct event_block *block = aligned_alloc(HUGE_PAGE_BYTES, room_bytes);

	if (!block)
		memory_exhausted();
	madvise(block, room_bytes, MADV_HUGEPAGE); /* only a wish */
	return block;
}

/* Records lie one after the other in blocks, so that walking them in order of time walks memory nearly in order. */
static struct event_header *store(struct model *model, const struct event_header *event)
{
	size_t room_bytes = ((size_t)event->size + 1 + 7) & ~(size_t)7; /* a NUL after a tail is promised */
	struct event_block *block = model->blocks;

	if (!block || block->capacity_bytes - block->used_bytes < room_bytes) {
		size_t capacity_bytes = room_bytes > BLOCK_BYTES ? room_bytes : BLOCK_BYTES;

		block = room_for_block(sizeof(*block) + capacity_bytes);
		block->next = model->blocks;
		block->used_bytes = 0;
		block->capacity_bytes = capacity_bytes;
		model->blocks = block;
	}

	struct event_header *copy = (struct event_header *)(block->bytes + block->used_bytes);

	memcpy(copy, event, event->size);
	memset((char *)copy + event->size, 0, room_bytes - event->size);
	block->used_bytes += room_bytes;
	return copy;
}

void model_add(struct model_builder *builder, const struct event_header *event)
{
	struct model *model = builder->model;

	if (model->event_count == NO_INDEX - 1) {
		builder->is_full = true;
		return;
	}
	if (model->event_count == builder->capacity)
		model->events =
			vec_grow(model->events, &builder->capacity, model->event_count, sizeof(*model->events));

	struct event_header *copy = store(model, event);
	uint64_t *duration_ns = event_duration(copy);

	/* Durations that reach back before the clock's zero (a damaged or hostile recording) become as long as can be. */
	if (duration_ns && *duration_ns > copy->time_ns)
		*duration_ns = copy->time_ns;
	if (copy->kind == EVENT_HOLD)
		*vec_push(&model->texts.holds) = (struct hold){.start_ns = copy->time_ns - *duration_ns,
							       .end_ns = copy->time_ns,
							       .pid = copy->pid};
	model->events[model->event_count++] = copy;
	if (copy->kind < EVENT_KIND_END)
		model->kind_counts[copy->kind]++;
}

/* ---- holds ---- */

static int compare_holds(const void *left, const void *right)
{
	const struct hold *a = left, *b = right;

	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void join_holds(struct model *model)
{
	__typeof__(model->texts.holds) *holds = &model->texts.holds;

	if (holds->count == 0)
		return;
	qsort(holds->items, holds->count, sizeof(*holds->items), compare_holds);

	size_t kept = 0;

	for (size_t i = 1; i < holds->count; i++) {
		struct hold *last = &holds->items[kept], *hold = &holds->items[i];

		if (hold->start_ns > last->end_ns)
			holds->items[++kept] = *hold;
		else if (hold->end_ns > last->end_ns)
			last->end_ns = hold->end_ns;
	}
	holds->count = kept + 1;

	uint64_t held_ns = 0;

	for vec_each(hold, holds) {
		hold->held_before_ns = held_ns;
		held_ns += hold->end_ns - hold->start_ns;
	}
}

/* The time on a clock that stood still while warmtrace held a process. */
static uint64_t without_holds(const struct model *model, uint64_t time_ns)
{
	size_t after = first_where(model->texts.holds.count, i, model->texts.holds.items[i].start_ns >= time_ns);

	if (after == 0)
		return time_ns;

	const struct hold *hold = &model->texts.holds.items[after - 1];

	return time_ns - hold->held_before_ns - ((hold->end_ns < time_ns ? hold->end_ns : time_ns) - hold->start_ns);
}

static void take_holds_off(struct model *model)
{
	if (model->texts.holds.count == 0)
		return;
	for (uint32_t i = 0; i < model->event_count; i++) {
		struct event_header *event = (struct event_header *)model->events[i];
		uint64_t *duration_ns = event_duration(event);
		uint64_t time_ns = without_holds(model, event->time_ns);

		if (event->kind == EVENT_HOLD)
			*duration_ns = 0;
		else if (duration_ns && *duration_ns <= event->time_ns)
			*duration_ns = time_ns - without_holds(model, event->time_ns - *duration_ns);
		if (event->kind == EVENT_CLIENT_REQUEST) {
			struct event_client_request *request = (struct event_client_request *)event;

			request->start_ns = without_holds(model, request->start_ns);
		} else if (event->kind == EVENT_LOSS) {
			struct event_loss *loss = (struct event_loss *)event;

			loss->start_ns = without_holds(model, loss->start_ns);
			loss->end_ns = without_holds(model, loss->end_ns);
		}
		event->time_ns = time_ns;
	}
}

/* ---- the run's beginning ---- */

/* What the recorder states, at whatever time: kept also when it is older than the run. */
static bool is_statement(const struct event_header *event)
{
	return (event->kind >= EVENT_RUN_TEXT && event->kind < EVENT_KIND_END) || event->kind == EVENT_STACK;
}

static uint32_t command_pid(const struct model *model)
{
	for (uint32_t i = 0; i < model->event_count; i++) {
		if (model->events[i]->kind != EVENT_RUN_TEXT)
			continue;

		const struct event_run_text *text = MODEL_EVENT(model, i, run_text);
		size_t length;
		const char *key = MODEL_TAIL(text, &length);

		if (strcmp(key, "pid") == 0 && length > strlen("pid") + 1)
			return (uint32_t)strtoul(key + strlen("pid") + 1, NULL, 10);
	}
	return 0;
}

/* Time zero is the command's first exec. What probes saw before it is the gate's, not the command's. */
static struct err *find_beginning(struct model *model)
{
	uint32_t pid = command_pid(model), exec = NO_INDEX, first = NO_INDEX;

	for (uint32_t i = 0; i < model->event_count && exec == NO_INDEX; i++) {
		const struct event_header *event = model->events[i];

		if (!is_statement(event) && first == NO_INDEX)
			first = i;
		if (event->kind == EVENT_EXEC && (pid == 0 || event->pid == pid))
			exec = i;
	}
	if (first == NO_INDEX)
		return err_new(ERR_FAILED, "%s",
			       model->file_state.is_cut
				       ? "the recording is cut before the end of its first part: no event of the run is left"
			       : model->file_state.damaged_bytes
				       ? "the recording is damaged: no event of the run is left"
				       : "the recording holds no event of a run");
	for (uint32_t kind = 0; kind < EVENT_KIND_END; kind++)
		model->kind_starts[kind + 1] = (uint32_t)model->kind_counts[kind];
	model->is_attached = exec == NO_INDEX;
	model->exec_ns = model->events[exec == NO_INDEX ? first : exec]->time_ns;
	if (exec == NO_INDEX)
		return NULL;

	uint32_t kept = 0;

	for (uint32_t i = 0; i < model->event_count; i++) {
		if (i >= exec || is_statement(model->events[i]))
			model->events[kept++] = model->events[i];
		else if (model->events[i]->kind < EVENT_KIND_END)
			model->kind_starts[model->events[i]->kind + 1]--;
	}
	model->event_count = kept;
	return NULL;
}

/* ---- the pass ---- */

/* Whether the header's thread must have been running, in the tree, for this record to exist. The others come from the
 * recorder, from whoever the CPU happened to run (arrivals, wakes), or name another thread (names, Java threads). */
static bool proves_running(const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_THREAD_NAME:
	case EVENT_SWITCH_OUT:
	case EVENT_SWITCH_IN:
	case EVENT_WAKE:
	case EVENT_SOCKET_ARRIVAL:
	case EVENT_SOCKET_CLOSE:
	case EVENT_JAVA_THREAD:
	case EVENT_STACK:
		return false;
	default:
		return !is_statement(event);
	}
}

static void on_event(struct load *load, uint32_t index)
{
	const struct event_header *event = load->model->events[index];

	if (is_statement(event))
		return;
	if (event->kind == EVENT_WAKE) {
		schedule_on_wake(load, index, (const struct event_wake *)event);
		return;
	}
	if (event->kind == EVENT_SOCKET_ARRIVAL || event->kind == EVENT_SOCKET_CLOSE) {
		requests_on_event(load, NO_INDEX, index, event);
		return;
	}

	uint32_t thread = threads_of_event(load, event);

	if (proves_running(event))
		schedule_prove_running(load, thread, index, event->time_ns);
	/* Afterwards: what a sample proves, it proves with the period of those before it. */
	if (event->kind == EVENT_SAMPLE)
		load->sample_period_ns = ((const struct event_sample *)event)->period_ns;
	schedule_note(load, thread, event);
	spans_note(load, thread, event);
	switch ((enum event_kind)event->kind) {
	case EVENT_SWITCH_OUT:
		schedule_on_switch_out(load, thread, index, (const struct event_switch_out *)event);
		break;
	case EVENT_SWITCH_IN:
		schedule_on_switch_in(load, thread, index, event->time_ns);
		break;
	case EVENT_EXEC:
	case EVENT_FORK:
	case EVENT_EXIT:
	case EVENT_THREAD_NAME:
	case EVENT_JAVA_THREAD:
		threads_on_event(load, thread, index, event);
		break;
	case EVENT_SYSCALL:
	case EVENT_FILE_MAP:
		files_on_event(load, thread, index, event);
		mappings_on_event(load, thread, index, event);
		break;
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
		files_on_event(load, thread, index, event);
		break;
	case EVENT_FAULT:
		mappings_on_event(load, thread, index, event);
		break;
	case EVENT_INTERRUPT:
		spans_add(load, thread, SPAN_INTERRUPT, index,
			  event->time_ns - ((const struct event_interrupt *)event)->duration_ns, event->time_ns);
		break;
	case EVENT_SOCKET_LISTEN:
	case EVENT_SOCKET_READY:
	case EVENT_SOCKET_ACCEPT:
	case EVENT_SOCKET_CONNECT:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
		requests_on_event(load, thread, index, event);
		break;
	default:
		jvm_on_event(load, thread, index, event);
		break;
	}
	/* Another thread may have given the name. */
	if (event->kind != EVENT_THREAD_NAME && event->kind != EVENT_JAVA_THREAD)
		load->threads.items[thread].last_event_ns = event->time_ns;
	load->last_event_ns = event->time_ns;
}

/* Where the events of each kind begin, from how many there are of each. */
static void place_kinds(struct model *model)
{
	for (uint32_t kind = 0; kind < EVENT_KIND_END; kind++)
		model->kind_starts[kind + 1] += model->kind_starts[kind];
	model->kind_events = calloc((size_t)model->event_count + 1, sizeof(*model->kind_events));
	if (!model->kind_events)
		memory_exhausted();
}

static void collect_statements(struct load *load)
{
	struct model *model = load->model;
	uint32_t next_of_kind[EVENT_KIND_END];

	place_kinds(model);
	memcpy(next_of_kind, model->kind_starts, sizeof(next_of_kind));
	for (uint32_t i = 0; i < model->event_count; i++) {
		const struct event_header *event = model->events[i];

		if (event->kind < EVENT_KIND_END)
			model->kind_events[next_of_kind[event->kind]++] = i;
		if (event->kind == EVENT_ARCHIVE)
			files_collect(load, i, event);
		else if (event->kind == EVENT_STACK || event->kind == EVENT_FRAME_NAME || event->kind == EVENT_SYMBOL)
			jvm_collect(load, i, event);
		else if (is_statement(event))
			texts_collect(load, i, event);
	}
	texts_finish(load);
}

static void load_done(struct load *load)
{
	for vec_each(state, &load->threads)
		vec_done(&state->open);
	vec_done(&load->threads);
	mappings_load_done(load);
	vec_done(&load->connections);
	map_done(&load->connection_by_socket);
	map_done(&load->listener_by_socket);
	map_done(&load->observed_by_name);
	map_done(&load->random_descriptors);
}

struct err *model_finish(struct model_builder *builder, struct model **ret_model)
{
	struct model *model = builder->model;
	bool is_full = builder->is_full;

	free(builder);
	join_holds(model);
	take_holds_off(model);
	events_sort(model->events, model->event_count);

	struct err *err = is_full ? err_new(ERR_FAILED, "the recording holds more events than can be analysed")
				  : find_beginning(model);

	if (err) {
		model_free(&model);
		return err;
	}

	struct load load auto_done(load_done) = {.model = model};

	*vec_push(&model->files.list) = (struct file){.archive = NO_INDEX};
	collect_statements(&load);

	size_t length;
	const char *arch = model_run_text(model, "arch", &length);

	load.arch = syscall_arch_of(arch ? arch : "x86_64");
	schedule_prepare(&load);
	stacks_prepare(&load);
	mappings_prepare(&load);
	for (uint32_t i = 0; i < model->event_count; i++) {
		mappings_until(&load, model->events[i]->time_ns);
		on_event(&load, i);
	}
	mappings_until(&load, UINT64_MAX);
	if (model->threads.processes.count == 0) /* nothing but arrivals: still, somebody was asked */
		process_find_or_make(&load, command_pid(model), model->exec_ns);
	schedule_finish(&load);
	classes_before_sort(&load);
	spans_finish(&load);
	classes_after_sort(&load);
	jvm_finish(&load);
	requests_finish(&load);
	*ret_model = model;
	return NULL;
}

void model_abandon(struct model_builder *builder)
{
	if (builder) {
		model_free(&builder->model);
		free(builder);
	}
}

struct err *model_load(struct reader *reader, struct model **ret_model)
{
	struct model_builder *builder = model_begin();
	const struct event_header *event;

	for (;;) {
		struct err *err = reader_next(reader, &event);

		if (err) {
			model_abandon(builder);
			return err;
		}
		if (!event)
			break;
		model_add(builder, event);
	}

	const struct reader_status *status = reader_status(reader);
	struct model_file_state *state = &builder->model->file_state;

	state->is_cut = status->is_cut;
	state->cut_bytes = status->cut_bytes;
	state->damaged_events = status->damaged_events;
	state->damaged_bytes = status->damaged_bytes;
	state->unknown_events = status->unknown_events;
	state->dropped_events = status->dropped_events;
	for (size_t i = 0; i < status->gap_count; i++) {
		const struct reader_gap *gap = &status->gaps[i];

		*vec_push(&builder->model->texts.losses) = (struct loss){
			.start_ns = gap->first_time_ns, .end_ns = gap->last_time_ns, .count = gap->events};
	}
	return model_finish(builder, ret_model);
}

void model_free(struct model **model_place)
{
	struct model *model = *model_place;

	if (!model)
		return;
	threads_done(model);
	files_done(model);
	mappings_done(model);
	requests_done(model);
	jvm_done(model);
	texts_done(model);
	free(model->events);
	free(model->kind_events);
	for (struct event_block *block = model->blocks; block;) {
		struct event_block *next = block->next;

		free(block);
		block = next;
	}
	strpool_done(&model->strings);
	arena_done(&model->arena);
	free(model);
	*model_place = NULL;
}

struct event_walk model_walk_kinds(const struct model *model, const enum event_kind *kinds, size_t count)
{
	struct event_walk walk = {.kind_count = (uint32_t)count};

	for (size_t i = 0; i < count; i++) {
		walk.kinds[i].next = model->kind_events + model->kind_starts[kinds[i]];
		walk.kinds[i].end = model->kind_events + model->kind_starts[kinds[i] + 1];
	}
	return walk;
}

uint32_t model_first_event_at(const struct model *model, uint64_t time_ns)
{
	return first_where(model->event_count, i, model->events[i]->time_ns >= time_ns);
}
