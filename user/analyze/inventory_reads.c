/* Reads of archives to the entries that they wanted, see inventory_sources.h. */
#include "analyze/inventory_sources.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/inventory_internal.h"

/* A class's bytes are among the last reads of its thread: those of a superclass, which is loaded in between, are
 * fewer. */
enum { READS_LOOKED_BACK = 64 };

struct archive_read {
	uint64_t offset, end;
	uint32_t event, archive, thread;
	uint32_t begin_entry; /* what its first byte belongs to, NO_INDEX for a directory and the like */
	uint32_t begin_inner;
	uint32_t hit_entry; /* of a class that was loaded next and lies in it, NO_INDEX where none */
	bool is_at_start;   /* it begins where the entry begins */
	bool is_only_entry; /* it covers no other */
	bool is_of_directory;
	uint8_t phase;
};

struct thread_reads {
	VEC(uint32_t) list; /* indices of reads */
};

struct reads {
	const struct model *model;
	const struct report *report;
	struct class_sources *sources;
	VEC(struct archive_read) list;
	struct thread_reads *threads;
	uint32_t *last_of_archive; /* the last read of each archive by any thread */
};

/* ---- what a read covers ---- */

struct covered {
	struct archive_read *read;
	struct archive_use *archive;
	const struct model *model;
	uint32_t number; /* of the read, from 1 */
	bool has_first;
};

static void count_cover(const struct covered *covered, const struct archive_piece *piece)
{
	struct entry_use *use = &covered->archive->entries[piece->entry];
	uint8_t phase = covered->read->phase;

	use->phase_bytes[phase] += piece->length_bytes;
	use->phase_reads[phase] += use->last_read != covered->number;
	use->last_read = covered->number;
}

static void on_covered(void *context, const struct archive_piece *piece)
{
	struct covered *covered = context;
	struct archive_read *read = covered->read;

	if (piece->entry != NO_INDEX)
		count_cover(covered, piece);
	if (!covered->has_first) {
		struct archive_entry_facts entry;

		covered->has_first = true;
		read->begin_inner = piece->inner;
		read->begin_entry = piece->entry;
		read->is_of_directory = piece->kind == PIECE_DIRECTORY || piece->kind == PIECE_END;
		read->is_only_entry = true;
		read->is_at_start = piece->kind == PIECE_HEADER ||
				    (piece->kind == PIECE_DATA &&
				     model_archive_entry(covered->model, read->archive, piece->entry, &entry) &&
				     entry.data_offset == piece->offset);
	} else if (piece->entry != NO_INDEX && piece->entry != read->begin_entry) {
		read->is_only_entry = false;
	}
}

static void add_read(struct reads *reads, uint32_t index)
{
	const struct event_file_read *event = MODEL_EVENT(reads->model, index, file_read);
	uint32_t file = model_file_by_inode(reads->model, event->device, event->inode);
	uint32_t archive = reads->model->files.list.items[file].archive;
	uint32_t thread = model_thread_at(reads->model, event->header.tid, event->header.time_ns);
	uint32_t at = (uint32_t)reads->list.count;

	if (file == 0 || archive == NO_INDEX || archive >= reads->sources->archive_count ||
	    reads->sources->archives[archive].inner_count == 0)
		return;

	struct archive_read *read = vec_push(&reads->list);
	struct covered covered = {
		.read = read,
		.archive = &reads->sources->archives[archive],
		.model = reads->model,
		.number = at + 1,
	};
	uint64_t length = event->result > 0 ? (uint64_t)event->result : 0;

	*read = (struct archive_read){
		.offset = event->offset,
		.event = index,
		.archive = archive,
		.thread = thread,
		.begin_entry = NO_INDEX,
		.hit_entry = NO_INDEX,
		.phase = (uint8_t)phase_of_time(reads->report, reads->model, event->header.time_ns),
	};
	if (__builtin_add_overflow(read->offset, length, &read->end))
		read->end = read->offset;
	model_archive_pieces(reads->model, archive, read->offset, read->end - read->offset, on_covered, &covered);
	if (read->end == read->offset)
		return;
	reads->last_of_archive[archive] = at;
	if (thread != NO_INDEX)
		*vec_push(&reads->threads[thread].list) = at;
}

