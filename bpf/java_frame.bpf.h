/* BPF side only, for java_stack.bpf.c: one step of a walk, from a frame to its caller, for each kind of frame.
 *
 *   interpreter       frame pointer chain; method and bytecode pointer at fixed words from the frame pointer
 *   compiled, native  fixed frame size, known by the nmethod that holds the program counter
 *   wrapper, stubs
 *   call stub         Java called from C++: a JavaCallWrapper holds the anchor of the Java frame below the C++
 * frames, which are stepped over; no anchor: the thread's first Java frame return barrier    a virtual thread's older
 * frames, still frozen in a StackChunk in the heap; then the carrier's
 *
 * Native frames on top are followed by frame pointer while they lie in libjvm, which keeps it. */
#pragma once

#include "bpf/java_walk.bpf.h"

enum {
	NATIVE_FRAMES_MAX = 16,
	NATIVE_FRAME_BYTES_MAX = 1 << 20, /* between two frame pointers of a chain */
	CHUNKS_MAX = 8,
	ADAPTER_BYTES_MAX = 2048, /* arguments on the stack: 255 words at most */
};

/* False when the record is full. */
static __always_inline bool add_frame(struct java_walk *walk, u64 method, u64 at, u32 type, u32 cookie)
{
	u32 i = walk->frame_count;

	if (i >= walk->frame_limit || i >= JAVA_FRAMES_MAX) {
		walk->end = JAVA_WALK_TRUNCATED;
		return false;
	}
	walk->record.frames[i].method = method;
	walk->record.frames[i].at = at;
	walk->record.frames[i].type = type;
	walk->record.frames[i].cookie = cookie;
	walk->hash = mix(mix(walk->hash, method), at + cookie);
	walk->frame_count = i + 1;
	return true;
}

enum {
	STEP_ON = 0,
	STEP_STOP = 1,	/* the walk's end */
	STEP_PAUSE = 2, /* as many frames as were asked for */
};

static __always_inline int stop(struct java_walk *walk, u32 end)
{
	walk->end = end;
	return STEP_STOP;
}

/* Goes to the caller. */
static __always_inline int go_to(struct java_walk *walk, u64 pc, u64 sp, u64 fp)
{
	if (sp <= walk->sp)
		return stop(walk, JAVA_WALK_NOT_RISING);
	walk->pc = pc;
	walk->sp = sp;
	walk->fp = fp;
	walk->is_top = 0;
	walk->bcp = 0;
	return walk->frame_count >= walk->frame_goal ? STEP_PAUSE : STEP_ON;
}

/* The caller of a frame that ends at `sp`, with the return address and the saved frame pointer right below. In frozen
 * frames the saved one is relative to its own place, in words. */
static __always_inline int go_above(struct java_walk *walk, u64 sp)
{
	if (!stack_read(walk, sp - 16, 2))
		return stop(walk, JAVA_WALK_UNREADABLE);
	if (walk->chunk)
		return go_to(walk, walk->words[1], sp, sp - 16 + 8 * walk->words[0]);
	return go_to(walk, walk->words[1], sp, walk->words[0]);
}

static __always_inline int use_anchor(struct java_walk *walk)
{
	walk->is_anchor_used = 1;
	/* Native wrappers may leave the pc out: it is then the word below the stack pointer. */
	return go_to(walk, walk->anchor_pc ? walk->anchor_pc : java_read_word(walk->anchor_sp - 8), walk->anchor_sp,
		     walk->anchor_fp);
}

/* Word 8 of `words` is the one at the frame pointer. */
enum { WORD_AT_FP = 8 };

static __always_inline u64 slot_word(const struct java_walk *walk, i32 slot)
{
	u32 index = (u32)(slot + WORD_AT_FP);

	return index < 10 ? walk->words[index] : 0;
}

