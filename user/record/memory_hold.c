#include "record/memory_hold.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"

enum { PAGE_BYTES = 4096, READ_BYTES = 64 };

struct memory_hold {
	int fault_fd, memory_fd;
	char *page;
	off_t address;	     /* of something readable in the process */
	atomic_uint holders; /* the owner and the reader; the last to let go frees this */
};

static void let_go(struct memory_hold *hold)
{
	if (atomic_fetch_sub(&hold->holders, 1) != 1)
		return;
	if (hold->page != MAP_FAILED)
		munmap(hold->page, PAGE_BYTES);
	if (hold->fault_fd >= 0)
		close(hold->fault_fd);
	if (hold->memory_fd >= 0)
		close(hold->memory_fd);
	free(hold);
}

static void *reader_main(void *context)
{
	struct memory_hold *hold = context;

	/* Blocks until the page is filled or its registration ends. */
	if (pread(hold->memory_fd, hold->page, READ_BYTES, hold->address) < 0)
		hold->address = 0;
	let_go(hold);
	return NULL;
}

static int fault_descriptor(char *page)
{
	auto_fd int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {
		.range = {.start = (uintptr_t)page, .len = PAGE_BYTES}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &range) != 0)
		return -1;
	return take_fd(&fd);
}

static off_t readable_address(pid_t pid)
{
	char path[64];
	unsigned long start;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);

	auto_file FILE *maps = fopen(path, "re");

	return maps && fscanf(maps, "%lx-", &start) == 1 ? (off_t)start : 0;
}

struct memory_hold *memory_hold_new(pid_t pid)
{
	struct memory_hold *hold = calloc(1, sizeof(*hold));
	pthread_t thread;
	char path[64];

	if (!hold)
		return NULL;
	atomic_store(&hold->holders, 2);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	hold->memory_fd = open(path, O_RDONLY | O_CLOEXEC);
	hold->address = readable_address(pid);
	hold->page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hold->fault_fd = hold->page == MAP_FAILED ? -1 : fault_descriptor(hold->page);
	if (hold->memory_fd < 0 || !hold->address || hold->fault_fd < 0 ||
	    pthread_create(&thread, NULL, reader_main, hold) != 0) {
		atomic_store(&hold->holders, 1);
		let_go(hold);
		return NULL;
	}
	pthread_detach(thread);
	return hold;
}

/* The reader is not waited for: an address space may end with its call, of hundreds of megabytes. */
void memory_hold_release(struct memory_hold *hold)
{
	if (!hold)
		return;

	struct uffdio_zeropage fill = {.range = {.start = (uintptr_t)hold->page, .len = PAGE_BYTES}};

	if (ioctl(hold->fault_fd, UFFDIO_ZEROPAGE, &fill) != 0) {
		struct uffdio_range range = fill.range;

		/* The reader may not have reached the page yet: without the registration it will not block there. */
		ioctl(hold->fault_fd, UFFDIO_UNREGISTER, &range);
		ioctl(hold->fault_fd, UFFDIO_WAKE, &range);
	}
	let_go(hold);
}
