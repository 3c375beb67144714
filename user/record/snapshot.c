#include "record/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/procfs.h"
#include "parse/redact.h"
#include "record/proc_file.h"

void snapshot_machine(struct output *output)
{
	struct utsname machine;

	if (uname(&machine) == 0) {
		output_text(output, "kernel", machine.release);
		output_text(output, "arch", machine.machine);
	}
	output_textf(output, "cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	output_text(output, "tool_version", WARMTRACE_VERSION);
}

static void take_text(struct output *output, pid_t pid, const char *name, enum proc_file file, enum moment moment)
{
	auto_free char *text = NULL;
	size_t length = 0;
	struct err *err = proc_file_read(pid, name, &text, &length);

	/* A process may be gone at any moment: its snapshot is then absent, which the report says as "not observed". */
	if (err)
		err_free(err);
	else if (length)
		output_proc_text(output, pid, file, moment, text, length);
}

void snapshot_maps(struct output *output, pid_t pid, enum moment moment)
{
	take_text(output, pid, "maps", PROC_FILE_MAPS, moment);
}

void snapshot_memory(struct output *output, pid_t pid, enum moment moment)
{
	take_text(output, pid, "smaps", PROC_FILE_SMAPS, moment);
	take_text(output, pid, "status", PROC_FILE_STATUS, moment);
}

void snapshot_process(struct output *output, pid_t pid, enum moment moment)
{
	auto_free char *text = NULL, *redacted = NULL;
	size_t length = 0, redacted_length = 0;
	struct err *err = proc_file_read(pid, "cmdline", &text, &length);

	if (err) {
		err_free(err);
		return;
	}
	redacted = redact_arguments(text, length, &redacted_length);
	if (redacted && redacted_length)
		output_proc_text(output, pid, PROC_FILE_CMDLINE, moment, redacted, redacted_length);
}

/* ---- the cgroup ---- */

static bool cgroup_folder(pid_t pid, const char *controller, char *folder, size_t folder_bytes, int *ret_version)
{
	auto_free char *cgroup = NULL, *mounts = NULL;
	size_t cgroup_length = 0, mounts_length = 0;
	struct err *err = proc_file_read(pid, "cgroup", &cgroup, &cgroup_length);

	if (!err)
		err = proc_file_read(getpid(), "mountinfo", &mounts, &mounts_length);
	if (err) {
		err_free(err);
		return false;
	}
	return procfs_cgroup_folder(cgroup, cgroup_length, mounts, mounts_length, controller, folder, folder_bytes,
				    ret_version);
}

/* The text of a file in the folder, or NULL; the caller frees. */
static char *folder_file(const char *folder, const char *name, size_t *ret_length)
{
	char path[4400];
	char *text = NULL;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	err_free(text_file_read(path, &text, ret_length));
	return text;
}

void snapshot_cpus(struct output *output, pid_t pid, enum moment moment)
{
	size_t length = 0;
	auto_free char *text = folder_file("/proc", "stat", &length);
	char *end = text ? memchr(text, '\n', length) : NULL;

	if (end)
		output_proc_text(output, pid, PROC_FILE_MACHINE_STAT, moment, text, (size_t)(end - text) + 1);
}

static bool folder_number(const char *folder, const char *name, uint64_t *ret_value)
{
	size_t length = 0;
	auto_free char *text = folder_file(folder, name, &length);

	return text && procfs_number_parse(text, length, ret_value);
}

static void snapshot_cpu_limit(struct output *output, const char *folder, int version)
{
	uint64_t quota_us = PROCFS_UNLIMITED, period_us = 0;

	if (version == 2) {
		size_t length = 0;
		auto_free char *text = folder_file(folder, "cpu.max", &length);

		if (!text || !procfs_cpu_max_parse(text, length, &quota_us, &period_us))
			return;
	} else if (!folder_number(folder, "cpu.cfs_quota_us", &quota_us) ||
		   !folder_number(folder, "cpu.cfs_period_us", &period_us)) {
		return;
	}
	if (quota_us != PROCFS_UNLIMITED && period_us)
		output_textf(output, "cpu_quota", "%.3f", (double)quota_us / (double)period_us);
}

static void snapshot_cgroup_memory(struct output *output, pid_t pid, const char *folder, int version, enum moment moment)
{
	static const char *const names[][2] = {
		{"memory.usage_in_bytes", "memory.current"},
		{"memory.max_usage_in_bytes", "memory.peak"},
		{"memory.limit_in_bytes", "memory.max"},
	};
	static const char *const keys[] = {"current", "peak", "limit"};
	struct procfs_memory_events events;
	auto_free char *lines = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&lines, &length);

	if (!stream)
		return;
	for (size_t i = 0; i < array_length(keys); i++) {
		uint64_t value;

		if (folder_number(folder, names[i][version - 1], &value) && value != PROCFS_UNLIMITED)
			fprintf(stream, "%s %lu\n", keys[i], (unsigned long)value);
	}

	size_t text_length = 0;
	auto_free char *text = folder_file(folder, version == 2 ? "memory.events" : "memory.oom_control", &text_length);

	if (text) {
		procfs_memory_events_parse(text, text_length, &events);
		if (events.oom != PROCFS_UNKNOWN)
			fprintf(stream, "oom %lu\n", (unsigned long)events.oom);
		if (events.oom_kill != PROCFS_UNKNOWN)
			fprintf(stream, "oom_kill %lu\n", (unsigned long)events.oom_kill);
		if (events.max != PROCFS_UNKNOWN)
			fprintf(stream, "max %lu\n", (unsigned long)events.max);
	}

	uint64_t failures;

	if (version == 1 && folder_number(folder, "memory.failcnt", &failures))
		fprintf(stream, "max %lu\n", (unsigned long)failures);
	fclose(stream);
	if (length)
		output_proc_text(output, pid, PROC_FILE_MEMORY_STAT, moment, lines, length);
}

