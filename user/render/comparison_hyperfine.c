/* A comparison's first requests in the form of hyperfine's --export-json, for the scripts that read that: seconds,
 * one result for each scenario. What hyperfine measures beside them (user and system time apart) is not known, and
 * null. */
#include "render/render.h"

#include "base/json_out.h"
#include "render/json_common.h"

static const double seconds = 1e9;

static void put_result(struct json_out *json, const struct comparison_scenario *scenario)
{
	const struct comparison_stat *stat = &scenario->first_request_ns;

	json_out_object(json);
	json_put_text(json, "command", scenario->name);
	json_put_real(json, "mean", stat->mean / seconds);
	json_out_key(json, "stddev");
	if (stat->count > 1)
		json_out_real(json, stat->stddev / seconds);
	else
		json_out_null(json);
	json_put_real(json, "median", (double)stat->median / seconds);
	json_out_key(json, "user");
	json_out_null(json);
	json_out_key(json, "system");
	json_out_null(json);
	json_put_real(json, "min", (double)stat->min / seconds);
	json_put_real(json, "max", (double)stat->max / seconds);
	json_out_key(json, "times");
	json_out_array(json);
	for (size_t i = 0; i < stat->count; i++)
		json_out_real(json, (double)stat->values[i] / seconds);
	json_out_array_end(json);
	json_out_object_end(json);
}

struct err *render_comparison_hyperfine(const struct comparison *comparison, FILE *out)
{
	struct json_out json = {.out = out};

	json_out_object(&json);
	json_out_key(&json, "results");
	json_out_array(&json);
	for (size_t i = 0; i < comparison->scenarios_count; i++)
		if (comparison->scenarios[i].first_request_ns.count)
			put_result(&json, &comparison->scenarios[i]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	return json_out_finish(&json);
}
