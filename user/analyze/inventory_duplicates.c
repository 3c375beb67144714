/* Which class asked for an entry, and classes that more than one archive has. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_sources.h"
#include "base/auto.h"

/* ---- who asked ---- */

static uint32_t span_of(const struct model *model, const struct entry_use *use, uint32_t *ret_thread)
{
	if (use->class) {
		const struct loaded_class *class = &model->jvm.classes.items[use->class - 1];

		*ret_thread = class->thread;
		return class->span;
	}
	*ret_thread = use->first_thread;
	if (use->first_wanted == NO_INDEX || use->first_thread == NO_INDEX)
		return NO_INDEX;
	return model_span_within(
		model, use->first_thread,
		model_span_at(model, use->first_thread, model->events[use->first_wanted]->time_ns - 1, NULL),
		SPAN_CLASS_LOAD);
}

static bool is_asking_frame(const struct frame_line *line)
{
	return *line->class_name && !frame_is_loader(line) && strcmp(line->class_name, "java/lang/Class") != 0;
}

/* Of thousands of entries with a stack each: no more of it is named than has to be. */
static const char *first_asking_class(const struct model *model, uint64_t stack_id, struct arena *arena)
{
	uint32_t frame_count, line_count = 0;
	const struct stack_frame *frames = model_stack(model, stack_id, &frame_count, NULL);

	for (uint32_t i = 0; i < frame_count && line_count < FRAME_LINES_MAX; i++) {
		struct frame_text texts[FRAME_TEXTS_MAX];
		uint32_t count = model_frame_names(model, &frames[i], texts);

		for (uint32_t k = 0; k < count && line_count < FRAME_LINES_MAX; k++, line_count++) {
			const struct frame_line line = {
				.class_name = texts[k].class_name, .method = texts[k].method, .text = texts[k]};

			if (is_asking_frame(&line))
				return class_name_dotted(arena, line.class_name);
		}
	}
	return "";
}

const char *entry_requester(const struct model *model, const struct entry_use *use, struct arena *arena)
{
	uint32_t thread, span = span_of(model, use, &thread), outer;

	if (span == NO_INDEX)
		return "";

	const struct spans *spans = &model->threads.list.items[thread].spans;

	if (!use->class)
		return class_name_dotted(arena, model_text(model, spans->items[span].name));
	/* A superclass or an interface is asked for by the VM while it makes the class that needs it. */
	outer = model_span_within(model, thread, spans->items[span].parent, SPAN_CLASS_LOAD);
	if (outer != NO_INDEX && spans->items[outer].name != spans->items[span].name)
		return class_name_dotted(arena, model_text(model, spans->items[outer].name));
	return first_asking_class(model, MODEL_EVENT(model, spans->items[span].event, class_load)->stack_id, arena);
}

/* ---- duplicates ---- */

struct place {
	uint32_t archive, inner;
};

enum { PLACES_MOST = 16 }; /* of one class: more of them say nothing new */

static bool is_known_place(const struct place *places, size_t count, struct place place)
{
	for (size_t i = 0; i < count; i++) {
		if (places[i].archive == place.archive && places[i].inner == place.inner)
			return true;
	}
	return false;
}

static size_t find_places(const struct inventory *inventory, const char *class_name, struct place *ret_places)
{
	const struct model *model = inventory->model;
	const struct class_sources *sources = inventory->sources;
	size_t count = 0;

	for (uint32_t link = sources_candidates(model, sources, NO_INDEX, class_name); link != NO_INDEX;
	     link = sources_candidates(model, sources, link, class_name)) {
		struct place place = {.archive = sources->links.items[link].archive};
		struct archive_entry_facts entry;
		struct archive_facts facts;

		/* A class of the JDK's image is taken from there: no jar is asked. */
		if (!model_archive_entry(model, place.archive, sources->links.items[link].entry, &entry) ||
		    !model_archive_facts(model, place.archive, entry.archive, &facts) || facts.is_jimage)
			return 0;
		place.inner = entry.archive;
		/* The same class for several Java versions, in one jar, is one class. */
		if (count < PLACES_MOST && !is_known_place(ret_places, count, place))
			ret_places[count++] = place;
	}
	return count;
}

static int compare_duplicates(const void *left, const void *right)
{
	return strcmp(((const struct report_duplicate *)left)->class_name,
		      ((const struct report_duplicate *)right)->class_name);
}

void inventory_duplicates(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct arena *arena = &inventory->report->arena;
	struct map seen auto_done(map_done) = {};
	VEC(struct report_duplicate) rows = {};

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct class_origin *origin = &inventory->sources->origins[i];
		const char *name = model_text(model, model->jvm.classes.items[i].name);
		struct place places[PLACES_MOST];
		bool is_new;
		size_t count;

		if (origin->source != CLASS_FROM_JAR)
			continue;
		map_set(&seen, model->jvm.classes.items[i].name, 1, &is_new);
		count = is_new ? find_places(inventory, name, places) : 0;
		if (count < 2)
			continue;

		const char **jars = arena_array(arena, const char *, count);

		for (size_t k = 0; k < count; k++)
			jars[k] = archive_path(model, places[k].archive, places[k].inner, arena);
		*vec_push(&rows) = (struct report_duplicate){
			.class_name = class_name_dotted(arena, name),
			.loaded_from = origin_text(model, origin, arena),
			.jars = jars,
			.jar_count = count,
		};
	}
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_duplicates);
	inventory_put(inventory, duplicates, &rows);
}
