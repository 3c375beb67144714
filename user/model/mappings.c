#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/search.h"
#include "parse/procfs.h"

enum { SNAPSHOTS_MAX = 256 }; /* a recorder takes a handful per process */

static const char *const part_names[] = {
	[PART_NONE] = "",
	[PART_TEXT] = "text",
	[PART_READ_ONLY] = "read-only",
	[PART_DATA] = "data",
	[PART_BSS] = "bss",
	[PART_BITMAP] = "bitmap",
	[PART_HEAP] = "heap",
};

const char *model_part_name(enum mapping_part part)
{
	return (unsigned int)part < array_length(part_names) ? part_names[part] : "";
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
	/* HotSpot's own name for the memory file that ZGC has its heap in. */
	if (strncmp(base, "memfd:java_heap", strlen("memfd:java_heap")) == 0)
		return REGION_HEAP;
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

/* A heap may be a file of any name: only files that say what they are go before the JVM's own word. */
static bool is_plain_file(enum region_kind kind)
{
	return kind == REGION_FILE;
}

/* What a line of a snapshot is by its name and the JVM's regions alone. */
static enum region_kind kind_of_line(const struct model *model, uint32_t pid, uint64_t start, const char *name,
				     bool is_executable)
{
	const struct jvm_region *region = regions_at(model, pid, start);
	bool is_file = name[0] == '/';
	enum region_kind kind = is_file ? kind_of_name(name, strlen(name), is_executable) : REGION_MALLOC;

	if (is_file && (!is_plain_file(kind) || !region || region->kind != REGION_HEAP))
		return kind;
	if (region)
		return (enum region_kind)region->kind;
	if (strncmp(name, "[stack", strlen("[stack")) == 0)
		return REGION_STACK;
	if (name[0] == '[' && strcmp(name, "[heap]") != 0 && strncmp(name, "[anon", strlen("[anon")) != 0)
		return REGION_OTHER;
	return kind;
}

static enum mapping_part part_of_line(const struct procfs_map *map)
{
	return map->is_executable ? PART_TEXT : map->is_writable ? PART_DATA : PART_READ_ONLY;
}

/* What a program's or library's data segment has no bytes of in the file follows it without a name. */
static bool is_bss_behind(const struct snapshot_range *before, const struct procfs_map *map)
{
	return before->kind == REGION_LIBRARY && before->end == map->start && map->name.length_bytes == 0 &&
	       map->is_writable && !map->is_executable;
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
			.kind = (uint8_t)kind_of_line(model, text->pid, map.start, name,
						      model->files.list.items[file].is_code),
			.part = file ? (uint8_t)part_of_line(&map) : PART_NONE,
		};
		if (snapshot->ranges.count > 1) {
			struct snapshot_range *range = &snapshot->ranges.items[snapshot->ranges.count - 1];

			if (is_bss_behind(range - 1, &map) && range->kind == REGION_MALLOC)
				*range = (struct snapshot_range){.start = map.start,
								 .end = map.end,
								 .file = range[-1].file,
								 .kind = REGION_LIBRARY,
								 .part = PART_BSS};
		}
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

	size_t at = first_where(best->ranges.count, i, best->ranges.items[i].end > address);

	return at < best->ranges.count && best->ranges.items[at].start <= address ? &best->ranges.items[at] : NULL;
}

struct place {
	enum region_kind kind;
	enum mapping_part part;
	uint32_t file; /* 0: anonymous */
};

/* An archive of classes is mapped in regions; HotSpot maps all but the bitmap where it wants them. */
static enum mapping_part part_of_range(const struct live_range *range, enum region_kind kind,
				       const struct jvm_region *region)
{
	if (kind != REGION_CDS && kind != REGION_AOT)
		return (enum mapping_part)range->part;
	if (region && region->kind == REGION_HEAP)
		return PART_HEAP;
	return range->part == PART_READ_ONLY && !range->is_fixed ? PART_BITMAP : (enum mapping_part)range->part;
}

