#include "cli/reporting.h"
#include "cli/verbs.h"

struct err *verb_report(const struct options *options, struct outcome *outcome)
{
	return report_recording(options->files.items[0].path, options, stdout, false, outcome);
}
