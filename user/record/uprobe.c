#include "record/uprobe.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"

/* union bpf_attr's link_create part for uprobe.multi as of 6.6 (include/uapi/linux/bpf.h); older headers lack it. */
struct link_create_uprobe_multi {
	uint32_t program_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, reference_offsets, cookies;
	uint32_t count, multi_flags, pid, padding;
};

enum { UPROBE_MULTI_RETURN = 1 };

static int multi_link_create(int program_fd, const char *path, pid_t pid, const uint64_t *offsets,
			     const uint64_t *cookies, size_t count, bool is_return)
{
	struct link_create_uprobe_multi attributes = {
		.program_fd = (uint32_t)program_fd,
		.attach_type = UPROBE_MULTI_ATTACH_TYPE,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)offsets,
		.cookies = (uint64_t)(uintptr_t)cookies,
		.count = (uint32_t)count,
		.multi_flags = is_return ? UPROBE_MULTI_RETURN : 0,
		.pid = (uint32_t)pid,
	};

	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes));
}

bool uprobe_multi_works(void)
{
	/* "return 0" */
	static const struct bpf_insn instructions[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
	auto_fd int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "uprobe_multi", "GPL", instructions,
					    array_length(instructions), &options);

	if (program < 0)
		return false;

	/* An offset of our own program's code: any will do, since it is never reached while attached. */
	uint64_t offset = 0, cookie = 0;
	auto_fd int link = multi_link_create(program, "/proc/self/exe", getpid(), &offset, &cookie, 1, false);

	return link >= 0;
}

static struct err *attach_multi(int program_fd, const char *path, pid_t pid, const struct uprobe_site *sites,
				size_t site_count, bool is_return, struct uprobe_links *links)
{
	auto_free uint64_t *offsets = calloc(site_count, sizeof(*offsets));
	auto_free uint64_t *cookies = calloc(site_count, sizeof(*cookies));

	if (!offsets || !cookies)
		memory_exhausted();
	for (size_t i = 0; i < site_count; i++) {
		offsets[i] = sites[i].file_offset;
		cookies[i] = sites[i].cookie;
	}

	int link = multi_link_create(program_fd, path, pid, offsets, cookies, site_count, is_return);

	if (link < 0)
		return err_errno(ERR_FAILED, errno, "cannot probe %zu places of '%s' in process %d", site_count, path, pid);
	*vec_push(&links->fds) = link;
	return NULL;
}

/* The number under which perf_event_open knows uprobes on this machine. */
static int uprobe_event_type(void)
{
	auto_file FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (!file || fscanf(file, "%d", &type) != 1)
		return -1;
	return type;
}

static struct err *attach_perf(int program_fd, const char *path, pid_t pid, const struct uprobe_site *site,
			       bool is_return, struct uprobe_links *links)
{
	int type = uprobe_event_type();
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = (uint32_t)type,
		.config = is_return ? 1 : 0, /* /sys/bus/event_source/devices/uprobe/format/retprobe: config:0 */
		.config1 = (uint64_t)(uintptr_t)path,
		.config2 = site->file_offset,
	};

	if (type < 0)
		return err_new(ERR_FAILED, "the kernel has no probes of user code (CONFIG_UPROBE_EVENTS)");

	auto_fd int event = (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return err_errno(ERR_FAILED, errno, "cannot probe offset %#lx of '%s'", (unsigned long)site->file_offset,
				 path);

	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = site->cookie);
	int link = bpf_link_create(program_fd, event, BPF_PERF_EVENT, &options);

	if (link < 0)
		return err_errno(ERR_FAILED, -link, "cannot attach to offset %#lx of '%s'",
				 (unsigned long)site->file_offset, path);
	*vec_push(&links->fds) = link;
	*vec_push(&links->fds) = take_fd(&event);
	return NULL;
}

struct err *uprobe_attach(int program_fd, const char *path, pid_t pid, const struct uprobe_site *sites,
			  size_t site_count, bool is_return, bool use_multi, struct uprobe_links *links)
{
	if (!site_count)
		return NULL;
	if (use_multi)
		return attach_multi(program_fd, path, pid, sites, site_count, is_return, links);
	for (size_t i = 0; i < site_count; i++)
		TRY(attach_perf(program_fd, path, pid, &sites[i], is_return, links));
	return NULL;
}

/* All but the links and `kept`: whoever waits for the end of a pipe or a connection shall not wait for the child too. */
static void close_all_but(const struct uprobe_links *links, int kept)
{
	for (unsigned from = 0;;) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < links->fds.count; i++)
			if ((unsigned)links->fds.items[i] >= from && (unsigned)links->fds.items[i] < next)
				next = (unsigned)links->fds.items[i];
		if ((unsigned)kept >= from && (unsigned)kept < next)
			next = (unsigned)kept;
		if (next > from)
			close_range(from, next - 1, 0);
		if (next == UINT_MAX)
			return;
		from = next + 1;
	}
}

/* A child that holds the same descriptors until ours are closed: closing ours is then quick, and the slow detaching happens
 * at its exit, with nobody waiting. */
static void leave_to_child(const struct uprobe_links *links)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return;

	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		close_all_but(links, ends[0]);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	close(ends[0]);
	/* ends[1] stays open until this process ends: so long the child waits. */
}

void uprobe_links_close(struct uprobe_links *links, bool is_multi)
{
	if (!is_multi && links->fds.count)
		leave_to_child(links);
	for (size_t i = 0; i < links->fds.count; i++)
		close(links->fds.items[i]);
	vec_done(&links->fds);
}
