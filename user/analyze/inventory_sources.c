#include "analyze/inventory_sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "analyze/cache_use.h"
#include "analyze/inventory_internal.h"
#include "base/auto.h"
#include "base/text.h"
#include "model/snapshots.h"

/* ---- names ---- */

const char *archive_path(const struct model *model, uint32_t archive, uint32_t inner, struct arena *arena)
{
	struct archive_facts facts;

	if (!model_archive_facts(model, archive, inner, &facts))
		return "";
	if (facts.parent == NO_INDEX)
		return arena_copy(arena, facts.name, strlen(facts.name));
	return arena_format(arena, "%s!/%s", archive_path(model, archive, facts.parent, arena), facts.name);
}

static const char *jrt_text(const struct model *model, const struct class_origin *origin, struct arena *arena)
{
	struct archive_entry_facts entry;
	const char *slash;

	if (origin->entry == NO_INDEX || !model_archive_entry(model, origin->archive, origin->entry, &entry))
		return "jrt";
	slash = strchr(entry.name, '/');
	return arena_format(arena, "jrt:%.*s", slash ? (int)(slash - entry.name) : (int)strlen(entry.name),
			    entry.name);
}

const char *origin_text(const struct model *model, const struct class_origin *origin, struct arena *arena)
{
	switch ((enum class_source)origin->source) {
	case CLASS_FROM_CDS:
		return "CDS archive";
	case CLASS_FROM_AOT:
		return "AOT cache";
	case CLASS_FROM_JAR:
		return arena_format(arena, "jar:%s",
				    origin->archive != NO_INDEX
					    ? archive_path(model, origin->archive, origin->inner, arena)
					    : model_file_path(model, origin->file));
	case CLASS_FROM_JRT:
		return jrt_text(model, origin, arena);
	case CLASS_FROM_DIRECTORY:
		return arena_format(arena, "file:%s", model_file_path(model, origin->file));
	case CLASS_FROM_GENERATED:
		return "generated";
	case CLASS_FROM_OTHER:
	case CLASS_SOURCE_COUNT:
		break;
	}
	return "";
}

/* ---- candidates by name ---- */

/* What of an entry's name is the class's: archives keep classes under these, and the JDK's image under its modules.
 */
static const char *class_part(const char *name, bool is_jimage)
{
	static const char *const folders[] = {"BOOT-INF/classes/", "WEB-INF/classes/", "classes/"};
	static const char versions[] = "META-INF/versions/";

	if (is_jimage)
		return strchr(name, '/') ? strchr(name, '/') + 1 : name;
	for (size_t i = 0; i < array_length(folders); i++) {
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return name + strlen(folders[i]);
	}
	if (strncmp(name, versions, strlen(versions)) == 0) {
		const char *slash = strchr(name + strlen(versions), '/');

		return slash ? slash + 1 : name;
	}
	return name;
}

static uint64_t name_key(const char *name, size_t length)
{
	return hash_bytes(name, length);
}

static void index_archive(const struct model *model, struct class_sources *sources, uint32_t archive)
{
	uint32_t count = model_archive_entry_count(model, archive);

	for (uint32_t i = count; i > 0; i--) {
		struct archive_entry_facts entry;
		struct archive_facts facts;

		if (!model_archive_entry(model, archive, i - 1, &entry) || !text_ends_with(entry.name, ".class") ||
		    !model_archive_facts(model, archive, entry.archive, &facts))
			continue;

		const char *part = class_part(entry.name, facts.is_jimage);
		uint64_t key = name_key(part, strlen(part) - strlen(".class"));
		uint32_t link = (uint32_t)sources->links.count;
		bool is_new;
		uint64_t *first = map_set(&sources->by_name, key, link, &is_new);

		*vec_push(&sources->links) = (struct class_link){
			.archive = archive, .entry = i - 1, .next = is_new ? NO_INDEX : (uint32_t)*first};
		*first = link;
	}
}

