#include "analyze/detail.h"

#include <stdio.h>
#include <string.h>

#include "base/search.h"

const char *dotted_name(const char *name, struct arena *arena)
{
	char *dotted = arena_copy(arena, name, strlen(name));

	for (char *at = dotted; *at; at++) {
		if (*at == '/')
			*at = '.';
	}
	return dotted;
}

const char *frame_words(const struct model *model, const struct stack_frame *frame, struct arena *arena)
{
	struct frame_text names[FRAME_TEXTS_MAX];

	if (model_frame_names(model, frame, names) == 0)
		return NULL;

	const struct frame_text *name = &names[0]; /* the innermost inlined method: where it is */

	if (!*name->class_name)
		return name->method;
	if (!*name->file)
		return arena_format(arena, "%s.%s", dotted_name(name->class_name, arena), name->method);
	if (name->line < 0)
		return arena_format(arena, "%s.%s(%s)", dotted_name(name->class_name, arena), name->method,
				    name->file);
	return arena_format(arena, "%s.%s(%s:%lld)", dotted_name(name->class_name, arena), name->method, name->file,
			    (long long)name->line);
}

/* The top frame that has a name. */
static const char *stack_words(const struct model *model, uint64_t stack_id, struct arena *arena)
{
	uint32_t count;
	const struct stack_frame *frames = model_stack(model, stack_id, &count, NULL);

	for (uint32_t i = 0; i < count; i++) {
		const char *words = frame_words(model, &frames[i], arena);

		if (words)
			return words;
	}
	return "";
}

static const char *thread_words(const struct model *model, uint32_t thread, uint64_t time_ns, struct arena *arena)
{
	const char *name = model_thread_name(model, thread, time_ns);

	return *name ? name : arena_format(arena, "thread %u", model->threads.list.items[thread].tid);
}

/* ---- archives ---- */

struct found_entry {
	uint64_t bytes;
	uint32_t entry;
};

static void keep_largest(void *context, const struct archive_piece *piece)
{
	struct found_entry *found = context;

	if (piece->kind == PIECE_DATA && piece->length_bytes > found->bytes) {
		found->bytes = piece->length_bytes;
		found->entry = piece->entry;
	}
}

static const char *read_words(const struct model *model, uint32_t event, uint32_t file, struct arena *arena)
{
	const struct event_file_read *read = MODEL_EVENT(model, event, file_read);
	const char *path = model_file_path(model, file);
	struct found_entry found = {.entry = NO_INDEX};
	struct archive_entry_facts entry;
	struct archive_facts inner;
	uint32_t archive = model->files.list.items[file].archive;

	if (archive != NO_INDEX && read->result > 0)
		model_archive_pieces(model, archive, read->offset, (uint64_t)read->result, keep_largest, &found);
	if (found.entry == NO_INDEX || !model_archive_entry(model, archive, found.entry, &entry) ||
	    !model_archive_facts(model, archive, entry.archive, &inner))
		return path;
	return entry.archive == 0 ? arena_format(arena, "%s!/%s", path, entry.name)
				  : arena_format(arena, "%s!/%s!/%s", path, inner.name, entry.name);
}

/* ---- spans ---- */

static const char *span_words(const struct model *model, const struct tile *tile, struct arena *arena)
{
	const struct span *span = &model->threads.list.items[tile->thread].spans.items[tile->span];

	switch ((enum span_kind)span->kind) {
	case SPAN_SYSCALL:
		return model_call_name(model, MODEL_EVENT(model, span->event, syscall)->number);
	case SPAN_FILE_OPEN:
	case SPAN_FILE_LOOKUP:
		return model_event_path(model, span->event);
	case SPAN_FILE_READ:
		return read_words(model, span->event, span->name, arena);
	case SPAN_FILE_WRITE:
	case SPAN_FILE_MAP:
		return model_file_path(model, span->name);
	case SPAN_FAULT:
		return span->name ? model_file_path(model, span->name) : "";
	case SPAN_SOCKET_ACCEPT:
		return "accept";
	case SPAN_SOCKET_CONNECT:
		return "connect";
	case SPAN_SOCKET_READ:
	case SPAN_SOCKET_WRITE:
		return model_call_name(model, MODEL_EVENT(model, span->event, socket_read)->number);
	case SPAN_INTERRUPT: {
		static const char *const contexts[] = {"", "timer", "network", "disk", "interrupt"};
		uint32_t context = MODEL_EVENT(model, span->event, interrupt)->context;

		return context < sizeof(contexts) / sizeof(contexts[0]) ? contexts[context] : "";
	}
	case SPAN_EXCEPTION:
	case SPAN_CLASS_LOAD:
	case SPAN_CLASS_PARSE:
	case SPAN_CLASS_LINK:
	case SPAN_CLASS_INIT:
		return dotted_name(model_text(model, span->name), arena);
	case SPAN_COMPILE:
	case SPAN_NATIVE_THROW:
	case SPAN_VM_OPERATION:
		return model_text(model, span->name);
	case SPAN_GC:
		return "collection";
	case SPAN_SAFEPOINT:
		return "safepoint";
	}
	return "";
}

