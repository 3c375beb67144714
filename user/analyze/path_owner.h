/* Whose path it is, where requests were served at the same time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyze/path.h"

/* What in a path contradicts what is known of its request: when its first bytes were read, it was with the thread that
 * read them, that thread passed it on before it read another request, and did not come back to it by answering another
 * one. (A loop that does all work itself goes through the end of another's answer rightly, and nothing else can be
 * found: the request waits its turn.) */
struct path_contradiction {
	uint64_t others_ns;    /* how long the path is with others' work at least; 0: there is no contradiction */
	uint64_t strays_at_ns; /* from when on nothing proves that it is the request's; UINT64_MAX: it may wait its turn */
};

struct path_contradiction path_contradiction_of(const struct model *model, const struct request *request,
						const struct path *path);

/* Takes back what a path that strays says. A record that would lead it back to its request may be among those that
 * are missing: from where it strays to the last of them it proves nothing. Where none is missing it stands: the
 * request waits for a thread to be done with others'. */
void path_doubt(struct path *path, uint64_t from_ns);
