/* The walk. A frame explains a stretch [low, at) of one thread from its end backwards:
 *
 *	worker   ........|blocked............|runs....]        at = end of the request
 *	acceptor ..|runs.....blocked...|runs~wake              explains the worker's block, truncated at its begin
 *	client                   (network)~wake                an interrupt ends this block's walk: the tile is a wait
 *
 * A block is either one cause as a whole, or explained by the path of the thread that ended it, within the block:
 * that is a frame on top, and when it has covered the block, the frame below goes on. A poller that the network woke
 * with an answer waited since the question was sent; before that, its sender is followed. Each step adds a tile or a
 * frame, each frame adds a tile, and time only falls: the walk is linear in its tiles and the window's events. A
 * thread that is already being explained further down was blocked at that time and cannot have woken anybody: such a
 * cycle is unexplained.
 *
 * A loop or an idle worker that gets something to do waits for nothing in particular, and before that it did what was others'.
 * Nothing in a wake tells such a wait from one within the request's work. Where requests overlap, a path that contradicts who read
 * the request, or goes through the end of another's answer (path_owner.h), is walked again with one block at a time taken for such
 * a wait: the thread that ended it is then followed past the block's begin, and the path that is least with others' work is kept. */
#include "analyze/path.h"

#include <stdlib.h>

#include "analyze/block.h"
#include "analyze/path_owner.h"
#include "analyze/tiles.h"
#include "base/search.h"

struct frame {
	uint64_t low_ns, at_ns;
	uint32_t thread;
	uint32_t first_thread; /* as pushed: `thread` moves to the creator before the thread's begin */
	/* What the stretch is where this thread has nothing to say: the wait of `waiter`. */
	uint32_t waiter, hole_evidence; /* NO_INDEX: unexplained */
	enum cause hole_cause;
	uint8_t inside;
};

struct stretch {
	uint64_t start_ns, end_ns;
};

/* A block from whose end the path went on with another thread. */
struct turn {
	uint32_t thread, interval; /* interval NO_INDEX: none */
};

struct path_walker {
	const struct model *model;
	VEC(struct frame) frames;
	VEC(struct stretch) lost; /* of scheduling records, merged */
	VEC(struct turn) turns;	  /* of the walk, from its end backwards */
	struct turn idle;	  /* the block that is taken for a wait for anything */
	bool *is_on_stack;	  /* by thread */
	struct path *path;
	uint32_t connection;
	uint8_t inside;	      /* of the frame in work */
	uint64_t read_socket; /* the outbound connection that the path reads from next (it is walked backwards); 0:
				 none */
};

struct path_walker *path_walker_new(const struct model *model)
{
	struct path_walker *walker = calloc(1, sizeof(*walker));
	bool *is_on_stack = calloc(model->threads.list.count + 1, sizeof(*is_on_stack));

	if (!walker || !is_on_stack)
		memory_exhausted();
	walker->model = model;
	walker->is_on_stack = is_on_stack;
	for vec_each(loss, &model->texts.losses) {
		struct stretch *last = walker->lost.count ? &walker->lost.items[walker->lost.count - 1] : NULL;

		if (loss->kind != EVENT_SWITCH_OUT && loss->kind != EVENT_SWITCH_IN && loss->kind != 0)
			continue;
		if (last && loss->start_ns <= last->end_ns)
			last->end_ns = loss->end_ns > last->end_ns ? loss->end_ns : last->end_ns;
		else if (loss->end_ns > loss->start_ns)
			*vec_push(&walker->lost) = (struct stretch){loss->start_ns, loss->end_ns};
	}
	return walker;
}

void path_walker_free(struct path_walker *walker)
{
	if (!walker)
		return;
	vec_done(&walker->frames);
	vec_done(&walker->lost);
	vec_done(&walker->turns);
	free(walker->is_on_stack);
	free(walker);
}

/* The latest stretch of losses that begins before a time, or NULL. */
static const struct stretch *lost_before(const struct path_walker *walker, uint64_t time_ns)
{
	size_t after = first_where(walker->lost.count, i, walker->lost.items[i].start_ns >= time_ns);

	return after ? &walker->lost.items[after - 1] : NULL;
}

