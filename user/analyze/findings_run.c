/* Findings about the run itself: whether its figures are whole, and how it ended. */
#include "analyze/findings_internal.h"

bool finding_lost_events(const struct finding_context *context, struct finding_draft *draft)
{
	const struct report *report = context->report;
	const char *kinds = "";

	if (report->lost_events == 0)
		return false;
	for (size_t i = 0; i < report->losses_by_kind_count; i++)
		kinds = arena_format(context->arena, "%s%s%s %s", kinds, i ? ", " : "",
				     fmt_count(report->losses_by_kind[i].value).text, report->losses_by_kind[i].name);
	finding_evidence(draft, "%s of %s events could not be recorded: %s.", fmt_count(report->lost_events).text,
			 fmt_count(report->lost_events + report->events_total).text, kinds);
	finding_evidence(draft, "Counts, lists and times that rest on these kinds are lower bounds.");
	finding_remedy(draft, "Record again with a larger ring: --buffer 256M before the --.");
	return true;
}
