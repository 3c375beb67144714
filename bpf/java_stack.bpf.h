/* BPF side only: Java stacks, classes and threads of the traced JVMs. Defined in java_stack.bpf.c.
 *
 * A stack is named by an id, a hash of its process and frames. Its STACK record is emitted the first time the id is
 * seen (and again when the table of seen ids had to forget it), so a repeated stack costs its hash. 0 is no stack:
 * not a traced JVM's thread, no Java frame, or no room to walk in just now. All functions work for the current
 * thread. */
#pragma once

#include "bpf/core.bpf.h"
#include "bpf/hotspot_config.h"

struct hotspot_processes_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HOTSPOT_PROCESSES);
	__type(key, u32);
	__type(value, struct hotspot_process);
};
/* Filled by user space, at the slot that it writes into hotspot_slots afterwards. */
extern struct hotspot_processes_map hotspot_processes SEC(".maps");

struct hotspot_slots_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HOTSPOT_PROCESSES);
	__type(key, u32); /* process id */
	__type(value, u32);
};
extern struct hotspot_slots_map hotspot_slots SEC(".maps");

/* Counts per CPU, index enum java_walk_end. */
struct java_walk_ends_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, JAVA_WALK_END_COUNT);
	__type(key, u32);
	__type(value, u64);
};
extern struct java_walk_ends_map java_walk_ends SEC(".maps");

/* The stack of a thread inside a native method or a VM function that got a JNI environment (JVM_*). */
u64 java_stack_of_env(u64 env);

/* The same in a VM function that got no environment, of at most so many frames: `java_thread` is the thread's
 * JavaThread*. */
u64 java_stack_of_thread(u64 java_thread, u32 frames);

/* The same for an exception that is being filled: walks to the end only when this class with these top frames is new,
 * and again each time its count reaches a power of two; between, gives the id found last. Bit 0 of the result says so
 * (ids are even): the stack is an earlier exception's, whose top frames are the same. */
u64 java_stack_of_exception(u64 env, u64 klass);

/* The stack at a thread's user-mode registers. `thread` is its JavaThread*, where known; else the register that
 * compiled code keeps it in (checked before use). `bcp` is the register of the interpreter's bytecode pointer. */
u64 java_stack_of_registers(u64 pc, u64 sp, u64 fp, u64 bcp, u64 thread);

/* What the code at a user-mode address is (enum code_type), for a sample. */
u32 java_code_type(u64 pc);

/* ---- the current thread's registers in user mode ---- */

#if defined(__TARGET_ARCH_x86)
#define JAVA_BCP_REGISTER(regs) ((regs)->r13)
#define JAVA_THREAD_REGISTER(regs) ((regs)->r15)
#define JAVA_FRAME_REGISTER(regs) ((regs)->bp)
#define JAVA_PROGRAM_COUNTER(regs) ((regs)->ip)
#elif defined(__TARGET_ARCH_arm64)
#define JAVA_BCP_REGISTER(regs) ((regs)->regs[22])
#define JAVA_THREAD_REGISTER(regs) ((regs)->regs[28])
#define JAVA_FRAME_REGISTER(regs) ((regs)->regs[29])
#define JAVA_PROGRAM_COUNTER(regs) ((regs)->pc)
#endif

/* The stack of the current thread where it left user mode: at a sample, a switch, in a system call. */
static __always_inline u64 java_stack_of_current(struct thread_state *thread)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return java_stack_of_registers(JAVA_PROGRAM_COUNTER(regs), regs->sp, JAVA_FRAME_REGISTER(regs),
				       JAVA_BCP_REGISTER(regs),
				       thread->java_thread ? thread->java_thread : JAVA_THREAD_REGISTER(regs));
}

/* ---- the JVM of the current process ---- */