/* A tile that reads an answer on a connection that the tree made: who waited for it waited for what was asked. */
static void note_read(struct path_walker *walker, const struct tile *tile)
{
	const struct span *span = &walker->model->threads.list.items[tile->thread].spans.items[tile->span];

	if (span->kind != SPAN_SOCKET_READ)
		return;

	const struct event_socket_read *read = MODEL_EVENT(walker->model, span->event, socket_read);

	if (read->result > 0 && !(read->flags & SOCKET_ACCEPTED))
		walker->read_socket = read->socket;
}

static void push_tile(void *context, struct tile tile)
{
	struct path_walker *walker = context;

	if (tile.span != NO_INDEX)
		note_read(walker, &tile);
	tile.inside |= walker->inside;
	*vec_push(&walker->path->tiles) = tile;
}

static void unexplained(struct path_walker *walker, const struct frame *frame, uint64_t from_ns, enum tile_note note)
{
	push_tile(walker, (struct tile){.start_ns = from_ns,
					.end_ns = frame->at_ns,
					.thread = frame->thread,
					.evidence = NO_INDEX,
					.span = NO_INDEX,
					.interval = NO_INDEX,
					.wake = NO_INDEX,
					.cause = CAUSE_UNEXPLAINED,
					.note = (uint8_t)note});
}

/* The followed thread has no record here: the wait for it is all that is known. */
static void hole(struct path_walker *walker, const struct frame *frame, uint64_t from_ns, enum tile_note note)
{
	if (frame->hole_evidence == NO_INDEX) {
		unexplained(walker, frame, from_ns, note);
		return;
	}
	push_tile(walker, (struct tile){.start_ns = from_ns,
					.end_ns = frame->at_ns,
					.thread = frame->waiter,
					.evidence = frame->hole_evidence,
					.span = NO_INDEX,
					.interval = NO_INDEX,
					.wake = NO_INDEX,
					.cause = (uint16_t)frame->hole_cause,
					.note = (uint8_t)note});
}

static void push_frame(struct path_walker *walker, struct frame frame)
{
	frame.first_thread = frame.thread;
	walker->is_on_stack[frame.thread] = true;
	*vec_push(&walker->frames) = frame;
}

/* A poller waits for whatever comes: its wait for an answer began when the question was sent, and before that the
 * sender was on its way. Finds that send within the block: its event, or NO_INDEX. */
static uint32_t question_sent(const struct path_walker *walker, const struct block_reading *reading, uint64_t from_ns,
			      uint64_t to_ns)
{
	const struct model *model = walker->model;
	uint64_t socket = walker->read_socket;

	if (!socket || !reading->is_poll ||
	    (reading->cause != CAUSE_WAIT_NETWORK && reading->cause != CAUSE_WAIT_NAME))
		return NO_INDEX;
	for (uint32_t i = model_first_event_at(model, to_ns); i > 0; i--) {
		const struct event_header *event = model->events[i - 1];

		if (event->time_ns <= from_ns)
			break;
		if (event->kind != EVENT_SOCKET_WRITE || ((const struct event_socket_write *)event)->socket != socket)
			continue;

		uint32_t sender = model_thread_at(model, event->tid, event->time_ns);

		return sender == NO_INDEX || walker->is_on_stack[sender] ? NO_INDEX : i - 1;
	}
	return NO_INDEX;
}

/* The frame's thread waited for anything: who gave it something to do takes its place in the frame. */
static bool step_idle(struct path_walker *walker, struct frame *frame, uint32_t interval, uint32_t follow)
{
	if (walker->idle.interval != interval || walker->idle.thread != frame->thread)
		return false;
	walker->idle.interval = NO_INDEX;
	walker->is_on_stack[frame->first_thread] = false;
	walker->is_on_stack[follow] = true;
	frame->thread = follow;
	frame->first_thread = follow;
	return true;
}

