#include "model/load.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "parse/procfs.h"

enum { SNAPSHOTS_MAX = 256 }; /* a recorder takes a handful per process */

enum range_what { RANGE_ANONYMOUS, RANGE_FILE, RANGE_STACK, RANGE_BREAK };

static const char *const region_names[REGION_KIND_COUNT] = {
	[REGION_HEAP] = "heap",
	[REGION_METASPACE] = "metaspace",
	[REGION_CLASS_SPACE] = "class_space",
	[REGION_CODE_CACHE] = "code_cache",
	[REGION_CDS] = "cds",
	[REGION_AOT] = "aot",
	[REGION_LIBRARY] = "library",
	[REGION_JAR] = "jar",
	[REGION_STACK] = "stack",
	[REGION_MALLOC] = "malloc",
	[REGION_GC] = "gc",
	[REGION_FILE] = "file",
	[REGION_OTHER] = "other",
};

const char *model_region_name(enum region_kind kind)
{
	return (unsigned int)kind < REGION_KIND_COUNT ? region_names[kind] : "other";
}

/* ---- regions that the JVM told ---- */

static int compare_regions(const void *left, const void *right)
{
	const struct jvm_region *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* "region.PID.KIND" with a value "start-end,start-end", in hexadecimal. */
static void collect_regions(struct model *model, const struct run_text *text)
{
	char *dot;
	uint32_t pid = (uint32_t)strtoul(text->key + strlen("region."), &dot, 10);
	uint8_t kind = 0;

	if (*dot != '.')
		return;
	while (kind < REGION_KIND_COUNT && strcmp(region_names[kind], dot + 1) != 0)
		kind++;
	if (kind == REGION_KIND_COUNT)
		return;
	for (const char *at = text->value; *at;) {
		char *end;
		uint64_t first = strtoull(at, &end, 16);

		if (*end != '-')
			return;

		uint64_t last = strtoull(end + 1, &end, 16);

		if (last > first)
			*vec_push(&model->mappings.regions) =
				(struct jvm_region){.pid = pid, .kind = kind, .start = first, .end = last};
		if (*end != ',')
			return;
		at = end + 1;
	}
}

enum { REGIONS_LOOKED_AT = 32 };

static const struct jvm_region *region_at(const struct model *model, uint32_t pid, uint64_t address)
{
	size_t low = 0, high = model->mappings.regions.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct jvm_region *region = &model->mappings.regions.items[middle];

		if (region->pid < pid || (region->pid == pid && region->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	/* A region that grows is told several times, from starts near each other. */
	for (size_t back = 0; back < REGIONS_LOOKED_AT && back < low; back++) {
		const struct jvm_region *region = &model->mappings.regions.items[low - 1 - back];

		if (region->pid != pid)
			return NULL;
		if (address < region->end)
			return region;
	}
	return NULL;
}

/* ---- kinds by name ---- */

static bool has_suffix(const char *name, size_t length, const char *suffix)
{
	size_t suffix_length = strlen(suffix);

	return length >= suffix_length && strncasecmp(name + length - suffix_length, suffix, suffix_length) == 0;
}

static enum region_kind kind_of_name(const char *name, size_t length, bool is_code)
{
	const char *base = memrchr(name, '/', length);
	const char *so;

	if (has_suffix(name, length, ".jsa"))
		return REGION_CDS;
	if (has_suffix(name, length, ".aot"))
		return REGION_AOT;
	if (has_suffix(name, length, ".jar") || has_suffix(name, length, ".war") ||
	    has_suffix(name, length, ".ear") || has_suffix(name, length, ".zip"))
		return REGION_JAR;
	base = base ? base + 1 : name;
	so = memmem(base, (size_t)(name + length - base), ".so", 3);
	if (is_code || (so && (so + 3 == name + length || so[3] == '.')))
		return REGION_LIBRARY;
	return REGION_FILE;
}

static enum region_kind kind_of_file(const struct model *model, uint32_t file)
{
	const char *path = model_file_path(model, file);

	return kind_of_name(path, strlen(path), model->files.list.items[file].is_code);
}

/* A heap may be a memory file (ZGC): only files that say what they are go before the JVM's own word. */
static bool is_plain_file(enum region_kind kind)
{
	return kind == REGION_FILE;
}

enum region_kind model_region_of_line(const struct model *model, uint32_t pid, uint64_t start, uint64_t end,
				      const char *name, int is_executable)
{
	const struct jvm_region *region = region_at(model, pid, start);
	bool is_file = name[0] == '/';
	enum region_kind kind = is_file ? kind_of_name(name, strlen(name), is_executable) : REGION_MALLOC;

	(void)end;
	if (is_file && !is_plain_file(kind))
		return kind;
	if (region)
		return (enum region_kind)region->kind;
	if (strncmp(name, "[stack", strlen("[stack")) == 0)
		return REGION_STACK;
	if (name[0] == '[' && strcmp(name, "[heap]") != 0 && strncmp(name, "[anon", strlen("[anon")) != 0)
		return REGION_OTHER;
	return kind;
}

/* ---- what is mapped while the pass goes by ---- */

static size_t first_range_ending_after(const struct process_state *process, uint64_t address)
{
	size_t low = 0, high = process->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->ranges.items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert_range(struct process_state *process, size_t at, struct live_range range)
{
	vec_push(&process->ranges);
	memmove(&process->ranges.items[at + 1], &process->ranges.items[at],
		(process->ranges.count - 1 - at) * sizeof(range));
	process->ranges.items[at] = range;
}

static void unmap(struct process_state *process, uint64_t start, uint64_t end)
{
	size_t at = first_range_ending_after(process, start), removed = 0;

	if (at < process->ranges.count && process->ranges.items[at].start < start) {
		struct live_range rest = process->ranges.items[at];

		process->ranges.items[at].end = start;
		at++;
		if (rest.end > end) {
			rest.start = end;
			insert_range(process, at, rest);
			return;
		}
	}
	while (at + removed < process->ranges.count && process->ranges.items[at + removed].end <= end)
		removed++;
	if (removed) {
		memmove(&process->ranges.items[at], &process->ranges.items[at + removed],
			(process->ranges.count - at - removed) * sizeof(struct live_range));
		process->ranges.count -= removed;
	}
	if (at < process->ranges.count && process->ranges.items[at].start < end)
		process->ranges.items[at].start = end;
}

static void map_range(struct process_state *process, struct live_range range)
{
	if (range.end <= range.start)
		return;
	unmap(process, range.start, range.end);

	size_t at = first_range_ending_after(process, range.start);

	/* A stack or heap is often mapped in pieces: neighbours of one kind are one range. */
	if (at > 0 && process->ranges.items[at - 1].end == range.start &&
	    process->ranges.items[at - 1].what == range.what && process->ranges.items[at - 1].file == range.file) {
		process->ranges.items[at - 1].end = range.end;
		return;
	}
	insert_range(process, at, range);
}

static const struct live_range *range_at(const struct process_state *process, uint64_t address)
{
	size_t at = first_range_ending_after(process, address);

	return at < process->ranges.count && process->ranges.items[at].start <= address ? &process->ranges.items[at]
											: NULL;
}

static void on_map(struct load *load, struct process_state *process, const struct event_file_map *event)
{
	struct model *model = load->model;
	struct live_range range = {.start = (uint64_t)event->result, .what = RANGE_ANONYMOUS};

	if (event->result < 0 || __builtin_add_overflow(range.start, (event->length + 4095) & ~4095ULL, &range.end))
		return;
	if (event->inode) {
		range.what = RANGE_FILE;
		range.file = model_file_by_inode(model, event->device, event->inode);
		if (event->protection & PROT_EXEC)
			model->files.list.items[range.file].is_code = true;
	} else if (event->flags & (MAP_STACK | MAP_GROWSDOWN)) {
		range.what = RANGE_STACK;
	}
	map_range(process, range);
}

static void on_syscall(struct load *load, struct process_state *process, const struct event_syscall *event)
{
	uint64_t end;

	if (event->number == load->number_munmap) {
		if (event->result == 0 && !__builtin_add_overflow(event->argument0, event->argument1, &end))
			unmap(process, event->argument0, end);
	} else if (event->number == load->number_mremap) {
		const struct live_range *old = range_at(process, event->argument0);
		struct live_range range = {.what = old ? old->what : RANGE_ANONYMOUS, .file = old ? old->file : 0};

		if (event->result < 0 || __builtin_add_overflow(event->argument0, event->argument1, &end))
			return;
		unmap(process, event->argument0, end);
		range.start = (uint64_t)event->result;
		if (!__builtin_add_overflow(range.start, event->argument2, &range.end))
			map_range(process, range);
	} else if (event->number == load->number_brk && event->result > 0) {
		uint64_t now = (uint64_t)event->result;

		if (process->break_start == 0)
			process->break_start = now;
		else if (now > process->break_start)
			map_range(process, (struct live_range){
						   .start = process->break_start, .end = now, .what = RANGE_BREAK});
	}
}

/* ---- snapshots ---- */

/* Files that the kernel mapped itself are known from here alone; which of them hold code is known once all lines are
 * read. */
static uint32_t file_of_line(struct model *model, const struct procfs_map *map)
{
	char name[4096];

	if (map->inode == 0 || map->name.length_bytes == 0 || map->name.text[0] != '/')
		return 0;
	procfs_unescape(map->name, name, sizeof(name));

	uint32_t file = files_find_or_make(model, map->device_major << 20 | map->device_minor, map->inode);

	files_name(model, file, strpool_add_text(&model->strings, name), false);
	if (map->is_executable)
		model->files.list.items[file].is_code = true;
	return file;
}

static void parse_snapshot(struct load *load, struct snapshot *snapshot)
{
	struct model *model = load->model;
	const struct proc_text *text = &model->texts.proc.items[snapshot->text];
	struct procfs_text cursor = procfs_text(text->text, text->length);
	struct procfs_map map;

	snapshot->is_parsed = true;
	while (procfs_maps_next(&cursor, &map))
		file_of_line(model, &map);
	cursor = procfs_text(text->text, text->length);
	while (procfs_maps_next(&cursor, &map)) {
		uint32_t file = file_of_line(model, &map);
		char name[4096];

		procfs_unescape(map.name, name, sizeof(name));
		if (snapshot->ranges.count && map.start < snapshot->ranges.items[snapshot->ranges.count - 1].end)
			continue;
		*vec_push(&snapshot->ranges) = (struct snapshot_range){
			.start = map.start,
			.end = map.end,
			.file = file,
			.kind = (uint8_t)model_region_of_line(model, text->pid, map.start, map.end, name,
							      model->files.list.items[file].is_code),
		};
	}
}

/* The snapshot that tells best what was mapped at a time: the next one, else the last before. */
static const struct snapshot_range *snapshot_at(struct load *load, uint32_t pid, uint64_t address, uint64_t time_ns)
{
	struct snapshot *best = NULL;

	for vec_each(snapshot, &load->snapshots) {
		const struct proc_text *text = &load->model->texts.proc.items[snapshot->text];

		if (text->pid != pid)
			continue;
		best = snapshot;
		if (text->time_ns >= time_ns)
			break;
	}
	if (!best)
		return NULL;
	if (!best->is_parsed)
		parse_snapshot(load, best);

	size_t low = 0, high = best->ranges.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (best->ranges.items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < best->ranges.count && best->ranges.items[low].start <= address ? &best->ranges.items[low] : NULL;
}

static enum region_kind classify(struct load *load, uint32_t process, uint64_t address, uint64_t time_ns,
				 uint32_t *ret_file)
{
	struct model *model = load->model;
	uint32_t pid = model->threads.processes.items[process].pid;
	const struct live_range *range = range_at(&load->processes.items[process], address);
	const struct jvm_region *region = region_at(model, pid, address);

	*ret_file = 0;
	if (range && range->what == RANGE_FILE) {
		enum region_kind kind = kind_of_file(model, range->file);

		if (!region || !is_plain_file(kind)) {
			*ret_file = range->file;
			return kind;
		}
	}
	if (region)
		return (enum region_kind)region->kind;
	if (range)
		return range->what == RANGE_STACK ? REGION_STACK : REGION_MALLOC;

	const struct snapshot_range *known = snapshot_at(load, pid, address, time_ns);

	if (!known)
		return REGION_OTHER;
	*ret_file = known->file;
	return (enum region_kind)known->kind;
}

/* ---- the pass ---- */

static void on_fault(struct load *load, uint32_t thread, uint32_t index, const struct event_fault *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	uint32_t file;
	enum region_kind kind = classify(load, model->threads.list.items[thread].process, event->address,
					 time_ns - event->duration_ns, &file);

	*vec_push(&model->mappings.faults) = index;
	*vec_push(&model->mappings.fault_kinds) = (uint8_t)kind;
	*vec_push(&model->mappings.fault_files) = file;
	if (event->flags & FAULT_NO_START || event->duration_ns == 0)
		return;

	struct span *span = spans_add(load, thread, SPAN_FAULT, index, time_ns - event->duration_ns, time_ns);

	span->region = (uint8_t)kind;
	span->name = file;
	span->flags = (event->is_major ? SPAN_MAJOR : 0) | (kind == REGION_JAR ? SPAN_ARCHIVE : 0);
}

void mappings_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	struct process_state *process = &load->processes.items[load->model->threads.list.items[thread].process];

	if (event->kind == EVENT_FILE_MAP)
		on_map(load, process, (const struct event_file_map *)event);
	else if (event->kind == EVENT_SYSCALL)
		on_syscall(load, process, (const struct event_syscall *)event);
	else if (event->kind == EVENT_FAULT)
		on_fault(load, thread, index, (const struct event_fault *)event);
}

void mappings_on_fork(struct load *load, uint32_t parent_process, uint32_t child_process)
{
	struct process_state *parent = &load->processes.items[parent_process];
	struct process_state *child = &load->processes.items[child_process];

	child->break_start = parent->break_start;
	child->ranges.count = 0;
	for vec_each(range, &parent->ranges)
		*vec_push(&child->ranges) = *range;
}

void mappings_on_exec(struct load *load, uint32_t process)
{
	load->processes.items[process].ranges.count = 0;
	load->processes.items[process].break_start = 0;
}

void mappings_prepare(struct load *load)
{
	struct model *model = load->model;

	load->number_munmap = load->number_mremap = load->number_brk = NO_INDEX;
	syscall_number(load->arch, "munmap", &load->number_munmap);
	syscall_number(load->arch, "mremap", &load->number_mremap);
	syscall_number(load->arch, "brk", &load->number_brk);
	for vec_each(text, &model->texts.run) {
		if (strncmp(text->key, "region.", strlen("region.")) == 0)
			collect_regions(model, text);
	}
	if (model->mappings.regions.count)
		qsort(model->mappings.regions.items, model->mappings.regions.count,
		      sizeof(*model->mappings.regions.items), compare_regions);
	for (uint32_t i = 0; i < model->texts.proc.count; i++) {
		enum proc_file file = model->texts.proc.items[i].file;

		if ((file == PROC_FILE_MAPS || file == PROC_FILE_SMAPS) && load->snapshots.count < SNAPSHOTS_MAX)
			vec_push(&load->snapshots)->text = i;
	}
}

void mappings_load_done(struct load *load)
{
	for vec_each(process, &load->processes)
		vec_done(&process->ranges);
	vec_done(&load->processes);
	for vec_each(snapshot, &load->snapshots)
		vec_done(&snapshot->ranges);
	vec_done(&load->snapshots);
}

void mappings_done(struct model *model)
{
	vec_done(&model->mappings.regions);
	vec_done(&model->mappings.faults);
	vec_done(&model->mappings.fault_kinds);
	vec_done(&model->mappings.fault_files);
}
