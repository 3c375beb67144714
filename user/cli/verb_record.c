#include "cli/recording.h"
#include "cli/reporting.h"
#include "cli/verbs.h"

struct err *verb_record(const struct options *options, struct outcome *outcome)
{
	return recording_make(options, outcome);
}

/* Standard output belongs to the command. */
struct err *verb_main(const struct options *options, struct outcome *outcome)
{
	TRY(recording_make(options, outcome));
	return report_recording(recording_path(options), options, stderr, true, outcome);
}

struct err *verb_attach(const struct options *options, struct outcome *outcome)
{
	TRY(recording_make(options, outcome));
	return report_recording(recording_path(options), options, stdout, true, outcome);
}
