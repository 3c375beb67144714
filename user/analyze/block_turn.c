#include "analyze/block_turn.h"

#include <string.h>

#include "analyze/inventory_internal.h"
#include "base/auto.h"

/* Parked in a lock of java.util.concurrent.locks or a semaphore, not for a result: by the frames above its callers. Without a
 * stack it may be either. */
static bool is_parked_for_turn(const struct model *model, const struct event_switch_out *out)
{
	enum { LINES_MAX = 16 };
	static const char *const turns[] = {"java/util/concurrent/locks/ReentrantLock", "java/util/concurrent/locks/StampedLock",
					    "java/util/concurrent/locks/ReentrantReadWriteLock", "java/util/concurrent/Semaphore"};
	struct frame_line lines[LINES_MAX];
	uint32_t count = stack_lines(model, out->stack_id, lines, LINES_MAX);

	for (uint32_t i = 0; i < count; i++) {
		for (size_t k = 0; k < array_length(turns); k++) {
			if (strncmp(lines[i].class_name, turns[k], strlen(turns[k])) == 0)
				return true;
		}
	}
	return count == 0;
}

bool block_is_for_turn(const struct model *model, const struct interval *interval, bool is_fault, enum call_class call,
		       bool is_regular_file)
{
	if (is_fault)
		return true; /* the address space */
	switch ((enum vm_wait_reason)interval->reason) {
	case VM_WAIT_PARK:
		return is_parked_for_turn(model, MODEL_EVENT(model, interval->event, switch_out));
	case VM_WAIT_MONITOR:
	case VM_WAIT_MUTEX:
		return true;
	case VM_WAIT_OBJECT:
	case VM_WAIT_CLASS_INIT:
		return false;
	default:
		break;
	}
	switch (call) {
	case CALL_POLL:
	case CALL_CHILD:
	case CALL_ACCEPT:
	case CALL_CONNECT:
	case CALL_RECEIVE:
	case CALL_SEND:
	case CALL_URING:
		return false;
	case CALL_READ:
	case CALL_WRITE:
		return is_regular_file; /* of the file's own lock */
	default:
		return true; /* a futex is either; locks of the kernel */
	}
}