/* ---- waiting ---- */

static const char *waker_words(const struct model *model, uint32_t event, struct arena *arena)
{
	const struct event_wake *wake = MODEL_EVENT(model, event, wake);

	switch ((enum context)wake->context) {
	case CONTEXT_TIMER:
		return "the timer";
	case CONTEXT_NETWORK:
		return "the network";
	case CONTEXT_DISK:
		return "the disk";
	case CONTEXT_INTERRUPT:
		return "an interrupt";
	case CONTEXT_THREAD:
		break;
	}

	uint32_t thread =
		wake->header.tid ? model_thread_at(model, wake->header.tid, wake->header.time_ns) : NO_INDEX;

	if (thread != NO_INDEX && model->threads.list.items[thread].pid == wake->header.pid)
		return thread_words(model, thread, wake->header.time_ns, arena);
	if (wake->tail[0])
		return arena_format(arena, "%s (process %u)", wake->tail, wake->header.pid);
	return arena_format(arena, "process %u", wake->header.pid);
}

static const char *peer_words(const struct model *model, const struct tile *tile, struct arena *arena)
{
	if (tile->span == NO_INDEX)
		return "";

	const struct span *span = &model->threads.list.items[tile->thread].spans.items[tile->span];
	uint64_t socket;
	uint32_t peer_port;

	if (span->kind == SPAN_SOCKET_READ || span->kind == SPAN_SOCKET_WRITE) {
		socket = MODEL_EVENT(model, span->event, socket_read)->socket;
		peer_port = MODEL_EVENT(model, span->event, socket_read)->peer_port;
	} else if (span->kind == SPAN_SOCKET_CONNECT) {
		socket = MODEL_EVENT(model, span->event, socket_connect)->socket;
		peer_port = MODEL_EVENT(model, span->event, socket_connect)->peer_port;
	} else {
		return "";
	}

	uint32_t connection = model_connection_at(model, socket, span->end_ns);
	const char *peer =
		connection == NO_INDEX ? "" : model_text(model, model->requests.connections.items[connection].peer);

	if (!*peer)
		return peer_port ? arena_format(arena, ", peer port %u", peer_port) : "";
	return arena_format(arena, ", peer %s", peer);
}

static const char *block_words(const struct model *model, const struct tile *tile, struct arena *arena)
{
	const char *call = "";
	const char *file = "";
	uint64_t stack_id = 0;

	if (tile->interval != NO_INDEX) {
		const struct interval *interval =
			&model->threads.list.items[tile->thread].intervals.items[tile->interval];
		const struct event_switch_out *out = MODEL_EVENT(model, interval->event, switch_out);

		if (out->syscall_number)
			call = model_call_name(model, out->syscall_number - 1);
		stack_id = out->stack_id;
	}
	if (tile->span != NO_INDEX) {
		const struct span *span = &model->threads.list.items[tile->thread].spans.items[tile->span];

		if (span->kind == SPAN_FILE_READ)
			file = read_words(model, span->event, span->name, arena);
		else if (span->kind == SPAN_FILE_WRITE || span->kind == SPAN_FAULT)
			file = span->name ? model_file_path(model, span->name) : "";
	}

	const char *stack = stack_words(model, stack_id, arena);
	const char *waker = tile->wake == NO_INDEX ? "" : waker_words(model, tile->wake, arena);

	return arena_format(
		arena, "%s%s%s%s%s%s%s%s", call, *call && *file ? " " : "", file, peer_words(model, tile, arena),
		*waker ? (*call || *file ? ", woken by " : "woken by ") : "", waker, *stack ? ", at " : "", stack);
}

