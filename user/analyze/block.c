/* Evidence first, in this order: the VM stopped the thread (pause, compilation, allocation), the disk, who woke it.
 *
 *	woken by a thread of the tree           its path explains the block
 *	by the network, inside a send of ours   likewise: loopback delivers in the sender's context
 *	by a timer, the network, the disk       a wait of that name
 *	by the tracer, at a child's end         the child's path explains the block
 *	from outside the tree                   a wait named by what the thread was blocked in
 *	by nobody that was seen                 unexplained */
#include "analyze/block.h"

#include <string.h>

#include "analyze/block_turn.h"
#include "analyze/tiles.h"
#include "base/search.h"

enum { FILE_TYPE_FIFO = 1, FILE_TYPE_CHARACTER = 2, FILE_TYPE_REGULAR = 8, FILE_TYPE_SOCKET = 12 };

/* An arrival and the wake that it causes are a few microseconds apart, in one softirq. */
enum { ARRIVAL_TO_WAKE_NS = 100000 };

/* What the thread was blocked in. */
struct blocked_in {
	const struct model *model;
	const struct interval *interval;
	const struct event_switch_out *out;
	const struct span *span; /* innermost, or NULL */
	uint32_t thread, connection;
	enum call_class call;
	bool is_call_known;			  /* there is a record of the call, so that file_type is known */
	uint32_t file_type;			  /* of the call's descriptor; 0: it has none of its own (eventfd) */
	const struct event_socket_read *transfer; /* SOCKET_READ or SOCKET_WRITE, or NULL */
};

static void look_at(const struct model *model, uint32_t thread, uint32_t index, uint32_t connection,
		    uint32_t *ret_span, struct blocked_in *ret_in)
{
	const struct thread *of = &model->threads.list.items[thread];
	const struct interval *interval = &of->intervals.items[index];
	uint32_t span = model_span_at(model, thread, interval->start_ns, NULL);
	const struct event_switch_out *out = MODEL_EVENT(model, interval->event, switch_out);

	*ret_span = span;
	*ret_in = (struct blocked_in){
		.model = model,
		.interval = interval,
		.out = out,
		.span = span == NO_INDEX ? NULL : &of->spans.items[span],
		.thread = thread,
		.connection = connection,
		.call = out->syscall_number ? model_call_class(model, out->syscall_number - 1) : CALL_NONE,
	};
	if (!ret_in->span)
		return;
	if (ret_in->span->kind == SPAN_SYSCALL) {
		const struct event_syscall *call = MODEL_EVENT(model, ret_in->span->event, syscall);

		ret_in->is_call_known = true;
		ret_in->file_type = call->file_type;
		if (ret_in->call == CALL_NONE)
			ret_in->call = model_call_class(model, call->number);
	} else if (ret_in->span->kind == SPAN_SOCKET_READ || ret_in->span->kind == SPAN_SOCKET_WRITE) {
		ret_in->transfer = MODEL_EVENT(model, ret_in->span->event, socket_read);
		ret_in->is_call_known = true;
		ret_in->file_type = FILE_TYPE_SOCKET;
	} else if (ret_in->span->kind == SPAN_FILE_READ || ret_in->span->kind == SPAN_FILE_WRITE) {
		ret_in->is_call_known = true;
		ret_in->file_type = FILE_TYPE_REGULAR;
	}
}

static bool is_span(const struct blocked_in *in, enum span_kind kind)
{
	return in->span && in->span->kind == kind;
}

static bool is_name_query(const struct blocked_in *in)
{
	if (in->transfer)
		return in->transfer->peer_port == 53 && !(in->transfer->flags & SOCKET_ACCEPTED);
	if (is_span(in, SPAN_SOCKET_CONNECT))
		return MODEL_EVENT(in->model, in->span->event, socket_connect)->peer_port == 53;
	return in->interval->flags & INTERVAL_AFTER_NAME_QUERY &&
	       (in->call == CALL_POLL || in->call == CALL_RECEIVE || in->call == CALL_READ || in->call == CALL_SEND);
}

/* The request's own socket; 0 for a path that is no request's. */
static uint64_t request_socket(const struct blocked_in *in)
{
	const struct model *model = in->model;

	return in->connection < model->requests.connections.count ? model->requests.connections.items[in->connection].socket : 0;
}

