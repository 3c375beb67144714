/* Every trace under traces/ against the sums in its header, which were worked out by hand, and against the promises
 * that hold for every path:
 *
 *	# expect requests 1                  how many requests there are
 *	# expect 0 latency 40ms              of request 0
 *	# expect 0 code.c1 38ms              its time by cause: causes that are not named must be zero
 *	# expect 0 thread 102 5ms            its time on a thread
 *	# expect 0 arrival 10ms              from exec
 *	# expect contradictions              it contradicts itself: leaving a kind out may hide that
 *
 * With each kind of record left out in turn, time may only move to what encloses it and is still proven, or become
 * unexplained. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/path.h"
#include "base/auto.h"
#include "unit/model/trace.h"

enum { REQUESTS_MAX = 16 };

static int64_t parse_time(const char *text)
{
	char *unit;
	double number = strtod(text, &unit);
	double scale = strcmp(unit, "ms") == 0	 ? 1e6
		       : strcmp(unit, "us") == 0 ? 1e3
		       : strcmp(unit, "s") == 0	 ? 1e9
						 : 1;

	return (int64_t)(number * scale + 0.5);
}

struct walked {
	struct model *model;
	size_t count;
	struct path paths[REQUESTS_MAX];
};

static void walked_done(struct walked *walked)
{
	for (size_t i = 0; i < REQUESTS_MAX; i++)
		vec_done(&walked->paths[i].tiles);
	model_free(&walked->model);
}

/* Walks every request and checks the promises. */
static void walk_all(const char *name, struct walked *walked)
{
	struct path_walker *walker = path_walker_new(walked->model);
	struct arena arena = {};

	walked->count = walked->model->requests.list.count;
	assert_true(walked->count <= REQUESTS_MAX);
	for (size_t i = 0; i < walked->count; i++) {
		path_walk(walker, &walked->model->requests.list.items[i], &walked->paths[i]);

		const char *wrong = path_check(walked->model, &walked->paths[i], &arena);

		if (wrong)
			fail_msg("%s, request %zu: %s", name, i, wrong);
	}
	arena_done(&arena);
	path_walker_free(walker);
}

static void load(const char *name, const char *text, size_t length, uint32_t without, struct walked *walked)
{
	struct err *err = trace_load_text(text, length, name, without, &walked->model);

	if (err) {
		char *line = err_line(err);

		fail_msg("%s", line);
	}
	walk_all(name, walked);
}

static void print_path(const struct walked *walked, size_t request)
{
	for vec_each(tile, &walked->paths[request].tiles)
		print_message("  %10.3f %10.3f us  tid %u  %s%s\n",
			      (double)(tile->start_ns - walked->model->exec_ns) / 1e3,
			      (double)(tile->end_ns - tile->start_ns) / 1e3,
			      tile->thread == NO_INDEX ? 0 : walked->model->threads.list.items[tile->thread].tid,
			      cause_name((enum cause)tile->cause), tile->is_estimated ? " (estimated)" : "");
}

/* ---- what a trace's header expects ---- */

struct expected {
	bool is_named[REQUESTS_MAX];
	int64_t causes[REQUESTS_MAX][CAUSE_COUNT];
};

static int64_t time_on_thread(const struct walked *walked, size_t request, uint32_t tid)
{
	int64_t sum_ns = 0;

	for vec_each(tile, &walked->paths[request].tiles) {
		if (tile->thread != NO_INDEX && walked->model->threads.list.items[tile->thread].tid == tid)
			sum_ns += (int64_t)(tile->end_ns - tile->start_ns);
	}
	return sum_ns;
}

static void check_value(const char *name, const struct walked *walked, size_t request, const char *what, int64_t is,
			int64_t should)
{
	if (is == should)
		return;
	print_path(walked, request);
	fail_msg("%s, request %zu: %s is %lld ns, expected %lld", name, request, what, (long long)is,
		 (long long)should);
}

