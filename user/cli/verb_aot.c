/* bench with the scenarios before and after a cache, for each collector and layout. */
#include <string.h>

#include "base/auto.h"
#include "cli/bench.h"
#include "cli/jar_layout.h"
#include "cli/jvm_ask.h"
#include "cli/recording.h"
#include "cli/training.h"
#include "cli/verbs.h"

struct layout {
	const char *name;
	struct java_command java;
};

/* One collector with one layout: its scenarios' numbers in the comparison. */
struct cell {
	size_t collector, layout;
	uint32_t baseline, cached;
};

struct aot {
	struct bench bench;
	VEC(struct layout) layouts;
	VEC(struct cell) cells;
	VEC(struct training *) trainings;
	const char *cache_words; /* what a cache is with this JVM */
};

static void aot_close(struct aot *aot)
{
	for vec_each(training, &aot->trainings)
		training_done(*training);
	vec_done(&aot->trainings);
	vec_done(&aot->layouts);
	vec_done(&aot->cells);
	bench_close(&aot->bench);
}

/* ---- the command and its layouts ---- */

static struct err *find_layouts(struct aot *aot)
{
	struct bench *bench = &aot->bench;
	const struct options *options = bench->options;
	unsigned drop = DROP_CACHES | (options->collectors.count ? DROP_COLLECTORS : 0);
	struct java_command java;

	TRY(java_command_parse((const char *const *)options->command, bench->invoker.environment, drop, &bench->arena,
			       &java));
	if (*java.dropped)
		compare_add_note(bench->comparing.compare,
				 arena_format(&bench->arena,
					      "The command's own options %s were left out: the scenarios set them.",
					      java.dropped));
	for (size_t i = 0; i < options->layouts.count || i == 0; i++) {
		const char *name = options->layouts.count ? options->layouts.items[i] : "fat";
		struct layout layout = {.name = name, .java = java};

		if (strcmp(name, "extracted") == 0) {
			bench_progress(bench, "extracting '%s'", java.jar == NO_WORD ? "" : java.words[java.jar]);
			TRY(jar_layout_extract(&java, &bench->invoker, &bench->folder, &bench->arena, &layout.java));
		}
		*vec_push(&aot->layouts) = layout;
	}
	return NULL;
}

/* ---- scenarios ---- */

static struct training *new_training(struct aot *aot)
{
	struct training *training = arena_new(&aot->bench.arena, struct training);

	*vec_push(&aot->trainings) = training;
	return training;
}

/* A scenario with a cache. Where none could be made it stands in the table with the reason, and is not run. */
static uint32_t add_cached(struct aot *aot, const char *name, const struct java_command *java,
			   const char *const *options, const struct cache_plan *plan, const struct training *training,
			   const char *why_not)
{
	struct bench *bench = &aot->bench;
	struct bench_scenario *scenario =
		bench_add(bench, name, java, options_joined(&bench->arena, options, plan->use_options));

	scenario->has_cache = true;
	scenario->training = training;
	scenario->why_not = why_not;
	return scenario->number;
}

/* What the parts of a cache give: the same cache with its method profiles left unused, and one without linked
 * classes. */
static struct err *add_parts(struct aot *aot, const char *suffix, const struct java_command *java,
			     const char *const *options, const struct jvm_facts *facts, const struct cache_plan *plan,
			     const struct training *training)
{
	static const char *const no_profiles[] = {"-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTReplayTraining", NULL};
	struct bench *bench = &aot->bench;
	struct training *unlinked_training;
	const char *name, *why_not = NULL;
	struct cache_plan unlinked;

	if (facts->has_training_switch)
		add_cached(aot, arena_format(&bench->arena, "aot-%s-no-profiles", suffix), java,
			   options_joined(&bench->arena, options, no_profiles), plan, training, NULL);
	if (!facts->has_linking_switch)
		return NULL;
	name = arena_format(&bench->arena, "%s-no-linking", suffix);
	unlinked_training = new_training(aot);
	cache_plan_make(bench, facts, name, true, &unlinked);
	TRY(training_make(bench, java, options, &unlinked, name, unlinked_training, &why_not));
	if (!bench->was_interrupted)
		add_cached(aot, arena_format(&bench->arena, "aot-%s", name), java, options, &unlinked,
			   unlinked_training, why_not);
	return NULL;
}