/* Explains the end of a block: as a whole, or by pushing the frame that explains it. */
static void step_blocked(struct path_walker *walker, size_t top, uint32_t interval, uint64_t from_ns)
{
	const struct model *model = walker->model;
	struct frame *frame = &walker->frames.items[top];
	struct block_reading reading;
	uint64_t to_ns = frame->at_ns;

	block_read(model, frame->thread, interval, to_ns, walker->connection, &reading);
	if (reading.follow != NO_INDEX && walker->is_on_stack[reading.follow]) {
		unexplained(walker, frame, from_ns, NOTE_CYCLE);
	} else if (reading.follow != NO_INDEX) {
		if (step_idle(walker, frame, interval, reading.follow))
			return;
		*vec_push(&walker->turns) = (struct turn){frame->thread, interval};

		uint8_t inside = walker->inside | inside_of_span(model, frame->thread, reading.span);

		/* A thread that waited since before the request waited for something to do. */
		if (block_is_lock(&reading) &&
		    model->threads.list.items[frame->thread].intervals.items[interval].start_ns >= walker->path->start_ns)
			inside |= INSIDE_LOCK;
		uint32_t waiter = frame->thread;

		frame->at_ns = from_ns;
		push_frame(walker, (struct frame){.low_ns = from_ns,
						  .at_ns = to_ns,
						  .thread = reading.follow,
						  .waiter = waiter,
						  .hole_cause = reading.hole_cause,
						  .hole_evidence = reading.hole_evidence,
						  .inside = inside});
		return;
	} else if (reading.cause == CAUSE_UNEXPLAINED) {
		unexplained(walker, frame, from_ns, reading.note);
	} else {
		uint32_t sent = question_sent(walker, &reading, from_ns, to_ns);
		uint64_t sent_ns = sent == NO_INDEX ? from_ns : model->events[sent]->time_ns;
		uint8_t inside = inside_of_span(model, frame->thread, reading.span);

		push_tile(walker, (struct tile){.start_ns = sent_ns,
						.end_ns = to_ns,
						.thread = frame->thread,
						.evidence = reading.evidence,
						.span = reading.span,
						.interval = interval,
						.wake = reading.wake,
						.cause = (uint16_t)reading.cause,
						.inside = inside,
						.note = (uint8_t)reading.note});
		if (sent != NO_INDEX) {
			uint32_t waiter = frame->thread;

			walker->read_socket = 0;
			frame->at_ns = from_ns;
			push_frame(walker,
				   (struct frame){.low_ns = from_ns,
						  .at_ns = sent_ns,
						  .thread = model_thread_at(model, model->events[sent]->tid, sent_ns),
						  .waiter = waiter,
						  .hole_evidence = NO_INDEX,
						  .inside = walker->inside | inside});
			return;
		}
	}
	frame->at_ns = from_ns;
}

/* Before its first record: a thread that was forked did not exist, and what its creator did led to it. */
static void step_before_begin(struct path_walker *walker, struct frame *frame)
{
	const struct thread *thread = &walker->model->threads.list.items[frame->thread];
	uint32_t creator = thread->fork_event != NO_INDEX ? thread->creator : NO_INDEX;

	if (creator != NO_INDEX && creator < frame->thread && thread->created_ns >= frame->at_ns &&
	    !walker->is_on_stack[creator]) {
		frame->thread = creator;
		return;
	}
	hole(walker, frame, frame->low_ns, NOTE_BEFORE_THREAD);
	frame->at_ns = frame->low_ns;
}

/* Where scheduling records were lost, an interval may have been more than one. Whatever the thread ran before the
 * loss is still so, and what it ran after it, for the next record would contradict it otherwise. Of a wait, what
 * ended it before the loss is not known, and of a thread that was ready, what it was after. True where the stretch up
 * to `at` was such; else what is left to explain begins at *from_ns. */
