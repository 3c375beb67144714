/* Any trace, however wrong: it gives a report, and every path keeps its promises. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/analyze.h"
#include "analyze/path.h"
#include "base/auto.h"
#include "format/text.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct err *add(void *builder, const struct event_header *event)
{
	model_add(builder, event);
	return NULL;
}

static void check_paths(const struct model *model)
{
	struct path_walker *walker = path_walker_new(model);
	struct path path = {};
	struct arena arena = {};

	for vec_each(request, &model->requests.list) {
		path_walk(walker, request, &path);

		const char *wrong = path_check(model, &path, &arena);

		if (wrong) {
			fprintf(stderr, "%s\n", wrong);
			abort();
		}
	}
	vec_done(&path.tiles);
	arena_done(&arena);
	path_walker_free(walker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model_builder *builder = model_begin();
	struct model *model = NULL;
	struct report report;
	/* What was read before an error is a recording too. */
	struct err *err = text_parse((const char *)data, size, "input", add, builder);

	err_free(err);
	err = model_finish(builder, &model);
	if (err) {
		err_free(err);
		return 0;
	}
	check_paths(model);
	analyze_report(model, &report);
	report_done(&report);
	model_free(&model);
	return 0;
}