static __always_inline int step_interpreted(struct java_walk *walk, const struct hotspot_bpf_config *config)
{
	u64 const_method, method, at, sender_sp, sender_fp;

	if (!stack_read(walk, walk->fp - 8 * WORD_AT_FP, 10))
		return stop(walk, JAVA_WALK_UNREADABLE);
	method = slot_word(walk, config->interpreter_method_slot);
	at = bytecode_index(walk, config, method,
			    walk->bcp ? walk->bcp : slot_word(walk, config->interpreter_bcp_slot), &const_method);
	if (!const_method) {
		/* A method's entry before its frame is built, called from compiled code: only the return address is
		 * there. */
		if (walk->is_top)
			return go_to(walk, java_read_word(walk->sp), walk->sp + 8, walk->fp);
		return stop(walk, JAVA_WALK_UNREADABLE);
	}
	/* Between two bytecodes the register may hold something else. */
	if (walk->bcp && at == ~0ull)
		at = bytecode_index(walk, config, method, slot_word(walk, config->interpreter_bcp_slot),
				    &const_method);
	if (!add_frame(walk, method, at, CODE_INTERPRETED, (u32)(const_method >> 3)))
		return STEP_STOP;
	sender_sp = slot_word(walk, config->interpreter_sender_sp_slot);
	sender_fp = walk->words[WORD_AT_FP];
	if (walk->chunk) {
		sender_sp = walk->fp + 8 * sender_sp;
		sender_fp = walk->fp + 8 * sender_fp;
	}
	return go_to(walk, walk->words[WORD_AT_FP + 1], sender_sp, sender_fp);
}

#if defined(__TARGET_ARCH_x86)
enum {
	PUSH_FP = 0x55,
	POP_FP = 0x5d,
	RETURN = 0xc3,
	JUMP = 0xe9,
	CODE_BEFORE = 40, /* bytes from the making of a frame to where it counts as complete: at most 33 were seen */
};

/* Was the frame's room taken (`sub rsp, N`)? Between that and its being called complete stand the storing of the
 * frame pointer, padding, and the entry barrier. */
static __always_inline bool is_room_taken(const u8 *code)
{
	for (int i = -CODE_BEFORE; i <= -4; i++)
		if (code[i] == 0x48 && (code[i + 1] == 0x83 || code[i + 1] == 0x81) && code[i + 2] == 0xec)
			return true;
	return false;
}

/* `mov rbp, rsp` behind the push of rbp. */
static __always_inline bool is_frame_pointer_set(const u8 *code)
{
	return code[-4] == PUSH_FP && code[-3] == 0x48 && code[-2] == 0x8b && code[-1] == 0xec;
}

/* Between the pop of the frame pointer and the return: the safepoint poll. By release `test [rip + offset], eax`; or
 * `mov r10, [r15 + offset]` and `test [r10], eax`; or `cmp rsp, [r15 + offset]` (of 4 or 7 bytes) and `ja`. */
static __always_inline bool is_poll_before_return(const u8 *code)
{
	if (code[-1] == POP_FP)
		return (code[0] == 0x85 && code[1] == 0x05) ||
		       (code[0] == 0x4d && code[1] == 0x8b && code[2] == 0x97) ||
		       (code[0] == 0x49 && code[1] == 0x3b && (code[2] & 0x3f) == 0x27);
	if (code[0] == 0x41 && code[1] == 0x85 && code[2] == 0x02)
		return code[-8] == POP_FP && code[-7] == 0x4d && code[-6] == 0x8b;
	if (code[0] == 0x0f && code[1] == 0x87)
		return (code[-8] == POP_FP && code[-7] == 0x49 && code[-6] == 0x3b) ||
		       (code[-5] == POP_FP && code[-4] == 0x49 && code[-3] == 0x3b);
	return false;
}

/* Where an interrupted frame's return address is when the frame is not whole: in the prologue up to the push of the
 * frame pointer, and in the epilogue from its pop on. 0: the frame is whole. 1: at the stack pointer. 2: one word
 * above. */
static __always_inline u32 frame_words_left(struct java_walk *walk)
{
	const u8 *code = (u8 *)walk->words + CODE_BEFORE; /* what stands at the pc, and before it */

	if (!java_read(walk->words, CODE_BEFORE + 8, walk->pc - CODE_BEFORE))
		return 0;
	if (walk->pc - walk->code.code_begin < walk->code.frame_complete &&
	    walk->code.frame_complete < walk->code.code_end - walk->code.code_begin) {
		if (code[-1] == PUSH_FP || is_frame_pointer_set(code))
			return 2;
		return is_room_taken(code) ? 0 : 1;
	}
	if (code[0] == POP_FP)
		return 2;
	/* A method that ends with an exception jumps to the code that looks for its handler. */
	if (code[0] == RETURN || (code[0] == JUMP && code[-1] == POP_FP))
		return 1;
	return is_poll_before_return(code) ? 1 : 0;
}
#else
/* Not told apart: an interrupted prologue or epilogue ends the walk early, and is counted. */
static __always_inline u32 frame_words_left(struct java_walk *walk)
{
	return 0;
}
#endif

