#include "record/syscall_actions.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "bpf/config.h"
#include "parse/syscalls.h"

enum { SYSCALL_X86_URETPROBE = 335, SYSCALL_X86_UPROBE = 336 };

static const struct {
	const char *name;
	enum syscall_action action;
} actions_by_name[] = {
	{"execve", SYSCALL_IGNORED},
	{"execveat", SYSCALL_IGNORED},
	{"exit", SYSCALL_IGNORED},
	{"exit_group", SYSCALL_IGNORED},
	{"rt_sigreturn", SYSCALL_IGNORED},
	{"open", SYSCALL_OPEN},
	{"creat", SYSCALL_CREAT},
	{"openat", SYSCALL_OPENAT},
	{"openat2", SYSCALL_OPENAT2},
	{"stat", SYSCALL_LOOKUP},
	{"lstat", SYSCALL_LOOKUP},
	{"access", SYSCALL_LOOKUP},
	{"readlink", SYSCALL_LOOKUP},
	{"newfstatat", SYSCALL_LOOKUPAT},
	{"statx", SYSCALL_LOOKUPAT},
	{"faccessat", SYSCALL_LOOKUPAT},
	{"faccessat2", SYSCALL_LOOKUPAT},
	{"readlinkat", SYSCALL_LOOKUPAT},
	{"read", SYSCALL_READ},
	{"pread64", SYSCALL_PREAD},
	{"readv", SYSCALL_READV},
	{"preadv", SYSCALL_PREADV},
	{"preadv2", SYSCALL_PREADV},
	{"write", SYSCALL_WRITE},
	{"pwrite64", SYSCALL_PWRITE},
	{"writev", SYSCALL_WRITEV},
	{"pwritev", SYSCALL_PWRITEV},
	{"pwritev2", SYSCALL_PWRITEV},
	{"sendfile", SYSCALL_SENDFILE},
	{"recvfrom", SYSCALL_RECVFROM},
	{"sendto", SYSCALL_SENDTO},
	{"recvmsg", SYSCALL_RECVMSG},
	{"sendmsg", SYSCALL_SENDMSG},
	{"copy_file_range", SYSCALL_COPY_RANGE},
	{"splice", SYSCALL_COPY_RANGE},
	{"mmap", SYSCALL_MMAP},
	{"listen", SYSCALL_LISTEN},
	{"accept", SYSCALL_ACCEPT},
	{"accept4", SYSCALL_ACCEPT},
	{"connect", SYSCALL_CONNECT},
	{"epoll_ctl", SYSCALL_EPOLL_CTL},
	{"epoll_wait", SYSCALL_EPOLL_WAIT},
	{"epoll_pwait", SYSCALL_EPOLL_WAIT},
	{"epoll_pwait2", SYSCALL_EPOLL_WAIT},
	{"poll", SYSCALL_POLL},
	{"ppoll", SYSCALL_POLL},
	{"select", SYSCALL_SELECT},
	{"pselect6", SYSCALL_SELECT},
};

void syscall_actions_fill(uint8_t *actions)
{
	struct utsname machine;
	enum syscall_arch arch;

	memset(actions, SYSCALL_GENERIC, SYSCALL_NUMBER_END);
	uname(&machine);
	arch = syscall_arch_of(machine.machine);
	for (size_t i = 0; i < array_length(actions_by_name); i++) {
		uint32_t number;

		if (syscall_number(arch, actions_by_name[i].name, &number) && number < SYSCALL_NUMBER_END)
			actions[number] = actions_by_name[i].action;
	}
	/* The kernel's own way into and out of probes (x86-64 since 6.11 and 6.18): our work, not the application's calls. */
	if (arch == SYSCALL_ARCH_X86_64)
		actions[SYSCALL_X86_URETPROBE] = actions[SYSCALL_X86_UPROBE] = SYSCALL_IGNORED;
}