/* Who had the CPU: the thread that took it, else the one that ran there before ours did. */
static const char *displaced_words(const struct model *model, const struct tile *tile, struct arena *arena)
{
	const struct thread *thread = &model->threads.list.items[tile->thread];
	const struct event_header *event = model->events[tile->evidence];
	const char *name = "";
	uint32_t pid = 0, tid = 0;

	if (event->kind == EVENT_SWITCH_OUT) {
		const struct event_switch_out *out = (const struct event_switch_out *)event;

		name = out->tail;
		pid = out->next_pid;
		tid = out->next_tid;
	} else if (tile->interval + 1 < thread->intervals.count) {
		uint32_t next = thread->intervals.items[tile->interval + 1].event;

		if (next == NO_INDEX || model->events[next]->kind != EVENT_SWITCH_IN)
			return "";

		const struct event_switch_in *in = MODEL_EVENT(model, next, switch_in);

		name = in->tail;
		pid = in->previous_pid;
		tid = in->previous_tid;
	}
	if (tid == 0)
		return "the CPU woke up"; /* the idle task had it */
	if (!*name) {
		uint32_t other = model_thread_at(model, tid, event->time_ns);

		if (other != NO_INDEX)
			name = thread_words(model, other, event->time_ns, arena);
	}
	return *name ? arena_format(arena, "displaced by %s (process %u)", name, pid)
		     : arena_format(arena, "displaced by process %u", pid);
}

static const struct pause *pause_of_event(const struct model *model, uint32_t event)
{
	uint64_t time_ns = model->events[event]->time_ns;
	size_t at = first_where(model->jvm.pauses.count, i, model->jvm.pauses.items[i].start_ns >= time_ns);

	while (at < model->jvm.pauses.count && model->jvm.pauses.items[at].start_ns == time_ns &&
	       model->jvm.pauses.items[at].event != event)
		at++;
	return at < model->jvm.pauses.count ? &model->jvm.pauses.items[at] : NULL;
}

static const char *pause_words(const struct model *model, const struct tile *tile, struct arena *arena)
{
	const struct pause *pause = pause_of_event(model, tile->evidence);
	const char *operation = pause ? model_text(model, pause->operation) : "";
	const char *waker = tile->wake == NO_INDEX ? "" : waker_words(model, tile->wake, arena);

	return arena_format(arena, "%s%s%s", operation, *waker ? (*operation ? ", woken by " : "woken by ") : "",
			    waker);
}

static const char *unexplained_words(const struct model *model, const struct request *request,
				     const struct tile *tile, struct arena *arena)
{
	switch ((enum tile_note)tile->note) {
	case NOTE_NO_SCHEDULE:
		return "no scheduling records in this recording";
	case NOTE_BEFORE_THREAD:
		if (request->reader != NO_INDEX && request->reader != tile->thread)
			return arena_format(arena,
					    "before the first record of this thread; the request was read by %s",
					    thread_words(model, request->reader, tile->start_ns, arena));
		return "before the first record of this thread";
	case NOTE_RECORD_MISSING:
		return "a record is missing";
	case NOTE_NO_WAKE:
		return "what ended this wait was not recorded";
	case NOTE_CYCLE:
		return "threads seem to wait for each other";
	case NOTE_LOST:
		return "records were lost";
	case NOTE_NO_WRITER:
		return "who wrote the response was not recorded";
	case NOTE_ENDED:
		return "the thread had ended";
	case NOTE_NONE:
	case NOTE_PAUSE:
		break;
	}
	return "";
}

const char *tile_detail(const struct model *model, const struct request *request, const struct tile *tile,
			struct arena *arena)
{
	if (tile->cause == CAUSE_UNEXPLAINED)
		return unexplained_words(model, request, tile, arena);
	if (tile->thread == NO_INDEX)
		return "";
	if (tile->cause == CAUSE_CPU_RUNNABLE || tile->cause == CAUSE_CPU_THROTTLED)
		return displaced_words(model, tile, arena);
	if (model->events[tile->evidence]->kind == EVENT_SAMPLE)
		return stack_words(model, MODEL_EVENT(model, tile->evidence, sample)->stack_id, arena);
	if (tile->note == NOTE_PAUSE)
		return pause_words(model, tile, arena);
	if (tile->interval != NO_INDEX) {
		const struct interval *interval =
			&model->threads.list.items[tile->thread].intervals.items[tile->interval];

		if (interval->state == INTERVAL_BLOCKED)
			return block_words(model, tile, arena);
	}
	return tile->span == NO_INDEX ? "" : span_words(model, tile, arena);
}
