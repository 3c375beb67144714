#include "cli/training.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "cli/helper_run.h"
#include "cli/reporting.h"
#include "parse/jvm_log.h"

enum { OPTIONS_MOST = 6, CREATE_TIMEOUT_S = 600 };

/* ---- what each JVM wants ---- */

static void plan_aot(struct bench *bench, const struct cache_plan *plan, const char **train, const char **create,
		     const char **use)
{
	struct arena *arena = &bench->arena;
	const char *configuration = arena_format(arena, "-XX:AOTConfiguration=%s.config", plan->file);

	use[0] = arena_format(arena, "-XX:AOTCache=%s", plan->file);
	if (plan->method == CACHE_ONE_STEP) {
		train[0] = arena_format(arena, "-XX:AOTCacheOutput=%s", plan->file);
		return;
	}
	train[0] = "-XX:AOTMode=record";
	train[1] = configuration;
	create[0] = "-XX:AOTMode=create";
	create[1] = configuration;
	create[2] = use[0];
}

static void plan_archive(struct bench *bench, const struct jvm_facts *facts, const struct cache_plan *plan,
			 const char **train, const char **create, const char **use)
{
	struct arena *arena = &bench->arena;
	const char *list = arena_format(arena, "%s.classlist", plan->file);
	size_t at = 0;

	use[0] = arena_format(arena, "-XX:SharedArchiveFile=%s", plan->file);
	if (plan->method == CACHE_DYNAMIC) {
		train[0] = arena_format(arena, "-XX:ArchiveClassesAtExit=%s", plan->file);
		return;
	}
	if (facts->needs_app_cds) {
		train[at] = create[at] = use[1] = "-XX:+UseAppCDS";
		at++;
	}
	train[at] = "-Xshare:off";
	train[at + 1] = arena_format(arena, "-XX:DumpLoadedClassList=%s", list);
	create[at] = "-Xshare:dump";
	create[at + 1] = arena_format(arena, "-XX:SharedClassListFile=%s", list);
	create[at + 2] = use[0];
}

void cache_plan_make(struct bench *bench, const struct jvm_facts *facts, const char *name, bool is_unlinked,
		     struct cache_plan *ret_plan)
{
	static const char *const unlinked[] = {"-XX:-AOTClassLinking", NULL};
	const char **train = arena_array(&bench->arena, const char *, OPTIONS_MOST);
	const char **create = arena_array(&bench->arena, const char *, OPTIONS_MOST);
	const char **use = arena_array(&bench->arena, const char *, OPTIONS_MOST);
	bool is_aot = facts->method == CACHE_ONE_STEP || facts->method == CACHE_TWO_STEP;
	struct cache_plan plan = {.method = facts->method,
				  .file = work_folder_file(&bench->folder, name, is_aot ? ".aot" : ".jsa")};

	if (is_aot)
		plan_aot(bench, &plan, train, create, use);
	else
		plan_archive(bench, facts, &plan, train, create, use);
	plan.train_options = train;
	plan.create_options = create[0] ? create : NULL;
	plan.use_options = use;
	if (is_unlinked && facts->has_linking_switch) {
		plan.train_options = options_joined(&bench->arena, plan.train_options, unlinked);
		if (plan.create_options)
			plan.create_options = options_joined(&bench->arena, plan.create_options, unlinked);
	}
	*ret_plan = plan;
}

/* ---- running it ---- */

static bool is_made(const struct cache_plan *plan)
{
	struct stat status;

	return stat(plan->file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

static const char *why_missing(struct bench *bench, const char *log, const char *otherwise)
{
	size_t length, line_length;
	const char *text = helper_text(log, &bench->arena, &length);
	enum refusal refusal;
	const char *line;

	if (jvm_log_refusal(text, length, &refusal, &line, &line_length))
		return arena_format(&bench->arena, "the training run made no cache (the JVM: \"%.*s\")",
				    (int)line_length, line);
	line = jvm_log_complaint(text, length, &line_length);
	return arena_format(&bench->arena, "the training run made no cache: %s%.*s",
			    otherwise && *otherwise ? otherwise : "", otherwise && *otherwise ? 0 : (int)line_length,
			    line ? line : "");
}

static void take_exclusions(struct bench *bench, const char *log, struct training *training)
{
	size_t length;
	const char *at = helper_text(log, &bench->arena, &length), *end = at + length;
	struct jvm_log_exclusion exclusion;

	while (jvm_log_exclusion(&at, end, &exclusion)) {
		const char *name = arena_copy(&bench->arena, exclusion.name, exclusion.name_length);

		training_add_exclusion(training, name,
				       arena_copy(&bench->arena, exclusion.reason, exclusion.reason_length));
	}
}

/* What the training run loaded is for the coverage alone: without it there is less to say, and no error. */
static void take_classes(const char *recording, struct training *training)
{
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	struct err *err = report_load(recording, &loaded);

	if (!err)
		training_add_run(training, loaded.model, &loaded.report);
	err_free(err);
}

static struct err *create(struct bench *bench, const struct java_command *java, const char *const *java_options,
			  const struct cache_plan *plan, const char *log, const char **ret_why_not)
{
	struct helper helper = {
		.invoker = &bench->invoker, .output_path = log, .timeout_ns = CREATE_TIMEOUT_S * 1000000000ull};
	const char *const *options = options_joined(&bench->arena, java_options, plan->create_options);
	struct helper_result result;

	TRY(helper_run(&helper, java_command_with(java, options, NULL, &bench->arena), &bench->arena, &result));
	if (result.is_timed_out)
		*ret_why_not = "the second step of the training did not end";
	return NULL;
}

struct err *training_make(struct bench *bench, const struct java_command *java, const char *const *java_options,
			  const struct cache_plan *plan, const char *name, struct training *ret_training,
			  const char **ret_why_not)
{
	const char *const *options = options_joined(&bench->arena, java_options, plan->train_options);
	struct bench_run run = {
		.kind = BENCH_TRAINING,
		.command = java_command_with(java, options, NULL, &bench->arena),
		.name = arena_format(&bench->arena, "training-%s", name),
	};
	struct bench_run_result result;
	struct stat status;

	*ret_why_not = NULL;
	/* An older one would pass for this run's, and a JVM does not write over an archive that it may not. */
	unlink(plan->file);
	bench_progress(bench, "training run for %s", name);
	TRY(bench_record(bench, &run, &result));
	if (result.was_interrupted)
		return NULL;
	if (plan->create_options && !result.has_failed)
		TRY(create(bench, java, java_options, plan, result.log, ret_why_not));
	if (!is_made(plan)) {
		if (!*ret_why_not)
			*ret_why_not = why_missing(bench, result.log, result.why_failed);
		return NULL;
	}
	take_exclusions(bench, result.log, ret_training);
	take_classes(result.recording, ret_training);
	if (stat(plan->file, &status) == 0)
		bench_say(bench, "%s trained: a cache of %s", name, fmt_bytes(status.st_size).text);
	return NULL;
}
