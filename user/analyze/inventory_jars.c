#include "analyze/inventory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_sources.h"
#include "base/auto.h"

struct jar_totals { /* of one file, as its events say */
	uint64_t opens, open_ns, reads, bytes_read;
	uint64_t phase_reads[PHASE_COUNT], phase_bytes[PHASE_COUNT];
};

struct jar_rows {
	VEC(struct report_jar) list;
};

static void count_file_events(const struct inventory *inventory, struct jar_totals *totals)
{
	const struct model *model = inventory->model;

	for (struct event_walk walk = model_walk(model, EVENT_FILE_OPEN, EVENT_FILE_READ); model_walk_next(&walk);) {
		const uint32_t i = walk.index;
		const struct event_header *event = model->events[i];

		if (event->kind == EVENT_FILE_OPEN) {
			uint32_t file = model_event_file(model, i);

			if (file) {
				totals[file].opens++;
				totals[file].open_ns += MODEL_EVENT(model, i, file_open)->duration_ns;
			}
		} else {
			const struct event_file_read *read = MODEL_EVENT(model, i, file_read);
			struct jar_totals *of = &totals[model_file_by_inode(model, read->device, read->inode)];
			uint64_t bytes = read->result > 0 ? (uint64_t)read->result : 0;
			enum phase phase = phase_of_time(inventory->report, model, event->time_ns);

			of->reads++;
			of->bytes_read += bytes;
			of->phase_reads[phase]++;
			of->phase_bytes[phase] += bytes;
		}
	}
}

/* ---- archives whose entries are known ---- */

/* A nested jar's figures are part of those of the archive around it. */
struct inner_sums {
	uint64_t reads, bytes_read, bytes_wanted, entries_total, entries_read, entries_reread;
	uint64_t entries_used; /* read and more than the manifest */
	struct report_jar_phase phases[PHASE_COUNT];
};

static void add_entries(const struct inventory *inventory, uint32_t archive, struct inner_sums *sums)
{
	const struct archive_use *use = &inventory->sources->archives[archive];

	for (uint32_t i = 0; i < use->entry_count; i++) {
		const struct entry_use *entry = &use->entries[i];
		struct archive_entry_facts facts;

		if (!model_archive_entry(inventory->model, archive, i, &facts) || facts.archive >= use->inner_count)
			continue;

		struct inner_sums *of = &sums[facts.archive];

		of->entries_total++;
		of->entries_read += entry->phases != 0;
		of->entries_used += entry->phases != 0 && strcmp(facts.name, "META-INF/MANIFEST.MF") != 0;
		of->entries_reread += entry->starts > 1;
		of->bytes_wanted += entry->bytes_wanted + entry->header_bytes;
		for (int phase = 0; phase < PHASE_COUNT; phase++)
			of->phases[phase].entries += (entry->phases >> phase) & 1;
	}
}

static void add_inner(struct inner_sums *into, const struct inner_sums *part)
{
	into->reads += part->reads;
	into->bytes_read += part->bytes_read;
	into->bytes_wanted += part->bytes_wanted;
	into->entries_total += part->entries_total;
	into->entries_read += part->entries_read;
	into->entries_reread += part->entries_reread;
	into->entries_used += part->entries_used;
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		into->phases[phase].reads += part->phases[phase].reads;
		into->phases[phase].bytes += part->phases[phase].bytes;
		into->phases[phase].entries += part->phases[phase].entries;
	}
}

static struct inner_sums *sum_archive(const struct inventory *inventory, uint32_t archive, struct arena *arena)
{
	const struct archive_use *use = &inventory->sources->archives[archive];
	struct inner_sums *sums = arena_array(arena, struct inner_sums, use->inner_count);

	add_entries(inventory, archive, sums);
	for (uint32_t i = 0; i < use->inner_count; i++) {
		const struct inner_use *inner = &use->inners[i];

		sums[i].reads += inner->reads;
		sums[i].bytes_read += inner->bytes_read;
		sums[i].bytes_wanted += inner->directory_bytes + inner->end_bytes;
		for (int phase = 0; phase < PHASE_COUNT; phase++) {
			sums[i].phases[phase].reads += (int64_t)inner->phase_reads[phase];
			sums[i].phases[phase].bytes += (int64_t)inner->phase_bytes[phase];
		}
	}
	/* Outer ones come before inner ones. */
	for (uint32_t i = use->inner_count; i > 1; i--) {
		struct archive_facts facts;

		if (model_archive_facts(inventory->model, archive, i - 1, &facts) && facts.parent < i - 1)
			add_inner(&sums[facts.parent], &sums[i - 1]);
	}
	return sums;
}

