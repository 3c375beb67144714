/* Opens and look-ups that found nothing, by folder and pattern of the name: a storm of them is one row. */
#include "analyze/inventory_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/text.h"

struct search_rows {
	VEC(struct report_search) list;
	VEC(uint32_t) first_paths; /* beside list: string id */
	struct map by_key;	   /* hash of folder and pattern -> row */
	struct map names;	   /* string ids of paths that were counted as a name */
};

struct name_parts {
	const char *base;
	const char *suffix; /* the extension with its dot, "" none */
	size_t folder_length;
	bool is_library;
};

static struct name_parts split_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *library = strstr(base, ".so");
	struct name_parts parts = {
		.base = base,
		.folder_length = slash ? (size_t)(slash - path) : 0,
		.is_library = library && (library[3] == 0 || library[3] == '.'),
	};
	const char *dot = strrchr(base, '.');

	/* libx.so.1.2 and libx.so are one pattern; a name that begins with its only dot has no extension. */
	parts.suffix = parts.is_library ? ".so" : dot && dot != base ? dot : "";
	return parts;
}

/* What programs look for in such places, as far as the place alone tells. */
static const char *purpose_of(const char *path, const struct name_parts *parts)
{
	static const char *const name_service[] = {"resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf"};

	if (parts->is_library || text_begins_with(path, "/etc/ld.so"))
		return "library path";
	if (strcmp(parts->suffix, ".class") == 0 || strcmp(parts->suffix, ".jar") == 0)
		return "class path";
	if (strstr(path, "/zoneinfo") || strcmp(parts->base, "localtime") == 0 ||
	    strcmp(parts->base, "timezone") == 0)
		return "time zone";
	if (strstr(path, "/locale/") || strstr(path, "/locale-archive") || strstr(path, "/gconv/"))
		return "locale";
	for (size_t i = 0; i < array_length(name_service); i++) {
		if (text_begins_with(path, "/etc/") && strcmp(parts->base, name_service[i]) == 0)
			return "name service";
	}
	if (text_begins_with(parts->base, "application") || text_begins_with(parts->base, "bootstrap") || strstr(path, "/config/") ||
	    strcmp(parts->suffix, ".properties") == 0 || strcmp(parts->suffix, ".yml") == 0 ||
	    strcmp(parts->suffix, ".yaml") == 0 || strcmp(parts->suffix, ".conf") == 0)
		return "configuration";
	if (text_begins_with(path, "/proc/") || text_begins_with(path, "/sys/"))
		return "kernel";
	return "";
}

static void count_failure(const struct inventory *inventory, struct search_rows *rows, uint32_t index,
			  uint64_t duration_ns)
{
	const struct model *model = inventory->model;
	uint32_t path_id = model_event_path_id(model, index);
	const char *path = model_event_path(model, index);
	struct name_parts parts = split_name(path);
	uint64_t key;
	bool is_new;

	if (!*path)
		return;
	key = hash_combine(hash_bytes(path, parts.folder_length), hash_bytes(parts.suffix, strlen(parts.suffix)));

	uint64_t *place = map_set(&rows->by_key, key, rows->list.count, &is_new);

	if (is_new) {
		struct arena *arena = &inventory->report->arena;

		*vec_push(&rows->first_paths) = path_id;
		*vec_push(&rows->list) = (struct report_search){
			.folder = parts.folder_length ? arena_copy(arena, path, parts.folder_length) : "/",
			.pattern = arena_format(arena, "%s*%s", parts.is_library ? "lib" : "", parts.suffix),
			.purpose = purpose_of(path, &parts),
		};
	}

	struct report_search *row = &rows->list.items[*place];

	row->failed++;
	row->duration_ns += (int64_t)duration_ns;
	row->phase_failed[phase_of_time(inventory->report, model, model->events[index]->time_ns)]++;
	map_set(&rows->names, path_id, 1, &is_new);
	row->names += is_new;
}

static int compare_searches(const void *left, const void *right)
{
	const struct report_search *a = left, *b = right;
	int order;

	if (a->failed != b->failed)
		return a->failed > b->failed ? -1 : 1;
	order = strcmp(a->folder, b->folder);
	return order ? order : strcmp(a->pattern, b->pattern);
}

void inventory_searches(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct search_rows rows = {};

	if (!is_observed(model, "system_calls") || !is_observed(model, "file_opens"))
		return;
	for (struct event_walk walk = model_walk(model, EVENT_FILE_OPEN, EVENT_FILE_LOOKUP); model_walk_next(&walk);) {
		const uint32_t i = walk.index;

		if (model->events[i]->kind == EVENT_FILE_OPEN) {
			const struct event_file_open *open = MODEL_EVENT(model, i, file_open);

			if (open->result < 0)
				count_failure(inventory, &rows, i, open->duration_ns);
		} else {
			const struct event_file_lookup *lookup = MODEL_EVENT(model, i, file_lookup);

			/* readlink says so of what is there and is no link: every step of realpath() does that. */
			if (lookup->result < 0 && lookup->result != -EINVAL)
				count_failure(inventory, &rows, i, lookup->duration_ns);
		}
	}
	/* One name alone is no pattern. */
	for (size_t i = 0; i < rows.list.count; i++) {
		const char *base = split_name(model_text(model, rows.first_paths.items[i])).base;

		if (rows.list.items[i].names == 1)
			rows.list.items[i].pattern = arena_copy(&inventory->report->arena, base, strlen(base));
	}
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_searches);
	inventory_put(inventory, searches, &rows.list);
	vec_done(&rows.first_paths);
	map_done(&rows.by_key);
	map_done(&rows.names);
}
