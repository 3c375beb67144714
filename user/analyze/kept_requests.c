#include "analyze/kept_requests.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/counts.h"
#include "analyze/detail.h"
#include "analyze/inventory_internal.h"
#include "analyze/path.h"
#include "analyze/phases.h"
#include "base/search.h"

/* ---- inclusive figures ---- */

static const struct {
	uint8_t bit;
	const char *name;
} insides[] = {
	{INSIDE_CLASS_LOADING, "class_loading"},
	{INSIDE_CLASS_INIT, "class_init"},
	{INSIDE_EXCEPTION, "exception"},
	{INSIDE_LOCK, "lock"},
	{INSIDE_FILE, "file"},
	{INSIDE_FAULT, "fault"},
};

enum { INSIDE_COUNT = sizeof(insides) / sizeof(insides[0]), LOADERS_MAX = 16 };

struct inclusive {
	int64_t inside_ns[INSIDE_COUNT];
	struct named_value loaders[LOADERS_MAX];
	size_t loader_count;
	uint32_t last_thread, last_load; /* what was found for the tile before: many tiles share a load */
	const char *last_loader;
};

/* The loader at work in a stack: the outermost of the callers that load or find a class, which is the one that was
 * asked. The base class's own method says nothing about which loader it is. */
static const char *loader_in_stack(const struct model *model, uint64_t stack_id, struct arena *arena)
{
	struct frame_line lines[FRAME_LINES_MAX];
	uint32_t count = stack_lines(model, stack_id, lines, FRAME_LINES_MAX), at = 0;
	const char *found = NULL;

	while (at < count && !frame_is_loader(&lines[at]))
		at++;
	for (; at < count && frame_is_loader(&lines[at]); at++) {
		if (!found || strcmp(lines[at].class_name, "java/lang/ClassLoader") != 0)
			found = lines[at].class_name;
	}
	return found ? dotted_name(found, arena) : NULL;
}

/* The class loader that a class was asked for through. Where the VM asked, the stack of the request ends in who needs
 * the class; the loader shows in the requests that it makes in turn. */
static const char *loader_of_load(const struct model *model, uint32_t thread, uint32_t load, struct arena *arena)
{
	const struct spans *spans = &model->threads.list.items[thread].spans;
	uint64_t end_ns = spans->items[load].end_ns;

	for (uint32_t i = load; i < spans->count && spans->items[i].start_ns < end_ns; i++) {
		const char *name;

		if (spans->items[i].kind != SPAN_CLASS_LOAD)
			continue;
		name = loader_in_stack(model, MODEL_EVENT(model, spans->items[i].event, class_load)->stack_id, arena);
		if (name)
			return name;
	}
	return NULL;
}

static const char *loader_of(const struct model *model, const struct tile *tile, struct inclusive *inclusive,
			     struct arena *arena)
{
	const struct spans *spans = &model->threads.list.items[tile->thread].spans;
	uint32_t outermost = NO_INDEX;

	for (uint32_t span = tile->span; span != NO_INDEX; span = spans->items[span].parent) {
		if (spans->items[span].kind == SPAN_CLASS_LOAD)
			outermost = span;
	}
	if (outermost == NO_INDEX)
		return NULL;
	if (outermost != inclusive->last_load || tile->thread != inclusive->last_thread) {
		inclusive->last_load = outermost;
		inclusive->last_thread = tile->thread;
		inclusive->last_loader = loader_of_load(model, tile->thread, outermost, arena);
	}
	return inclusive->last_loader;
}

static void add_loader(struct inclusive *inclusive, const char *name, int64_t duration_ns, struct arena *arena)
{
	for (size_t i = 0; i < inclusive->loader_count; i++) {
		if (strcmp(inclusive->loaders[i].name + strlen("loader "), name) == 0) {
			inclusive->loaders[i].value += duration_ns;
			return;
		}
	}
	if (inclusive->loader_count < LOADERS_MAX)
		inclusive->loaders[inclusive->loader_count++] =
			(struct named_value){arena_format(arena, "loader %s", name), duration_ns};
}

static void add_inclusive(const struct model *model, const struct tile *tile, struct inclusive *inclusive,
			  struct arena *arena)
{
	int64_t duration_ns = (int64_t)(tile->end_ns - tile->start_ns);

	for (size_t i = 0; i < INSIDE_COUNT; i++)
		inclusive->inside_ns[i] += tile->inside & insides[i].bit ? duration_ns : 0;
	if (tile->inside & INSIDE_CLASS_LOADING && tile->span != NO_INDEX) {
		const char *loader = loader_of(model, tile, inclusive, arena);

		if (loader)
			add_loader(inclusive, loader, duration_ns, arena);
	}
}

static void store_inclusive(const struct inclusive *inclusive, struct report_request *request, struct arena *arena)
{
	struct named_value *values = arena_array(arena, struct named_value, INSIDE_COUNT + inclusive->loader_count);
	size_t count = 0;

	for (size_t i = 0; i < INSIDE_COUNT; i++) {
		if (inclusive->inside_ns[i])
			values[count++] = (struct named_value){insides[i].name, inclusive->inside_ns[i]};
	}
	for (size_t i = 0; i < inclusive->loader_count; i++)
		values[count++] = inclusive->loaders[i];
	request->inclusive = values;
	request->inclusive_count = count;
}

