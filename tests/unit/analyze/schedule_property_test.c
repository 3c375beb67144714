/* Random schedules against a second, plain definition of the critical path: who owns an instant is asked instant by
 * instant, from the simulated truth. Every path must tile exactly and agree with it; with a kind of record left out,
 * or lost for a while, an instant may only become unexplained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/path.h"
#include "analyze/what_if.h"
#include "base/auto.h"
#include "base/vec.h"
#include "format/event.h"

enum {
	THREADS = 6,
	TICKS = 400,
	TICK_NS = 1000,
	STEP_NS = 100, /* everything happens at multiples of this */
	PID = 100,
	SOCKET = 7,
	SCHEDULES = 150,
};

enum state { RUNS, READY, WAITS, SLEEPS };

struct stretch {
	uint64_t start_ns, end_ns;
	enum state state;
	uint32_t waker;			     /* WAITS: the thread that ended it */
	uint64_t fill_start_ns, fill_end_ns; /* RUNS: a stack trace is filled */
};

struct thread_truth {
	VEC(struct stretch) stretches;
	uint64_t wake_at_ns; /* SLEEPS */
};

struct truth {
	struct thread_truth threads[THREADS];
	VEC(struct event_header *) events; /* each allocated on its own */
	struct event_builder builder;
	uint64_t random;
	uint64_t start_ns, end_ns;
};

static uint32_t random_below(struct truth *truth, uint32_t limit)
{
	truth->random = truth->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(truth->random >> 33) % limit;
}

/* ---- records ---- */

static void keep(struct truth *truth)
{
	const struct event_header *event = event_end(&truth->builder);
	struct event_header *copy = malloc(event->size + 8);

	assert_non_null(copy);
	memcpy(copy, event, event->size);
	*vec_push(&truth->events) = copy;
}

#define RECORD(truth, NAME, name, time_ns, thread, ...)                                                              \
	do {                                                                                                         \
		struct event_##name *record_ =                                                                       \
			event_begin(&(truth)->builder, EVENT_##NAME, time_ns, PID, PID + (thread));                  \
		struct event_header header_ = record_->header;                                                       \
		*record_ = (struct event_##name){.header = header_, __VA_ARGS__};                                    \
		keep(truth);                                                                                         \
	} while (0)

static void record_transfer(struct truth *truth, enum event_kind kind, uint64_t time_ns, const char *text)
{
	struct event_socket_read *transfer = event_begin(&truth->builder, kind, time_ns, PID, PID);

	transfer->result = (int64_t)strlen(text);
	transfer->socket = SOCKET;
	transfer->flags = SOCKET_ACCEPTED;
	transfer->port = 8080;
	transfer->peer_port = 5000;
	event_add_bytes(&truth->builder, text, strlen(text));
	keep(truth);
}

/* ---- the simulation ---- */

static struct stretch *last(struct truth *truth, uint32_t thread)
{
	return &truth->threads[thread].stretches.items[truth->threads[thread].stretches.count - 1];
}

static void enter(struct truth *truth, uint32_t thread, enum state state, uint64_t time_ns)
{
	if (truth->threads[thread].stretches.count)
		last(truth, thread)->end_ns = time_ns;
	*vec_push(&truth->threads[thread].stretches) =
		(struct stretch){.start_ns = time_ns, .end_ns = time_ns, .state = state};
}

static void wake_others(struct truth *truth, uint32_t thread, uint64_t time_ns)
{
	uint32_t target = random_below(truth, THREADS);

	if (target == thread || last(truth, target)->state != WAITS || last(truth, target)->start_ns == time_ns)
		return;
	RECORD(truth, WAKE, wake, time_ns, thread, .target_pid = PID, .target_tid = PID + target,
	       .context = CONTEXT_THREAD);
	last(truth, target)->waker = thread;
	enter(truth, target, READY, time_ns);
}

static void leave_cpu(struct truth *truth, uint32_t thread, uint64_t time_ns)
{
	/* One thread never waits for others, so that somebody is left to wake them. */
	uint32_t choice = random_below(truth, thread == THREADS - 1 ? 2 : 4);

	if (choice == 0) {
		RECORD(truth, SWITCH_OUT, switch_out, time_ns, thread, .flags = SWITCH_PREEMPTED);
		enter(truth, thread, READY, time_ns);
	} else if (choice == 1) {
		RECORD(truth, SWITCH_OUT, switch_out, time_ns, thread, .state = 1, .syscall_number = 35 + 1);
		truth->threads[thread].wake_at_ns = time_ns - 5 * STEP_NS + (1 + random_below(truth, 30)) * TICK_NS;
		enter(truth, thread, SLEEPS, time_ns);
	} else {
		RECORD(truth, SWITCH_OUT, switch_out, time_ns, thread, .state = 1, .syscall_number = 202 + 1);
		enter(truth, thread, WAITS, time_ns);
	}
}

/* In each tick: sleepers wake at its begin, then running threads wake others, then leave, then ready ones begin. */
static void tick(struct truth *truth, uint64_t time_ns)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		if (last(truth, thread)->state == SLEEPS && truth->threads[thread].wake_at_ns == time_ns) {
			struct event_wake *wake = event_begin(&truth->builder, EVENT_WAKE, time_ns, 0, 0);

			wake->target_pid = PID;
			wake->target_tid = PID + thread;
			wake->context = CONTEXT_TIMER;
			keep(truth);
			enter(truth, thread, READY, time_ns);
		}
	}
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		if (last(truth, thread)->state == RUNS && random_below(truth, 4) == 0)
			wake_others(truth, thread, time_ns + STEP_NS * (1 + thread % 3));
	}
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		if (last(truth, thread)->state == RUNS && random_below(truth, 12) == 0)
			leave_cpu(truth, thread, time_ns + 5 * STEP_NS);
	}
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		if (last(truth, thread)->state == READY && random_below(truth, 3) == 0) {
			RECORD(truth, SWITCH_IN, switch_in, time_ns + 7 * STEP_NS, thread, .previous_tid = 1);
			enter(truth, thread, RUNS, time_ns + 7 * STEP_NS);
		}
	}
}

