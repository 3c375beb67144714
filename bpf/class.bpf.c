/* Classes on their way into the JVM: asked for, parsed, loaded, linked, initialised. Each class passes all of these probes, and a
 * start has tens of thousands, so that a probe here costs a start more than anywhere else: a trap alone is a microsecond there. */
#include "bpf/jvm_record.bpf.h"
#include "bpf/walking.bpf.h"

enum {
	ASKER_FRAMES =
		16, /* a class's asker lies behind the frames of the loaders that were asked one after another */
	ASKER_FRAMES_IN_REQUEST = 32,
	NESTED_LOADS_WALKED = 64,
};

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

/* The JavaThread* is not known before for the main thread. */
__noinline int class_load_begin(u64 symbol, u64 loader, u64 java_thread, u64 stack_pointer)
{
	struct thread_state *thread = thread_of_current();
	struct event_class_load *event;
	u64 stack_id;

	if (!thread)
		return 0;
	thread->java_thread = java_thread;
	stack_id = stack_of_load(thread, stack_pointer, symbol);
	event = begin_record(class_load, CLASS_LOAD, thread);
	if (!event)
		return 0;
	event->stack_pointer = stack_pointer;
	event->loader = loader;
	event->stack_id = stack_id;
	event_output(&event->header, append_symbol(event, EVENT_FIXED_SIZE(class_load), symbol), 0);
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

/* Entry of Verifier::verify, with which linking begins: argument 0 is the InstanceKlass*. */
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

/* Behind the call of the loading function, and at the entry of what the VM calls when it has linked a class: the frames of the
 * probes above that lie deeper have returned. */
SEC("uprobe")
int jvm_class_return(struct pt_regs *ctx)
{
	struct thread_state *thread = thread_of_current();
	struct usdt_site_spec *site = site_of(ctx);
	u64 stack_pointer = PT_REGS_SP(ctx);

	if (!thread || !site)
		return 0;
	if (site->kind == CLASS_RETURN_OF_LOAD)
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
