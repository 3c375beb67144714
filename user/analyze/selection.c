#include "analyze/selection.h"

#include <stdlib.h>

enum { KEPT_FIRST_MAX = 64, KEPT_FIRST_ALL = 2048, KEPT_SLOW_MAX = 16, KEPT_SLOW_ALL = 512 };

uint32_t warm_count_of(uint32_t repeats)
{
	uint32_t count = (uint32_t)((uint64_t)repeats * 2 / 3);

	if (repeats == 0)
		return 0;
	if (count < 1)
		count = 1;
	return count < WARM_MAX ? count : WARM_MAX;
}

static const struct request *request_at(const struct model *model, uint32_t index)
{
	return &model->requests.list.items[index];
}

static void group_by_route(const struct model *model, struct selection *selection)
{
	struct map by_name = {};

	for vec_each(request, &model->requests.list) {
		if (request->is_handshake)
			continue;

		bool is_new;
		uint64_t *at = map_set(&by_name, request->route, selection->routes.count, &is_new);

		if (is_new)
			*vec_push(&selection->routes) = (struct route){.name = request->route, .cold = NO_INDEX};

		struct route *route = &selection->routes.items[*at];

		route->requests++;
		route->errors += !request->is_complete || request->status >= 500;
		if (request->is_complete)
			*vec_push(&route->answered) = request->index;
	}
	map_done(&by_name);
}

static bool is_first_round(const struct model *model, const struct request *request)
{
	return request->client_event != NO_INDEX &&
	       MODEL_EVENT(model, request->client_event, client_request)->round == 0;
}

/* The first of its route, and what came before that was answered (a burst); a later round of our own client is no
 * burst. */
static void mark_cold(const struct model *model, struct selection *selection, struct route *route)
{
	if (route->answered.count == 0)
		return;
	route->cold = route->answered.items[0];

	const struct request *cold = request_at(model, route->cold);

	for (size_t i = 0; i < route->answered.count; i++) {
		const struct request *request = request_at(model, route->answered.items[i]);

		if (request != cold && request->arrival_ns >= cold->end_ns)
			break;
		if (request == cold || request->client_event == NO_INDEX || is_first_round(model, request))
			selection->is_cold[request->index] = true;
	}
}

static void select_warm(const struct model *model, const struct selection *selection, struct route *route)
{
	if (route->cold == NO_INDEX)
		return;

	uint32_t status_class = request_at(model, route->cold)->status / 100;

	for vec_each(index, &route->answered) {
		if (!selection->is_cold[*index] && request_at(model, *index)->status / 100 == status_class)
			route->repeats++;
	}

	uint32_t skip = route->repeats - warm_count_of(route->repeats);

	for vec_each(index, &route->answered) {
		if (selection->is_cold[*index] || request_at(model, *index)->status / 100 != status_class)
			continue;
		if (skip > 0)
			skip--;
		else
			*vec_push(&route->warm) = *index;
	}
}

/* ---- what is kept ---- */

static uint64_t latency_of(const struct model *model, uint32_t index)
{
	return request_at(model, index)->end_ns - request_at(model, index)->arrival_ns;
}

static uint32_t part_of(uint32_t all, size_t routes, uint32_t most)
{
	uint32_t part = routes ? (uint32_t)(all / routes) : most;

	return part < 1 ? 1 : part > most ? most : part;
}

/* The slowest few, by replacing the fastest of those kept so far: linear, as few are kept. */
static void keep_slowest(const struct model *model, struct selection *selection, const struct route *route,
			 uint32_t most)
{
	uint32_t slowest[KEPT_SLOW_MAX];
	uint32_t count = 0;

	for vec_each(index, &route->answered) {
		uint32_t at = count;

		if (count == most && latency_of(model, *index) <= latency_of(model, slowest[count - 1]))
			continue;
		if (count < most)
			count++;
		else
			at = count - 1;
		for (; at > 0 && latency_of(model, slowest[at - 1]) < latency_of(model, *index); at--)
			slowest[at] = slowest[at - 1];
		slowest[at] = *index;
	}
	for (uint32_t i = 0; i < count; i++)
		selection->is_kept[slowest[i]] = true;
}

static void select_kept(const struct model *model, struct selection *selection)
{
	uint32_t first = part_of(KEPT_FIRST_ALL, selection->routes.count, KEPT_FIRST_MAX);
	uint32_t slow = part_of(KEPT_SLOW_ALL, selection->routes.count, KEPT_SLOW_MAX);

	for vec_each(route, &selection->routes) {
		for (size_t i = 0; i < route->answered.count && i < first; i++)
			selection->is_kept[route->answered.items[i]] = true;
		for vec_each(index, &route->warm)
			selection->is_kept[*index] = true;
		keep_slowest(model, selection, route, slow);
	}
}

/* Our own client's first round is the first burst; without it, the first cold request and those that overlap it. */
static uint64_t first_burst_end(const struct model *model, const struct selection *selection)
{
	uint64_t end_ns = 0, chain_end_ns = 0;

	for vec_each(request, &model->requests.list) {
		if (!selection->is_cold[request->index])
			continue;
		if (is_first_round(model, request) && request->end_ns > end_ns)
			end_ns = request->end_ns;
		if ((chain_end_ns == 0 || request->arrival_ns < chain_end_ns) && request->end_ns > chain_end_ns)
			chain_end_ns = request->end_ns;
	}
	return end_ns ? end_ns : chain_end_ns;
}

void selection_make(const struct model *model, struct selection *ret_selection)
{
	struct selection *selection = ret_selection;

	*selection = (struct selection){};
	selection->is_cold = calloc(model->requests.list.count + 1, sizeof(bool));
	selection->is_kept = calloc(model->requests.list.count + 1, sizeof(bool));
	if (!selection->is_cold || !selection->is_kept)
		memory_exhausted();
	group_by_route(model, selection);
	for vec_each(route, &selection->routes) {
		mark_cold(model, selection, route);
		select_warm(model, selection, route);
	}
	select_kept(model, selection);
	selection->first_burst_end_ns = first_burst_end(model, selection);
}

void selection_done(struct selection *selection)
{
	for vec_each(route, &selection->routes) {
		vec_done(&route->answered);
		vec_done(&route->warm);
	}
	vec_done(&selection->routes);
	free(selection->is_cold);
	free(selection->is_kept);
}