/* Names with the same hash share a chain. */
static bool is_entry_of_class(const struct model *model, const struct class_link *link, const char *class_name)
{
	struct archive_entry_facts entry;
	struct archive_facts facts;
	size_t length = strlen(class_name);
	const char *part;

	if (!model_archive_entry(model, link->archive, link->entry, &entry) ||
	    !model_archive_facts(model, link->archive, entry.archive, &facts))
		return false;
	part = class_part(entry.name, facts.is_jimage);
	return strncmp(part, class_name, length) == 0 && strcmp(part + length, ".class") == 0;
}

uint32_t sources_candidates(const struct model *model, const struct class_sources *sources, uint32_t after,
			    const char *class_name)
{
	uint32_t link = NO_INDEX;

	if (after != NO_INDEX) {
		link = sources->links.items[after].next;
	} else {
		uint64_t *first = map_find(&sources->by_name, name_key(class_name, strlen(class_name)));

		link = first ? (uint32_t)*first : NO_INDEX;
	}
	while (link != NO_INDEX && !is_entry_of_class(model, &sources->links.items[link], class_name))
		link = sources->links.items[link].next;
	return link;
}

/* ---- shared archives ---- */

static bool is_same_file(const char *path, const char *as_given)
{
	size_t length;

	if (!as_given)
		return false;
	while (as_given[0] == '.' && as_given[1] == '/')
		as_given += 2;
	if (as_given[0] == '/')
		return strcmp(path, as_given) == 0;
	length = strlen(as_given);
	return text_ends_with(path, as_given) && strlen(path) > length && path[strlen(path) - length - 1] == '/';
}

struct wanted_archives {
	const char *aot, *cds; /* as given on the command line, or NULL */
};

/* HotSpot maps the regions of an archive that it uses with MAP_FIXED; one that it refuses is opened and closed again.
 */
static void find_shared_archives(const struct model *model, struct class_sources *sources)
{
	size_t count = model->threads.processes.count;
	struct wanted_archives *wanted = arena_array(&sources->arena, struct wanted_archives, count);

	sources->processes = arena_array(&sources->arena, struct shared_archives, count);
	for (size_t i = 0; i < count; i++) {
		const struct process *process = &model->threads.processes.items[i];

		if (!process->is_jvm)
			continue;
		wanted[i].aot = jvm_option_value(model, process->pid, "AOTCache", &sources->arena);
		wanted[i].cds = jvm_option_value(model, process->pid, "SharedArchiveFile", &sources->arena);
	}
	for (struct event_walk walk = model_walk(model, EVENT_FILE_MAP, EVENT_FILE_OPEN); model_walk_next(&walk);) {
		const uint32_t i = walk.index;
		const struct event_header *event = model->events[i];
		bool is_fixed = false;
		uint32_t file = 0, process;

		if (event->kind == EVENT_FILE_MAP) {
			const struct event_file_map *map = MODEL_EVENT(model, i, file_map);

			if (map->inode == 0 || map->result < 0)
				continue;
			file = model_file_by_inode(model, map->device, map->inode);
			is_fixed = map->flags & MAP_FIXED;
		} else {
			file = model_event_file(model, i);
		}
		process = file ? model_process_of(model, event->pid) : NO_INDEX;
		if (process == NO_INDEX)
			continue;

		const char *path = model_file_path(model, file);
		struct shared_archives *of = &sources->processes[process];

		if (text_ends_with(path, ".aot") || is_same_file(path, wanted[process].aot)) {
			of->aot_file = file;
			of->is_aot_mapped |= is_fixed;
		} else if (text_ends_with(path, ".jsa") || is_same_file(path, wanted[process].cds)) {
			of->cds_file = file;
			of->is_cds_mapped |= is_fixed;
		}
	}
}

/* A mapping that was not seen (attach) shows in the snapshots; one that was given up again leaves no class from it.
 */
