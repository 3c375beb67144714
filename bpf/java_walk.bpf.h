/* BPF side only, for java_stack.bpf.c: the state of a walk, and its readings of code cache and stack.
 *
 * A read of user memory costs about 60 ns whatever its size, and is most of a walk's price. So the stack is read in
 * windows that hold several frames, and what was found about a code address or a method is kept, per CPU, in tables
 * of fixed size (each address has one place; an entry carries a check sum, since a walk can be interrupted by another
 * while it writes). */
#pragma once

#include "bpf/java_stack.bpf.h"

enum {
	JAVA_FRAMES_MAX = 512, /* of one STACK record */
	JAVA_WALKS = 4,	       /* walks that can interrupt one another on a CPU */
	STACK_WINDOW_WORDS = 96,
	SEGMENT_STEPS_MAX = 24,
	SEGMENT_FREE = 0xff,
	BLOBS_KEPT = 1024, /* powers of two */
	METHODS_KEPT = 512,
};

/* The first four bytes of a blob's name, which is how kinds differ in every release. */
enum blob_name {
	BLOB_NMETHOD = 0x74656d6e,     /* "nmethod" */
	BLOB_NATIVE = 0x6974616e,      /* "native nmethod" */
	BLOB_INTERPRETER = 0x65746e49, /* "Interpreter" */
	BLOB_VTABLE = 0x62617476,      /* "vtable chunks" */
	BLOB_ADAPTER = 0x2f433249,     /* "I2C/C2I adapters" */
};

struct stack_record {
	struct event_header header;
	u64 stack_id;
	u32 frame_count;
	u32 flags;
	struct stack_frame frames[JAVA_FRAMES_MAX];
};
_Static_assert(__builtin_offsetof(struct stack_record, frames) == EVENT_FIXED_SIZE(stack), "a STACK record's layout");

/* What the code cache says about an address. */
struct java_code {
	u64 blob, code_begin, code_end, deopt_pc, deopt_mh_pc;
	u32 kind, type; /* enum blob_name, enum code_type */
	u32 frame_bytes, frame_complete, original_pc, compile_id;
};

struct java_walk {
	u64 pc, sp, fp;
	u64 bcp; /* the interrupted interpreter's register; 0: not at registers */
	u64 thread;
	u64 anchor_sp, anchor_pc, anchor_fp;
	u64 chunk, chunk_end; /* of frozen frames; 0: on the thread's stack */
	u64 entry;	      /* the ContinuationEntry that they belong to */
	u64 hash;
	u64 owner; /* whose walk this is: another task on this CPU may have taken the place */
	struct java_code code;
	u32 slot_of_process;
	u32 is_busy, is_top, is_anchor_used;
	u32 frame_limit, frame_goal, frame_count, flags, end;
	u32 unused;

	u64 window_start;
	u64 window[STACK_WINDOW_WORDS];
	u64 words[10];
	u8 blob_bytes[HOTSPOT_BLOB_BYTES + 8];
	u8 nmethod_bytes[HOTSPOT_NMETHOD_BYTES + 8];
	struct stack_record record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, JAVA_WALKS);
	__type(key, u32);
	__type(value, struct java_walk);
} java_walks SEC(".maps");

struct kept_code {
	u64 key, check;
	struct java_code code;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, BLOBS_KEPT);
	__type(key, u32);
	__type(value, struct kept_code);
} java_code_kept SEC(".maps");

struct kept_method {
	u64 key, const_method, check;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, METHODS_KEPT);
	__type(key, u32);
	__type(value, struct kept_method);
} java_methods_kept SEC(".maps");

static __always_inline struct java_walk *walk_at(u32 place)
{
	return bpf_map_lookup_elem(&java_walks, &place);
}

static __always_inline struct hotspot_process *process_of(const struct java_walk *walk)
{
	u32 key = walk->slot_of_process;

	return bpf_map_lookup_elem(&hotspot_processes, &key);
}

static __always_inline u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ (hash >> 29);
}

/* An address of one process: user addresses leave the top byte free. */
static __always_inline u64 key_of(const struct java_walk *walk, u64 address)
{
	return address ^ ((u64)(walk->slot_of_process + 1) << 56);
}

