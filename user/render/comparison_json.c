#include "render/render.h"

#include "base/json_out.h"
#include "render/json_common.h"

static void put_stat(struct json_out *json, const char *key, const struct comparison_stat *stat)
{
	if (!stat->count)
		return;
	json_out_key(json, key);
	json_out_object_flat(json);
	json_put_int(json, "min", stat->min);
	json_put_int(json, "median", stat->median);
	json_put_int(json, "max", stat->max);
	json_put_real(json, "mean", stat->mean);
	json_put_real(json, "stddev", stat->stddev);
	json_out_key(json, "values");
	json_out_array(json);
	for (size_t i = 0; i < stat->count; i++)
		json_out_int(json, stat->values[i]);
	json_out_array_end(json);
	json_out_object_end(json);
}

static void put_cause_stats(struct json_out *json, const char *key, const struct comparison_cause_stat *list, size_t count)
{
	json_out_key(json, key);
	json_out_object(json);
	for (size_t i = 0; i < count; i++)
		put_stat(json, cause_name(list[i].cause), &list[i].stat);
	json_out_object_end(json);
}

static void put_cache(struct json_out *json, const struct comparison_cache *cache)
{
	json_out_key(json, "cache");
	json_out_object(json);
	json_put_maybe(json, "heap_used", cache->is_heap_used);
	json_put_maybe(json, "startup_classes", cache->startup_classes);
	json_put_maybe(json, "startup_shared", cache->startup_shared);
	json_put_maybe(json, "request_classes", cache->request_classes);
	json_put_maybe(json, "request_shared", cache->request_shared);
	json_out_key(json, "missing");
	json_out_array(json);
	for (size_t i = 0; i < cache->missing_count; i++) {
		const struct coverage_group *group = &cache->missing[i];
		size_t examples = 0;

		while (examples < COVERAGE_EXAMPLES && group->examples[examples])
			examples++;
		json_out_object_flat(json);
		json_put_text(json, "why", group->why);
		json_put_int(json, "classes", group->classes);
		json_put_int(json, "duration_ns", group->duration_ns);
		json_put_texts(json, "examples", group->examples, examples);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static void put_scenario(struct json_out *json, const struct comparison_scenario *scenario)
{
	json_out_object(json);
	json_put_text(json, "name", scenario->name);
	json_put_texts(json, "command", scenario->command, scenario->command_count);
	json_put_int(json, "runs", scenario->runs);
	json_put_int(json, "failed_runs", scenario->failed_runs);
	put_stat(json, "first_request_ns", &scenario->first_request_ns);
	put_stat(json, "ready_ns", &scenario->ready_ns);
	put_stat(json, "first_response_ns", &scenario->first_response_ns);
	put_stat(json, "warm_ns", &scenario->warm_ns);
	put_stat(json, "wall_ns", &scenario->wall_ns);
	json_put_int(json, "aot_mapped", scenario->aot_mapped);
	json_put_bool(json, "aot_requested", scenario->is_aot_requested);
	json_put_maybe_text(json, "aot_reason", scenario->aot_reason);
	if (scenario->has_cache)
		put_cache(json, &scenario->cache);
	put_cause_stats(json, "causes", scenario->causes, scenario->causes_count);
	put_cause_stats(json, "startup_causes", scenario->startup_causes, scenario->startup_causes_count);
	json_out_key(json, "counts");
	json_out_object(json);
	for (int i = 0; i < COUNT_COUNT; i++)
		put_stat(json, json_count_names[i], &scenario->counts[i]);
	json_out_object_end(json);
	put_stat(json, "peak_rss", &scenario->peak_rss);
	json_out_key(json, "memory");
	json_out_object(json);
	for (int i = 0; i < MAPPING_KIND_COUNT; i++)
		put_stat(json, mapping_kind_name((enum mapping_kind)i), &scenario->memory[i]);
	json_out_object_end(json);
	put_stat(json, "cpu_ns", &scenario->cpu_ns);
	json_out_object_end(json);
}

static void put_cause_rows(struct json_out *json, const char *key, const struct comparison_cause_row *rows, size_t count)
{
	json_out_key(json, key);
	json_out_array(json);
	for (size_t i = 0; i < count; i++) {
		json_out_object_flat(json);
		json_put_text(json, "cause", cause_name(rows[i].cause));
		json_put_int(json, "baseline_ns", rows[i].baseline_ns);
		json_put_int(json, "scenario_ns", rows[i].scenario_ns);
		json_put_int(json, "change_ns", rows[i].change_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_difference(struct json_out *json, const struct comparison_difference *difference)
{
	json_out_object(json);
	json_put_text(json, "scenario", difference->scenario);
	json_put_text(json, "baseline", difference->baseline);
	json_put_real(json, "first_request_change", difference->first_request_change);
	json_out_key(json, "interval95");
	json_out_array_flat(json);
	json_out_real(json, difference->interval95_low);
	json_out_real(json, difference->interval95_high);
	json_out_array_end(json);
	json_put_real(json, "p_value", difference->p_value);
	json_put_maybe_real(json, "detectable_change", difference->detectable_change);
	json_put_text(json, "verdict", difference->verdict);
	put_cause_rows(json, "causes", difference->causes, difference->causes_count);
	put_cause_rows(json, "startup_causes", difference->startup_causes, difference->startup_causes_count);
	json_out_object_end(json);
}

static void put_differences(struct json_out *json, const char *key, const struct comparison_difference *list, size_t count)
{
	json_out_key(json, key);
	json_out_array(json);
	for (size_t i = 0; i < count; i++)
		put_difference(json, &list[i]);
	json_out_array_end(json);
}

void json_put_comparison(struct json_out *json, const struct comparison *comparison)
{
	json_out_object(json);
	json_put_text(json, "schema", "warmtrace-comparison/1");
	json_out_key(json, "scenarios");
	json_out_array(json);
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		put_scenario(json, &comparison->scenarios[i]);
	json_out_array_end(json);
	json_put_text(json, "baseline", comparison->baseline);
	put_differences(json, "differences", comparison->differences, comparison->differences_count);
	put_differences(json, "pairs", comparison->pairs, comparison->pairs_count);
	json_out_key(json, "interactions");
	json_out_array(json);
	for (size_t i = 0; i < comparison->interactions_count; i++) {
		const struct comparison_interaction *interaction = &comparison->interactions[i];

		json_out_object_flat(json);
		json_put_texts(json, "of", interaction->of, 2);
		json_put_int(json, "first_request_ns", interaction->first_request_ns);
		json_put_text(json, "baseline", interaction->baseline);
		json_put_text(json, "scenario", interaction->scenario);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_put_text(json, "verdict", comparison->verdict);
	json_put_texts(json, "notes", comparison->notes, comparison->note_count);
	json_out_object_end(json);
}

struct err *render_comparison_json(const struct comparison *comparison, FILE *out)
{
	struct json_out json = {.out = out};

	json_put_comparison(&json, comparison);
	return json_out_finish(&json);
}
