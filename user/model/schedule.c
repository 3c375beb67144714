#include "model/load.h"

#include <stdlib.h>

#include "base/search.h"

/* A thread that enters a waiting function of the VM sleeps soon, if it does: it may spin first, and when woken it may
 * find that it must wait again. One that runs longer has left the function, though no record says so. */
enum { WAIT_STARTS_WITHIN_NS = 1000000 };

static struct interval *last_interval(struct thread *thread)
{
	return thread->intervals.count ? &thread->intervals.items[thread->intervals.count - 1] : NULL;
}

/* Begins an interval. One that began at the same nanosecond took no time and is replaced, unless it is a wait: its
 * end must keep who woke it. */
static struct interval *begin(struct thread *thread, enum interval_state state, uint32_t event, uint64_t time_ns)
{
	struct interval *last = last_interval(thread);
	struct interval *interval;

	if (last && last->start_ns == time_ns && last->state != INTERVAL_RUNNABLE && last->state != INTERVAL_BLOCKED)
		interval = last;
	else
		interval = vec_push(&thread->intervals);
	*interval = (struct interval){.start_ns = time_ns, .event = event, .state = state};
	return interval;
}

/* The last interval cannot have been what it seemed up to `time_ns`: a record is missing in it. (On a virtual machine
 * with Linux 6.18 no switch away from some threads of its first process is traced, by ftrace neither: who comes next on
 * that CPU begins unseen, a few times in ten thousand.) A thread that could run is known to have waited on while the
 * sampling timer, which would have met it running, did not: unknown is at most the last period. */
static void doubt_last(struct load *load, struct thread *thread, uint64_t time_ns)
{
	struct interval *last = last_interval(thread);
	uint64_t period_ns = load->sample_period_ns;

	if (!last)
		return;
	if (last->state == INTERVAL_RUNNABLE && period_ns && time_ns > last->start_ns + period_ns) {
		begin(thread, INTERVAL_UNKNOWN, NO_INDEX, time_ns - period_ns);
		return;
	}
	last->state = INTERVAL_UNKNOWN;
	last->flags = last->reason = 0;
}

/* A thread that runs again was woken. Between its last look at whether it must sleep and the record of its leaving the
 * CPU it sleeps already for the kernel (kernel/sched/core.c: __schedule decides, looks for another thread to run, and
 * only then traces the switch), and the hypervisor may take the CPU meanwhile: on another CPU try_to_wake_up traces its
 * waking then, and waits for the switch. No other waking follows, nor does the thread do anything in between, not even
 * serve an interrupt. Its wait was over as soon as it began. A waking that came before that look made the thread go on
 * instead: where it went to sleep later, another one ended that. */
static void settle_early_wake(struct load *load, struct thread *of, struct thread_state *state, uint64_t time_ns)
{
	const struct interval *last = last_interval(of);

	if (state->early_wake_ns && last && last->state == INTERVAL_BLOCKED &&
	    !model_has_loss(load->model, EVENT_WAKE, state->early_wake_ns, time_ns))
		begin(of, INTERVAL_RUNNABLE, state->early_wake, last->start_ns);
	state->early_wake_ns = 0;
}

void schedule_prove_running(struct load *load, uint32_t thread, uint32_t index, uint64_t time_ns)
{
	struct thread *of = &load->model->threads.list.items[thread];
	struct interval *last = last_interval(of);

	if (last && (last->state == INTERVAL_RUNNING || last->state == INTERVAL_ENDED))
		return;
	settle_early_wake(load, of, &load->threads.items[thread], time_ns);
	last = last_interval(of);
	if (last && last->state != INTERVAL_UNKNOWN)
		doubt_last(load, of, time_ns);
	begin(of, INTERVAL_RUNNING, index, time_ns);
}

void schedule_on_fork(struct load *load, uint32_t child, uint32_t index, uint64_t time_ns)
{
	begin(&load->model->threads.list.items[child], INTERVAL_RUNNABLE, index, time_ns);
}

void schedule_on_switch_out(struct load *load, uint32_t thread, uint32_t index, const struct event_switch_out *event)
{
	struct thread *of = &load->model->threads.list.items[thread];
	struct thread_state *state = &load->threads.items[thread];
	struct interval *last = last_interval(of);
	uint64_t time_ns = event->header.time_ns;

	load->model->threads.has_schedule = true;
	if (last && last->state == INTERVAL_ENDED)
		return;
	if (event->state == 0 || (last && last->state != INTERVAL_RUNNING) || state->last_event_ns > state->early_wake_ns)
		state->early_wake_ns = 0;
	if (last && (last->state == INTERVAL_RUNNABLE || last->state == INTERVAL_BLOCKED))
		doubt_last(load, of, time_ns);
	if (state->has_exited) {
		begin(of, INTERVAL_ENDED, index, time_ns);
		return;
	}
	if (event->state == 0) {
		struct interval *runnable = begin(of, INTERVAL_RUNNABLE, index, time_ns);

		runnable->flags = event->flags & SWITCH_THROTTLED ? INTERVAL_THROTTLED : 0;
		return;
	}

	struct interval *blocked = begin(of, INTERVAL_BLOCKED, index, time_ns);
	uint32_t number = event->syscall_number;
	enum call_class class = number ? model_call_class(load->model, number - 1) : CALL_NONE;

	/* io_uring calls every wait one for the disk while anything is asked of it (io_uring.c, io_cqring_wait). */
	blocked->flags = (event->flags & SWITCH_IOWAIT && class != CALL_URING ? INTERVAL_IOWAIT : 0) |
			 (state->is_after_name_query ? INTERVAL_AFTER_NAME_QUERY : 0);
	/* The VM's waiting functions all sleep in a futex, soon after they were entered or woken to look again. */
	if (time_ns - state->wait_ns > WAIT_STARTS_WITHIN_NS)
		state->wait_reason = 0;
	if (class == CALL_FUTEX || class == CALL_SLEEP)
		blocked->reason = state->wait_reason;
	state->is_in_wait = blocked->reason != 0;
}

