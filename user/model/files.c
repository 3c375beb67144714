#include "model/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), suffix_length = strlen(suffix);

	return length >= suffix_length && strcasecmp(text + length - suffix_length, suffix) == 0;
}

static bool is_archive_name(const char *name)
{
	return has_suffix(name, ".jar") || has_suffix(name, ".war") || has_suffix(name, ".ear") ||
	       has_suffix(name, ".zip") || has_suffix(name, ".jmod");
}

uint32_t files_find_or_make(struct model *model, uint32_t device, uint64_t inode)
{
	bool is_new;
	uint64_t *place =
		map_set(&model->files.by_inode, hash_combine(inode, device), model->files.list.count, &is_new);

	if (is_new)
		*vec_push(&model->files.list) = (struct file){.inode = inode, .device = device, .archive = NO_INDEX};
	return (uint32_t)*place;
}

void files_name(struct model *model, uint32_t index, uint32_t path, bool is_better)
{
	struct file *file = &model->files.list.items[index];

	if (path == 0 || (file->path && !is_better))
		return;
	file->path = path;
	if (is_archive_name(model_text(model, path)))
		file->is_archive = true;
}

/* ---- paths ---- */

/* The folder names come from the innermost outwards; the path is built from its end. */
static uint32_t absolute_path(struct load *load, const char *tail, size_t length, uint32_t flags)
{
	struct strpool *strings = &load->model->strings;
	size_t path_length = strnlen(tail, length);
	const char *end = tail + length;

	if (flags & PATH_UNREADABLE)
		return 0;
	while (path_length > 2 && tail[0] == '.' && tail[1] == '/') {
		tail += 2;
		path_length -= 2;
	}
	if ((path_length && tail[0] == '/') || (flags & PATH_TRUNCATED) || !(flags & PATH_RELATIVE))
		return strpool_add(strings, tail, path_length);

	size_t room = length + 2;
	auto_free char *text = malloc(room);

	if (!text)
		memory_exhausted();

	size_t at = room;

	at -= path_length;
	memcpy(text + at, tail, path_length);
	for (const char *name = tail + path_length + 1; name < end;) {
		size_t name_length = strnlen(name, (size_t)(end - name));

		if (name_length && !(name_length == 1 && name[0] == '/')) {
			if (at < room && text[at] != '/')
				text[--at] = '/';
			at -= name_length;
			memcpy(text + at, name, name_length);
		}
		name += name_length + 1;
	}
	if (!(flags & PATH_BASE_CUT) && (at == room || text[at] != '/'))
		text[--at] = '/';
	return strpool_add(strings, text + at, room - at);
}

static void set_of_event(const struct model *model, uint32_t **table, uint32_t index, uint32_t value)
{
	if (!*table)
		*table = calloc(model->event_count, sizeof(**table));
	if (!*table)
		memory_exhausted();
	(*table)[index] = value;
}

static uint32_t path_of_event(struct load *load, uint32_t index, const char *tail, size_t length, uint32_t flags)
{
	uint32_t path = absolute_path(load, tail, length, flags);

	set_of_event(load->model, &load->model->files.event_paths, index, path);
	return path;
}

/* ---- descriptors of the random source ---- */

static uint64_t descriptor_key(uint32_t pid, uint64_t descriptor)
{
	return (uint64_t)pid << 32 | (uint32_t)descriptor;
}

static bool is_random_path(const char *path)
{
	return strcmp(path, "/dev/random") == 0 || strcmp(path, "/dev/urandom") == 0 ||
	       strcmp(path, "/dev/hwrng") == 0;
}

bool files_is_random(struct load *load, uint32_t pid, uint64_t descriptor)
{
	return map_find(&load->random_descriptors, descriptor_key(pid, descriptor)) != NULL;
}

void files_on_close(struct load *load, uint32_t pid, uint64_t descriptor)
{
	if (load->random_descriptors.count)
		map_remove(&load->random_descriptors, descriptor_key(pid, descriptor));
}

static void note_random(struct load *load, uint32_t pid, int64_t descriptor, uint32_t path)
{
	if (is_random_path(model_text(load->model, path)))
		map_set(&load->random_descriptors, descriptor_key(pid, (uint64_t)descriptor), 1, NULL);
	else
		files_on_close(load, pid, (uint64_t)descriptor);
}

/* ---- the pass ---- */

static void on_open(struct load *load, uint32_t thread, uint32_t index, const struct event_file_open *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	size_t length;
	const char *tail = MODEL_TAIL(event, &length);
	uint32_t path = path_of_event(load, index, tail, length, event->path_flags);
	struct span *span = spans_add(load, thread, SPAN_FILE_OPEN, index, time_ns - event->duration_ns, time_ns);

	if (event->result < 0 || (event->inode == 0 && event->device == 0))
		return;

	uint32_t file = files_find_or_make(model, event->device, event->inode);

	files_name(model, file, path, true);
	set_of_event(model, &model->files.event_files, index, file);
	note_random(load, event->header.pid, event->result, path);
	span->name = file;
	span->flags |= model->files.list.items[file].is_archive ? SPAN_ARCHIVE : 0;
}

