/* Any text to every parser of parse/procfs: nothing outside the text may be named, and iterators must come to an end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                                              \
	do {                                                                                                         \
		if (!(condition)) {                                                                                  \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
			abort();                                                                                     \
		}                                                                                                    \
	} while (0)

static void inside(const char *text, size_t size, struct procfs_string string)
{
	char out[64];

	if (string.length_bytes == 0)
		return;
	MUST(string.text >= text && string.text + string.length_bytes <= text + size);
	MUST(procfs_unescape(string, out, sizeof(out)) < sizeof(out));
}

static void iterate(const char *text, size_t size)
{
	struct procfs_text cursor = procfs_text(text, size);

	for (struct procfs_map map; procfs_maps_next(&cursor, &map);) {
		inside(text, size, map.name);
		MUST(map.start <= map.end);
	}
	cursor = procfs_text(text, size);
	for (struct procfs_smap smap; procfs_smaps_next(&cursor, &smap);)
		inside(text, size, smap.map.name);
	cursor = procfs_text(text, size);
	for (struct procfs_limit limit; procfs_limits_next(&cursor, &limit);) {
		inside(text, size, limit.name);
		inside(text, size, limit.units);
	}
	cursor = procfs_text(text, size);
	for (struct procfs_string string; procfs_strings_next(&cursor, &string);)
		inside(text, size, string);
	cursor = procfs_text(text, size);
	for (struct procfs_cpu cpu; procfs_cpu_next(&cursor, &cpu);)
		MUST(cpu.cpu >= -1);
	cursor = procfs_text(text, size);
	for (struct procfs_mount mount; procfs_mountinfo_next(&cursor, &mount);) {
		inside(text, size, mount.root);
		inside(text, size, mount.point);
		inside(text, size, mount.super_options);
	}
	cursor = procfs_text(text, size);
	for (struct procfs_cgroup cgroup; procfs_cgroup_next(&cursor, &cgroup);) {
		inside(text, size, cgroup.controllers);
		inside(text, size, cgroup.path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + !size), folder[64];
	struct procfs_status status;
	struct procfs_stat stat;
	struct procfs_cpu_stat cpu_stat;
	struct procfs_memory_events events;
	uint64_t first, second;
	int version;
	size_t half = size / 2;

	memcpy(text, data, size);
	iterate(text, size);
	procfs_status_parse(text, size, &status);
	inside(text, size, status.name);
	if (procfs_stat_parse(text, size, &stat))
		inside(text, size, stat.name);
	procfs_auxv_find(text, size, 6, &first);
	if (procfs_cpu_max_parse(text, size, &first, &second))
		MUST(second > 0);
	procfs_number_parse(text, size, &first);
	procfs_cpu_stat_parse(text, size, &cpu_stat);
	procfs_memory_events_parse(text, size, &events);
	procfs_key_value(text, size, "max");
	if (procfs_cgroup_folder(text, half, text + half, size - half, "cpu", folder, sizeof(folder), &version))
		MUST(strlen(folder) < sizeof(folder) && (version == 1 || version == 2));
	free(text);
	return 0;
}
