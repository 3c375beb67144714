/*
 * An HTTP/1.1 server on loopback that waits in io_uring_enter, one kind of wait for each path, and prints what it measured
 * itself: one JSON line on standard output for each response.
 *
 *   known_uring PORT PEER_PORT FILE
 *   known_uring --probe               says whether io_uring may be used here, with status 0 or 1
 *
 *   /timer     a timeout of 60 ms
 *   /peer      a byte from 127.0.0.1:PEER_PORT, which is asked first
 *   /thread    a byte from a pipe, into which another thread writes after it has slept for 5 ms and burned 40 ms of CPU
 *   /disk      reads of FILE past the page cache, one after the other, for 60 ms
 *   /memory    one read of a file in memory, which the kernel may leave to a thread of its own
 *
 * "wait_ns" is what passed within the calls, "other_cpu_ns" what the other thread burned. One thread serves. Plain system
 * calls: no library is needed.
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <netinet/in.h>
#include <pthread.h>
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

enum { ENTRIES = 8, READ_BYTES = 65536, WAIT_MS = 60, BURN_MS = 40 };

struct ring {
	int descriptor;
	unsigned int *tail, *mask, *array;
	unsigned int *done_head, *done_tail, *done_mask;
	struct io_uring_sqe *entries;
	struct io_uring_cqe *done;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "known_uring: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int ring_open(struct ring *ring)
{
	struct io_uring_params params = {};
	char *submit, *done;

	ring->descriptor = (int)syscall(__NR_io_uring_setup, ENTRIES, &params);
	if (ring->descriptor < 0)
		return -1;
	submit = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(unsigned int), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQ_RING);
	done = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_CQ_RING);
	ring->entries = mmap(NULL, params.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_POPULATE, ring->descriptor, IORING_OFF_SQES);
	if (submit == MAP_FAILED || done == MAP_FAILED || ring->entries == MAP_FAILED)
		return -1;
	ring->tail = (unsigned int *)(submit + params.sq_off.tail);
	ring->mask = (unsigned int *)(submit + params.sq_off.ring_mask);
	ring->array = (unsigned int *)(submit + params.sq_off.array);
	ring->done_head = (unsigned int *)(done + params.cq_off.head);
	ring->done_tail = (unsigned int *)(done + params.cq_off.tail);
	ring->done_mask = (unsigned int *)(done + params.cq_off.ring_mask);
	ring->done = (struct io_uring_cqe *)(done + params.cq_off.cqes);
	return 0;
}

/* Does one operation and waits for its end in the same call. Returns its result. */
static int ring_do(struct ring *ring, struct io_uring_sqe entry, uint64_t *wait_ns)
{
	unsigned int at = *ring->tail & *ring->mask;
	uint64_t start_ns;
	int result;

	ring->entries[at] = entry;
	ring->array[at] = at;
	__atomic_store_n(ring->tail, *ring->tail + 1, __ATOMIC_RELEASE);
	start_ns = now_ns(CLOCK_MONOTONIC);
	if (syscall(__NR_io_uring_enter, ring->descriptor, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		fail("io_uring_enter");
	*wait_ns += now_ns(CLOCK_MONOTONIC) - start_ns;
	while (__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) == *ring->done_head)
		;
	result = ring->done[*ring->done_head & *ring->done_mask].res;
	__atomic_store_n(ring->done_head, *ring->done_head + 1, __ATOMIC_RELEASE);
	return result;
}

static int ring_read(struct ring *ring, int descriptor, void *bytes, unsigned int length, uint64_t offset, uint64_t *wait_ns)
{
	struct io_uring_sqe entry = {.opcode = IORING_OP_READ, .fd = descriptor, .off = offset, .addr = (uintptr_t)bytes, .len = length};

	return ring_do(ring, entry, wait_ns);
}

/* ---- the kinds ---- */

static void wait_for_timer(struct ring *ring, uint64_t *wait_ns)
{
	struct __kernel_timespec span = {.tv_nsec = WAIT_MS * 1000000ll};
	struct io_uring_sqe entry = {.opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&span, .len = 1};

	if (ring_do(ring, entry, wait_ns) != -ETIME)
		fail("timeout");
}

static int loopback(int port, struct sockaddr_in *ret_address)
{
	*ret_address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	ret_address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void wait_for_peer(struct ring *ring, int port, uint64_t *wait_ns)
{
	struct sockaddr_in address;
	int descriptor = loopback(port, &address);
	char byte;

	if (connect(descriptor, (struct sockaddr *)&address, sizeof(address)) != 0 || send(descriptor, "?", 1, 0) != 1)
		fail("peer");
	if (ring_read(ring, descriptor, &byte, 1, 0, wait_ns) != 1)
		fail("read of the peer");
	close(descriptor);
}

struct burner {
	int descriptor;
	uint64_t cpu_ns;
};

static void *burn(void *argument)
{
	struct burner *burner = argument;
	const struct timespec pause = {.tv_nsec = 5000000};
	volatile uint64_t sum = 0;

	nanosleep(&pause, NULL); /* until the other one waits */
	while ((burner->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID)) < BURN_MS * 1000000ull) {
		for (int i = 0; i < 100000; i++)
			sum += (uint64_t)i;
	}
	if (write(burner->descriptor, "!", 1) != 1)
		fail("write");
	return NULL;
}

static void wait_for_thread(struct ring *ring, uint64_t *wait_ns, uint64_t *ret_cpu_ns)
{
	struct burner burner = {};
	int ends[2];
	pthread_t thread;
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0)
		fail("pipe");
	burner.descriptor = ends[1];
	if (pthread_create(&thread, NULL, burn, &burner) != 0)
		fail("thread");
	if (ring_read(ring, ends[0], &byte, 1, 0, wait_ns) != 1)
		fail("read of the pipe");
	pthread_join(thread, NULL);
	close(ends[0]);
	close(ends[1]);
	*ret_cpu_ns = burner.cpu_ns;
}

