/* In what order the runs are made, and what is made of each. */
#include <stdlib.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/fmt.h"
#include "cli/bench.h"
#include "cli/helper_run.h"
#include "parse/jvm_log.h"

/* splitmix64: any seed will do, 0 too. */
static uint64_t draw(uint64_t *state)
{
	uint64_t value = *state += 0x9e3779b97f4a7c15ull;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

/* Each round has every scenario once: the machine's drift falls on all of them alike. */
static void shuffle(uint32_t *order, size_t count, uint64_t *state)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = draw(state) % i;
		uint32_t kept = order[i - 1];

		order[i - 1] = order[other];
		order[other] = kept;
	}
}

/* ---- one measured run ---- */

static struct err *take_run(struct bench *bench, struct bench_scenario *scenario,
			    const struct bench_run_result *result)
{
	struct run_figures figures;

	if (result->has_failed) {
		scenario->died++;
		scenario->last_log = result->log;
		compare_add_failure(bench->comparing.compare, scenario->number, result->why_failed);
		bench_say(bench, "a run of %s failed: %s", scenario->name, result->why_failed);
		return NULL;
	}
	TRY(comparing_add_recording(&bench->comparing, scenario->number, result->recording, scenario->training,
				    &figures));
	scenario->answered++;
	scenario->jvm_major = atoi(figures.place.runtime);
	scenario->refused +=
		(scenario->has_cache || figures.cache.requested.state == KNOWN) && !figures.cache.is_mapped;
	return NULL;
}

/* Only where nothing could be recorded at all is the rest not worth trying. */
static struct err *run_once(struct bench *bench, struct bench_scenario *scenario, uint64_t number, bool is_first)
{
	struct bench_run run = {
		.kind = BENCH_MEASURED,
		.command = java_command_with(&scenario->java, scenario->java_options, NULL, &bench->arena),
		.name = arena_format(&bench->arena, "%s-%llu", scenario->name, (unsigned long long)number),
	};
	struct bench_run_result result;
	struct err *err = bench_record(bench, &run, &result);

	if (err && !is_first && err->kind == ERR_FAILED) {
		auto_free char *line = err_line(err);

		err_free(err);
		bench_say(bench, "a run of %s failed: %s", scenario->name, line ? line : "out of memory");
		compare_add_failure(bench->comparing.compare, scenario->number, line);
		return NULL;
	}
	TRY(err);
	return result.was_interrupted ? NULL : take_run(bench, scenario, &result);
}

/* ---- all of them ---- */

static void say_progress(struct bench *bench, const struct bench_scenario *scenario, uint64_t done, uint64_t all,
			 uint64_t started_ns)
{
	uint64_t each_ns = done ? (clock_now_ns() - started_ns) / done : 0;
	const char *left =
		done ? arena_format(&bench->arena, ", about %s left",
				    fmt_duration((int64_t)(each_ns * (all - done)) / 1000000000 * 1000000000).text)
		     : "";

	bench_progress(bench, "run %llu of %llu: %s%s", (unsigned long long)(done + 1), (unsigned long long)all,
		       scenario->name, left);
	if (bench->options->is_verbose)
		bench_say(bench, "run %llu of %llu: %s%s", (unsigned long long)(done + 1), (unsigned long long)all,
			  scenario->name, left);
}

static struct err *run_rounds(struct bench *bench)
{
	uint32_t *order = arena_array(&bench->arena, uint32_t, bench->scenarios.count + 1);
	uint64_t state = bench->seed, done = 0, started_ns = clock_now_ns();
	size_t count = 0;

	for (uint32_t i = 0; i < bench->scenarios.count; i++)
		if (!bench->scenarios.items[i].why_not)
			order[count++] = i;
	for (uint64_t round = 0; round < bench->options->runs; round++) {
		shuffle(order, count, &state);
		for (size_t i = 0; i < count; i++) {
			struct bench_scenario *scenario = &bench->scenarios.items[order[i]];

			bench->was_interrupted |= interruption_seen();
			if (bench->was_interrupted)
				return NULL;
			say_progress(bench, scenario, done, bench->options->runs * count, started_ns);
			TRY(run_once(bench, scenario, round + 1, done == 0));
			done++;
		}
	}
	return NULL;
}

