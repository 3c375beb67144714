/* Taking probes off the kernel: each waits for others of the kernel's CPUs, up to some 40 ms on a busy machine, and a run has
 * thirty of them. They wait side by side, on threads of their own. */
#pragma once

#include <stdbool.h>

#include "record/probes.h"
#include "record/uprobe.h"

/* Takes over all links and empties both lists. In the background it returns at once: until they are off, records may still be
 * made that nobody reads, and the process's end waits for what is left. Otherwise all are off when it returns. */
void detach_links(struct probes *probes, struct uprobe_links *uprobes, bool in_background);