static bool step_lost(struct path_walker *walker, struct frame *frame, const struct interval *interval,
		      uint64_t *from_ns)
{
	const struct stretch *lost = lost_before(walker, frame->at_ns);
	uint64_t unknown_ns = *from_ns;

	if (!lost || lost->end_ns <= interval->start_ns)
		return false;
	if (interval->state != INTERVAL_RUNNABLE && lost->end_ns < frame->at_ns) {
		if (lost->end_ns > *from_ns)
			*from_ns = lost->end_ns;
		return false;
	}
	if (interval->state != INTERVAL_BLOCKED && lost->start_ns > unknown_ns)
		unknown_ns = lost->start_ns;
	unexplained(walker, frame, unknown_ns, NOTE_LOST);
	frame->at_ns = unknown_ns;
	return true;
}

static void step(struct path_walker *walker)
{
	const struct model *model = walker->model;
	size_t top = walker->frames.count - 1;
	struct frame *frame = &walker->frames.items[top];
	const struct thread *thread = &model->threads.list.items[frame->thread];
	uint32_t index = model_interval_at(model, frame->thread, frame->at_ns - 1);

	walker->inside = frame->inside;
	if (index == NO_INDEX) {
		step_before_begin(walker, frame);
		return;
	}

	const struct interval *interval = &thread->intervals.items[index];
	uint64_t from_ns = interval->start_ns > frame->low_ns ? interval->start_ns : frame->low_ns;

	if (step_lost(walker, frame, interval, &from_ns))
		return;
	switch ((enum interval_state)interval->state) {
	case INTERVAL_RUNNING:
		tiles_of_running(model, frame->thread, index, from_ns, frame->at_ns, walker->path->start_ns,
				 walker->path->end_ns, push_tile, walker);
		break;
	case INTERVAL_RUNNABLE: {
		uint32_t span = model_span_at(model, frame->thread, from_ns, NULL);

		push_tile(walker, (struct tile){.start_ns = from_ns,
						.end_ns = frame->at_ns,
						.thread = frame->thread,
						.evidence = interval->event,
						.span = span,
						.interval = index,
						.wake = NO_INDEX,
						.cause = interval->flags & INTERVAL_THROTTLED ? CAUSE_CPU_THROTTLED
											      : CAUSE_CPU_RUNNABLE,
						.inside = inside_of_span(model, frame->thread, span)});
		break;
	}
	case INTERVAL_BLOCKED:
		step_blocked(walker, top, index, from_ns);
		return;
	case INTERVAL_UNKNOWN:
		unexplained(walker, frame, from_ns, NOTE_RECORD_MISSING);
		break;
	case INTERVAL_ENDED:
		hole(walker, frame, from_ns, NOTE_ENDED);
		break;
	}
	frame->at_ns = from_ns;
}

/* One walk, with one block taken for a wait for anything, or none. */
static void walk(struct path_walker *walker, const struct request *request, struct turn idle, struct path *path)
{
	path->tiles.count = 0;
	path->start_ns = request->arrival_ns;
	path->end_ns = request->end_ns;
	walker->path = path;
	walker->connection = request->connection;
	walker->inside = 0;
	walker->read_socket = 0;
	walker->turns.count = 0;
	walker->idle = idle;
	push_frame(walker, (struct frame){.low_ns = request->arrival_ns,
					  .at_ns = request->end_ns,
					  .thread = request->writer,
					  .waiter = NO_INDEX,
					  .hole_evidence = NO_INDEX});
	while (walker->frames.count) {
		struct frame *frame = &walker->frames.items[walker->frames.count - 1];

		if (frame->at_ns > frame->low_ns) {
			step(walker);
			continue;
		}
		walker->is_on_stack[frame->first_thread] = false;
		walker->frames.count--;
	}
	for (size_t i = 0, j = path->tiles.count; i + 1 < j; i++) {
		struct tile tile = path->tiles.items[i];

		path->tiles.items[i] = path->tiles.items[--j];
		path->tiles.items[j] = tile;
	}
}

