/* Threads on and off the CPU as flames. */
#include <stdlib.h>

#include "analyze/flame_internal.h"
#include "base/search.h"

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- running ---- */

static size_t first_sample_at(const struct model *model, const struct thread *thread, uint64_t time_ns)
{
	return first_where(thread->samples.count, i, model->events[thread->samples.items[i]]->time_ns >= time_ns);
}

static uint64_t sample_ns(const struct model *model, const struct thread *thread, size_t at)
{
	return model->events[thread->samples.items[at]]->time_ns;
}

/* A stretch in which the thread ran belongs to the samples in it: each moment to the nearest one that is not further
 * away than its period. What is left is running time that no sample speaks for. */
static void add_running(struct flame_builder *builder, uint32_t index, uint32_t node, uint64_t start_ns,
			uint64_t end_ns)
{
	const struct model *model = builder->model;
	const struct thread *thread = &model->threads.list.items[index];
	uint64_t left_ns = end_ns - start_ns, at_ns = start_ns;

	for (size_t i = first_sample_at(model, thread, start_ns);
	     i < thread->samples.count && sample_ns(model, thread, i) < end_ns; i++) {
		const struct event_sample *sample = MODEL_EVENT(model, thread->samples.items[i], sample);
		uint64_t time_ns = sample->header.time_ns, to_ns = end_ns;
		uint64_t from_ns = time_ns > sample->period_ns ? time_ns - sample->period_ns : 0;

		if (i + 1 < thread->samples.count && sample_ns(model, thread, i + 1) < end_ns)
			to_ns = time_ns + (sample_ns(model, thread, i + 1) - time_ns) / 2;
		from_ns = latest(from_ns, at_ns);
		if (to_ns - time_ns > sample->period_ns)
			to_ns = time_ns + sample->period_ns;
		at_ns = to_ns;
		if (to_ns <= from_ns)
			continue;

		uint32_t top = flame_push_stack(builder, node, sample->stack_id);

		if (top == node)
			top = flame_push_text(builder, node, FLAME_KIND_CODE,
					      sample->mode == SAMPLE_KERNEL ? "(in the kernel)" : "(no stack)");
		flame_add(builder, top, (int64_t)(to_ns - from_ns), (int64_t)(to_ns - from_ns));
		left_ns -= to_ns - from_ns;
	}
	if (left_ns)
		flame_add(builder, flame_push_text(builder, node, FLAME_KIND_CODE, "(between samples)"),
			  (int64_t)left_ns, (int64_t)left_ns);
}

/* ---- both ---- */

static void add_thread(struct flame_builder *builder, uint32_t index, bool is_on_cpu)
{
	const struct model *model = builder->model;
	const struct thread *thread = &model->threads.list.items[index];
	uint32_t first = model_interval_at(model, index, builder->start_ns);

	for (uint32_t i = first == NO_INDEX ? 0 : first; i < thread->intervals.count; i++) {
		const struct interval *interval = &thread->intervals.items[i];
		uint64_t start_ns = latest(interval->start_ns, builder->start_ns);
		uint64_t end_ns = earliest(model_interval_end(model, index, i), builder->end_ns);
		bool is_off = interval->state == INTERVAL_BLOCKED || interval->state == INTERVAL_RUNNABLE;

		if (interval->start_ns >= builder->end_ns)
			break;
		if (end_ns <= start_ns || (is_on_cpu ? interval->state != INTERVAL_RUNNING : !is_off))
			continue;

		uint32_t node = flame_push_thread(builder, 0, index, start_ns);

		if (is_on_cpu) {
			add_running(builder, index, node, start_ns, end_ns);
			continue;
		}
		uint64_t stack_id = flame_wait_stack(model, index, i);

		node = stack_id ? flame_push_stack(builder, node, stack_id)
				: flame_push_known(builder, node, index, start_ns, end_ns);
		node = flame_push_wait(builder, node, index, i);
		flame_add(builder, node, (int64_t)(end_ns - start_ns), (int64_t)(end_ns - start_ns));
	}
}

void flame_build_on_cpu(struct flame_builder *builder)
{
	for (uint32_t i = 0; i < builder->model->threads.list.count; i++)
		add_thread(builder, i, true);
}

void flame_build_off_cpu(struct flame_builder *builder)
{
	for (uint32_t i = 0; i < builder->model->threads.list.count; i++)
		add_thread(builder, i, false);
}