static int compare_entries(const void *left, const void *right)
{
	const struct report_jar_entry *a = left, *b = right;

	if (a->bytes_read != b->bytes_read)
		return a->bytes_read > b->bytes_read ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void fill_entry(const struct inventory *inventory, const struct archive_entry_facts *facts,
		       const struct entry_use *use, struct report_jar_entry *row)
{
	const struct model *model = inventory->model;
	struct arena *arena = &inventory->report->arena;

	*row = (struct report_jar_entry){
		.name = arena_copy(arena, facts->name, strlen(facts->name)),
		.bytes = (int64_t)facts->compressed_bytes,
		.unpacked_bytes = (int64_t)facts->uncompressed_bytes,
		.is_compressed = facts->is_compressed,
		.bytes_wanted = (int64_t)(use->bytes_wanted + use->header_bytes),
		.rereads = use->starts > 1 ? use->starts - 1 : 0,
		.wanted_phases = use->phases,
		.class_name = "",
		.requested_by = entry_requester(model, use, arena),
	};
	if (use->class)
		row->class_name = class_name_dotted(
			arena, model_text(model, model->jvm.classes.items[use->class - 1].name));
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		row->phase_reads[phase] = use->phase_reads[phase];
		row->phase_bytes[phase] = (int64_t)use->phase_bytes[phase];
		row->reads += row->phase_reads[phase];
		row->bytes_read += row->phase_bytes[phase];
	}
}

static void fill_entries(const struct inventory *inventory, uint32_t archive, uint32_t inner, struct report_jar *jar)
{
	const struct archive_use *use = &inventory->sources->archives[archive];
	struct archive_facts facts;
	struct report_jar_entry *rows;
	size_t count = 0;

	if (!model_archive_facts(inventory->model, archive, inner, &facts))
		return;
	for (uint32_t i = facts.first_entry; i < facts.first_entry + facts.entry_count; i++)
		count += use->entries[i].last_read != 0;
	rows = arena_array(&inventory->report->arena, struct report_jar_entry, count);
	count = 0;
	for (uint32_t i = facts.first_entry; i < facts.first_entry + facts.entry_count; i++) {
		struct archive_entry_facts entry;

		if (use->entries[i].last_read && model_archive_entry(inventory->model, archive, i, &entry))
			fill_entry(inventory, &entry, &use->entries[i], &rows[count++]);
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_entries);
	jar->entries = rows;
	jar->entries_count = count;
}

static void fill_inner(const struct inventory *inventory, uint32_t archive, uint32_t inner, struct report_jar *jar)
{
	const struct inner_use *use = &inventory->sources->archives[archive].inners[inner];
	struct archive_facts facts;

	if (!model_archive_facts(inventory->model, archive, inner, &facts))
		return;
	jar->size = known((int64_t)facts.length_bytes);
	jar->bytes_touched = known((int64_t)use->touched_bytes);
	jar->directory_reads = known((int64_t)use->directory_reads);
	jar->open_ns = known((int64_t)use->directory_ns);
	fill_entries(inventory, archive, inner, jar);
}

static void fill_sums(struct report_jar *jar, const struct inner_sums *sums)
{
	jar->is_unused = known(sums->entries_used == 0);
	jar->reads = known((int64_t)sums->reads);
	jar->bytes_read = known((int64_t)sums->bytes_read);
	jar->bytes_wanted = known((int64_t)sums->bytes_wanted);
	jar->entries_total = known((int64_t)sums->entries_total);
	jar->entries_read = known((int64_t)sums->entries_read);
	jar->entries_reread = known((int64_t)sums->entries_reread);
	memcpy(jar->phases, sums->phases, sizeof(jar->phases));
}

static void put_nested(const struct inventory *inventory, uint32_t archive, const struct inner_sums *sums,
		       struct jar_rows *rows)
{
	const struct model *model = inventory->model;
	struct arena *arena = &inventory->report->arena;

	for (uint32_t i = 1; i < inventory->sources->archives[archive].inner_count; i++) {
		struct report_jar *jar = vec_push(&rows->list);
		struct archive_facts facts;

			if (!model_archive_facts(model, archive, i, &facts)) {
			rows->list.count--;
			continue;
		}
		jar->path = arena_copy(arena, facts.name, strlen(facts.name));
		jar->nested_in = archive_path(model, archive, facts.parent, arena);
		jar->opens.state = NONE; /* its bytes are the outer file's: it is never opened by itself */
		fill_sums(jar, &sums[i]);
		fill_inner(inventory, archive, i, jar);
	}
}

