/* Takes records from the kernel's rings: data into the recording, the urgent few to whom they concern. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>

#include "base/auto.h"
#include "record/session.h"
#include "record/snapshot.h"

static int on_event(void *context, void *data, size_t size)
{
	struct session *session = context;
	const struct event_header *event = data;

	if (size < sizeof(*event))
		return 0;
	switch (event->kind) {
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
		archives_see(&session->archives, event);
		break;
	case EVENT_SOCKET_ARRIVAL:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
	case EVENT_SOCKET_CLOSE:
		event = live_feed(&session->live, event);
		break;
	case EVENT_FORK: {
		const struct event_fork *fork = data;

		if (fork->child_pid != event->pid)
			tree_add(&session->tree, (pid_t)fork->child_pid);
		break;
	}
	case EVENT_CLASS_LOADED:
		libraries_see_class(&session->libraries, data);
		break;
	case EVENT_STACK:
		output_event(&session->output, stack_ids_shorten(&session->stack_ids, event));
		libraries_see_stack(&session->libraries, data);
		return 0;
	}
	output_event(&session->output, stack_ids_shorten(&session->stack_ids, event));
	return 0;
}

static int on_urgent(void *context, void *data, size_t size)
{
	struct session *session = context;
	const struct event_header *event = data;

	if (size < sizeof(*event))
		return 0;
	switch (event->kind) {
	case EVENT_EXEC:
		libraries_process_execed(&session->libraries, (pid_t)event->pid);
		snapshot_process(&session->output, (pid_t)event->pid, MOMENT_EXEC);
		if ((pid_t)event->pid == session->command.pid &&
		    cgroup_folders_follow((pid_t)event->pid, &session->cgroup))
			snapshot_cgroup(&session->output, &session->cgroup, (pid_t)event->pid, MOMENT_EXEC);
		break;
	case EVENT_FORK:
		/* A process that was let go forks untraced children: each is seized as soon as its fork is seen. */
		tracer_seize(&session->tracer, (pid_t)((const struct event_fork *)data)->child_pid);
		break;
	case EVENT_EXIT:
		tree_remove(&session->tree, (pid_t)event->pid);
		libraries_process_ended(&session->libraries, (pid_t)event->pid);
		plan_on_process_end(session, (pid_t)event->pid, (int)((const struct event_exit *)data)->status, false);
		break;
	case EVENT_FILE_MAP:
		/* In a held process the tracer's stop comes with it and does the attaching. */
		if (!session->tracer.is_enabled || !map_find(&session->tracer.tasks, event->tid))
			libraries_attach(&session->libraries, (pid_t)event->pid, false);
		break;
	case EVENT_JVM_STATE:
		if (((const struct event_jvm_state *)data)->state == JVM_STATE_CREATE)
			map_set(&session->vms_created, event->pid, event->time_ns, NULL);
		libraries_jvm_state(&session->libraries, (pid_t)event->pid,
				    (enum jvm_state)((const struct event_jvm_state *)data)->state);
		break;
	case EVENT_SOCKET_ARRIVAL:
		probes_set_in_request(&session->probes, true);
		break;
	case EVENT_SOCKET_LISTEN:
		plan_on_listening(session, data);
		break;
	case EVENT_SOCKET_READY: {
		const struct event_socket_ready *ready = data;

		plan_on_ready(session, (uint16_t)ready->port, (pid_t)event->pid, true);
		break;
	}
	}
	return 0;
}

struct err *consumer_open(struct session *session)
{
	session->rings = ring_buffer__new(probes_events_fd(&session->probes), on_event, session, NULL);
	if (!session->rings || ring_buffer__add(session->rings, probes_urgent_fd(&session->probes), on_urgent, session) != 0)
		return err_errno(ERR_FAILED, errno, "cannot read the probes' ring buffers");
	return NULL;
}

void consumer_take(struct session *session)
{
	ring_buffer__consume(session->rings);
}

void consumer_close(struct session *session)
{
	ring_buffer__free(session->rings);
	session->rings = NULL;
}
