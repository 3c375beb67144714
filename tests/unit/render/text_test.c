/* The text reports: golden files, and what must hold of every one of them whatever is in it. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "unit/render/golden.h"
#include "unit/render/rendered.h"
#include "unit/render/sample.h"

static struct render_options options(unsigned width, bool colour, bool utf8, bool is_full)
{
	return (struct render_options){
		.width = width, .colour = colour, .utf8 = utf8, .is_full = is_full, .recording = "warmtrace.wtr"};
}

static void check_golden(enum sample sample, struct render_options with)
{
	auto_done(rendered_done) struct rendered rendered = rendered_text(sample, &with);
	auto_free char *name = NULL;

	assert_true(asprintf(&name, "render/%s-%s%u%s%s.txt", sample_names[sample], with.is_full ? "full-" : "",
			     with.width, with.utf8 ? "" : "-ascii", with.colour ? "-colour" : "") > 0);
	assert_golden(name, rendered.text, rendered.length_bytes);
}

static void goldens(void **state)
{
	(void)state;
	for (int sample = 0; sample < SAMPLE_COUNT; sample++) {
		check_golden((enum sample)sample, options(80, false, true, false));
		check_golden((enum sample)sample, options(100, false, true, false));
		check_golden((enum sample)sample, options(160, false, true, false));
		check_golden((enum sample)sample, options(100, false, false, false));
		check_golden((enum sample)sample, options(100, true, true, false));
		check_golden((enum sample)sample, options(100, false, true, true));
	}
}

/* Length of the escape sequence at `text` that the terminal layer may write (a style or its end), 0 for anything
 * else. */
static size_t style_length(const char *text)
{
	size_t length = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (strchr("0123456789;", text[length]) && text[length])
		length++;
	return text[length] == 'm' ? length + 1 : 0;
}

/* Every line fits, and nothing in it controls the terminal; decoding and widths are the C library's, not ours. */
static void check_lines(const struct rendered *rendered, const struct render_options *with)
{
	mbstate_t decoder = {};
	unsigned columns = 0;

	assert_int_equal(strlen(rendered->text), rendered->length_bytes);
	for (const char *at = rendered->text; *at;) {
		size_t style = style_length(at), length;
		wchar_t character;

		if (*at == '\n') {
			columns = 0;
			at++;
			continue;
		}
		if (style) {
			assert_true(with->colour);
			at += style;
			continue;
		}
		length = mbrtowc(&character, at, 8, &decoder);
		assert_true(length > 0 && length < 8);
		assert_true(wcwidth(character) >= 0);
		assert_true(with->utf8 || character < 0x7f);
		/* Format characters are of no width to the C library, and move text around. */
		assert_false((character >= 0x200b && character <= 0x200f) ||
			     (character >= 0x202a && character <= 0x202e) ||
			     (character >= 0x2066 && character <= 0x2069) || character == 0xfeff);
		columns += (unsigned)wcwidth(character);
		if (columns > with->width)
			fail_msg("a line is wider than %u columns near '%.40s'", with->width, at);
		at += length;
	}
	assert_true(rendered->length_bytes > 0 && rendered->text[rendered->length_bytes - 1] == '\n');
}

static void lines_fit_and_are_safe(void **state)
{
	static const unsigned widths[] = {40, 41, 55, 72, 80, 99, 100, 101, 132, 160, 250};

	(void)state;
	for (int sample = 0; sample < SAMPLE_COUNT; sample++) {
		for (size_t i = 0; i < array_length(widths); i++) {
			const struct render_options modes[] = {
				options(widths[i], false, true, false),
				options(widths[i], true, true, true),
				options(widths[i], false, false, true),
			};

			for (size_t mode = 0; mode < array_length(modes); mode++) {
				auto_done(rendered_done) struct rendered rendered =
					rendered_text((enum sample)sample, &modes[mode]);

				check_lines(&rendered, &modes[mode]);
			}
		}
	}
}

/* A row of the table by cause: its indent and the numbers at its end, in tenths; share in percent. */
struct row {
	bool is_sub;
	long cold, warm, difference, share;
};

static long tenths(const char *word)
{
	long whole = 0, sign = 1;

	for (; *word; word++) {
		if (*word == '-')
			sign = -1;
		else if (*word >= '0' && *word <= '9')
			whole = whole * 10 + (*word - '0');
		else
			assert_non_null(strchr("~+.,", *word));
	}
	return sign * whole;
}

/* The words from the end of the line: "189.4 0.0 +189.4 45 % bar". */
static bool parse_row(char *line, struct row *ret_row)
{
	char *words[40], *saved = NULL;
	int count = 0, last;

	ret_row->is_sub = line[0] == ' ';
	for (char *word = strtok_r(line, " ", &saved); word && count < 40; word = strtok_r(NULL, " ", &saved))
		words[count++] = word;
	for (last = count - 1; last >= 0 && strcmp(words[last], "%") != 0; last--)
		;
	if (last < 5)
		return false;
	*ret_row = (struct row){ret_row->is_sub, tenths(words[last - 4]), tenths(words[last - 3]),
				tenths(words[last - 2]), tenths(words[last - 1])};
	return true;
}

