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

/* When the same thread next read the first bytes of a request that came before this one's end; UINT64_MAX: it did
 * not. */
static uint64_t next_read_ns(const struct model *model, const struct request *request, uint64_t read_ns)
{
	const struct model_requests *requests = &model->requests;
	uint64_t next_ns = UINT64_MAX;

	/* Those before it in order of arrival may be read after it: as many as its neighbours on a busy server. */
	enum { EARLIER_MAX = 256 };
	size_t first = request->index > EARLIER_MAX ? request->index - EARLIER_MAX : 0;

	for (size_t i = first; i < requests->list.count && requests->list.items[i].arrival_ns < request->end_ns;
	     i++) {
		const struct request *other = &requests->list.items[i];
		uint64_t other_ns = read_ns_of(model, other);

		if (other != request && other->reader == request->reader && other_ns > read_ns && other_ns < next_ns)
			next_ns = other_ns;
	}
	return next_ns;
}

uint64_t path_strays_at(const struct model *model, const struct request *request, const struct path *path)
{
	uint64_t read_ns = read_ns_of(model, request), next_ns;

	if (!request->is_shared || request->reader == NO_INDEX || read_ns <= path->start_ns ||
	    read_ns >= path->end_ns)
		return UINT64_MAX;

	size_t tile = tile_at(path, read_ns - 1);

	if (path->tiles.items[tile].thread != request->reader)
		return read_ns;
	next_ns = next_read_ns(model, request, read_ns);
	for (; tile < path->tiles.count && path->tiles.items[tile].start_ns < next_ns; tile++) {
		if (path->tiles.items[tile].thread != request->reader)
			return UINT64_MAX;
	}
	return tile == path->tiles.count ? UINT64_MAX : read_ns;
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