static void check_request_line(const char *name, const struct walked *walked, size_t request, const char *what,
			       const char *first, const char *second, struct expected *expected)
{
	const struct request *of;
	enum cause cause;

	if (request >= walked->count)
		fail_msg("%s: there is no request %zu", name, request);
	of = &walked->model->requests.list.items[request];
	if (strcmp(what, "latency") == 0) {
		check_value(name, walked, request, what, (int64_t)(of->end_ns - of->arrival_ns), parse_time(first));
	} else if (strcmp(what, "arrival") == 0) {
		check_value(name, walked, request, what, (int64_t)(of->arrival_ns - walked->model->exec_ns),
			    parse_time(first));
	} else if (strcmp(what, "thread") == 0) {
		check_value(name, walked, request, what, time_on_thread(walked, request, (uint32_t)atoi(first)),
			    parse_time(second));
	} else if (cause_from_name(what, &cause)) {
		expected->is_named[request] = true;
		expected->causes[request][cause] = parse_time(first);
	} else {
		fail_msg("%s: nothing is known of '%s'", name, what);
	}
}

static void check_causes(const char *name, const struct walked *walked, const struct expected *expected)
{
	for (size_t i = 0; i < walked->count; i++) {
		int64_t causes[CAUSE_COUNT];
		bool estimated[CAUSE_COUNT];

		if (!expected->is_named[i])
			continue;
		path_causes(&walked->paths[i], causes, estimated);
		for (int cause = 0; cause < CAUSE_COUNT; cause++)
			check_value(name, walked, i, cause_name((enum cause)cause), causes[cause],
				    expected->causes[i][cause]);
	}
}

static void check_header(const char *name, const char *text, const struct walked *walked)
{
	struct expected *expected = calloc(1, sizeof(*expected));
	size_t lines = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char words[4][64] = {};
		size_t request;

		if (sscanf(line, "# expect %63s %63s %63s %63s", words[0], words[1], words[2], words[3]) < 1 ||
		    strcmp(words[0], "contradictions") == 0)
			continue;
		lines++;
		if (strcmp(words[0], "requests") == 0)
			assert_int_equal(walked->count, atoi(words[1]));
		else if (sscanf(words[0], "%zu", &request) == 1)
			check_request_line(name, walked, request, words[1], words[2], words[3], expected);
		else
			fail_msg("%s: nothing is known of '%s'", name, words[0]);
	}
	if (lines == 0)
		fail_msg("%s expects nothing", name);
	check_causes(name, walked, expected);
	free(expected);
}

/* ---- without a kind of evidence ---- */

static bool is_code(int cause)
{
	return cause >= CAUSE_CODE_INTERPRETED && cause <= CAUSE_CODE_UNSPLIT;
}

static bool is_of_span(int cause)
{
	return is_code(cause) || (cause >= CAUSE_CLASS_FIND && cause <= CAUSE_FILE_CLOSE) ||
	       cause == CAUSE_KERNEL_SYSCALL || cause == CAUSE_KERNEL_INTERRUPT || cause >= CAUSE_FAULT_MINOR;
}

