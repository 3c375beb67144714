#include "cli/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"

static struct err *make_temporary(struct work_folder *folder)
{
	const char *base = getenv("TMPDIR");
	char *path = arena_format(&folder->arena, "%s/warmtrace-XXXXXX", base && *base == '/' ? base : "/tmp");

	if (!mkdtemp(path))
		return err_errno(ERR_FAILED, errno, "cannot make a work folder '%s'", path);
	folder->path = path;
	folder->is_temporary = true;
	return NULL;
}

static struct err *make_named(struct work_folder *folder, const char *name, bool *ret_is_new)
{
	char *resolved;

	*ret_is_new = mkdir(name, 0755) == 0;
	if (!*ret_is_new && errno != EEXIST)
		return err_errno(ERR_FAILED, errno, "cannot make the work folder '%s'", name);
	resolved = realpath(name, NULL);
	if (!resolved)
		return err_errno(ERR_FAILED, errno, "cannot use the work folder '%s'", name);
	folder->path = arena_copy(&folder->arena, resolved, strlen(resolved));
	free(resolved);
	return NULL;
}

/* The folder that was opened is the one that is looked at and given away. One that was there before is not given
 * away: it could be anything. */
static struct err *give_to(const struct work_folder *folder, const struct invoker *invoker, bool is_new)
{
	auto_fd int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return err_errno(ERR_FAILED, errno, "cannot use the work folder '%s'", folder->path);
	if (status.st_uid == invoker->uid)
		return NULL;
	if (!is_new || status.st_uid != geteuid())
		return err_hint(err_new(ERR_FAILED, "cannot use the work folder '%s': it belongs to user %u",
					folder->path, status.st_uid),
				"the command runs as user %u and must be able to write there: give another folder "
				"with --work",
				invoker->uid);
	if (fchown(fd, invoker->uid, invoker->gid) != 0)
		return err_errno(ERR_FAILED, errno, "cannot give the work folder '%s' to user %u", folder->path,
				 invoker->uid);
	return NULL;
}

struct err *work_folder_open(const char *path, const struct invoker *invoker, struct work_folder *ret_folder)
{
	struct work_folder folder = {};
	bool is_new = true;
	struct err *err = path ? make_named(&folder, path, &is_new) : make_temporary(&folder);

	if (!err)
		err = give_to(&folder, invoker, is_new);
	if (err) {
		arena_done(&folder.arena);
		return err;
	}
	*ret_folder = folder;
	return NULL;
}

const char *work_folder_file(struct work_folder *folder, const char *name, const char *suffix)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+@";
	char *path = arena_format(&folder->arena, "%s/%s%s", folder->path, name, suffix);
	char *start = path + strlen(folder->path) + 1;

	for (char *at = start; *at; at++)
		if (!strchr(plain, *at))
			*at = '_';
	/* No hidden files, and neither "." nor "..". */
	if (*start == '.')
		*start = '_';
	return path;
}

/* ---- removing ---- */

enum { DEPTH_MOST = 64 };

/* By descriptors alone: what becomes a link meanwhile is unlinked, and never followed. */
static void remove_entries(int folder_fd, int depth)
{
	DIR *folder = fdopendir(folder_fd);

	if (!folder) {
		close(folder_fd);
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(folder), entry->d_name, 0) == 0 || depth == DEPTH_MOST)
			continue;

		int inner = openat(dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (inner < 0)
			continue;
		remove_entries(inner, depth + 1);
		unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
	}
	closedir(folder);
}

void work_folder_close(struct work_folder *folder)
{
	if (folder->path && folder->is_temporary) {
		int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0)
			remove_entries(fd, 0);
		rmdir(folder->path);
	}
	arena_done(&folder->arena);
	*folder = (struct work_folder){};
}
