/* What the JVM told of its own memory: RUN_TEXT "region.PID.KIND". */
#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

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

/* The last region of a process that begins at or before an address, as an end of the list's part before it. */
static size_t regions_until(const struct model *model, uint32_t pid, uint64_t address)
{
	const struct jvm_region *regions = model->mappings.regions.items;

	return first_where(model->mappings.regions.count, i,
			   regions[i].pid > pid || (regions[i].pid == pid && regions[i].start > address));
}

enum { REGIONS_LOOKED_AT = 32 };

const struct jvm_region *regions_at(const struct model *model, uint32_t pid, uint64_t address)
{
	size_t low = regions_until(model, pid, address);

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

/* Metaspace and class space are known by what lies in them at a few moments; the JVM reserves their address space in
 * one piece each and takes more of it as they grow. */
enum region_kind regions_kind_of_reservation(const struct model *model, const struct reservation *reservation,
					     uint64_t address)
{
	size_t until = regions_until(model, reservation->pid, address);
	const struct jvm_region *near = NULL;
	enum region_kind otherwise = reservation->is_gc ? REGION_GC : REGION_MALLOC;

	if (until > 0)
		near = &model->mappings.regions.items[until - 1];
	if (!near || near->pid != reservation->pid || near->start < reservation->start)
		near = until < model->mappings.regions.count ? &model->mappings.regions.items[until] : NULL;
	if (!near || near->pid != reservation->pid || near->start < reservation->start ||
	    near->start >= reservation->end)
		return otherwise;
	return near->kind == REGION_METASPACE || near->kind == REGION_CLASS_SPACE ? (enum region_kind)near->kind
										  : otherwise;
}

const struct jvm_region *regions_heap_of(const struct model *model, uint32_t pid)
{
	for (size_t i = 0; i < model->mappings.regions.count; i++) {
		const struct jvm_region *region = &model->mappings.regions.items[i];

		if (region->pid == pid && region->kind == REGION_HEAP)
			return region;
	}
	return NULL;
}

void regions_prepare(struct model *model)
{
	for vec_each(text, &model->texts.run) {
		if (strncmp(text->key, "region.", strlen("region.")) == 0)
			collect_regions(model, text);
	}
	if (model->mappings.regions.count)
		qsort(model->mappings.regions.items, model->mappings.regions.count,
		      sizeof(*model->mappings.regions.items), compare_regions);
}
