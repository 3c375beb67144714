#include "analyze/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_internal.h"
#include "analyze/inventory_loads.h"
#include "analyze/inventory_sources.h"
#include "base/auto.h"

/* ---- the training run ---- */

static uint64_t name_hash(const char *name)
{
	uint64_t hash = 0;

	/* '.' and '/' are one: logs and events spell names differently. */
	for (; *name; name++)
		hash = hash_combine(hash, *name == '.' ? '/' : (uint8_t)*name);
	return hash;
}

void training_add_run(struct training *training, const struct model *model, const struct report *report)
{
	for vec_each(class, &model->jvm.classes)
		if (model->threads.list.items[class->thread].pid == report->run.main_pid)
			map_set(&training->classes, name_hash(model_text(model, class->name)), 1, NULL);
}

void training_add_exclusion(struct training *training, const char *class_name, const char *reason)
{
	size_t index = 0;

	while (index < training->reasons.count && strcmp(training->reasons.items[index], reason) != 0)
		index++;
	if (index == training->reasons.count)
		*vec_push(&training->reasons) = arena_copy(&training->arena, reason, strlen(reason));
	/* A class can be named twice: what is said later is what it was left out for. */
	*map_set(&training->exclusions, name_hash(class_name), index, NULL) = index;
}

void training_done(struct training *training)
{
	vec_done(&training->reasons);
	map_done(&training->classes);
	map_done(&training->exclusions);
	arena_done(&training->arena);
}

/* ---- reasons ---- */

static const char made_at_run_time[] = "made at run time (lambdas, proxies, method handles)";
static const char recorder_event[] = "an event class of the flight recorder";
static const char own_loader[] = "loaded by a class loader of the application's own";

/* The JVM's words for what it leaves out (SystemDictionaryShared, JDK 13 to 26), as a reader would say it. */
static const struct {
	const char *start, *words;
} exclusion_words[] = {
	{"Signed JAR", "from a signed jar"},
	{"Old class", "of a class file version that a cache cannot hold"},
	{"Pre JDK 6 class", "of a class file version that a cache cannot hold"},
	{"JFR event class", recorder_event},
	{"Failed verification", "failed verification when the cache was made"},
	{"Unlinked class", "not linked when the cache was made"},
	{"Not linked", "not linked when the cache was made"},
	{"Not in loaded state", "not wholly loaded when the cache was made"},
	{"Linked", "not linked when the cache was made"},
	{"In error state", "failed to initialise when the cache was made"},
	{"Has been redefined", "changed by an agent"},
	{"Is not a", "of a kind that a cache cannot hold"},
};

static const char *exclusion_reason(const char *reason, struct arena *arena)
{
	for (size_t i = 0; i < array_length(exclusion_words); i++)
		if (strncmp(reason, exclusion_words[i].start, strlen(exclusion_words[i].start)) == 0)
			return exclusion_words[i].words;
	return arena_format(arena, "left out by the JVM: %s", reason);
}

static const char *reason_of(const struct class_origin *origin, const char *name,
			     const struct training *training, struct arena *arena)
{
	bool is_generated = origin->source == CLASS_FROM_GENERATED || class_is_hidden(name) ||
			    class_name_is_generated(name);
	uint64_t *excluded = training ? map_find(&training->exclusions, name_hash(name)) : NULL;

	if (excluded) {
		const char *reason = training->reasons.items[*excluded];

		/* Classes of unknown origin: made at run time, or defined by a loader of the application's own. */
		if (strncmp(reason, "Unsupported location", strlen("Unsupported location")) == 0)
			return is_generated ? made_at_run_time : own_loader;
		return exclusion_reason(reason, arena);
	}
	if (is_generated)
		return made_at_run_time;
	/* Newer JVMs leave these out without a word. */
	if (strncmp(name, "jdk/internal/event/", strlen("jdk/internal/event/")) == 0 ||
	    strncmp(name, "jdk/jfr/events/", strlen("jdk/jfr/events/")) == 0)
		return recorder_event;
	if (training && training->classes.count && !map_find(&training->classes, name_hash(name)))
		return "not loaded in the training run";
	if (origin_is_nested(origin))
		return own_loader;
	return "not kept by the cache";
}

/* ---- the groups ---- */

struct missing {
	const char *why, *name;
	int64_t duration_ns;
};

static int compare_missing(const void *left, const void *right)
{
	const struct missing *a = left, *b = right;
	int order = strcmp(a->why, b->why);

	if (order)
		return order;
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_groups(const void *left, const void *right)
{
	const struct coverage_group *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	if (a->classes != b->classes)
		return a->classes > b->classes ? -1 : 1;
	return strcmp(a->why, b->why);
}

static void make_groups(struct missing *list, size_t count, struct arena *arena, struct coverage *coverage)
{
	struct coverage_group *groups = arena_array(arena, struct coverage_group, count + 1);
	size_t group_count = 0;

	if (count)
		qsort(list, count, sizeof(*list), compare_missing);
	for (size_t i = 0; i < count; i++) {
		struct coverage_group *group = group_count ? &groups[group_count - 1] : NULL;

		if (!group || strcmp(group->why, list[i].why) != 0) {
			group = &groups[group_count++];
			group->why = list[i].why;
		}
		if (group->classes < COVERAGE_EXAMPLES)
			group->examples[group->classes] = class_name_dotted(arena, list[i].name);
		group->classes++;
		group->duration_ns += list[i].duration_ns;
	}
	if (group_count)
		qsort(groups, group_count, sizeof(*groups), compare_groups);
	coverage->groups = groups;
	coverage->groups_count = group_count;
}

static const struct report_phase *first_request_phase(const struct report *report)
{
	for (size_t i = 0; i < report->phases_count; i++)
		if (report->phases[i].phase == PHASE_FIRST_REQUEST)
			return &report->phases[i];
	return NULL;
}

bool coverage_find(const struct model *model, const struct report *report, const struct training *training,
		   struct arena *arena, struct coverage *ret_coverage)
{
	const struct report_phase *phase = first_request_phase(report);
	struct class_sources sources auto_done(class_sources_done) = {};
	struct class_loads loads auto_done(class_loads_done) = {};
	struct coverage coverage = {};
	VEC(struct missing) missing = {};

	if (!phase || !is_observed(model, "class_loading"))
		return false;
	class_sources_build(model, report, &sources);
	class_loads_build(model, &loads);
	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		int64_t at_ns = time_from_exec(model, class->loaded_ns);
		const char *name = model_text(model, class->name);

		if (at_ns < phase->start_ns || at_ns >= phase->end_ns ||
		    model->threads.list.items[class->thread].pid != report->run.main_pid)
			continue;
		coverage.classes++;
		if (class->is_shared) {
			coverage.shared++;
			continue;
		}
		*vec_push(&missing) = (struct missing){
			.why = reason_of(&sources.origins[i], name, training, arena),
			.name = name,
			.duration_ns = loads.own_ns[i],
		};
	}
	make_groups(missing.items, missing.count, arena, &coverage);
	vec_done(&missing);
	*ret_coverage = coverage;
	return true;
}
