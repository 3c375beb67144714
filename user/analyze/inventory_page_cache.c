/* What of the files was in memory when the run began, and what the disk had to give. */
#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_sources.h"
#include "base/auto.h"

enum {
	PAGE_BYTES = 4096,
	/* Of what the run left in memory. The rest of a large file that nobody reads says nothing. */
	WARM_PERCENT = 90,
	COLD_PERCENT = 25,
};

struct cache_rows {
	VEC(struct report_cached_file) list;
	struct map by_path; /* string id of the model -> row */
};

static struct report_cached_file *row_of(const struct inventory *inventory, struct cache_rows *rows, const char *path)
{
	bool is_new;
	uint64_t *place = map_set(&rows->by_path, hash_bytes(path, strlen(path)), rows->list.count, &is_new);

	if (is_new)
		vec_push(&rows->list)->path = arena_copy(&inventory->report->arena, path, strlen(path));
	return &rows->list.items[*place];
}

static void add_residencies(const struct inventory *inventory, struct cache_rows *rows)
{
	const struct model *model = inventory->model;

	for vec_each(index, &model->texts.residencies) {
		const struct event_residency *event = MODEL_EVENT(model, *index, residency);
		struct report_cached_file *row = row_of(inventory, rows, event->tail);
		int64_t resident;

		if (event->resident_pages > event->pages || event->pages > INT64_MAX / PAGE_BYTES)
			continue;
		resident = (int64_t)event->resident_pages * PAGE_BYTES;
		row->size = known((int64_t)event->pages * PAGE_BYTES);
		if (event->moment == MOMENT_EXIT)
			row->resident_at_exit = known(resident);
		else if (event->moment == MOMENT_EXEC)
			row->resident = known(resident);
	}
}

static struct report_cached_file *row_of_file(const struct inventory *inventory, struct cache_rows *rows,
					      uint32_t file)
{
	const char *path = model_file_path(inventory->model, file);

	return file && *path ? row_of(inventory, rows, path) : NULL;
}

static void add_major_faults(const struct inventory *inventory, struct cache_rows *rows)
{
	const struct model *model = inventory->model;

	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		struct report_cached_file *row;

		if (!MODEL_EVENT(model, model->mappings.faults.items[i], fault)->is_major)
			continue;
		row = row_of_file(inventory, rows, model->mappings.fault_files.items[i]);
		if (row)
			row->major_faults++;
	}
}

/* The file that a thread was at when it waited for the disk: of the innermost span that has one. */
static uint32_t file_of_wait(const struct model *model, uint32_t thread, uint64_t time_ns)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	uint32_t at = model_span_at(model, thread, time_ns, NULL);

	if (at == NO_INDEX)
		return 0;
	switch ((enum span_kind)spans->items[at].kind) {
	case SPAN_FILE_READ:
	case SPAN_FILE_WRITE:
	case SPAN_FILE_OPEN:
	case SPAN_FILE_MAP:
	case SPAN_FAULT:
		return spans->items[at].name;
	default:
		return 0;
	}
}

static int64_t add_waits(const struct inventory *inventory, struct cache_rows *rows)
{
	const struct model *model = inventory->model;
	int64_t sum_ns = 0;

	for (uint32_t thread = 0; thread < model->threads.list.count; thread++) {
		const struct intervals *intervals = &model->threads.list.items[thread].intervals;

		for (uint32_t i = 0; i < intervals->count; i++) {
			const struct interval *interval = &intervals->items[i];
			struct report_cached_file *row;
			int64_t wait_ns;

			if (interval->state != INTERVAL_BLOCKED || !(interval->flags & INTERVAL_IOWAIT))
				continue;
			wait_ns = (int64_t)(model_interval_end(model, thread, i) - interval->start_ns);
			sum_ns += wait_ns;
			row = row_of_file(inventory, rows, file_of_wait(model, thread, interval->start_ns));
			if (row)
				row->disk_ns += wait_ns;
		}
	}
	return sum_ns;
}

/* What the kernel brought in beyond what was read of it: known of archives, whose reads are followed byte by byte. */
static void add_read_ahead(const struct inventory *inventory, struct cache_rows *rows)
{
	for (size_t i = 0; i < inventory->report->jars_count; i++) {
		const struct report_jar *jar = &inventory->report->jars[i];
		uint64_t *place =
			jar->nested_in ? NULL : map_find(&rows->by_path, hash_bytes(jar->path, strlen(jar->path)));
		struct report_cached_file *row = place ? &rows->list.items[*place] : NULL;
		int64_t ahead;

		if (!row || row->resident.state != KNOWN || row->resident_at_exit.state != KNOWN ||
		    jar->bytes_touched.state != KNOWN)
			continue;
		ahead = row->resident_at_exit.value - row->resident.value - jar->bytes_touched.value;
		row->read_ahead = known(ahead > 0 ? ahead : 0);
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct report_cached_file *a = left, *b = right;
	int64_t a_missing = a->size.value - a->resident.value, b_missing = b->size.value - b->resident.value;

	if (a->disk_ns != b->disk_ns)
		return a->disk_ns > b->disk_ns ? -1 : 1;
	if (a_missing != b_missing)
		return a_missing > b_missing ? -1 : 1;
	return strcmp(a->path, b->path);
}

static void judge(const struct inventory *inventory, const struct cache_rows *rows)
{
	struct report_page_cache *cache = &inventory->report->page_cache;
	int64_t before = 0, used = 0;
	bool has_exit = false;

	for vec_each(row, &rows->list) {
		int64_t resident = row->resident.value;

		if (row->resident.state != KNOWN)
			continue;
		cache->size += row->size.value;
		cache->resident += resident;
		if (row->resident_at_exit.state == KNOWN) {
			has_exit = true;
			used += row->resident_at_exit.value;
			before += resident < row->resident_at_exit.value ? resident
									 : row->resident_at_exit.value;
		}
	}
	if (!has_exit) {
		before = cache->resident;
		used = cache->size;
	}
	if (used == 0)
		return;
	cache->state = before >= used / 100 * WARM_PERCENT   ? "warm"
		       : before <= used / 100 * COLD_PERCENT ? "cold"
							     : "partly";
}

void inventory_page_cache(const struct inventory *inventory)
{
	struct report_page_cache *cache = &inventory->report->page_cache;
	const char *dropped = model_run_text(inventory->model, "drop_caches", NULL);
	struct cache_rows rows = {};

	add_residencies(inventory, &rows);
	cache->is_known = rows.list.count > 0;
	cache->was_dropped = dropped != NULL;
	add_major_faults(inventory, &rows);
	cache->disk_ns = add_waits(inventory, &rows);
	add_read_ahead(inventory, &rows);
	judge(inventory, &rows);
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_rows);
	cache->files_count = rows.list.count;
	cache->files = (const void *)arena_copy(&inventory->report->arena, rows.list.items,
						rows.list.count * sizeof(*rows.list.items));
	vec_done(&rows.list);
	map_done(&rows.by_path);
}