/* Keeps the walk that is with others' work for the shortest time, the first one where that is the same. */
static void walk_again(struct path_walker *walker, const struct request *request, struct path_contradiction first,
		       struct path *path)
{
	enum { TRIES_MAX = 16, DOUBTED_FROM_NS = 1000000 };
	struct turn tries[TRIES_MAX], best = {NO_INDEX, NO_INDEX};
	size_t count = walker->turns.count < TRIES_MAX ? walker->turns.count : TRIES_MAX;
	struct path_contradiction least = first;

	for (size_t i = 0; i < count; i++)
		tries[i] = walker->turns.items[i];
	for (size_t i = 0; i < count && least.others_ns; i++) {
		struct path_contradiction found;

		walk(walker, request, tries[i], path);
		found = path_contradiction_of(walker->model, request, path);
		if (found.others_ns < least.others_ns) {
			least = found;
			best = tries[i];
		}
	}
	if (least.others_ns)
		walk(walker, request, best, path);
	/* A thread of a pool that wakes the next one is met for moments only. */
	if (least.strays_at_ns != UINT64_MAX && least.others_ns > DOUBTED_FROM_NS)
		path_doubt(path, least.strays_at_ns);
}

void path_walk(struct path_walker *walker, const struct request *request, struct path *path)
{
	const struct model *model = walker->model;
	static const struct turn none = {NO_INDEX, NO_INDEX};

	path->tiles.count = 0;
	path->start_ns = request->arrival_ns;
	path->end_ns = request->end_ns;
	walker->path = path;
	walker->inside = 0;
	if (request->end_ns <= request->arrival_ns)
		return;
	if (request->writer == NO_INDEX || !model->threads.has_schedule) {
		const struct frame whole = {.low_ns = request->arrival_ns,
					    .at_ns = request->end_ns,
					    .thread = request->writer,
					    .waiter = NO_INDEX,
					    .hole_evidence = NO_INDEX};

		unexplained(walker, &whole, whole.low_ns,
			    request->writer == NO_INDEX ? NOTE_NO_WRITER : NOTE_NO_SCHEDULE);
		return;
	}
	walk(walker, request, none, path);

	struct path_contradiction found = path_contradiction_of(model, request, path);

	if (found.others_ns)
		walk_again(walker, request, found, path);
}

void path_causes(const struct path *path, int64_t ret_causes[CAUSE_COUNT], bool ret_estimated[CAUSE_COUNT])
{
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		ret_causes[cause] = 0;
		ret_estimated[cause] = false;
	}
	for vec_each(tile, &path->tiles) {
		ret_causes[tile->cause] += (int64_t)(tile->end_ns - tile->start_ns);
		ret_estimated[tile->cause] |= tile->is_estimated;
	}
}

const char *path_check(const struct model *model, const struct path *path, struct arena *arena)
{
	uint64_t at_ns = path->start_ns;
	size_t number = 0;

	for vec_each(tile, &path->tiles) {
		if (tile->start_ns != at_ns)
			return arena_format(arena,
					    "tile %zu begins at %llu, not at %llu where the one before it ends",
					    number, (unsigned long long)tile->start_ns, (unsigned long long)at_ns);
		if (tile->end_ns <= tile->start_ns)
			return arena_format(arena, "tile %zu takes no time", number);
		if (tile->cause >= CAUSE_COUNT)
			return arena_format(arena, "tile %zu has no cause", number);
		if (tile->cause == CAUSE_UNEXPLAINED && tile->note == NOTE_NONE)
			return arena_format(arena, "tile %zu is unexplained and does not say why", number);
		if (tile->cause != CAUSE_UNEXPLAINED && tile->evidence >= model->event_count)
			return arena_format(arena, "tile %zu, %s, has no evidence", number, cause_name(tile->cause));
		if (tile->cause != CAUSE_UNEXPLAINED && tile->thread >= model->threads.list.count)
			return arena_format(arena, "tile %zu, %s, has no thread", number, cause_name(tile->cause));
		at_ns = tile->end_ns;
		number++;
	}
	if (at_ns != path->end_ns)
		return arena_format(arena, "the tiles end at %llu, the window at %llu", (unsigned long long)at_ns,
				    (unsigned long long)path->end_ns);
	return NULL;
}
