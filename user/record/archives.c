#include "record/archives.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/text.h"
#include "parse/archive.h"

static bool is_archive_name(const char *path)
{
	static const char *const endings[] = {".jar",  ".war", ".ear", ".zip",
					      ".jmod", ".whl", ".pyz", "/lib/modules"};

	for (size_t i = 0; i < array_length(endings); i++)
		if (text_ends_with(path, endings[i]))
			return true;
	return false;
}

static bool is_cache_name(const char *path)
{
	return text_ends_with(path, ".aot") || text_ends_with(path, ".jsa");
}

enum { PATH_MOST = 8192 };

/* The path of an open or a look-up as an absolute one. False where it was not recorded whole, or is no archive's. */
static bool archive_path(const char *tail, size_t tail_length, uint32_t flags, char path[PATH_MOST])
{
	size_t length = strnlen(tail, tail_length);

	if ((flags & (PATH_TRUNCATED | PATH_UNREADABLE | PATH_BASE_CUT)) || !length || length >= PATH_MOST / 2)
		return false;
	memcpy(path, tail, length);
	path[length] = 0;
	if (!is_archive_name(path) && !is_cache_name(path))
		return false;
	if (!(flags & PATH_RELATIVE))
		return true;

	/* The folder names follow, innermost first. */
	char joined[PATH_MOST];
	const char *name = tail + length + 1, *end = tail + tail_length;
	size_t used = sizeof(joined) - 1;

	joined[used] = 0;
	memmove(joined + (used -= length), path, length);
	while (name < end) {
		size_t name_length = strnlen(name, (size_t)(end - name));

		if (name_length + 2 > used)
			return false;
		joined[--used] = '/';
		memmove(joined + (used -= name_length), name, name_length);
		name += name_length + 1;
	}
	joined[--used] = '/';
	memmove(path, joined + used, sizeof(joined) - used);
	return true;
}

static void see_open(struct archives *archives, const struct event_file_open *event)
{
	size_t tail_length = event->header.size - offsetof(struct event_file_open, tail);
	char path[PATH_MOST];
	bool is_new;

	if (event->result < 0 || !event->inode || !archive_path(event->tail, tail_length, event->path_flags, path))
		return;
	map_set(&archives->by_inode, hash_combine(event->device, event->inode), archives->files.count + 1, &is_new);
	if (!is_new)
		return;
	*vec_push(&archives->files) = (struct archive_file){
		.path = strpool_add_text(&archives->paths, path),
		.pid = event->header.pid,
		.device = event->device,
		.inode = event->inode,
		.is_cache = is_cache_name(path),
	};
	archives->has_cache |= is_cache_name(path);
}

/* A JVM that has all classes of a jar in a cache looks whether it is there, and does not open it. */
static void see_lookup(struct archives *archives, const struct event_file_lookup *event)
{
	size_t tail_length = event->header.size - offsetof(struct event_file_lookup, tail);
	char path[PATH_MOST];
	uint32_t name;
	bool is_new;

	if (event->result < 0 || !archive_path(event->tail, tail_length, event->path_flags, path) ||
	    is_cache_name(path))
		return;
	name = strpool_add_text(&archives->paths, path);
	map_set(&archives->looked_up, name, 1, &is_new);
	if (is_new)
		*vec_push(&archives->files) = (struct archive_file){.path = name, .pid = event->header.pid};
}

void archives_see(struct archives *archives, const struct event_header *header)
{
	if (header->kind == EVENT_FILE_OPEN)
		see_open(archives, (const struct event_file_open *)header);
	else if (header->kind == EVENT_FILE_LOOKUP)
		see_lookup(archives, (const struct event_file_lookup *)header);
}

/* A cache that is older than a jar it was made from holds that jar's old code. */
static void write_time(const struct archive_file *file, const struct stat *status, struct output *output)
{
	char key[64];

	snprintf(key, sizeof(key), "file_time.%u.%lu", file->device, (unsigned long)file->inode);
	output_textf(output, key, "%lld", (long long)status->st_mtim.tv_sec * 1000000000ll + status->st_mtim.tv_nsec);
}

/* The process's own root where it still lives, else ours. The file must still be the one that was opened. */
static int open_archive(const struct archives *archives, const struct archive_file *file, struct stat *ret_status)
{
	const char *path = strpool_text(&archives->paths, file->path);
	char rooted[8300];

	for (int attempt = 0; attempt < 2; attempt++) {
		if (attempt == 0)
			snprintf(rooted, sizeof(rooted), "/proc/%u/root%s", file->pid, path);
		else
			snprintf(rooted, sizeof(rooted), "%s", path);

		auto_fd int fd = open(rooted, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

		if (fd >= 0 && fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode) &&
		    (!file->inode || ret_status->st_ino == file->inode))
			return take_fd(&fd);
	}
	return -1;
}

static void write_one(const struct archives *archives, const struct archive_file *file, struct output *output)
{
	const char *path = strpool_text(&archives->paths, file->path);
	struct archive_index *index auto_done(archive_index_done) = NULL;
	struct stat status;
	auto_fd int fd = open_archive(archives, file, &status);

	if (fd < 0 && file->is_cache)
		return;
	if (fd < 0) {
		output_textf(output, "note", "the entries of %s are not known: it could not be opened again", path);
		return;
	}
	write_time(file, &status, output);
	if (file->is_cache)
		return;

	struct archive_source source = archive_source_descriptor(fd, (uint64_t)status.st_size);
	struct err *err = archive_read(&source, &index);

	if (err) {
		auto_free char *line = err_line(err);

		output_textf(output, "note", "the entries of %s are not known: %s", path, line ? line : "");
		err_free(err);
		return;
	}

	auto_free uint8_t *packed = NULL;
	size_t packed_length = 0;

	archive_pack(index, &packed, &packed_length);

	struct event_archive *event =
		event_begin(&output->builder, EVENT_ARCHIVE, clock_now_ns(), file->pid, file->pid);

	event->inode = file->inode;
	event->device = file->device;
	event_add_text(&output->builder, path);
	event_add_part(&output->builder, packed, packed_length);
	output_event(output, event_end(&output->builder));
}

/* A file that was only looked up gets its identity now. False where it was opened as well, or is gone. */
static bool identify(struct archives *archives, struct archive_file *file)
{
	struct stat status;
	auto_fd int fd = open_archive(archives, file, &status);
	bool is_new;

	if (fd < 0)
		return false;
	/* As the kernel has it, and with it the records of opens: twelve bits of major number, twenty of minor. */
	file->device = (uint32_t)(major(status.st_dev) << 20 | minor(status.st_dev));
	file->inode = status.st_ino;
	map_set(&archives->by_inode, hash_combine(file->device, file->inode), 1, &is_new);
	return is_new;
}

void archives_write(struct archives *archives, struct output *output)
{
	for vec_each(file, &archives->files) {
		/* Jars that were not opened matter only beside a cache that holds their classes. */
		if (!file->inode && (!archives->has_cache || !identify(archives, file)))
			continue;
		write_one(archives, file, output);
	}
}

void archives_done(struct archives *archives)
{
	strpool_done(&archives->paths);
	map_done(&archives->by_inode);
	map_done(&archives->looked_up);
	vec_done(&archives->files);
}
