#include "analyze/burst.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/report.h"
#include "base/auto.h"
#include "base/fmt.h"
#include "base/vec.h"

/* A cold request of the burst, and the thread that wrote its response. */
struct member {
	const struct report_request *request;
	uint32_t tid;
	const char *thread;
	int64_t waited_ns;  /* on threads of others */
	int64_t awaited_ns; /* what others waited on this one's */
};

typedef VEC(struct member) members;

static void members_done(members *list)
{
	vec_done(list);
}

static void collect(const struct report *report, members *list)
{
	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		if (!request->is_cold || !request->path_count)
			continue;

		const struct report_tile *last = &request->path[request->path_count - 1];

		*vec_push(list) = (struct member){.request = request, .tid = last->tid, .thread = last->thread};
	}
}

static struct member *member_of(members *list, uint32_t tid)
{
	for vec_each(member, list)
		if (member->tid == tid)
			return member;
	return NULL;
}

static void add_waits(members *list)
{
	for vec_each(member, list)
		for (size_t i = 0; i < member->request->path_count; i++) {
			const struct report_tile *tile = &member->request->path[i];
			struct member *other = tile->tid != member->tid ? member_of(list, tile->tid) : NULL;

			if (!other)
				continue;
			member->waited_ns += tile->duration_ns;
			other->awaited_ns += tile->duration_ns;
		}
}

static const struct member *most_awaited(const members *list)
{
	const struct member *most = &list->items[0];

	for vec_each(member, list)
		if (member->awaited_ns > most->awaited_ns)
			most = member;
	return most;
}

const char *burst_sentence(struct report *report)
{
	members list auto_done(members_done) = {};
	int64_t shortest = INT64_MAX, longest = 0, waited_ns = 0;
	size_t shared = 0, waiting = 0;

	collect(report, &list);
	for vec_each(member, &list) {
		shared += member->request->is_shared;
		if (member->request->latency_ns < shortest)
			shortest = member->request->latency_ns;
		if (member->request->latency_ns > longest)
			longest = member->request->latency_ns;
	}
	/* Cold requests of several routes, one after another, are no burst. */
	if (list.count < 2 || shared < 2)
		return NULL;
	add_waits(&list);
	for vec_each(member, &list) {
		waiting += member->waited_ns > 0;
		waited_ns += member->waited_ns;
	}

	const struct member *most = most_awaited(&list);

	if (!waiting)
		return arena_format(&report->arena,
				    "The first burst: %zu requests at once took %s to %s. None of them waited for another.",
				    list.count, fmt_duration(shortest).text, fmt_duration(longest).text);
	return arena_format(&report->arena,
			    "The first burst: %zu requests at once took %s to %s. %zu of them waited for the work of another's "
			    "thread, %s in all; %s of that was for %s, which did it for them.",
			    list.count, fmt_duration(shortest).text, fmt_duration(longest).text, waiting,
			    fmt_duration(waited_ns).text, fmt_duration(most->awaited_ns).text, most->thread);
}