void cgroup_folders_find(pid_t pid, struct cgroup_folders *ret_folders)
{
	if (!cgroup_folder(pid, "cpu", ret_folders->cpu, sizeof(ret_folders->cpu), &ret_folders->cpu_version))
		ret_folders->cpu[0] = 0;
	if (!cgroup_folder(pid, "memory", ret_folders->memory, sizeof(ret_folders->memory), &ret_folders->memory_version))
		ret_folders->memory[0] = 0;
}

bool cgroup_folders_follow(pid_t pid, struct cgroup_folders *folders)
{
	struct cgroup_folders now;

	cgroup_folders_find(pid, &now);
	if ((!now.cpu[0] && !now.memory[0]) ||
	    (strcmp(now.cpu, folders->cpu) == 0 && strcmp(now.memory, folders->memory) == 0))
		return false;
	*folders = now;
	return true;
}

void snapshot_cgroup(struct output *output, const struct cgroup_folders *folders, pid_t pid, enum moment moment)
{
	if (folders->cpu[0]) {
		size_t length = 0;
		auto_free char *text = folder_file(folders->cpu, "cpu.stat", &length);

		if (text && length)
			output_proc_text(output, pid, PROC_FILE_CPU_STAT, moment, text, length);
		if (moment == MOMENT_EXEC)
			snapshot_cpu_limit(output, folders->cpu, folders->cpu_version);
	}
	if (folders->memory[0]) {
		const char *limit_name = folders->memory_version == 2 ? "memory.max" : "memory.limit_in_bytes";
		uint64_t limit;

		snapshot_cgroup_memory(output, pid, folders->memory, folders->memory_version, moment);
		if (moment == MOMENT_EXEC && folder_number(folders->memory, limit_name, &limit) && limit != PROCFS_UNLIMITED)
			output_textf(output, "memory_limit", "%lu", (unsigned long)limit);
	}
}
