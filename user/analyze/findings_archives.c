/* Findings about what the JVM could have taken ready-made: the AOT cache and the CDS archive. */
#include "analyze/findings_internal.h"

#include <string.h>

static int64_t value_of(struct maybe value)
{
	return value.state == KNOWN ? value.value : 0;
}

/* ---- aot-cache-not-used ---- */

static bool is_refused(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report_runtime *runtime = &context->report->runtime;
	const struct report_classes *classes = &context->report->classes;

	if (runtime->aot_requested.state != KNOWN || value_of(runtime->aot_mapped))
		return false;
	finding_evidence(draft, "The cache %s was asked for, and its regions were not mapped%s%s.",
			 runtime->aot_requested.text, runtime->aot_reason.state == KNOWN ? ": " : "",
			 runtime->aot_reason.state == KNOWN ? runtime->aot_reason.text : "");
	if (classes->loaded.state == KNOWN)
		finding_evidence(
			draft,
			"%s of %s classes came from a shared archive. A JVM that refuses its cache runs on as if "
			"nothing had happened, also without the JDK's own archive.",
			fmt_count(value_of(classes->from_cds) + value_of(classes->from_aot)).text,
			fmt_count(classes->loaded.value).text);
	finding_remedy(draft,
		       "Let the JVM say why: %s; then make the cache again with the same JDK, collector, options, "
		       "agents and "
		       "class path.",
		       launch_text_with(&context->launch, "-Xlog:aot", NULL, context->arena));
	return true;
}

static int64_t parsed_in_cold(const struct finding_context *context)
{
	const struct model *model = context->model;
	int64_t count = 0;

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		uint8_t source = context->sources->origins[i].source;

		count += class->loaded_ns >= finding_cold_start(context) &&
			 class->loaded_ns < finding_cold_end(context) &&
			 (source == CLASS_FROM_JAR || source == CLASS_FROM_JRT) &&
			 model->threads.list.items[class->thread].pid == context->report->run.main_pid;
	}
	return count;
}

static bool is_under_fat_loader(const struct finding_context *context, const struct tile *tile)
{
	uint32_t class = finding_class_at(context, tile);

	return class != NO_INDEX && finding_is_fat(context, class);
}

/* A cache spares parsing and linking. It spares finding and reading too where the JDK's own loader would do that; a
 * loader of the application's goes on searching. */
bool finding_is_spared_tile(const struct finding_context *context, const struct tile *tile, void *unused)
{
	(void)unused;
	if (tile->cause == CAUSE_CLASS_PARSE || tile->cause == CAUSE_CLASS_LINK)
		return true;
	return (tile->cause == CAUSE_CLASS_FIND || tile->cause == CAUSE_CLASS_READ) &&
	       !is_under_fat_loader(context, tile);
}

/* The request that warmtrace was told to send, for a training run with the same. */
static const char *training_request(const struct finding_context *context)
{
	for vec_each(text, &context->model->texts.run) {
		if (strncmp(text->key, "request.", strlen("request.")) == 0 && *text->value)
			return arena_format(context->arena, "-r %s ",
					    shell_quoted(context->arena, text->value));
	}
	return "";
}

static void tell_training(const struct finding_context *context, int jdk, struct finding_draft *draft)
{
	const struct launch *launch = &context->launch;
	struct arena *arena = context->arena;
	const char *measure =
		arena_format(arena, "warmtrace aot %s-- %s", training_request(context), launch_text(launch, arena));

	if (jdk >= 25)
		finding_remedy(draft,
			       "Train one with requests in it: %s, end it with SIGTERM after the requests; then "
			       "start %s. Before "
			       "and after in one go: %s",
			       launch_text_with(launch, "-XX:AOTCacheOutput=app.aot", NULL, arena),
			       launch_text_with(launch, "-XX:AOTCache=app.aot", NULL, arena), measure);
	else
		finding_remedy(
			draft,
			"Train one with requests in it: %s, end it with SIGTERM after the requests, then %s, then "
			"start "
			"%s. Before and after in one go: %s",
			launch_text_with(launch, "-XX:AOTMode=record -XX:AOTConfiguration=app.aotconf", NULL, arena),
			launch_text_with(launch,
					 "-XX:AOTMode=create -XX:AOTConfiguration=app.aotconf -XX:AOTCache=app.aot",
					 NULL, arena),
			launch_text_with(launch, "-XX:AOTCache=app.aot", NULL, arena), measure);
}

