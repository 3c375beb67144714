/* Walks the stacks of HotSpot's threads, and names each stack by a hash.
 *
 * A walk starts at the last Java frame: either where a VM function or native method was called from (the thread's
 * anchor), or at registers that lie in the code cache. java_frame.bpf.h goes from there to the thread's first frame.
 *
 * For the verifier: all state is in a map's value, not on the BPF stack, and each step is a global function of
 * scalars, so it is verified once, however often a (bounded) loop calls it. That needs neither bpf_loop nor
 * unrolling. */
#include "bpf/java_frame.bpf.h"

enum {
	JAVA_FRAMES_OF_REGISTERS = 256, /* of a sample's or a switch's stack: interrupts are off meanwhile */
	JAVA_TOP_FRAMES = 10,		/* name an exception's place; the first three to six are its constructors */
	JAVA_STEPS_MAX = 640,		/* frames, and what is stepped over between them */
	JAVA_STEPS_AT_ONCE = 32,
	STACKS_SEEN = 65536,
	EXCEPTIONS_SEEN = 16384,
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, STACKS_SEEN);
	__type(key, u64);
	__type(value, u8);
} java_stacks_seen SEC(".maps");

struct exception_seen {
	u64 stack_id;
	u64 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, EXCEPTIONS_SEEN);
	__type(key, u64);
	__type(value, struct exception_seen);
} java_exceptions_seen SEC(".maps");

struct hotspot_processes_map hotspot_processes SEC(".maps");
struct hotspot_slots_map hotspot_slots SEC(".maps");
struct java_walk_ends_map java_walk_ends SEC(".maps");

/* Every exception's stack is walked to its end: for tests that compare each one. */
const volatile bool java_stacks_are_exact = false;

/* ---- whole walks ---- */

enum { NO_PLACE = JAVA_WALKS };

/* Takes a scratch place of this CPU for a walk of the current thread. No atomic operation: what interrupts us on this
 * CPU either ends before we go on, or is another task, which then differs in `owner`. */
static __always_inline u32 walk_begin(u32 slot_of_process)
{
	u64 owner = bpf_get_current_pid_tgid();

	for (u32 place = 0; place < JAVA_WALKS; place++) {
		struct java_walk *walk = walk_at(place);

		if (!walk || walk->is_busy)
			continue;
		walk->is_busy = 1;
		walk->owner = owner;
		walk->slot_of_process = slot_of_process;
		walk->bcp = walk->thread = walk->anchor_sp = walk->anchor_pc = walk->anchor_fp = 0;
		walk->chunk = walk->chunk_end = walk->entry = walk->window_start = 0;
		walk->code.code_begin = walk->code.code_end = 0;
		walk->sp = 0;
		walk->is_top = walk->is_anchor_used = 0;
		walk->frame_count = walk->flags = 0;
		walk->frame_limit = walk->frame_goal = JAVA_FRAMES_MAX;
		walk->end = JAVA_WALK_TRUNCATED;
		walk->hash = mix(0, owner >> 32);
		return place;
	}
	return NO_PLACE;
}

static __always_inline void count_end(u32 end)
{
	u64 *count = bpf_map_lookup_elem(&java_walk_ends, &end);

	if (count)
		(*count)++;
}

static __always_inline void read_anchor(struct java_walk *walk, const struct hotspot_bpf_config *config)
{
	u64 anchor[3] = {};

	read_anchor_words(anchor, walk->thread, config->thread_anchor_sp, config->thread_anchor_pc,
			  config->thread_anchor_fp);
	walk->anchor_sp = anchor[0];
	walk->anchor_pc = anchor[1];
	walk->anchor_fp = anchor[2];
}

static __always_inline void emit_stack(struct java_walk *walk, u64 id)
{
	u32 count = walk->frame_count;
	u64 bytes;
	u8 seen = 1;

	if (count > JAVA_FRAMES_MAX)
		return;
	/* A shift and a compare that the compiler cannot fold, for the verifier to know the bound at the call. */
	bytes = EVENT_FIXED_SIZE(stack) + (u64)count * sizeof(struct stack_frame);
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(walk->record))
		return;
	fill_header(&walk->record.header, EVENT_STACK, (u32)bytes, bpf_ktime_get_ns(), (u32)(walk->owner >> 32),
		    (u32)walk->owner);
	walk->record.stack_id = id;
	walk->record.frame_count = count;
	walk->record.flags = walk->flags;
	count_kind(EVENT_STACK, 0);
	if (bpf_ringbuf_output(&events, &walk->record, bytes, BPF_RB_NO_WAKEUP) != 0)
		count_loss(EVENT_STACK);
	else
		bpf_map_update_elem(&java_stacks_seen, &id, &seen, BPF_ANY);
}

