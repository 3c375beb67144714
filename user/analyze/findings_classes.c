/* Findings about loading and initialising classes. */
#include "analyze/findings_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/counts.h"
#include "base/auto.h"

/* ---- fat-jar-class-loading ---- */

static bool is_class_not_found(const struct model *model, uint32_t event)
{
	return strcmp(MODEL_EVENT(model, event, exception)->tail, "java/lang/ClassNotFoundException") == 0;
}

bool finding_is_fat_tile(const struct finding_context *context, const struct tile *tile, void *unused)
{
	uint32_t class;

	(void)unused;
	if (tile->cause != CAUSE_CLASS_FIND && tile->cause != CAUSE_EXCEPTION_FILL)
		return false;
	if (tile->cause == CAUSE_EXCEPTION_FILL &&
	    (tile->span == NO_INDEX ||
	     !is_class_not_found(context->model,
				 context->model->threads.list.items[tile->thread].spans.items[tile->span].event)))
		return false;
	class = finding_class_at(context, tile);
	return class != NO_INDEX && finding_is_fat(context, class);
}

/* When the parents of the loader that is at work in a load had not found the class: the end of the first
 * ClassNotFoundException directly in it; UINT64_MAX where there was none. `known` keeps them by thread and span. */
static uint64_t miss_end_ns(const struct finding_context *context, uint32_t thread, uint32_t load, struct map *known)
{
	const struct spans *spans = &context->model->threads.list.items[thread].spans;
	bool is_new;
	uint64_t *end_ns = map_set(known, (uint64_t)thread << 32 | load, UINT64_MAX, &is_new);

	for (size_t i = load + 1; is_new && i < spans->count && spans->items[i].start_ns < spans->items[load].end_ns; i++) {
		const struct span *span = &spans->items[i];

		if (span->kind == SPAN_EXCEPTION && is_class_not_found(context->model, span->event) &&
		    model_span_within(context->model, thread, span->parent, SPAN_CLASS_LOAD) == load) {
			*end_ns = span->end_ns;
			break;
		}
	}
	return *end_ns;
}

bool finding_is_spared_by_extracting(const struct finding_context *context, const struct tile *tile, void *known)
{
	uint32_t load;

	if (!finding_is_fat_tile(context, tile, NULL))
		return false;
	if (tile->cause == CAUSE_EXCEPTION_FILL)
		return true;
	load = model_span_within(context->model, tile->thread, tile->span, SPAN_CLASS_LOAD);
	return load != NO_INDEX && tile->start_ns >= miss_end_ns(context, tile->thread, load, known);
}

struct fat_counts {
	int64_t nested;			       /* classes from inside, without those beside them in the file */
	int64_t classes, exceptions;	       /* in the whole run */
	int64_t cold_classes, cold_exceptions; /* in the cold request's window, all threads of the service */
	uint32_t archive;		       /* where most came from, NO_INDEX where none */
};

static bool is_in_cold(const struct finding_context *context, uint64_t time_ns, uint32_t pid)
{
	return context->cold && pid == context->report->run.main_pid && time_ns >= finding_cold_start(context) &&
	       time_ns < finding_cold_end(context);
}

static struct fat_counts count_fat(const struct finding_context *context)
{
	const struct model *model = context->model;
	struct fat_counts counts = {.archive = NO_INDEX};

	for (uint32_t i = 0; i < context->sources->archive_count; i++) {
		if (context->fat_classes[i] &&
		    (counts.archive == NO_INDEX || context->fat_classes[i] > context->fat_classes[counts.archive]))
			counts.archive = i;
	}
	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];

		if (!finding_is_fat(context, i))
			continue;
		counts.classes++;
		counts.nested += origin_is_nested(&context->sources->origins[i]);
		counts.cold_classes +=
			is_in_cold(context, class->loaded_ns, model->threads.list.items[class->thread].pid);
	}
	for (struct event_walk walk = model_walk(model, EVENT_EXCEPTION); model_walk_next(&walk);) {
		const struct event_header *event = model->events[walk.index];
		int64_t count;

		if (!is_class_not_found(model, walk.index))
			continue;
		count = MODEL_EVENT(model, walk.index, exception)->count ?: 1;
		counts.exceptions += count;
		counts.cold_exceptions += is_in_cold(context, event->time_ns, event->pid) ? count : 0;
	}
	return counts;
}

