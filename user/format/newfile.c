#include "format/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"

enum { LINKS_MAX = 40 /* as the kernel's own limit in path resolution */ };

/* The part of a path that is still to be walked. */
struct walk {
	char rest[2 * PATH_MAX];
	uid_t owner_uid;
	int link_count;
	int fd; /* the folder reached, O_PATH */
};

static int walk_to(struct walk *walk, int fd)
{
	if (fd < 0)
		return errno;
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = fd;
	return 0;
}

/* Puts a link's target in front of the rest. The link is read through its descriptor: the one that was judged. */
static int walk_link(struct walk *walk, int link_fd, uid_t link_uid)
{
	char target[sizeof(walk->rest)];
	ssize_t length = readlinkat(link_fd, "", target, PATH_MAX);

	if (length < 0)
		return errno;
	if (link_uid != 0 && link_uid != geteuid() && link_uid != walk->owner_uid)
		return EACCES;
	if (++walk->link_count > LINKS_MAX)
		return ELOOP;

	size_t rest_length = strlen(walk->rest);

	if (length == 0 || (size_t)length + 1 + rest_length >= sizeof(target))
		return ENAMETOOLONG;
	target[length] = '/';
	memcpy(target + length + 1, walk->rest, rest_length + 1);
	memcpy(walk->rest, target, (size_t)length + 1 + rest_length + 1);
	return walk->rest[0] == '/' ? walk_to(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

static int walk_component(struct walk *walk, const char *name)
{
	auto_fd int fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return errno;
	if (S_ISLNK(status.st_mode))
		return walk_link(walk, fd, status.st_uid);
	if (!S_ISDIR(status.st_mode))
		return ENOTDIR;
	return walk_to(walk, take_fd(&fd));
}

/* The kernel's own rule against planted links (fs.protected_symlinks) covers the last component only, and can be off.
 */
static int open_folder(const char *path, uid_t owner_uid, int *ret_fd)
{
	struct walk walk = {.owner_uid = owner_uid, .fd = -1};
	int error = 0;

	if (strlen(path) >= PATH_MAX)
		return ENAMETOOLONG;
	memcpy(walk.rest, path, strlen(path) + 1);
	error = walk_to(&walk, open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	while (!error) {
		char name[NAME_MAX + 1];
		const char *start = walk.rest + strspn(walk.rest, "/");
		size_t length = strcspn(start, "/");

		if (length == 0)
			break;
		if (length >= sizeof(name)) {
			error = ENAMETOOLONG;
			break;
		}
		memcpy(name, start, length);
		name[length] = '\0';
		memmove(walk.rest, start + length, strlen(start + length) + 1);
		error = walk_component(&walk, name);
	}
	if (error) {
		auto_fd_done(&walk.fd);
		return error;
	}
	*ret_fd = walk.fd;
	return 0;
}

static struct err *keep_old(int folder, const char *path, const char *name, const char *old_name, bool *ret_is_kept)
{
	struct stat status;

	*ret_is_kept = false;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? NULL : err_errno(ERR_FAILED, errno, "cannot write '%s'", path);
	if (!S_ISREG(status.st_mode))
		return err_new(ERR_FAILED, "cannot write '%s': it exists and is %s", path,
			       S_ISLNK(status.st_mode)	 ? "a symbolic link"
			       : S_ISDIR(status.st_mode) ? "a folder"
							 : "not a regular file");
	/* Acts on the names alone: what is exchanged under them after the look above is moved, never opened. */
	if (renameat(folder, name, folder, old_name) != 0)
		return err_errno(ERR_FAILED, errno, "cannot write '%s': the older file cannot be kept as '%s.old'",
				 path, path);
	*ret_is_kept = true;
	return NULL;
}

struct err *newfile_create(const char *path, uid_t owner_uid, gid_t owner_gid, int *ret_fd)
{
	char folder_path[PATH_MAX], old_name[NAME_MAX + 1];
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t folder_length = (size_t)(name - path);
	auto_fd int folder = -1;
	bool is_kept;

	if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return err_new(ERR_FAILED, "cannot write '%s': it names no file", path);
	if (folder_length >= sizeof(folder_path) ||
	    (size_t)snprintf(old_name, sizeof(old_name), "%s.old", name) >= sizeof(old_name))
		return err_errno(ERR_FAILED, ENAMETOOLONG, "cannot write '%s'", path);
	memcpy(folder_path, path, folder_length);
	folder_path[folder_length] = '\0';

	int error = open_folder(folder_path, owner_uid, &folder);

	if (error)
		return err_errno(ERR_FAILED, error, "cannot write '%s': its folder cannot be used", path);
	TRY(keep_old(folder, path, name, old_name, &is_kept));

	auto_fd int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0) {
		error = errno;
		if (is_kept)
			renameat2(folder, old_name, folder, name, RENAME_NOREPLACE);
		return err_errno(ERR_FAILED, error, "cannot write '%s'", path);
	}
	if ((owner_uid != geteuid() || owner_gid != getegid()) && fchown(fd, owner_uid, owner_gid) != 0) {
		error = errno;
		unlinkat(folder, name, 0);
		if (is_kept)
			renameat2(folder, old_name, folder, name, RENAME_NOREPLACE);
		return err_errno(ERR_FAILED, error, "cannot give '%s' to its owner", path);
	}
	*ret_fd = take_fd(&fd);
	return NULL;
}
