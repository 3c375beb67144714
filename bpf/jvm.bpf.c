/* Inside the JVM: its milestones, exceptions, compilations, collections. USDT sites and function entries of libjvm;
 * one return probe, on JVM_FillInStackTrace, which Java code never calls directly (libjava's JNI stub does, by a call). */
#include "bpf/jvm_record.bpf.h"
#include "bpf/walking.bpf.h"

enum {
	EXCEPTION_NAME_BYTES = 128,
	WAIT_FRAMES = 64,
	TRAP_FRAMES = 8, /* the methods that were inlined are names of one frame */
};

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

/* ---- compilations ---- */

/* CompileTasks that wait for a compiler thread: when they were put into the queue. One that is taken out again uncompiled stays
 * here until the VM, which keeps tasks in a list of free ones, uses its place again. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
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

/* Reason and action of an uncommon trap's request, in the VM's own numbers; reason 0 is never one of a trap. */
static __always_inline void unpack_trap(struct event_deoptimize *event, u32 request)
{
	struct hotspot_process *process = java_process_of_current();
	const struct hotspot_bpf_config *config = process ? &process->config : NULL;

	event->reason = event->action = 0;
	if (!config || !config->trap_reason_mask)
		return;
	if ((i32)request < 0) {
		event->reason = (~request >> (config->trap_reason_shift & 31)) & config->trap_reason_mask;
		event->action = (~request >> (config->trap_action_shift & 31)) & config->trap_action_mask;
	} else {
		event->reason = config->trap_unloaded_reason;
		event->action = config->trap_unloaded_action;
	}
}

__noinline int deoptimize_begin(u64 java_thread, u64 request, u64 stack_pointer)
{
	struct thread_state *thread = thread_of_current();
	u64 stack_id = thread ? java_stack_of_thread(java_thread, TRAP_FRAMES) : 0;
	struct event_deoptimize *event =
		thread ? event_reserve(deoptimize, DEOPTIMIZE, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0) : NULL;

	if (!event)
		return 0;
	event->stack_pointer = stack_pointer;
	event->stack_id = stack_id;
	unpack_trap(event, (u32)request);
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

__noinline int wait_begin(u32 reason, u64 object, u64 stack_pointer)
{
	struct thread_state *thread = thread_of_current();
	struct event_vm_wait *event;

	if (!thread)
		return 0;
	keep_stack_of_wait(thread, reason, stack_pointer);
	event = event_reserve(vm_wait, VM_WAIT, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0);
	if (!event)
		return 0;
	event->stack_pointer = stack_pointer;
	event->object = object;
	event->reason = reason;
	event_submit(event);
	return 0;
}

/* ---- sites at which a stack is walked ---- */

SEC("uprobe")
int jvm_walking(struct pt_regs *ctx)
{
	struct usdt_site_spec *site = site_of(ctx);
	u64 stack_pointer = PT_REGS_SP(ctx), first;

	if (!site)
		return 0;
	first = site->argument_count ? site_argument(ctx, site, 0) : 0;
	switch (site->kind) {
	case WALKING_CLASS_LOAD:
		return class_load_begin(first, site_argument(ctx, site, 1), site_argument(ctx, site, 2), stack_pointer);
	case WALKING_DEOPTIMIZE:
		return deoptimize_begin(first, site_argument(ctx, site, 1), stack_pointer);
	case WALKING_THROW_INTERPRETED:
		return throw_interpreted(first, site_argument(ctx, site, 1), stack_pointer);
	case WALKING_THROW_BY_VM:
		return throw_by_vm(first, site_argument(ctx, site, 1), stack_pointer);
	default:
		return wait_begin(site->kind, first, stack_pointer);
	}
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