/* ---- tiles ---- */

static bool can_join(const struct report_tile *last, const struct report_tile *tile)
{
	return last->tid == tile->tid && last->pid == tile->pid && last->cause == tile->cause &&
	       last->is_estimated == tile->is_estimated && strcmp(last->detail, tile->detail) == 0;
}

/* Neighbours that say the same are one tile for a reader. */
static void store_path(const struct model *model, const struct request *from, const struct path *path,
		       struct report_request *request, struct arena *arena)
{
	struct report_tile *tiles = arena_array(arena, struct report_tile, path->tiles.count);
	struct inclusive inclusive = {.last_load = NO_INDEX};
	size_t count = 0;

	for vec_each(tile, &path->tiles) {
		struct report_tile shown = {
			.start_ns = (int64_t)(tile->start_ns - model->exec_ns),
			.duration_ns = (int64_t)(tile->end_ns - tile->start_ns),
			.cause = (enum cause)tile->cause,
			.thread = "",
			.detail = tile_detail(model, from, tile, arena),
			.is_estimated = tile->is_estimated,
		};

		if (tile->thread != NO_INDEX) {
			const struct thread *thread = &model->threads.list.items[tile->thread];

			shown.pid = thread->pid;
			shown.tid = thread->tid;
			shown.thread = model_thread_name(model, tile->thread, tile->start_ns);
		}
		add_inclusive(model, tile, &inclusive, arena);
		if (count && can_join(&tiles[count - 1], &shown))
			tiles[count - 1].duration_ns += shown.duration_ns;
		else
			tiles[count++] = shown;
	}
	request->path = tiles;
	request->path_count = count;
	store_inclusive(&inclusive, request, arena);
}

/* ---- requests ---- */

static void store_client(const struct model *model, const struct request *from, struct report_request *request)
{
	if (from->client_event == NO_INDEX)
		return;

	const struct event_client_request *client = MODEL_EVENT(model, from->client_event, client_request);

	request->client_latency_ns = (struct maybe){KNOWN, (int64_t)client->total_ns};
	request->client_name_ns = (struct maybe){KNOWN, (int64_t)client->name_ns};
	request->client_connect_ns = (struct maybe){KNOWN, (int64_t)client->connect_ns};
	request->client_tls_ns = (struct maybe){KNOWN, (int64_t)client->tls_ns};
	request->client_wait_ns = (struct maybe){KNOWN, (int64_t)client->wait_ns};
	request->client_receive_ns = (struct maybe){KNOWN, (int64_t)client->receive_ns};
}

/* What all requests share while they are worked out. */
struct work {
	const struct model *model;
	struct path_walker *walker;
	struct count_index *counts; /* of the main process */
	struct path path;
	struct arena *arena;
};

static void store_request(struct work *work, const struct request *from, bool is_cold,
			  struct report_request *ret_request)
{
	const struct model *model = work->model;

	*ret_request = (struct report_request){
		.index = from->index,
		.is_cold = is_cold,
		.is_shared = from->is_shared,
		.is_start_estimated = from->is_arrival_estimated,
		.method = model_text(model, from->method),
		.route = model_text(model, from->route),
		.protocol = model_text(model, from->protocol),
		.status = from->status ? (struct maybe){KNOWN, from->status} : (struct maybe){.state = NONE},
		.start_ns = (int64_t)(from->arrival_ns - model->exec_ns),
		.latency_ns = (int64_t)(from->end_ns - from->arrival_ns),
	};
	store_client(model, from, ret_request);
	path_walk(work->walker, from, &work->path);
	path_causes(&work->path, ret_request->causes, ret_request->cause_is_estimated);
	store_path(model, from, &work->path, ret_request, work->arena);
	counts_between(work->counts, from->arrival_ns, from->end_ns, &ret_request->counts);
}

void analyze_requests(const struct model *model, const struct selection *selection, struct report *report)
{
	uint32_t main_pid = model->threads.processes.items[main_process_of(model)].pid;
	size_t count = 0;

	for (size_t i = 0; i < model->requests.list.count; i++)
		count += selection->is_kept[i];
	if (count == 0)
		return;

	struct report_request *requests = arena_array(&report->arena, struct report_request, count);
	struct work work = {.model = model,
			    .walker = path_walker_new(model),
			    .counts = count_index_new(model, main_pid),
			    .arena = &report->arena};

	for vec_each(request, &model->requests.list) {
		if (selection->is_kept[request->index])
			store_request(&work, request, selection->is_cold[request->index],
				      &requests[report->requests_count++]);
	}
	report->requests = requests;
	vec_done(&work.path.tiles);
	count_index_free(work.counts);
	path_walker_free(work.walker);
}

const struct report_request *report_request_of(const struct report *report, uint32_t index)
{
	size_t at = first_where(report->requests_count, i, report->requests[i].index >= (int64_t)index);

	return at < report->requests_count && report->requests[at].index == (int64_t)index ? &report->requests[at]
											     : NULL;
}