/* Ends a walk, gives its place back and returns the stack's id. */
__noinline u64 java_walk_finish(u32 place)
{
	struct java_walk *walk = walk_at(place);
	u64 id = 0;

	if (!walk)
		return 0;
	if (walk->owner != bpf_get_current_pid_tgid()) {
		count_end(JAVA_WALK_NO_ROOM);
		return 0;
	}
	count_end(walk->end == JAVA_WALK_TRUNCATED && walk->frame_limit < JAVA_FRAMES_OF_REGISTERS ? JAVA_WALK_LIMITED
												    : walk->end);
	if (walk->end == JAVA_WALK_TRUNCATED)
		walk->flags |= STACK_TRUNCATED;
	else if (walk->end != JAVA_WALK_COMPLETE && walk->end != JAVA_WALK_NO_FRAME)
		walk->flags |= STACK_BROKEN;
	if (walk->frame_count) {
		/* Even, and not 0: the lowest bit has a meaning of its own for exceptions. */
		id = mix(walk->hash, walk->flags) & ~1ull;
		if (!id)
			id = 2;
		if (!bpf_map_lookup_elem(&java_stacks_seen, &id))
			emit_stack(walk, id);
	}
	walk->is_busy = 0;
	return id;
}

static __always_inline u32 *slot_of_current(void)
{
	u32 pid = (u32)(bpf_get_current_pid_tgid() >> 32);

	return bpf_map_lookup_elem(&hotspot_slots, &pid);
}

/* Starts a walk at the anchor of a JavaThread, given by itself or by its JNI environment, and remembers whose it is.
 */
static __always_inline u32 begin_at_anchor(u64 java_thread, u64 env)
{
	struct thread_state *thread = thread_of_current();
	struct hotspot_process *process;
	struct java_walk *walk;
	u32 *slot = slot_of_current(), place;
	u32 key;

	if (!slot || !java_process_prepare(*slot))
		return NO_PLACE;
	key = *slot;
	process = bpf_map_lookup_elem(&hotspot_processes, &key);
	if (!process)
		return NO_PLACE;
	place = walk_begin(key);
	walk = walk_at(place);
	if (!walk) {
		count_end(JAVA_WALK_NO_ROOM);
		return NO_PLACE;
	}
	walk->thread = env ? env - process->config.env_to_thread : java_thread;
	if (thread)
		thread->java_thread = walk->thread;
	read_anchor(walk, &process->config);
	if (!walk->anchor_sp)
		walk->end = JAVA_WALK_NO_FRAME;
	else
		use_anchor(walk);
	return place;
}

static __always_inline bool has_java_frame(u32 place)
{
	struct java_walk *walk = walk_at(place);

	return walk && walk->end != JAVA_WALK_NO_FRAME;
}

/* So many steps, or to the first that is not STEP_ON. */
__noinline int java_walk_some(u32 place)
{
	for (u32 i = 0; i < JAVA_STEPS_AT_ONCE; i++) {
		int step = java_walk_step(place);

		if (step != STEP_ON)
			return step;
	}
	return STEP_ON;
}

/* Walks until `frames` are known, or to the stack's end, which is STEP_STOP. Two loops, each in a function that the verifier
 * checks by itself: it follows each round of a loop, and one of 640 in each caller was a third of its work. */
__noinline int java_walk_on(u32 place, u32 frames)
{
	struct java_walk *walk = walk_at(place);

	if (!walk)
		return STEP_STOP;
	walk->frame_goal = frames;
	for (u32 i = 0; i < JAVA_STEPS_MAX / JAVA_STEPS_AT_ONCE; i++) {
		int step = java_walk_some(place);

		if (step != STEP_ON)
			return step;
	}
	return STEP_STOP;
}

__noinline u64 java_stack_of_env(u64 env)
{
	u32 place = begin_at_anchor(0, env);

	if (place >= JAVA_WALKS)
		return 0;
	if (has_java_frame(place))
		java_walk_on(place, JAVA_FRAMES_MAX + 1);
	return java_walk_finish(place);
}

__noinline u64 java_stack_of_thread(u64 java_thread, u32 frames)
{
	u32 place = java_thread ? begin_at_anchor(java_thread, 0) : NO_PLACE;
	struct java_walk *walk = walk_at(place);

	if (place >= JAVA_WALKS || !walk)
		return 0;
	walk->frame_limit = frames < JAVA_FRAMES_MAX ? frames : JAVA_FRAMES_MAX;
	if (has_java_frame(place))
		java_walk_on(place, JAVA_FRAMES_MAX + 1);
	return java_walk_finish(place);
}

