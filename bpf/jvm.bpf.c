/* Inside the JVM: its milestones, classes, exceptions, compilations, collections. USDT sites and function entries of libjvm;
 * one return probe, on JVM_FillInStackTrace, which Java code never calls directly (libjava's JNI stub does, by a call). */
#include "bpf/java_stack.bpf.h"
#include "bpf/site.bpf.h"

enum {
	NAME_BYTES = 256,
	EXCEPTION_NAME_BYTES = 128,
	CALLER_FRAME_BYTES = 1024,
	ASKER_FRAMES =
		16, /* a class's asker lies behind the frames of the loaders that were asked one after another */
	ASKER_FRAMES_IN_REQUEST = 32,
	NESTED_LOADS_WALKED = 64,
	WAIT_FRAMES = 64,
};

/* Starts a record with a variable tail in the probes' scratch place. */
#define begin_record(name, NAME, thread)                                                                       \
	({                                                                                                     \
		struct event_##name *begun_ = scratch_at(1);                                                   \
		if (begun_)                                                                                    \
			fill_header(&begun_->header, EVENT_##NAME, 0, bpf_ktime_get_ns(), (thread)->pid, current_tid()); \
		begun_;                                                                                        \
	})

/* A text of known length in user memory, at `offset` of the record; returns the offset behind it. */
static __always_inline u32 append_text(void *record, u32 offset, u64 text, u64 length)
{
	length = length < NAME_BYTES ? length : NAME_BYTES - 1;
	offset = bounded(offset, 4095);
	if (!text || !length || bpf_probe_read_user((char *)record + offset, bounded((u32)length, NAME_BYTES - 1),
						    (void *)text) != 0)
		return offset;
	return offset + (u32)length;
}

static __always_inline u32 append_nul(void *record, u32 offset)
{
	offset = bounded(offset, 4095);
	((char *)record)[offset] = 0;
	return offset + 1;
}

static __always_inline u32 append_symbol(void *record, u32 offset, u64 symbol)
{
	struct hotspot_process *process = java_process_of_current();

	if (!process)
		return offset;
	return offset + java_symbol_read(process, symbol, (char *)record + offset, NAME_BYTES);
}

/* ---- the life of the VM ---- */

SEC("uprobe")
int jvm_state(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);

	if (!thread || !site)
		return 0;

	struct event_jvm_state *event =
		event_reserve(jvm_state, JVM_STATE, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0);

	if (!event)
		return 0;
	event->state = site->kind;
	event_urgent(event, EVENT_FIXED_SIZE(jvm_state));
	event_submit(event);
	/* libjvm's tables are complete now: they are read while the process is held once more (bpf/hold.bpf.h). */
	if (site->kind == JVM_STATE_CREATE && ((struct task_struct *)bpf_get_current_task_btf())->ptrace)
		bpf_send_signal_thread(23);
	return 0;
}

/* JavaThread::run(this) and os::create_attached_thread(JavaThread*): which JavaThread this thread is. */
SEC("uprobe")
int jvm_thread_known(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);

	if (thread && site)
		thread->java_thread = site_argument(ctx, site, 0);
	return 0;
}

/* hotspot:thread__start and thread__stop (name, length, Java id, native id, is daemon). */
SEC("uprobe")
int jvm_thread(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_java_thread *event = thread && site ? begin_record(java_thread, JAVA_THREAD, thread) : NULL;

	if (!event)
		return 0;
	event->java_id = site_argument(ctx, site, 2);
	event->native_tid = (u32)site_argument(ctx, site, 3);
	event->step = site->kind;

	u32 size = append_text(event, EVENT_FIXED_SIZE(java_thread), site_argument(ctx, site, 0),
			       site_argument(ctx, site, 1));

	event_output(&event->header, size, 0);
	return 0;
}

/* ---- exceptions ---- */

