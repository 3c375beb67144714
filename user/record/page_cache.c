#include "record/page_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "record/command.h"

static void add_file(struct page_cache_files *files, const char *path)
{
	char resolved[PATH_MAX];
	struct stat status;

	if (!realpath(path, resolved) || stat(resolved, &status) != 0 || !S_ISREG(status.st_mode) || !status.st_size)
		return;

	uint32_t id = strpool_add_text(&files->paths, resolved);

	for vec_each(known, &files->items)
		if (*known == id)
			return;
	*vec_push(&files->items) = id;
}

/* Files of a folder, of one ending where `ending` is given; folders in it to a small depth. */
static void add_folder(struct page_cache_files *files, const char *path, const char *ending, int depth)
{
	auto_dir DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char name[PATH_MAX];
		size_t length = strlen(entry->d_name), ending_length = ending ? strlen(ending) : 0;

		if (entry->d_name[0] == '.' ||
		    snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) >= (int)sizeof(name))
			continue;
		if (entry->d_type == DT_DIR) {
			if (depth > 0)
				add_folder(files, name, ending, depth - 1);
		} else if (!ending || (length > ending_length && strcmp(entry->d_name + length - ending_length, ending) == 0)) {
			add_file(files, name);
		}
	}
}

static void add_class_path(struct page_cache_files *files, const char *class_path)
{
	auto_free char *copy = strdup(class_path);
	char *rest = copy;

	for (char *element; (element = strsep(&rest, ":"));) {
		size_t length = strlen(element);
		struct stat status;

		if (length >= 1 && element[length - 1] == '*') {
			element[length - 1] = 0;
			add_folder(files, length > 1 ? element : ".", ".jar", 0);
		} else if (stat(element, &status) == 0 && S_ISDIR(status.st_mode)) {
			add_folder(files, element, NULL, 8);
		} else {
			add_file(files, element);
		}
	}
}

/* A launcher at JDK/bin/java implies what every start of that JDK reads. */
static void add_jdk(struct page_cache_files *files, const char *program)
{
	char home[PATH_MAX], folder[PATH_MAX + 32];
	char *slash = realpath(program, home) ? strrchr(home, '/') : NULL;

	if (!slash || strncmp(slash, "/java", 5) != 0)
		return;
	*slash = 0;
	slash = strrchr(home, '/');
	if (!slash)
		return;
	*slash = 0;
	snprintf(folder, sizeof(folder), "%s/lib", home);
	add_folder(files, folder, ".so", 1);
	add_folder(files, folder, ".jsa", 1);
	snprintf(folder, sizeof(folder), "%s/lib/modules", home);
	add_file(files, folder);
}

void page_cache_find(char *const *command, const char *search_path, struct page_cache_files *ret_files)
{
	char program[PATH_MAX];

	*ret_files = (struct page_cache_files){};
	if (command_find(command[0], search_path, program) == 0) {
		add_file(ret_files, program);
		add_jdk(ret_files, program);
	}
	for (char *const *argument = command + 1; *argument; argument++) {
		const char *before = argument[-1];
		size_t length = strlen(*argument);

		if (strcmp(before, "-cp") == 0 || strcmp(before, "-classpath") == 0 || strcmp(before, "--class-path") == 0 ||
		    strcmp(before, "-p") == 0 || strcmp(before, "--module-path") == 0)
			add_class_path(ret_files, *argument);
		else if (strncmp(*argument, "-XX:", 4) == 0 && strchr(*argument, '='))
			add_file(ret_files, strchr(*argument, '=') + 1);
		else if (**argument != '-')
			add_file(ret_files, *argument);
		if (length > 4 && strcmp(*argument + length - 4, ".jar") == 0) {
			char library[PATH_MAX];
			const char *slash = strrchr(*argument, '/');
			int folder_length = slash ? (int)(slash - *argument) : 1;

			snprintf(library, sizeof(library), "%.*s/lib", folder_length, slash ? *argument : ".");
			add_folder(ret_files, library, ".jar", 1);
		}
	}
}

void page_cache_drop(const struct page_cache_files *files)
{
	for vec_each(id, &files->items) {
		auto_fd int fd = open(strpool_text(&files->paths, *id), O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		/* Dirty pages are not dropped: a file that was just built has many. */
		fdatasync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

static size_t resident_pages(int fd, size_t length_bytes, size_t pages)
{
	void *bytes = mmap(NULL, length_bytes, PROT_READ, MAP_SHARED, fd, 0);
	auto_free unsigned char *states = malloc(pages);
	size_t resident = 0;

	if (bytes == MAP_FAILED || !states)
		return 0;
	if (mincore(bytes, length_bytes, states) == 0)
		for (size_t i = 0; i < pages; i++)
			resident += states[i] & 1;
	munmap(bytes, length_bytes);
	return resident;
}

uint64_t page_cache_record(const struct page_cache_files *files, struct output *output, enum moment moment)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t total = 0;

	for vec_each(id, &files->items) {
		const char *path = strpool_text(&files->paths, *id);
		auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct stat status;

		if (fd < 0 || fstat(fd, &status) != 0 || status.st_size <= 0)
			continue;

		size_t pages = ((size_t)status.st_size + page_bytes - 1) / page_bytes;
		struct event_residency *event = event_begin(&output->builder, EVENT_RESIDENCY, clock_now_ns(), 0, 0);

		event->inode = status.st_ino;
		/* As the kernel writes it in other records: major << 20 | minor. */
		event->device = (uint32_t)(major(status.st_dev) << 20 | minor(status.st_dev));
		event->pages = pages;
		event->resident_pages = resident_pages(fd, (size_t)status.st_size, pages);
		event->moment = moment;
		total += event->resident_pages * page_bytes;
		event_add_text(&output->builder, path);
		output_event(output, event_end(&output->builder));
	}
	return total;
}

void page_cache_files_done(struct page_cache_files *files)
{
	strpool_done(&files->paths);
	vec_done(&files->items);
}
