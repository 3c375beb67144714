/*
 * Opens and looks up a known number of files and prints what it did as JSON: the truth that a trace is compared with.
 *
 *   known_files [DIR]        DIR: an empty or absent folder to work in; default: a new one in /tmp
 *
 * Every system call is made by number, so that the C library cannot turn one into another (its open() calls openat).
 * Counted are only calls on names inside DIR and made between the two lines on standard error; the program's own
 * start-up and preparation open other files, and the preparation inside DIR has names that begin with "prepare".
 *
 * The counts are primes or odd, so that a result that is right by accident, or counted twice, is unlikely:
 *
 *   opens     23 succeed, 17 fail        open, openat, openat2, creat; absolute, relative, to a folder's descriptor,
 * after chdir lookups   13 + 11 by stat, lstat, newfstatat, statx; 5 + 3 by access, faccessat, faccessat2; 3 + 2 by
 * readlink, readlinkat
 *
 * Three of the successful opens take their name from a page that this process has mapped and never touched: a tracer
 * that reads the name on entry to the system call, without care, gets nothing. Some names contain "..": the printed
 * truth has them resolved.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

enum {
	OPENS_OK = 23,
	OPENS_FAILED = 17,
	STATS_OK = 13,
	STATS_FAILED = 11,
	ACCESS_OK = 5,
	ACCESS_FAILED = 3,
	LINKS_OK = 3,
	LINKS_FAILED = 2
};
enum { UNTOUCHED_NAMES = 3 };

static char top[4096];
static int top_fd, sub_fd;
static struct {
	int opens_ok, opens_failed, lookups_ok, lookups_failed;
	int openat2_calls;
} done;

static void die(const char *what)
{
	fprintf(stderr, "known_files: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The tables below choose call and form of name by turns. */
static long open_by(int how, int dir_fd, const char *path)
{
	struct open_how openat2_how = {.flags = O_RDONLY};

	switch (how % 4) {
#ifdef SYS_open
	case 0:
		return syscall(SYS_open, path, O_RDONLY);
#endif
	case 1:
		return syscall(SYS_openat, dir_fd, path, O_RDONLY);
	case 2: {
		long fd = syscall(SYS_openat2, dir_fd, path, &openat2_how, sizeof(openat2_how));
		/* A kernel before 5.6, or a container's filter, has no openat2. */
		if (fd < 0 && (errno == ENOSYS || errno == EPERM))
			return syscall(SYS_openat, dir_fd, path, O_RDONLY);
		done.openat2_calls++;
		return fd;
	}
#ifdef SYS_creat
	case 3:
		return syscall(SYS_creat, path, 0600);
#endif
	default:
		return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	}
}

/* open and creat have no descriptor to start from: their relative names start at the working folder, which is DIR
 * then. */
static void do_open(int how, int form, const char *name, int expect_ok)
{
	char absolute[8192];
	const char *path = name;
	int dir_fd = AT_FDCWD;
	long fd;

	if (form % 3 == 0) {
		snprintf(absolute, sizeof(absolute), "%s/%s", top, name);
		path = absolute;
	} else if (form % 3 == 1) {
		dir_fd = top_fd;
	}
	fd = open_by(how, dir_fd, path);
	if ((fd >= 0) != expect_ok) {
		fprintf(stderr, "known_files: open %s: %s\n", path, fd >= 0 ? "exists" : strerror(errno));
		exit(1);
	}
	if (fd >= 0)
		close((int)fd);
	if (expect_ok)
		done.opens_ok++;
	else
		done.opens_failed++;
}

/* NAME is written to a file and mapped from it: its page is in the page cache, but not in this process's page table.
 */
static const char *untouched_copy(const char *name, int index)
{
	char path[8192];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/prepare-name-%d", top, index);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, name, strlen(name) + 1) < 0)
		die(path);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	close(fd);
	return map;
}

