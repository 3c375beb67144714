#include "analyze/cache_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "analyze/inventory_internal.h"
#include "analyze/inventory_sources.h"
#include "base/vec.h"
#include "model/snapshots.h"

struct range {
	uint64_t start, end;
	bool is_gone;
};

struct traces {
	VEC(struct range) regions; /* of the file, mapped over space that the JVM had reserved */
	bool is_opened, is_missing, is_heap_used;
};

/* Where the heap of a JVM lies: RUN_TEXT region.PID.heap, already parsed by the model. */
static bool is_in_heap(const struct model *model, uint32_t pid, uint64_t address)
{
	for vec_each(region, &model->mappings.regions)
		if (region->pid == pid && region->kind == REGION_HEAP &&
			address >= region->start &&
			address < region->end) return true;
	return false;
}

/* Whether a path is the one that the JVM was told: as given, or the file of that name in the JVM's folder. A dynamic
 * archive can be told with its base before it ("base.jsa:top.jsa"). */
static bool is_path(const char *path, const char *told)
{
	const char *top = strrchr(told, ':') ? strrchr(told, ':') + 1 : told;
	size_t length, path_length = strlen(path);

	while (top[0] == '.' && top[1] == '/')
		top += 2;
	length = strlen(top);
	if (top[0] == '/')
		return strcmp(path, top) == 0;
	return path_length > length && path[path_length - length - 1] == '/' &&
	       strcmp(path + path_length - length, top) == 0;
}

/* munmap on the two architectures that a recording can come from. */
static bool is_munmap(const struct report *report, uint32_t number)
{
	return number == (strcmp(report->machine.arch, "aarch64") == 0 ? 215 : 11);
}

static void see_unmapped(struct traces *traces, uint64_t start, uint64_t length)
{
	for vec_each(region, &traces->regions)
		if (region->start < start + length && start < region->end) region->is_gone = true;
}

/* HotSpot reads archived heap objects where it does not map them. All else that it reads of the file is its header.
 */
enum { HEADER_BYTES_MAX = 16384 };

static void see_event(const struct model *model, const struct report *report, uint32_t index, const char *told,
		      struct traces *traces)
{
	const struct event_header *event = model->events[index];

	switch ((enum event_kind)event->kind) {
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP: {
		int64_t result = event->kind == EVENT_FILE_OPEN ? MODEL_EVENT(model, index, file_open)->result
								: MODEL_EVENT(model, index, file_lookup)->result;

		if (!is_path(model_event_path(model, index), told))
			break;
		traces->is_missing |= result < 0;
		traces->is_opened |= result >= 0 && event->kind == EVENT_FILE_OPEN;
		break;
	}
	case EVENT_FILE_MAP: {
		const struct event_file_map *map = MODEL_EVENT(model, index, file_map);
		uint32_t file =
			map->inode && map->result >= 0 ? model_file_by_inode(model, map->device, map->inode) : 0;

		if (!file || !(map->flags & MAP_FIXED) || !is_path(model_file_path(model, file), told))
			break;
		if (is_in_heap(model, event->pid, (uint64_t)map->result))
			traces->is_heap_used = true;
		else
			*vec_push(&traces->regions) =
				(struct range){(uint64_t)map->result, (uint64_t)map->result + map->length, false};
		break;
	}
	case EVENT_FILE_READ: {
		const struct event_file_read *read = MODEL_EVENT(model, index, file_read);

		if (read->inode && read->result > HEADER_BYTES_MAX &&
		    is_path(model_file_path(model, model_file_by_inode(model, read->device, read->inode)), told))
			traces->is_heap_used = true;
		break;
	}
	case EVENT_SYSCALL: {
		const struct event_syscall *call = MODEL_EVENT(model, index, syscall);

		if (is_munmap(report, call->number) && call->result == 0)
			see_unmapped(traces, call->argument0, call->argument1);
		break;
	}
	default:
		break;
	}
}

static void collect(const struct model *model, const struct report *report, uint32_t pid, const char *told,
		    struct traces *traces)
{
	for (struct event_walk walk = model_walk(model, EVENT_FILE_OPEN, EVENT_FILE_LOOKUP, EVENT_FILE_MAP,
						 EVENT_FILE_READ, EVENT_SYSCALL);
	     model_walk_next(&walk);)
		if (model->events[walk.index]->pid == pid)
			see_event(model, report, walk.index, told, traces);
}

static bool stays_mapped(const struct traces *traces)
{
	for vec_each(region, &traces->regions)
		if (!region->is_gone) return true;
	return false;
}

/* ---- what was asked for ---- */