static void check_shared_archives(const struct model *model, struct class_sources *sources)
{
	enum {
		PATH_BYTES = 4200,
		CLASSES_ENOUGH = 100
	}; /* the first hundred classes of any JVM come from its archive, where it has one */
	size_t count = model->threads.processes.count;
	uint64_t *shared = arena_array(&sources->arena, uint64_t, count),
		 *loaded = arena_array(&sources->arena, uint64_t, count);

	for
		vec_each(class, &model->jvm.classes)
		{
			uint32_t process = model->threads.list.items[class->thread].process;

			loaded[process]++;
			shared[process] += class->is_shared;
			if (strcmp(model_text(model, class->name), "java/lang/Object") == 0)
				sources->processes[process].boot_loader = class->loader;
		}
	for (size_t i = 0; i < count; i++) {
		struct shared_archives *of = &sources->processes[i];
		uint32_t pid = model->threads.processes.items[i].pid;
		bool is_known;

		if (of->aot_file && !of->is_aot_mapped)
			of->is_aot_mapped =
				model_snapshot_has_file(model, pid, model_file_path(model, of->aot_file), &is_known);
		if (of->cds_file && !of->is_cds_mapped)
			of->is_cds_mapped =
				model_snapshot_has_file(model, pid, model_file_path(model, of->cds_file), &is_known);
		if (model->is_attached && !of->cds_file && !of->aot_file) {
			const char *told = jvm_option_value(model, pid, "AOTCache", &sources->arena);
			char path[PATH_BYTES];

			of->is_aot_mapped = told && cache_is_mapped_since_before(model, pid, told);
			of->is_cds_mapped = model_snapshot_find(model, pid, ".jsa", path, sizeof(path));
			of->cds_path = of->is_cds_mapped ? arena_copy(&sources->arena, path, strlen(path)) : NULL;
		}
		if (loaded[i] >= CLASSES_ENOUGH && shared[i] == 0 && !model->is_attached)
			of->is_aot_mapped = of->is_cds_mapped = false;
	}
}

/* ---- the origin of each class ---- */

/* The JDK's own image goes before jars: a jar that holds one of its classes is not asked. */
static uint32_t best_candidate(const struct model *model, const struct class_sources *sources, const char *name)
{
	uint32_t jar = NO_INDEX;

	for (uint32_t link = sources_candidates(model, sources, NO_INDEX, name); link != NO_INDEX;
	     link = sources_candidates(model, sources, link, name)) {
		struct archive_facts facts;

		if (!model_archive_facts(model, sources->links.items[link].archive, 0, &facts))
			continue;
		if (facts.is_jimage)
			return link;
		if (jar == NO_INDEX)
			jar = link;
	}
	return jar;
}

/* Whether a class file that no known archive holds cannot exist: every archive's table is known, the JDK's among
 * them. */
static bool knows_all_archives(const struct model *model)
{
	bool has_jimage = false;

	for
		vec_each(file, &model->files.list)
		{
			if (file->is_archive && file->archive == NO_INDEX)
				return false;
		}
	for (uint32_t i = 0; i < model->files.archives.count; i++) {
		struct archive_facts facts;

		if (!model_archive_facts(model, i, 0, &facts))
			return false;
		has_jimage |= facts.is_jimage;
	}
	return has_jimage;
}

static bool is_class_file_of(const char *path, const char *class_name)
{
	size_t path_length = strlen(path), name_length = strlen(class_name);

	return path_length > name_length + strlen("/.class") && text_ends_with(path, ".class") &&
	       strncmp(path + path_length - strlen(".class") - name_length, class_name, name_length) == 0 &&
	       path[path_length - strlen(".class") - name_length - 1] == '/';
}

/* No other loader may define classes in java.*, and the boot loader has hardly anything but the image to load from.
 */
static bool is_of_image(const struct shared_archives *process, const struct loaded_class *class, const char *name)
{
	return strncmp(name, "java/", strlen("java/")) == 0 ||
	       (process->boot_loader != 0 && class->loader == process->boot_loader);
}