void schedule_expect_wait(struct load *load, uint32_t thread, enum vm_wait_reason reason, uint64_t stack_pointer,
			  uint64_t time_ns)
{
	struct thread_state *state = &load->threads.items[thread];

	state->wait_reason = (uint8_t)reason;
	state->wait_stack_pointer = stack_pointer;
	state->wait_ns = time_ns;
	state->is_in_wait = false;
}

void schedule_on_switch_in(struct load *load, uint32_t thread, uint32_t index, uint64_t time_ns)
{
	struct thread *of = &load->model->threads.list.items[thread];
	struct thread_state *state = &load->threads.items[thread];
	struct interval *last = last_interval(of);

	load->model->threads.has_schedule = true;
	if (last && last->state == INTERVAL_ENDED)
		return;
	settle_early_wake(load, of, state, time_ns);
	last = last_interval(of);
	if (state->is_in_wait)
		state->wait_ns = time_ns;
	else if (last && last->state == INTERVAL_RUNNABLE)
		state->wait_ns += time_ns - last->start_ns; /* displaced on its way */
	if (last && last->state == INTERVAL_RUNNING) {
		uint64_t proven_ns = state->last_event_ns;

		/* It left the CPU unseen, some time after the last thing that it did. */
		if (proven_ns < last->start_ns)
			proven_ns = last->start_ns;
		if (proven_ns < time_ns)
			begin(of, INTERVAL_UNKNOWN, index, proven_ns);
	}
	begin(of, INTERVAL_RUNNING, index, time_ns);
}

void schedule_on_wake(struct load *load, uint32_t index, const struct event_wake *event)
{
	uint64_t time_ns = event->header.time_ns;
	uint32_t waker = event->header.tid ? threads_find(load, event->header.tid) : NO_INDEX; /* 0: the idle task */

	if (waker != NO_INDEX && load->model->threads.list.items[waker].pid == event->header.pid) {
		schedule_prove_running(load, waker, index, time_ns);
		load->threads.items[waker].last_event_ns = time_ns;
	}

	const struct event_header target_header = {
		.time_ns = time_ns, .pid = event->target_pid, .tid = event->target_tid};
	uint32_t target = threads_of_event(load, &target_header);
	struct thread *of = &load->model->threads.list.items[target];
	struct interval *last = last_interval(of);

	/* A thread that is still on its way to sleep is woken too, on the CPU or displaced from it: it is then not
	 * put to sleep. One that was woken and has not run since cannot be woken. */
	if (last && last->state == INTERVAL_RUNNABLE && last->event != NO_INDEX &&
	    load->model->events[last->event]->kind != EVENT_SWITCH_OUT)
		doubt_last(load, of, last->start_ns); /* it ran and slept unseen: nothing says when */
	last = last_interval(of);
	if (!last || last->state == INTERVAL_BLOCKED || last->state == INTERVAL_UNKNOWN) {
		begin(of, INTERVAL_RUNNABLE, index, time_ns);
		load->threads.items[target].early_wake_ns = 0;
	} else if (last->state == INTERVAL_RUNNING && target != waker) {
		load->threads.items[target].early_wake_ns = time_ns;
		load->threads.items[target].early_wake = index;
	}
}

/* A thread that entered a waiting function of the VM is no longer in it once it does what no waiting thread does. */
void schedule_note(struct load *load, uint32_t thread, const struct event_header *event)
{
	struct thread_state *state = &load->threads.items[thread];

	if (state->wait_reason == 0)
		return;
	switch ((enum event_kind)event->kind) {
	case EVENT_SWITCH_OUT:
	case EVENT_SWITCH_IN:
	case EVENT_INTERRUPT:
	case EVENT_FAULT:
	case EVENT_VM_WAIT:
		return;
	case EVENT_SYSCALL: {
		enum call_class class = model_call_class(load->model, ((const struct event_syscall *)event)->number);

		if (class == CALL_FUTEX || class == CALL_SLEEP || class == CALL_OTHER)
			return;
		break;
	}
	case EVENT_SAMPLE: {
		const struct event_sample *sample = (const struct event_sample *)event;

		if (sample->mode != SAMPLE_USER || sample->code == CODE_VM || sample->code == CODE_NATIVE ||
		    sample->code == CODE_UNKNOWN)
			return;
		break;
	}
	default:
		break;
	}
	state->wait_reason = 0;
}

