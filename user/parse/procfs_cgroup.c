/* Mounts, and the cgroup that a process is in: its folder, its limits and its counters, in both versions. */
#include <string.h>

#include "parse/procfs_scan.h"

static bool parse_mount(struct procfs_text line, struct procfs_mount *ret_mount)
{
	struct procfs_mount mount = {};
	struct procfs_string word;

	if (!scan_unsigned(&line, 10, &mount.id) || !scan_byte(&line, ' ') ||
	    !scan_unsigned(&line, 10, &mount.parent_id) || !scan_byte(&line, ' ') ||
	    !scan_device(&line, 10, &mount.device_major, &mount.device_minor) || !scan_byte(&line, ' '))
		return false;
	mount.root = scan_word(&line);
	scan_byte(&line, ' ');
	mount.point = scan_word(&line);
	scan_byte(&line, ' ');
	mount.options = scan_word(&line);
	/* Any number of optional fields, ended by a lone dash. */
	do {
		if (!scan_byte(&line, ' '))
			return false;
		word = scan_word(&line);
	} while (!procfs_string_is(word, "-"));
	if (!scan_byte(&line, ' '))
		return false;
	mount.type = scan_word(&line);
	scan_byte(&line, ' ');
	mount.source = scan_word(&line);
	scan_byte(&line, ' ');
	mount.super_options = scan_word(&line);
	*ret_mount = mount;
	return true;
}

bool procfs_mountinfo_next(struct procfs_text *text, struct procfs_mount *ret_mount)
{
	struct procfs_text line;

	while (scan_line(text, &line))
		if (parse_mount(line, ret_mount))
			return true;
	return false;
}

bool procfs_cgroup_next(struct procfs_text *text, struct procfs_cgroup *ret_cgroup)
{
	struct procfs_text line;

	while (scan_line(text, &line)) {
		struct procfs_cgroup cgroup = {};
		const char *colon;

		if (!scan_unsigned(&line, 10, &cgroup.hierarchy) || !scan_byte(&line, ':'))
			continue;
		/* A named hierarchy's name has no colon, the path may have some. */
		colon = memchr(line.next, ':', (size_t)(line.end - line.next));
		if (!colon)
			continue;
		cgroup.controllers =
			(struct procfs_string){.text = line.next, .length_bytes = (size_t)(colon - line.next)};
		line.next = colon + 1;
		cgroup.path = scan_rest(&line);
		*ret_cgroup = cgroup;
		return true;
	}
	return false;
}

/* Whether a comma-separated list holds the word. */
static bool list_has(struct procfs_string list, const char *word)
{
	size_t length = strlen(word), at = 0;

	while (at <= list.length_bytes) {
		size_t end = at;

		while (end < list.length_bytes && list.text[end] != ',')
			end++;
		if (end - at == length && memcmp(list.text + at, word, length) == 0)
			return true;
		at = end + 1;
	}
	return false;
}

static bool find_cgroup(struct procfs_text text, const char *controller, struct procfs_cgroup *ret_cgroup)
{
	while (procfs_cgroup_next(&text, ret_cgroup))
		if (controller ? list_has(ret_cgroup->controllers, controller)
			       : ret_cgroup->hierarchy == 0 && ret_cgroup->controllers.length_bytes == 0)
			return true;
	return false;
}

/* Mount point, plus what of the cgroup's path lies below the mount's root. */
static bool join_folder(const struct procfs_mount *mount, struct procfs_string path, char *folder,
			size_t folder_bytes)
{
	char root[4096], inside[4096];
	size_t root_length = procfs_unescape(mount->root, root, sizeof(root));
	size_t inside_length = procfs_unescape(path, inside, sizeof(inside));
	size_t length = procfs_unescape(mount->point, folder, folder_bytes);
	const char *below = inside;

	if (mount->root.length_bytes >= sizeof(root) || path.length_bytes >= sizeof(inside) ||
	    mount->point.length_bytes >= folder_bytes || inside_length == 0 || inside[0] != '/')
		return false;
	/* "/.." is what a cgroup namespace shows of a group above its own root. */
	if (strncmp(inside, "/..", 3) == 0 && (inside[3] == '/' || inside[3] == '\0'))
		return false;
	if (root_length > 1) {
		if (strncmp(inside, root, root_length) != 0 ||
		    (inside[root_length] != '/' && inside[root_length] != '\0'))
			return false;
		below += root_length;
	}
	if (strcmp(below, "/") == 0)
		below++;
	if (length + strlen(below) >= folder_bytes)
		return false;
	strcpy(folder + length, below);
	return length > 0;
}

/* A hierarchy may be mounted several times, some of them showing only a part of it: the last mount that shows the
 * group. */
static bool find_folder(struct procfs_text mounts, const char *controller, struct procfs_string path, char *folder,
			size_t folder_bytes)
{
	struct procfs_mount mount, shown;
	bool is_found = false;

	while (procfs_mountinfo_next(&mounts, &mount)) {
		if (!procfs_string_is(mount.type, controller ? "cgroup" : "cgroup2") ||
		    (controller && !list_has(mount.super_options, controller)) ||
		    !join_folder(&mount, path, folder, folder_bytes))
			continue;
		shown = mount;
		is_found = true;
	}
	return is_found && join_folder(&shown, path, folder, folder_bytes);
}

