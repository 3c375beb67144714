/* Made-up recordings under traces/inventory/, traces/what-if/ and traces/findings/ against what their headers say of the report:
 *
 *	# report exceptions[class=a.B].count = 3     a place in the report's JSON and its value (numbers also as 12ms
 *or 4KiB) # report exceptions.length = 2               a list's length # report runtime.gc = absent not there, or
 *there and null: "absent", "null" # finding cpu-throttled costs 12ms           a finding with its price, exact #
 *finding cpu-throttled costs at most 12ms   the same, stated as an upper bound # finding cpu-throttled costs nothing
 *no price is claimed # finding cpu-throttled absent # evidence cpu-throttled: quota is 0.50      some sentence of its
 *evidence, or its remedy, holds this # remedy cpu-throttled: java -Xmx1g
 *
 * And whatever they are about: the tables' sums are those of the phases' counts. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "analyze/analyze.h"
#include "base/auto.h"
#include "format/text.h"
#include "render/render.h"
#include "unit/analyze/made_trace.h"
#include "unit/model/trace.h"

static json_t *report_of(const char *path)
{
	struct model *model = made_trace_load(path);
	struct report report;
	char *text = NULL;
	size_t length;
	json_error_t error;
	FILE *out = open_memstream(&text, &length);

	analyze_report(model, &report);
	assert_null(render_json(&report, out));
	fclose(out);
	report_done(&report);
	model_free(&model);

	json_t *json = json_loads(text, 0, &error);

	if (!json)
		fail_msg("%s: the report is not JSON: %s", path, error.text);
	free(text);
	return json;
}

/* ---- places in the report ---- */

static json_t *find_by_key(json_t *list, const char *key, size_t key_length, const char *value, size_t value_length)
{
	size_t index;
	json_t *item;

	json_array_foreach(list, index, item)
	{
		auto_free char *name = strndup(key, key_length);
		json_t *field = json_object_get(item, name);
		const char *text = json_string_value(field);
		char number[32];

		if (json_is_integer(field)) {
			snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(field));
			text = number;
		}
		if (text && strlen(text) == value_length && strncmp(text, value, value_length) == 0)
			return item;
	}
	return NULL;
}

/* "[3]" or "[key=value,key=value]": the item for which all of them hold. */
static json_t *select_item(json_t *list, const char *selector, size_t length)
{
	json_t *matches = json_incref(list);

	if (!memchr(selector, '=', length)) {
		json_decref(matches);
		return json_array_get(list, (size_t)atol(selector));
	}
	while (length) {
		size_t part = memchr(selector, ',', length)
				      ? (size_t)((const char *)memchr(selector, ',', length) - selector)
				      : length;
		const char *equals = memchr(selector, '=', part);
		json_t *left = json_array();
		size_t index;
		json_t *item;

		json_array_foreach(matches, index, item)
		{
			json_t *one = json_array();

			json_array_append(one, item);
			if (equals && find_by_key(one, selector, (size_t)(equals - selector), equals + 1,
						  part - (size_t)(equals + 1 - selector)))
				json_array_append(left, item);
			json_decref(one);
		}
		json_decref(matches);
		matches = left;
		selector += part + (part < length);
		length -= part + (part < length);
	}

	json_t *found = json_array_get(matches, 0);

	json_decref(matches); /* items live in the report */
	return found;
}

/* The bracket that closes the one at `open`: an address may have its own. */
static const char *closing_bracket(const char *open)
{
	int depth = 0;

	for (const char *at = open; *at; at++) {
		depth += (*at == '[') - (*at == ']');
		if (depth == 0)
			return at;
	}
	return NULL;
}

static json_t *find_place(json_t *at, const char *place, json_int_t *ret_length)
{
	*ret_length = -1;
	while (at && *place) {
		size_t length = strcspn(place, ".[");

		if (strncmp(place, "length", length) == 0 && length == strlen("length") && json_is_array(at)) {
			*ret_length = (json_int_t)json_array_size(at);
			return at;
		}
		if (length) {
			auto_free char *name = strndup(place, length);

			/* Causes have names with points in them. */
			if (json_object_get(at, place) && !strchr(place, '['))
				return json_object_get(at, place);
			at = json_object_get(at, name);
			place += length;
		}
		if (*place == '[') {
			const char *end = closing_bracket(place);

			assert_non_null(end);
			at = at ? select_item(at, place + 1, (size_t)(end - place - 1)) : NULL;
			place = end + 1;
		}
		place += *place == '.';
	}
	return at;
}

