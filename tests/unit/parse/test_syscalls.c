/* The tables against the kernel headers of the machine that builds, and against numbers known by heart. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include <sys/syscall.h>

#include "base/auto.h"
#include "parse/syscalls.h"

static void numbers_of_both(void **state)
{
	static const struct {
		const char *name;
		int x86_64, aarch64; /* -1: none */
		enum syscall_class class;
	} calls[] = {
		{"read", 0, 63, SYSCALL_CLASS_READ},
		{"write", 1, 64, SYSCALL_CLASS_WRITE},
		{"open", 2, -1, SYSCALL_CLASS_OPEN},
		{"close", 3, 57, SYSCALL_CLASS_CLOSE},
		{"mmap", 9, 222, SYSCALL_CLASS_MAP},
		{"munmap", 11, 215, SYSCALL_CLASS_MEMORY},
		{"pread64", 17, 67, SYSCALL_CLASS_READ},
		{"access", 21, -1, SYSCALL_CLASS_LOOKUP},
		{"nanosleep", 35, 101, SYSCALL_CLASS_SLEEP},
		{"connect", 42, 203, SYSCALL_CLASS_CONNECT},
		{"recvfrom", 45, 207, SYSCALL_CLASS_SOCKET_READ},
		{"sendmsg", 46, 211, SYSCALL_CLASS_SOCKET_WRITE},
		{"wait4", 61, 260, SYSCALL_CLASS_CHILD},
		{"futex", 202, 98, SYSCALL_CLASS_FUTEX},
		{"epoll_wait", 232, -1, SYSCALL_CLASS_POLL},
		{"openat", 257, 56, SYSCALL_CLASS_OPEN},
		{"newfstatat", 262, 79, SYSCALL_CLASS_LOOKUP},
		{"epoll_pwait", 281, 22, SYSCALL_CLASS_POLL},
		{"accept4", 288, 242, SYSCALL_CLASS_ACCEPT},
		{"getrandom", 318, 278, SYSCALL_CLASS_RANDOM},
		{"statx", 332, 291, SYSCALL_CLASS_LOOKUP},
		{"io_uring_enter", 426, 426, SYSCALL_CLASS_IO_URING},
		{"clone3", 435, 435, SYSCALL_CLASS_PROCESS},
		{"openat2", 437, 437, SYSCALL_CLASS_OPEN},
		{"mseal", 462, 462, SYSCALL_CLASS_MEMORY},
		{"lseek", 8, 62, SYSCALL_CLASS_OTHER},
	};
	uint32_t number;

	(void)state;
	for (size_t i = 0; i < array_length(calls); i++) {
		assert_true(syscall_number(SYSCALL_ARCH_X86_64, calls[i].name, &number));
		assert_int_equal(number, calls[i].x86_64);
		assert_string_equal(syscall_name(SYSCALL_ARCH_X86_64, number), calls[i].name);
		assert_int_equal(syscall_class_of(SYSCALL_ARCH_X86_64, number), calls[i].class);
		assert_int_equal(syscall_number(SYSCALL_ARCH_AARCH64, calls[i].name, &number), calls[i].aarch64 >= 0);
		if (calls[i].aarch64 < 0)
			continue;
		assert_int_equal(number, calls[i].aarch64);
		assert_string_equal(syscall_name(SYSCALL_ARCH_AARCH64, number), calls[i].name);
		assert_int_equal(syscall_class_of(SYSCALL_ARCH_AARCH64, number), calls[i].class);
	}
}

/* The machine's own numbers, so that a wrong row in the table for it cannot stand. */
static void numbers_of_this_machine(void **state)
{
#define OWN(name)                                                                                                    \
	{                                                                                                            \
#name, SYS_##name                                                                                    \
	}
	static const struct {
		const char *name;
		uint32_t number;
	} calls[] = {
		OWN(read),
		OWN(pwrite64),
		OWN(readv),
		OWN(preadv2),
		OWN(getdents64),
		OWN(sendfile),
		OWN(splice),
		OWN(fsync),
		OWN(faccessat),
		OWN(readlinkat),
		OWN(fstat),
		OWN(close_range),
		OWN(ppoll),
		OWN(pselect6),
		OWN(epoll_ctl),
		OWN(recvmsg),
		OWN(recvmmsg),
		OWN(sendto),
		OWN(accept),
		OWN(bind),
		OWN(listen),
		OWN(waitid),
		OWN(pipe2),
		OWN(mprotect),
		OWN(madvise),
		OWN(brk),
		OWN(mremap),
		OWN(clone),
		OWN(execve),
		OWN(execveat),
		OWN(exit_group),
		OWN(tgkill),
		OWN(prctl),
		OWN(sched_yield),
		OWN(rt_sigaction),
		OWN(flock),
		OWN(fcntl),
		OWN(ioctl),
		OWN(socket),
		OWN(shutdown),
		OWN(membarrier),
		OWN(clock_nanosleep),
		OWN(perf_event_open),
		OWN(bpf),
		OWN(process_vm_readv),
		OWN(copy_file_range),
		OWN(io_uring_setup),
		OWN(rseq),
		OWN(getcpu),
	};
	enum syscall_arch arch = syscall_arch_of(
#ifdef __x86_64__
		"x86_64"
#else
		"aarch64"
#endif
	);
	uint32_t number;

	(void)state;
	for (size_t i = 0; i < array_length(calls); i++) {
		assert_true(syscall_number(arch, calls[i].name, &number));
		assert_int_equal(number, calls[i].number);
	}
}

static void what_is_not_known(void **state)
{
	uint32_t number;

	(void)state;
	assert_null(syscall_name(SYSCALL_ARCH_X86_64, 400)); /* a hole in the numbers */
	assert_null(syscall_name(SYSCALL_ARCH_X86_64, UINT32_MAX));
	assert_null(syscall_name(SYSCALL_ARCH_AARCH64, 100000));
	assert_int_equal(syscall_class_of(SYSCALL_ARCH_X86_64, UINT32_MAX), SYSCALL_CLASS_OTHER);
	assert_int_equal(syscall_arch_of("riscv64"), SYSCALL_ARCH_OTHER);
	assert_null(syscall_name(SYSCALL_ARCH_OTHER, 0));
	assert_false(syscall_number(SYSCALL_ARCH_X86_64, "no_such_call", &number));
	for (int class = 0; class < SYSCALL_CLASS_COUNT; class ++)
		assert_non_null(syscall_class_name((enum syscall_class) class));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_both),
		cmocka_unit_test(numbers_of_this_machine),
		cmocka_unit_test(what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