static struct err *add_cell(struct aot *aot, size_t collector, size_t layout_index, const struct jvm_facts *facts,
			    const char *const *options)
{
	struct bench *bench = &aot->bench;
	const struct layout *layout = &aot->layouts.items[layout_index];
	const char *suffix = arena_format(&bench->arena, "%s-%s", facts->collector, layout->name);
	struct cell cell = {.collector = collector, .layout = layout_index};
	struct training *training = new_training(aot);
	const char *why_not = NULL;
	struct cache_plan plan;

	cell.baseline =
		bench_add(bench, arena_format(&bench->arena, "baseline-%s", suffix), &layout->java, options)->number;
	cache_plan_make(bench, facts, suffix, false, &plan);
	TRY(training_make(bench, &layout->java, options, &plan, suffix, training, &why_not));
	if (bench->was_interrupted)
		return NULL;
	if (why_not)
		bench_say(bench, "no cache for %s: %s", suffix, why_not);
	cell.cached = add_cached(aot, arena_format(&bench->arena, "aot-%s", suffix), &layout->java, options, &plan,
				 training, why_not);
	*vec_push(&aot->cells) = cell;
	if (cell.baseline != 0)
		compare_add_pair(bench->comparing.compare, cell.baseline, cell.cached);
	if (bench->options->has_parts && !why_not)
		TRY(add_parts(aot, suffix, &layout->java, options, facts, &plan, training));
	return NULL;
}

static const char *method_words(enum cache_method method)
{
	return method == CACHE_ONE_STEP || method == CACHE_TWO_STEP ? "AOT cache" : "AppCDS archive";
}

/* One collector with all layouts. `name` NULL: the one that the command gets by itself. */
static struct err *add_collector(struct aot *aot, size_t number, const char *name)
{
	struct bench *bench = &aot->bench;
	const char **options = arena_array(&bench->arena, const char *, 2);
	struct jvm_facts facts;

	options[0] = name ? collector_option(name) : NULL;
	bench_progress(bench, "asking the JVM%s%s", name ? " about " : "", name ? name : "");
	TRY_CONTEXT(
		jvm_ask(&aot->layouts.items[0].java, options, &bench->invoker, &bench->folder, &bench->arena, &facts),
		"cannot ask the JVM what it can do");
	if (facts.refusal) {
		if (!name)
			return err_new(ERR_FAILED, "cannot start the JVM, on '%s': %s", bench->options->command[0],
				       facts.refusal);
		bench_say(bench, "%s is left out: %s", name, facts.refusal);
		compare_add_note(bench->comparing.compare,
				 arena_format(&bench->arena,
					      "%s is left out, since the JVM does not start with %s: %s.", name,
					      options[0], facts.refusal));
		return NULL;
	}
	if (facts.method == CACHE_NONE)
		return err_hint(
			err_new(ERR_FAILED,
				"cannot make a cache with this JVM%s%s: it knows no archives of application classes",
				*facts.version ? ", " : "", facts.version),
			"JDK 24 and newer have AOT caches, JDK 10 to 23 have AppCDS archives");
	if (name)
		facts.collector = name;
	aot->cache_words = method_words(facts.method);
	for (size_t layout = 0; layout < aot->layouts.count && !bench->was_interrupted; layout++)
		TRY(add_cell(aot, number, layout, &facts, options));
	return NULL;
}

static struct err *add_collectors(struct aot *aot)
{
	const struct option_texts *collectors = &aot->bench.options->collectors;

	for (size_t i = 0; i < collectors->count && !aot->bench.was_interrupted; i++)
		TRY(add_collector(aot, i, collectors->items[i]));
	if (!collectors->count)
		TRY(add_collector(aot, 0, NULL));
	if (!aot->bench.scenarios.count)
		return err_new(ERR_FAILED,
			       "cannot compare: the JVM starts with none of the collectors that were asked for");
	return NULL;
}

/* The fat jar with and without a cache, the extracted layout with and without: what both together change is more than
 * the sum. */
static void add_squares(struct aot *aot)
{
	struct bench *bench = &aot->bench;
	bool has_several = bench->options->collectors.count > 1;

	for vec_each(fat, &aot->cells)
		for vec_each(extracted, &aot->cells)
		{
			const char *collector =
				has_several ? arena_format(&bench->arena, " (%s)",
							   bench->options->collectors.items[fat->collector])
					    : "";
			const char *const names[] = {
				arena_format(&bench->arena, "%s%s", aot->cache_words, collector),
				arena_format(&bench->arena, "extracted layout%s", collector),
			};

			if (fat->collector == extracted->collector &&
			    strcmp(aot->layouts.items[fat->layout].name, "fat") == 0 &&
			    strcmp(aot->layouts.items[extracted->layout].name, "extracted") == 0)
				compare_add_square(bench->comparing.compare, names, fat->baseline, fat->cached,
						   extracted->baseline, extracted->cached);
		}
}

struct err *verb_aot(const struct options *options, struct outcome *outcome)
{
	auto_done(aot_close) struct aot aot = {};

	TRY(recording_check_command(options->command[0]));
	TRY(bench_open(options, outcome, &aot.bench));
	TRY(bench_check_command(&aot.bench, options->command[0]));
	TRY(find_layouts(&aot));
	TRY(add_collectors(&aot));
	add_squares(&aot);
	if (options->end_after_requests && !options->train_command)
		compare_add_note(aot.bench.comparing.compare,
				 "The training run was sent what others sent: where that was nothing, the first request is not in "
				 "the cache. Give --train.");
	TRY(bench_run_all(&aot.bench));
	return bench_report(&aot.bench);
}
