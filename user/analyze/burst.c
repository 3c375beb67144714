#include "analyze/burst.h"

#include <stdlib.h>

#include "analyze/report.h"

static bool is_writer_of_others(const struct report *report, const struct report_request *request, uint32_t tid)
{
	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *other = &report->requests[i];

		if (other != request && other->is_cold && other->is_shared && other->path_count &&
		    other->path[other->path_count - 1].tid == tid)
			return true;
	}
	return false;
}

/* The tile whose thread is the request's own: the one that wrote its response; where an event loop writes for
 * several, the last one before it. NULL where it never left the loop. */
static const struct report_tile *own_tile(const struct report *report, const struct report_request *request)
{
	for (size_t i = request->path_count; i > 0; i--) {
		const struct report_tile *tile = &request->path[i - 1];

		if (tile->tid && !is_writer_of_others(report, request, tile->tid))
			return tile;
	}
	return NULL;
}

static struct report_burst_member *member_of_thread(struct report_burst_member *members, size_t count, uint32_t tid)
{
	for (size_t i = 0; i < count; i++) {
		if (tid && members[i].tid == tid)
			return &members[i];
	}
	return NULL;
}

static void add_wait(struct report_burst_member *member, struct report_burst_member *other, int64_t waited_ns)
{
	struct report_burst_wait *waits = member->waits;

	member->waited_ns += waited_ns;
	other->awaited_ns += waited_ns;
	for (size_t i = 0; i < member->wait_count; i++) {
		if (waits[i].request == other->request) {
			waits[i].waited_ns += waited_ns;
			return;
		}
	}
	waits[member->wait_count++] = (struct report_burst_wait){other->request, waited_ns};
}

static int longest_wait_first(const void *left, const void *right)
{
	const struct report_burst_wait *a = left, *b = right;

	if (a->waited_ns != b->waited_ns)
		return a->waited_ns > b->waited_ns ? -1 : 1;
	return a->request < b->request ? -1 : a->request > b->request;
}

static void add_waits(const struct report_request *request, struct report_burst_member *member,
		      struct report_burst_member *members, size_t count)
{
	for (size_t i = 0; i < request->path_count; i++) {
		const struct report_tile *tile = &request->path[i];
		struct report_burst_member *other =
			tile->tid != member->tid ? member_of_thread(members, count, tile->tid) : NULL;

		if (other)
			add_wait(member, other, tile->duration_ns);
	}
	qsort(member->waits, member->wait_count, sizeof(*member->waits), longest_wait_first);
}

void analyze_burst(struct report *report)
{
	struct report_burst *burst = &report->burst;
	size_t count = 0;

	/* Cold requests of several routes, one after another, are no burst. */
	for (size_t i = 0; i < report->requests_count; i++)
		count += report->requests[i].is_cold && report->requests[i].is_shared;
	if (count < 2)
		return;

	struct report_burst_member *members = arena_array(&report->arena, struct report_burst_member, count);
	const struct report_request **requests = arena_array(&report->arena, const struct report_request *, count);
	size_t filled = 0;

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];
		const struct report_tile *own;

		if (!request->is_cold || !request->is_shared)
			continue;
		own = own_tile(report, request);
		requests[filled] = request;
		members[filled++] = (struct report_burst_member){
			.request = request->index,
			.tid = own ? own->tid : 0,
			.thread = own ? own->thread : "",
			.latency_ns = request->latency_ns,
			.waits = arena_array(&report->arena, struct report_burst_wait, count),
		};
		if (filled == 1 || request->latency_ns < burst->shortest_ns)
			burst->shortest_ns = request->latency_ns;
		if (request->latency_ns > burst->longest_ns)
			burst->longest_ns = request->latency_ns;
	}
	for (size_t i = 0; i < count; i++) {
		add_waits(requests[i], &members[i], members, count);
		burst->waited_ns += members[i].waited_ns;
		burst->waiting += members[i].waited_ns > 0;
	}
	burst->members = members;
	burst->member_count = count;
}
