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

struct deoptimization_rows {
	VEC(struct report_deoptimization) list;
	struct map by_method; /* method, process, reason, action and phase -> row */
	struct map by_stack;  /* the same with the stack instead of the method: of many few are new */
};

static void rows_done(struct deoptimization_rows *rows)
{
	vec_done(&rows->list);
	map_done(&rows->by_method);
	map_done(&rows->by_stack);
}

static uint64_t key_of(uint64_t place, const struct event_deoptimize *event, enum phase phase)
{
	return hash_combine(hash_combine(place, (uint64_t)event->header.pid << 3 | (uint64_t)phase),
			    (uint64_t)event->reason << 32 | event->action);
}

static size_t row_of(struct deoptimization_rows *rows, const struct inventory *inventory,
		     const struct event_deoptimize *event, enum phase phase)
{
	const char *method = method_of(inventory, event->stack_id);
	uint64_t key = key_of(hash_bytes(method, strlen(method)), event, phase);
	bool is_new;
	uint64_t row = *map_set(&rows->by_method, key, rows->list.count, &is_new);

	if (is_new)
		*vec_push(&rows->list) = (struct report_deoptimization){
			.method = method,
			.phase = phase,
			.reason = event->reason ? word_of(inventory, event->header.pid, "trap_reasons", event->reason)
						: "",
			.action = event->reason ? word_of(inventory, event->header.pid, "trap_actions", event->action)
						: "",
		};
	return row;
}

void inventory_deoptimizations(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct report *report = inventory->report;
	int64_t counts[PHASE_COUNT] = {};
	struct deoptimization_rows rows auto_done(rows_done) = {};

	if (!inventory->has_jvm || !is_observed(model, "deoptimization"))
		return;
	for (struct event_walk walk = model_walk(model, EVENT_DEOPTIMIZE); model_walk_next(&walk);) {
		const struct event_deoptimize *event = MODEL_EVENT(model, walk.index, deoptimize);
		enum phase phase = phase_of_time(report, model, event->header.time_ns);
		bool is_new;
		uint64_t *row = map_set(&rows.by_stack, key_of(event->stack_id, event, phase), 0, &is_new);

		if (is_new)
			*row = row_of(&rows, inventory, event, phase);
		rows.list.items[*row].count++;
		counts[phase]++;
	}
	report->jit_deoptimizations_cold = known(counts[PHASE_FIRST_REQUEST]);
	report->jit_deoptimizations_warm = known(counts[PHASE_WARM]);
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_deoptimizations);
	rows.list.count = keep_of_each_phase(rows.list.items, rows.list.count);
	inventory_put(inventory, deoptimizations, &rows.list);
}
