/* Probes in user code: many sites of one file, one program each kind, attached to one process.
 *
 * On kernels that have it (6.6) all sites of a program are one uprobe.multi link, which attaches in milliseconds and
 * detaches as fast; libbpf 1.1 does not know this link, so it is made by the system call. Elsewhere each site is a perf
 * event, whose detaching takes the kernel about 110 ms each: the owner closes those in the background. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

/* BPF_TRACE_UPROBE_MULTI of <linux/bpf.h> since 6.6: what a program for such links is loaded as. */
enum { UPROBE_MULTI_ATTACH_TYPE = 48 };

struct uprobe_site {
	uint64_t file_offset;
	uint64_t cookie; /* what bpf_get_attach_cookie gives in the program */
};

struct uprobe_links {
	VEC(int) fds; /* owned */
};

/* Tries to load and attach a tiny program to this process itself. */
bool uprobe_multi_works(void);

/* Attaches the program to the sites of the file in process `pid` (a thread group). `is_return`: at the functions'
 * returns. With perf links a site that cannot be attached fails the call; what was attached stays in `links`. */
struct err *uprobe_attach(int program_fd, const char *path, pid_t pid, const struct uprobe_site *sites,
			  size_t site_count, bool is_return, bool use_multi, struct uprobe_links *links) must_check;

/* Closes all links. Perf links (`is_multi` false) are left to a process in the background, which ends when they are closed. */
void uprobe_links_close(struct uprobe_links *links, bool is_multi);
