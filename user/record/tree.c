#include "record/tree.h"

#include <errno.h>
#include <signal.h>

void tree_add(struct tree *tree, pid_t pid)
{
	map_set(&tree->processes, (uint64_t)pid, 1, NULL);
}

void tree_remove(struct tree *tree, pid_t pid)
{
	map_remove(&tree->processes, (uint64_t)pid);
}

bool tree_has(const struct tree *tree, pid_t pid)
{
	return map_find(&tree->processes, (uint64_t)pid) != NULL;
}

size_t tree_count(const struct tree *tree)
{
	return tree->processes.count;
}

void tree_signal(const struct tree *tree, int signal)
{
	for (size_t i = 0; i < tree->processes.capacity; i++)
		if (tree->processes.slots[i].used)
			kill((pid_t)tree->processes.slots[i].key, signal);
}

void tree_prune(struct tree *tree)
{
	pid_t gone;

	/* A removal moves later slots: each is followed by a new look. */
	do {
		gone = 0;
		for (size_t i = 0; i < tree->processes.capacity && !gone; i++)
			if (tree->processes.slots[i].used && kill((pid_t)tree->processes.slots[i].key, 0) != 0 &&
			    errno == ESRCH)
				gone = (pid_t)tree->processes.slots[i].key;
		if (gone)
			tree_remove(tree, gone);
	} while (gone);
}

void tree_done(struct tree *tree)
{
	map_done(&tree->processes);
}
