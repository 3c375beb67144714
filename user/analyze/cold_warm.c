#include "analyze/cold_warm.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/kept_requests.h"
#include "analyze/tracing_cost.h"
#include "analyze/what_if_rows.h"

/* ---- sums ---- */

int64_t share_means(const int64_t *sums, size_t count, int64_t divisor, int64_t *ret_means)
{
	int64_t all = 0, given = 0;

	for (size_t i = 0; i < count; i++) {
		all += sums[i];
		ret_means[i] = sums[i] / divisor;
		given += ret_means[i];
	}

	int64_t total = all / divisor + (all % divisor * 2 >= divisor);

	while (given < total) {
		size_t best = 0;
		int64_t best_rest = -1;

		for (size_t i = 0; i < count; i++) {
			int64_t rest = sums[i] / divisor == ret_means[i] ? sums[i] % divisor : -1;

			if (rest > best_rest) {
				best = i;
				best_rest = rest;
			}
		}
		ret_means[best]++;
		given++;
	}
	return total;
}

static int compare_numbers(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

int64_t until_warm(const int64_t *latencies_ns, size_t count, int64_t warm_ns)
{
	enum { AHEAD = 5 };
	int64_t limit_ns = warm_ns + warm_ns / 10;

	for (size_t i = 0; i < count; i++) {
		int64_t ahead[AHEAD];
		size_t length = count - i < AHEAD ? count - i : AHEAD;

		if (latencies_ns[i] > limit_ns)
			continue;
		memcpy(ahead, latencies_ns + i, length * sizeof(*ahead));
		qsort(ahead, length, sizeof(*ahead), compare_numbers);
		if (ahead[(length - 1) / 2] <= limit_ns)
			return (int64_t)i;
	}
	return -1;
}

/* ---- the warm baseline ---- */

static int64_t latency_of(const struct model *model, uint32_t index)
{
	const struct request *request = &model->requests.list.items[index];

	return (int64_t)(request->end_ns - request->arrival_ns);
}

struct ranked {
	int64_t latency_ns;
	uint32_t request;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->latency_ns != b->latency_ns)
		return a->latency_ns < b->latency_ns ? -1 : 1;
	return a->request < b->request ? -1 : a->request > b->request;
}

static int compare_rows(const void *left, const void *right)
{
	const struct report_cause_row *a = left, *b = right;

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns > b->excess_ns ? -1 : 1;
	return a->cause < b->cause ? -1 : a->cause > b->cause;
}

static void fill_rows(const struct report_request *cold, const int64_t warm[CAUSE_COUNT],
		      const bool warm_estimated[CAUSE_COUNT], struct report_cold_vs_warm *row, struct arena *arena)
{
	struct report_cause_row *rows = arena_array(arena, struct report_cause_row, CAUSE_COUNT);

	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (cold->causes[cause] == 0 && warm[cause] == 0)
			continue;

		int64_t excess_ns = cold->causes[cause] - warm[cause];

		rows[row->cause_count++] = (struct report_cause_row){
			.cause = (enum cause)cause,
			.cold_ns = cold->causes[cause],
			.warm_ns = warm[cause],
			.excess_ns = excess_ns,
			.share = row->excess_ns > 0 ? (double)excess_ns / (double)row->excess_ns : 0,
			.is_estimated = cold->cause_is_estimated[cause] || warm_estimated[cause],
		};
	}
	qsort(rows, row->cause_count, sizeof(*rows), compare_rows);
	row->causes = rows;
}