static void find_origin(const struct model *model, struct class_sources *sources, const struct loaded_class *class,
			struct class_origin *origin, bool is_all_known)
{
	const struct shared_archives *shared = &sources->processes[model->threads.list.items[class->thread].process];
	const char *name = model_text(model, class->name);
	uint32_t link;

	if (class->is_shared) {
		origin->source = shared->is_aot_mapped ? CLASS_FROM_AOT : CLASS_FROM_CDS;
		origin->file = shared->is_aot_mapped ? shared->aot_file : shared->cds_file;
		return;
	}
	if (class_is_hidden(name)) {
		origin->source = CLASS_FROM_GENERATED;
		return;
	}
	if (origin->source != CLASS_FROM_OTHER)
		return; /* a read proved it */
	if (class->read_file && is_class_file_of(model_file_path(model, class->read_file), name)) {
		origin->source = CLASS_FROM_DIRECTORY;
		origin->file = class->read_file;
		return;
	}
	link = best_candidate(model, sources, name);
	if (link != NO_INDEX) {
		struct archive_entry_facts entry;
		struct archive_facts facts;

		origin->archive = sources->links.items[link].archive;
		origin->entry = sources->links.items[link].entry;
		model_archive_entry(model, origin->archive, origin->entry, &entry);
		model_archive_facts(model, origin->archive, entry.archive, &facts);
		origin->inner = entry.archive;
		origin->source = facts.is_jimage ? CLASS_FROM_JRT : CLASS_FROM_JAR;
		origin->file = model_file_by_inode(model, model->files.archives.items[origin->archive].device,
						   model->files.archives.items[origin->archive].inode);
		return;
	}
	if (class_name_is_generated(name)) {
		origin->source = CLASS_FROM_GENERATED;
	} else if (class->read_file && model->files.list.items[class->read_file].is_archive &&
		   model->files.list.items[class->read_file].archive == NO_INDEX) {
		origin->source = CLASS_FROM_JAR;
		origin->file = class->read_file;
	} else if (!is_all_known && is_of_image(shared, class, name)) {
		origin->source = CLASS_FROM_JRT;
	} else if (is_all_known) {
		origin->source = CLASS_FROM_GENERATED;
	}
}

void class_sources_build(const struct model *model, const struct report *report, struct class_sources *ret_sources)
{
	struct class_sources *sources = ret_sources;
	size_t class_count = model->jvm.classes.count;

	*sources = (struct class_sources){.archive_count = (uint32_t)model->files.archives.count};
	sources->origins = arena_array(&sources->arena, struct class_origin, class_count);
	sources->archives = arena_array(&sources->arena, struct archive_use, sources->archive_count);
	for (size_t i = 0; i < class_count; i++)
		sources->origins[i].archive = sources->origins[i].entry = NO_INDEX;

	size_t entry_count = 0;

	for (uint32_t i = 0; i < sources->archive_count && class_count; i++)
		entry_count += model_archive_entry_count(model, i);
	map_reserve(&sources->by_name, entry_count);
	for (uint32_t i = 0; i < sources->archive_count; i++) {
		struct archive_use *use = &sources->archives[i];

		use->entry_count = model_archive_entry_count(model, i);
		use->inner_count = model_archive_count(model, i);
		use->entries = arena_array(&sources->arena, struct entry_use, use->entry_count);
		use->inners = arena_array(&sources->arena, struct inner_use, use->inner_count);
		for (uint32_t k = 0; k < use->entry_count; k++)
			use->entries[k].first_wanted = NO_INDEX;
		if (class_count)
			index_archive(model, sources, i);
	}
	find_shared_archives(model, sources);
	check_shared_archives(model, sources);
	sources_read(model, report, sources);

	bool is_all_known = class_count && knows_all_archives(model);

	for (size_t i = 0; i < class_count; i++)
		find_origin(model, sources, &model->jvm.classes.items[i], &sources->origins[i], is_all_known);
}

void class_sources_done(struct class_sources *sources)
{
	vec_done(&sources->links);
	map_done(&sources->by_name);
	arena_done(&sources->arena);
}