static void tell_reads(const struct finding_context *context, const char *path, struct finding_draft *draft)
{
	for (size_t i = 0; i < context->report->jars_count; i++) {
		const struct report_jar *jar = &context->report->jars[i];

		if (jar->nested_in || strcmp(jar->path, path) != 0 || jar->bytes_wanted.state != KNOWN ||
		    jar->bytes_wanted.value == 0 || jar->bytes_read.value < 2 * jar->bytes_wanted.value)
			continue;
		finding_evidence(draft, "That one file was read %s times, %s for %s wanted: %s times as much.",
				 fmt_count(jar->reads.value).text, fmt_bytes(jar->bytes_read.value).text,
				 fmt_bytes(jar->bytes_wanted.value).text,
				 fmt_factor((double)jar->bytes_read.value / (double)jar->bytes_wanted.value).text);
	}
}

/* Whoever catches them names the loader: the catch site that most of them share. */
static void tell_loader(const struct finding_context *context, struct finding_draft *draft)
{
	for (size_t i = 0; i < context->report->exceptions_count; i++) {
		const struct report_exception *row = &context->report->exceptions[i];

		if (*row->caught_at && strcmp(row->class_name, "java.lang.ClassNotFoundException") == 0) {
			finding_evidence(draft,
					 "They are thrown at %s and caught at %s, which then finds the class itself.",
					 row->thrown_at, row->caught_at);
			return;
		}
	}
}

static bool has_nested(const struct finding_context *context, uint32_t archive, const char *name)
{
	struct archive_facts facts;

	for (uint32_t i = 1; model_archive_facts(context->model, archive, i, &facts); i++) {
		if (strstr(facts.name, name))
			return true;
	}
	return false;
}

static void tell_extraction(const struct finding_context *context, uint32_t archive, const char *path,
			    struct finding_draft *draft)
{
	const struct launch *launch = &context->launch;
	struct arena *arena = context->arena;
	bool is_of_command = launch->jar < launch->count &&
			     strcmp(finding_base_name(launch->arguments[launch->jar]), finding_base_name(path)) == 0;
	const char *jar = is_of_command ? launch->arguments[launch->jar] : path;
	const char *extracted = arena_format(arena, "extracted/%s", finding_base_name(jar));

	if (has_nested(context, archive, "spring-boot-jarmode-tools"))
		finding_remedy(
			draft,
			"Extract it once: %s -Djarmode=tools -jar %s extract --destination extracted; then start %s",
			launch->java < launch->count ? shell_quoted(arena, launch->arguments[launch->java]) : "java",
			shell_quoted(arena, jar),
			is_of_command ? launch_text_with(launch, NULL, extracted, arena)
				      : arena_format(arena, "java -jar %s", shell_quoted(arena, extracted)));
	else
		finding_remedy(
			draft,
			"Unpack the jars that are inside it (unzip -d extracted %s) and start the application's own "
			"main "
			"class with them on the class path (-cp), so that the JDK's loader finds the classes itself.",
			shell_quoted(arena, jar));
}

bool finding_fat_jar_class_loading(const struct finding_context *context, struct finding_draft *draft)
{
	struct fat_counts counts = count_fat(context);
	struct map known auto_done(map_done) = {};
	int64_t whole_ns = finding_path_sum(context, finding_is_fat_tile, NULL);
	int64_t price_ns = finding_path_sum(context, finding_is_spared_by_extracting, &known);
	int64_t find_ns = finding_cause_sum(context, CAUSE_CLASS_FIND);
	const char *path;

	if (counts.classes < LIMIT_NESTED_CLASSES || counts.archive == NO_INDEX ||
	    counts.exceptions < counts.classes / 100 * LIMIT_NESTED_EXCEPTIONS_PERCENT)
		return false;
	/* Where the request shows what it costs, that decides; a start alone is told about, without a price. */
	if (context->cold && !finding_matters(context, price_ns))
		return false;
	path = archive_path(context->model, counts.archive, 0, context->arena);
	finding_evidence(draft,
			 "%s classes came from jars inside %s, with %s ClassNotFoundExceptions in the same run.",
			 fmt_count(counts.nested).text, path, fmt_count(counts.exceptions).text);
	if (context->cold)
		finding_evidence(draft, "The first %s loaded %s of them and filled %s ClassNotFoundExceptions.",
				 context->cold->route, fmt_count(counts.cold_classes).text,
				 fmt_count(counts.cold_exceptions).text);
	tell_loader(context, draft);
	tell_reads(context, path, draft);
	if (context->cold) {
		finding_evidence(draft,
				 "On the request's path, finding these classes and filling those exceptions took %s of "
				 "%s. Of that %s were the exceptions and what the loader did after them: at most that is "
				 "saved, since a plain class path has to be searched too. The rest was its parents' search, "
				 "which stays.",
				 fmt_duration(whole_ns).text, fmt_duration(context->cold->latency_ns).text,
				 fmt_duration(price_ns).text);
		if (find_ns == 0)
			finding_evidence(draft,
					 "How long finding took was not observed, so this is the exceptions alone.");
		finding_price(draft, price_ns, true);
	}
	tell_extraction(context, counts.archive, path, draft);
	return true;
}

