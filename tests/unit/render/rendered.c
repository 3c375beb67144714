#include "unit/render/rendered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/render/sample.h"

const char *const sample_names[SAMPLE_COUNT] = {"spring", "hostile", "native", "empty", "failed", "comparison"};

static struct rendered render(enum sample sample, const struct render_options *options)
{
	static void (*const make[])(struct report *) = {sample_spring, sample_hostile, sample_native, sample_empty,
							sample_failed};
	struct rendered rendered = {};
	FILE *out = open_memstream(&rendered.text, &rendered.length_bytes);
	struct err *err;

	assert_non_null(out);
	if (sample == SAMPLE_COMPARISON) {
		struct comparison comparison;

		sample_comparison(&comparison);
		err = options ? render_comparison_text(&comparison, options, out)
			      : render_comparison_json(&comparison, out);
		arena_done(&comparison.arena);
	} else {
		struct report report;

		make[sample](&report);
		err = options ? render_text(&report, options, out) : render_json(&report, out);
		report_done(&report);
	}
	assert_null(err);
	assert_int_equal(fclose(out), 0);
	return rendered;
}

struct rendered rendered_text(enum sample sample, const struct render_options *options)
{
	return render(sample, options);
}

struct rendered rendered_json(enum sample sample)
{
	return render(sample, NULL);
}
