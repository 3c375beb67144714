/* The JSON reports, read by a parser that is not ours and held against the schemas of reports/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "unit/render/golden.h"
#include "unit/render/rendered.h"
#include "unit/render/sample.h"
#include "unit/render/schema.h"

static json_t *parse(const struct rendered *rendered)
{
	json_error_t error;
	json_t *value = json_loadb(rendered->text, rendered->length_bytes, JSON_REJECT_DUPLICATES, &error);

	if (!value)
		fail_msg("line %d: %s", error.line, error.text);
	return value;
}

static json_t *sample_json(enum sample sample)
{
	auto_done(rendered_done) struct rendered rendered = rendered_json(sample);

	return parse(&rendered);
}

static json_t *load_schema(enum sample sample)
{
	json_error_t error;
	json_t *schema = json_load_file(sample == SAMPLE_COMPARISON ? "../reports/comparison.schema.json"
								    : "../reports/report.schema.json",
					JSON_REJECT_DUPLICATES, &error);

	assert_non_null(schema);
	return schema;
}

static void goldens(void **state)
{
	(void)state;
	for (int sample = 0; sample < SAMPLE_COUNT; sample++) {
		auto_done(rendered_done) struct rendered rendered = rendered_json((enum sample)sample);
		auto_free char *name = NULL;

		assert_true(asprintf(&name, "render/%s.json", sample_names[sample]) > 0);
		assert_golden(name, rendered.text, rendered.length_bytes);
	}
}

static void fits_the_schema(void **state)
{
	(void)state;
	for (int sample = 0; sample < SAMPLE_COUNT; sample++) {
		json_t *value = sample_json((enum sample)sample), *schema = load_schema((enum sample)sample);

		assert_schema(schema, value);
		json_decref(value);
		json_decref(schema);
	}
}

static void assert_names(json_t *schema, const char *definition, const char *const *names, size_t count)
{
	json_t *values = json_object_get(json_object_get(json_object_get(schema, "$defs"), definition), "enum");

	assert_int_equal(json_array_size(values), count);
	for (size_t i = 0; i < count; i++) {
		bool is_there = false;

		for (size_t k = 0; k < count; k++)
			is_there = is_there || strcmp(json_string_value(json_array_get(values, k)), names[i]) == 0;
		if (!is_there)
			fail_msg("the schema's %s lacks %s", definition, names[i]);
	}
}

/* The schema's lists of names are those of the program's tables. */
static void schema_has_all_names(void **state)
{
	const char *causes[CAUSE_COUNT], *kinds[MAPPING_KIND_COUNT], *phases[PHASE_COUNT];
	static const char *const counts[] = {
#define N(NAME, name, words) name,
		COUNT_TABLE(N)
#undef N
	};

	(void)state;
	for (int i = 0; i < CAUSE_COUNT; i++)
		causes[i] = cause_name((enum cause)i);
	for (int i = 0; i < MAPPING_KIND_COUNT; i++)
		kinds[i] = mapping_kind_name((enum mapping_kind)i);
	for (int i = 0; i < PHASE_COUNT; i++)
		phases[i] = phase_name((enum phase)i);
	for (int sample = SAMPLE_SPRING; sample <= SAMPLE_COMPARISON; sample += SAMPLE_COMPARISON) {
		json_t *schema = load_schema((enum sample)sample);

		assert_names(schema, "cause", causes, CAUSE_COUNT);
		json_decref(schema);
	}

	json_t *schema = load_schema(SAMPLE_SPRING);
	json_t *count_properties =
		json_object_get(json_object_get(json_object_get(schema, "$defs"), "counts"), "properties");

	assert_names(schema, "kind", kinds, MAPPING_KIND_COUNT);
	assert_names(schema, "phase", phases, PHASE_COUNT);
	assert_int_equal(json_object_size(count_properties), COUNT_COUNT);
	for (int i = 0; i < COUNT_COUNT; i++)
		assert_non_null(json_object_get(count_properties, counts[i]));
	json_decref(schema);
}

static json_int_t sum_of_object(json_t *object)
{
	json_int_t sum = 0;
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) sum += json_integer_value(value);
	return sum;
}

