/* Texts of /proc and of the cgroup, taken at moments of a run: memory by mapping, limits and counters of the cgroup, facts
 * about the machine. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "record/output.h"

/* Kernel, machine, processors: once per run. */
void snapshot_machine(struct output *output);

/* What all CPUs spent up to now, of which the hypervisor took some. `pid` is whom it is noted for. */
void snapshot_cpus(struct output *output, pid_t pid, enum moment moment);

/* Where the figures of a process's cgroup are: found while it lives, read also after its end. */
struct cgroup_folders {
	char cpu[4096], memory[4096]; /* "": none */
	int cpu_version, memory_version;
};

void cgroup_folders_find(pid_t pid, struct cgroup_folders *ret_folders);

/* The same where the process may have been moved since, as wrappers do before they exec. True if it was; one that has ended
 * counts as where it was. */
bool cgroup_folders_follow(pid_t pid, struct cgroup_folders *folders);

/* cpu.stat and memory figures at a moment; limits as run texts when it is the exec. `pid` is whom they are noted for. */
void snapshot_cgroup(struct output *output, const struct cgroup_folders *folders, pid_t pid, enum moment moment);

/* maps alone (cheap), or smaps with it (milliseconds for a JVM). */
void snapshot_maps(struct output *output, pid_t pid, enum moment moment);
void snapshot_memory(struct output *output, pid_t pid, enum moment moment);

/* The command line, redacted, and the status of a process. */
void snapshot_process(struct output *output, pid_t pid, enum moment moment);