/* JVM_FillInStackTrace(JNIEnv*, jobject receiver) */
SEC("uprobe")
int jvm_exception_begin(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct hotspot_process *process = java_process_of_current();

	if (!thread)
		return 0;
	thread->exception_class = 0;
	thread->exception_name_length = 0;
	thread->exception_stack_id = 0;
	thread->exception_stack_pointer = PT_REGS_SP(ctx);
	if (process) {
		u64 env = PT_REGS_PARM1(ctx);

		thread->exception_class = java_klass_of_handle(process, PT_REGS_PARM2(ctx));
		thread->exception_name_length = java_klass_name(process, thread->exception_class,
								thread->exception_name, EXCEPTION_NAME_BYTES);
		thread->exception_stack_id = java_stack_of_exception(env, thread->exception_class);
	}
	/* Taken last: our own walk is not the exception's cost. */
	thread->exception_start_ns = bpf_ktime_get_ns();
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct unsent_exceptions_key);
	__type(value, struct unsent_exceptions);
} unsent_exceptions SEC(".maps");

enum { UNSENT_PLACE = SCRATCH_BYTES / 2 }; /* behind the record in its scratch place */

/* Counts an exception whose record was not taken; false where there is no room for that either. */
static __always_inline bool keep_unsent(const struct thread_state *thread, struct event_exception *event)
{
	struct unsent_exceptions_key key = {
		.class_address = event->class_address,
		.stack_id = event->stack_id,
		.pid = event->header.pid,
		.bucket = (u32)(event->header.time_ns >> UNSENT_BUCKET_SHIFT),
	};
	struct unsent_exceptions *kept = bpf_map_lookup_elem(&unsent_exceptions, &key);

	if (!kept) {
		struct unsent_exceptions *fresh = (void *)event + UNSENT_PLACE;

		fresh->count = fresh->duration_ns = 0;
		fresh->time_ns = event->header.time_ns;
		fresh->tid = event->header.tid;
		fresh->name_length = thread->exception_name_length;
		__builtin_memcpy(fresh->name, thread->exception_name, UNSENT_NAME_BYTES);
		bpf_map_update_elem(&unsent_exceptions, &key, fresh, BPF_NOEXIST);
		kept = bpf_map_lookup_elem(&unsent_exceptions, &key);
	}
	if (!kept)
		return false;
	__sync_fetch_and_add(&kept->count, 1);
	__sync_fetch_and_add(&kept->duration_ns, event->duration_ns);
	return true;
}

SEC("uprobe")
int jvm_exception_end(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct event_exception *event;

	if (!thread || !thread->exception_start_ns)
		return 0;

	u64 start_ns = thread->exception_start_ns;
	u32 size = EVENT_FIXED_SIZE(exception), length = thread->exception_name_length;

	thread->exception_start_ns = 0;
	event = begin_record(exception, EXCEPTION, thread);
	if (!event)
		return 0;
	event->duration_ns = event->header.time_ns - start_ns;
	event->class_address = thread->exception_class;
	event->stack_id = thread->exception_stack_id & ~1ull;
	event->stack_pointer = thread->exception_stack_pointer;
	event->count = 1;
	event->flags = thread->exception_stack_id & 1 ? EXCEPTION_STACK_OF_EARLIER : 0;
	__builtin_memcpy(event->tail, thread->exception_name, EXCEPTION_NAME_BYTES);
	size += bounded(length, EXCEPTION_NAME_BYTES - 1);
	event->header.size = size;
	count_kind(EVENT_EXCEPTION, event->duration_ns);
	if (bpf_ringbuf_output(&events, event, size, BPF_RB_NO_WAKEUP) != 0 && !keep_unsent(thread, event))
		count_loss(EVENT_EXCEPTION);
	return 0;
}

/* ---- classes ---- */

/* The outermost load that goes on is over when its class is loaded: the text told is that of the same Symbol. */
static __always_inline void end_load(struct thread_state *thread, u64 text)
{
	struct hotspot_process *process = thread->class_load_pointer ? java_process_of_current() : NULL;

	if (process && text == thread->class_load_symbol + process->config.symbol_body)
		thread->class_load_pointer = 0;
}