static json_int_t parse_number(const char *text)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"", 1}};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < array_length(units); i++) {
		if (strcmp(end, units[i].unit) == 0)
			return (json_int_t)(number * units[i].factor + (number < 0 ? -0.5 : 0.5));
	}
	fail_msg("'%s' is not a number", text);
	return 0;
}

static void check_place(const char *path, json_t *report, const char *line)
{
	const char *equals = strstr(line, " = ");
	json_int_t length;

	if (!equals)
		fail_msg("%s: '%s' is not PLACE = VALUE", path, line);

	auto_free char *place = strndup(line, (size_t)(equals - line));
	const char *value = equals + 3;
	json_t *at = find_place(report, place, &length);

	if (strcmp(value, "absent") == 0) {
		if (at)
			fail_msg("%s: %s is there", path, place);
		return;
	}
	if (!at)
		fail_msg("%s: %s is not in the report", path, place);
	if (length >= 0) {
		if (length != parse_number(value))
			fail_msg("%s: %s is %lld, expected %s", path, place, (long long)length, value);
	} else if (json_is_string(at)) {
		if (strcmp(json_string_value(at), value) != 0)
			fail_msg("%s: %s is '%s', expected '%s'", path, place, json_string_value(at), value);
	} else if (json_is_integer(at)) {
		if (json_integer_value(at) != parse_number(value))
			fail_msg("%s: %s is %lld, expected %s", path, place, (long long)json_integer_value(at),
				 value);
	} else {
		auto_free char *text = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT);

		if (strcmp(text, value) != 0)
			fail_msg("%s: %s is %s, expected %s", path, place, text, value);
	}
}

/* ---- findings ---- */

static json_t *find_finding(json_t *report, const char *id, size_t length)
{
	return find_by_key(json_object_get(report, "findings"), "id", 2, id, length);
}

static void check_finding(const char *path, json_t *report, const char *line)
{
	size_t length = strcspn(line, " ");
	const char *said = line + length + (line[length] == ' ');
	json_t *finding = find_finding(report, line, length), *cost;
	bool is_estimated = strncmp(said, "costs at most ", 14) == 0;

	if (strcmp(said, "absent") == 0) {
		if (finding)
			fail_msg("%s: it has the finding %s: %s", path, line,
				 json_dumps(json_object_get(finding, "evidence"), 0));
		return;
	}
	if (!finding)
		fail_msg("%s: the finding '%.*s' is missing", path, (int)length, line);
	cost = json_object_get(finding, "cost_ns");
	if (strcmp(said, "costs nothing") == 0) {
		if (!json_is_null(cost))
			fail_msg("%s: %.*s claims %lld ns", path, (int)length, line,
				 (long long)json_integer_value(cost));
		return;
	}
	if (strncmp(said, "costs ", 6) != 0)
		fail_msg("%s: '%s' is not known", path, said);
	said += is_estimated ? 14 : 6;
	if (!json_is_integer(cost) || json_integer_value(cost) != parse_number(said))
		fail_msg("%s: %.*s costs %lld ns, expected %s", path, (int)length, line,
			 (long long)json_integer_value(cost), said);
	if (json_is_true(json_object_get(finding, "estimated")) != is_estimated)
		fail_msg("%s: whether the price of %.*s is exact", path, (int)length, line);
}

static void check_words(const char *path, json_t *report, const char *line, const char *key)
{
	const char *colon = strchr(line, ':');
	json_t *finding = colon ? find_finding(report, line, (size_t)(colon - line)) : NULL;
	json_t *words = finding ? json_object_get(finding, key) : NULL;
	size_t index;
	json_t *sentence;

	if (!words)
		fail_msg("%s: no finding for '%s'", path, line);
	if (json_is_string(words) && strstr(json_string_value(words), colon + 2))
		return;
	json_array_foreach(words, index, sentence)
	{
		if (strstr(json_string_value(sentence), colon + 2))
			return;
	}
	fail_msg("%s: no %s says '%s': %s", path, key, colon + 2, json_dumps(words, JSON_ENCODE_ANY));
}

/* ---- what holds for every report ---- */

static json_int_t sum(json_t *list, const char *key)
{
	json_int_t total = 0;
	size_t index;
	json_t *item;

	json_array_foreach(list, index, item) total += json_integer_value(json_object_get(item, key));
	return total;
}

/* The sum of a count over all phases; -1 where it was not observed. */
static json_int_t phase_sum(json_t *report, const char *count)
{
	json_int_t total = 0;
	size_t index;
	json_t *phase;

	json_array_foreach(json_object_get(report, "phases"), index, phase)
	{
		json_t *value = json_object_get(json_object_get(phase, "counts"), count);

		if (!value)
			return -1;
		total += json_integer_value(value);
	}
	return total;
}