/* ---- the stack ---- */

/* Copies `count` (a constant, up to 10) words of the stack into walk->words. */
static __always_inline bool stack_read(struct java_walk *walk, u64 address, u32 count)
{
	const u32 last = (STACK_WINDOW_WORDS - count) * 8;
	u64 offset = address - walk->window_start;

	if (address & 7)
		return false;
	if (offset > last) {
		if (!java_read(walk->window, sizeof(walk->window), address)) {
			/* The window reaches beyond the stack's end. */
			walk->window_start = 0;
			return java_read(walk->words, count * 8, address);
		}
		walk->window_start = address;
		offset = 0;
	}
	/* Keeps the bound in the register that is used, for the verifier. */
	asm volatile("" : "+r"(offset));
	if (offset > last)
		return false;
	for (u32 i = 0; i < count; i++)
		walk->words[i] = *(u64 *)((char *)walk->window + offset + 8 * i);
	return true;
}

/* ---- the VM's unchanging values ---- */

__noinline int java_heap_prepare(u32 slot, u32 index, u64 heap)
{
	struct hotspot_process *process = bpf_map_lookup_elem(&hotspot_processes, &slot);

	if (!process || !heap || index >= HOTSPOT_HEAPS)
		return 0;
	process->heaps[index].low = java_read_word(heap + process->config.heap_low);
	process->heaps[index].high = java_read_word(heap + process->config.heap_high);
	process->heaps[index].segment_map = java_read_word(heap + process->config.heap_segment_map);
	process->heap_segment_shift = java_read_int(heap + process->config.heap_segment_shift);
	return 0;
}

/* Reads them once the call stub exists: the list of code heaps grows before. 1 when they are there. Several CPUs may
 * do this at the same time and write the same values. */
__noinline int java_process_prepare(u32 slot)
{
	struct hotspot_process *process = bpf_map_lookup_elem(&hotspot_processes, &slot);
	u64 list, data, count = 1;

	if (!process || !(process->config.abilities & HOTSPOT_CAN_WALK))
		return 0;
	/* These two come when the VM sets up its first virtual thread. */
	if (!process->entry_return_pc && process->config.entry_return_pc_address) {
		process->return_barrier = java_read_word(process->config.return_barrier_address);
		process->entry_return_pc = java_read_word(process->config.entry_return_pc_address);
	}
	if (process->is_prepared)
		return 1;
	process->call_stub_return = java_read_word(process->config.call_stub_return_address);
	if (!process->call_stub_return)
		return 0;
	list = java_read_word(process->config.code_heaps_address);
	if (!list)
		return 0;
	if (!process->config.heaps_is_list) {
		java_heap_prepare(slot, 0, list);
	} else {
		count = java_read_int(list + process->config.list_length);
		data = java_read_word(list + process->config.list_data);
		for (u32 i = 0; i < HOTSPOT_HEAPS; i++)
			if (i < count)
				java_heap_prepare(slot, i, java_read_word(data + 8 * i));
	}
	if (!process->heaps[0].high)
		return 0;
	process->is_prepared = 1;
	return 1;
}

/* ---- the code cache ---- */

static __always_inline bool is_in_code(const struct hotspot_process *process, u64 address)
{
	for (u32 i = 0; i < HOTSPOT_HEAPS; i++)
		if (address >= process->heaps[i].low && address < process->heaps[i].high)
			return true;
	return false;
}

/* The segment map holds for each segment how many segments to go back, 0 where a block begins. */
static __always_inline u64 find_block(const struct hotspot_process *process, u64 pc)
{
	u64 low = 0, map = 0, segment;
	u32 shift = process->heap_segment_shift & 31;

	for (u32 i = 0; i < HOTSPOT_HEAPS; i++)
		if (pc >= process->heaps[i].low && pc < process->heaps[i].high) {
			low = process->heaps[i].low;
			map = process->heaps[i].segment_map;
		}
	if (!low)
		return 0;
	segment = (pc - low) >> shift;
	for (u32 step = 0; step < SEGMENT_STEPS_MAX; step++) {
		u8 tag;

		if (!java_read(&tag, sizeof(tag), map + segment) || tag == SEGMENT_FREE)
			return 0;
		if (tag == 0)
			return low + (segment << shift) + process->config.heap_block_size;
		segment -= tag;
	}
	return 0;
}