/* ---- static-initializer-slow ---- */

/* What an initialiser does itself: neither classes that it makes the JVM load nor the initialisers of those. */
static uint32_t initializer_of(const struct finding_context *context, const struct tile *tile)
{
	const struct spans *spans;

	if (!finding_is_own_work(tile))
		return NO_INDEX;
	spans = &context->model->threads.list.items[tile->thread].spans;
	for (uint32_t span = tile->span; span != NO_INDEX; span = spans->items[span].parent) {
		switch ((enum span_kind)spans->items[span].kind) {
		case SPAN_CLASS_INIT:
			return span;
		case SPAN_CLASS_LOAD:
		case SPAN_CLASS_PARSE:
		case SPAN_CLASS_LINK:
			return NO_INDEX;
		default:
			break;
		}
	}
	return NO_INDEX;
}

static int64_t dearest_initializer(const struct finding_context *context, uint32_t *ret_name)
{
	struct map by_name auto_done(map_done) = {};
	int64_t most_ns = 0;

	if (!context->cold_path)
		return 0;
	for vec_each(tile, &context->cold_path->tiles) {
		uint32_t span = initializer_of(context, tile);
		uint32_t name;
		uint64_t *sum;

		if (span == NO_INDEX)
			continue;
		name = context->model->threads.list.items[tile->thread].spans.items[span].name;
		sum = map_set(&by_name, name, 0, NULL);
		*sum += tile->end_ns - tile->start_ns;
		if ((int64_t)*sum > most_ns) {
			most_ns = (int64_t)*sum;
			*ret_name = name;
		}
	}
	return most_ns;
}

/* In a start, without a path: the longest initialiser, those inside it taken out. */
static int64_t longest_initializer(const struct finding_context *context, uint32_t *ret_name)
{
	const struct model *model = context->model;
	uint64_t until_ns = model->exec_ns + (uint64_t)finding_startup_ns(context);
	int64_t most_ns = 0;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const struct spans *spans = &model->threads.list.items[i].spans;
		struct map inner auto_done(map_done) = {};

		for (size_t k = spans->count; k > 0; k--) {
			const struct span *span = &spans->items[k - 1];
			uint64_t *inside = map_find(&inner, k - 1);
			uint32_t outer;
			int64_t own_ns = (int64_t)(span->end_ns - span->start_ns) - (int64_t)(inside ? *inside : 0);

			if (span->kind != SPAN_CLASS_INIT || span->end_ns > until_ns)
				continue;
			outer = model_span_within(model, i, span->parent, SPAN_CLASS_INIT);
			if (outer != NO_INDEX)
				*map_set(&inner, outer, 0, NULL) += span->end_ns - span->start_ns;
			if (own_ns > most_ns) {
				most_ns = own_ns;
				*ret_name = span->name;
			}
		}
	}
	return most_ns;
}

bool finding_static_initializer_slow(const struct finding_context *context, struct finding_draft *draft)
{
	uint32_t name = 0;
	int64_t own_ns = dearest_initializer(context, &name);
	int64_t startup_ns = finding_startup_ns(context);

	if (finding_matters(context, own_ns)) {
		const char *class = class_name_dotted(context->arena, model_text(context->model, name));

		finding_evidence(
			draft,
			"The static initialiser of %s ran inside the first %s: %s of %s on its path (%s), without "
			"the classes that it made the JVM load.",
			class, context->cold->route, fmt_duration(own_ns).text,
			fmt_duration(context->cold->latency_ns).text, finding_share(context, own_ns));
		finding_price(draft, own_ns, false);
		finding_remedy(
			draft,
			"Make the application initialise it before it takes requests (Class.forName(\"%s\") in its "
			"start), or make what it computes lazy or smaller.",
			class);
		return true;
	}
	own_ns = longest_initializer(context, &name);
	if (own_ns < LIMIT_STARTUP_INITIALIZER_NS || own_ns < startup_ns / 100 * LIMIT_STARTUP_INITIALIZER_PERCENT)
		return false;
	finding_evidence(
		draft,
		"The static initialiser of %s took %s of the %s until the service was ready, those inside it not "
		"counted.",
		class_name_dotted(context->arena, model_text(context->model, name)), fmt_duration(own_ns).text,
		fmt_duration(startup_ns).text);
	finding_remedy(draft, "Look at what this initialiser computes or reads, and make it smaller or lazy.");
	return true;
}

/* ---- lazy-initialization ---- */

static bool is_late(const struct finding_context *context, const struct tile *tile, void *unused)
{
	(void)context;
	(void)unused;
	return finding_is_own_work(tile) && tile->inside & (INSIDE_CLASS_LOADING | INSIDE_CLASS_INIT);
}