static __always_inline void release(u32 place)
{
	struct java_walk *walk = walk_at(place);

	if (walk)
		walk->is_busy = 0;
}

__noinline u64 java_stack_of_exception(u64 env, u64 klass)
{
	u32 place = begin_at_anchor(0, env);
	struct java_walk *walk = walk_at(place);
	struct exception_seen *seen, fresh = {};
	u64 key, id;

	if (place >= JAVA_WALKS || !walk)
		return 0;
	if (!has_java_frame(place) || java_walk_on(place, JAVA_TOP_FRAMES) == STEP_STOP)
		return java_walk_finish(place);
	key = mix(walk->hash, klass);
	seen = bpf_map_lookup_elem(&java_exceptions_seen, &key);
	if (seen && !java_stacks_are_exact) {
		u64 count = ++seen->count;

		id = seen->stack_id;
		if (id && (count & (count - 1))) {
			release(place);
			return id | 1;
		}
	}
	java_walk_on(place, JAVA_FRAMES_MAX + 1);
	id = java_walk_finish(place);
	if (seen) {
		seen->stack_id = id;
	} else {
		fresh.stack_id = id;
		fresh.count = 1;
		bpf_map_update_elem(&java_exceptions_seen, &key, &fresh, BPF_ANY);
	}
	return id;
}

/* Reads the anchor of a thread that may be none, or no JavaThread (collectors' and compilers' threads begin with the
 * same fields): its stack must hold the stack pointer, and the anchor must lie in it and lead into code. */
static __always_inline void take_thread(struct java_walk *walk, const struct hotspot_process *process, u64 thread)
{
	const struct hotspot_bpf_config *config = &process->config;
	u64 base, size, pc;

	if (!thread || config->thread_stack_base == HOTSPOT_ABSENT || config->thread_stack_size == HOTSPOT_ABSENT)
		return;
	base = java_read_word(thread + config->thread_stack_base);
	size = java_read_word(thread + config->thread_stack_size);
	if (walk->sp >= base || base - walk->sp > size)
		return;
	walk->thread = thread;
	read_anchor(walk, config);
	pc = walk->anchor_pc ? walk->anchor_pc : java_read_word(walk->anchor_sp - 8);
	if (walk->anchor_sp <= walk->sp || walk->anchor_sp >= base || !is_in_code(process, pc))
		walk->anchor_sp = 0;
}

__noinline u64 java_stack_of_registers(u64 pc, u64 sp, u64 fp, u64 bcp, u64 thread)
{
	struct hotspot_process *process;
	struct java_walk *walk;
	u32 *slot = slot_of_current(), place;
	u32 key;
	bool is_java;

	if (!slot || !java_process_prepare(*slot))
		return 0;
	key = *slot;
	process = bpf_map_lookup_elem(&hotspot_processes, &key);
	if (!process)
		return 0;
	place = walk_begin(key);
	walk = walk_at(place);
	if (!walk) {
		count_end(JAVA_WALK_NO_ROOM);
		return 0;
	}
	walk->frame_limit = JAVA_FRAMES_OF_REGISTERS;
	walk->pc = pc;
	walk->sp = sp;
	walk->fp = fp;
	is_java = is_in_code(process, pc);
	take_thread(walk, process, thread);
	walk->is_top = 1;
	walk->bcp = bcp;
	if (is_java || java_native_top(place) != STEP_STOP)
		java_walk_on(place, JAVA_FRAMES_OF_REGISTERS + 1);
	return java_walk_finish(place);
}

__noinline u32 java_code_type(u64 pc)
{
	struct hotspot_process *process;
	struct java_walk *walk;
	u32 *slot = slot_of_current(), place, type;
	u32 key;

	if (!slot)
		return CODE_NATIVE;
	key = *slot;
	process = bpf_map_lookup_elem(&hotspot_processes, &key);
	if (!process)
		return CODE_NATIVE;
	if (!java_process_prepare(key) || !is_in_code(process, pc))
		return native_type(process, pc);
	place = walk_begin(key);
	walk = walk_at(place);
	if (!walk)
		return CODE_UNKNOWN;
	walk->pc = pc;
	type = java_find_code(place) ? walk->code.type : CODE_UNKNOWN;
	walk->is_busy = 0;
	return type;
}