/* ---- all of them ---- */

static void put_file(const struct inventory *inventory, uint32_t index, const struct jar_totals *totals,
		     struct jar_rows *rows)
{
	const struct model *model = inventory->model;
	const struct file *file = &model->files.list.items[index];
	struct arena *arena = &inventory->report->arena;
	struct report_jar *jar = vec_push(&rows->list);
	const char *path = model_file_path(model, index);
	uint32_t archive = file->archive;

	jar->path = *path ? arena_copy(arena, path, strlen(path))
			  : arena_format(arena, "(inode %lu)", (unsigned long)file->inode);
	jar->opens = known((int64_t)totals->opens);
	jar->reads = known((int64_t)totals->reads);
	jar->bytes_read = known((int64_t)totals->bytes_read);
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		jar->phases[phase].reads = (int64_t)totals->phase_reads[phase];
		jar->phases[phase].bytes = (int64_t)totals->phase_bytes[phase];
	}
	if (archive == NO_INDEX || archive >= inventory->sources->archive_count ||
	    inventory->sources->archives[archive].inner_count == 0)
		return;

	struct arena scratch auto_done(arena_done) = {};
	struct inner_sums *sums = sum_archive(inventory, archive, &scratch);

	fill_sums(jar, &sums[0]);
	fill_inner(inventory, archive, 0, jar);
	jar->open_ns.value += (int64_t)totals->open_ns;
	put_nested(inventory, archive, sums, rows);
}

static int compare_jars(const void *left, const void *right)
{
	const struct report_jar *a = left, *b = right;
	int order;

	if (a->bytes_read.value != b->bytes_read.value)
		return a->bytes_read.value > b->bytes_read.value ? -1 : 1;
	if (a->opens.value != b->opens.value)
		return a->opens.value > b->opens.value ? -1 : 1;
	if (!a->nested_in != !b->nested_in)
		return a->nested_in ? 1 : -1;
	order = strcmp(a->path, b->path);
	return order || !a->nested_in ? order : strcmp(a->nested_in, b->nested_in);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_jar_name(const char *path)
{
	size_t length = strlen(path);

	return length > strlen(".jar") && strcmp(path + length - strlen(".jar"), ".jar") == 0;
}

/* Jars of a class path that were found there and never opened: the JVM looks whether each is there before it asks one. A
 * jar that was opened under another name, by a link, is not taken for unused. */
static void put_never_opened(const struct inventory *inventory, struct jar_rows *rows)
{
	const struct model *model = inventory->model;
	struct map known_names auto_done(map_done) = {};

	for (uint32_t i = 1; i < model->files.list.count; i++) {
		const char *base = base_of(model_file_path(model, i));

		map_set(&known_names, hash_bytes(base, strlen(base)), 1, NULL);
	}
	for (struct event_walk walk = model_walk(model, EVENT_FILE_LOOKUP); model_walk_next(&walk);) {
		const char *path, *base;
		bool is_new;

		if (MODEL_EVENT(model, walk.index, file_lookup)->result < 0)
			continue;
		path = model_event_path(model, walk.index);
		base = base_of(path);
		if (!is_jar_name(path))
			continue;
		map_set(&known_names, hash_bytes(base, strlen(base)), 1, &is_new);
		if (!is_new)
			continue;
		*vec_push(&rows->list) = (struct report_jar){
			.path = arena_copy(&inventory->report->arena, path, strlen(path)),
			.opens = known(0),
			.reads = known(0),
			.bytes_read = known(0),
			.is_unused = known(1),
		};
	}
}

void inventory_jars(const struct inventory *inventory)
{
	const struct model *model = inventory->model;
	struct arena scratch auto_done(arena_done) = {};
	struct jar_totals *totals = arena_array(&scratch, struct jar_totals, model->files.list.count);
	struct jar_rows rows = {};

	if (!is_observed(model, "system_calls") || !is_observed(model, "file_opens"))
		return;
	count_file_events(inventory, totals);
	for (uint32_t i = 1; i < model->files.list.count; i++) {
		if (model->files.list.items[i].is_archive && (totals[i].opens || totals[i].reads))
			put_file(inventory, i, &totals[i], &rows);
	}
	put_never_opened(inventory, &rows);
	if (rows.list.count)
		qsort(rows.list.items, rows.list.count, sizeof(*rows.list.items), compare_jars);
	inventory_put(inventory, jars, &rows.list);
}