struct library {
	const char *name;
	int64_t classes;
};

static int compare_libraries(const void *left, const void *right)
{
	const struct library *a = left, *b = right;

	if (a->classes != b->classes)
		return a->classes > b->classes ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What the request loaded, by jar or other source; *ret_has_dispatcher says that Spring's own web layer is in it. */
static const char *late_libraries(const struct finding_context *context, bool *ret_has_spring_web)
{
	enum { NAMED_MOST = 5 };
	const struct model *model = context->model;
	struct map by_name auto_done(map_done) = {};
	VEC(struct library) list = {};
	const char *text = "";

	*ret_has_spring_web = false;
	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];
		const char *name;
		bool is_new;
		uint64_t *place;

		if (!is_in_cold(context, class->loaded_ns, model->threads.list.items[class->thread].pid))
			continue;
		name = origin_text(model, &context->sources->origins[i], context->arena);
		name = strcmp(name, "generated") == 0 ? "what was generated at run time"
		       : *name			      ? finding_base_name(name)
						      : "other sources";
		if (strncmp(model_text(model, class->name), "org/springframework/web/servlet/", 32) == 0)
			*ret_has_spring_web = true;
		place = map_set(&by_name, hash_bytes(name, strlen(name)), list.count, &is_new);
		if (is_new)
			vec_push(&list)->name = name;
		list.items[*place].classes++;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), compare_libraries);
	for (size_t i = 0; i < list.count && i < NAMED_MOST; i++)
		text = arena_format(context->arena, "%s%s%s from %s", text, i ? ", " : "",
				    fmt_count(list.items[i].classes).text, list.items[i].name);
	if (list.count > NAMED_MOST)
		text = arena_format(context->arena, "%s and others", text);
	vec_done(&list);
	return text;
}

/* The most that one of the last requests of the route loaded. */
static int64_t warm_classes(const struct finding_context *context)
{
	enum { LAST_LOOKED_AT = 5 };
	const struct model_requests *requests = &context->model->requests;
	uint32_t route = requests->list.items[context->cold->index].route;
	int64_t most = 0;

	for (size_t i = requests->list.count, seen = 0; i > 0 && seen < LAST_LOOKED_AT; i--) {
		const struct request *request = &requests->list.items[i - 1];
		struct counts counts;

		if (request->route != route || !request->is_complete ||
		    request->index == (uint32_t)context->cold->index)
			continue;
		counts_of(context->model, request->arrival_ns, request->end_ns, context->report->run.main_pid,
			  &counts);
		if (finding_count(&counts, COUNT_CLASSES_LOADED) > most)
			most = finding_count(&counts, COUNT_CLASSES_LOADED);
		seen++;
	}
	return most;
}

bool finding_lazy_initialization(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t late_ns = finding_path_sum(context, is_late, NULL);
	int64_t classes = context->cold ? finding_count(&context->cold->counts, COUNT_CLASSES_LOADED) : 0;
	int64_t warm;
	bool has_spring_web;
	const char *libraries;

	if (classes < LIMIT_LAZY_CLASSES || !finding_matters(context, late_ns) ||
	    late_ns < context->cold->latency_ns / 100 * LIMIT_BROAD_PERCENT)
		return false;
	libraries = late_libraries(context, &has_spring_web);
	warm = warm_classes(context);
	finding_evidence(draft, "The first %s loaded %s classes and initialised %s; the last ones loaded %s%s.",
			 context->cold->route, fmt_count(classes).text,
			 fmt_count(finding_count(&context->cold->counts, COUNT_CLASSES_INITIALIZED)).text,
			 warm ? "at most " : "", warm ? fmt_count(warm).text : "none");
	if (*libraries)
		finding_evidence(draft, "They are %s.", libraries);
	finding_evidence(
		draft,
		"Loading and initialising them took %s of %s on its path (%s): at most that moves to the start. It "
		"holds what other findings say of class loading, and is not to be added to them.",
		fmt_duration(late_ns).text, fmt_duration(context->cold->latency_ns).text,
		finding_share(context, late_ns));
	finding_price(draft, late_ns, true);
	if (has_spring_web && context->launch.java < context->launch.count)
		finding_remedy(
			draft,
			"Let the start do it: send one such request to the service itself before it is announced as "
			"ready; for Spring's own part start %s",
			launch_text_with(&context->launch, "-Dspring.mvc.servlet.load-on-startup=1", NULL,
					 context->arena));
	else
		finding_remedy(
			draft,
			"Let the start do it: send one %s to the service itself before it is announced as ready.",
			context->cold->route);
	return true;
}