/* hotspot:class__loaded (name, length, loader data, is shared) */
SEC("uprobe")
int jvm_class_loaded(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);

	if (thread && site)
		end_load(thread, site_argument(ctx, site, 0));

	struct event_class_loaded *event = thread && site ? begin_record(class_loaded, CLASS_LOADED, thread) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->loader = site_argument(ctx, site, 2);
	event->is_shared = (u8)site_argument(ctx, site, 3);

	u32 size = append_text(event, EVENT_FIXED_SIZE(class_loaded), site_argument(ctx, site, 0),
			       site_argument(ctx, site, 1));

	event_output(&event->header, size, 0);
	return 0;
}

/* hotspot:class__initialization__* (name, length, loader, …): the site's kind is the step. */
SEC("uprobe")
int jvm_class_init(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_class_init *event = thread && site ? begin_record(class_init, CLASS_INIT, thread) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->loader = site_argument(ctx, site, 2);
	event->step = site->kind;

	u32 size = append_text(event, EVENT_FIXED_SIZE(class_init), site_argument(ctx, site, 0),
			       site_argument(ctx, site, 1));

	event_output(&event->header, size, 0);
	return 0;
}

/* Who asked for a class. A load within another load (a superclass, or the search of the loaders, one after another)
 * has the asker of the outermost one; its stack shows the loaders at work, for which some of a thread's loads suffice
 * outside requests. A nested load is known by its stack pointer, as long as the ends of loads are seen. */
static __always_inline u64 stack_of_load(struct thread_state *thread, u64 stack_pointer, u64 symbol)
{
	u32 frames = control.is_in_request ? ASKER_FRAMES_IN_REQUEST : ASKER_FRAMES;

	if (thread->class_load_pointer > stack_pointer && thread->has_class_returns) {
		u32 nested = thread->nested_loads++;

		if (!control.is_in_request && nested >= NESTED_LOADS_WALKED && (nested & (nested - 1)))
			return 0;
	} else {
		thread->class_load_pointer = stack_pointer;
		thread->class_load_symbol = symbol;
	}
	return java_stack_of_thread(thread->java_thread, frames);
}

/* Entry of SystemDictionary's loading function: argument 0 is the Symbol*, argument 1 the loader's handle, argument 2 the
 * JavaThread*, which for the main thread is not known before. */
SEC("uprobe")
int jvm_class_load(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	u64 stack_id;

	if (thread && site)
		thread->java_thread = site_argument(ctx, site, 2);
	stack_id = thread && site ? stack_of_load(thread, PT_REGS_SP(ctx), site_argument(ctx, site, 0)) : 0;
	struct event_class_load *event = thread && site ? begin_record(class_load, CLASS_LOAD, thread) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->loader = site_argument(ctx, site, 1);
	event->stack_id = stack_id;
	event_output(&event->header, append_symbol(event, EVENT_FIXED_SIZE(class_load), site_argument(ctx, site, 0)),
		     0);
	return 0;
}

/* Entry of KlassFactory::create_from_stream: argument 0 is the Symbol*, argument 1 the loader data. */
SEC("uprobe")
int jvm_class_parse(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_class_parse *event = thread && site ? begin_record(class_parse, CLASS_PARSE, thread) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->loader = site_argument(ctx, site, 1);
	event_output(&event->header,
		     append_symbol(event, EVENT_FIXED_SIZE(class_parse), site_argument(ctx, site, 0)), 0);
	return 0;
}

/* Entry of Verifier::verify and Rewriter::rewrite: argument 0 is the InstanceKlass*. */
SEC("uprobe")
int jvm_class_link(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct hotspot_process *process = java_process_of_current();
	struct event_class_link *event = thread && site ? begin_record(class_link, CLASS_LINK, thread) : NULL;
	u32 size = EVENT_FIXED_SIZE(class_link);

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->class_address = site_argument(ctx, site, 0);
	if (process)
		size += java_klass_name(process, event->class_address, event->tail, NAME_BYTES);
	event_output(&event->header, size, 0);
	return 0;
}

