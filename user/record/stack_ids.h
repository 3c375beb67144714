/* Short ids for stacks: the programs name a stack by a 64-bit hash, which no compression can make smaller; a recording numbers
 * them in the order in which they are met, which takes two bytes or less each time. */
#pragma once

#include "base/map.h"
#include "bpf/events.h"

enum { STACK_IDS_RECORD_BYTES_MAX = 16 * 1024 };

/* A zeroed struct is empty. */
struct stack_ids {
	struct map numbers;
	_Alignas(struct event_header) char copy[STACK_IDS_RECORD_BYTES_MAX];
};

/* The record with its stack's number in place of the hash: even numbers, since bit 0 of an id has a meaning (bpf/events.h), and 0
 * stays 0. A record without a stack is given back as it is, any other as a copy that is valid until the next call. */
const struct event_header *stack_ids_shorten(struct stack_ids *ids, const struct event_header *event);

void stack_ids_done(struct stack_ids *ids);
