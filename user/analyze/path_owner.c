#include "analyze/path_owner.h"

#include <string.h>

#include "base/search.h"

/* The tile that holds a time within the path. */
static size_t tile_at(const struct path *path, uint64_t time_ns)
{
	return first_where(path->tiles.count, i, path->tiles.items[i].end_ns > time_ns);
}

static uint64_t read_ns_of(const struct model *model, const struct request *request)
{
	return request->read_event == NO_INDEX ? 0 : model->events[request->read_event]->time_ns;
}

/* The first request, in order of arrival, that may have been served beside this one. */
static size_t first_beside(const struct request *request)
{
	/* Those before it in order of arrival may be read after it: as many as its neighbours on a busy server. */
	enum { EARLIER_MAX = 256 };

	return request->index > EARLIER_MAX ? request->index - EARLIER_MAX : 0;
}

/* When the same thread next read the first bytes of a request that came before this one's end; UINT64_MAX: it did
 * not. */
static uint64_t next_read_ns(const struct model *model, const struct request *request, uint64_t read_ns)
{
	const struct model_requests *requests = &model->requests;
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = first_beside(request); i < requests->list.count && requests->list.items[i].arrival_ns < request->end_ns;
	     i++) {
		const struct request *other = &requests->list.items[i];
		uint64_t other_ns = read_ns_of(model, other);

		if (other != request && other->reader == request->reader && other_ns > read_ns && other_ns < next_ns)
			next_ns = other_ns;
	}
	return next_ns;
}

/* The end of the reader's last tile before a time. */
static uint64_t left_ns(const struct path *path, uint32_t reader, uint64_t before_ns)
{
	for (size_t i = tile_at(path, before_ns); i > 0; i--) {
		if (path->tiles.items[i - 1].thread == reader)
			return path->tiles.items[i - 1].end_ns;
	}
	return path->start_ns;
}

/* The path leaves the reader only after it read another request: since when it does others' work, and until when. */
static uint64_t late_ns(const struct model *model, const struct request *request, const struct path *path, size_t tile)
{
	uint64_t next_ns = next_read_ns(model, request, read_ns_of(model, request));

	while (tile < path->tiles.count && path->tiles.items[tile].thread == request->reader)
		tile++;
	if (tile < path->tiles.count)
		return path->tiles.items[tile].start_ns < next_ns ? 0 : path->tiles.items[tile].start_ns - next_ns;
	return next_ns < path->end_ns ? path->end_ns - next_ns : 0;
}

static uint64_t served_another_ns(const struct model *model, const struct request *request, const struct path *path)
{
	const struct model_requests *requests = &model->requests;
	uint64_t read_ns = read_ns_of(model, request), served_ns = 0;

	for (size_t i = first_beside(request);
	     i < requests->list.count && requests->list.items[i].arrival_ns < request->end_ns; i++) {
		const struct request *other = &requests->list.items[i];

		if (other == request || other->writer != request->reader || other->end_ns <= read_ns ||
		    other->end_ns >= request->end_ns)
			continue;
		if (path->tiles.items[tile_at(path, other->end_ns - 1)].thread == request->reader &&
		    other->end_ns - read_ns > served_ns)
			served_ns = other->end_ns - read_ns;
	}
	return served_ns;
}

struct path_contradiction path_contradiction_of(const struct model *model, const struct request *request,
						const struct path *path)
{
	uint64_t read_ns = read_ns_of(model, request);
	struct path_contradiction found = {.strays_at_ns = UINT64_MAX};

	if (!request->is_shared || request->reader == NO_INDEX || read_ns <= path->start_ns ||
	    read_ns >= path->end_ns)
		return found;

	size_t tile = tile_at(path, read_ns - 1);

	found.others_ns = path->tiles.items[tile].thread == request->reader
				  ? late_ns(model, request, path, tile)
				  : read_ns - left_ns(path, request->reader, read_ns);
	if (found.others_ns)
		found.strays_at_ns = read_ns;
	found.others_ns += served_another_ns(model, request, path);
	return found;
}

void path_doubt(struct path *path, uint64_t from_ns)
{
	size_t first = path->tiles.count, last = 0;

	for (size_t i = 0; i < path->tiles.count; i++) {
		const struct tile *tile = &path->tiles.items[i];

		if (tile->end_ns > from_ns && first == path->tiles.count)
			first = i;
		if (tile->cause == CAUSE_UNEXPLAINED && first < path->tiles.count)
			last = i;
	}
	if (first >= last)
		return;

	struct tile *tile = &path->tiles.items[first];

	if (tile->start_ns < from_ns) {
		tile->end_ns = from_ns;
		tile++;
		first++;
	}
	*tile = (struct tile){.start_ns = from_ns > tile->start_ns ? from_ns : tile->start_ns,
			      .end_ns = path->tiles.items[last].end_ns,
			      .thread = tile->thread,
			      .evidence = NO_INDEX,
			      .span = NO_INDEX,
			      .interval = NO_INDEX,
			      .wake = NO_INDEX,
			      .cause = CAUSE_UNEXPLAINED,
			      .note = NOTE_RECORD_MISSING};
	memmove(tile + 1, &path->tiles.items[last + 1], (path->tiles.count - last - 1) * sizeof(*tile));
	path->tiles.count = first + 1 + (path->tiles.count - last - 1);
}
