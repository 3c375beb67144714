/* Facts in the texts of /proc and of the cgroup that the recorder took at moments of the run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/events.h"
#include "model/mappings.h"
#include "model/texts.h"

/* One mapping of a smaps snapshot. */
struct memory_line {
	uint64_t start, end;
	uint64_t rss_bytes, pss_bytes, huge_bytes; /* 0 where the kernel did not say */
	enum region_kind kind;
	bool is_accessible; /* it may be read, written or executed: else it is address space alone */
};

typedef void memory_line_function(void *context, const struct memory_line *line);

/* Calls `function` for each mapping of a snapshot (a proc text of file PROC_FILE_SMAPS), in order of address. */
void model_memory_lines(const struct model *model, const struct proc_text *smaps, memory_line_function *function,
			void *context);

/* Whether a snapshot of the process's mappings has this file; *ret_is_known says whether there is any snapshot. */
bool model_snapshot_has_file(const struct model *model, uint32_t pid, const char *path, bool *ret_is_known);

/* The first file with such an ending in any snapshot of the process's mappings. */
bool model_snapshot_find(const struct model *model, uint32_t pid, const char *ending, char *ret_path, size_t capacity);

#define SNAPSHOT_UNKNOWN UINT64_MAX

/* A cgroup's memory in bytes, and its counters of events since it was made. SNAPSHOT_UNKNOWN where not told. */
struct cgroup_memory {
	uint64_t current_bytes, peak_bytes, limit_bytes, oom, oom_kill, max;
};

/* The last such snapshot of a moment; false where there is none. */
bool model_cgroup_memory(const struct model *model, enum moment moment, struct cgroup_memory *ret_memory);

struct cgroup_cpu {
	uint64_t time_ns; /* when they were read */
	uint64_t periods, throttled_periods, throttled_ns, usage_ns; /* counters since the cgroup was made */
};

bool model_cgroup_cpu(const struct model *model, enum moment moment, struct cgroup_cpu *ret_cpu);

/* What the hypervisor had taken from all CPUs of the machine up to a moment, counted from its start in steps of 10 ms. False
 * where it was not told. */
bool model_stolen_ns(const struct model *model, enum moment moment, uint64_t *ret_stolen_ns);