static void on_transfer(struct load *load, uint32_t thread, uint32_t index, const struct event_file_read *event)
{
	struct model *model = load->model;
	bool is_read = event->header.kind == EVENT_FILE_READ;
	uint64_t time_ns = event->header.time_ns;
	uint32_t file = files_find_or_make(model, event->device, event->inode);
	struct span *span = spans_add(load, thread, is_read ? SPAN_FILE_READ : SPAN_FILE_WRITE, index,
				      time_ns - event->duration_ns, time_ns);

	span->name = file;
	span->flags |= model->files.list.items[file].is_archive ? SPAN_ARCHIVE : 0;
	if (is_read)
		classes_on_read(load, thread, index, event->result);
	if (span->flags & SPAN_ARCHIVE)
		spans_prove_load(load, thread, time_ns);
}

static void on_map(struct load *load, uint32_t thread, uint32_t index, const struct event_file_map *event)
{
	struct model *model = load->model;
	uint64_t time_ns = event->header.time_ns;
	struct span *span = spans_add(load, thread, SPAN_FILE_MAP, index, time_ns - event->duration_ns, time_ns);
	size_t length;
	const char *name = MODEL_TAIL(event, &length);

	if (event->inode == 0)
		return;
	span->name = files_find_or_make(model, event->device, event->inode);
	model->files.list.items[span->name].is_mapped |= event->result >= 0;
	if (length)
		files_name(model, span->name, strpool_add(&model->strings, name, strnlen(name, length)), false);
	span->flags |= model->files.list.items[span->name].is_archive ? SPAN_ARCHIVE : 0;
}

static void on_syscall(struct load *load, uint32_t thread, uint32_t index, const struct event_syscall *event)
{
	uint64_t time_ns = event->header.time_ns;
	struct span *span = spans_add(load, thread, SPAN_SYSCALL, index, time_ns - event->duration_ns, time_ns);
	enum call_class class = model_call_class(load->model, event->number);

	if (class == CALL_CLOSE)
		files_on_close(load, event->header.pid, event->argument0);
	else if (class == CALL_RANDOM || (class == CALL_READ && load->random_descriptors.count &&
					  files_is_random(load, event->header.pid, event->argument0)))
		span->flags |= SPAN_RANDOM;
}

void files_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event)
{
	switch ((enum event_kind)event->kind) {
	case EVENT_FILE_OPEN:
		on_open(load, thread, index, (const struct event_file_open *)event);
		break;
	case EVENT_FILE_LOOKUP: {
		const struct event_file_lookup *lookup = (const struct event_file_lookup *)event;
		size_t length;
		const char *tail = MODEL_TAIL(lookup, &length);

		path_of_event(load, index, tail, length, lookup->path_flags);
		spans_add(load, thread, SPAN_FILE_LOOKUP, index, event->time_ns - lookup->duration_ns,
			  event->time_ns);
		break;
	}
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
		on_transfer(load, thread, index, (const struct event_file_read *)event);
		break;
	case EVENT_FILE_MAP:
		on_map(load, thread, index, (const struct event_file_map *)event);
		break;
	case EVENT_SYSCALL:
		on_syscall(load, thread, index, (const struct event_syscall *)event);
		break;
	default:
		break;
	}
}

void files_done(struct model *model)
{
	for vec_each(archive, &model->files.archives)
		archives_free(archive);
	vec_done(&model->files.archives);
	vec_done(&model->files.list);
	map_done(&model->files.by_inode);
	free(model->files.event_paths);
	free(model->files.event_files);
}

void files_add_archive(struct model *model, uint32_t device, uint64_t inode, uint32_t path, uint32_t archive)
{
	uint32_t file = files_find_or_make(model, device, inode);

	files_name(model, file, path, true);
	model->files.list.items[file].archive = archive;
	model->files.list.items[file].is_archive = true;
}

/* ---- questions ---- */

uint32_t model_file_by_inode(const struct model *model, uint32_t device, uint64_t inode)
{
	uint64_t *place = map_find(&model->files.by_inode, hash_combine(inode, device));

	return place ? (uint32_t)*place : 0;
}

const char *model_file_path(const struct model *model, uint32_t file)
{
	return file < model->files.list.count ? model_text(model, model->files.list.items[file].path) : "";
}

uint32_t model_event_file(const struct model *model, uint32_t event)
{
	return model->files.event_files ? model->files.event_files[event] : 0;
}

uint32_t model_event_path_id(const struct model *model, uint32_t event)
{
	return model->files.event_paths ? model->files.event_paths[event] : 0;
}

const char *model_event_path(const struct model *model, uint32_t event)
{
	uint32_t path = model_event_path_id(model, event);

	return path ? model_text(model, path) : "";
}
