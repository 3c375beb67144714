/* Ctrl-C while several things are run one after another: noticed, and acted on between them.
 *
 * Recorded runs take signals through a descriptor of their own; this is for the time between them. */
#pragma once

#include <stdbool.h>

struct interruption {
	bool is_on;
};

/* From here to interruption_end SIGINT, SIGTERM, SIGHUP and SIGQUIT are noticed only. Those that were ignored stay
 * so. */
void interruption_begin(struct interruption *interruption);
void interruption_end(struct interruption *interruption);
bool interruption_seen(void);