/* The socket whose segment caused a wake: the last one that arrived on that CPU, just before. */
static bool woken_by_request_bytes(const struct blocked_in *in, const struct event_wake *wake)
{
	const struct model *model = in->model;
	uint64_t socket = request_socket(in);
	size_t after = first_where(model->requests.arrivals.count, i,
				   model->events[model->requests.arrivals.items[i]]->time_ns > wake->header.time_ns);

	for (; after > 0; after--) {
		const struct event_socket_arrival *arrival =
			MODEL_EVENT(model, model->requests.arrivals.items[after - 1], socket_arrival);

		if (arrival->header.time_ns + ARRIVAL_TO_WAKE_NS < wake->header.time_ns)
			return false;
		if (arrival->header.cpu == wake->header.cpu)
			return arrival->socket == socket;
	}
	return false;
}

static enum cause network_cause(const struct blocked_in *in, const struct event_wake *wake)
{
	if (is_name_query(in))
		return CAUSE_WAIT_NAME;
	if (in->transfer) {
		return in->transfer->socket == request_socket(in) ? CAUSE_WAIT_CLIENT : CAUSE_WAIT_NETWORK;
	}
	if (in->call == CALL_ACCEPT || is_span(in, SPAN_SOCKET_ACCEPT))
		return CAUSE_WAIT_CLIENT;
	return woken_by_request_bytes(in, wake) ? CAUSE_WAIT_CLIENT : CAUSE_WAIT_NETWORK;
}

/* Where the waker says nothing of why. */
static enum cause cause_by_call(const struct blocked_in *in, const struct event_wake *wake)
{
	if (is_name_query(in))
		return CAUSE_WAIT_NAME;
	if (in->transfer || is_span(in, SPAN_SOCKET_CONNECT) || is_span(in, SPAN_SOCKET_ACCEPT))
		return network_cause(in, wake);
	if (in->span && in->span->flags & SPAN_RANDOM)
		return CAUSE_WAIT_RANDOM;
	switch (in->call) {
	case CALL_SLEEP:
		return CAUSE_WAIT_TIMER;
	case CALL_CHILD:
		return CAUSE_WAIT_CHILD;
	case CALL_RANDOM:
		return CAUSE_WAIT_RANDOM;
	case CALL_ACCEPT:
	case CALL_CONNECT:
	case CALL_RECEIVE:
	case CALL_SEND:
		return network_cause(in, wake);
	case CALL_SYNC:
		return CAUSE_WAIT_DISK;
	case CALL_READ:
	case CALL_WRITE:
		if (!in->is_call_known)
			return CAUSE_UNEXPLAINED;
		if (in->file_type == FILE_TYPE_FIFO || in->file_type == 0)
			return CAUSE_WAIT_PIPE;
		if (in->file_type == FILE_TYPE_SOCKET)
			return network_cause(in, wake);
		return in->file_type == FILE_TYPE_REGULAR ? CAUSE_WAIT_DISK : CAUSE_WAIT_OTHER;
	case CALL_URING: /* a device's own interrupt that is none of the network's */
		return wake->context == CONTEXT_INTERRUPT ? CAUSE_WAIT_DISK : CAUSE_WAIT_OTHER;
	default:
		return CAUSE_WAIT_OTHER;
	}
}

/* ---- stopped by the VM ---- */

/* The last pause that began before a time, as its number plus one; 0: none. */
static size_t pauses_before(const struct model *model, uint64_t time_ns)
{
	return first_where(model->jvm.pauses.count, i, model->jvm.pauses.items[i].start_ns >= time_ns);
}

/* The last pause of a process, made by `vm_thread` (NO_INDEX: by any), that overlaps the stretch; NULL: none. Pauses
 * of other JVMs may lie between; those of one do not overlap. */
static const struct pause *pause_in(const struct model *model, uint32_t process, uint32_t vm_thread, uint64_t from_ns,
				    uint64_t until_ns)
{
	for (size_t i = pauses_before(model, until_ns); i > 0; i--) {
		const struct pause *pause = &model->jvm.pauses.items[i - 1];

		if (pause->process == process && (vm_thread == NO_INDEX || pause->thread == vm_thread))
			return pause->end_ns > from_ns ? pause : NULL;
	}
	return NULL;
}

