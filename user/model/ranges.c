/* What each process has mapped while the pass goes by: disjoint ranges, made and cut by its own calls. */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/auto.h"
#include "base/search.h"

static size_t first_range_ending_after(const struct process_state *process, uint64_t address)
{
	return first_where(process->ranges.count, i, process->ranges.items[i].end > address);
}

static void insert_range(struct process_state *process, size_t at, struct live_range range)
{
	vec_push(&process->ranges);
	memmove(&process->ranges.items[at + 1], &process->ranges.items[at],
		(process->ranges.count - 1 - at) * sizeof(range));
	process->ranges.items[at] = range;
}

static void unmap(struct process_state *process, uint64_t start, uint64_t end)
{
	size_t at = first_range_ending_after(process, start), removed = 0;

	if (at < process->ranges.count && process->ranges.items[at].start < start) {
		struct live_range rest = process->ranges.items[at];

		process->ranges.items[at].end = start;
		at++;
		if (rest.end > end) {
			rest.start = end;
			insert_range(process, at, rest);
			return;
		}
	}
	while (at + removed < process->ranges.count && process->ranges.items[at + removed].end <= end)
		removed++;
	if (removed) {
		memmove(&process->ranges.items[at], &process->ranges.items[at + removed],
			(process->ranges.count - at - removed) * sizeof(struct live_range));
		process->ranges.count -= removed;
	}
	if (at < process->ranges.count && process->ranges.items[at].start < end)
		process->ranges.items[at].start = end;
}

static bool is_same(const struct live_range *left, const struct live_range *right)
{
	return left->what == right->what && left->file == right->file && left->part == right->part &&
	       left->reservation == right->reservation && left->is_fixed == right->is_fixed;
}

static void map_range(struct process_state *process, struct live_range range)
{
	if (range.end <= range.start)
		return;
	unmap(process, range.start, range.end);

	size_t at = first_range_ending_after(process, range.start);

	/* A stack or heap is often mapped in pieces: neighbours of one kind are one range. */
	if (at > 0 && process->ranges.items[at - 1].end == range.start &&
	    is_same(&process->ranges.items[at - 1], &range)) {
		process->ranges.items[at - 1].end = range.end;
		return;
	}
	insert_range(process, at, range);
}

const struct live_range *ranges_at(const struct process_state *process, uint64_t address)
{
	size_t at = first_range_ending_after(process, address);

	return at < process->ranges.count && process->ranges.items[at].start <= address ? &process->ranges.items[at]
											: NULL;
}

uint64_t ranges_next_edge(const struct process_state *process, uint64_t address)
{
	size_t at = first_range_ending_after(process, address);

	if (at == process->ranges.count)
		return UINT64_MAX;
	return process->ranges.items[at].start > address ? process->ranges.items[at].start
							 : process->ranges.items[at].end;
}

/* ---- reservations ---- */

/* Whether a reservation has the size of a table that a collector keeps beside the heap: a byte for each 512 of it
 * (card table, block offsets), or one or two bits for each object's place (marks). Of its own end they may have a
 * page more. */
static bool is_gc_table(uint64_t length, uint64_t heap_bytes)
{
	static const unsigned parts[] = {512, 64, 32};
	enum { ROUNDING_BYTES = 64 * 1024 };

	for (size_t i = 0; i < array_length(parts); i++) {
		uint64_t bytes = heap_bytes / parts[i];

		if (bytes && length >= bytes && length - bytes <= ROUNDING_BYTES)
			return true;
	}
	return false;
}

enum { ARENA_BYTES = 64 * 1024 * 1024 }; /* what malloc reserves for an arena, in a place of that alignment */

/* The thread that reserves the heap goes on to reserve the collector's tables; class space and metaspace come later.
 */
static bool is_gc_reservation(struct process_state *process, const struct jvm_region *heap,
			      const struct event_file_map *event)
{
	uint64_t start = (uint64_t)event->result, length = event->length;

	if (!heap)
		return false;
	if (heap->start >= start && heap->start - start < length) {
		process->heap_tid = event->header.tid;
		return false;
	}
	return event->header.tid == process->heap_tid && is_gc_table(length, heap->end - heap->start) &&
	       !(length == ARENA_BYTES && start % ARENA_BYTES == 0);
}