static void lookup_done(long ret, int expect_ok, const char *path)
{
	if ((ret >= 0) != expect_ok) {
		fprintf(stderr, "known_files: look-up of %s: %s\n", path, ret >= 0 ? "exists" : strerror(errno));
		exit(1);
	}
	if (expect_ok)
		done.lookups_ok++;
	else
		done.lookups_failed++;
}

static void do_stat(int how, const char *name, int expect_ok)
{
	char path[8192];
	struct stat st;
	struct statx stx;
	long ret;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	switch (how % 4) {
#ifdef SYS_stat
	case 0:
		ret = syscall(SYS_stat, path, &st);
		break;
	case 1:
		ret = syscall(SYS_lstat, name, &st);
		break;
#endif
	case 2:
		ret = syscall(SYS_statx, top_fd, name, 0, STATX_BASIC_STATS, &stx);
		break;
	default:
		ret = syscall(SYS_newfstatat, top_fd, name, &st, 0);
		break;
	}
	lookup_done(ret, expect_ok, path);
}

static void do_access(int how, const char *name, int expect_ok)
{
	long ret;

	switch (how % 3) {
#ifdef SYS_access
	case 0:
		ret = syscall(SYS_access, name, R_OK);
		break;
#endif
	case 1:
		ret = syscall(SYS_faccessat2, top_fd, name, R_OK, 0);
		if (ret < 0 && (errno == ENOSYS || errno == EPERM))
			ret = syscall(SYS_faccessat, top_fd, name, R_OK);
		break;
	default:
		ret = syscall(SYS_faccessat, top_fd, name, R_OK);
		break;
	}
	lookup_done(ret, expect_ok, name);
}

static void do_readlink(int how, const char *name, int expect_ok)
{
	char target[256];
	long ret;

#ifdef SYS_readlink
	if (how % 2 == 0)
		ret = syscall(SYS_readlink, name, target, sizeof(target));
	else
#endif
		ret = syscall(SYS_readlinkat, top_fd, name, target, sizeof(target));
	lookup_done(ret, expect_ok, name);
}

static void prepare(const char *dir)
{
	char path[8192];

	if (dir) {
		if (mkdir(dir, 0700) && errno != EEXIST)
			die(dir);
		/* The truth is in absolute paths, whatever way DIR was named. */
		if (!realpath(dir, top))
			die(dir);
	} else {
		strcpy(top, "/tmp/known_files.XXXXXX");
		if (!mkdtemp(top))
			die(top);
	}
	if (chdir(top))
		die(top);
	top_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mkdir("sub", 0700) && errno != EEXIST)
		die("sub");
	sub_fd = open("sub", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top_fd < 0 || sub_fd < 0)
		die("descriptor of the folder");
	/* mknod makes a file without opening it. */
	for (int i = 0; i < OPENS_OK; i++) {
		snprintf(path, sizeof(path), "%sthere-%02d", i < 19 ? "" : "sub/", i);
		if (mknod(path, S_IFREG | 0600, 0) && errno != EEXIST)
			die(path);
	}
	for (int i = 0; i < LINKS_OK; i++) {
		snprintf(path, sizeof(path), "link-%02d", i);
		if (symlink("there-00", path) && errno != EEXIST)
			die(path);
	}
}

/* Only what was made without being asked for a folder. */
static void clean_up(void)
{
	char path[64];

	for (int i = 0; i < OPENS_OK; i++) {
		snprintf(path, sizeof(path), "there-%02d", i);
		unlinkat(i < 19 ? top_fd : sub_fd, path, 0);
	}
	for (int i = 0; i < LINKS_OK; i++) {
		snprintf(path, sizeof(path), "link-%02d", i);
		unlinkat(top_fd, path, 0);
	}
	for (int i = 0; i < UNTOUCHED_NAMES; i++) {
		snprintf(path, sizeof(path), "prepare-name-%d", i);
		unlinkat(top_fd, path, 0);
	}
	unlinkat(top_fd, "sub", AT_REMOVEDIR);
	rmdir(top);
}