/* Whether the JVM's region lies in this file: a heap may, and an archive of classes of any name. What the JVM told of an
 * archive's bounds can reach over a neighbour. */
static bool is_region_of_file(const struct process_state *process, const struct jvm_region *region, uint32_t file)
{
	const struct live_range *first = ranges_at(process, region->start);

	/* The archive's first page is not always of the file. */
	if (!first || first->what != RANGE_FILE)
		first = ranges_at(process, ranges_next_edge(process, region->start));
	return region->kind == REGION_HEAP || (first && first->what == RANGE_FILE && first->file == file);
}

/* What the calls seen so far mapped at an address; false where they mapped nothing there. */
static bool place_of_range(const struct load *load, uint32_t process, uint64_t address, struct place *ret_place)
{
	const struct model *model = load->model;
	uint32_t pid = model->threads.processes.items[process].pid;
	const struct live_range *range = ranges_at(&load->processes.items[process], address);
	const struct jvm_region *region = regions_at(model, pid, address);

	if (range && range->what == RANGE_FILE) {
		enum region_kind kind = kind_of_file(model, range->file);

		if (!region || !is_plain_file(kind) ||
		    !is_region_of_file(&load->processes.items[process], region, range->file)) {
			*ret_place = (struct place){kind, part_of_range(range, kind, region), range->file};
			return true;
		}
	}
	if (!region && !range)
		return false;
	*ret_place = (struct place){.kind = region			  ? (enum region_kind)region->kind
					    : range->what == RANGE_STACK  ? REGION_STACK
					    : range->reservation	  ? regions_kind_of_reservation(
									    model,
									    &load->reservations.items[range->reservation - 1],
									    address)
									  : REGION_MALLOC};
	return true;
}

static struct place classify(struct load *load, uint32_t process, uint64_t address, uint64_t time_ns)
{
	struct place place = {.kind = REGION_OTHER};

	if (place_of_range(load, process, address, &place))
		return place;

	const struct snapshot_range *known =
		snapshot_at(load, load->model->threads.processes.items[process].pid, address, time_ns);

	if (known)
		place = (struct place){(enum region_kind)known->kind, (enum mapping_part)known->part, known->file};
	return place;
}

/* ---- the lines of a snapshot, as of its own time ---- */

/* The kernel joins neighbours of like protection in one line: it counts for what most of it is. */
static enum region_kind kind_of_most(const struct load *load, uint32_t process, uint64_t start, uint64_t end,
				     enum region_kind otherwise)
{
	const struct process_state *state = &load->processes.items[process];
	uint64_t bytes[REGION_KIND_COUNT] = {}, at = start;
	enum region_kind most = otherwise;

	while (at < end) {
		uint64_t next = ranges_next_edge(state, at);
		struct place place = {.kind = otherwise};

		if (next > end)
			next = end;
		place_of_range(load, process, at, &place);
		bytes[place.kind] += next - at;
		at = next;
	}
	for (int kind = 0; kind < REGION_KIND_COUNT; kind++) {
		if (bytes[kind] > bytes[most])
			most = (enum region_kind)kind;
	}
	return most;
}

static void name_lines(struct load *load, uint32_t index)
{
	struct model *model = load->model;
	const struct proc_text *text = &model->texts.proc.items[index];
	uint32_t process = model_process_of(model, text->pid);
	struct procfs_text cursor = procfs_text(text->text, text->length);
	struct snapshot_range before = {};
	struct line_kinds *lines = vec_push(&model->mappings.lines);
	struct procfs_map map;

	lines->text = index;
	while (procfs_maps_next(&cursor, &map)) {
		char name[4096];
		enum region_kind kind;

		procfs_unescape(map.name, name, sizeof(name));
		kind = kind_of_line(model, text->pid, map.start, name, map.is_executable);
		if ((kind == REGION_MALLOC || kind == REGION_FILE) && process != NO_INDEX)
			kind = kind_of_most(load, process, map.start, map.end, kind);
		if (kind == REGION_MALLOC && is_bss_behind(&before, &map))
			kind = REGION_LIBRARY;
		before = (struct snapshot_range){.start = map.start, .end = map.end, .kind = (uint8_t)kind};
		*vec_push(&lines->kinds) = (uint8_t)kind;
	}
}

