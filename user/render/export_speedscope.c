/* speedscope's file format: frames once, profiles that name them by number. */
#include <stdlib.h>

#include "base/auto.h"
#include "base/json_out.h"
#include "render/export.h"
#include "render/export_stacks.h"

/* Its importer knows the format by this value. */
#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

enum {
	REQUESTS_MAX = 200,
	STACK_MAX = 4096,
	STEPS_MAX = 20000, /* of one request: steps that are shorter than its part of so many are told as one */
};

struct writer {
	struct json_out json;
	const struct flame *flame;
	uint32_t *frames; /* by node: frames of one name are one frame */
};

static void put_frames(struct writer *writer, const char **names)
{
	const struct flame *flame = writer->flame;
	struct map by_name auto_done(map_done) = {};

	json_out_key(&writer->json, "shared");
	json_out_object(&writer->json);
	json_out_key(&writer->json, "frames");
	json_out_array(&writer->json);
	for (size_t i = 1; i < flame->nodes.count; i++) {
		bool is_new;

		writer->frames[i] = (uint32_t)*map_set(&by_name, flame->nodes.items[i].name, by_name.count, &is_new);
		if (!is_new)
			continue;
		json_out_object_flat(&writer->json);
		json_out_key(&writer->json, "name");
		json_out_text(&writer->json, names[i]);
		json_out_object_end(&writer->json);
	}
	json_out_array_end(&writer->json);
	json_out_object_end(&writer->json);
}

static void begin_profile(struct writer *writer, const char *type, const char *name, int64_t start, int64_t end)
{
	struct json_out *json = &writer->json;

	json_out_object(json);
	json_out_key(json, "type");
	json_out_text(json, type);
	json_out_key(json, "name");
	json_out_text(json, name);
	json_out_key(json, "unit");
	json_out_text(json, flame_is_time(writer->flame->by) ? "nanoseconds" : "none");
	json_out_key(json, "startValue");
	json_out_int(json, start);
	json_out_key(json, "endValue");
	json_out_int(json, end);
}

/* ---- evented: the path in order of time ---- */

static size_t chain_of(const struct flame *flame, uint32_t node, uint32_t chain[STACK_MAX])
{
	size_t count = 0;

	for (uint32_t at = node; at != 0 && at != FLAME_NO_NODE && count < STACK_MAX;
	     at = flame->nodes.items[at].parent)
		chain[count++] = at;
	for (size_t i = 0, k = count; i + 1 < k; i++) {
		uint32_t other = chain[--k];

		chain[k] = chain[i];
		chain[i] = other;
	}
	return count;
}

static void put_event(struct writer *writer, const char *type, uint32_t node, int64_t at_ns)
{
	json_out_object_flat(&writer->json);
	json_out_key(&writer->json, "type");
	json_out_text(&writer->json, type);
	json_out_key(&writer->json, "frame");
	json_out_int(&writer->json, writer->frames[node]);
	json_out_key(&writer->json, "at");
	json_out_int(&writer->json, at_ns);
	json_out_object_end(&writer->json);
}

/* From *at on: one step, or several short ones with the frames of the longest. The whole length is kept. */
static struct flame_step next_step(const struct flame *flame, size_t *at, size_t end, int64_t shortest_ns)
{
	struct flame_step step = flame->steps.items[(*at)++];
	int64_t longest_ns = step.duration_ns;

	while (*at < end && step.duration_ns < shortest_ns) {
		const struct flame_step *next = &flame->steps.items[*at];

		if (next->duration_ns >= shortest_ns)
			break;
		if (next->duration_ns > longest_ns) {
			longest_ns = next->duration_ns;
			step.node = next->node;
		}
		step.duration_ns += next->duration_ns;
		(*at)++;
	}
	return step;
}