/* ---- why a cache was refused ---- */

/* "its clause: the JVM says "MESSAGE"". */
static const char *refusal_in(struct bench *bench, const char *path)
{
	size_t length, message_length;
	const char *text = helper_text(path, &bench->arena, &length), *message;
	enum refusal refusal;

	if (!jvm_log_refusal(text, length, &refusal, &message, &message_length))
		return NULL;
	return arena_format(&bench->arena, "%s (the JVM: \"%.*s\")", refusal_words(refusal), (int)message_length,
			    message);
}

static const char *log_option(struct bench *bench, const struct bench_scenario *scenario, const char *path)
{
	/* Messages about archives moved from the tag cds to aot with JDK 25, and a tag that a JVM does not know is an
	 * error. */
	const char *tags = scenario->jvm_major >= 25   ? "aot*=info,cds*=info,class+path=info"
			   : scenario->jvm_major >= 10 ? "cds*=info,class+path=info"
						       : "all=warning,cds*=info,class+path=info";

	return arena_format(&bench->arena, "-Xlog:%s:file=%s", tags, path);
}

static struct err *ask_why(struct bench *bench, struct bench_scenario *scenario)
{
	const char *said = work_folder_file(&bench->folder, scenario->name, "-why.txt");
	size_t count = 0;
	const char **options;
	const char *reason;
	struct bench_run_result result;
	struct bench_run run = {.kind = BENCH_ASKING, .name = arena_format(&bench->arena, "%s-why", scenario->name)};

	while (scenario->java_options && scenario->java_options[count])
		count++;
	options = arena_array(&bench->arena, const char *, count + 2);
	for (size_t i = 0; i < count; i++)
		options[i] = scenario->java_options[i];
	options[count] = log_option(bench, scenario, said);
	run.command = java_command_with(&scenario->java, options, NULL, &bench->arena);
	bench_progress(bench, "one more run of %s, to learn why its cache was refused", scenario->name);
	TRY(bench_record(bench, &run, &result));
	if (result.was_interrupted)
		return NULL;
	reason = refusal_in(bench, said);
	if (!reason)
		reason = refusal_in(bench, result.log);
	if (reason)
		compare_set_refusal(bench->comparing.compare, scenario->number, reason);
	return NULL;
}

/* A VM that dies at its initialisation says why on its output. */
static void take_death(struct bench *bench, struct bench_scenario *scenario)
{
	const char *reason = refusal_in(bench, scenario->last_log);

	if (reason)
		compare_set_refusal(bench->comparing.compare, scenario->number,
				    arena_format(&bench->arena, "the JVM does not start with it: %s", reason));
}

static struct err *ask_all(struct bench *bench)
{
	for vec_each(scenario, &bench->scenarios) {
		if (bench->was_interrupted)
			return NULL;
		if (scenario->has_cache && scenario->died && !scenario->answered)
			take_death(bench, scenario);
		else if (scenario->refused)
			TRY(ask_why(bench, scenario));
	}
	return NULL;
}

struct err *bench_run_all(struct bench *bench)
{
	for vec_each(scenario, &bench->scenarios) {
		if (scenario->has_cache)
			compare_expect_cache(bench->comparing.compare, scenario->number);
		if (scenario->why_not)
			compare_set_refusal(bench->comparing.compare, scenario->number, scenario->why_not);
	}
	TRY(run_rounds(bench));
	TRY(ask_all(bench));
	compare_add_note(bench->comparing.compare,
			 arena_format(&bench->arena, "The order of the runs was drawn from the seed %llu.",
				      (unsigned long long)bench->seed));
	return NULL;
}
