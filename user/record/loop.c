/* The recorder's loop: one thread, woken by the kernel's urgent records, signals, the client, and a timer on whose ticks the
 * data ring is emptied. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "record/session.h"

static void take_signals(struct session *session)
{
	struct signalfd_siginfo info;

	while (read(session->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			tracer_handle(&session->tracer);
		else
			plan_on_signal(session, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
	}
}

struct err *loop_run(struct session *session)
{
	struct pollfd polled[] = {
		{.fd = ring_buffer__epoll_fd(session->rings), .events = POLLIN},
		{.fd = session->signal_fd, .events = POLLIN},
		{.fd = session->timer_fd, .events = POLLIN},
		{.fd = session->client ? client_fd(session->client) : -1, .events = POLLIN},
	};
	enum { RING, SIGNAL, TIMER, CLIENT, COUNT };

	while (session->stage != PLAN_OVER) {
		if (poll(polled, COUNT, -1) < 0 && errno != EINTR)
			return err_errno(ERR_FAILED, errno, "cannot wait for events");
		/* Stops first: a held process must not wait for anything else. */
		if (polled[SIGNAL].revents)
			take_signals(session);
		if (polled[RING].revents)
			consumer_take(session);
		if (polled[CLIENT].revents)
			plan_on_client(session);
		if (polled[TIMER].revents) {
			uint64_t ticks;

			if (read(session->timer_fd, &ticks, sizeof(ticks)) < 0 && errno != EAGAIN)
				return err_errno(ERR_FAILED, errno, "cannot read the timer");
			consumer_take(session);
			/* A stop whose SIGCHLD merged with another's is found here. */
			tracer_handle(&session->tracer);
			libraries_tick(&session->libraries);
			plan_on_tick(session);
		}
	}
	return NULL;
}
