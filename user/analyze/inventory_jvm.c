/* Compilations, collections and safepoints. */
#include "analyze/inventory_internal.h"

#include <string.h>

#include "analyze/inventory_threads.h"

static void fill_jit(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	int64_t c1 = 0, c2 = 0, cpu_ns = 0;

	if (is_observed(model, "jit")) {
		for vec_each(compilation, &model->jvm.compilations) {
			size_t length;
			const struct event_compile *begin =
				MODEL_EVENT(model, compilation->begin_event, compile);
			const char *compiler = MODEL_TAIL(begin, &length);

			c1 += strcmp(compiler, "C1") == 0;
			c2 += strcmp(compiler, "C2") == 0;
		}
		report->jit_compilations = known((int64_t)model->jvm.compilations.count);
		report->jit_c1 = known(c1);
		report->jit_c2 = known(c2);
	}
	if (is_observed(model, "jit") && is_observed(model, "deoptimization"))
		report->jit_deoptimizations = known((int64_t)model->kind_counts[EVENT_DEOPTIMIZE]);
	if (!model->threads.has_schedule)
		return;
	for (size_t i = 0; i < report->threads_count; i++) {
		const struct report_thread *thread = &report->threads[i];

		if (strcmp(thread->role, ROLE_C1) == 0 || strcmp(thread->role, ROLE_C2) == 0)
			cpu_ns += thread->cpu_ns.state == KNOWN ? thread->cpu_ns.value : 0;
	}
	report->jit_cpu_ns = known(cpu_ns);
}

static void fill_gc(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	int64_t pauses = 0, pause_ns = 0, safepoint_ns = 0;

	if (is_observed(model, "gc"))
		report->gc_collections = known((int64_t)model->jvm.collections.count);
	if (!is_observed(model, "safepoints"))
		return;
	for vec_each(pause, &model->jvm.pauses) {
		int64_t duration_ns = (int64_t)(pause->end_ns - pause->start_ns);

		safepoint_ns += duration_ns;
		if (pause->is_collection) {
			pauses++;
			pause_ns += duration_ns;
		}
	}
	report->gc_safepoints = known((int64_t)model->jvm.pauses.count);
	report->gc_safepoint_ns = known(safepoint_ns);
	report->gc_pauses = known(pauses);
	report->gc_pause_ns = known(pause_ns);
}

void inventory_jvm(const struct inventory *inventory)
{
	if (!inventory->has_jvm)
		return;
	fill_jit(inventory);
	fill_gc(inventory);
}
