/* Texts of /proc and of cgroup files: bytes in, structs out. Reads no file itself.
 *
 * Iterators take a `struct procfs_text` (a cursor over borrowed bytes) and return false at the end; lines that cannot
 * be understood are skipped, so a kernel that writes more or less does no harm. Strings point into the text, are not
 * NUL-terminated and come with a length; procfs_unescape undoes the kernel's \012 form. Sizes are bytes (the kernel's
 * kB times 1024), PROCFS_UNKNOWN where the kernel did not say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCFS_UNKNOWN UINT64_MAX /* the text does not hold the field */
#define PROCFS_UNLIMITED (UINT64_MAX - 1)

struct procfs_text {
	const char *next, *end;
};

struct procfs_string {
	const char *text;
	size_t length_bytes;
};

static inline struct procfs_text procfs_text(const char *text, size_t length_bytes)
{
	return (struct procfs_text){.next = text, .end = text + length_bytes};
}

/* Undoes \ooo escapes; always terminates `out`; returns the length that was written (cut to out_bytes - 1). */
size_t procfs_unescape(struct procfs_string string, char *out, size_t out_bytes);
bool procfs_string_is(struct procfs_string string, const char *text);

/* ---- /proc/PID/maps, smaps ---- */

struct procfs_map {
	uint64_t start, end, offset, inode;
	uint32_t device_major, device_minor;
	bool is_readable, is_writable, is_executable, is_shared;
	bool is_deleted;	   /* " (deleted)" was taken off the name */
	struct procfs_string name; /* path, "[heap]", "[stack]", "[anon:NAME]", or empty; escaped as in the file */
};

bool procfs_maps_next(struct procfs_text *text, struct procfs_map *ret_map);

struct procfs_smap {
	struct procfs_map map;
	uint64_t size_bytes, rss_bytes, pss_bytes, shared_clean_bytes, shared_dirty_bytes, private_clean_bytes,
		private_dirty_bytes;
	uint64_t anonymous_bytes, anonymous_huge_bytes, swap_bytes, referenced_bytes, lazy_free_bytes, locked_bytes;
};

bool procfs_smaps_next(struct procfs_text *text, struct procfs_smap *ret_smap);

/* ---- /proc/PID/status, stat, limits, cmdline, auxv ---- */

struct procfs_status {
	struct procfs_string name; /* escaped as in the file */
	char state;		   /* 0: unknown */
	uint64_t tgid, pid, parent_pid, tracer_pid;
	uint64_t uid[4], gid[4]; /* real, effective, saved, file system */
	uint64_t inner_tgid;	 /* in the process's own pid namespace: NStgid's last */
	uint64_t vm_peak_bytes, vm_size_bytes, vm_locked_bytes, vm_hwm_bytes, vm_rss_bytes, rss_anon_bytes,
		rss_file_bytes, rss_shmem_bytes, vm_data_bytes, vm_stack_bytes, vm_swap_bytes;
	uint64_t threads;
	uint64_t signals_pending, signals_shared_pending, signals_blocked, signals_ignored,
		signals_caught; /* masks, bit N-1 */
	uint64_t capabilities_effective;
	uint64_t no_new_privileges, seccomp;
	uint64_t voluntary_switches, involuntary_switches;
};

void procfs_status_parse(const char *text, size_t length_bytes, struct procfs_status *ret_status);

struct procfs_stat {
	uint64_t pid;
	struct procfs_string name; /* may hold blanks, parentheses and newlines */
	char state;
	uint64_t parent_pid, process_group, session;
	int64_t terminal_process_group;
	uint64_t flags, minor_faults, child_minor_faults, major_faults, child_major_faults;
	uint64_t user_ticks, system_ticks, child_user_ticks, child_system_ticks;
	uint64_t threads, start_ticks, virtual_bytes, rss_pages;
	uint64_t last_cpu, block_io_delay_ticks, guest_ticks; /* PROCFS_UNKNOWN on kernels without */
};