/* ---- the class that was loaded next ---- */

static bool covers_entry(const struct reads *reads, const struct archive_read *read, uint32_t archive, uint32_t index)
{
	struct archive_entry_facts entry;

	return read->archive == archive && model_archive_entry(reads->model, archive, index, &entry) &&
	       read->offset < entry.data_offset + entry.compressed_bytes && read->end > entry.data_offset;
}

static uint32_t candidate_in_read(const struct reads *reads, const struct archive_read *read, const char *name)
{
	for (uint32_t link = sources_candidates(reads->model, reads->sources, NO_INDEX, name); link != NO_INDEX;
	     link = sources_candidates(reads->model, reads->sources, link, name)) {
		const struct class_link *candidate = &reads->sources->links.items[link];

		if (covers_entry(reads, read, candidate->archive, candidate->entry))
			return candidate->entry;
	}
	return NO_INDEX;
}

/* Archives may keep their classes in a folder of any name: then the end of the entry's name is the class's. */
static bool begins_with_class(const struct reads *reads, const struct archive_read *read, const char *name)
{
	struct archive_entry_facts entry;
	size_t length = strlen(name), entry_length;

	if (read->begin_entry == NO_INDEX ||
	    !model_archive_entry(reads->model, read->archive, read->begin_entry, &entry))
		return false;
	entry_length = strlen(entry.name);
	return entry_length > length + strlen("/.class") &&
	       strcmp(entry.name + entry_length - strlen(".class"), ".class") == 0 &&
	       strncmp(entry.name + entry_length - strlen(".class") - length, name, length) == 0 &&
	       entry.name[entry_length - strlen(".class") - length - 1] == '/';
}

static uint32_t find_read_of_class(struct reads *reads, uint32_t thread, const char *name, uint32_t *ret_entry)
{
	const struct thread_reads *of = &reads->threads[thread];
	size_t least = of->list.count > READS_LOOKED_BACK ? of->list.count - READS_LOOKED_BACK : 0;
	bool has_candidate = sources_candidates(reads->model, reads->sources, NO_INDEX, name) != NO_INDEX;

	for (size_t i = of->list.count; i > least; i--) {
		uint32_t at = of->list.items[i - 1];
		const struct archive_read *read = &reads->list.items[at];

		*ret_entry = has_candidate			    ? candidate_in_read(reads, read, name)
			     : begins_with_class(reads, read, name) ? read->begin_entry
								    : NO_INDEX;
		if (*ret_entry != NO_INDEX)
			return at;
	}

	/* A reader's buffer is shared by threads: another one's read may hold this class's bytes. */
	for (uint32_t link = sources_candidates(reads->model, reads->sources, NO_INDEX, name); link != NO_INDEX;
	     link = sources_candidates(reads->model, reads->sources, link, name)) {
		const struct class_link *candidate = &reads->sources->links.items[link];
		uint32_t at = reads->last_of_archive[candidate->archive];

		if (at != NO_INDEX &&
		    covers_entry(reads, &reads->list.items[at], candidate->archive, candidate->entry)) {
			*ret_entry = candidate->entry;
			return at;
		}
	}
	return NO_INDEX;
}

static void on_class(struct reads *reads, uint32_t class_index)
{
	const struct loaded_class *class = &reads->model->jvm.classes.items[class_index];
	const char *name = model_text(reads->model, class->name);
	uint32_t entry = NO_INDEX, at;

	if (class->is_shared || class_is_hidden(name))
		return;
	at = find_read_of_class(reads, class->thread, name, &entry);
	if (at == NO_INDEX)
		return;

	struct archive_read *read = &reads->list.items[at];
	struct entry_use *use = &reads->sources->archives[read->archive].entries[entry];
	struct class_origin *origin = &reads->sources->origins[class_index];
	const struct event_file_read *event = MODEL_EVENT(reads->model, read->event, file_read);
	struct archive_entry_facts facts;
	struct archive_facts inner;

	if (!model_archive_entry(reads->model, read->archive, entry, &facts) ||
	    !model_archive_facts(reads->model, read->archive, facts.archive, &inner))
		return;
	use->is_class = true;
	if (!use->class)
		use->class = class_index + 1;
	use->bytes_wanted = facts.compressed_bytes;
	use->phases |= (uint8_t)(1u << phase_of_time(reads->report, reads->model, class->loaded_ns));
	if (read->hit_entry == NO_INDEX || entry == read->begin_entry)
		read->hit_entry = entry;
	*origin = (struct class_origin){
		.source = inner.is_jimage ? CLASS_FROM_JRT : CLASS_FROM_JAR,
		.file = model_file_by_inode(reads->model, event->device, event->inode),
		.archive = read->archive,
		.inner = facts.archive,
		.entry = entry,
	};
}