/* The VM thread lets all stopped threads go at the end of a pause: a thread that it woke around then was stopped, or
 * had asked for the operation and waited for its end. */
static bool read_pause(const struct blocked_in *in, uint32_t waker, uint64_t end_ns, struct block_reading *reading)
{
	const struct thread *of = &in->model->threads.list.items[in->thread];
	const struct pause *pause = NULL;

	if (waker != NO_INDEX && in->model->threads.list.items[waker].has_vm_operations &&
	    in->model->threads.list.items[waker].process == of->process)
		pause = pause_in(in->model, of->process, waker, in->interval->start_ns, end_ns);
	if (!pause && in->interval->reason == VM_WAIT_SAFEPOINT) {
		pause = pause_in(in->model, of->process, NO_INDEX, in->interval->start_ns, end_ns);
		if (!pause) {
			reading->cause = CAUSE_SAFEPOINT_WAIT;
			return true;
		}
	}
	if (!pause)
		return false;
	reading->cause = pause->is_collection ? CAUSE_GC_PAUSE : CAUSE_SAFEPOINT_WAIT;
	reading->evidence = pause->event;
	reading->note = NOTE_PAUSE;
	return true;
}

/* ---- who woke it ---- */

static uint32_t waker_in_tree(const struct model *model, const struct event_wake *wake)
{
	uint32_t thread =
		wake->header.tid ? model_thread_at(model, wake->header.tid, wake->header.time_ns) : NO_INDEX;

	if (thread == NO_INDEX || model->threads.list.items[thread].pid != wake->header.pid)
		return NO_INDEX;
	return thread;
}

/* A network wake by a thread of the tree that is sending: its bytes may be what was waited for. Not where both ends
 * are known and are not each other's. */
static bool is_sender(const struct blocked_in *in, uint32_t waker, uint64_t time_ns)
{
	const struct model *model = in->model;
	const struct spans *spans = &model->threads.list.items[waker].spans;
	uint32_t span = model_span_at(model, waker, time_ns, NULL);

	for (; span != NO_INDEX; span = spans->items[span].parent) {
		const struct span *of = &spans->items[span];

		if (of->kind == SPAN_SOCKET_CONNECT)
			return true;
		if (of->kind == SPAN_SOCKET_WRITE) {
			const struct event_socket_write *sent = MODEL_EVENT(model, of->event, socket_write);

			if (!in->transfer || !in->transfer->port || !in->transfer->peer_port || !sent->port ||
			    !sent->peer_port)
				return true;
			return sent->port == in->transfer->peer_port && sent->peer_port == in->transfer->port;
		}
		if (of->kind == SPAN_SYSCALL) {
			enum call_class class =
				model_call_class(model, MODEL_EVENT(model, of->event, syscall)->number);

			return class == CALL_SEND || class == CALL_WRITE || class == CALL_CONNECT;
		}
	}
	return false;
}

static bool is_network_daemon(const struct event_wake *wake)
{
	return strncmp(wake->tail, "ksoftirqd/", strlen("ksoftirqd/")) == 0 ||
	       strncmp(wake->tail, "napi/", strlen("napi/")) == 0;
}

/* What the block is where the path of the thread that ended it has nothing to say. */
static void set_hole(const struct blocked_in *in, struct block_reading *reading)
{
	reading->hole_evidence = in->interval->event;
	if (is_span(in, SPAN_FAULT)) {
		reading->hole_cause = cause_of_span(in->model, in->thread, reading->span);
		return;
	}
	switch ((enum vm_wait_reason)in->interval->reason) {
	case VM_WAIT_MONITOR:
	case VM_WAIT_OBJECT:
		reading->hole_cause = CAUSE_LOCK_MONITOR;
		return;
	case VM_WAIT_PARK:
		reading->hole_cause = CAUSE_LOCK_PARK;
		return;
	case VM_WAIT_MUTEX:
	case VM_WAIT_CLASS_INIT:
		reading->hole_cause = CAUSE_LOCK_VM;
		return;
	default:
		break;
	}
	if (in->call == CALL_CHILD) {
		reading->hole_cause = CAUSE_WAIT_CHILD;
	} else if ((in->call == CALL_READ || in->call == CALL_WRITE) && in->is_call_known &&
		   (in->file_type == FILE_TYPE_FIFO || in->file_type == 0)) {
		reading->hole_cause = CAUSE_WAIT_PIPE;
	} else {
		reading->hole_cause = CAUSE_UNEXPLAINED;
		reading->hole_evidence = NO_INDEX;
	}
}

