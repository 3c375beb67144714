/* The one screen: the answer first, then what supports it, then what is not known. */
#include "render/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

enum {
	INCLUSIVE_ON_SCREEN = 3,
	TILES_ON_SCREEN = 5,
	WHAT_IFS_ON_SCREEN = 3,
	FINDINGS_ON_SCREEN = 2,
	ROUTES_ON_SCREEN = 3
};

static bool is_same_request(const struct report_request *left, const struct report_request *right)
{
	return strcmp(left->route ? left->route : "", right->route ? right->route : "") == 0 &&
	       strcmp(left->method ? left->method : "", right->method ? right->method : "") == 0;
}

/* A real warm request to set beside the cold one: of those kept, the one nearest to the warm median, the later of
 * equals. */
static const struct report_request *typical_warm(const struct report *report, const struct report_cold_vs_warm *pair,
						 const struct report_request *cold)
{
	const struct report_request *best = NULL;
	int64_t best_distance = INT64_MAX;

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];
		int64_t distance = request->latency_ns > pair->warm_median_ns
					   ? fmt_subtract(request->latency_ns, pair->warm_median_ns)
					   : fmt_subtract(pair->warm_median_ns, request->latency_ns);

		if (request->is_cold || !is_same_request(request, cold) || distance > best_distance)
			continue;
		best = request;
		best_distance = distance;
	}
	return best;
}

/* How warm is meant, the burst that the cold request was part of, and what the client's own clock said. */
static void text_warm(struct screen *screen, const struct report_cold_vs_warm *pair)
{
	if (!pair || !pair->warm_count) {
		screen_paragraph(screen, TERM_PLAIN, "Warm", "no warm request to compare with");
		return;
	}
	screen_paragraph(screen, TERM_PLAIN, "Warm",
			 "%s, %s times faster (middle-half mean of %s; median %s, %s to %s)",
			 fmt_duration(pair->warm_ns).text,
			 pair->warm_ns > 0 ? fmt_factor((double)pair->cold_ns / (double)pair->warm_ns).text : "?",
			 fmt_count(pair->warm_count).text, fmt_duration(pair->warm_median_ns).text,
			 fmt_duration(pair->warm_min_ns).text, fmt_duration(pair->warm_max_ns).text);
}

static void text_burst(struct screen *screen, const struct report *report)
{
	const struct report_burst *burst = &report->burst;
	const struct report_burst_member *most = burst->members;
	const char *waits = "none of them waited for another";

	if (!burst->member_count)
		return;
	for (size_t i = 1; i < burst->member_count; i++)
		if (burst->members[i].awaited_ns > most->awaited_ns)
			most = &burst->members[i];
	if (burst->waiting)
		waits = arena_format(&screen->arena,
				     "%lld of them waited %s in all for the work of another's thread, %s of that for %s, which "
				     "did it for them",
				     (long long)burst->waiting, fmt_duration(burst->waited_ns).text,
				     fmt_duration(most->awaited_ns).text, most->thread);
	screen_paragraph(screen, TERM_PLAIN, "Burst", "%zu first requests at once, answered in %s to %s; %s",
			 burst->member_count, fmt_duration(burst->shortest_ns).text,
			 fmt_duration(burst->longest_ns).text, waits);
}

static void text_client(struct screen *screen, const struct report_request *cold)
{
	const struct {
		const char *words;
		struct maybe value;
	} parts[] = {
		{"name look-up", cold->client_name_ns}, {"connect", cold->client_connect_ns},
		{"TLS", cold->client_tls_ns},		{"wait", cold->client_wait_ns},
		{"receive", cold->client_receive_ns},
	};
	const char *text = "";

	if (cold->client_latency_ns.state != KNOWN)
		return;
	for (size_t i = 0; i < array_length(parts); i++)
		if (parts[i].value.state == KNOWN && parts[i].value.value > 0)
			text = arena_format(&screen->arena, "%s%s%s %s", text, *text ? ", " : ": ", parts[i].words,
					    fmt_duration(parts[i].value.value).text);
	screen_paragraph(screen, TERM_PLAIN, "Client", "saw the first take %s%s",
			 fmt_duration(cold->client_latency_ns.value).text, text);
}