/* The middle half of the warm requests, ranked by latency, gives the baseline and its causes. */
static void compare_route(const struct model *model, const struct route *route, struct report *report,
			  struct report_cold_vs_warm *ret_row)
{
	const struct report_request *cold = report_request_of(report, route->cold);
	struct ranked ranked[WARM_MAX];
	size_t count = route->warm.count, cut = count / 4;
	int64_t sums[CAUSE_COUNT] = {}, means[CAUSE_COUNT];
	bool estimated[CAUSE_COUNT] = {};
	int64_t tracing_ns = 0;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){latency_of(model, route->warm.items[i]), route->warm.items[i]};
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = cut; i < count - cut; i++) {
		const struct report_request *warm = report_request_of(report, ranked[i].request);

		tracing_ns += tracing_cost_of_path_ns(model, warm->path, warm->path_count);
		for (int cause = 0; cause < CAUSE_COUNT; cause++) {
			sums[cause] += warm->causes[cause];
			estimated[cause] |= warm->cause_is_estimated[cause];
		}
	}

	int64_t warm_ns = share_means(sums, CAUSE_COUNT, (int64_t)(count - 2 * cut), means);
	int64_t low_ns = ranked[(count - 1) / 2].latency_ns, high_ns = ranked[count / 2].latency_ns;

	*ret_row = (struct report_cold_vs_warm){
		.route = model_text(model, route->name),
		.cold_ns = cold->latency_ns,
		.warm_ns = warm_ns,
		.warm_median_ns = low_ns + (high_ns - low_ns) / 2,
		.warm_min_ns = ranked[0].latency_ns,
		.warm_max_ns = ranked[count - 1].latency_ns,
		.warm_count = (int64_t)count,
		.excess_ns = cold->latency_ns - warm_ns,
		.cold_tracing_ns = tracing_cost_of_path_ns(model, cold->path, cold->path_count),
		.warm_tracing_ns = tracing_ns / (int64_t)(count - 2 * cut),
	};
	fill_rows(cold, means, estimated, ret_row, &report->arena);
}

/* ---- routes ---- */