bool procfs_cgroup_folder(const char *cgroup, size_t cgroup_bytes, const char *mountinfo, size_t mountinfo_bytes,
			  const char *controller, char *folder, size_t folder_bytes, int *ret_version)
{
	struct procfs_text cgroups = procfs_text(cgroup, cgroup_bytes);
	struct procfs_text mounts = procfs_text(mountinfo, mountinfo_bytes);
	const char *const kinds[] = {controller, NULL};

	for (int version = 1; version <= 2; version++) {
		const char *kind = kinds[version - 1];
		struct procfs_cgroup group;

		if (!find_cgroup(cgroups, kind, &group) ||
		    !find_folder(mounts, kind, group.path, folder, folder_bytes))
			continue;
		*ret_version = version;
		return true;
	}
	return false;
}

/* ---- limits and counters ---- */

bool procfs_cpu_max_parse(const char *text, size_t length_bytes, uint64_t *ret_quota_us, uint64_t *ret_period_us)
{
	struct procfs_text rest = procfs_text(text, length_bytes), line;
	uint64_t quota, period;
	struct procfs_string word;

	if (!scan_line(&rest, &line))
		return false;
	word = scan_word(&line);
	if (!procfs_number_parse(word.text, word.length_bytes, &quota))
		return false;
	scan_blanks(&line);
	if (!scan_unsigned(&line, 10, &period) || period == 0)
		return false;
	*ret_quota_us = quota;
	*ret_period_us = period;
	return true;
}

bool procfs_number_parse(const char *text, size_t length_bytes, uint64_t *ret_value)
{
	struct procfs_text rest = procfs_text(text, length_bytes), line;
	uint64_t value;

	if (!scan_line(&rest, &line))
		return false;

	bool is_negative = scan_byte(&line, '-');

	if (line.end - line.next >= 3 && memcmp(line.next, "max", 3) == 0)
		value = PROCFS_UNLIMITED;
	else if (!scan_unsigned(&line, 10, &value))
		return false;
	if (is_negative || value >= 1ull << 62)
		value = PROCFS_UNLIMITED;
	*ret_value = value;
	return true;
}

uint64_t procfs_key_value(const char *text, size_t length_bytes, const char *key)
{
	struct procfs_text rest = procfs_text(text, length_bytes), line;
	uint64_t value;

	while (scan_line(&rest, &line)) {
		if (!procfs_string_is(scan_word(&line), key))
			continue;
		scan_blanks(&line);
		return scan_unsigned(&line, 10, &value) ? value : PROCFS_UNKNOWN;
	}
	return PROCFS_UNKNOWN;
}

/* Microseconds to nanoseconds. */
static uint64_t key_us(const char *text, size_t length_bytes, const char *key)
{
	uint64_t value = procfs_key_value(text, length_bytes, key);

	return value == PROCFS_UNKNOWN || __builtin_mul_overflow(value, 1000, &value) ? PROCFS_UNKNOWN : value;
}

void procfs_cpu_stat_parse(const char *text, size_t length_bytes, struct procfs_cpu_stat *ret_stat)
{
	struct procfs_cpu_stat stat = {
		.periods = procfs_key_value(text, length_bytes, "nr_periods"),
		.throttled_periods = procfs_key_value(text, length_bytes, "nr_throttled"),
		.throttled_ns = key_us(text, length_bytes, "throttled_usec"),
		.usage_ns = key_us(text, length_bytes, "usage_usec"),
		.user_ns = key_us(text, length_bytes, "user_usec"),
		.system_ns = key_us(text, length_bytes, "system_usec"),
		.bursts = procfs_key_value(text, length_bytes, "nr_bursts"),
		.burst_ns = key_us(text, length_bytes, "burst_usec"),
	};

	/* Version 1 writes nanoseconds. */
	if (stat.throttled_ns == PROCFS_UNKNOWN)
		stat.throttled_ns = procfs_key_value(text, length_bytes, "throttled_time");
	if (stat.burst_ns == PROCFS_UNKNOWN)
		stat.burst_ns = procfs_key_value(text, length_bytes, "burst_time");
	*ret_stat = stat;
}

void procfs_memory_events_parse(const char *text, size_t length_bytes, struct procfs_memory_events *ret_events)
{
	*ret_events = (struct procfs_memory_events){
		.low = procfs_key_value(text, length_bytes, "low"),
		.high = procfs_key_value(text, length_bytes, "high"),
		.max = procfs_key_value(text, length_bytes, "max"),
		.oom = procfs_key_value(text, length_bytes, "oom"),
		.oom_kill = procfs_key_value(text, length_bytes, "oom_kill"),
		.oom_group_kill = procfs_key_value(text, length_bytes, "oom_group_kill"),
		.oom_kill_disable = procfs_key_value(text, length_bytes, "oom_kill_disable"),
		.under_oom = procfs_key_value(text, length_bytes, "under_oom"),
	};
}
