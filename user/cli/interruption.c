#include "cli/interruption.h"

#include <signal.h>

#include "base/auto.h"

static volatile sig_atomic_t seen;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static void on_signal(int signal)
{
	(void)signal;
	seen = 1;
}

static void set_handlers(void (*handler)(int))
{
	for (size_t i = 0; i < array_length(signals); i++) {
		struct sigaction action = {.sa_handler = handler}, old;

		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void interruption_begin(struct interruption *interruption)
{
	seen = 0;
	interruption->is_on = true;
	set_handlers(on_signal);
}

void interruption_end(struct interruption *interruption)
{
	if (interruption->is_on)
		set_handlers(SIG_DFL);
	interruption->is_on = false;
}

bool interruption_seen(void)
{
	return seen;
}
