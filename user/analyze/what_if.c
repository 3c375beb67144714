#include "analyze/what_if.h"

#include <stdlib.h>

#include "analyze/block.h"
#include "analyze/tiles.h"

enum block_kind {
	BLOCK_AS_LONG,	  /* it takes as long as it did */
	BLOCK_FOR_RESULT, /* it ends when `follow` has made something */
	BLOCK_FOR_TURN,	  /* it ends when `follow` lets something go */
	BLOCK_FOR_ANY,	  /* it ends when something came of what some thread did */
};

struct block {
	uint64_t start_ns, end_ns; /* within the window */
	uint64_t wake_ns;
	uint32_t thread, interval, follow;
	uint32_t items;
	uint32_t before; /* FOR_TURN: where in `before_ns` it is kept what `follow` was ahead as the wait began */
	uint8_t kind;	 /* enum block_kind */
};

enum point_kind {
	POINT_FORK,
	POINT_SENT,
	POINT_BLOCK_BEGIN,
	POINT_BLOCK_END,
};

/* A moment at which one thread's past reaches another's. */
struct point {
	uint64_t time_ns;
	uint32_t event; /* their order at the same time */
	uint32_t thread;
	uint32_t block; /* NO_INDEX where it is about none */
	uint8_t kind;	/* enum point_kind */
};

struct piece {
	uint64_t start_ns, end_ns;
	uint32_t items;
};

struct thread_clock {
	uint64_t at_ns;		  /* gone through up to here */
	uint32_t next_block;	  /* of its own, in order of time */
	uint32_t pieces_of;	  /* the interval whose running time is in `pieces`, NO_INDEX: none */
	VEC(struct piece) pieces; /* latest first */
};

struct recomputation {
	const struct model *model;
	const struct request *request;
	what_if_items *items;
	void *context;
	size_t count;
	struct thread_clock *clocks; /* by thread */
	int64_t *ahead_ns;	     /* by thread and item */
	int64_t best_ns[WHAT_IF_ITEMS_MAX];
	VEC(struct block) blocks; /* by thread, then time */
	VEC(struct point) points;
	VEC(int64_t) before_ns;	     /* by block and item */
	struct thread_clock *filled; /* whose pieces are being made */
};

static int64_t *ahead_of(struct recomputation *of, uint32_t thread)
{
	return &of->ahead_ns[thread * of->count];
}

static void leave_out(struct recomputation *of, uint32_t thread, uint32_t items, uint64_t duration_ns)
{
	int64_t *ahead_ns = ahead_of(of, thread);

	for (size_t i = 0; items >> i && i < of->count; i++)
		ahead_ns[i] += items >> i & 1 ? (int64_t)duration_ns : 0;
}

static void note_best(struct recomputation *of, uint32_t thread)
{
	const int64_t *ahead_ns = ahead_of(of, thread);

	for (size_t i = 0; i < of->count; i++)
		of->best_ns[i] = ahead_ns[i] > of->best_ns[i] ? ahead_ns[i] : of->best_ns[i];
}

/* ---- what there is to order ---- */

static uint32_t items_of_block(const struct recomputation *of, const struct block *block,
			       const struct block_reading *reading)
{
	const struct interval *interval =
		&of->model->threads.list.items[block->thread].intervals.items[block->interval];
	struct tile tile = {
		.start_ns = block->start_ns,
		.end_ns = block->end_ns,
		.thread = block->thread,
		.evidence = reading->evidence,
		.span = reading->span,
		.interval = block->interval,
		.wake = reading->wake,
		.cause = (uint16_t)(reading->follow == NO_INDEX ? (int)reading->cause : WHAT_IF_WAIT_FOR_THREAD),
		.note = (uint8_t)reading->note,
		.inside = inside_of_span(of->model, block->thread, reading->span),
	};

	/* One that waited since before the request waited for something to do. */
	if (block_is_lock(reading) && interval->start_ns >= of->request->arrival_ns)
		tile.inside |= INSIDE_LOCK;
	return of->items(of->context, &tile);
}

static enum block_kind kind_of(const struct block *block, const struct block_reading *reading)
{
	if (block->follow != NO_INDEX)
		return reading->is_turn ? BLOCK_FOR_TURN : BLOCK_FOR_RESULT;
	if (reading->cause == CAUSE_UNEXPLAINED)
		return BLOCK_FOR_ANY;
	if (reading->is_poll && (reading->cause == CAUSE_WAIT_NETWORK || reading->cause == CAUSE_WAIT_NAME ||
				 reading->cause == CAUSE_WAIT_OTHER))
		return BLOCK_FOR_ANY;
	return BLOCK_AS_LONG;
}

