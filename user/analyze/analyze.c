#include "analyze/analyze.h"

#include "analyze/burst.h"
#include "analyze/cgroup_cpu.h"
#include "analyze/cold_warm.h"
#include "analyze/findings.h"
#include "analyze/inventory.h"
#include "analyze/inventory_sources.h"
#include "analyze/kept_requests.h"
#include "analyze/phases.h"
#include "analyze/run_facts.h"
#include "analyze/selection.h"
#include "base/auto.h"

void analyze_report(const struct model *model, struct report *ret_report)
{
	struct class_sources sources auto_done(class_sources_done) = {};
	struct selection selection;

	*ret_report = (struct report){};
	selection_make(model, &selection);
	analyze_phases(model, selection.first_burst_end_ns, ret_report);
	analyze_run(model, ret_report);
	analyze_cgroup_cpu(model, ret_report);
	analyze_runtime(model, ret_report);
	analyze_requests(model, &selection, ret_report);
	analyze_burst(ret_report);
	analyze_cold_warm(model, &selection, ret_report);
	selection_done(&selection);
	class_sources_build(model, ret_report, &sources);
	analyze_inventory(model, &sources, ret_report);
	analyze_findings(model, &sources, ret_report);
	analyze_notes(model, ret_report);
	ret_report->verdict = verdict_of(ret_report, &ret_report->arena);
}
