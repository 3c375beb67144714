/* The table of probes inside libjvm and the C++ runtime: where each sits, which program it runs, what the report lacks
 * without it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "bpf/usdt_spec.h"
#include "parse/elf.h"

struct probe_site {
	const char *program; /* of the BPF object */
	const char *what;    /* the ability that it is a part of, or NULL */
	uint64_t file_offset;
	bool is_return;
	struct usdt_site_spec spec;
};

struct probe_sites {
	VEC(struct probe_site) items;
	/* What could not be placed: for the report. */
	struct {
		const char *what;
		char why[128];
	} missing[16];
	size_t missing_count;
};

enum { JVM_SITES = 1, CXX_SITES = 2 };

/* Finds the sites of one kind of library in the file. Sites whose first instruction the kernel would single-step (20 to 40 µs
 * a hit) are refused; over an endbr64 the probe is shifted. */
struct err *probe_sites_find(struct elf_file *file, int library, struct probe_sites *ret_sites) must_check;
void probe_sites_done(struct probe_sites *sites);