static __always_inline int step_compiled(struct java_walk *walk)
{
	u32 words_left = walk->is_top ? frame_words_left(walk) : 0;
	u64 pc = walk->pc;

	if ((pc == walk->code.deopt_pc || pc == walk->code.deopt_mh_pc) && !walk->is_top)
		pc = java_read_word(walk->sp + walk->code.original_pc);
	if (!add_frame(walk, walk->code.blob, pc, walk->code.type, walk->code.compile_id))
		return STEP_STOP;
	if (words_left == 1)
		return go_to(walk, java_read_word(walk->sp), walk->sp + 8, walk->fp);
	if (words_left == 2)
		return go_above(walk, walk->sp + 16);
	return go_above(walk, walk->sp + walk->code.frame_bytes);
}

/* An adapter between interpreted and compiled code leaves the return address on top, and the caller's stack pointer
 * in the register that is otherwise the bytecode pointer: arguments may lie between. */
static __always_inline int step_adapter(struct java_walk *walk)
{
	u64 sp = walk->sp + 8;

	if (walk->bcp > walk->sp && walk->bcp - walk->sp <= ADAPTER_BYTES_MAX)
		sp = walk->bcp;
	return go_to(walk, java_read_word(walk->sp), sp, walk->fp);
}

/* The method entry barrier has all ones between its frame pointer and its return address. */
static __always_inline int step_by_frame_pointer(struct java_walk *walk)
{
	if (!stack_read(walk, walk->fp, 3))
		return stop(walk, JAVA_WALK_UNREADABLE);
	if (walk->words[1] == ~0ull)
		return go_to(walk, walk->words[2], walk->fp + 24, walk->words[0]);
	return go_to(walk, walk->words[1], walk->fp + 16, walk->words[0]);
}

static __always_inline int step_stub(struct java_walk *walk, const struct hotspot_process *process)
{
	u32 words_left = walk->is_top ? frame_words_left(walk) : 0;

	/* A stub is shown where it was interrupted; between Java frames it would say nothing that they do not. */
	if (walk->is_top && !add_frame(walk, walk->code.blob, walk->pc, CODE_STUB, 0))
		return STEP_STOP;
	if (walk->code.kind == BLOB_ADAPTER)
		return step_adapter(walk);
	if (walk->code.kind == BLOB_VTABLE || words_left == 1)
		return go_to(walk, java_read_word(walk->sp), walk->sp + 8, walk->fp);
	if (words_left == 2)
		return go_above(walk, walk->sp + 16);
	/* A stub of fixed size; else, or where it has pushed or popped more by now, one with a frame pointer. */
	if (walk->code.frame_bytes && (i32)walk->code.frame_bytes > 0 &&
	    (!walk->is_top || is_in_code(process, java_read_word(walk->sp + walk->code.frame_bytes - 8))))
		return go_above(walk, walk->sp + walk->code.frame_bytes);
	return step_by_frame_pointer(walk);
}

/* Stack pointer, program counter and frame pointer of an anchor: by one read where they lie together, as in all
 * releases so far. */
static __always_inline void read_anchor_words(u64 *words, u64 object, u32 sp, u32 pc, u32 fp)
{
	if (pc == sp + 8 && fp == sp + 16) {
		java_read(words, 24, object + sp);
	} else {
		words[0] = java_read_word(object + sp);
		words[1] = java_read_word(object + pc);
		words[2] = java_read_word(object + fp);
	}
}

