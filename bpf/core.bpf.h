/* BPF side only: what all program files share. The thread table (which is also the filter), the ring buffers, the way a
 * record is made, and the counting of what could not be recorded. */
#pragma once

#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/config.h"
#include "bpf/events.h"

/* One entry per live thread of the tree, keyed by the kernel's thread id: being in it is being traced. It lives from
 * fork to exit and holds what pairs an entry with its exit, so that a lost record never mends the next one wrongly. */
struct thread_state {
	u32 pid;
	u32 syscall_number; /* number + 1; 0: in user mode */
	u64 syscall_start_ns;
	u64 syscall_end_ns;
	i64 syscall_result;
	u64 arguments[6];
	u64 fault_start_ns;
	u64 fault_address;
	u64 exception_start_ns;
	u64 exception_class;
	u64 exception_stack_id;
	u64 exception_stack_pointer;
	u64 java_thread; /* JavaThread*, where known */
	u64 class_load_pointer; /* stack pointer of the outermost class load that goes on; 0: none */
	u64 class_load_symbol;	/* and the Symbol* of its class's name */
	u64 compile_wait_ns; /* of the compilation that it is about to begin */
	u64 wait_stack_id;	/* of the wait that it entered last, and the stack pointer there */
	u64 wait_stack_pointer;
	u64 interrupt_start_ns;
	u32 exception_name_length;
	u32 held_libraries;
	u32 nested_loads;
	u32 compile_level;
	u32 has_class_returns; /* the ends of its class loads are seen */
	char exception_name[128];
};

struct threads_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, u32);
	__type(value, struct thread_state);
};
extern struct threads_map threads SEC(".maps");

struct events_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 * 1024 * 1024);
};
/* Records, never waking the consumer: a consumer woken per record preempts the traced JVM and doubles its start. */
extern struct events_map events SEC(".maps");

struct urgent_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
};
/* The few records that user space must act on at once (a library mapped, a socket ready, a process gone). */
extern struct urgent_map urgent SEC(".maps");

struct kind_count {
	u64 count, lost, sum_ns;
};

struct kind_counts_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_KIND_END);
	__type(key, u32);
	__type(value, struct kind_count);
};
extern struct kind_counts_map kind_counts SEC(".maps");

struct loss_key {
	u32 kind;
	u32 bucket; /* time_ns >> LOSS_BUCKET_SHIFT */
};
enum { LOSS_BUCKET_SHIFT = 27 }; /* 134 ms */

struct losses_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct loss_key);
	__type(value, u64);
};
extern struct losses_map losses SEC(".maps");

extern const volatile struct config config;
extern struct control control;

/* Hides a value's history from the compiler, which otherwise drops a mask that it knows to be needless and the verifier
 * does not: "R2 unbounded memory access". */
#define bounded(value, mask)                         \
	({                                           \
		__typeof__(value) bounded_ = (value); \
		asm volatile("" : "+r"(bounded_));   \
		bounded_ &= (mask);                  \
		bounded_;                            \
	})

static __always_inline u32 current_tid(void)
{
	return (u32)bpf_get_current_pid_tgid();
}

