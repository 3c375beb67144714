#include "record/stack_ids.h"

#include <stddef.h>
#include <string.h>

/* Where a record of a kind has its stack_id; 0: it has none. */
static size_t place_of_id(uint32_t kind)
{
	switch (kind) {
	case EVENT_STACK:
		return offsetof(struct event_stack, stack_id);
	case EVENT_SAMPLE:
		return offsetof(struct event_sample, stack_id);
	case EVENT_EXCEPTION:
		return offsetof(struct event_exception, stack_id);
	case EVENT_SWITCH_OUT:
		return offsetof(struct event_switch_out, stack_id);
	case EVENT_CLASS_LOAD:
		return offsetof(struct event_class_load, stack_id);
	case EVENT_THROW:
		return offsetof(struct event_throw, stack_id);
	case EVENT_DEOPTIMIZE:
		return offsetof(struct event_deoptimize, stack_id);
	default:
		return 0;
	}
}

const struct event_header *stack_ids_shorten(struct stack_ids *ids, const struct event_header *event)
{
	size_t place = place_of_id(event->kind);
	uint64_t id, number;

	if (!place || event->size < place + sizeof(id) || event->size > sizeof(ids->copy))
		return event;
	memcpy(&id, (const char *)event + place, sizeof(id));
	if (!id)
		return event;
	/* A hash is even, an exception's may be marked in bit 0: the mark stays. */
	number = *map_set(&ids->numbers, id & ~1ull, 2 * (ids->numbers.count + 1), NULL) | (id & 1);
	memcpy(ids->copy, event, event->size);
	memcpy(ids->copy + place, &number, sizeof(number));
	return (const struct event_header *)ids->copy;
}

void stack_ids_done(struct stack_ids *ids)
{
	map_done(&ids->numbers);
}
