#include "record/ports.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "record/proc_file.h"

enum { STATE_LISTEN = 0x0a };

/* The inode of a listening socket on the port, from the text of /proc/net/tcp or tcp6; 0: none. */
static unsigned long listening_inode(const char *path, uint16_t port)
{
	auto_file FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char local[64];
		unsigned int state;
		unsigned long inode;

		if (sscanf(line, " %*d: %63s %*s %x %*s %*s %*s %*u %*d %lu", local, &state, &inode) != 3)
			continue;

		const char *colon = strrchr(local, ':');

		if (state == STATE_LISTEN && colon && strtoul(colon + 1, NULL, 16) == port)
			return inode ? inode : 1;
	}
	return 0;
}

static bool process_has_socket(pid_t pid, unsigned long inode)
{
	char path[320], target[64], wanted[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);

	auto_dir DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char link[600];

		snprintf(link, sizeof(link), "%s/%s", path, entry->d_name);

		ssize_t length = readlink(link, target, sizeof(target) - 1);

		if (length > 0) {
			target[length] = 0;
			if (strcmp(target, wanted) == 0)
				return true;
		}
	}
	return false;
}

/* With SO_REUSEADDR the kernel refuses an address, for one, where another socket listens. */
static bool can_bind(int family, uint16_t port)
{
	auto_fd int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in6 address6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	const int yes = 1;

	if (fd < 0)
		return errno == EAFNOSUPPORT;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0)
		return false;
	if (family == AF_INET)
		return bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
	return setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) == 0 &&
	       bind(fd, (const struct sockaddr *)&address6, sizeof(address6)) == 0;
}

bool port_is_held(uint16_t port, pid_t *ret_pid)
{
	unsigned long inode;

	*ret_pid = 0;
	/* For the lists below the kernel walks its tables of all connections, 262,144 places each on a large machine. */
	if (can_bind(AF_INET, port) && can_bind(AF_INET6, port))
		return false;
	inode = listening_inode("/proc/net/tcp", port);
	if (!inode)
		inode = listening_inode("/proc/net/tcp6", port);
	if (!inode)
		return false;

	auto_dir DIR *folder = opendir("/proc");

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && process_has_socket(pid, inode)) {
			*ret_pid = pid;
			break;
		}
	}
	return true;
}
