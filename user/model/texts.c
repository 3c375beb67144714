#include "model/load.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* What was said last of an ability counts. */
static void on_observed(struct load *load, const struct event_observed *event)
{
	struct model *model = load->model;
	size_t length;
	const char *what = MODEL_TAIL(event, &length);
	size_t what_length = strnlen(what, length);
	uint32_t name = strpool_add(&model->strings, what, what_length);
	bool is_new;
	uint64_t *at = map_set(&load->observed_by_name, name, model->texts.observed.count, &is_new);

	if (is_new)
		vec_push(&model->texts.observed);
	model->texts.observed.items[*at] = (struct observed){
		.what = what,
		.why = what_length + 1 < length ? what + what_length + 1 : "",
		.state = (enum observed_state)event->state,
	};
}

void texts_collect(struct load *load, uint32_t index, const struct event_header *event)
{
	struct model *model = load->model;
	struct model_texts *texts = &model->texts;
	size_t length;

	switch ((enum event_kind)event->kind) {
	case EVENT_RUN_TEXT: {
		const struct event_run_text *text = (const struct event_run_text *)event;
		const char *key = MODEL_TAIL(text, &length);
		size_t key_length = strnlen(key, length);
		bool has_value = key_length + 1 < length;

		*vec_push(&texts->run) = (struct run_text){
			.key = key,
			.value = has_value ? key + key_length + 1 : "",
			.value_length = has_value ? length - key_length - 1 : 0,
			.time_ns = event->time_ns,
		};
		break;
	}
	case EVENT_PROC_TEXT: {
		const struct event_proc_text *text = (const struct event_proc_text *)event;
		const char *bytes = MODEL_TAIL(text, &length);

		*vec_push(&texts->proc) = (struct proc_text){
			.text = bytes,
			.length = length,
			.time_ns = event->time_ns,
			.pid = event->pid,
			.file = (enum proc_file)text->file,
			.moment = (enum moment)text->moment,
		};
		break;
	}
	case EVENT_LOSS: {
		const struct event_loss *loss = (const struct event_loss *)event;

		*vec_push(&texts->losses) = (struct loss){.start_ns = loss->start_ns,
							  .end_ns = loss->end_ns,
							  .count = loss->count,
							  .kind = loss->lost_kind};
		break;
	}
	case EVENT_KIND_TOTAL: {
		const struct event_kind_total *total = (const struct event_kind_total *)event;

		if (total->counted_kind < EVENT_KIND_END)
			texts->totals[total->counted_kind] =
				(struct kind_total){.count = total->count, .sum_ns = total->sum_ns, .is_known = 1};
		break;
	}
	case EVENT_OBSERVED:
		on_observed(load, (const struct event_observed *)event);
		break;
	case EVENT_CLIENT_REQUEST:
		*vec_push(&texts->clients) = index;
		break;
	case EVENT_LIBRARY:
		*vec_push(&texts->libraries) = index;
		break;
	case EVENT_RESIDENCY:
		*vec_push(&texts->residencies) = index;
		break;
	case EVENT_STOP_SIGNAL:
		*vec_push(&texts->stop_signals) = index;
		break;
	default:
		break;
	}
}

static int compare_losses(const void *left, const void *right)
{
	const struct loss *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

void texts_finish(struct load *load)
{
	struct model_texts *texts = &load->model->texts;

	if (texts->losses.count)
		qsort(texts->losses.items, texts->losses.count, sizeof(*texts->losses.items), compare_losses);
}

void texts_done(struct model *model)
{
	vec_done(&model->texts.run);
	vec_done(&model->texts.proc);
	vec_done(&model->texts.losses);
	vec_done(&model->texts.observed);
	vec_done(&model->texts.holds);
	vec_done(&model->texts.clients);
	vec_done(&model->texts.libraries);
	vec_done(&model->texts.residencies);
	vec_done(&model->texts.stop_signals);
}

/* ---- questions ---- */

bool model_has_loss(const struct model *model, enum event_kind kind, uint64_t start_ns, uint64_t end_ns)
{
	for vec_each(loss, &model->texts.losses) {
		if (loss->start_ns >= end_ns)
			break;
		if (loss->end_ns > start_ns && (loss->kind == (uint32_t)kind || loss->kind == 0))
			return true;
	}
	return false;
}

enum observed_state model_observed(const struct model *model, const char *what)
{
	for vec_each(observed, &model->texts.observed) {
		if (strcmp(observed->what, what) == 0)
			return observed->state;
	}
	return OBSERVED_YES;
}

const char *model_run_text(const struct model *model, const char *key, size_t *ret_length)
{
	for vec_each(text, &model->texts.run) {
		if (strcmp(text->key, key) == 0) {
			if (ret_length)
				*ret_length = text->value_length;
			return text->value;
		}
	}
	return NULL;
}

const char *model_process_text(const struct model *model, uint32_t pid, const char *key)
{
	char full_key[64];

	snprintf(full_key, sizeof(full_key), "jvm.%u.%s", pid, key);
	return model_run_text(model, full_key, NULL);
}