static void add_points(struct recomputation *of, struct block *block, uint32_t event)
{
	uint32_t index = (uint32_t)of->blocks.count;

	if (block->kind == BLOCK_AS_LONG)
		return;
	if (block->kind == BLOCK_FOR_TURN) {
		block->before = (uint32_t)of->before_ns.count;
		for (size_t i = 0; i < of->count; i++)
			*vec_push(&of->before_ns) = 0;
		*vec_push(&of->points) = (struct point){
			block->start_ns,
			of->model->threads.list.items[block->thread].intervals.items[block->interval].event,
			block->thread, index, POINT_BLOCK_BEGIN};
	}
	*vec_push(&of->points) = (struct point){block->wake_ns, event, block->thread, index, POINT_BLOCK_END};
}

static void add_block(struct recomputation *of, uint32_t thread, uint32_t interval, uint64_t start_ns,
		      uint64_t end_ns)
{
	struct block block = {
		.start_ns = start_ns, .end_ns = end_ns, .wake_ns = end_ns, .thread = thread, .interval = interval};
	struct block_reading reading;

	block_read(of->model, thread, interval, end_ns, of->request->connection, &reading);
	block.follow = reading.follow == thread ? NO_INDEX : reading.follow;
	/* Later where it looked by itself before it was woken. */
	if (reading.wake != NO_INDEX && of->model->events[reading.wake]->time_ns < end_ns)
		block.wake_ns = of->model->events[reading.wake]->time_ns;
	block.kind = (uint8_t)kind_of(&block, &reading);
	block.items = items_of_block(of, &block, &reading);
	add_points(of, &block, reading.wake == NO_INDEX ? model_first_event_at(of->model, end_ns) : reading.wake);
	*vec_push(&of->blocks) = block;
}

static void collect_thread(struct recomputation *of, uint32_t index)
{
	const struct thread *thread = &of->model->threads.list.items[index];
	struct thread_clock *clock = &of->clocks[index];
	uint64_t start_ns = of->request->arrival_ns, end_ns = of->request->end_ns;
	uint32_t first = model_interval_at(of->model, index, start_ns);

	clock->at_ns = start_ns;
	clock->next_block = (uint32_t)of->blocks.count;
	clock->pieces_of = NO_INDEX;
	for (uint32_t i = first == NO_INDEX ? 0 : first; i < thread->intervals.count; i++) {
		const struct interval *interval = &thread->intervals.items[i];
		uint64_t to_ns = model_interval_end(of->model, index, i);

		if (interval->start_ns >= end_ns)
			break;
		/* One that goes on past the end explains nothing of it. */
		if (interval->state == INTERVAL_BLOCKED && to_ns <= end_ns)
			add_block(of, index, i, interval->start_ns > start_ns ? interval->start_ns : start_ns, to_ns);
	}
	if (thread->fork_event != NO_INDEX && thread->creator != NO_INDEX && thread->created_ns >= start_ns &&
	    thread->created_ns < end_ns)
		*vec_push(&of->points) =
			(struct point){thread->created_ns, thread->fork_event, index, NO_INDEX, POINT_FORK};
}

/* What a thread sends on a connection that it made is asked for then. */
static void collect_sends(struct recomputation *of)
{
	const struct model *model = of->model;
	uint64_t start_ns = of->request->arrival_ns, end_ns = of->request->end_ns;

	for (uint32_t i = model_first_event_at(model, start_ns); i < model->event_count; i++) {
		const struct event_socket_write *sent = MODEL_EVENT(model, i, socket_write);
		uint32_t thread;

		if (sent->header.time_ns >= end_ns)
			break;
		if (sent->header.kind != EVENT_SOCKET_WRITE || sent->flags & SOCKET_ACCEPTED)
			continue;
		thread = model_thread_at(model, sent->header.tid, sent->header.time_ns);

		uint64_t begin_ns = sent->header.time_ns - sent->duration_ns;

		if (thread != NO_INDEX)
			*vec_push(&of->points) = (struct point){begin_ns > start_ns ? begin_ns : start_ns, i, thread,
								NO_INDEX, POINT_SENT};
	}
}