static void sums_and_exact_numbers(void **state)
{
	json_t *report = sample_json(SAMPLE_SPRING), *cold, *tile;
	json_int_t path_ns = 0, at, cause_ns;
	size_t i;

	(void)state;
	assert_int_equal(json_unpack(report, "{s:[o]}", "requests", &cold), 0);
	assert_int_equal(json_integer_value(json_object_get(cold, "latency_ns")), 434127418);
	assert_int_equal(sum_of_object(json_object_get(cold, "causes")), 434127418);
	assert_null(json_object_get(json_object_get(cold, "causes"), "jit.wait"));
	at = json_integer_value(json_object_get(cold, "start_ns"));
	json_array_foreach(json_object_get(cold, "path"), i, tile)
	{
		assert_int_equal(json_integer_value(json_object_get(tile, "start_ns")), at + path_ns);
		path_ns += json_integer_value(json_object_get(tile, "duration_ns"));
	}
	assert_int_equal(path_ns, 434127418);
	assert_int_equal(json_unpack(cold, "{s:{s:I}}", "causes", "class.find", &cause_ns), 0);
	assert_int_equal(cause_ns, 74318204);
	assert_string_equal(json_string_value(json_object_get(json_object_get(report, "run"), "start")),
			    "2026-03-01T12:00:00.000000000Z");
	json_decref(report);
}

/* Absent: not observed. null: does not apply. 0: observed and none. */
static void absent_null_and_zero(void **state)
{
	json_t *native = sample_json(SAMPLE_NATIVE), *spring = sample_json(SAMPLE_SPRING),
	       *empty = sample_json(SAMPLE_EMPTY);
	json_t *opaque = json_array_get(json_object_get(native, "requests"), 7);
	json_t *warm_exception = json_array_get(json_object_get(spring, "exceptions"), 4);
	json_t *counts = json_object_get(json_array_get(json_object_get(native, "requests"), 0), "counts");

	(void)state;
	assert_null(json_object_get(native, "jit"));
	assert_null(json_object_get(native, "gc"));
	assert_null(json_object_get(native, "classes"));
	assert_null(json_object_get(native, "exceptions"));
	assert_true(json_is_null(json_object_get(json_object_get(native, "runtime"), "gc")));
	assert_true(json_is_null(json_object_get(json_object_get(native, "machine"), "cgroup_peak")));
	assert_null(json_object_get(json_object_get(native, "machine"), "cgroup_events"));
	assert_true(json_is_null(json_object_get(opaque, "status")));
	assert_null(json_object_get(json_object_get(opaque, "counts"), "opens"));
	assert_true(json_is_null(json_object_get(counts, "exceptions")));
	assert_null(json_object_get(counts, "classes_loaded"));
	assert_int_equal(json_integer_value(json_object_get(counts, "major_faults")), 0);
	assert_true(json_is_integer(json_object_get(counts, "major_faults")));
	assert_null(json_object_get(warm_exception, "duration_ns"));
	assert_null(json_object_get(warm_exception, "thrown_at"));
	assert_true(json_is_null(json_object_get(json_object_get(json_object_get(spring, "run"), "exit"), "oom")));
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(spring, "jars"), 0), "nested_in")));
	assert_int_equal(json_array_size(json_object_get(empty, "requests")), 0);
	assert_non_null(json_object_get(empty, "requests"));
	json_decref(native);
	json_decref(spring);
	json_decref(empty);
}

/* Bytes that are no UTF-8 become U+FFFD, one for each maximal part; all else comes back as it was. */
static void hostile_strings_come_back(void **state)
{
	json_t *report = sample_json(SAMPLE_HOSTILE),
	       *command = json_object_get(json_object_get(report, "run"), "command");

	(void)state;
	assert_string_equal(json_string_value(json_array_get(command, 0)), "./server\n--flag");
	assert_string_equal(json_string_value(json_array_get(command, 1)), "\033[2J\033[31mred\033]0;title\007");
	assert_string_equal(json_string_value(json_object_get(json_object_get(report, "run"), "user")),
			    "latin1 \xef\xbf\xbd\xef\xbf\xbd end");
	json_decref(report);
}

static void full_stream_is_an_error(void **state)
{
	auto_file FILE *out = fopen("/dev/full", "w");
	struct report report;

	(void)state;
	assert_non_null(out);
	sample_spring(&report);

	struct err *err = render_json(&report, out);
	auto_free char *line = err_line(err);

	assert_string_equal(line, "cannot write JSON: No space left on device");
	err_free(err);
	report_done(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goldens),
		cmocka_unit_test(fits_the_schema),
		cmocka_unit_test(schema_has_all_names),
		cmocka_unit_test(sums_and_exact_numbers),
		cmocka_unit_test(absent_null_and_zero),
		cmocka_unit_test(hostile_strings_come_back),
		cmocka_unit_test(full_stream_is_an_error),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
