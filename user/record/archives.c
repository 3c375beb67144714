#include "record/archives.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/archive.h"

static bool ends_with(const char *text, const char *end)
{
	size_t text_length = strlen(text), end_length = strlen(end);

	return text_length >= end_length && strcmp(text + text_length - end_length, end) == 0;
}

static bool is_archive_name(const char *path)
{
	static const char *const endings[] = {".jar", ".war", ".ear", ".zip", ".jmod", ".whl", ".pyz", "/lib/modules"};

	for (size_t i = 0; i < array_length(endings); i++)
		if (ends_with(path, endings[i]))
			return true;
	return false;
}

void archives_see(struct archives *archives, const struct event_header *header)
{
	const struct event_file_open *event = (const void *)header;
	size_t tail_length = header->size - offsetof(struct event_file_open, tail);
	char path[8192];
	bool is_new;

	if (header->kind != EVENT_FILE_OPEN || event->result < 0 || !event->inode ||
	    (event->path_flags & (PATH_TRUNCATED | PATH_UNREADABLE | PATH_BASE_CUT)))
		return;

	size_t length = strnlen(event->tail, tail_length);

	if (!length || length >= sizeof(path) / 2)
		return;
	memcpy(path, event->tail, length);
	path[length] = 0;
	if (!is_archive_name(path))
		return;
	map_set(&archives->by_inode, hash_combine(event->device, event->inode), archives->files.count + 1, &is_new);
	if (!is_new)
		return;
	if (event->path_flags & PATH_RELATIVE) {
		/* The folder names follow, innermost first. */
		char joined[sizeof(path)];
		const char *name = event->tail + length + 1, *end = event->tail + tail_length;
		size_t used = sizeof(joined) - 1;

		joined[used] = 0;
		memmove(joined + (used -= length), path, length);
		while (name < end) {
			size_t name_length = strnlen(name, (size_t)(end - name));

			if (name_length + 2 > used)
				return;
			joined[--used] = '/';
			memmove(joined + (used -= name_length), name, name_length);
			name += name_length + 1;
		}
		joined[--used] = '/';
		memmove(path, joined + used, sizeof(joined) - used);
	}

	struct archive_file *file = vec_push(&archives->files);

	*file = (struct archive_file){
		.path = strpool_add_text(&archives->paths, path),
		.pid = header->pid,
		.device = event->device,
		.inode = event->inode,
	};
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
		    ret_status->st_ino == file->inode)
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

	if (fd < 0) {
		output_textf(output, "note", "the entries of %s are not known: it could not be opened again", path);
		return;
	}

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
		event_begin(&output->builder, EVENT_ARCHIVE, output_now_ns(), file->pid, file->pid);

	event->inode = file->inode;
	event->device = file->device;
	event_add_text(&output->builder, path);
	event_add_part(&output->builder, packed, packed_length);
	output_event(output, event_end(&output->builder));
}

void archives_write(struct archives *archives, struct output *output)
{
	for vec_each(file, &archives->files)
		write_one(archives, file, output);
}

void archives_done(struct archives *archives)
{
	strpool_done(&archives->paths);
	map_done(&archives->by_inode);
	vec_done(&archives->files);
}