/* An exited thread whose last switch was not seen ends with its exit. */
void schedule_finish(struct load *load)
{
	struct model *model = load->model;

	model->end_ns = load->last_event_ns;
	for vec_each(thread, &model->threads.list) {
		struct interval *last = last_interval(thread);

		if (thread->ended_ns && last && last->state != INTERVAL_ENDED)
			begin(thread, INTERVAL_ENDED, NO_INDEX,
			      thread->ended_ns > last->start_ns ? thread->ended_ns : last->start_ns);
	}

	uint64_t last_exit_ns = 0;

	for vec_each(process, &model->threads.processes) {
		if (process->ended_ns == 0)
			return;
		if (process->ended_ns > last_exit_ns)
			last_exit_ns = process->ended_ns;
	}
	if (last_exit_ns)
		model->end_ns = last_exit_ns;
}

/* ---- questions ---- */

uint32_t model_interval_at(const struct model *model, uint32_t thread, uint64_t time_ns)
{
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;
	size_t after = first_where(intervals->count, i, intervals->items[i].start_ns > time_ns);

	return after ? (uint32_t)(after - 1) : NO_INDEX;
}

uint64_t model_interval_end(const struct model *model, uint32_t thread, uint32_t interval)
{
	const struct thread *of = &model->threads.list.items[thread];

	if (interval + 1 < of->intervals.count)
		return of->intervals.items[interval + 1].start_ns;
	if (of->intervals.items[interval].state == INTERVAL_ENDED)
		return UINT64_MAX;
	return model->end_ns > of->intervals.items[interval].start_ns ? model->end_ns
								      : of->intervals.items[interval].start_ns;
}

uint32_t model_interval_wake(const struct model *model, uint32_t thread, uint32_t interval)
{
	const struct intervals *intervals = &model->threads.list.items[thread].intervals;

	if (interval + 1 >= intervals->count)
		return NO_INDEX;

	const struct interval *next = &intervals->items[interval + 1];

	if (next->state != INTERVAL_RUNNABLE || next->event == NO_INDEX ||
	    model->events[next->event]->kind != EVENT_WAKE)
		return NO_INDEX;
	return next->event;
}

/* What a call may wait for, by the parser's classes. lseek is of no class there. */
static enum call_class class_of(enum syscall_arch arch, uint32_t number)
{
	switch (syscall_class_of(arch, number)) {
	case SYSCALL_CLASS_FUTEX:
		return CALL_FUTEX;
	case SYSCALL_CLASS_POLL:
		return CALL_POLL;
	case SYSCALL_CLASS_SLEEP:
		return CALL_SLEEP;
	case SYSCALL_CLASS_CHILD:
		return CALL_CHILD;
	case SYSCALL_CLASS_READ:
		return CALL_READ;
	case SYSCALL_CLASS_WRITE:
		return CALL_WRITE;
	case SYSCALL_CLASS_SOCKET_READ:
		return CALL_RECEIVE;
	case SYSCALL_CLASS_SOCKET_WRITE:
		return CALL_SEND;
	case SYSCALL_CLASS_ACCEPT:
		return CALL_ACCEPT;
	case SYSCALL_CLASS_CONNECT:
		return CALL_CONNECT;
	case SYSCALL_CLASS_RANDOM:
		return CALL_RANDOM;
	case SYSCALL_CLASS_IO_URING:
		return CALL_URING;
	case SYSCALL_CLASS_SYNC:
		return CALL_SYNC;
	case SYSCALL_CLASS_MAP:
	case SYSCALL_CLASS_MEMORY:
		return CALL_MEMORY;
	case SYSCALL_CLASS_LOOKUP:
		return CALL_STAT;
	case SYSCALL_CLASS_OPEN:
		return CALL_OPEN;
	case SYSCALL_CLASS_CLOSE:
		return CALL_CLOSE;
	default:
		return CALL_OTHER;
	}
}

enum call_class model_call_class(const struct model *model, uint32_t number)
{
	return number < CALL_TABLE_SIZE ? (enum call_class)model->call_classes[number] : CALL_OTHER;
}

void schedule_prepare(struct load *load)
{
	struct model *model = load->model;
	uint32_t seek;

	model->arch = (uint8_t)load->arch;
	for (uint32_t number = 0; number < CALL_TABLE_SIZE; number++)
		model->call_classes[number] = (uint8_t)class_of(load->arch, number);
	if (syscall_number(load->arch, "lseek", &seek) && seek < CALL_TABLE_SIZE)
		model->call_classes[seek] = CALL_SEEK;
}

const char *model_call_name(const struct model *model, uint32_t number)
{
	const char *name = syscall_name((enum syscall_arch)model->arch, number);

	return name ? name : "system call";
}