static __always_inline struct hotspot_process *java_process_of(u32 pid)
{
	u32 *slot = bpf_map_lookup_elem(&hotspot_slots, &pid);
	u32 key;

	if (!slot)
		return NULL;
	key = *slot;
	return bpf_map_lookup_elem(&hotspot_processes, &key);
}

static __always_inline struct hotspot_process *java_process_of_current(void)
{
	return java_process_of((u32)(bpf_get_current_pid_tgid() >> 32));
}

static __always_inline bool java_read(void *to, u32 size_bytes, u64 from)
{
	return bpf_probe_read_user(to, size_bytes, (const void *)from) == 0;
}

/* A variable of the VM that is a bool; 0 where the VM has none. */
static __always_inline u8 java_read_flag(u64 address)
{
	u8 value = 0;

	if (address)
		java_read(&value, sizeof(value), address);
	return value;
}

static __always_inline u32 java_read_int(u64 address)
{
	u32 value = 0;

	if (address)
		java_read(&value, sizeof(value), address);
	return value;
}

static __always_inline u64 java_read_word(u64 address)
{
	u64 value = 0;

	if (address)
		java_read(&value, sizeof(value), address);
	return value;
}

/* How objects name their class: read when the first exception is made, since the VM sets base and shift while it
 * starts, before any Java code runs. */
static __always_inline void java_prepare_klass(struct hotspot_process *process)
{
	const struct hotspot_bpf_config *config = &process->config;

	process->klass_base = java_read_word(config->klass_base_address);
	process->klass_shift = java_read_int(config->klass_shift_address) & 63;
	if (java_read_flag(config->use_compact_headers_address))
		process->klass_form = HOTSPOT_KLASS_IN_MARK;
	else if (config->object_klass_is_narrow || java_read_flag(config->use_compressed_klass_address))
		process->klass_form = HOTSPOT_KLASS_NARROW;
	else
		process->klass_form = HOTSPOT_KLASS_FULL;
}

/* Klass* of an object; 0 if it cannot be read. */
static __always_inline u64 java_klass_of_object(struct hotspot_process *process, u64 object)
{
	const struct hotspot_bpf_config *config = &process->config;
	u64 narrow;

	if (!object || !(config->abilities & HOTSPOT_CAN_NAME_CLASSES))
		return 0;
	if (!process->klass_form)
		java_prepare_klass(process);
	if (process->klass_form == HOTSPOT_KLASS_FULL)
		return java_read_word(object + config->object_klass);
	if (process->klass_form == HOTSPOT_KLASS_IN_MARK)
		narrow = java_read_word(object) >> (config->compact_klass_shift & 63);
	else
		narrow = java_read_int(object + config->object_klass);
	return process->klass_base + (narrow << (process->klass_shift & 63));
}

/* The same of the object behind a local JNI handle of Java code. */
static __always_inline u64 java_klass_of_handle(struct hotspot_process *process, u64 handle)
{
	return java_klass_of_object(process, java_read_word(handle & ~3ull));
}

/* Copies the text of a Symbol* (at most `capacity` bytes, a power of two); its length, or 0 if it cannot be read. */
static __always_inline u32 java_symbol_read(const struct hotspot_process *process, u64 symbol, char *to, u32 capacity)
{
	u16 length = 0;
	u64 part;

	if (!symbol || !java_read(&length, sizeof(length), symbol + process->config.symbol_length))
		return 0;
	part = length < capacity ? length : capacity - 1;
	/* Keeps the compiler from dropping the mask, without which the verifier sees no upper bound. */
	asm volatile("" : "+r"(part));
	part &= capacity - 1;
	if (!part || !java_read(to, (u32)part, symbol + process->config.symbol_body))
		return 0;
	return (u32)part;
}

/* The name of a class in '/' form, likewise. */
static __always_inline u32 java_klass_name(const struct hotspot_process *process, u64 klass, char *to, u32 capacity)
{
	if (!klass)
		return 0;
	return java_symbol_read(process, java_read_word(klass + process->config.klass_name), to, capacity);
}