static int64_t quantile(const int64_t *sorted, size_t count, size_t percent)
{
	size_t rank = (count * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

static void fill_route(const struct model *model, const struct route *from, int64_t warm_ns,
		       struct report_route *ret_route)
{
	size_t count = from->answered.count;
	int64_t *latencies_ns = malloc((count + 1) * sizeof(*latencies_ns));
	uint64_t last_end_ns = 0;

	if (!latencies_ns)
		memory_exhausted();
	*ret_route = (struct report_route){
		.route = model_text(model, from->name), .requests = from->requests, .errors = from->errors};
	for (size_t i = 0; i < count; i++) {
		const struct request *request = &model->requests.list.items[from->answered.items[i]];

		latencies_ns[i] = latency_of(model, from->answered.items[i]);
		last_end_ns = request->end_ns > last_end_ns ? request->end_ns : last_end_ns;
	}
	if (count) {
		uint64_t first_ns = model->requests.list.items[from->answered.items[0]].arrival_ns;
		int64_t warm_after = warm_ns > 0 ? until_warm(latencies_ns, count, warm_ns) : -1;

		ret_route->per_second =
			last_end_ns > first_ns ? (double)count * 1e9 / (double)(last_end_ns - first_ns) : 0;
		ret_route->until_warm =
			warm_after < 0 ? (struct maybe){.state = NONE} : (struct maybe){KNOWN, warm_after};
		qsort(latencies_ns, count, sizeof(*latencies_ns), compare_numbers);
		ret_route->p50_ns = quantile(latencies_ns, count, 50);
		ret_route->p95_ns = quantile(latencies_ns, count, 95);
		ret_route->p99_ns = quantile(latencies_ns, count, 99);
		ret_route->max_ns = latencies_ns[count - 1];
	} else {
		ret_route->until_warm.state = NONE;
	}
	free(latencies_ns);
}

void analyze_cold_warm(const struct model *model, const struct selection *selection, struct report *report)
{
	size_t count = selection->routes.count;
	struct report_cold_vs_warm *rows = arena_array(&report->arena, struct report_cold_vs_warm, count);
	struct report_route *routes = arena_array(&report->arena, struct report_route, count);

	for vec_each(route, &selection->routes) {
		int64_t warm_ns = 0;

		if (route->warm.count) {
			struct report_cold_vs_warm *row = &rows[report->cold_vs_warm_count++];

			compare_route(model, route, report, row);
			warm_ns = row->warm_ns;
		}
		fill_route(model, route, warm_ns, &routes[report->routes_count++]);
		if (route->cold != NO_INDEX && !report->what_if)
			what_if_fill(model, route->cold, report);
	}
	report->cold_vs_warm = rows;
	report->routes = routes;
}

/* ---- the verdict ---- */

static const char *milliseconds(int64_t time_ns, struct arena *arena)
{
	int64_t tenths = (time_ns + 50000) / 100000;

	if (tenths >= 1000)
		return arena_format(arena, "%lld ms", (long long)(tenths + 5) / 10);
	return arena_format(arena, "%lld.%lld ms", (long long)tenths / 10, (long long)tenths % 10);
}

/* A cause's words as a row has them, made to follow "went to". */
static const char *words_of_spending(enum cause cause, struct arena *arena)
{
	switch (cause) {
	case CAUSE_CPU_RUNNABLE:
		return "waiting for a CPU";
	case CAUSE_GC_PAUSE:
	case CAUSE_GC_STALL:
	case CAUSE_SAFEPOINT_WAIT:
	case CAUSE_LOCK_PARK:
	case CAUSE_CPU_THROTTLED:
		return arena_format(arena, "being %s", cause_words(cause));
	case CAUSE_UNEXPLAINED:
		return "what is not explained";
	default:
		return cause_words(cause);
	}
}

/* The first request is no slower to speak of; a finding may still stand out. */
static const char *verdict_without_excess(const struct report *report, const struct report_cold_vs_warm *row,
					  struct arena *arena)
{
	const char *cold = milliseconds(row->cold_ns, arena), *warm = milliseconds(row->warm_ns, arena);
	const struct report_finding *first = report->findings;

	if (!report->findings_count)
		return arena_format(arena, "Nothing stands out: the first %s took %s, a warm one %s.", row->route, cold,
				    warm);
	if (report->findings_count == 1)
		return arena_format(arena, "The first %s took %s, a warm one %s. One thing was found: %s", row->route,
				    cold, warm, first->title);
	return arena_format(arena, "The first %s took %s, a warm one %s. %zu things were found, first of them: %s",
			    row->route, cold, warm, report->findings_count, first->title);
}

const char *verdict_of(const struct report *report, struct arena *arena)
{
	enum { LEAST_EXCESS_NS = 1000000 };

	if (report->requests_count == 0)
		return "No request was answered in this run, so there is no first request to explain.";
	if (report->cold_vs_warm_count == 0)
		return arena_format(arena, "%s took %s; it was not repeated, so there is nothing to compare it with.",
				    report->requests[0].route, milliseconds(report->requests[0].latency_ns, arena));

	const struct report_cold_vs_warm *row = &report->cold_vs_warm[0];

	if (row->excess_ns < LEAST_EXCESS_NS || row->excess_ns < row->warm_ns / 10)
		return verdict_without_excess(report, row, arena);

	char *text = arena_format(arena, "The first %s took %s, a warm one %s. Of the %s between them", row->route,
				  milliseconds(row->cold_ns, arena), milliseconds(row->warm_ns, arena),
				  milliseconds(row->excess_ns, arena));

	for (size_t i = 0; i < row->cause_count && i < 3; i++) {
		const struct report_cause_row *cause = &row->causes[i];

		if (cause->excess_ns < row->excess_ns / 20)
			break;
		text = arena_format(arena, "%s, %s went to %s%s", text,
				    milliseconds(cause->excess_ns, arena), words_of_spending(cause->cause, arena),
				    cause->is_estimated ? " (estimated)" : "");
	}
	return arena_format(arena, "%s.", text);
}
