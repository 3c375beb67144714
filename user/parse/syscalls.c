#include "parse/syscalls.h"

#include <string.h>

#include "parse/syscall_table.h"

struct entry {
	const char *name;
	enum syscall_class class;
};

#define B(x86_64, aarch64, name, class) [x86_64] = {#name, SYSCALL_CLASS_##class},
#define X(number, name, class) [number] = {#name, SYSCALL_CLASS_##class},
static const struct entry entries_x86_64[] = {SYSCALL_TABLE(B, X)};
#undef B
#undef X

#define B(x86_64, aarch64, name, class) [aarch64] = {#name, SYSCALL_CLASS_##class},
#define X(number, name, class)
static const struct entry entries_aarch64[] = {SYSCALL_TABLE(B, X)};
#undef B
#undef X

static size_t entry_count(enum syscall_arch arch)
{
	switch (arch) {
	case SYSCALL_ARCH_X86_64:
		return sizeof(entries_x86_64) / sizeof(entries_x86_64[0]);
	case SYSCALL_ARCH_AARCH64:
		return sizeof(entries_aarch64) / sizeof(entries_aarch64[0]);
	case SYSCALL_ARCH_OTHER:
		break;
	}
	return 0;
}

static struct entry entry_of(enum syscall_arch arch, uint32_t number)
{
	if (number >= entry_count(arch))
		return (struct entry){};
	return arch == SYSCALL_ARCH_X86_64 ? entries_x86_64[number] : entries_aarch64[number];
}

enum syscall_arch syscall_arch_of(const char *machine)
{
	if (strcmp(machine, "x86_64") == 0)
		return SYSCALL_ARCH_X86_64;
	return strcmp(machine, "aarch64") == 0 ? SYSCALL_ARCH_AARCH64 : SYSCALL_ARCH_OTHER;
}

enum syscall_class syscall_class_of(enum syscall_arch arch, uint32_t number)
{
	return entry_of(arch, number).class;
}

const char *syscall_name(enum syscall_arch arch, uint32_t number)
{
	return entry_of(arch, number).name;
}

bool syscall_number(enum syscall_arch arch, const char *name, uint32_t *ret_number)
{
	for (uint32_t number = 0; number < entry_count(arch); number++) {
		const char *known = entry_of(arch, number).name;

		if (known && strcmp(known, name) == 0) {
			*ret_number = number;
			return true;
		}
	}
	return false;
}

const char *syscall_class_name(enum syscall_class class)
{
	static const char *const names[SYSCALL_CLASS_COUNT] = {
		[SYSCALL_CLASS_OTHER] = "other",
		[SYSCALL_CLASS_OPEN] = "open",
		[SYSCALL_CLASS_LOOKUP] = "look-up",
		[SYSCALL_CLASS_READ] = "read",
		[SYSCALL_CLASS_WRITE] = "write",
		[SYSCALL_CLASS_SYNC] = "sync",
		[SYSCALL_CLASS_MAP] = "map",
		[SYSCALL_CLASS_CLOSE] = "close",
		[SYSCALL_CLASS_POLL] = "poll",
		[SYSCALL_CLASS_FUTEX] = "futex",
		[SYSCALL_CLASS_SOCKET_READ] = "socket read",
		[SYSCALL_CLASS_SOCKET_WRITE] = "socket write",
		[SYSCALL_CLASS_ACCEPT] = "accept",
		[SYSCALL_CLASS_CONNECT] = "connect",
		[SYSCALL_CLASS_SLEEP] = "sleep",
		[SYSCALL_CLASS_CHILD] = "wait for a child",
		[SYSCALL_CLASS_PIPE] = "pipe",
		[SYSCALL_CLASS_IO_URING] = "io_uring",
		[SYSCALL_CLASS_RANDOM] = "random source",
		[SYSCALL_CLASS_MEMORY] = "memory",
		[SYSCALL_CLASS_PROCESS] = "process",
		[SYSCALL_CLASS_SIGNAL] = "signal",
		[SYSCALL_CLASS_LOCK] = "file lock",
	};

	return (unsigned int)class < SYSCALL_CLASS_COUNT ? names[class] : "other";
}