/* Where time may go when a kind of record is missing: what encloses it and is still proven, or `unexplained`. */
static bool may_take(uint32_t kind, int cause)
{
	if (cause == CAUSE_UNEXPLAINED)
		return true;
	switch ((enum event_kind)kind) {
	case EVENT_SYSCALL: /* what a call waited for: which child is not known any more */
		return is_of_span(cause) || cause == CAUSE_WAIT_CHILD;
	case EVENT_EXIT:
		return cause == CAUSE_WAIT_CHILD;
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_MAP:
	case EVENT_INTERRUPT:
	case EVENT_EXCEPTION:
	case EVENT_NATIVE_THROW:
	case EVENT_NATIVE_CATCH:
	case EVENT_CLASS_LOAD:
	case EVENT_CLASS_LOADED:
	case EVENT_CLASS_PARSE:
	case EVENT_CLASS_LINK:
	case EVENT_CLASS_INIT:
	case EVENT_CLASS_RETURN:
		return is_of_span(cause);
	case EVENT_FAULT: /* within a call, the switch itself still says that the disk was waited for */
		return is_of_span(cause) || cause == CAUSE_WAIT_DISK;
	case EVENT_SAMPLE:
		return cause == CAUSE_CODE_UNSPLIT;
	case EVENT_SOCKET_CONNECT: /* the network woke the thread: whose name it asked for is not known any more */
	case EVENT_SOCKET_ACCEPT:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
	case EVENT_SOCKET_ARRIVAL:
		return cause == CAUSE_WAIT_NETWORK || is_of_span(cause);
	case EVENT_WAKE: /* the fault that a wait lies in is proven as a whole */
		return cause >= CAUSE_FAULT_MINOR;
	case EVENT_FORK: /* before its first record nothing is known of a thread: the wait for it is what is left */
		return (cause >= CAUSE_LOCK_MONITOR && cause <= CAUSE_LOCK_VM) || cause == CAUSE_WAIT_CHILD;
	case EVENT_VM_WAIT: /* the path of the thread that ended the wait explains it then, or the timer that did */
		if (cause == CAUSE_WAIT_TIMER)
			return true;
		/* fall through */
	case EVENT_SAFEPOINT:
	case EVENT_GC:
	case EVENT_VM_OPERATION:
	case EVENT_COMPILE:
		return is_of_span(cause) || cause == CAUSE_GC_PAUSE || cause == CAUSE_SAFEPOINT_WAIT ||
		       cause == CAUSE_JIT_WAIT;
	default:
		return false;
	}
}

static void check_without(const char *name, const char *text, size_t length, const struct walked *whole,
			  uint32_t kind)
{
	struct walked less auto_done(walked_done) = {};

	load(name, text, length, kind, &less);
	if (less.count != whole->count)
		return; /* requests themselves are made of this kind */
	for (size_t i = 0; i < whole->count; i++) {
		int64_t before[CAUSE_COUNT], after[CAUSE_COUNT];
		bool estimated[CAUSE_COUNT];

		if (whole->paths[i].start_ns != less.paths[i].start_ns ||
		    whole->paths[i].end_ns != less.paths[i].end_ns)
			continue;
		path_causes(&whole->paths[i], before, estimated);
		path_causes(&less.paths[i], after, estimated);
		for (int cause = 0; cause < CAUSE_COUNT; cause++) {
			if (after[cause] <= before[cause] || may_take(kind, cause))
				continue;
			print_path(&less, i);
			fail_msg("%s without kind %u: %s of request %zu grew from %lld to %lld ns", name, kind,
				 cause_name((enum cause)cause), i, (long long)before[cause], (long long)after[cause]);
		}
	}
}

/* ---- the test ---- */

static void check_trace(const char *name)
{
	char path[300];
	size_t length = 0;

	snprintf(path, sizeof(path), "traces/%s", name);

	auto_free char *text = trace_read(path, &length);

	assert_non_null(text);

	struct walked walked auto_done(walked_done) = {};

	load(name, text, length, 0, &walked);
	check_header(name, text, &walked);
	if (strstr(text, "# expect contradictions\n"))
		return;
	for (uint32_t kind = EVENT_FORK; kind < EVENT_RUN_TEXT; kind++) {
		if (walked.model->kind_counts[kind])
			check_without(name, text, length, &walked, kind);
	}
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 6 && strcmp(entry->d_name + length - 6, ".trace") == 0;
}

static void every_trace_gives_its_sums(void **state)
{
	struct dirent **entries;
	int count = scandir("traces", &entries, is_trace, alphasort);

	(void)state;
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		check_trace(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_trace_gives_its_sums)};

	if (argc == 2) { /* one trace, while it is being written */
		struct walked walked auto_done(walked_done) = {};
		size_t length = 0;
		auto_free char *text = trace_read(argv[1], &length);

		if (!text)
			return 1;
		load(argv[1], text, length, 0, &walked);
		for (size_t i = 0; i < walked.count; i++) {
			print_message("request %zu, %.3f us\n", i,
				      (double)(walked.paths[i].end_ns - walked.paths[i].start_ns) / 1e3);
			print_path(&walked, i);
		}
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
