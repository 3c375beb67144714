/* Flames of two sides: two recordings, a number of runs, the first request and warm ones. */
#include <stdlib.h>
#include <string.h>

#include "analyze/flame_internal.h"

/* ---- names ---- */

static bool is_hexadecimal(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Marks after which a name goes on with a number of no meaning, and whether that number is hexadecimal. */
static const struct {
	const char *text;
	bool is_hexadecimal;
} chance_marks[] = {
	{"$$Lambda/", true},
	{"$$Lambda$", false},
	{"$$Lambda.", true},
	{"LambdaForm$MH/", true},
	{"LambdaForm$DMH/", true},
	{"LambdaForm$BMH/", true},
	{"LambdaForm$VH/", true},
	{"/0x", true},
	{".0x", true},
	{"+0x", true},
	{"$Proxy", false},
	{"GeneratedMethodAccessor", false},
	{"GeneratedConstructorAccessor", false},
	{"GeneratedSerializationConstructorAccessor", false},
	{"$HibernateInstantiator$", true},
	{"$HibernateProxy$", true},
	{"$HibernateAccessOptimizer$", true},
	{"$ByteBuddy$", true},
	{"CGLIB$$", true},
	{"$auxiliary$", true},
	{"$MockitoMock$", true},
};

/* The length of the number of no meaning that begins at `at`, 0 where none does. */
static size_t chance_length(const char *start, const char *at)
{
	for (size_t i = 0; i < sizeof(chance_marks) / sizeof(chance_marks[0]); i++) {
		const char *text = chance_marks[i].text;
		size_t length = strlen(text), digits = 0;

		if ((size_t)(at - start) < length || memcmp(at - length, text, length) != 0)
			continue;
		if (at[0] == '0' && at[1] == 'x')
			digits = 2;
		while (chance_marks[i].is_hexadecimal ? is_hexadecimal(at[digits])
						      : at[digits] >= '0' && at[digits] <= '9')
			digits++;
		if (digits)
			return digits;
	}
	return 0;
}

/* The name without what differs by chance: each such number is a star. In a thread's name all numbers are. */
static uint32_t normal_name(struct flame *flame, const char *name, enum flame_kind kind)
{
	size_t length = strlen(name), at = 0, out = 0;
	char *normal = malloc(length * 2 + 1);

	if (!normal)
		memory_exhausted();
	while (at < length) {
		size_t skipped = chance_length(name, name + at);

		if (kind == FLAME_KIND_THREAD || kind == FLAME_KIND_WAIT)
			skipped = strspn(name + at, "0123456789");
		if (skipped) {
			normal[out++] = '*';
			at += skipped;
		} else {
			normal[out++] = name[at++];
		}
	}
	normal[out] = '\0';

	uint32_t id = strpool_add(&flame->names, normal, out);

	free(normal);
	return id;
}

/* ---- scaling ---- */

/* What is left over of a node goes to the next one, so that the whole is scaled, not each of many small parts. */
struct scaled {
	int64_t times, divide_by, left, left_duration;
};

static int64_t scale(int64_t value, const struct scaled *by, int64_t *left)
{
	__int128 whole = (__int128)value * by->times + *left;

	*left = (int64_t)(whole % by->divide_by);
	return (int64_t)(whole / by->divide_by);
}

/* Adds what another flame has. `scales` has one for all, or one for each node of the first level, by node. */
static void add_scaled(struct flame *flame, const struct flame *from, bool is_before, struct scaled *scales,
		       bool is_by_node)
{
	uint32_t *places = calloc(from->nodes.count, sizeof(*places));
	uint32_t *firsts = calloc(from->nodes.count, sizeof(*firsts));

	if (!places || !firsts)
		memory_exhausted();
	for (size_t i = 0; i < from->nodes.count; i++) {
		const struct flame_node *node = &from->nodes.items[i];

		if (i) {
			places[i] = flame_child_named(
				flame, places[node->parent], (enum flame_kind)node->kind,
				normal_name(flame, flame_name(from, node), (enum flame_kind)node->kind));
			firsts[i] = node->parent ? firsts[node->parent] : (uint32_t)i;
		}

		struct flame_node *into = &flame->nodes.items[places[i]];
		struct scaled *by = &scales[is_by_node ? firsts[i] : 0];
		int64_t value = scale(node->value, by, &by->left);
		int64_t duration_ns = scale(node->duration_ns, by, &by->left_duration);

		*(is_before ? &into->before : &into->value) += value;
		into->duration_ns += is_before ? 0 : duration_ns;
	}
	free(firsts);
	free(places);
}

void flame_add_scaled(struct flame *flame, const struct flame *from, bool is_before, int64_t divide_by)
{
	add_scaled(flame, from, is_before, &(struct scaled){.times = 1, .divide_by = divide_by}, false);
}

/* ---- cold and warm ---- */

struct request_counts {
	int64_t cold, warm;
};

/* Of the requests that a critical path has, those of one route. */
static struct request_counts count_kept(const struct report *report, const char *route)
{
	struct request_counts counts = {};

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		if (strcmp(request->route, route) == 0)
			*(request->is_cold ? &counts.cold : &counts.warm) += 1;
	}
	return counts;
}

/* Of all that came: the other views have whatever happened in the two phases. */
static struct request_counts count_all(const struct report *report)
{
	struct request_counts counts = {};

	for (size_t i = 0; i < report->requests_count; i++)
		counts.cold += report->requests[i].is_cold;
	for (size_t i = 0; i < report->routes_count; i++)
		counts.warm += report->routes[i].requests;
	counts.warm -= counts.cold;
	return counts;
}

static struct scaled scale_to_cold(struct request_counts counts)
{
	return counts.cold > 0 && counts.warm > 0 ? (struct scaled){.times = counts.cold, .divide_by = counts.warm}
						  : (struct scaled){.times = 0, .divide_by = 1};
}

static void add_warm(struct flame *flame, const struct flame *warm, const struct report *report)
{
	bool is_by_route = warm->by == FLAME_CRITICAL_PATH;
	struct scaled *scales = calloc(warm->nodes.count, sizeof(*scales));

	if (!scales)
		memory_exhausted();
	scales[0] = scale_to_cold(count_all(report));
	for (size_t i = 1; i < warm->nodes.count && is_by_route; i++)
		if (!warm->nodes.items[i].parent)
			scales[i] = scale_to_cold(count_kept(report, flame_name(warm, &warm->nodes.items[i])));
	add_scaled(flame, warm, true, scales, is_by_route);
	free(scales);
}

void flame_cold_and_warm(const struct model *model, const struct report *report, enum flame_by by,
			 struct flame *ret_flame)
{
	struct flame cold, warm;

	flame_build(model, report, by, PHASE_FIRST_REQUEST, &cold);
	flame_build(model, report, by, PHASE_WARM, &warm);
	flame_begin(ret_flame, by, PHASE_FIRST_REQUEST);
	ret_flame->is_difference = ret_flame->is_cold_and_warm = true;
	ret_flame->requests = cold.requests;
	flame_add_scaled(ret_flame, &cold, false, 1);
	add_warm(ret_flame, &warm, report);
	flame_finish(ret_flame);
	flame_done(&cold);
	flame_done(&warm);
}

/* ---- two recordings ---- */

void flame_difference(const struct flame *before, const struct flame *after, struct flame *ret_flame)
{
	flame_begin(ret_flame, after->by, after->phase);
	ret_flame->is_difference = true;
	ret_flame->requests = after->requests;
	flame_add_scaled(ret_flame, before, true, 1);
	flame_add_scaled(ret_flame, after, false, 1);
	flame_finish(ret_flame);
}
