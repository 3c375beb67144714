/* Exceptions, page faults, classes and files as flames: one for each event that the report's counts count. */
#include <stdlib.h>
#include <string.h>

#include "analyze/flame_internal.h"
#include "analyze/inventory_internal.h"
#include "analyze/inventory_loads.h"

static void add_exception(struct flame_builder *builder, uint32_t index)
{
	const struct event_exception *event = MODEL_EVENT(builder->model, index, exception);
	uint32_t node = flame_push_stack(builder, 0, event->stack_id);

	node = flame_push(builder, node, FLAME_KIND_EXCEPTION, "exception %s",
			  class_name_dotted(&builder->scratch, event->tail));
	flame_add(builder, node, event->count ? event->count : 1, (int64_t)event->duration_ns);
}

static void add_native_throw(struct flame_builder *builder, uint32_t index)
{
	const struct event_native_throw *event = MODEL_EVENT(builder->model, index, native_throw);

	flame_add(builder,
		  flame_push(builder, 0, FLAME_KIND_EXCEPTION, "exception %s",
			     type_name_demangled(&builder->scratch, event->tail)),
		  1, 0);
}

static void add_fault(struct flame_builder *builder, uint32_t index, size_t fault)
{
	const struct model *model = builder->model;
	const struct event_fault *event = MODEL_EVENT(model, index, fault);
	uint32_t file = model->mappings.fault_files.items[fault];
	uint32_t node = flame_push_thread(
		builder, 0, model_thread_at(model, event->header.tid, event->header.time_ns), event->header.time_ns);

	node = flame_push(builder, node, FLAME_KIND_FAULT, "%s page fault on %s", event->is_major ? "major" : "minor",
			  model_region_name((enum region_kind)model->mappings.fault_kinds.items[fault]));
	if (file)
		node = flame_push_text(builder, node, FLAME_KIND_FILE, model_file_path(model, file));
	flame_add(builder, node, 1, (int64_t)event->duration_ns);
}

/* The folders of a path as frames, then what was done. */
static void add_file(struct flame_builder *builder, const char *path, const char *operation, uint64_t duration_ns)
{
	uint32_t node = 0;

	if (!*path)
		node = flame_push_text(builder, node, FLAME_KIND_FILE, "(path not known)");
	while (*path) {
		size_t length = strcspn(path + 1, "/") + 1;

		node = flame_child_named(builder->flame, node, FLAME_KIND_FILE,
					 strpool_add(&builder->flame->names, path, length));
		path += length;
	}
	flame_add(builder, flame_push_text(builder, node, FLAME_KIND_KERNEL, operation), 1, (int64_t)duration_ns);
}

static void add_event(struct flame_builder *builder, uint32_t index)
{
	const struct model *model = builder->model;
	const struct event_header *event = model->events[index];

	if (builder->flame->by == FLAME_EXCEPTIONS) {
		if (event->kind == EVENT_EXCEPTION)
			add_exception(builder, index);
		else if (event->kind == EVENT_NATIVE_THROW)
			add_native_throw(builder, index);
		return;
	}
	if (event->kind == EVENT_FILE_OPEN) {
		const struct event_file_open *open = (const struct event_file_open *)event;

		add_file(builder, model_event_path(model, index), open->result < 0 ? "open, failed" : "open",
			 open->duration_ns);
	} else if (event->kind == EVENT_FILE_LOOKUP) {
		const struct event_file_lookup *lookup = (const struct event_file_lookup *)event;

		add_file(builder, model_event_path(model, index), lookup->result < 0 ? "look up, failed" : "look up",
			 lookup->duration_ns);
	} else if (event->kind == EVENT_FILE_READ) {
		const struct event_file_read *read = (const struct event_file_read *)event;

		add_file(builder, model_file_path(model, model_file_by_inode(model, read->device, read->inode)),
			 "read", read->duration_ns);
	}
}

static bool is_in_window(const struct flame_builder *builder, uint64_t time_ns)
{
	return time_ns >= builder->start_ns && time_ns < builder->end_ns;
}

static void build_faults(struct flame_builder *builder)
{
	for (size_t i = 0; i < builder->model->mappings.faults.count; i++) {
		uint32_t index = builder->model->mappings.faults.items[i];

		if (is_in_window(builder, builder->model->events[index]->time_ns))
			add_fault(builder, index, i);
	}
}

static void build_classes(struct flame_builder *builder)
{
	const struct model *model = builder->model;
	struct class_loads loads;

	class_loads_build(model, &loads);
	for (size_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *loaded = &model->jvm.classes.items[i];
		const struct span *span =
			loaded->span == NO_INDEX
				? NULL
				: &model->threads.list.items[loaded->thread].spans.items[loaded->span];
		uint32_t node = 0;

		if (!is_in_window(builder, loaded->loaded_ns))
			continue;
		uint64_t stack_id = span ? MODEL_EVENT(model, span->event, class_load)->stack_id : 0;

		node = stack_id ? flame_push_stack(builder, node, stack_id)
				: flame_push_known(builder, node, loaded->thread, loaded->loaded_ns,
						   loaded->loaded_ns);
		node = flame_push(builder, node, FLAME_KIND_CLASS, "load class %s",
				  class_name_dotted(&builder->scratch, model_text(model, loaded->name)));
		flame_add(builder, node, 1, loads.own_ns[i] > 0 ? loads.own_ns[i] : 0);
	}
	class_loads_done(&loads);
}

void flame_build_events(struct flame_builder *builder)
{
	const struct model *model = builder->model;
	const struct report *report = builder->report;

	/* The last phase includes its last instant and what was recorded after it, as in the counts. */
	if (report->phases_count &&
	    (builder->flame->phase == FLAME_ALL_PHASES || builder->flame->phase == PHASE_SHUTDOWN) &&
	    report->phases[report->phases_count - 1].phase == PHASE_SHUTDOWN && builder->end_ns > builder->start_ns)
		builder->end_ns = UINT64_MAX;
	if (builder->flame->by == FLAME_FAULTS) {
		build_faults(builder);
		return;
	}
	if (builder->flame->by == FLAME_CLASSES) {
		build_classes(builder);
		return;
	}
	for (uint32_t i = model_first_event_at(model, builder->start_ns);
	     i < model->event_count && model->events[i]->time_ns < builder->end_ns; i++)
		add_event(builder, i);
}