/* Members of a structure that was copied, by offset from its start. */
static __always_inline u64 blob_word(const struct java_walk *walk, u32 offset)
{
	return offset <= HOTSPOT_BLOB_BYTES ? *(u64 *)(walk->blob_bytes + offset) : 0;
}

static __always_inline u64 nmethod_word(const struct java_walk *walk, const struct hotspot_bpf_config *config,
					u32 offset)
{
	offset -= config->nmethod_part_start;
	return offset <= HOTSPOT_NMETHOD_BYTES ? *(u64 *)(walk->nmethod_bytes + offset) : 0;
}

static __always_inline u64 of_width(u64 value, u32 width_bytes)
{
	return width_bytes == 1 ? (u8)value : width_bytes == 2 ? (u16)value : width_bytes == 4 ? (u32)value : value;
}

/* What a blob is by its name. The addresses of the two commonest names are kept, to spare reading them again. */
static __always_inline u32 kind_of_blob(struct hotspot_process *process, u64 name)
{
	u32 kind = 0;

	if (name && name == process->nmethod_name)
		return BLOB_NMETHOD;
	if (name && name == process->native_name)
		return BLOB_NATIVE;
	if (!java_read(&kind, sizeof(kind), name))
		return 0;
	if (kind == BLOB_NMETHOD)
		process->nmethod_name = name;
	if (kind == BLOB_NATIVE)
		process->native_name = name;
	return kind;
}

/* An address in a blob: in older releases the address itself, since 24 an offset from the blob. */
static __always_inline u64 blob_place(const struct java_walk *walk, u64 value, u32 width_bytes)
{
	return width_bytes == 8 ? value : walk->code.blob + of_width(value, width_bytes);
}

static __always_inline bool read_nmethod(struct java_walk *walk, const struct hotspot_bpf_config *config)
{
	struct java_code *code = &walk->code;
	u32 bytes = config->nmethod_part_bytes;
	u64 level;

	if (!(config->abilities & HOTSPOT_CAN_WALK_COMPILED) || bytes > HOTSPOT_NMETHOD_BYTES ||
	    !java_read(walk->nmethod_bytes, bytes, code->blob + config->nmethod_part_start))
		return false;
	code->deopt_pc =
		blob_place(walk, nmethod_word(walk, config, config->nmethod_deopt), config->nmethod_deopt_bytes);
	if (config->nmethod_deopt_mh != HOTSPOT_ABSENT)
		code->deopt_mh_pc = blob_place(walk, nmethod_word(walk, config, config->nmethod_deopt_mh),
					       config->nmethod_deopt_bytes);
	code->original_pc = (u32)nmethod_word(walk, config, config->nmethod_original_pc);
	code->compile_id = (u32)nmethod_word(walk, config, config->nmethod_compile_id);
	level = of_width(nmethod_word(walk, config, config->nmethod_level), config->nmethod_level_bytes);
	if (code->kind == BLOB_NATIVE || level == 0)
		code->type = CODE_NATIVE_METHOD;
	else
		code->type = level <= 3 ? CODE_C1 : level == 4 ? CODE_C2 : CODE_COMPILED;
	return true;
}

static __always_inline bool read_blob(struct java_walk *walk, struct hotspot_process *process)
{
	const struct hotspot_bpf_config *config = &process->config;
	struct java_code *code = &walk->code;
	u32 bytes = config->blob_bytes;

	code->blob = find_block(process, walk->pc);
	if (!code->blob || bytes > HOTSPOT_BLOB_BYTES || !java_read(walk->blob_bytes, bytes, code->blob))
		return false;
	code->deopt_pc = code->deopt_mh_pc = 0;
	code->compile_id = code->original_pc = 0;
	code->code_begin = blob_place(walk, blob_word(walk, config->blob_code_begin), config->blob_code_bytes);
	code->code_end = blob_place(walk, blob_word(walk, config->blob_code_end), config->blob_code_bytes);
	code->frame_bytes = (u32)blob_word(walk, config->blob_frame_size) * 8;
	code->frame_complete =
		(u32)of_width(blob_word(walk, config->blob_frame_complete), config->blob_frame_complete_bytes);
	code->kind = kind_of_blob(process, blob_word(walk, config->blob_name));
	code->type = CODE_STUB;
	if (code->kind == BLOB_INTERPRETER)
		code->type = CODE_INTERPRETED;
	else if (code->kind == BLOB_NMETHOD || code->kind == BLOB_NATIVE)
		return read_nmethod(walk, config);
	return true;
}