static void add_exceptions(struct truth *truth)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		for vec_each(stretch, &truth->threads[thread].stretches) {
			if (stretch->state != RUNS || stretch->end_ns - stretch->start_ns < 4 * STEP_NS ||
			    random_below(truth, 2))
				continue;
			stretch->fill_start_ns = stretch->start_ns + STEP_NS;
			stretch->fill_end_ns = stretch->end_ns - STEP_NS;
			RECORD(truth, EXCEPTION, exception, stretch->fill_end_ns, thread,
			       .duration_ns = stretch->fill_end_ns - stretch->fill_start_ns, .count = 1);
		}
	}
}

/* Thread 0 writes the response: the run ends when it happens to run. */
static void simulate(struct truth *truth, uint64_t seed)
{
	uint64_t time_ns = TICK_NS;

	truth->random = seed;
	RECORD(truth, EXEC, exec, 0, 0, .parent_pid = 1);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		RECORD(truth, SWITCH_IN, switch_in, 500, thread, .previous_tid = 1);
		enter(truth, thread, RUNS, 500);
	}
	RECORD(truth, SOCKET_ACCEPT, socket_accept, 600, 0, .result = 4, .socket = SOCKET, .port = 8080,
	       .peer_port = 5000);
	for (uint32_t i = 0; i < 20; i++, time_ns += TICK_NS)
		tick(truth, time_ns);
	truth->start_ns = time_ns;
	RECORD(truth, SOCKET_ARRIVAL, socket_arrival, truth->start_ns, 800, .socket = SOCKET, .length = 18,
	       .port = 8080);
	for (uint32_t i = 0; i < TICKS || last(truth, 0)->state != RUNS; i++) {
		assert_true(i < 100 * TICKS);
		tick(truth, time_ns);
		time_ns += TICK_NS;
	}
	for (uint32_t thread = 0; thread < THREADS; thread++)
		last(truth, thread)->end_ns = time_ns;
	truth->end_ns = time_ns - STEP_NS;
	add_exceptions(truth);
	/* The read has no place on the path: it is what makes the connection's bytes a request. */
	record_transfer(truth, EVENT_SOCKET_READ, truth->end_ns, "GET / HTTP/1.1\r\n\r\n");
	record_transfer(truth, EVENT_SOCKET_WRITE, truth->end_ns, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

static void truth_done(struct truth *truth)
{
	for (uint32_t thread = 0; thread < THREADS; thread++)
		vec_done(&truth->threads[thread].stretches);
	for vec_each(event, &truth->events)
		free(*event);
	vec_done(&truth->events);
	event_builder_done(&truth->builder);
}

/* ---- the plain definition ---- */

struct owner {
	uint32_t thread;
	enum cause cause;
};

static struct owner owner_at(const struct truth *truth, uint32_t thread, uint64_t time_ns)
{
	for vec_each(stretch, &truth->threads[thread].stretches) {
		if (time_ns < stretch->start_ns || time_ns >= stretch->end_ns)
			continue;
		if (stretch->state == WAITS)
			return owner_at(truth, stretch->waker, time_ns);
		if (stretch->state == RUNS) {
			bool is_filling = time_ns >= stretch->fill_start_ns && time_ns < stretch->fill_end_ns;

			return (struct owner){thread, is_filling ? CAUSE_EXCEPTION_FILL : CAUSE_CODE_UNSPLIT};
		}
		return (struct owner){thread, stretch->state == READY ? CAUSE_CPU_RUNNABLE : CAUSE_WAIT_TIMER};
	}
	return (struct owner){NO_INDEX, CAUSE_UNEXPLAINED};
}

/* ---- comparing ---- */

struct omission {
	uint32_t kind;			     /* all records of it, 0: none */
	uint64_t lost_start_ns, lost_end_ns; /* all scheduling records in it, with a LOSS */
};

static bool is_schedule(const struct event_header *event)
{
	return event->kind == EVENT_SWITCH_OUT || event->kind == EVENT_SWITCH_IN || event->kind == EVENT_WAKE;
}

static struct model *load(struct truth *truth, const struct omission *omission)
{
	struct model_builder *builder = model_begin();
	struct model *model = NULL;

	for vec_each(event, &truth->events) {
		bool is_lost = (*event)->time_ns >= omission->lost_start_ns &&
			       (*event)->time_ns < omission->lost_end_ns && is_schedule(*event);

		if ((*event)->kind != omission->kind && !is_lost)
			model_add(builder, *event);
	}
	if (omission->lost_end_ns) {
		struct event_loss *loss = event_begin(&truth->builder, EVENT_LOSS, omission->lost_end_ns, 0, 0);

		loss->start_ns = omission->lost_start_ns;
		loss->end_ns = omission->lost_end_ns;
		loss->count = 1;
		loss->lost_kind = EVENT_SWITCH_OUT;
		model_add(builder, event_end(&truth->builder));
	}

	struct err *err = model_finish(builder, &model);

	if (err)
		fail_msg("%s", err->message);
	return model;
}

static uint32_t tid_at(const struct model *model, const struct tile *tile)
{
	return tile->thread == NO_INDEX ? 0 : model->threads.list.items[tile->thread].tid - PID;
}

enum { ITEM_FILLS = 1, ITEM_ALL = 2, ITEM_COUNT = 3 }; /* the third is of no tile */

static uint32_t items_of(void *context, const struct tile *tile)
{
	(void)context;
	return ITEM_ALL | (tile->cause == CAUSE_EXCEPTION_FILL ? ITEM_FILLS : 0);
}

/* Without all of it nothing is left, without nothing all is: where the records are whole, all is known. */
static void check_what_if(const struct model *model, const struct request *request, bool is_whole, uint64_t seed)
{
	int64_t saved_ns[ITEM_COUNT], latency_ns = (int64_t)(request->end_ns - request->arrival_ns);

	what_if_saved(model, request, items_of, NULL, ITEM_COUNT, saved_ns);
	for (size_t i = 0; i < ITEM_COUNT; i++) {
		if (saved_ns[i] < 0 || saved_ns[i] > (latency_ns > 0 ? latency_ns : 0))
			fail_msg("seed %llu: %lld of %lld ns are saved", (unsigned long long)seed,
				 (long long)saved_ns[i], (long long)latency_ns);
	}
	assert_int_equal(saved_ns[2], 0);
	if (is_whole)
		assert_int_equal(saved_ns[1], latency_ns);
}

/* Returns how many instants are explained. */
static size_t check(struct truth *truth, uint64_t seed, const struct omission *omission)
{
	struct model *model auto_done(model_free) = load(truth, omission);
	struct path_walker *walker = path_walker_new(model);
	struct path path = {};
	struct arena arena auto_done(arena_done) = {};
	bool is_whole = omission->kind == 0 && omission->lost_end_ns == 0;
	size_t explained = 0, at = 0;

	assert_int_equal(model->requests.list.count, 1);
	path_walk(walker, &model->requests.list.items[0], &path);

	const char *wrong = path_check(model, &path, &arena);

	if (wrong)
		fail_msg("seed %llu without kind %u: %s", (unsigned long long)seed, omission->kind, wrong);
	check_what_if(model, &model->requests.list.items[0], is_whole, seed);
	assert_int_equal(path.start_ns, truth->start_ns);
	assert_int_equal(path.end_ns, truth->end_ns);
	for (uint64_t time_ns = truth->start_ns; time_ns < truth->end_ns; time_ns += STEP_NS) {
		while (path.tiles.items[at].end_ns <= time_ns)
			at++;

		const struct tile *tile = &path.tiles.items[at];
		struct owner owner = owner_at(truth, 0, time_ns);
		bool is_enclosing = omission->kind == EVENT_EXCEPTION && owner.cause == CAUSE_EXCEPTION_FILL &&
				    tile->cause == CAUSE_CODE_UNSPLIT && tid_at(model, tile) == owner.thread;

		if (tile->cause == CAUSE_UNEXPLAINED && !is_whole)
			continue;
		if (!is_enclosing && (tile->cause != owner.cause || tid_at(model, tile) != owner.thread))
			fail_msg("seed %llu without kind %u (lost %llu..%llu): at %llu %s of thread %u, expected %s "
				 "of %u",
				 (unsigned long long)seed, omission->kind,
				 (unsigned long long)omission->lost_start_ns,
				 (unsigned long long)omission->lost_end_ns, (unsigned long long)time_ns,
				 cause_name((enum cause)tile->cause), tid_at(model, tile), cause_name(owner.cause),
				 owner.thread);
		explained++;
	}
	vec_done(&path.tiles);
	path_walker_free(walker);
	return explained;
}

static void random_schedules_agree_with_the_plain_definition(void **state)
{
	static const uint32_t kinds[] = {0, EVENT_SWITCH_OUT, EVENT_SWITCH_IN, EVENT_WAKE, EVENT_EXCEPTION};
	size_t explained[array_length(kinds)] = {};

	(void)state;
	for (uint64_t seed = 1; seed <= SCHEDULES; seed++) {
		struct truth truth auto_done(truth_done) = {};

		simulate(&truth, seed);
		for (size_t i = 0; i < array_length(kinds); i++)
			explained[i] += check(&truth, seed, &(struct omission){.kind = kinds[i]});
		for (int i = 0; i < 3; i++) {
			uint64_t length_ns = truth.end_ns - truth.start_ns;
			uint64_t start_ns = truth.start_ns + random_below(&truth, (uint32_t)length_ns);
			struct omission lost = {.lost_start_ns = start_ns,
						.lost_end_ns = start_ns + 1 + random_below(&truth, 60 * TICK_NS)};

			check(&truth, seed, &lost);
		}
	}
	/* The test is worth something only where leaving records out leaves some of it explained, and less than all.
	 */
	for (size_t i = 1; i + 1 < array_length(kinds); i++) {
		assert_true(explained[i] > 0);
		assert_true(explained[i] < explained[0]);
	}
}

/* ---- nonsense ---- */

/* Records of every kind with random fields: whatever they say, the window is tiled and nothing is invented. */
static void nonsense_is_tiled_too(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SCHEDULES; seed++) {
		struct truth truth auto_done(truth_done) = {.random = seed * 77};
		struct model_builder *builder = model_begin();
		struct model *model = NULL;

		RECORD(&truth, EXEC, exec, 0, 0, .parent_pid = 1);
		RECORD(&truth, SOCKET_ACCEPT, socket_accept, 10, 0, .result = 4, .socket = SOCKET, .port = 8080);
		RECORD(&truth, SOCKET_ARRIVAL, socket_arrival, 1000, 0, .socket = SOCKET, .length = 18);
		record_transfer(&truth, EVENT_SOCKET_READ, 2000, "GET / HTTP/1.1\r\n\r\n");
		for (int i = 0; i < 400; i++) {
			uint32_t kind = 1 + random_below(&truth, EVENT_RUN_TEXT - 1);
			struct event_fork *record;

			if (kind >= EVENT_SOCKET_LISTEN && kind <= EVENT_SOCKET_CLOSE)
				continue;
			if (kind == 16 || kind == 17 || kind == 18 || kind == 19 || kind == 28 || kind == 29 ||
			    kind == 39 || kind > EVENT_VM_WAIT)
				continue;
			record = event_begin(&truth.builder, (enum event_kind)kind, random_below(&truth, 120000), PID,
					     PID + random_below(&truth, THREADS));

			size_t fixed = truth.builder.length_bytes - sizeof(record->header);

			for (size_t byte = 0; byte < fixed; byte += 4)
				((uint32_t *)(&record->header + 1))[byte / 4] =
					random_below(&truth, 3) ? random_below(&truth, 8)
								: PID + random_below(&truth, THREADS);
			keep(&truth);
		}
		record_transfer(&truth, EVENT_SOCKET_WRITE, 100000, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		for vec_each(event, &truth.events)
			model_add(builder, *event);
		assert_null(model_finish(builder, &model));

		struct path_walker *walker = path_walker_new(model);
		struct arena arena auto_done(arena_done) = {};
		struct path path = {};

		for vec_each(request, &model->requests.list) {
			path_walk(walker, request, &path);

			const char *wrong = path_check(model, &path, &arena);

			if (wrong)
				fail_msg("seed %llu: %s", (unsigned long long)seed, wrong);
			check_what_if(model, request, false, seed);
		}
		assert_true(model->requests.list.count >= 1);
		vec_done(&path.tiles);
		path_walker_free(walker);
		model_free(&model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_schedules_agree_with_the_plain_definition),
		cmocka_unit_test(nonsense_is_tiled_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