/* Latencies in the order of arrival, on a logarithmic scale: the first is often thirty times the last. */
static void text_warm_up(struct screen *screen, const struct report *report, const struct report_request *cold)
{
	enum { POINTS = 48 };
	double points[POINTS], lowest = INFINITY, highest = 0;
	size_t count = 0;
	const struct report_route *route = NULL;

	for (size_t i = 0; i < report->requests_count && count < POINTS; i++) {
		const struct report_request *request = &report->requests[i];

		if (!is_same_request(request, cold) || request->latency_ns <= 0)
			continue;
		points[count] = log((double)request->latency_ns);
		lowest = fmin(lowest, points[count]);
		highest = fmax(highest, points[count]);
		count++;
	}
	for (size_t i = 0; i < report->routes_count; i++)
		if (report->routes[i].route && (strcmp(report->routes[i].route, request_name(screen, cold)) == 0 ||
						strcmp(report->routes[i].route, cold->route ? cold->route : "") == 0))
			route = &report->routes[i];
	if (count < 3)
		return;
	for (size_t i = 0; i < count; i++)
		points[i] = highest > lowest ? (points[i] - lowest) / (highest - lowest) : 0;

	const char *words = "";
	unsigned room = screen->term.columns - SCREEN_LABEL_COLUMNS;

	if (route && route->until_warm.state == KNOWN)
		words = arena_format(&screen->arena, " within 10 %% of warm after %s request%s",
				     fmt_count(route->until_warm.value).text,
				     route->until_warm.value == 1 ? "" : "s");
	room = room > strlen(words) ? room - (unsigned)strlen(words) : 0;
	screen_paragraph(screen, TERM_PLAIN, "Warm-up", "%s%s",
			 term_sparkline(&screen->term, points, count, room).text, words);
}

static void text_counts(struct screen *screen, const struct report_request *cold, const struct report_request *warm)
{
	static const struct {
		enum count count;
		const char *title;
		unsigned optional;
	} columns[] = {
		{COUNT_CLASSES_LOADED, "classes", 0},
		{COUNT_EXCEPTIONS, "exceptions", 0},
		{COUNT_OPENS, "opens", 0},
		{COUNT_FAILED_LOOKUPS, "failed look-ups", 4},
		{COUNT_READS, "reads", 0},
		{COUNT_JAR_READS, "of jars", 2},
		{COUNT_MINOR_FAULTS, "page faults", 0},
		{COUNT_MAJOR_FAULTS, "from disk", 1},
		{COUNT_THREADS_STARTED, "threads", 3},
		{COUNT_COMPILATIONS, "compilations", 5},
		{COUNT_CONNECTS, "connects", 6},
	};
	const struct report_request *requests[] = {cold, warm};
	const char *status = cold->status.state == KNOWN
				     ? arena_format(&screen->arena, " (%s)", maybe_count(screen, cold->status))
				     : "";
	struct table table = {};

	table_column(&table, (struct table_column){.title = arena_format(&screen->arena, "%s%s",
									 request_name(screen, cold), status),
						   .shrinks_to = 16});
	table_column(&table, (struct table_column){.title = "latency", .align = TABLE_RIGHT});
	for (size_t c = 0; c < array_length(columns); c++)
		if (cold->counts.of[columns[c].count].state == KNOWN)
			table_column(&table, (struct table_column){.title = columns[c].title,
								   .align = TABLE_RIGHT,
								   .optional = columns[c].optional});
	for (size_t r = 0; r < array_length(requests); r++) {
		if (!requests[r])
			continue;
		table_row(&table);
		if (r)
			table_cell(&table, TERM_PLAIN, "request %s, warm", fmt_count(requests[r]->index + 1).text);
		else
			table_cell(&table, TERM_PLAIN, "first request%s", cold->is_shared ? ", others beside" : "");
		table_cell(&table, TERM_BOLD, "%s%s", requests[r]->is_start_estimated ? "~" : "",
			   fmt_duration(requests[r]->latency_ns).text);
		for (size_t c = 0; c < array_length(columns); c++)
			if (cold->counts.of[columns[c].count].state == KNOWN)
				table_cell(&table, TERM_PLAIN, "%s",
					   maybe_count(screen, requests[r]->counts.of[columns[c].count]));
	}
	screen_table(screen, &table);
}