void mappings_until(struct load *load, uint64_t time_ns)
{
	const struct model *model = load->model;

	for (; load->next_proc_text < model->texts.proc.count; load->next_proc_text++) {
		const struct proc_text *text = &model->texts.proc.items[load->next_proc_text];

		if (text->time_ns > time_ns)
			return;
		if (text->file == PROC_FILE_SMAPS)
			name_lines(load, load->next_proc_text);
	}
}

enum region_kind model_region_of_line(const struct model *model, uint32_t text, uint32_t line)
{
	for vec_each(lines, &model->mappings.lines) {
		if (lines->text == text)
			return line < lines->kinds.count ? (enum region_kind)lines->kinds.items[line] : REGION_OTHER;
	}
	return REGION_OTHER;
}

/* ---- the pass ---- */

static void on_fault(struct load *load, uint32_t thread, uint32_t index, const struct event_fault *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	struct place place = classify(load, model->threads.list.items[thread].process, event->address,
				      time_ns - event->duration_ns);

	*vec_push(&model->mappings.faults) = index;
	*vec_push(&model->mappings.fault_kinds) = (uint8_t)place.kind;
	*vec_push(&model->mappings.fault_parts) = (uint8_t)place.part;
	*vec_push(&model->mappings.fault_files) = place.file;
	if (event->flags & FAULT_NO_START || event->duration_ns == 0)
		return;

	struct span *span = spans_add(load, thread, SPAN_FAULT, index, time_ns - event->duration_ns, time_ns);

	span->region = (uint8_t)place.kind;
	span->name = place.file;
	span->flags = (event->is_major ? SPAN_MAJOR : 0) | (place.kind == REGION_JAR ? SPAN_ARCHIVE : 0);
}

void mappings_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	struct process_state *process = &load->processes.items[load->model->threads.list.items[thread].process];

	if (event->kind == EVENT_FILE_MAP)
		ranges_on_map(load, process, (const struct event_file_map *)event);
	else if (event->kind == EVENT_SYSCALL)
		ranges_on_syscall(load, process, (const struct event_syscall *)event);
	else if (event->kind == EVENT_FAULT)
		on_fault(load, thread, index, (const struct event_fault *)event);
}

void mappings_on_fork(struct load *load, uint32_t parent_process, uint32_t child_process)
{
	struct process_state *parent = &load->processes.items[parent_process];
	struct process_state *child = &load->processes.items[child_process];

	child->break_start = parent->break_start;
	child->heap_tid = 0;
	child->ranges.count = 0;
	for vec_each(range, &parent->ranges)
		*vec_push(&child->ranges) = *range;
}

void mappings_on_exec(struct load *load, uint32_t process)
{
	load->processes.items[process].ranges.count = 0;
	load->processes.items[process].break_start = 0;
	load->processes.items[process].heap_tid = 0;
}

void mappings_prepare(struct load *load)
{
	struct model *model = load->model;

	load->number_munmap = load->number_mremap = load->number_brk = NO_INDEX;
	syscall_number(load->arch, "munmap", &load->number_munmap);
	syscall_number(load->arch, "mremap", &load->number_mremap);
	syscall_number(load->arch, "brk", &load->number_brk);
	regions_prepare(model);
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
	vec_done(&load->reservations);
}

void mappings_done(struct model *model)
{
	vec_done(&model->mappings.regions);
	vec_done(&model->mappings.faults);
	vec_done(&model->mappings.fault_kinds);
	vec_done(&model->mappings.fault_parts);
	vec_done(&model->mappings.fault_files);
	for vec_each(lines, &model->mappings.lines)
		vec_done(&lines->kinds);
	vec_done(&model->mappings.lines);
}
