/* Scenarios of any commands. */
#include <string.h>

#include "base/auto.h"
#include "cli/argument_words.h"
#include "cli/bench.h"
#include "cli/jar_layout.h"
#include "cli/jvm_ask.h"
#include "cli/verbs.h"

/* What needs no shell is executed as it is, so that its words can be looked at. */
static const char *const *words_of(struct bench *bench, const char *command)
{
	const char *const *words;
	const char **shell;

	if (shell_words(command, &bench->arena, &words))
		return words;
	shell = arena_array(&bench->arena, const char *, 4);
	shell[0] = "/bin/sh";
	shell[1] = "-c";
	shell[2] = command;
	return shell;
}

static bool asks_for_cache(const struct java_command *java)
{
	return java_command_option(java, "-XX:AOTCache=") || java_command_option(java, "-XX:SharedArchiveFile=");
}

static struct err *add_one(struct bench *bench, const struct option_scenario *asked, const char *collector,
			   const char *layout)
{
	struct arena *arena = &bench->arena;
	const char **options = arena_array(arena, const char *, 2);
	struct java_command java;
	const char *const *words = words_of(bench, asked->command);

	TRY(bench_check_command(bench, words[0]));
	TRY(java_command_parse(words, bench->invoker.environment, collector ? DROP_COLLECTORS : 0, arena, &java));
	if (layout && strcmp(layout, "extracted") == 0)
		TRY_CONTEXT(jar_layout_extract(&java, &bench->invoker, &bench->folder, arena, &java), "scenario '%s'",
			    asked->name);
	if (collector)
		options[0] = collector_option(collector);

	struct bench_scenario *scenario =
		bench_add(bench,
			  arena_format(arena, "%s%s%s%s%s", asked->name, collector ? "-" : "",
				       collector ? collector : "", layout ? "-" : "", layout ? layout : ""),
			  &java, options);

	/* A JVM that dies of its cache leaves no recording that says so. */
	scenario->has_cache = asks_for_cache(&java);
	return NULL;
}

/* Each scenario with each collector and layout, where those are given. */
static struct err *add_all(struct bench *bench)
{
	const struct options *options = bench->options;
	size_t collectors = options->collectors.count, layouts = options->layouts.count;

	for vec_each(asked, &options->scenarios)
		for (size_t c = 0; c < collectors + !collectors;
							  c++) for (size_t l = 0; l < layouts + !layouts; l++)
			TRY(add_one(bench, asked, collectors ? options->collectors.items[c] : NULL,
				    layouts ? options->layouts.items[l] : NULL));
	return NULL;
}

/* With --train each scenario is run once before, not measured: commands that keep a cache of their own
 * (-XX:+AutoCreateSharedArchive) fill it then. */
static struct err *train_all(struct bench *bench)
{
	if (!bench->options->train_command)
		return NULL;
	for vec_each(scenario, &bench->scenarios) {
		struct bench_run run = {
			.kind = BENCH_TRAINING,
			.command = java_command_with(&scenario->java, scenario->java_options, NULL,
						     &bench->arena),
			.name = arena_format(&bench->arena, "training-%s", scenario->name),
		};
		struct bench_run_result result;

		if (bench->was_interrupted)
			return NULL;
		bench_progress(bench, "training run of %s", scenario->name);
		TRY(bench_record(bench, &run, &result));
		if (result.has_failed)
			bench_say(bench, "the training run of %s failed: %s", scenario->name,
				  result.why_failed);
	}
	return NULL;
}

struct err *verb_bench(const struct options *options, struct outcome *outcome)
{
	auto_done(bench_close) struct bench bench = {};

	TRY(bench_open(options, outcome, &bench));
	TRY(add_all(&bench));
	TRY(train_all(&bench));
	TRY(bench_run_all(&bench));
	return bench_report(&bench);
}