static void check_sum(const char *path, json_t *report, const char *list, const char *key, const char *count)
{
	json_int_t of_phases = phase_sum(report, count), of_list = sum(json_object_get(report, list), key);

	if (of_phases >= 0 && of_phases != of_list)
		fail_msg("%s: the phases count %lld %s, the list of %s %lld", path, (long long)of_phases, count, list,
			 (long long)of_list);
}

static void check_sums(const char *path, json_t *report)
{
	json_t *classes = json_object_get(report, "classes"), *faults = json_object_get(report, "faults");
	json_int_t of_phases = phase_sum(report, "jar_reads"), loaded = 0, reads = 0;
	size_t index;
	const char *key;
	json_t *item;

	check_sum(path, report, "exceptions", "count", "exceptions");
	check_sum(path, report, "files", "opens", "opens");
	check_sum(path, report, "files", "failed_opens", "failed_opens");
	check_sum(path, report, "files", "lookups", "lookups");
	check_sum(path, report, "files", "failed_lookups", "failed_lookups");
	check_sum(path, report, "files", "reads", "reads");
	check_sum(path, report, "connections", "connects", "connects");
	json_array_foreach(json_object_get(report, "jars"), index, item)
	{
		if (json_is_null(json_object_get(item, "nested_in")))
			reads += json_integer_value(json_object_get(item, "reads"));
	}
	if (of_phases >= 0)
		assert_int_equal(of_phases, reads);
	json_object_foreach(json_object_get(classes, "from"), key, item) loaded += json_integer_value(item);
	assert_int_equal(json_integer_value(json_object_get(classes, "loaded")), loaded);
	if (phase_sum(report, "classes_loaded") >= 0)
		assert_int_equal(phase_sum(report, "classes_loaded"), loaded);
	if (faults) {
		assert_int_equal(sum(json_object_get(faults, "by_mapping"), "minor"),
				 json_integer_value(json_object_get(faults, "minor")));
		assert_int_equal(phase_sum(report, "minor_faults"),
				 json_integer_value(json_object_get(faults, "minor")));
		assert_int_equal(phase_sum(report, "major_faults"),
				 json_integer_value(json_object_get(faults, "major")));
	}
}

/* ---- the tests ---- */

static size_t check_line(const char *path, json_t *report, const char *line)
{
	if (strncmp(line, "# report ", 9) == 0)
		check_place(path, report, line + 9);
	else if (strncmp(line, "# finding ", 10) == 0)
		check_finding(path, report, line + 10);
	else if (strncmp(line, "# evidence ", 11) == 0)
		check_words(path, report, line + 11, "evidence");
	else if (strncmp(line, "# remedy ", 9) == 0)
		check_words(path, report, line + 9, "remedy");
	else
		return 0;
	return 1;
}

static void check_trace(const char *path)
{
	size_t length, lines = 0;
	auto_free char *text = trace_read(path, &length);
	json_t *report = report_of(path);

	assert_non_null(text);
	for (const char *line = text; *line;) {
		size_t line_length = strcspn(line, "\n");
		auto_free char *copy = strndup(line, line_length);

		lines += check_line(path, report, copy);
		line += line_length + (line[line_length] == '\n');
	}
	if (lines == 0)
		fail_msg("%s expects nothing", path);
	check_sums(path, report);
	json_decref(report);
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 6 && strcmp(entry->d_name + length - 6, ".trace") == 0;
}

static void check_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_trace, alphasort);

	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		char path[600];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		check_trace(path);
		free(entries[i]);
	}
	free(entries);
}

static void tables_hold_what_the_traces_say(void **state)
{
	(void)state;
	check_folder("traces/inventory");
}

static void what_if_is_recomputed(void **state)
{
	(void)state;
	check_folder("traces/what-if");
}

static void findings_fire_and_do_not(void **state)
{
	(void)state;
	check_folder("traces/findings");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_hold_what_the_traces_say),
		cmocka_unit_test(what_if_is_recomputed),
		cmocka_unit_test(findings_fire_and_do_not),
	};

	/* One trace, while it is being written: its report, or with --records all that it stands for. */
	if (argc == 2) {
		json_t *report = report_of(argv[1]);

		json_dumpf(report, stdout, JSON_INDENT(1));
		json_decref(report);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--records") == 0) {
		struct model *model = made_trace_load(argv[2]);

		for (uint32_t i = 0; i < model->event_count; i++)
			text_print(model->events[i], stdout);
		model_free(&model);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
