/*
 * Causes a known number of page faults and prints them as JSON, with what getrusage counted in between.
 *
 *   known_faults [--major] [DIR]      DIR: where its file is made, for --major on a real disk; default: /tmp
 *
 *   1009 faults   first write to each page of an anonymous mapping; huge pages are off for it, or one fault would
 * bring many pages 101 faults   first write to each page of a private file mapping. A write, since the kernel serves
 * a read fault on a cached file with up to 16 pages around it, and a write to a private page with exactly one 53
 * faults   with --major: first read of each page of a file mapping after its pages were dropped from the page cache.
 *                 What stays cached (a file system in memory keeps everything) is a minor fault or none: see
 * "major_measured"
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ANONYMOUS_PAGES = 1009, FILE_PAGES = 101, MAJOR_PAGES = 53 };

static long page_size;

static void die(const char *what)
{
	fprintf(stderr, "known_faults: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct rusage usage_now(void)
{
	struct rusage now;

	if (getrusage(RUSAGE_SELF, &now))
		die("getrusage");
	return now;
}

static void write_each_page(volatile char *map, int pages)
{
	for (int i = 0; i < pages; i++)
		map[i * page_size] = 1;
}

/* From the end to the start, so that nobody takes it for a sequential read and reads ahead. */
static void read_each_page(const volatile char *map, int pages)
{
	for (int i = pages - 1; i >= 0; i--)
		(void)map[i * page_size];
}

static int open_file(const char *dir, int pages)
{
	char path[4096];
	char *page = calloc(1, (size_t)page_size);
	int fd;

	snprintf(path, sizeof(path), "%s/known_faults.XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0 || !page)
		die(path);
	unlink(path);
	for (int i = 0; i < pages; i++)
		if (write(fd, page, (size_t)page_size) != page_size)
			die("write");
	free(page);
	return fd;
}

static void *map_pages(int fd, int pages, int prot, int flags)
{
	void *map = mmap(NULL, (size_t)(pages * page_size), prot, flags, fd, 0);

	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

int main(int argc, char **argv)
{
	const char *dir = "/tmp";
	int want_major = 0, fd;
	struct rusage before, after_anonymous, after_file, before_major, after_major;
	char *anonymous, *file, *dropped;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--major"))
			want_major = 1;
		else
			dir = argv[i];
	}
	page_size = sysconf(_SC_PAGESIZE);

	anonymous = map_pages(-1, ANONYMOUS_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
	madvise(anonymous, (size_t)(ANONYMOUS_PAGES * page_size), MADV_NOHUGEPAGE);
	fd = open_file(dir, FILE_PAGES);
	file = map_pages(fd, FILE_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	/* The code and stack used between the measurements must be resident, or they would fault in them. */
	before = usage_now();
	write_each_page(file, 0);

	before = usage_now();
	write_each_page(anonymous, ANONYMOUS_PAGES);
	after_anonymous = usage_now();
	write_each_page(file, FILE_PAGES);
	after_file = usage_now();

	printf("{\"page_size\": %ld, \"anonymous_pages\": %d, \"anonymous_measured\": %ld, \"anonymous_start\": "
	       "\"%p\", "
	       "\"file_pages\": %d, \"file_measured\": %ld, \"file_start\": \"%p\"",
	       page_size, ANONYMOUS_PAGES, after_anonymous.ru_minflt - before.ru_minflt, (void *)anonymous,
	       FILE_PAGES, after_file.ru_minflt - after_anonymous.ru_minflt, (void *)file);
	close(fd);

	if (want_major) {
		fd = open_file(dir, MAJOR_PAGES);
		/* Dirty pages cannot be dropped. */
		if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			die("dropping the file's pages");
		dropped = map_pages(fd, MAJOR_PAGES, PROT_READ, MAP_PRIVATE);
		madvise(dropped, (size_t)(MAJOR_PAGES * page_size), MADV_RANDOM);
		before_major = usage_now();
		read_each_page(dropped, MAJOR_PAGES);
		after_major = usage_now();
		printf(", \"major_pages\": %d, \"major_measured\": %ld, \"minor_measured\": %ld", MAJOR_PAGES,
		       after_major.ru_majflt - before_major.ru_majflt,
		       after_major.ru_minflt - before_major.ru_minflt);
		close(fd);
	}
	printf("}\n");
	return 0;
}