static void read_wake(const struct blocked_in *in, uint32_t waker, struct block_reading *reading)
{
	const struct event_wake *wake = MODEL_EVENT(in->model, reading->wake, wake);

	reading->evidence = reading->wake;
	switch ((enum context)wake->context) {
	case CONTEXT_TIMER:
		reading->cause = is_name_query(in) ? CAUSE_WAIT_NAME : CAUSE_WAIT_TIMER;
		return;
	case CONTEXT_DISK:
		reading->cause = CAUSE_WAIT_DISK;
		return;
	case CONTEXT_NETWORK:
		if (waker != NO_INDEX && !is_name_query(in) && is_sender(in, waker, wake->header.time_ns)) {
			reading->follow = waker;
			set_hole(in, reading);
			return;
		}
		reading->cause = network_cause(in, wake);
		return;
	case CONTEXT_INTERRUPT:
		reading->cause = cause_by_call(in, wake);
		return;
	case CONTEXT_THREAD:
		break;
	}
	if (waker != NO_INDEX) {
		reading->follow = waker;
		set_hole(in, reading);
		return;
	}
	reading->cause =
		is_network_daemon(wake) && in->call != CALL_FUTEX ? network_cause(in, wake) : cause_by_call(in, wake);
}

/* A process that is traced tells its tracer of its end first, and the tracer's own wait tells the parent: the waker says
 * nothing. The child's path explains the wait for it up to its end. The child: the one that the call returned, else the
 * last of this process's to end in time. */
static bool read_child(const struct blocked_in *in, uint64_t end_ns, struct block_reading *reading)
{
	const struct model_threads *threads = &in->model->threads;
	uint32_t parent = threads->list.items[in->thread].process;
	const struct process *child = NULL;
	uint32_t pid = 0;

	if (in->call != CALL_CHILD || !is_span(in, SPAN_SYSCALL))
		return false;

	const struct event_syscall *call = MODEL_EVENT(in->model, in->span->event, syscall);

	if (call->result < 0)
		return false;
	pid = (uint32_t)call->result; /* 0 from waitid */
	for vec_each(process, &threads->processes) {
		if (process->parent != parent || process->main_thread == NO_INDEX || (pid && process->pid != pid) ||
		    process->ended_ns <= in->interval->start_ns || process->ended_ns > end_ns)
			continue;
		if (!child || process->ended_ns > child->ended_ns)
			child = process;
	}
	if (!child)
		return false;
	reading->follow = child->main_thread;
	set_hole(in, reading);
	return true;
}

/* HotSpot lets a thread that waits for a monitor look again after 1, 8, 64 … ms, in case its waking was missed. Such a wait ends
 * with the waking that let it in: the waker of the last block of the same wait, as an event; NO_INDEX: this is none. */
static uint32_t wake_after_looks(const struct blocked_in *in, uint32_t interval, uint32_t wake)
{
	enum { LOOKS_MAX = 64, LOOK_MAX_NS = 5000000 };
	const struct model *model = in->model;
	const struct intervals *intervals = &model->threads.list.items[in->thread].intervals;
	uint32_t looks = 0;

	if (in->interval->reason != VM_WAIT_MONITOR || wake == NO_INDEX ||
	    MODEL_EVENT(model, wake, wake)->context != CONTEXT_TIMER)
		return NO_INDEX;
	for (uint32_t i = interval + 1; i < intervals->count && looks < LOOKS_MAX; i++) {
		const struct interval *next = &intervals->items[i];

		if (next->state == INTERVAL_RUNNABLE)
			continue;
		if (next->state == INTERVAL_RUNNING) {
			if (model_interval_end(model, in->thread, i) - next->start_ns > LOOK_MAX_NS)
				return NO_INDEX;
			continue;
		}
		if (next->state != INTERVAL_BLOCKED || next->reason != VM_WAIT_MONITOR)
			return NO_INDEX;
		wake = model_interval_wake(model, in->thread, i);
		if (wake == NO_INDEX || MODEL_EVENT(model, wake, wake)->context != CONTEXT_TIMER)
			return wake;
		looks++;
	}
	return NO_INDEX;
}