static __always_inline u64 check_of(u64 key, const struct java_code *code)
{
	u64 check = mix(key, code->blob);

	check = mix(check ^ code->code_begin, code->code_end);
	check = mix(check ^ code->deopt_pc, code->deopt_mh_pc);
	check = mix(check ^ code->frame_bytes, (u64)code->frame_complete << 32 | code->compile_id);
	return mix(check ^ code->type, (u64)code->original_pc << 32 | code->kind);
}

/* The nmethod of a kept address may have been freed, and its place given to another: then the compile id is another.
 */
static __always_inline bool is_still_there(const struct java_code *code, const struct hotspot_bpf_config *config)
{
	if (code->kind != BLOB_NMETHOD && code->kind != BLOB_NATIVE)
		return true;
	return java_read_int(code->blob + config->nmethod_compile_id) == code->compile_id;
}

/* Fills walk->code for its pc; 0 where the pc is in no code. */
__noinline int java_find_code(u32 place)
{
	struct java_walk *walk = walk_at(place);
	struct hotspot_process *process;
	struct kept_code *kept;
	u64 key;
	u32 index;

	if (!walk)
		return 0;
	process = process_of(walk);
	if (!process)
		return 0;
	key = key_of(walk, walk->pc);
	index = (u32)(mix(0, key) >> 20) & (BLOBS_KEPT - 1);
	kept = bpf_map_lookup_elem(&java_code_kept, &index);
	if (!kept)
		return 0;
	if (kept->key == key) {
		u64 check = kept->check;

		/* Copied first: what is checked is what is used, whoever writes to the entry meanwhile. */
		walk->code = kept->code;
		if (check == check_of(key, &walk->code) && is_still_there(&walk->code, &process->config))
			return 1;
	}
	if (!read_blob(walk, process)) {
		walk->code.blob = walk->code.code_begin = walk->code.code_end = 0;
		return 0;
	}
	kept->key = 0;
	kept->code = walk->code;
	kept->check = check_of(key, &walk->code);
	kept->key = key;
	return 1;
}

/* ---- methods ---- */

static __always_inline u64 check_of_method(u64 key, u64 const_method)
{
	return mix(key, const_method);
}

/* The index of a bytecode in its method; all ones where the pointer is in no code of that method. Sets
 * *ret_const_method, 0 if the method cannot be read. A kept ConstMethod may be that of an unloaded method: then the
 * pointer does not fit, and it is read anew. */
static __always_inline u64 bytecode_index(const struct java_walk *walk, const struct hotspot_bpf_config *config,
					  u64 method, u64 bcp, u64 *ret_const_method)
{
	u64 key = key_of(walk, method), const_method, index;
	u32 place = (u32)(mix(0, key) >> 20) & (METHODS_KEPT - 1);
	struct kept_method *kept = bpf_map_lookup_elem(&java_methods_kept, &place);

	*ret_const_method = 0;
	if (!kept)
		return ~0ull;
	if (kept->key == key && kept->check == check_of_method(key, kept->const_method)) {
		const_method = kept->const_method;
		index = bcp - const_method - config->const_method_size;
		if (index < 65536) {
			*ret_const_method = const_method;
			return index;
		}
	}
	const_method = method ? java_read_word(method + config->method_const_method) : 0;
	if (!const_method)
		return ~0ull;
	*ret_const_method = const_method;
	kept->key = 0;
	kept->const_method = const_method;
	kept->check = check_of_method(key, const_method);
	kept->key = key;
	index = bcp - const_method - config->const_method_size;
	return index < 65536 ? index : ~0ull;
}
