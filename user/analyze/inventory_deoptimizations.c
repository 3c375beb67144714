/* Compiled code that was given up: in which method, and for which of the VM's reasons. */
#include "analyze/inventory_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum { OF_EACH_PHASE_MOST = 40 };

static bool is_of_requests(enum phase phase)
{
	return phase == PHASE_FIRST_REQUEST || phase == PHASE_WARM;
}

/* The VM's own word for a number, from its list (in the recording, separated by commas); "" where it told none. */
static const char *word_of(const struct inventory *inventory, uint32_t pid, const char *list, uint32_t number)
{
	const char *text;
	char key[64];

	snprintf(key, sizeof(key), "jvm.%u.%s", pid, list);
	text = model_run_text(inventory->model, key, NULL);
	for (; text && number; number--) {
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
	return text ? arena_copy(&inventory->report->arena, text, strcspn(text, ",")) : "";
}

static const char *method_of(const struct inventory *inventory, uint64_t stack_id)
{
	struct frame_line line;

	return stack_lines(inventory->model, stack_id, &line, 1) ? frame_line_text(&inventory->report->arena, &line)
								 : "";
}

/* Those of the requests first, the most frequent of each phase before the others. */
static int compare_deoptimizations(const void *left, const void *right)
{
	const struct report_deoptimization *a = left, *b = right;
	int order;

	if (is_of_requests(a->phase) != is_of_requests(b->phase))
		return is_of_requests(a->phase) ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	order = strcmp(a->method, b->method);
	if (order == 0)
		order = strcmp(a->reason, b->reason);
	return order ? order : strcmp(a->action, b->action);
}

static size_t keep_of_each_phase(struct report_deoptimization *rows, size_t count)
{
	size_t kept = 0, of_phase = 0;

	for (size_t i = 0; i < count; i++) {
		of_phase = i && rows[i].phase == rows[i - 1].phase ? of_phase + 1 : 0;
		if (of_phase < OF_EACH_PHASE_MOST)
			rows[kept++] = rows[i];
	}
	return kept;
}

void inventory_deoptimizations(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	struct map places auto_done(map_done) = {};
	int64_t counts[PHASE_COUNT] = {};
	VEC(struct report_deoptimization) rows = {};

	if (!inventory->has_jvm || !is_observed(model, "deoptimization"))
		return;
	for (struct event_walk walk = model_walk(model, EVENT_DEOPTIMIZE); model_walk_next(&walk);) {
		const struct event_deoptimize *event = MODEL_EVENT(model, walk.index, deoptimize);
		const char *method;
		enum phase phase;
		uint64_t key, place;
		bool is_new;

		phase = phase_of_time(report, model, event->header.time_ns);
		counts[phase]++;
		method = method_of(inventory, event->stack_id);
		key = hash_combine(hash_bytes(method, strlen(method)), (uint64_t)event->header.pid << 32 |
									       event->reason << 12 |
									       event->action << 4 | phase);
		place = *map_set(&places, key, rows.count, &is_new);
		if (is_new)
			*vec_push(&rows) = (struct report_deoptimization){
				.method = method,
				.phase = phase,
				.reason = event->reason ? word_of(inventory, event->header.pid, "trap_reasons",
								  event->reason)
							: "",
				.action = event->reason ? word_of(inventory, event->header.pid, "trap_actions",
								  event->action)
							: "",
			};
		rows.items[place].count++;
	}
	report->jit_deoptimizations_cold = known(counts[PHASE_FIRST_REQUEST]);
	report->jit_deoptimizations_warm = known(counts[PHASE_WARM]);
	if (rows.count)
		qsort(rows.items, rows.count, sizeof(*rows.items), compare_deoptimizations);
	rows.count = keep_of_each_phase(rows.items, rows.count);
	inventory_put(inventory, deoptimizations, &rows);
}