static int compare_points(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* ---- one thread alone ---- */

static void take_piece(void *context, struct tile tile)
{
	struct recomputation *of = context;

	*vec_push(&of->filled->pieces) = (struct piece){tile.start_ns, tile.end_ns, of->items(of->context, &tile)};
}

static void run_until(struct recomputation *of, uint32_t thread, uint32_t interval, uint64_t end_ns, uint64_t time_ns)
{
	struct thread_clock *clock = &of->clocks[thread];

	if (clock->pieces_of != interval) {
		clock->pieces_of = interval;
		clock->pieces.count = 0;
		of->filled = clock;
		tiles_of_running(of->model, thread, interval, clock->at_ns, end_ns, of->request->arrival_ns,
				 of->request->end_ns, take_piece, of);
	}
	while (clock->pieces.count && clock->at_ns < time_ns) {
		const struct piece *piece = &clock->pieces.items[clock->pieces.count - 1];
		uint64_t to_ns = piece->end_ns < time_ns ? piece->end_ns : time_ns;

		if (piece->start_ns < time_ns && to_ns > clock->at_ns)
			leave_out(of, thread, piece->items, to_ns - clock->at_ns);
		if (to_ns < piece->end_ns)
			break;
		clock->at_ns = to_ns;
		clock->pieces.count--;
	}
}

static uint32_t items_of_ready(const struct recomputation *of, uint32_t thread, uint32_t index, uint64_t start_ns,
			       uint64_t end_ns)
{
	const struct interval *interval = &of->model->threads.list.items[thread].intervals.items[index];
	uint32_t span = model_span_at(of->model, thread, start_ns, NULL);
	const struct tile tile = {
		.start_ns = start_ns,
		.end_ns = end_ns,
		.thread = thread,
		.evidence = interval->event,
		.span = span,
		.interval = index,
		.wake = NO_INDEX,
		.cause = interval->flags & INTERVAL_THROTTLED ? CAUSE_CPU_THROTTLED : CAUSE_CPU_RUNNABLE,
		.inside = inside_of_span(of->model, thread, span),
	};

	return of->items(of->context, &tile);
}

/* The block of the thread that lies there, NULL where there is none. */
static const struct block *next_block(struct recomputation *of, uint32_t thread, uint32_t interval)
{
	struct thread_clock *clock = &of->clocks[thread];

	while (clock->next_block < of->blocks.count && of->blocks.items[clock->next_block].thread == thread &&
	       of->blocks.items[clock->next_block].interval < interval)
		clock->next_block++;
	if (clock->next_block < of->blocks.count && of->blocks.items[clock->next_block].thread == thread &&
	    of->blocks.items[clock->next_block].interval == interval)
		return &of->blocks.items[clock->next_block];
	return NULL;
}

/* Goes through what the thread did up to a time. */
static void advance(struct recomputation *of, uint32_t thread, uint64_t time_ns)
{
	struct thread_clock *clock = &of->clocks[thread];

	while (clock->at_ns < time_ns) {
		uint32_t index = model_interval_at(of->model, thread, clock->at_ns);
		const struct interval *interval;
		const struct block *block;
		uint64_t end_ns, to_ns;

		if (index == NO_INDEX) { /* before its first record */
			clock->at_ns = time_ns;
			return;
		}
		interval = &of->model->threads.list.items[thread].intervals.items[index];
		end_ns = model_interval_end(of->model, thread, index);
		to_ns = end_ns < time_ns ? end_ns : time_ns;
		switch ((enum interval_state)interval->state) {
		case INTERVAL_RUNNING:
			run_until(of, thread, index, end_ns < of->request->end_ns ? end_ns : of->request->end_ns,
				  to_ns);
			break;
		case INTERVAL_RUNNABLE:
			leave_out(of, thread, items_of_ready(of, thread, index, clock->at_ns, to_ns),
				  to_ns - clock->at_ns);
			break;
		case INTERVAL_BLOCKED:
			block = next_block(of, thread, index);
			if (block && block->kind == BLOCK_AS_LONG) /* of others the end decides */
				leave_out(of, thread, block->items, to_ns - clock->at_ns);
			break;
		case INTERVAL_UNKNOWN:
		case INTERVAL_ENDED:
			break;
		}
		clock->at_ns = to_ns;
	}
}

/* ---- one thread and another ---- */

static void begin_turn(struct recomputation *of, const struct block *block)
{
	const int64_t *holder_ns = ahead_of(of, block->follow);

	advance(of, block->follow, block->start_ns);
	for (size_t i = 0; i < of->count; i++)
		of->before_ns.items[block->before + i] = holder_ns[i];
}

/* How far a thread is ahead at the end of a wait, if `waker_ns` is what the thread that ends it is ahead then. */
static int64_t ahead_after(const struct recomputation *of, const struct block *block, size_t item, int64_t ahead_ns,
			   int64_t waker_ns)
{
	int64_t free_ns = ahead_ns + (int64_t)(block->end_ns - block->start_ns); /* it need not wait at all */
	int64_t after_ns = waker_ns + (int64_t)(block->end_ns - block->wake_ns);

	if (block->items >> item & 1)
		return free_ns;
	if (block->kind == BLOCK_FOR_TURN) {
		int64_t gain_ns = waker_ns - of->before_ns.items[block->before + item];
		int64_t with_gain_ns = ahead_ns + (gain_ns > 0 ? gain_ns : 0);

		after_ns = after_ns > with_gain_ns ? after_ns : with_gain_ns;
	}
	if (block->kind == BLOCK_FOR_ANY && after_ns < ahead_ns)
		after_ns = ahead_ns;
	return after_ns < free_ns ? after_ns : free_ns;
}

static void end_block(struct recomputation *of, const struct block *block)
{
	int64_t *ahead_ns = ahead_of(of, block->thread);
	const int64_t *waker_ns = of->best_ns;

	advance(of, block->thread, block->start_ns);
	if (block->follow != NO_INDEX) {
		advance(of, block->follow, block->wake_ns);
		waker_ns = ahead_of(of, block->follow);
	}
	for (size_t i = 0; i < of->count; i++)
		ahead_ns[i] = ahead_after(of, block, i, ahead_ns[i], waker_ns[i]);
	if (of->clocks[block->thread].at_ns < block->end_ns)
		of->clocks[block->thread].at_ns = block->end_ns;
	note_best(of, block->thread);
}

static void begin_thread(struct recomputation *of, uint32_t thread, uint64_t time_ns)
{
	uint32_t creator = of->model->threads.list.items[thread].creator;

	advance(of, creator, time_ns);
	for (size_t i = 0; i < of->count; i++)
		ahead_of(of, thread)[i] = ahead_of(of, creator)[i];
	of->clocks[thread].at_ns = time_ns;
}

static void pass_point(struct recomputation *of, const struct point *point)
{
	switch ((enum point_kind)point->kind) {
	case POINT_FORK:
		begin_thread(of, point->thread, point->time_ns);
		break;
	case POINT_SENT:
		advance(of, point->thread, point->time_ns);
		note_best(of, point->thread);
		break;
	case POINT_BLOCK_BEGIN:
		begin_turn(of, &of->blocks.items[point->block]);
		break;
	case POINT_BLOCK_END:
		end_block(of, &of->blocks.items[point->block]);
		break;
	}
}

void what_if_saved(const struct model *model, const struct request *request, what_if_items *items, void *context,
		   size_t count, int64_t *ret_saved_ns)
{
	size_t threads = model->threads.list.count;
	struct recomputation of = {
		.model = model, .request = request, .items = items, .context = context, .count = count};

	for (size_t i = 0; i < count; i++)
		ret_saved_ns[i] = 0;
	if (request->writer == NO_INDEX || request->end_ns <= request->arrival_ns || !model->threads.has_schedule)
		return;
	of.clocks = calloc(threads + 1, sizeof(*of.clocks));
	of.ahead_ns = calloc(threads * count + 1, sizeof(*of.ahead_ns));
	if (!of.clocks || !of.ahead_ns)
		memory_exhausted();
	for (uint32_t i = 0; i < threads; i++)
		collect_thread(&of, i);
	collect_sends(&of);
	if (of.points.count)
		qsort(of.points.items, of.points.count, sizeof(*of.points.items), compare_points);
	for vec_each(point, &of.points)
		pass_point(&of, point);
	advance(&of, request->writer, request->end_ns);
	for (size_t i = 0; i < count; i++)
		ret_saved_ns[i] = ahead_of(&of, request->writer)[i];
	for (size_t i = 0; i < threads; i++)
		vec_done(&of.clocks[i].pieces);
	vec_done(&of.blocks);
	vec_done(&of.points);
	vec_done(&of.before_ns);
	free(of.clocks);
	free(of.ahead_ns);
}
