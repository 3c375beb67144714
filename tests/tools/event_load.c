/* Does one kind of thing many times and prints what one took, for measuring what a probe on it adds (scripts/bench):
 *
 *	event_load KIND COUNT [FILE]
 *
 * prints the nanoseconds of CPU (all threads) per operation, the median of ROUNDS equal parts. KIND: syscall (getppid), open (of FILE, and its close),
 * read (4 KiB of FILE), fault (first touch of an anonymous page), switch (a byte to another thread on the same CPU and one back:
 * two switches), request (HTTP over loopback on a kept connection, both ends being this program), probed (a call of
 * event_load_probed, the place for a probe of user code). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 11, BLOCK_BYTES = 4096, FAULT_PAGES = 1024 };

static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

struct load {
	const char *path;
	int file;
	char *pages;
	size_t page_bytes, next_page;
	int here, there; /* two ends: of a connection, or of a pair of sockets */
};

static void fail(const char *what)
{
	fprintf(stderr, "event_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* CPU time: on a shared machine the wall clock says what others did. */
static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void use_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
		fail("cannot stay on one CPU");
}

/* ---- operations ---- */

/* Begins with what the kernel can emulate, as libjvm's functions do: any other instruction would be single-stepped, which
 * costs many times as much. */
__attribute__((noinline)) void event_load_probed(void);
void event_load_probed(void)
{
#if defined(__x86_64__)
	asm volatile("push %%rbp; pop %%rbp" ::: "memory");
#else
	asm volatile("nop" ::: "memory");
#endif
}

static void do_syscall(struct load *load)
{
	(void)load;
	syscall(SYS_getppid);
}

static void do_open(struct load *load)
{
	int fd = open(load->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(load->path);
	close(fd);
}

static void do_read(struct load *load)
{
	char block[BLOCK_BYTES];

	if (pread(load->file, block, sizeof(block), 0) < 0)
		fail("read");
}

static void do_fault(struct load *load)
{
	if (load->next_page == FAULT_PAGES) {
		madvise(load->pages, load->page_bytes * FAULT_PAGES, MADV_DONTNEED);
		load->next_page = 0;
	}
	load->pages[load->page_bytes * load->next_page++] = 1;
}

static void do_switch(struct load *load)
{
	char byte = 1;

	if (write(load->here, &byte, 1) != 1 || read(load->here, &byte, 1) != 1)
		fail("switch");
}

static void do_request(struct load *load)
{
	char buffer[256];

	if (write(load->here, request, sizeof(request) - 1) < 0)
		fail("request");
	for (size_t length = 0; length < sizeof(response) - 1;) {
		ssize_t part = read(load->here, buffer, sizeof(buffer));

		if (part <= 0)
			fail("response");
		length += (size_t)part;
	}
}

static void do_probed(struct load *load)
{
	(void)load;
	event_load_probed();
}

/* ---- the other side ---- */

static void *echo(void *context)
{
	struct load *load = context;
	char byte;

	while (read(load->there, &byte, 1) == 1)
		if (write(load->there, &byte, 1) != 1)
			break;
	return NULL;
}

static void *serve(void *context)
{
	struct load *load = context;
	int connection = accept(load->there, NULL, NULL);
	char buffer[256];

	while (read(connection, buffer, sizeof(buffer)) > 0)
		if (write(connection, response, sizeof(response) - 1) < 0)
			break;
	close(connection);
	return NULL;
}

static void start_thread(void *(*run)(void *), struct load *load)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, load) != 0)
		fail("cannot start a thread");
}

static void start_echo(struct load *load)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		fail("socketpair");
	load->here = ends[0];
	load->there = ends[1];
	start_thread(echo, load);
}

static void start_server(struct load *load)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	load->there = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(load->there, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(load->there, 1) != 0 ||
	    getsockname(load->there, (struct sockaddr *)&address, &length) != 0)
		fail("cannot listen");
	start_thread(serve, load);
	load->here = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(load->here, (struct sockaddr *)&address, sizeof(address)) != 0)
		fail("cannot connect");
}

/* ---- measuring ---- */

static const struct kind {
	const char *name;
	void (*run)(struct load *load);
	void (*start)(struct load *load); /* NULL: nothing to start */
} kinds[] = {
	{"syscall", do_syscall, NULL}, {"open", do_open, NULL},		{"read", do_read, NULL},
	{"fault", do_fault, NULL},     {"switch", do_switch, start_echo}, {"request", do_request, start_server},
	{"probed", do_probed, NULL},
};

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static void measure(const struct kind *kind, struct load *load, uint64_t count)
{
	double rounds[ROUNDS];

	if (kind->start)
		kind->start(load);
	for (uint64_t i = 0; i < count / ROUNDS; i++)
		kind->run(load);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start_ns = now_ns();

		for (uint64_t i = 0; i < count / ROUNDS; i++)
			kind->run(load);
		rounds[round] = (double)(now_ns() - start_ns) / (double)(count / ROUNDS);
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), compare);
	printf("%.1f\n", rounds[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
	struct load load = {.path = argc > 3 ? argv[3] : argv[0], .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc < 3 || count < ROUNDS) {
		fprintf(stderr, "usage: event_load KIND COUNT [FILE]\n");
		return 2;
	}
	load.file = open(load.path, O_RDONLY | O_CLOEXEC);
	/* Huge pages would make one fault of 512. */
	load.pages = mmap(NULL, load.page_bytes * FAULT_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (load.file < 0 || load.pages == MAP_FAILED)
		fail(load.path);
	madvise(load.pages, load.page_bytes * FAULT_PAGES, MADV_NOHUGEPAGE);
	use_one_cpu();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0) {
			measure(&kinds[i], &load, count);
			return 0;
		}
	fprintf(stderr, "event_load: no such kind: %s\n", argv[1]);
	return 2;
}
