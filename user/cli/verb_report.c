#include <unistd.h>

#include "base/auto.h"
#include "base/term.h"
#include "cli/explain.h"
#include "cli/reporting.h"
#include "cli/sink.h"
#include "cli/verbs.h"

/* With a recording also what that run has of the finding. */
static struct err *explain(const struct options *options)
{
	const char *path = options->files.count ? options->files.items[0].path : NULL;
	auto_done(loaded_report_done) struct loaded_report loaded = {};
	struct sink sink;

	if (path)
		TRY(report_load(path, &loaded));
	TRY(sink_open(options->report_path, stdout, &sink));

	struct term term = term_detect(fileno(sink.file), (enum term_colour)options->colour);

	explain_print(options->explain_id, path ? &loaded.report : NULL, &term, sink.file);
	return sink_close(&sink);
}

struct err *verb_report(const struct options *options, struct outcome *outcome)
{
	if (options->explain_id)
		return explain(options);
	return report_recording(options->files.items[0].path, options, stdout, false, outcome);
}