static void add(struct row *sum, const struct row *row)
{
	sum->cold += row->cold;
	sum->warm += row->warm;
	sum->difference += row->difference;
	sum->share += row->share;
}

static void assert_rows_equal(const struct row *left, const struct row *right)
{
	assert_int_equal(left->cold, right->cold);
	assert_int_equal(left->warm, right->warm);
	assert_int_equal(left->difference, right->difference);
	assert_int_equal(left->share, right->share);
}

/* Groups add up to the total, causes to their group, and each line across; returns the number of rows. */
static int check_sums(const char *text, struct row *ret_total)
{
	const char *at = strstr(text, "Where the time went");
	struct row sum = {}, group = {}, parts = {};
	bool has_parts = false;
	int rows = 0;

	assert_non_null(at);
	at = strchr(at, '\n') + 1;
	for (;; rows++) {
		auto_free char *line = strndup(at, (size_t)(strchr(at, '\n') - at));
		bool is_total = strncmp(line, "total", 5) == 0;
		struct row row;

		assert_true(parse_row(line, &row));
		assert_int_equal(row.cold - row.warm, row.difference);
		if (row.is_sub) {
			add(&parts, &row);
			has_parts = true;
		} else {
			if (has_parts)
				assert_rows_equal(&parts, &group);
			if (is_total) {
				assert_rows_equal(&sum, &row);
				*ret_total = row;
				return rows;
			}
			add(&sum, &row);
			group = row;
			parts = (struct row){};
			has_parts = false;
		}
		at = strchr(at, '\n') + 1;
	}
}

/* 434,127,418 ns and 13,482,915 ns to a tenth of a millisecond, and what is between them as printed. */
static void causes_add_up(void **state)
{
	static const unsigned widths[] = {80, 100, 160};

	(void)state;
	for (size_t i = 0; i < array_length(widths); i++) {
		for (int is_full = 0; is_full < 2; is_full++) {
			struct render_options with = options(widths[i], false, true, is_full);
			auto_done(rendered_done) struct rendered rendered = rendered_text(SAMPLE_SPRING, &with);
			struct row total;
			int rows = check_sums(rendered.text, &total);

			assert_int_equal(total.cold, 4341);
			assert_int_equal(total.warm, 135);
			assert_int_equal(total.difference, 4206);
			assert_int_equal(total.share, 100);
			/* Full: eleven groups, 22 causes below the six groups that have several; the screen: as many
			 * as it takes. */
			assert_int_equal(rows, is_full ? 11 + 5 + 6 + 6 + 5 + 2 + 1 : 14);
		}
	}
}

static void assert_line(const struct rendered *rendered, const char *line)
{
	auto_free char *whole = NULL;

	assert_true(asprintf(&whole, "\n%s\n", line) > 0);
	if (!strstr(rendered->text, whole))
		fail_msg("no line '%s' in:\n%s", line, rendered->text);
}

/* class.*: 74,318,204 + 41,902,771 + 38,276,640 + 22,118,305 + 12,771,092 = 189,387,012 of an excess of 420,644,503:
 * 45 %. */
static void first_screen_answers(void **state)
{
	struct render_options with = options(100, false, true, false);
	auto_done(rendered_done) struct rendered rendered = rendered_text(SAMPLE_SPRING, &with);
	size_t lines = 0;

	(void)state;
	assert_line(&rendered, "loading classes                             189.4      0.0      +189.4   45 %  "
			       "█████████████████████");
	assert_line(&rendered, "total                                       434.1     13.5      +420.6  100 %");
	assert_line(
		&rendered,
		"Warm        13.5 ms, 32 times faster (middle-half mean of 20; median 13.4 ms, 11.8 ms to 19.4 ms)");
	assert_line(
		&rendered,
		"request 25, warm       13.5 ms        0           0      0      0        0           21          0");
	assert_line(&rendered, "Everything  warmtrace report warmtrace.wtr");
	for (const char *at = rendered.text; *at; at++)
		lines += *at == '\n';
	assert_in_range(lines, 30, 54);
}

static void failure_comes_first(void **state)
{
	struct render_options with = options(120, false, true, false);
	auto_done(rendered_done) struct rendered rendered = rendered_text(SAMPLE_FAILED, &with);
	const char *failure =
		strstr(rendered.text, "Ended by signal 9 (SIGKILL) after 3.12 s, before it listened on a port");

	(void)state;
	assert_non_null(failure);
	assert_true(failure < strstr(rendered.text, "Lost "));
	assert_true(strstr(rendered.text, "Lost ") < strstr(rendered.text, "main class"));
	assert_non_null(strstr(rendered.text, "1,204 of 89,204 events were lost (812 fault, 392 syscall)"));
	/* /etc/nsswitch.conf and /proc/self/maps: 1 + 2 opens, 1 + 4 reads, 510 + 8,192 bytes, 11 + 90 µs. */
	assert_non_null(strstr(rendered.text,
			       "and 2 more, together      3       0         0       0      5   8.5 KiB  101 µs"));
}