static void wait_for_disk(struct ring *ring, const char *path, uint64_t *wait_ns)
{
	int descriptor = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + WAIT_MS * 1000000ull, offset = 0;
	void *bytes;

	if (descriptor < 0) /* not every file system can */
		descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0 || posix_memalign(&bytes, 4096, READ_BYTES) != 0)
		fail(path);
	while (now_ns(CLOCK_MONOTONIC) < end_ns) {
		int result = ring_read(ring, descriptor, bytes, READ_BYTES, offset, wait_ns);

		if (result < 0) {
			errno = -result;
			fail("read of the file");
		}
		offset = result == READ_BYTES ? offset + READ_BYTES : 0;
	}
	free(bytes);
	close(descriptor);
}

static void read_memory(struct ring *ring, uint64_t *wait_ns)
{
	int descriptor = memfd_create("known_uring", MFD_CLOEXEC);
	char bytes[16];

	if (descriptor < 0 || write(descriptor, "0123456789abcdef", sizeof(bytes)) != sizeof(bytes))
		fail("memory");
	if (ring_read(ring, descriptor, bytes, sizeof(bytes), 0, wait_ns) != sizeof(bytes))
		fail("read of memory");
	close(descriptor);
}

/* ---- the server ---- */

static bool serve(struct ring *ring, int connection, int peer_port, const char *file)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	char head[4096], kind[32];
	uint64_t wait_ns = 0, other_cpu_ns = 0;
	ssize_t length = read(connection, head, sizeof(head) - 1);

	if (length <= 0)
		return false;
	head[length] = 0;
	if (sscanf(head, "GET /%31[a-z]", kind) != 1)
		return false;
	if (strcmp(kind, "timer") == 0)
		wait_for_timer(ring, &wait_ns);
	else if (strcmp(kind, "peer") == 0)
		wait_for_peer(ring, peer_port, &wait_ns);
	else if (strcmp(kind, "thread") == 0)
		wait_for_thread(ring, &wait_ns, &other_cpu_ns);
	else if (strcmp(kind, "disk") == 0)
		wait_for_disk(ring, file, &wait_ns);
	else
		read_memory(ring, &wait_ns);
	printf("{\"kind\": \"%s\", \"wait_ns\": %llu, \"other_cpu_ns\": %llu}\n", kind, (unsigned long long)wait_ns,
	       (unsigned long long)other_cpu_ns);
	fflush(stdout);
	return write(connection, answer, sizeof(answer) - 1) == (ssize_t)sizeof(answer) - 1;
}

int main(int argc, char **argv)
{
	struct ring ring;
	struct sockaddr_in address;
	int listener, one = 1;

	if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
		if (ring_open(&ring) == 0)
			return 0;
		printf("%s\n", strerror(errno));
		return 1;
	}
	if (argc != 4 || ring_open(&ring) != 0)
		fail("usage: known_uring PORT PEER_PORT FILE, or no io_uring");
	listener = loopback(atoi(argv[1]), &address);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, 16) != 0)
		fail("listen");
	for (;;) {
		int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (connection < 0)
			fail("accept");
		while (serve(&ring, connection, atoi(argv[2]), argv[3]))
			;
		close(connection);
	}
}
