/* What a walk of Java stacks needs to know of one process's libjvm: plain data, filled by user/parse/hotspot.h from
 * the tables that libjvm exports, read by bpf/java_stack.bpf.c.
 *
 * Members named _address are addresses IN THE PROCESS of variables of the VM, never their values: most get their
 * value while the VM starts, after this was filled. 0 says that this VM has no such variable. Other members are
 * offsets in bytes from the start of the structure that the member's name begins with, or sizes; HOTSPOT_ABSENT says
 * that there is none. */
#pragma once

#ifndef __bpf__
#include <stdint.h>
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t i64;
typedef int32_t i32;
#endif

#define HOTSPOT_ABSENT 0xffffffffu

enum {
	HOTSPOT_PROCESSES = 64,	     /* JVMs of one tree at the same time */
	HOTSPOT_HEAPS = 8,	     /* code heaps of one VM: three, or one; room for more */
	HOTSPOT_NMETHOD_BYTES = 256, /* the longest stretch of an nmethod that a walk reads */
	HOTSPOT_BLOB_BYTES = 128,    /* the longest stretch of a CodeBlob that a walk reads */
};

/* How walks ended, for the report. */
enum java_walk_end {
	JAVA_WALK_COMPLETE = 0, /* reached the first Java frame of the thread */
	JAVA_WALK_TRUNCATED,	/* more frames than a record takes */
	JAVA_WALK_NO_FRAME,	/* the thread has no Java frame */
	JAVA_WALK_NO_ROOM,	/* all scratch places of this CPU were in use, or another walk took ours */
	JAVA_WALK_UNREADABLE,	/* a page was not resident, or an address senseless */
	JAVA_WALK_NO_CODE,	/* a return address outside the code cache */
	JAVA_WALK_NOT_RISING,	/* a caller's frame below its callee's */
	JAVA_WALK_FROZEN,	/* the rest lies in the heap and its layout is not known */
	JAVA_WALK_LIMITED,	/* no more frames were asked for */
	JAVA_WALK_END_COUNT,
};

/* Each bit is set where all that the ability needs was found. */
enum hotspot_ability {
	HOTSPOT_CAN_NAME_CLASSES = 1, /* Klass of an object, and its name */
	HOTSPOT_CAN_WALK = 2,	      /* interpreted frames, stubs, entries from C++ */
	HOTSPOT_CAN_WALK_COMPILED = 4,
	HOTSPOT_CAN_WALK_FROZEN = 8, /* frames of a virtual thread that still lie in the Java heap */
};

struct hotspot_bpf_config {
	/* The code cache. Its list of heaps grows while the VM starts; it is complete once the call stub exists. */
	u64 code_heaps_address;	      /* CodeCache::_heaps (a list), or CodeCache::_heap (one heap) */
	u64 call_stub_return_address; /* StubRoutines::_call_stub_return_address */

	/* Classes of objects. */
	u64 klass_base_address;
	u64 klass_shift_address;
	u64 use_compressed_klass_address; /* a bool */
	u64 use_compact_headers_address;  /* a bool */

	/* References in the heap. */
	u64 oop_base_address;
	u64 oop_shift_address;
	u64 use_compressed_oops_address; /* a bool */
	u64 z_globals_address;		 /* ZGlobalsForVMStructs::_instance_p */

	/* Virtual threads. The offsets of Java fields are themselves variables (int) of the VM. */
	u64 return_barrier_address;  /* StubRoutines::_cont_returnBarrier */
	u64 entry_return_pc_address; /* ContinuationEntry::_return_pc */
	u64 continuation_tail_address;
	u64 chunk_sp_address;
	u64 chunk_bottom_address;
	u64 chunk_parent_address;
	u64 chunk_stack_address; /* where the frames begin in a StackChunk */

	u64 throwable_backtrace_address; /* of the variable (int) that holds the offset of a Throwable's backtrace */

	u64 text_start, text_end; /* libjvm's own code; filled by who knows the mapping, may be 0 */

