/* The processes of the traced tree that live now, from the records of forks and ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/map.h"
#include "bpf/events.h"

struct tree {
	struct map processes; /* pid → 1 */
};

void tree_add(struct tree *tree, pid_t pid);
void tree_remove(struct tree *tree, pid_t pid);
bool tree_has(const struct tree *tree, pid_t pid);
size_t tree_count(const struct tree *tree);

/* Sends a signal to every process of the tree. */
void tree_signal(const struct tree *tree, int signal);

/* Removes processes whose end was not seen (a lost record): those that are gone. */
void tree_prune(struct tree *tree);

void tree_done(struct tree *tree);