static int tile_order(const void *left, const void *right)
{
	const struct report_tile *a = *(const struct report_tile *const *)left,
				 *b = *(const struct report_tile *const *)right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static void text_longest_tiles(struct screen *screen, const struct report_request *cold)
{
	if (!cold->path_count)
		return;

	const struct report_tile **tiles = arena_array(&screen->arena, const struct report_tile *, cold->path_count);
	struct scale scale = scale_for(cold->latency_ns);
	struct table table = {};

	for (size_t i = 0; i < cold->path_count; i++)
		tiles[i] = &cold->path[i];
	qsort(tiles, cold->path_count, sizeof(*tiles), tile_order);

	table_column(&table,
		     (struct table_column){.title = "Longest stretches", .shrinks_to = 20, .cut = UTF8_CUT_END});
	table_column(&table, (struct table_column){.title = scale.unit, .align = TABLE_RIGHT});
	table_column(&table, (struct table_column){.title = arena_format(&screen->arena, "at %s", scale.unit),
						   .align = TABLE_RIGHT,
						   .optional = 3});
	table_column(&table, (struct table_column){.title = "thread", .shrinks_to = 14, .optional = 2});
	table_column(&table, (struct table_column){.title = "detail", .shrinks_to = 18, .optional = 1});
	for (size_t i = 0; i < cold->path_count && i < TILES_ON_SCREEN; i++) {
		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", cause_label_short(screen, cause_label(tiles[i]->cause)));
		table_cell(&table, TERM_PLAIN, "%s%s", tiles[i]->is_estimated ? "~" : "",
			   in_scale(screen, tiles[i]->duration_ns, scale));
		table_cell(&table, TERM_DIM, "%s",
			   in_scale_signed(screen, fmt_subtract(tiles[i]->start_ns, cold->start_ns), scale));
		table_cell(&table, TERM_PLAIN, "%s", tiles[i]->thread);
		table_cell(&table, TERM_DIM, "%s", tiles[i]->detail ? tiles[i]->detail : "");
	}
	screen_blank(screen);
	screen_table(screen, &table);
}

/* A name of the `inclusive` object as words. */
static const char *inclusive_words(struct screen *screen, const char *name)
{
	static const struct {
		const char *name, *words;
	} table[] = {
		{"class_loading", "loading classes"},
		{"class_init", "static initialisers"},
		{"exception", "exceptions"},
		{"lock", "locks"},
		{"file", "files"},
		{"fault", "page faults"},
	};
	static const char loader[] = "loader ";

	for (size_t i = 0; i < array_length(table); i++)
		if (strcmp(name, table[i].name) == 0)
			return table[i].words;
	if (strncmp(name, loader, strlen(loader)) == 0) {
		const char *dot = strrchr(name, '.');

		return arena_format(&screen->arena, "in %s", dot && dot[1] ? dot + 1 : name + strlen(loader));
	}
	return name;
}

static int largest_first(const void *left, const void *right)
{
	const struct named_value *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void text_inclusive(struct screen *screen, const struct report_request *cold, size_t most)
{
	struct named_value *values = arena_array(&screen->arena, struct named_value, cold->inclusive_count + 1);
	auto_done(words_done) struct words words = {};

	if (!cold->inclusive_count)
		return;
	memcpy(values, cold->inclusive, sizeof(*values) * cold->inclusive_count);
	qsort(values, cold->inclusive_count, sizeof(*values), largest_first);
	for (size_t i = 0; i < cold->inclusive_count && (!most || i < most); i++)
		words_add(&words, "%s%s %s", i ? "; " : "", inclusive_words(screen, values[i].name),
			  fmt_duration(values[i].value).text);
	screen_paragraph(screen, TERM_PLAIN, "Inclusive", "%s (overlapping)", words_text(&words));
}

static void text_what_if(struct screen *screen, const struct report *report)
{
	const struct report_what_if **order = what_ifs_by_saving(screen, report);
	auto_done(words_done) struct words words = {};

	for (size_t i = 0; i < report->what_if_count && i < WHAT_IFS_ON_SCREEN; i++)
		words_add(&words, "%s%s without %s", i ? "; " : "", fmt_duration(order[i]->cold_ns).text,
			  order[i]->without);
	if (report->what_if_count)
		screen_paragraph(screen, TERM_PLAIN, "What if", "at best %s", words_text(&words));
}

static void text_other_routes(struct screen *screen, const struct report *report, size_t most)
{
	struct table table = {};

	if (report->cold_vs_warm_count < 2)
		return;
	table_column(&table, (struct table_column){.title = "Other routes", .shrinks_to = 16});
	table_column(&table, (struct table_column){.title = "first", .align = TABLE_RIGHT});
	table_column(&table, (struct table_column){.title = "warm", .align = TABLE_RIGHT});
	table_column(&table, (struct table_column){.title = "times", .align = TABLE_RIGHT});
	for (size_t i = 1; i < report->cold_vs_warm_count && (!most || i <= most); i++) {
		const struct report_cold_vs_warm *pair = &report->cold_vs_warm[i];

		table_row(&table);
		table_cell(&table, TERM_PLAIN, "%s", pair->route);
		table_cell(&table, TERM_PLAIN, "%s", fmt_duration(pair->cold_ns).text);
		table_cell(&table, TERM_PLAIN, "%s", pair->warm_count ? fmt_duration(pair->warm_ns).text : "?");
		table_cell(&table, TERM_PLAIN, "%s",
			   pair->warm_count && pair->warm_ns > 0
				   ? fmt_factor((double)pair->cold_ns / (double)pair->warm_ns).text
				   : "?");
	}
	screen_blank(screen);
	screen_table(screen, &table);
	if (most && report->cold_vs_warm_count - 1 > most)
		screen_line(screen, TERM_DIM, "and %zu more in the full report",
			    report->cold_vs_warm_count - 1 - most);
}

static void text_request_answer(struct screen *screen, const struct report *report,
				const struct render_options *options, const struct report_request *cold)
{
	const struct report_cold_vs_warm *pair = report->cold_vs_warm_count ? report->cold_vs_warm : NULL;
	bool is_full = options->is_full;

	screen_blank(screen);
	text_counts(screen, cold, pair ? typical_warm(report, pair, cold) : NULL);
	text_warm(screen, pair);
	text_burst(screen, report);
	if (is_full)
		text_client(screen, cold);
	if (pair)
		text_warm_up(screen, report, cold);
	screen_blank(screen);
	text_causes(screen, pair, cold, is_full);
	text_inclusive(screen, cold, is_full ? 0 : INCLUSIVE_ON_SCREEN);
	if (!is_full)
		text_what_if(screen, report);
	if (!is_full)
		text_longest_tiles(screen, cold);
	text_other_routes(screen, report, is_full ? 0 : ROUTES_ON_SCREEN);
}

void text_summary(struct screen *screen, const struct report *report, const struct render_options *options)
{
	const struct report_request *cold =
		cold_request_of(report, report->cold_vs_warm_count ? report->cold_vs_warm : NULL);

	text_head(screen, report, options);
	text_milestones(screen, report);
	if (cold)
		text_request_answer(screen, report, options, cold);
	else
		text_startup(screen, report);
	text_findings(screen, report, options->is_full ? 0 : FINDINGS_ON_SCREEN);
	if (options->is_full)
		return;
	if (!report->findings_count)
		screen_blank(screen);
	text_limits(screen, report);
	if (options->recording)
		screen_paragraph(screen, TERM_PLAIN, "Everything", "warmtrace report %s",
				 command_text(screen, &options->recording, 1));
}
