/* Exceptions without a stack trace: JVM_FillInStackTrace never sees them, so they are counted where they are thrown.
 *
 * Two entries of libjvm. An interpreted frame asks for its handler of each exception that reaches it: a frame after
 * the other for one exception that is thrown once. The VM's own throws name the object, which Java's constructor has
 * filled or not. Compiled code asks for handlers in the same way, a hundred times as often: it is left alone
 * (docs/limits.md). No return probes: Java code calls the first directly. */
#include "bpf/jvm_record.bpf.h"
#include "bpf/walking.bpf.h"

enum {
	THROW_NAME_BYTES = 128,
	THROW_FRAMES = 8,
	THROWERS_MAX = 16384, /* threads */
};

/* The exception that a thread threw last, as far as it needs no record again. Addresses: the collector may move an
 * object while it is on its way, and then it counts twice. */
struct thrown {
	u64 object;
	u64 frame;	 /* frame pointer of the interpreted frame that it reached last */
	u64 first_frame; /* and the first, with the bytecode that it left there */
	u64 first_bytecode;
	u32 is_from_vm; /* counted when the VM threw it; no frame has seen it yet */
	u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, THROWERS_MAX);
	__type(key, u32); /* kernel's thread id */
	__type(value, struct thrown);
} last_thrown SEC(".maps");

/* Whether a stack trace was filled into a Throwable: its field `backtrace`, which is null before and never again
 * after. A function of its own: the verifier follows its paths once, not behind each path of its callers. */
__noinline int throw_has_trace(u64 object)
{
	struct hotspot_process *process = java_process_of_current();
	const struct hotspot_bpf_config *config = process ? &process->config : NULL;
	u64 reference = 0, globals;
	u32 offset;

	if (!config)
		return true;
	offset = java_read_int(config->throwable_backtrace_address);
	if (java_read_flag(config->use_compressed_oops_address)) {
		u32 narrow = 1;

		return !java_read(&narrow, sizeof(narrow), object + offset) || narrow;
	}
	if (!java_read(&reference, sizeof(reference), object + offset))
		return true;
	/* Generational ZGC keeps marks in the low bits, of a null too. */
	globals = java_read_word(config->z_globals_address);
	if (globals && config->z_load_shift != HOTSPOT_ABSENT)
		reference >>= java_read_word(java_read_word(globals + config->z_load_shift)) & 63;
	return reference != 0;
}

static __always_inline int emit_throw(u64 klass, u64 stack_pointer, u32 origin, u32 is_filled)
{
	struct thread_state *thread = thread_of_current();
	struct hotspot_process *process = java_process_of_current();
	u64 size = EVENT_FIXED_SIZE(throw), stack_id;
	struct event_throw *event;

	if (!thread || !process)
		return 0;
	stack_id = java_stack_of_thread(thread->java_thread, THROW_FRAMES);
	event = begin_record(throw, THROW, thread);
	if (!event)
		return 0;
	event->class_address = klass;
	event->stack_id = stack_id;
	event->stack_pointer = stack_pointer;
	event->origin = origin;
	event->has_trace = is_filled;
	size += java_klass_name(process, klass, event->tail, THROW_NAME_BYTES);
	event_output(&event->header, size, 0);
	return 0;
}

/* Entry of InterpreterRuntime::exception_handler_for_exception(JavaThread*, oopDesc*) */
__noinline int throw_interpreted(u64 java_thread, u64 object, u64 stack_pointer)
{
	struct thread_state *thread = thread_of_current();
	struct hotspot_process *process = java_process_of_current();
	u64 frame, bytecode;
	struct thrown *last;
	u32 tid = current_tid();

	if (!thread || !process || !process->config.throwable_backtrace_address || throw_has_trace(object))
		return 0;
	thread->java_thread = java_thread;
	frame = java_read_word(thread->java_thread + process->config.thread_anchor_fp);
	bytecode = java_read_word(frame + 8 * (i64)process->config.interpreter_bcp_slot);
	last = bpf_map_lookup_elem(&last_thrown, &tid);
	if (last && last->object == object && last->is_from_vm) {
		last->is_from_vm = 0;
		last->frame = last->first_frame = frame;
		last->first_bytecode = bytecode;
		return 0;
	}
	/* On its way outwards, or thrown again by a handler for all (finally, synchronized) that it has passed. */
	if (last && last->object == object && frame >= last->frame &&
	    !(frame == last->first_frame && bytecode == last->first_bytecode)) {
		last->frame = frame;
		return 0;
	}

	struct thrown now = {.object = object, .frame = frame, .first_frame = frame, .first_bytecode = bytecode};

	bpf_map_update_elem(&last_thrown, &tid, &now, BPF_ANY);
	emit_throw(java_klass_of_object(process, object), stack_pointer, THROW_INTERPRETED, false);
	return 0;
}

/* Entry of Exceptions::_throw(JavaThread*, const char* file, int line, Handle, const char* message): argument 1 is
 * the Handle, a pointer to the object's place. An object of the class that was filled last on this thread is that
 * one. */
__noinline int throw_by_vm(u64 java_thread, u64 handle, u64 stack_pointer)
{
	struct thread_state *thread = thread_of_current();
	struct hotspot_process *process = java_process_of_current();
	struct thrown now = {.is_from_vm = 1};
	u32 tid = current_tid();
	bool is_filled;
	u64 klass;

	if (!thread || !process || !process->config.throwable_backtrace_address)
		return 0;
	now.object = java_read_word(handle);
	if (!now.object)
		return 0;
	is_filled = throw_has_trace(now.object);
	klass = java_klass_of_object(process, now.object);
	if (is_filled && klass == thread->exception_class)
		return 0;
	thread->java_thread = java_thread;
	if (!is_filled)
		bpf_map_update_elem(&last_thrown, &tid, &now, BPF_ANY);
	emit_throw(klass, stack_pointer, THROW_BY_VM, is_filled);
	return 0;
}