static __always_inline struct thread_state *thread_of(u32 tid)
{
	return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct thread_state *thread_of_current(void)
{
	return thread_of(current_tid());
}

static __always_inline void count_kind(u32 kind, u64 sum_ns)
{
	struct kind_count *count = bpf_map_lookup_elem(&kind_counts, &kind);

	if (count) {
		count->count++;
		count->sum_ns += sum_ns;
	}
}

static __noinline int count_loss(u32 kind)
{
	struct kind_count *count = bpf_map_lookup_elem(&kind_counts, &kind);
	struct loss_key key = {.kind = kind, .bucket = (u32)(bpf_ktime_get_ns() >> LOSS_BUCKET_SHIFT)};
	u64 one = 1, *lost;

	if (count)
		count->lost++;
	lost = bpf_map_lookup_elem(&losses, &key);
	if (lost)
		__sync_fetch_and_add(lost, 1);
	else
		bpf_map_update_elem(&losses, &key, &one, BPF_NOEXIST);
	return 0;
}

static __always_inline void fill_header(struct event_header *header, u32 kind, u32 size, u64 time_ns, u32 pid, u32 tid)
{
	header->time_ns = time_ns;
	header->pid = pid;
	header->tid = tid;
	header->kind = (u16)kind;
	header->cpu = (u16)bpf_get_smp_processor_id();
	header->size = size;
}

#define EVENT_FIXED_SIZE(name) __builtin_offsetof(struct event_##name, tail)

/* Reserves a record of kind `NAME` with a tail of `tail_size` (a constant); NULL, counted as lost, when the ring is full. */
#define event_reserve(name, NAME, tail_size, time_ns, pid, tid, sum_ns)                                               \
	({                                                                                                            \
		struct event_##name *event_ = bpf_ringbuf_reserve(&events, EVENT_FIXED_SIZE(name) + (tail_size), 0); \
		count_kind(EVENT_##NAME, sum_ns);                                                                     \
		if (event_)                                                                                           \
			fill_header(&event_->header, EVENT_##NAME, EVENT_FIXED_SIZE(name) + (tail_size), time_ns, pid, tid); \
		else                                                                                                  \
			count_loss(EVENT_##NAME);                                                                     \
		event_;                                                                                               \
	})

#define event_submit(event) bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP)

/* Where records with a variable tail are put together before they are copied into the ring. Programs that can interrupt
 * one another take different places: `level` is 0 for system calls, 1 for probes in user code, 2 for the scheduler. */
enum { SCRATCH_BYTES = 16384, SCRATCH_LEVELS = 3 };

struct scratch {
	char bytes[SCRATCH_BYTES];
};

struct scratches_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct scratch);
};
extern struct scratches_map scratches SEC(".maps");

static __always_inline void *scratch_at(u32 level)
{
	return bpf_map_lookup_elem(&scratches, &level);
}

/* Copies a record of `size` bytes, put together in a scratch place, into the ring. */
static __always_inline void event_output(struct event_header *header, u64 size, u64 sum_ns)
{
	count_kind(header->kind, sum_ns);
	size = bounded(size, SCRATCH_BYTES - 1);
	header->size = (u32)size;
	if (size < sizeof(struct event_header) || bpf_ringbuf_output(&events, header, size, BPF_RB_NO_WAKEUP) != 0)
		count_loss(header->kind);
}

/* The same record for user space to act on at once, beside the one in `events`. */
#define event_urgent(event, size) bpf_ringbuf_output(&urgent, event, size, BPF_RB_FORCE_WAKEUP)

/* ---- on whose behalf code runs on this CPU: kept by interrupt.bpf.c, read at wakeups ----
 * Never trusted for long: a program that an interrupt meets running is not run for that interrupt, so that an exit may have
 * no entry, or an entry no exit. A context switch proves that no interrupt is being served, and clears it. */
struct cpu_context {
	u32 softirq;	   /* enum context of the software interrupt that is being served, 0: none; they do not nest */
	u32 is_in_handler; /* of a device's interrupt */
	u32 timer_depth;   /* high-resolution timers: one of the software interrupt may be interrupted by a hard one */
	u64 softirq_start_ns, interrupt_start_ns;
};

struct cpu_contexts_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu_context);
};
extern struct cpu_contexts_map cpu_contexts SEC(".maps");

static __always_inline struct cpu_context *cpu_context_get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&cpu_contexts, &zero);
}

static __always_inline void cpu_context_clear(void)
{
	struct cpu_context *cpu = cpu_context_get();

	if (cpu) {
		cpu->softirq = cpu->is_in_handler = cpu->timer_depth = 0;
		cpu->softirq_start_ns = cpu->interrupt_start_ns = 0;
	}
}
