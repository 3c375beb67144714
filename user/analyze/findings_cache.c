/* Findings about a cache of classes that is used: old code in it, and a training that saw no request. */
#include "analyze/findings_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct shared_archives *used_cache(const struct finding_context *context)
{
	const struct maybe *mapped = &context->report->runtime.aot_mapped;

	if (context->main_process == NO_INDEX || mapped->state != KNOWN || !mapped->value)
		return NULL;
	return &context->sources->processes[context->main_process];
}

static bool is_of_main(const struct finding_context *context, const struct loaded_class *class)
{
	return context->model->threads.list.items[class->thread].process == context->main_process;
}

/* ---- aot-cache-stale ---- */

/* When a file was last changed, in nanoseconds of UNIX time; 0 where the recording does not say. */
static int64_t file_time(const struct model *model, uint32_t device, uint64_t inode)
{
	char key[64];
	const char *text;

	snprintf(key, sizeof(key), "file_time.%u.%llu", device, (unsigned long long)inode);
	text = model_run_text(model, key, NULL);
	return text ? strtoll(text, NULL, 10) : 0;
}

struct newer_jar {
	bool is_newer;
	int64_t changed_ns, classes;
	const char *example;
};

/* Classes of the cache that a newer jar holds as well: the code that runs is the cache's, not the jar's. */
static void count_old_classes(const struct finding_context *context, struct newer_jar *jars)
{
	const struct model *model = context->model;

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		const char *name = model_text(model, class->name);

		if (context->sources->origins[i].source != CLASS_FROM_AOT || !is_of_main(context, class))
			continue;
		for (uint32_t link = sources_candidates(model, context->sources, NO_INDEX, name); link != NO_INDEX;
		     link = sources_candidates(model, context->sources, link, name)) {
			struct newer_jar *jar = &jars[context->sources->links.items[link].archive];

			if (!jar->is_newer)
				continue;
			jar->classes++;
			jar->example = jar->example ? jar->example : class_name_dotted(context->arena, name);
			break;
		}
	}
}

bool finding_aot_cache_stale(const struct finding_context *context, struct finding_draft *draft)
{
	const struct model *model = context->model;
	const struct shared_archives *used = used_cache(context);
	const struct file *cache = used && used->aot_file ? &model->files.list.items[used->aot_file] : NULL;
	int64_t made_ns = cache ? file_time(model, cache->device, cache->inode) : 0;
	struct newer_jar *jars;
	bool is_stale = false;

	if (!made_ns)
		return false;
	jars = arena_array(context->arena, struct newer_jar, model->files.archives.count + 1);
	for (uint32_t i = 0; i < model->files.archives.count; i++) {
		const struct packed_archive *archive = &model->files.archives.items[i];

		jars[i].changed_ns = file_time(model, archive->device, archive->inode);
		jars[i].is_newer = jars[i].changed_ns > made_ns;
	}
	count_old_classes(context, jars);
	for (uint32_t i = 0; i < model->files.archives.count; i++) {
		if (!jars[i].classes)
			continue;
		is_stale = true;
		finding_evidence(
			draft,
			"%s was changed at %s, after the cache was made (%s), and the JVM accepted it all the same: "
			"%s "
			"that the jar holds came from the cache, among them %s. What runs is the code that the cache was made from.",
			model_text(model, model->files.archives.items[i].path), fmt_time(jars[i].changed_ns).text,
			fmt_time(made_ns).text, finding_plural(context, jars[i].classes, "class", "classes"),
			jars[i].example);
	}
	if (is_stale)
		finding_remedy(draft, "Make the cache %s again, in the same step that builds the jar.",
			       model_file_path(model, used->aot_file));
	return is_stale;
}

/* ---- aot-trained-without-request ---- */

/* The service's classes that a cache could have given: those that files hold, and no loader of the application's own
 * had to find. */
struct shares {
	int64_t startup, startup_shared, request, request_shared;
	const char *example;
};

static void count_shares(const struct finding_context *context, struct shares *shares)
{
	const struct model *model = context->model;

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		uint8_t source = context->sources->origins[i].source;
		bool is_shared = source == CLASS_FROM_AOT;

		if (!is_of_main(context, class) ||
		    (!is_shared &&
		     ((source != CLASS_FROM_JAR && source != CLASS_FROM_JRT) || finding_is_fat(context, i))))
			continue;
		if (class->loaded_ns < finding_cold_start(context)) {
			shares->startup++;
			shares->startup_shared += is_shared;
		} else if (class->loaded_ns < finding_cold_end(context)) {
			shares->request++;
			shares->request_shared += is_shared;
			if (!is_shared && !shares->example)
				shares->example = class_name_dotted(context->arena, model_text(model, class->name));
		}
	}
}

bool finding_aot_trained_without_request(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t spared_ns = finding_path_sum(context, finding_is_spared_tile, NULL);
	struct shares shares = {};

	if (!context->cold || !used_cache(context))
		return false;
	count_shares(context, &shares);
	/* The start is in the cache, and the request is not. */
	if (shares.request - shares.request_shared < LIMIT_ARCHIVE_CLASSES ||
	    shares.request_shared * 2 > shares.request || shares.startup_shared * 2 < shares.startup ||
	    !finding_matters(context, spared_ns))
		return false;
	finding_evidence(draft,
			 "%s of the %s classes of the start came from the cache, but only %s of the %s that the "
			 "first %s loaded.",
			 fmt_count(shares.startup_shared).text, fmt_count(shares.startup).text,
			 fmt_count(shares.request_shared).text, fmt_count(shares.request).text, context->cold->route);
	finding_evidence(draft,
			 "The first that was read from its class file was %s. A training run that ends when the "
			 "application is "
			 "up has not seen it.",
			 shares.example);
	finding_evidence(draft,
			 "What a cache spares of loading them took %s of %s on the request's path (%s): at most that "
			 "is saved.",
			 fmt_duration(spared_ns).text, fmt_duration(context->cold->latency_ns).text,
			 finding_share(context, spared_ns));
	finding_price(draft, spared_ns, true);
	finding_remedy(draft, "Send the request in the training run, before it is ended: warmtrace aot -r URL -- "
			      "java ... does so and "
			      "measures the gain.");
	return true;
}
