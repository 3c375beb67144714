#include "analyze/inventory_internal.h"

#include <string.h>

#include "analyze/inventory.h"
#include "analyze/inventory_sources.h"
#include "base/auto.h"

enum phase phase_of_time(const struct report *report, const struct model *model, uint64_t time_ns)
{
	int64_t at_ns = time_from_exec(model, time_ns);
	enum phase phase = report->phases_count ? report->phases[0].phase : PHASE_STARTUP;

	for (size_t i = 0; i < report->phases_count && report->phases[i].start_ns <= at_ns; i++)
		phase = report->phases[i].phase;
	return phase;
}

bool is_stated(const struct model *model, const char *what)
{
	for vec_each(observed, &model->texts.observed) {
		if (strcmp(observed->what, what) == 0)
			return observed->state != OBSERVED_NO;
	}
	return false;
}

bool tree_has_jvm(const struct model *model)
{
	for vec_each(process, &model->threads.processes) {
		if (process->is_jvm)
			return true;
	}
	return false;
}

void analyze_inventory(const struct model *model, const struct class_sources *sources, struct report *report)
{
	struct inventory inventory = {
		.model = model,
		.report = report,
		.sources = sources,
		.main_process = model_process_of(model, report->run.main_pid),
		.has_jvm = tree_has_jvm(model),
	};

	if (inventory.main_process == NO_INDEX)
		inventory.main_process = model->threads.processes.count ? model->threads.command_process : NO_INDEX;
	inventory_threads(&inventory);
	inventory_archives(&inventory);
	inventory_files(&inventory);
	inventory_searches(&inventory);
	inventory_jars(&inventory);
	inventory_duplicates(&inventory);
	inventory_page_cache(&inventory);
	inventory_classes(&inventory);
	inventory_exceptions(&inventory);
	inventory_faults(&inventory);
	inventory_jvm(&inventory);
	inventory_jvm_work(&inventory);
	inventory_deoptimizations(&inventory);
	inventory_throws(&inventory);
	inventory_memory(&inventory);
	inventory_connections(&inventory);
	inventory_limits(&inventory);
}