bool finding_aot_cache_not_used(const struct finding_context *context, struct finding_draft *draft)
{
	enum { JDK_WITH_CACHE = 24 };
	const struct report_runtime *runtime = &context->report->runtime;
	int jdk = finding_jdk(context);
	int64_t spared_ns = finding_path_sum(context, finding_is_spared_tile, NULL), parsed;

	if (is_refused(context, draft))
		return true;
	if (runtime->aot_requested.state == KNOWN || value_of(runtime->aot_mapped) || jdk < JDK_WITH_CACHE ||
	    !finding_matters(context, spared_ns) || context->launch.java == context->launch.count)
		return false;
	parsed = parsed_in_cold(context);
	if (parsed < LIMIT_ARCHIVE_CLASSES)
		return false;
	finding_evidence(
		draft,
		"The first %s loaded %s classes from their class files, on a JDK %d that could have had them ready "
		"in an AOT cache; none was asked for.",
		context->cold->route, fmt_count(parsed).text, jdk);
	finding_evidence(
		draft,
		"What a cache spares of loading them took %s of %s on the request's path (%s): at most that is "
		"saved, since not every class can be kept in one.",
		fmt_duration(spared_ns).text, fmt_duration(context->cold->latency_ns).text,
		finding_share(context, spared_ns));
	finding_price(draft, spared_ns, true);
	tell_training(context, jdk, draft);
	return true;
}

/* ---- cds-not-used ---- */

static bool is_sharing_off(void *context, const char *argument)
{
	(void)context;
	return strcmp(argument, "-Xshare:off") == 0;
}

/* The archive that the JVM looked for beside its library. */
static const char *missing_archive(const struct finding_context *context)
{
	for (size_t i = 0; i < context->report->files_count; i++) {
		const struct report_file *file = &context->report->files[i];
		size_t length = strlen(file->path);

		if (length > 4 && strcmp(file->path + length - 4, ".jsa") == 0 &&
		    file->failed_opens + file->failed_lookups == file->opens + file->lookups)
			return file->path;
	}
	return NULL;
}

bool finding_cds_not_used(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report_classes *classes = &context->report->classes;
	const struct report_runtime *runtime = &context->report->runtime;
	const char *missing = missing_archive(context);
	bool is_off = jvm_each_argument(context->model, context->report->run.main_pid, is_sharing_off, NULL);

	if (classes->loaded.state != KNOWN || classes->loaded.value < LIMIT_UNSHARED_CLASSES ||
	    value_of(classes->from_cds) + value_of(classes->from_aot) > 0)
		return false;
	/* A refused AOT cache takes the archive with it: that finding says so. */
	if (runtime->aot_requested.state == KNOWN)
		return false;
	finding_evidence(
		draft,
		"0 of %s classes came from a shared archive; a full JDK has about a thousand of its own in one.",
		fmt_count(classes->loaded.value).text);
	if (is_off) {
		finding_evidence(draft, "Sharing is switched off by -Xshare:off.");
		finding_remedy(draft, "Take -Xshare:off out of the options.");
	} else if (missing) {
		finding_evidence(
			draft,
			"The JVM looked for %s and did not find it: images made by jlink have none unless asked.",
			missing);
		finding_remedy(draft, "Make it once: %s -Xshare:dump (or jlink --generate-cds-archive).",
			       context->launch.java < context->launch.count
				       ? shell_quoted(context->arena, context->launch.arguments[context->launch.java])
				       : "java");
	} else {
		finding_remedy(draft, "Let the JVM say why: %s",
			       launch_text_with(&context->launch,
						finding_jdk(context) >= 24 ? "-Xlog:aot" : "-Xlog:cds", NULL,
						context->arena));
	}
	return true;
}