/* Java called from C++: the wrapper's anchor is the Java frame that called into C++. */
static __always_inline int step_entry(struct java_walk *walk, const struct hotspot_bpf_config *config)
{
	u64 wrapper, anchor[3] = {};

	if (!stack_read(walk, walk->fp + 8 * (i64)config->entry_wrapper_slot, 1))
		return stop(walk, JAVA_WALK_UNREADABLE);
	wrapper = walk->words[0];
	if (!wrapper)
		return stop(walk, JAVA_WALK_UNREADABLE);
	read_anchor_words(anchor, wrapper, config->wrapper_anchor_sp, config->wrapper_anchor_pc,
			  config->wrapper_anchor_fp);
	if (!anchor[0])
		return stop(walk, JAVA_WALK_COMPLETE);
	return go_to(walk, anchor[1] ? anchor[1] : java_read_word(anchor[0] - 8), anchor[0], anchor[2]);
}

/* ---- frozen frames of a virtual thread ---- */

/* The reference in a field of an object. This and the next are functions of their own for the verifier's sake: it checks each once,
 * not once for each round of a loop, each caller and each way that leads there. */
__noinline u64 java_reference(u32 place, u64 address)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process = walk ? process_of(walk) : NULL;
	const struct hotspot_bpf_config *config;
	u64 reference, globals, shift;

	if (!process)
		return 0;
	config = &process->config;
	if (java_read_flag(config->use_compressed_oops_address)) {
		reference = java_read_int(address);
		if (!reference)
			return 0;
		return java_read_word(config->oop_base_address) +
		       (reference << (java_read_int(config->oop_shift_address) & 63));
	}
	reference = java_read_word(address);
	/* Generational ZGC keeps marks in the low bits. */
	globals = java_read_word(config->z_globals_address);
	if (globals && config->z_load_shift != HOTSPOT_ABSENT) {
		shift = java_read_word(java_read_word(globals + config->z_load_shift));
		reference >>= shift & 63;
	}
	return reference;
}

/* Whether a chunk holds frames: then the walk stands in it, its first frame's place in walk->words. */
__noinline int java_chunk_take(u32 place, u64 chunk)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process = walk ? process_of(walk) : NULL;
	u64 stack;
	u32 sp, bottom;

	if (!process)
		return 0;
	stack = chunk + java_read_int(process->config.chunk_stack_address);
	sp = java_read_int(chunk + java_read_int(process->config.chunk_sp_address));
	bottom = java_read_int(chunk + java_read_int(process->config.chunk_bottom_address));
	if (sp >= bottom)
		return 0;
	walk->chunk = chunk;
	walk->chunk_end = stack + 8ull * bottom;
	walk->flags |= STACK_FROZEN;
	/* The heap may lie above or below the thread's stack. */
	walk->sp = 0;
	walk->words[0] = stack + 8ull * sp;
	return 1;
}

/* Goes on in the first chunk of the chain that holds frames; behind the last one, in the carrier's frame that entered
 * the continuation. */
__noinline int java_enter_chunk(u32 place, u64 chunk)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process;
	const struct hotspot_bpf_config *config;
	int is_taken = 0;

	if (!walk)
		return STEP_STOP;
	process = process_of(walk);
	if (!process)
		return STEP_STOP;
	config = &process->config;
	for (u32 i = 0; i < CHUNKS_MAX && chunk; i++) {
		is_taken = java_chunk_take(place, chunk);
		if (is_taken)
			break;
		chunk = java_reference(place, chunk + java_read_int(config->chunk_parent_address));
	}
	if (is_taken)
		return go_above(walk, walk->words[0]);
	if (chunk)
		return stop(walk, JAVA_WALK_FROZEN);
	walk->chunk = 0;
	walk->sp = 0;
	return go_to(walk, process->entry_return_pc, walk->entry, 0);
}

static __always_inline int step_barrier(struct java_walk *walk, u32 place, const struct hotspot_bpf_config *config)
{
	u64 continuation;

	walk->flags |= STACK_VIRTUAL;
	/* Once: a nested continuation's entry would be another one than the thread's. */
	if (!(config->abilities & HOTSPOT_CAN_WALK_FROZEN) || walk->entry)
		return stop(walk, JAVA_WALK_FROZEN);
	/* The entry lies right above the last frame that was thawed, unless that was called with arguments on the
	 * stack. */
	walk->entry = walk->sp;
	if (walk->thread && config->thread_continuation != HOTSPOT_ABSENT)
		walk->entry = java_read_word(walk->thread + config->thread_continuation);
	continuation = walk->entry ? java_read_word(walk->entry + config->entry_continuation) : 0;
	if (!continuation)
		return stop(walk, JAVA_WALK_FROZEN);
	return java_enter_chunk(
		place, java_reference(place, continuation + java_read_int(config->continuation_tail_address)));
}