static const char *told_cache(const struct model *model, const struct report *report, struct arena *arena)
{
	const char *mode = jvm_option_value(model, report->run.main_pid, "AOTMode", arena);
	const char *told = model_process_text(model, report->run.main_pid, "aot_requested");

	/* Where a cache is made, AOTCache names what is written. */
	if (mode && (strcmp(mode, "record") == 0 || strcmp(mode, "create") == 0 || strcmp(mode, "off") == 0))
		return NULL;
	return told && *told ? told : jvm_option_value(model, report->run.main_pid, "AOTCache", arena);
}

static const char *told_archive(const struct model *model, const struct report *report, struct arena *arena)
{
	const char *told = model_process_text(model, report->run.main_pid, "cds_archive");

	return told && *told ? told : jvm_option_value(model, report->run.main_pid, "SharedArchiveFile", arena);
}

/* ---- classes ---- */

static void count_classes(const struct model *model, const struct report *report, struct cache_use *use)
{
	int64_t cold_start_ns = -1, cold_end_ns = -1;
	int64_t startup = 0, startup_shared = 0, request = 0, request_shared = 0;

	if (!is_observed(model, "class_loading"))
		return;
	for (size_t i = 0; i < report->phases_count; i++)
		if (report->phases[i].phase == PHASE_FIRST_REQUEST) {
			cold_start_ns = report->phases[i].start_ns;
			cold_end_ns = report->phases[i].end_ns;
		}
	for vec_each(class, &model->jvm.classes) {
		int64_t at_ns = time_from_exec(model, class->loaded_ns);

		if (model->threads.list.items[class->thread].pid != report->run.main_pid)
			continue;
		if (cold_start_ns < 0 || at_ns < cold_start_ns) {
			startup++;
			startup_shared += class->is_shared;
		} else if (at_ns < cold_end_ns) {
			request++;
			request_shared += class->is_shared;
		}
	}
	use->startup_classes = known(startup);
	use->startup_shared = known(startup_shared);
	if (cold_start_ns < 0)
		return;
	use->request_classes = known(request);
	use->request_shared = known(request_shared);
}

/* A refused AOT cache takes the JDK's own archive with it: then no class at all is shared, whatever was mapped on the
 * way. */
static bool has_shared_classes(const struct cache_use *use)
{
	enum {
		CLASSES_ENOUGH = 100
	}; /* the first hundred classes of any JVM come from its archive, where it has one */

	return use->startup_classes.state != KNOWN || use->startup_classes.value < CLASSES_ENOUGH ||
	       use->startup_shared.value > 0;
}

/* That no objects were mapped into the heap or read into it says that they are not used, with two exceptions: an
 * archive on top of the JDK's own holds none, and since JDK 26 a JVM can keep them mapped beside its heap and make
 * them one by one. */
static bool can_tell_unused_heap(const struct report *report, const struct cache_use *use)
{
	enum { JDK_WITH_STREAMING = 26 };
	int major = report->runtime.version.state == KNOWN ? atoi(report->runtime.version.text) : 0;

	return !use->is_archive && major > 0 && major < JDK_WITH_STREAMING;
}

bool cache_is_mapped_since_before(const struct model *model, uint32_t pid, const char *told)
{
	const char *base = strrchr(told, '/');
	char ending[256], path[4200];

	snprintf(ending, sizeof(ending), "/%s", base ? base + 1 : told);
	return model->is_attached && model_snapshot_find(model, pid, ending, path, sizeof(path));
}

void cache_use_find(const struct model *model, const struct report *report, struct arena *arena,
		    struct cache_use *ret_use)
{
	struct cache_use use = {.requested.state = NONE};
	struct traces traces = {};
	const char *told;

	*ret_use = use;
	count_classes(model, report, &use);
	told = told_cache(model, report, arena);
	if (!told) {
		told = told_archive(model, report, arena);
		use.is_archive = told;
	}
	if (!told) {
		*ret_use = use;
		return;
	}
	use.requested = (struct maybe_text){KNOWN, arena_copy(arena, told, strlen(told))};
	collect(model, report, report->run.main_pid, told, &traces);
	use.was_opened = traces.is_opened;
	use.is_mapped = stays_mapped(&traces) && has_shared_classes(&use);
	if (!traces.is_opened && cache_is_mapped_since_before(model, report->run.main_pid, told)) {
		use.was_opened = use.is_mapped = true;
	} else if (use.is_mapped) {
		if (traces.is_heap_used || can_tell_unused_heap(report, &use))
			use.is_heap_used = known(traces.is_heap_used);
	} else if (traces.regions.count) {
		use.reason = "the JVM mapped it and gave it up again";
	} else if (traces.is_opened) {
		use.reason = "the JVM opened it and did not map it";
	} else if (traces.is_missing) {
		use.reason = "the file was not found";
	} else {
		use.reason = "the JVM did not open it";
	}
	vec_done(&traces.regions);
	*ret_use = use;
}
