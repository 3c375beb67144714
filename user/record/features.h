/* What this kernel can do for the probes, found by asking its type information or by trying, never by version.
 *
 * WARMTRACE_WITHOUT in the environment (a comma-separated list of feature names) makes warmtrace take features for absent:
 * so that what it does without them can be tried on any kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct btf;

/* F(NAME, "name", "what it is") */
#define FEATURE_TABLE(F)                                                             \
	F(BTF, "btf", "type information of the kernel (/sys/kernel/btf/vmlinux)")    \
	F(UPROBE_MULTI, "uprobe_multi", "many probes of user code in one link (6.6)") \
	F(PAGE_FAULT_START, "page_fault_start", "tracepoint at the start of a page fault (x86)") \
	F(TCP_PROBE, "tcp_probe", "tracepoint for segments that arrive")             \
	F(INTERRUPTS, "interrupts", "tracepoints of interrupts and timers")          \
	F(USERFAULTFD, "userfaultfd", "keeping an address space readable after its process ended")

enum feature {
#define F(NAME, name, doc) FEATURE_##NAME,
	FEATURE_TABLE(F)
#undef F
		FEATURE_COUNT
};

struct features {
	bool has[FEATURE_COUNT];
	bool has_switch_state; /* sched_switch carries the state that was decided on (5.18) */
	struct btf *kernel_btf; /* owned */
};

/* Fails only where nothing can work: no privilege, no type information. */
struct err *features_detect(struct features *ret_features) must_check;
void features_done(struct features *features);

const char *feature_name(enum feature feature);

/* Whether the kernel has a BTF tracepoint of this name. */
bool features_have_tracepoint(const struct features *features, const char *name);