static void put_steps(struct writer *writer, size_t first, size_t end)
{
	const struct flame *flame = writer->flame;
	const struct flame_step *last = &flame->steps.items[end - 1];
	int64_t whole_ns = last->start_ns + last->duration_ns - flame->steps.items[first].start_ns;
	int64_t shortest_ns = end - first > STEPS_MAX ? whole_ns / STEPS_MAX : 0;
	uint32_t *open = calloc(STACK_MAX, sizeof(*open)), *next = calloc(STACK_MAX, sizeof(*next));
	size_t open_count = 0;
	int64_t at_ns = 0;

	if (!open || !next)
		memory_exhausted();
	while (first < end) {
		struct flame_step step = next_step(flame, &first, end, shortest_ns);
		size_t next_count = chain_of(flame, step.node, next), shared = 0;

		while (shared < open_count && shared < next_count && open[shared] == next[shared])
			shared++;
		while (open_count > shared)
			put_event(writer, "C", open[--open_count], step.start_ns);
		while (open_count < next_count) {
			open[open_count] = next[open_count];
			put_event(writer, "O", open[open_count++], step.start_ns);
		}
		at_ns = step.start_ns + step.duration_ns;
	}
	while (open_count)
		put_event(writer, "C", open[--open_count], at_ns);
	free(open);
	free(next);
}

static void put_requests(struct writer *writer, const struct report *report)
{
	const struct flame *flame = writer->flame;
	size_t requests = 0;

	for (size_t first = 0, end; first < flame->steps.count && requests < REQUESTS_MAX; first = end, requests++) {
		const struct flame_step *step = &flame->steps.items[first];
		const struct report_request *request = &report->requests[step->request];
		auto_free char *name = NULL;

		for (end = first; end < flame->steps.count && flame->steps.items[end].request == step->request;)
			end++;
		if (asprintf(&name, "request %lld: %s, %s", (long long)request->index + 1, request->route,
			     request->is_cold ? "cold" : "warm") < 0)
			memory_exhausted();
		begin_profile(writer, "evented", name, step->start_ns,
			      flame->steps.items[end - 1].start_ns + flame->steps.items[end - 1].duration_ns);
		json_out_key(&writer->json, "events");
		json_out_array_flat(&writer->json);
		put_steps(writer, first, end);
		json_out_array_end(&writer->json);
		json_out_object_end(&writer->json);
	}
}

/* ---- sampled: everything, by weight ---- */

static void put_sample(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	struct writer *writer = context;

	(void)flame;
	json_out_array_flat(&writer->json);
	for (size_t i = 0; i < count; i++)
		json_out_int(&writer->json, writer->frames[nodes[i]]);
	json_out_array_end(&writer->json);
}

static void put_weight(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	struct writer *writer = context;

	json_out_int(&writer->json, flame->nodes.items[nodes[count - 1]].value);
}

static void put_sampled(struct writer *writer, const char *title)
{
	begin_profile(writer, "sampled", title, 0, writer->flame->nodes.items[0].total);
	json_out_key(&writer->json, "samples");
	json_out_array(&writer->json);
	flame_each_stack(writer->flame, put_sample, writer);
	json_out_array_end(&writer->json);
	json_out_key(&writer->json, "weights");
	json_out_array_flat(&writer->json);
	flame_each_stack(writer->flame, put_weight, writer);
	json_out_array_end(&writer->json);
	json_out_object_end(&writer->json);
}

struct err *render_speedscope(const struct flame *flame, const struct report *report, const char *title, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	auto_free uint32_t *frames = calloc(flame->nodes.count, sizeof(*frames));
	struct writer writer = {.json = {.out = out}, .flame = flame, .frames = frames};

	if (!frames)
		memory_exhausted();
	json_out_object(&writer.json);
	json_out_key(&writer.json, "$schema");
	json_out_text(&writer.json, SPEEDSCOPE_SCHEMA);
	json_out_key(&writer.json, "exporter");
	json_out_text(&writer.json, arena_format(&arena, "warmtrace %s", report->tool_version));
	json_out_key(&writer.json, "name");
	json_out_text(&writer.json, title);
	json_out_key(&writer.json, "activeProfileIndex");
	json_out_int(&writer.json, 0);
	put_frames(&writer, flame_safe_names(flame, &arena));
	json_out_key(&writer.json, "profiles");
	json_out_array(&writer.json);
	put_requests(&writer, report);
	put_sampled(&writer, title);
	json_out_array_end(&writer.json);
	json_out_object_end(&writer.json);
	return json_out_finish(&writer.json);
}
