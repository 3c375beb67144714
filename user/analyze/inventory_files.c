#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

struct file_rows {
	VEC(struct report_file) list;
	struct map by_path;	 /* string id of the model -> row */
	struct map unknown_file; /* file index without a path -> row */
};

static struct report_file *row_of_path(const struct inventory *inventory, struct file_rows *rows, uint32_t path)
{
	bool is_new;
	uint64_t *place = map_set(&rows->by_path, path, rows->list.count, &is_new);

	if (is_new) {
		const char *text = model_text(inventory->model, path);

		vec_push(&rows->list)->path = *text ? arena_copy(&inventory->report->arena, text, strlen(text))
						    : "(the path could not be read)";
	}
	return &rows->list.items[*place];
}

/* A file that was opened before anyone looked, or given by the parent: known by its inode alone. */
static struct report_file *row_of_file(const struct inventory *inventory, struct file_rows *rows, uint32_t index)
{
	const struct file *file = &inventory->model->files.list.items[index];
	bool is_new;
	uint64_t *place;

	if (file->path)
		return row_of_path(inventory, rows, file->path);
	place = map_set(&rows->unknown_file, index, rows->list.count, &is_new);
	if (is_new)
		vec_push(&rows->list)->path =
			arena_format(&inventory->report->arena, "(inode %lu of device %u:%u)",
				     (unsigned long)file->inode, file->device >> 20, file->device & 0xfffff);
	return &rows->list.items[*place];
}

static void on_event(const struct inventory *inventory, struct file_rows *rows, uint32_t index)
{
	const struct model *model = inventory->model;

	switch ((enum event_kind)model->events[index]->kind) {
	case EVENT_FILE_OPEN: {
		const struct event_file_open *open = MODEL_EVENT(model, index, file_open);
		struct report_file *row = row_of_path(inventory, rows, model_event_path_id(model, index));

		row->opens++;
		row->failed_opens += open->result < 0;
		row->duration_ns += (int64_t)open->duration_ns;
		break;
	}
	case EVENT_FILE_LOOKUP: {
		const struct event_file_lookup *lookup = MODEL_EVENT(model, index, file_lookup);
		struct report_file *row = row_of_path(inventory, rows, model_event_path_id(model, index));

		row->lookups++;
		row->failed_lookups += lookup->result < 0;
		row->duration_ns += (int64_t)lookup->duration_ns;
		break;
	}
	case EVENT_FILE_READ: {
		const struct event_file_read *read = MODEL_EVENT(model, index, file_read);
		struct report_file *row =
			row_of_file(inventory, rows, model_file_by_inode(model, read->device, read->inode));

		row->reads++;
		row->bytes_read += read->result > 0 ? read->result : 0;
		row->duration_ns += (int64_t)read->duration_ns;
		break;
	}
	default:
		break;
	}
}

static int compare_files(const void *left, const void *right)
{
	const struct report_file *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

void inventory_files(const struct inventory *inventory)
{
	struct file_rows rows = {};

	if (!is_observed(inventory->model, "system_calls") || !is_observed(inventory->model, "file_opens"))
		return;
	for (struct event_walk walk =
		     model_walk(inventory->model, EVENT_FILE_OPEN, EVENT_FILE_LOOKUP, EVENT_FILE_READ);
	     model_walk_next(&walk);)
		on_event(inventory, &rows, walk.index);
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_files);
	inventory_put(inventory, files, &rows.list);
	map_done(&rows.by_path);
	map_done(&rows.unknown_file);
}
