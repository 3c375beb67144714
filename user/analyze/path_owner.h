/* Whose path it is, where requests were served at the same time. */
#pragma once

#include <stdint.h>

#include "analyze/path.h"

/* Where the path contradicts what is known of its request: when its first bytes were read, it was with the thread
 * that read them, and that thread passed it on before it read another request. Returns from when on nothing proves
 * that it is the request's; UINT64_MAX: there is no contradiction. */
uint64_t path_strays_at(const struct model *model, const struct request *request, const struct path *path);

/* Takes back what a path that strays says. A record that would lead it back to its request may be among those that
 * are missing: from where it strays to the last of them it proves nothing. Where none is missing it stands: the
 * request waits for a thread to be done with others'. */
void path_doubt(struct path *path, uint64_t from_ns);