static void reserve(struct load *load, struct process_state *process, const struct event_file_map *event,
		    struct live_range *range)
{
	const struct jvm_region *heap = regions_heap_of(load->model, event->header.pid);

	*vec_push(&load->reservations) = (struct reservation){
		.pid = event->header.pid,
		.start = range->start,
		.end = range->end,
		.is_gc = is_gc_reservation(process, heap, event),
	};
	range->reservation = (uint32_t)load->reservations.count;
}

/* Anonymous memory put in a place of one's own keeps what the place is: the guard of a thread's stack, what is used
 * of a reservation, and the part of a library's data that its file does not hold. */
static void inherit(const struct load *load, const struct process_state *process, struct live_range *range)
{
	const struct live_range *around = ranges_at(process, range->start);
	const struct live_range *last = ranges_at(process, range->end - 1);

	if (!around || !last || around->what != last->what)
		return;
	if (around->what == RANGE_STACK) {
		range->what = RANGE_STACK;
	} else if (around->what == RANGE_FILE && around->file == last->file &&
		   load->model->files.list.items[around->file].is_code) {
		range->what = RANGE_FILE;
		range->file = around->file;
		range->part = PART_BSS;
	} else if (around->what == RANGE_ANONYMOUS && around->reservation == last->reservation) {
		range->reservation = around->reservation;
	}
}

/* ---- calls ---- */

void ranges_on_map(struct load *load, struct process_state *process, const struct event_file_map *event)
{
	struct model *model = load->model;
	struct live_range range = {.start = (uint64_t)event->result, .what = RANGE_ANONYMOUS};

	if (event->result < 0 || event->length == 0 ||
	    __builtin_add_overflow(range.start, (event->length + 4095) & ~4095ULL, &range.end) ||
	    range.end <= range.start)
		return;
	range.is_fixed = event->flags & MAP_FIXED;
	if (event->inode) {
		range.what = RANGE_FILE;
		range.file = model_file_by_inode(model, event->device, event->inode);
		range.part = event->protection & PROT_EXEC    ? PART_TEXT
			     : event->protection & PROT_WRITE ? PART_DATA
							      : PART_READ_ONLY;
		if (event->protection & PROT_EXEC)
			model->files.list.items[range.file].is_code = true;
	} else if (event->flags & (MAP_STACK | MAP_GROWSDOWN)) {
		range.what = RANGE_STACK;
	} else if (range.is_fixed) {
		inherit(load, process, &range);
	} else if (event->protection == PROT_NONE) {
		reserve(load, process, event, &range);
	}
	/* Where it lies is all that sets files' mappings apart; anonymous ones it does not. */
	range.is_fixed &= range.what == RANGE_FILE;
	map_range(process, range);
}

void ranges_on_syscall(struct load *load, struct process_state *process, const struct event_syscall *event)
{
	uint64_t end;

	if (event->number == load->number_munmap) {
		if (event->result == 0 && !__builtin_add_overflow(event->argument0, event->argument1, &end))
			unmap(process, event->argument0, end);
	} else if (event->number == load->number_mremap) {
		const struct live_range *old = ranges_at(process, event->argument0);
		struct live_range range = old ? *old : (struct live_range){.what = RANGE_ANONYMOUS};

		if (event->result < 0 || __builtin_add_overflow(event->argument0, event->argument1, &end))
			return;
		unmap(process, event->argument0, end);
		range.start = (uint64_t)event->result;
		if (!__builtin_add_overflow(range.start, event->argument2, &range.end))
			map_range(process, range);
	} else if (event->number == load->number_brk && event->result > 0) {
		uint64_t now = (uint64_t)event->result;

		if (process->break_start == 0)
			process->break_start = now;
		else if (now > process->break_start)
			map_range(process, (struct live_range){
						   .start = process->break_start, .end = now, .what = RANGE_BREAK});
	}
}