/* Entry of what the VM calls when the loading or the rewriting of a class has just ended. RETURN_OF_DEEPER: the frames of the
 * probes above that lie deeper than this entry have returned. RETURN_OF_CALLER: so has, but for this last call, the caller
 * itself; libjvm keeps frame pointers, and below the caller's lie its saved frame pointer and its return address. */
SEC("uprobe")
int jvm_class_return(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	u64 stack_pointer = PT_REGS_SP(ctx);

	if (!thread || !site)
		return 0;
	if (site->kind == RETURN_OF_CALLER) {
#if defined(__TARGET_ARCH_x86)
		u64 frame = PT_REGS_FP(ctx);

		if (frame < stack_pointer || frame - stack_pointer > CALLER_FRAME_BYTES)
			return 0;
		stack_pointer = frame + 8;
#else
		return 0;
#endif
	}
	thread->has_class_returns = 1;
	if (stack_pointer >= thread->class_load_pointer)
		thread->class_load_pointer = 0;

	struct event_class_return *event =
		event_reserve(class_return, CLASS_RETURN, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0);

	if (!event)
		return 0;
	event->stack_pointer = stack_pointer;
	event_submit(event);
	return 0;
}

/* ---- compilations ---- */

/* CompileTasks that wait for a compiler thread: when they were put into the queue. One that is taken out again uncompiled stays
 * here until it is reused, or forgotten as the oldest. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, u64);
} compile_queue SEC(".maps");

/* An address of one process: user addresses leave the top bytes free. */
static __always_inline u64 compile_task_key(const struct thread_state *thread, u64 task)
{
	return task ^ ((u64)thread->pid << 48);
}

/* Entry of CompileQueue::add(CompileTask*) */
SEC("uprobe")
int jvm_compile_queued(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);

	if (thread && site) {
		u64 key = compile_task_key(thread, site_argument(ctx, site, 0)), now = bpf_ktime_get_ns();

		bpf_map_update_elem(&compile_queue, &key, &now, BPF_ANY);
	}
	return 0;
}

/* Entry of CompileBroker::invoke_compiler_on_method(CompileTask*): the compiler's thread has taken it from the queue. */
SEC("uprobe")
int jvm_compile_taken(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct hotspot_process *process = java_process_of_current();

	if (!thread || !site)
		return 0;

	u64 task = site_argument(ctx, site, 0), key = compile_task_key(thread, task);
	u64 *queued_ns = bpf_map_lookup_elem(&compile_queue, &key);

	thread->compile_wait_ns = queued_ns ? bpf_ktime_get_ns() - *queued_ns : 0;
	thread->compile_level = 0;
	if (process && process->config.compile_task_level != HOTSPOT_ABSENT)
		thread->compile_level = java_read_int(task + process->config.compile_task_level);
	if (queued_ns)
		bpf_map_delete_elem(&compile_queue, &key);
	return 0;
}

/* hotspot:method__compile__begin and __end (compiler, length, class, length, method, length, signature, length[,
 * success]) */
SEC("uprobe")
int jvm_compile(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_compile *event = thread && site ? begin_record(compile, COMPILE, thread) : NULL;

	if (!event)
		return 0;
	event->step = site->kind;
	event->is_success = site->kind == STEP_END ? (u8)site_argument(ctx, site, 8) : 0;
	event->queue_wait_ns = site->kind == STEP_BEGIN ? thread->compile_wait_ns : 0;
	event->level = site->kind == STEP_BEGIN ? thread->compile_level : 0;

	u32 size = EVENT_FIXED_SIZE(compile);

	size = append_text(event, size, site_argument(ctx, site, 0), site_argument(ctx, site, 1));
	size = append_nul(event, size);
	size = append_text(event, size, site_argument(ctx, site, 2), site_argument(ctx, site, 3));
	size = append_nul(event, size);
	size = append_text(event, size, site_argument(ctx, site, 4), site_argument(ctx, site, 5));
	size = append_nul(event, size);
	size = append_text(event, size, site_argument(ctx, site, 6), site_argument(ctx, site, 7));
	event_output(&event->header, size, 0);
	return 0;
}