	u32 abilities; /* enum hotspot_ability */
	u32 heaps_is_list;
	u32 list_length, list_data; /* of a GrowableArray */
	u32 heap_low, heap_high, heap_segment_map,
		heap_segment_shift; /* of a CodeHeap; the first three are addresses there */
	u32 heap_block_size;	    /* bytes between a segment's start and the blob in it */

	u32 env_to_thread; /* JNIEnv* - this = JavaThread* */
	u32 thread_anchor_sp, thread_anchor_pc, thread_anchor_fp;
	u32 thread_stack_base, thread_stack_size;
	u32 thread_continuation; /* JavaThread::_cont_entry; in 21 no table has it */
	u32 wrapper_anchor_sp, wrapper_anchor_pc, wrapper_anchor_fp; /* of a JavaCallWrapper */
	i32 entry_wrapper_slot; /* word before an entry frame's frame pointer that holds its JavaCallWrapper* */

	/* An interpreted frame, in words from its frame pointer. */
	i32 interpreter_bcp_slot, interpreter_method_slot, interpreter_sender_sp_slot;

	u32 blob_bytes; /* how much of a CodeBlob is read at once, up to HOTSPOT_BLOB_BYTES */
	u32 blob_name, blob_frame_size;
	u32 blob_frame_complete, blob_frame_complete_bytes;
	u32 blob_code_begin, blob_code_end; /* of 8 bytes: addresses; of 4 bytes: offsets from the blob */
	u32 blob_code_bytes;

	u32 nmethod_part_start, nmethod_part_bytes; /* the stretch of an nmethod that holds the next members */
	u32 nmethod_deopt, nmethod_deopt_mh, nmethod_deopt_bytes; /* as with blob_code_bytes */
	u32 nmethod_original_pc; /* where in the frame the return address is that deoptimisation replaced */
	u32 nmethod_compile_id;
	u32 nmethod_level, nmethod_level_bytes;

	u32 method_const_method;
	u32 const_method_size; /* sizeof(ConstMethod): the bytecodes follow */

	u32 object_klass;	    /* offset of the narrow or the full class word in an object */
	u32 object_klass_is_narrow; /* 1: always, and no flag says so (since 27) */
	u32 compact_klass_shift;    /* of a mark word with UseCompactObjectHeaders */
	u32 klass_name;
	u32 symbol_length, symbol_body;
	u32 compile_task_level;

	/* How the request of an uncommon trap is packed: a negative one, its bits turned; one that is not negative is the
	 * index of a class that was not loaded. A mask of 0: not known. */
	u32 trap_reason_shift, trap_reason_mask, trap_action_shift, trap_action_mask;
	u32 trap_unloaded_reason, trap_unloaded_action;

	u32 entry_continuation; /* Continuation oop in a ContinuationEntry */
	u32 z_load_shift;	/* in ZGlobalsForVMStructs: pointer to the shift of a coloured reference */
};

struct hotspot_heap {
	u64 low, high, segment_map;
};

/* How an object names its class. */
enum hotspot_klass_form {
	HOTSPOT_KLASS_UNKNOWN = 0,
	HOTSPOT_KLASS_FULL = 1,	   /* a pointer behind the mark word */
	HOTSPOT_KLASS_NARROW = 2,  /* 32 bits there, from klass_base */
	HOTSPOT_KLASS_IN_MARK = 3, /* in the mark word's upper bits: compact object headers */
};

/* One slot of the table of traced JVMs. User space writes `config` with the rest zero; the programs fill the rest
 * once, when the VM has set itself up: values that never change after that. */
struct hotspot_process {
	struct hotspot_bpf_config config;
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	u64 call_stub_return;
	u64 return_barrier, entry_return_pc;
	u64 nmethod_name, native_name; /* the addresses of the two blob names that most frames have */
	u64 klass_base;
	u32 klass_shift;
	u32 klass_form; /* enum hotspot_klass_form */
	u32 heap_segment_shift;
	u32 is_prepared;
};
