#include "model/snapshots.h"

#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "parse/procfs.h"

enum { NAME_BYTES = 4200 };

static uint64_t known_or_zero(uint64_t value)
{
	return value == PROCFS_UNKNOWN ? 0 : value;
}

void model_memory_lines(const struct model *model, const struct proc_text *smaps, memory_line_function *function,
			void *context)
{
	struct procfs_text cursor = procfs_text(smaps->text, smaps->length);
	uint32_t text = (uint32_t)(smaps - model->texts.proc.items), number = 0;
	struct procfs_smap smap;

	while (procfs_smaps_next(&cursor, &smap)) {
		const struct procfs_map *map = &smap.map;
		struct memory_line line = {
			.start = map->start,
			.end = map->end,
			.rss_bytes = known_or_zero(smap.rss_bytes),
			.pss_bytes = known_or_zero(smap.pss_bytes),
			.huge_bytes = known_or_zero(smap.anonymous_huge_bytes),
			.kind = model_region_of_line(model, text, number++),
			.is_accessible = map->is_readable || map->is_writable || map->is_executable,
		};

		function(context, &line);
	}
}

/* maps and smaps begin their lines alike; what smaps has between them is skipped as not understood. */
static bool text_has_file(const struct proc_text *text, const char *path)
{
	struct procfs_text cursor = procfs_text(text->text, text->length);
	struct procfs_map map;
	char name[NAME_BYTES];

	while (procfs_maps_next(&cursor, &map)) {
		if (map.name.length_bytes == 0 || map.name.text[0] != '/')
			continue;
		procfs_unescape(map.name, name, sizeof(name));
		if (strcmp(name, path) == 0)
			return true;
	}
	return false;
}

bool model_snapshot_has_file(const struct model *model, uint32_t pid, const char *path, bool *ret_is_known)
{
	*ret_is_known = false;
	for
		vec_each(text, &model->texts.proc)
		{
			/* Before the virtual machine is up it has not mapped its archives yet. */
			if (text->pid != pid || (text->file != PROC_FILE_MAPS && text->file != PROC_FILE_SMAPS) ||
			    text->moment == MOMENT_MAPPED || text->moment == MOMENT_EXEC)
				continue;
			*ret_is_known = true;
			if (text_has_file(text, path))
				return true;
		}
	return false;
}

bool model_snapshot_find(const struct model *model, uint32_t pid, const char *ending, char *ret_path, size_t capacity)
{
	for
		vec_each(text, &model->texts.proc)
		{
			struct procfs_text cursor = procfs_text(text->text, text->length);
			struct procfs_map map;

			if (text->pid != pid || (text->file != PROC_FILE_MAPS && text->file != PROC_FILE_SMAPS))
				continue;
			while (procfs_maps_next(&cursor, &map)) {
				if (map.name.length_bytes == 0 || map.name.text[0] != '/')
					continue;
				procfs_unescape(map.name, ret_path, capacity);
				if (text_ends_with(ret_path, ending))
					return true;
			}
		}
	return false;
}

static const struct proc_text *last_text(const struct model *model, enum proc_file file, enum moment moment)
{
	const struct proc_text *found = NULL;

	for
		vec_each(text, &model->texts.proc)
		{
			if (text->file == file && text->moment == moment)
				found = text;
		}
	return found;
}

bool model_cgroup_memory(const struct model *model, enum moment moment, struct cgroup_memory *ret_memory)
{
	const struct proc_text *text = last_text(model, PROC_FILE_MEMORY_STAT, moment);

	if (!text)
		return false;
	ret_memory->current_bytes = procfs_key_value(text->text, text->length, "current");
	ret_memory->peak_bytes = procfs_key_value(text->text, text->length, "peak");
	ret_memory->limit_bytes = procfs_key_value(text->text, text->length, "limit");
	ret_memory->oom = procfs_key_value(text->text, text->length, "oom");
	ret_memory->oom_kill = procfs_key_value(text->text, text->length, "oom_kill");
	ret_memory->max = procfs_key_value(text->text, text->length, "max");
	return true;
}

bool model_cgroup_cpu(const struct model *model, enum moment moment, struct cgroup_cpu *ret_cpu)
{
	const struct proc_text *text = last_text(model, PROC_FILE_CPU_STAT, moment);
	struct procfs_cpu_stat stat;

	if (!text)
		return false;
	procfs_cpu_stat_parse(text->text, text->length, &stat);
	*ret_cpu = (struct cgroup_cpu){
		.time_ns = text->time_ns,
		.periods = stat.periods,
		.throttled_periods = stat.throttled_periods,
		.throttled_ns = stat.throttled_ns,
		.usage_ns = stat.usage_ns,
	};
	return true;
}

bool model_stolen_ns(const struct model *model, enum moment moment, uint64_t *ret_stolen_ns)
{
	enum { TICK_NS = 10000000 }; /* USER_HZ is 100 on every architecture that warmtrace runs on */
	const struct proc_text *text = last_text(model, PROC_FILE_MACHINE_STAT, moment);
	struct procfs_text rest;
	struct procfs_cpu cpu;

	if (!text)
		return false;
	rest = procfs_text(text->text, text->length);
	if (!procfs_cpu_next(&rest, &cpu) || cpu.cpu != -1 || cpu.steal > UINT64_MAX / TICK_NS)
		return false;
	*ret_stolen_ns = cpu.steal * TICK_NS;
	return true;
}

_Static_assert(SNAPSHOT_UNKNOWN == PROCFS_UNKNOWN, "unknown figures are handed on as they are");