/* ---- all together ---- */

static bool read_fault(const struct blocked_in *in, uint32_t span, uint32_t waker, struct block_reading *reading)
{
	const struct event_wake *wake =
		reading->wake == NO_INDEX ? NULL : MODEL_EVENT(in->model, reading->wake, wake);

	if (!is_span(in, SPAN_FAULT))
		return false;
	/* Without the disk it is a lock of the address space: its holder's path explains it. */
	if (!(in->interval->flags & INTERVAL_IOWAIT) && waker != NO_INDEX && wake && wake->context == CONTEXT_THREAD)
		return false;
	reading->cause = cause_of_span(in->model, in->thread, span);
	reading->evidence = in->span->event;
	return true;
}

void block_read(const struct model *model, uint32_t thread, uint32_t interval, uint64_t end_ns, uint32_t connection,
		struct block_reading *ret_reading)
{
	struct blocked_in in;
	struct block_reading *reading = ret_reading;

	*reading = (struct block_reading){.follow = NO_INDEX,
					  .cause = CAUSE_UNEXPLAINED,
					  .hole_cause = CAUSE_UNEXPLAINED,
					  .hole_evidence = NO_INDEX,
					  .wake = model_interval_wake(model, thread, interval)};
	look_at(model, thread, interval, connection, &reading->span, &in);
	reading->evidence = in.interval->event;
	reading->is_poll = in.call == CALL_POLL;

	uint32_t last_wake = wake_after_looks(&in, interval, reading->wake);

	if (last_wake != NO_INDEX)
		reading->wake = last_wake;

	uint32_t waker =
		reading->wake == NO_INDEX ? NO_INDEX : waker_in_tree(model, MODEL_EVENT(model, reading->wake, wake));

	if (read_fault(&in, reading->span, waker, reading))
		return;
	/* Without its waking a wait and the time after it, when the thread could have run, look like one. */
	if (reading->wake == NO_INDEX) {
		reading->note = NOTE_NO_WAKE;
		return;
	}
	if (in.interval->flags & INTERVAL_IOWAIT) {
		/* In user mode nothing but a page fault waits for the disk: where faults have spans, this one's is
		 * missing. */
		bool is_lost_fault = in.call == CALL_NONE && model_observed(model, "fault_duration") == OBSERVED_YES;

		reading->cause = is_lost_fault ? CAUSE_UNEXPLAINED : CAUSE_WAIT_DISK;
		reading->note = is_lost_fault ? NOTE_RECORD_MISSING : NOTE_NONE;
		return;
	}
	/* These first: a pause may end such a wait. */
	if (in.interval->reason == VM_WAIT_COMPILE) {
		reading->cause = CAUSE_JIT_WAIT;
		return;
	}
	if (in.interval->reason == VM_WAIT_ALLOCATION) {
		reading->cause = CAUSE_GC_STALL;
		return;
	}
	if (read_pause(&in, waker, end_ns, reading))
		return;
	if (waker != NO_INDEX || !read_child(&in, end_ns, reading))
		read_wake(&in, waker, reading);
	if (reading->follow != NO_INDEX)
		reading->is_turn = block_is_for_turn(model, in.interval, is_span(&in, SPAN_FAULT), in.call,
						     in.file_type == FILE_TYPE_REGULAR);
	if (reading->follow == NO_INDEX && reading->cause == CAUSE_UNEXPLAINED)
		reading->note = NOTE_RECORD_MISSING;
}

bool block_is_lock(const struct block_reading *reading)
{
	return reading->follow != NO_INDEX && reading->hole_evidence != NO_INDEX &&
	       (reading->hole_cause == CAUSE_LOCK_MONITOR || reading->hole_cause == CAUSE_LOCK_PARK ||
		reading->hole_cause == CAUSE_LOCK_VM);
}