int main(int argc, char **argv)
{
	const char *untouched[UNTOUCHED_NAMES];
	char name[64];

	if (argc > 2) {
		fprintf(stderr, "usage: known_files [DIR]\n");
		return 2;
	}
	prepare(argv[1]);
	for (int i = 0; i < UNTOUCHED_NAMES; i++) {
		snprintf(name, sizeof(name), "there-%02d", 16 + i);
		untouched[i] = untouched_copy(name, i);
	}
	fprintf(stderr, "known_files: begin in %s\n", top);

	/* 0..15: all calls with all forms. 16..18: names on untouched pages. 19..22: from the folder sub, by chdir
	 * and by descriptor. */
	for (int i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "there-%02d", i);
		do_open(i, i / 4, name, 1);
	}
	for (int i = 0; i < UNTOUCHED_NAMES; i++)
		do_open(i, 2, untouched[i], 1);
	/* creat would make them: absent files are not tried with it, but in a folder that does not exist. */
	for (int i = 0; i < OPENS_FAILED; i++) {
		snprintf(name, sizeof(name), i % 4 == 3 ? "no-folder/absent-%02d" : "absent-%02d", i);
		do_open(i, i / 4, name, 0);
	}
	for (int i = 0; i < STATS_OK; i++) {
		snprintf(name, sizeof(name), "there-%02d", i);
		do_stat(i, name, 1);
	}
	for (int i = 0; i < STATS_FAILED; i++) {
		snprintf(name, sizeof(name), "absent-%02d", i);
		do_stat(i, name, 0);
	}
	for (int i = 0; i < ACCESS_OK; i++) {
		snprintf(name, sizeof(name), "there-%02d", i);
		do_access(i, name, 1);
	}
	for (int i = 0; i < ACCESS_FAILED; i++) {
		snprintf(name, sizeof(name), "absent-%02d", i);
		do_access(i, name, 0);
	}
	for (int i = 0; i < LINKS_OK; i++) {
		snprintf(name, sizeof(name), "link-%02d", i);
		do_readlink(i, name, 1);
	}
	/* One is absent, the other no link. */
	do_readlink(0, "absent-00", 0);
	do_readlink(1, "there-00", 0);

	/* chdir needs no name that is counted: by descriptor. */
	if (fchdir(sub_fd))
		die("fchdir");
	for (int i = 19; i < OPENS_OK; i++) {
		long fd;

		snprintf(name, sizeof(name), i % 2 ? "there-%02d" : "../sub/there-%02d", i);
		fd = open_by(i < 21 ? 0 : 1, sub_fd, name);
		if (fd < 0)
			die(name);
		close((int)fd);
		done.opens_ok++;
	}
	fprintf(stderr, "known_files: end\n");

	if (done.opens_ok != OPENS_OK || done.opens_failed != OPENS_FAILED ||
	    done.lookups_ok != STATS_OK + ACCESS_OK + LINKS_OK ||
	    done.lookups_failed != STATS_FAILED + ACCESS_FAILED + LINKS_FAILED) {
		fprintf(stderr, "known_files: its own counts are wrong\n");
		return 1;
	}
	printf("{\"dir\": \"%s\", \"opens_ok\": %d, \"opens_failed\": %d, \"lookups_ok\": %d, \"lookups_failed\": "
	       "%d, "
	       "\"openat2_calls\": %d, \"untouched_names\": %d, \"opened\": [",
	       top, done.opens_ok, done.opens_failed, done.lookups_ok, done.lookups_failed, done.openat2_calls,
	       UNTOUCHED_NAMES);
	for (int i = 0; i < OPENS_OK; i++)
		printf("%s\"%s/%sthere-%02d\"", i ? ", " : "", top, i < 19 ? "" : "sub/", i);
	printf("], \"absent\": [");
	for (int i = 0; i < OPENS_FAILED; i++)
		printf("%s\"%s/%sabsent-%02d\"", i ? ", " : "", top, i % 4 == 3 ? "no-folder/" : "", i);
	printf("]}\n");
	if (argc == 1)
		clean_up();
	return 0;
}