SEC("uprobe")
int jvm_deoptimize(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct event_deoptimize *event =
		thread ? event_reserve(deoptimize, DEOPTIMIZE, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->reason = 0;
	event_submit(event);
	return 0;
}

/* ---- collections, safepoints, VM operations ---- */

/* hotspot:gc__begin (is full), gc__end () */
SEC("uprobe")
int jvm_gc(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_gc *event =
		thread && site ? event_reserve(gc, GC, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0) : NULL;

	if (!event)
		return 0;
	event->step = site->kind;
	event->is_full = site->kind == STEP_BEGIN ? (u8)site_argument(ctx, site, 0) : 0;
	event_submit(event);
	return 0;
}

SEC("uprobe")
int jvm_safepoint(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_safepoint *event =
		thread && site ? event_reserve(safepoint, SAFEPOINT, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0)
			       : NULL;

	if (!event)
		return 0;
	event->step = site->kind;
	event_submit(event);
	return 0;
}

/* hotspot:vmops__begin and vmops__end (name, length, mode) */
SEC("uprobe")
int jvm_vm_operation(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	struct event_vm_operation *event = thread && site ? begin_record(vm_operation, VM_OPERATION, thread) : NULL;

	if (!event)
		return 0;
	event->step = site->kind;
	event->mode = (u32)site_argument(ctx, site, 2);

	u32 size = append_text(event, EVENT_FIXED_SIZE(vm_operation), site_argument(ctx, site, 0),
			       site_argument(ctx, site, 1));

	event_output(&event->header, size, 0);
	return 0;
}

/* The stack of a thread that is about to wait for a lock, for the switch that follows (schedule.bpf.c). Only within
 * requests: outside, pools of threads park all the time. */
static __always_inline void keep_stack_of_wait(struct thread_state *thread, u32 reason, u64 stack_pointer)
{
	thread->wait_stack_id = 0;
	if (!control.is_in_request || reason == VM_WAIT_MUTEX || reason == VM_WAIT_SAFEPOINT)
		return;
	thread->wait_stack_id = java_stack_of_thread(thread->java_thread, WAIT_FRAMES);
	thread->wait_stack_pointer = stack_pointer;
}

/* Entry of a function in which a thread is about to wait: the site's kind is the reason. */
SEC("uprobe")
int jvm_wait(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);

	if (thread && site)
		keep_stack_of_wait(thread, site->kind, PT_REGS_SP(ctx));

	struct event_vm_wait *event =
		thread && site ? event_reserve(vm_wait, VM_WAIT, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = PT_REGS_SP(ctx);
	event->object = site->argument_count ? site_argument(ctx, site, 0) : 0;
	event->reason = site->kind;
	event_submit(event);
	return 0;
}

/* ---- the C++ runtime ---- */

/* __cxa_throw(object, std::type_info*, destructor): the type's name is the second word of the type_info. */
SEC("uprobe")
int native_throw(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct event_native_throw *event = thread ? begin_record(native_throw, NATIVE_THROW, thread) : NULL;
	u32 size = EVENT_FIXED_SIZE(native_throw);
	u64 name = 0;

	if (!event)
		return 0;
	event->object = PT_REGS_PARM1(ctx);
	event->stack_pointer = PT_REGS_SP(ctx);
	bpf_probe_read_user(&name, sizeof(name), (void *)(PT_REGS_PARM2(ctx) + 8));

	long length = bpf_probe_read_user_str(event->tail, NAME_BYTES, (void *)name);

	if (length > 1)
		size += bounded((u32)(length - 1), NAME_BYTES - 1);
	event_output(&event->header, size, 0);
	return 0;
}

/* __cxa_begin_catch(unwind header) */
SEC("uprobe")
int native_catch(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct event_native_catch *event =
		thread ? event_reserve(native_catch, NATIVE_CATCH, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0)
		       : NULL;

	if (!event)
		return 0;
	event->object = PT_REGS_PARM1(ctx);
	event->stack_pointer = PT_REGS_SP(ctx);
	event_submit(event);
	return 0;
}