/* ---- what each read wanted ---- */

struct wanting {
	struct entry_use *use;
	struct inner_use *inner; /* of a directory */
	uint32_t entry;
	uint64_t data_offset, data_bytes, header_bytes;
	bool covers_start;
};

static void on_wanted(void *context, const struct archive_piece *piece)
{
	struct wanting *wanting = context;

	if (wanting->inner) {
		if (piece->kind == PIECE_DIRECTORY)
			wanting->inner->directory_bytes += piece->length_bytes;
		else if (piece->kind == PIECE_END && piece->length_bytes > wanting->inner->end_bytes)
			wanting->inner->end_bytes = piece->length_bytes;
		return;
	}
	if (piece->entry != wanting->entry)
		return;
	if (piece->kind == PIECE_HEADER) {
		wanting->header_bytes += piece->length_bytes;
	} else if (piece->kind == PIECE_DATA) {
		wanting->data_bytes += piece->length_bytes;
		wanting->covers_start |= piece->offset == wanting->data_offset;
	}
}

static void want_entry(struct reads *reads, const struct archive_read *read, uint32_t index)
{
	struct entry_use *use = &reads->sources->archives[read->archive].entries[index];
	struct wanting wanting = {.use = use, .entry = index};
	struct archive_entry_facts entry;

	if (!model_archive_entry(reads->model, read->archive, index, &entry))
		return;
	wanting.data_offset = entry.data_offset;
	model_archive_pieces(reads->model, read->archive, read->offset, read->end - read->offset, on_wanted,
			     &wanting);
	use->bytes_wanted += wanting.data_bytes;
	if (use->bytes_wanted > entry.compressed_bytes)
		use->bytes_wanted = entry.compressed_bytes;
	if (wanting.header_bytes > use->header_bytes)
		use->header_bytes = wanting.header_bytes;
	use->starts += wanting.covers_start;
	if (read->event < use->first_wanted) {
		use->first_wanted = read->event;
		use->first_thread = read->thread;
	}
	use->phases |= (uint8_t)(1u << read->phase);
}

/* A read that begins where its entry begins wanted that entry, and so did one that goes on in an entry that is
 * wanted; one that begins in the middle of another wanted it only where nothing else explains the read. */
static bool wants_begin_entry(const struct reads *reads, const struct archive_read *read)
{
	const struct entry_use *use = &reads->sources->archives[read->archive].entries[read->begin_entry];

	return read->is_at_start || read->is_only_entry || read->hit_entry == NO_INDEX || use->is_class ||
	       use->starts;
}

static void decide(struct reads *reads, const struct archive_read *read)
{
	struct archive_use *archive = &reads->sources->archives[read->archive];
	const struct event_file_read *event = MODEL_EVENT(reads->model, read->event, file_read);
	uint64_t bytes = event->result > 0 ? (uint64_t)event->result : 0;
	uint32_t inner = read->begin_inner;
	struct archive_entry_facts entry;

	if (read->begin_entry != NO_INDEX && wants_begin_entry(reads, read)) {
		want_entry(reads, read, read->begin_entry);
	} else if (read->hit_entry != NO_INDEX) {
		if (model_archive_entry(reads->model, read->archive, read->hit_entry, &entry))
			inner = entry.archive;
	} else if (read->is_of_directory) {
		struct wanting wanting = {.inner = &archive->inners[inner], .entry = NO_INDEX};

		archive->inners[inner].directory_reads++;
		archive->inners[inner].directory_ns += event->duration_ns;
		model_archive_pieces(reads->model, read->archive, read->offset, read->end - read->offset, on_wanted,
				     &wanting);
	}
	/* The entry that a class was loaded from, where the read began before it. */
	if (read->hit_entry != NO_INDEX && read->hit_entry != read->begin_entry)
		want_entry(reads, read, read->hit_entry);

	struct inner_use *use = &archive->inners[inner];

	use->reads++;
	use->bytes_read += bytes;
	use->phase_reads[read->phase]++;
	use->phase_bytes[read->phase] += bytes;
}