/* ---- one step: from a frame to its caller ---- */

__noinline int java_walk_step(u32 place)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process;

	if (!walk)
		return STEP_STOP;
	process = process_of(walk);
	if (!process)
		return STEP_STOP;
	if (walk->chunk && walk->sp >= walk->chunk_end)
		return java_enter_chunk(
			place, java_reference(place, walk->chunk + java_read_int(process->config.chunk_parent_address)));
	if (walk->pc == process->call_stub_return)
		return step_entry(walk, &process->config);
	if (walk->pc == process->return_barrier && walk->pc)
		return step_barrier(walk, place, &process->config);
	if ((walk->pc < walk->code.code_begin || walk->pc >= walk->code.code_end) && !java_find_code(place)) {
		/* A stub that C++ called: the Java frames below are known by the anchor. */
		if (!walk->is_anchor_used && walk->anchor_sp > walk->sp)
			return use_anchor(walk);
		return stop(walk, JAVA_WALK_NO_CODE);
	}
	/* Continuation.enterSpecial: the carrier's frames follow. */
	if (process->entry_return_pc >= walk->code.code_begin && process->entry_return_pc < walk->code.code_end)
		walk->flags |= STACK_VIRTUAL;
	if (walk->code.type == CODE_INTERPRETED)
		return step_interpreted(walk, &process->config);
	if (walk->code.type != CODE_STUB)
		return step_compiled(walk);
	return step_stub(walk, process);
}

/* ---- native frames on top ---- */

static __always_inline u32 native_type(const struct hotspot_process *process, u64 pc)
{
	return pc >= process->config.text_start && pc < process->config.text_end ? CODE_VM : CODE_NATIVE;
}

enum {
	NATIVE_ON = 0,
	NATIVE_END,  /* no further frame pointer of libjvm */
	NATIVE_JAVA, /* the caller, in walk->words, is compiled code */
	NATIVE_FULL, /* the record is full */
};

/* Reads the frame at `fp` into walk->words and adds its caller, where that is in libjvm. A function of its own, for the verifier to
 * check it once. */
__noinline int java_native_frame(u32 place, u64 fp, u64 top)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process;

	if (!walk)
		return NATIVE_END;
	process = process_of(walk);
	if (!process)
		return NATIVE_END;
	if (fp < top || fp - top > NATIVE_FRAME_BYTES_MAX || (fp & 7) || (walk->anchor_sp && fp >= walk->anchor_sp) ||
	    !java_read(walk->words, 16, fp))
		return NATIVE_END;
	if (!walk->anchor_sp && is_in_code(process, walk->words[1]))
		return NATIVE_JAVA;
	if (native_type(process, walk->words[1]) != CODE_VM)
		return NATIVE_END;
	return add_frame(walk, 0, walk->words[1], CODE_VM, 0) ? NATIVE_ON : NATIVE_FULL;
}

/* Adds the native frames above the last Java frame, and leaves the walk at that frame: by the anchor, or where a leaf
 * function without one was called from compiled code, at its return address. Stops where there is no Java frame. */
__noinline int java_native_top(u32 place)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process;
	u64 fp, top;
	int found = NATIVE_ON;

	if (!walk)
		return STEP_STOP;
	process = process_of(walk);
	if (!process)
		return STEP_STOP;
	if (!add_frame(walk, 0, walk->pc, native_type(process, walk->pc), 0))
		return STEP_STOP;
	fp = walk->fp;
	top = walk->sp;
	for (u32 i = 0; i < NATIVE_FRAMES_MAX; i++) {
		found = java_native_frame(place, fp, top);
		if (found != NATIVE_ON)
			break;
		top = fp + 16;
		fp = walk->words[0];
	}
	if (found == NATIVE_JAVA)
		return go_to(walk, walk->words[1], fp + 16, walk->words[0]);
	if (found == NATIVE_FULL)
		return STEP_STOP;
	if (!walk->anchor_sp)
		return stop(walk, JAVA_WALK_NO_FRAME);
	return use_anchor(walk);
}