/* False where it is not such a line. */
bool procfs_stat_parse(const char *text, size_t length_bytes, struct procfs_stat *ret_stat);

struct procfs_limit {
	struct procfs_string name;  /* "Max open files" */
	uint64_t soft, hard;	    /* PROCFS_UNLIMITED */
	struct procfs_string units; /* may be empty */
};

bool procfs_limits_next(struct procfs_text *text, struct procfs_limit *ret_limit);

/* The NUL-separated strings of cmdline and environ. */
bool procfs_strings_next(struct procfs_text *text, struct procfs_string *ret_string);

/* A 64-bit process's auxv: the value of `type` (AT_... of <elf.h>). */
bool procfs_auxv_find(const void *bytes, size_t length_bytes, uint64_t type, uint64_t *ret_value);

/* ---- /proc/stat ---- */

struct procfs_cpu {
	int cpu; /* -1: the sum of all */
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal, guest,
		guest_nice; /* ticks; PROCFS_UNKNOWN if absent */
};

bool procfs_cpu_next(struct procfs_text *text, struct procfs_cpu *ret_cpu);

/* ---- mounts and cgroups ---- */

struct procfs_mount {
	uint64_t id, parent_id;
	uint32_t device_major, device_minor;
	struct procfs_string root, point, options, type, source, super_options; /* escaped as in the file */
};

bool procfs_mountinfo_next(struct procfs_text *text, struct procfs_mount *ret_mount);

struct procfs_cgroup {
	uint64_t hierarchy;		  /* 0: version 2 */
	struct procfs_string controllers; /* "cpu,cpuacct", "name=systemd"; empty in version 2 */
	struct procfs_string path;
};

bool procfs_cgroup_next(struct procfs_text *text, struct procfs_cgroup *ret_cgroup);

/* The folder of the process's cgroup for `controller` ("cpu", "memory"): where version 1 has that controller mounted,
 * that one, else version 2's. Texts are /proc/PID/cgroup and /proc/PID/mountinfo (or our own). *ret_version is 1
 * or 2. False where none is mounted, the cgroup lies outside the mount's root, or the path does not fit. */
bool procfs_cgroup_folder(const char *cgroup, size_t cgroup_bytes, const char *mountinfo, size_t mountinfo_bytes,
			  const char *controller, char *folder, size_t folder_bytes, int *ret_version);

/* cpu.max: microseconds; quota PROCFS_UNLIMITED for "max". */
bool procfs_cpu_max_parse(const char *text, size_t length_bytes, uint64_t *ret_quota_us, uint64_t *ret_period_us);

/* A file with one number (cpu.cfs_quota_us, memory.max, memory.peak, memory.limit_in_bytes ...). "max", negative
 * numbers and what version 1 writes for no limit (beyond 2^62) are PROCFS_UNLIMITED. */
bool procfs_number_parse(const char *text, size_t length_bytes, uint64_t *ret_value);

struct procfs_cpu_stat { /* cpu.stat of both versions, times in ns; PROCFS_UNKNOWN if absent */
	uint64_t periods, throttled_periods, throttled_ns, usage_ns, user_ns, system_ns, bursts, burst_ns;
};

void procfs_cpu_stat_parse(const char *text, size_t length_bytes, struct procfs_cpu_stat *ret_stat);

struct procfs_memory_events { /* memory.events, or memory.oom_control of version 1 (under_oom, oom_kill);
				 PROCFS_UNKNOWN if absent */
	uint64_t low, high, max, oom, oom_kill, oom_group_kill;
	uint64_t oom_kill_disable, under_oom;
};

void procfs_memory_events_parse(const char *text, size_t length_bytes, struct procfs_memory_events *ret_events);

/* Any "key value" text: the number after `key`; PROCFS_UNKNOWN if absent. */
uint64_t procfs_key_value(const char *text, size_t length_bytes, const char *key);