static void decide_all(struct reads *reads)
{
	/* Those at the start of their entries first: they tell which entries are wanted. */
	for vec_each(read, &reads->list) {
		if (read->is_at_start)
			decide(reads, read);
	}
	for vec_each(read, &reads->list) {
		if (!read->is_at_start)
			decide(reads, read);
	}
	for (uint32_t i = 0; i < reads->sources->archive_count; i++) {
		struct archive_use *archive = &reads->sources->archives[i];

		for (uint32_t k = 0; k < archive->inner_count; k++) {
			struct archive_facts facts;

			if (model_archive_facts(reads->model, i, k, &facts) &&
			    archive->inners[k].directory_bytes > facts.directory_bytes)
				archive->inners[k].directory_bytes = facts.directory_bytes;
		}
	}
}

/* ---- the share that was touched ---- */

static int compare_places(const void *left, const void *right)
{
	const struct archive_read *a = left, *b = right;

	if (a->archive != b->archive)
		return a->archive < b->archive ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void touch(const struct reads *reads, uint32_t archive, uint64_t start, uint64_t end)
{
	struct archive_use *use = &reads->sources->archives[archive];

	for (uint32_t i = 0; i < use->inner_count; i++) {
		struct archive_facts facts;

		if (!model_archive_facts(reads->model, archive, i, &facts))
			continue;

		uint64_t from = facts.offset > start ? facts.offset : start;
		uint64_t to = facts.offset + facts.length_bytes < end ? facts.offset + facts.length_bytes : end;

		if (from < to)
			use->inners[i].touched_bytes += to - from;
	}
}

/* The last use of the list of reads: its order is lost. */
static void touch_all(struct reads *reads)
{
	struct archive_read *list = reads->list.items;
	size_t count = reads->list.count;

	if (count)
		qsort(list, count, sizeof(*list), compare_places);
	for (size_t i = 0; i < count;) {
		uint32_t archive = list[i].archive;
		uint64_t start = list[i].offset, end = list[i].end;

		for (i++; i < count && list[i].archive == archive && list[i].offset <= end; i++)
			end = list[i].end > end ? list[i].end : end;
		touch(reads, archive, start, end);
	}
}

void sources_read(const struct model *model, const struct report *report, struct class_sources *sources)
{
	size_t thread_count = model->threads.list.count;
	struct reads reads = {.model = model, .report = report, .sources = sources};
	uint32_t next_class = 0;

	reads.threads = arena_array(&sources->arena, struct thread_reads, thread_count);
	reads.last_of_archive = arena_array(&sources->arena, uint32_t, sources->archive_count);
	for (uint32_t i = 0; i < sources->archive_count; i++)
		reads.last_of_archive[i] = NO_INDEX;
	for (struct event_walk walk = model_walk(model, EVENT_FILE_READ, EVENT_CLASS_LOADED); model_walk_next(&walk);) {
		const uint32_t i = walk.index;

		if (model->events[i]->kind == EVENT_FILE_READ) {
			add_read(&reads, i);
		} else {
			while (next_class < model->jvm.classes.count &&
			       model->jvm.classes.items[next_class].event < i)
				next_class++;
			if (next_class < model->jvm.classes.count && model->jvm.classes.items[next_class].event == i)
				on_class(&reads, next_class);
		}
	}
	decide_all(&reads);
	touch_all(&reads);
	for (size_t i = 0; i < thread_count; i++)
		vec_done(&reads.threads[i].list);
	vec_done(&reads.list);
}