static void absence_is_not_zero(void **state)
{
	struct render_options with = options(160, false, true, true);
	auto_done(rendered_done) struct rendered rendered = rendered_text(SAMPLE_NATIVE, &with);

	char *observed = strstr(rendered.text, "\nObserved");

	(void)state;
	assert_non_null(observed);
	assert_non_null(strstr(observed, "native_exceptions  no   the program has no C++ runtime"));
	*observed = 0;
	assert_null(strstr(rendered.text, "exceptions"));
	assert_null(strstr(rendered.text, "GC "));
	assert_null(strstr(rendered.text, "classes"));
	assert_non_null(strstr(rendered.text, "opaque"));
}

static void colour_only_when_asked(void **state)
{
	(void)state;
	for (int sample = 0; sample < SAMPLE_COUNT; sample++) {
		struct render_options with = options(100, false, true, true);
		auto_done(rendered_done) struct rendered plain = rendered_text((enum sample)sample, &with);

		assert_null(strchr(plain.text, '\033'));
		with.colour = true;

		auto_done(rendered_done) struct rendered coloured = rendered_text((enum sample)sample, &with);
		auto_free char *stripped = calloc(1, coloured.length_bytes + 1);
		char *out = stripped;

		assert_non_null(stripped);
		for (const char *at = coloured.text; *at;) {
			size_t style = style_length(at);

			if (style)
				at += style;
			else
				*out++ = *at++;
		}
		assert_string_equal(stripped, plain.text);
	}
}

/* Figures of a damaged recording: sums stop at the ends of the range and nothing overflows (the sanitizers watch). */
static void extreme_figures(void **state)
{
	static const int64_t extremes[] = {INT64_MAX, INT64_MIN, -1};

	(void)state;
	for (size_t e = 0; e < array_length(extremes); e++) {
		struct render_options with = options(100, false, true, true);
		struct rendered rendered = {};
		FILE *out = open_memstream(&rendered.text, &rendered.length_bytes);
		struct report report;

		assert_non_null(out);
		sample_spring(&report);

		struct report_request *requests =
			arena_array(&report.arena, struct report_request, report.requests_count);
		struct report_tile *tiles =
			arena_array(&report.arena, struct report_tile, report.requests[0].path_count);
		struct report_cold_vs_warm *pair = arena_new(&report.arena, struct report_cold_vs_warm);
		struct report_cause_row *rows =
			arena_array(&report.arena, struct report_cause_row, report.cold_vs_warm[0].cause_count);
		struct report_phase *phases = arena_array(&report.arena, struct report_phase, report.phases_count);

		memcpy(requests, report.requests, sizeof(*requests) * report.requests_count);
		memcpy(tiles, requests[0].path, sizeof(*tiles) * requests[0].path_count);
		memcpy(phases, report.phases, sizeof(*phases) * report.phases_count);
		*pair = report.cold_vs_warm[0];
		memcpy(rows, pair->causes, sizeof(*rows) * pair->cause_count);
		for (size_t i = 0; i < pair->cause_count; i++)
			rows[i].cold_ns = rows[i].warm_ns = rows[i].excess_ns =
				extremes[(e + i) % array_length(extremes)];
		for (size_t i = 0; i < requests[0].path_count; i++)
			tiles[i].start_ns = tiles[i].duration_ns = extremes[(e + i) % array_length(extremes)];
		for (size_t i = 0; i < report.requests_count; i++)
			requests[i].latency_ns = requests[i].start_ns = extremes[(e + i) % array_length(extremes)];
		for (size_t i = 0; i < report.phases_count; i++) {
			phases[i].start_ns = extremes[(e + i) % array_length(extremes)];
			phases[i].end_ns = extremes[(e + i + 1) % array_length(extremes)];
		}
		requests[0].path = tiles;
		pair->causes = rows;
		pair->cold_ns = pair->warm_ns = pair->warm_median_ns = pair->warm_min_ns = pair->warm_max_ns =
			extremes[e];
		report.requests = requests;
		report.cold_vs_warm = pair;
		report.phases = phases;
		report.lost_events = extremes[e];
		assert_null(render_text(&report, &with, out));
		assert_int_equal(fclose(out), 0);
		check_lines(&rendered, &with);
		report_done(&report);
		rendered_done(&rendered);
	}
}

static void full_stream_is_an_error(void **state)
{
	struct render_options with = options(100, false, true, true);
	auto_file FILE *out = fopen("/dev/full", "w");
	struct report report;

	(void)state;
	assert_non_null(out);
	sample_spring(&report);

	struct err *err = render_text(&report, &with, out);
	auto_free char *line = err_line(err);

	assert_string_equal(line, "cannot write the report: No space left on device");
	err_free(err);
	report_done(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goldens),
		cmocka_unit_test(lines_fit_and_are_safe),
		cmocka_unit_test(causes_add_up),
		cmocka_unit_test(first_screen_answers),
		cmocka_unit_test(failure_comes_first),
		cmocka_unit_test(absence_is_not_zero),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(extreme_figures),
		cmocka_unit_test(full_stream_is_an_error),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "the C.UTF-8 locale is missing\n");
		return 1;
	}
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
