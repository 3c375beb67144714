/* Probes in the libraries of traced processes: libjvm and the C++ runtime, attached per process when they are mapped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/vec.h"
#include "bpf/events.h"
#include "record/jvm.h"
#include "record/jvm_sites.h"
#include "record/output.h"
#include "record/probes.h"
#include "record/uprobe.h"

/* The sites of one library file: the same for all processes that map it. */
struct library_file {
	uint64_t device, inode;
	int library; /* JVM_SITES, CXX_SITES */
	struct probe_sites sites;
	VEC(uint32_t) cookies; /* of sites.items, in their order */
};

struct libraries {
	struct probes *probes;
	struct output *output;
	struct uprobe_links links;
	VEC(struct library_file *) files;
	VEC(struct jvm *) jvms;
	struct map attached; /* hash of (pid, its execs so far, file) → 1 */
	struct map execs;    /* pid → how often it executed a program */
	uint32_t next_cookie;
};

/* Puts probes into those libraries of the process that get any and have none yet. `is_held`: the process is
 * stopped meanwhile; where it runs on what happened before is missed, and the recording says so. Returns whether libjvm
 * is among the process's libraries. */
bool libraries_attach(struct libraries *libraries, pid_t pid, bool is_held);

/* The VM reached a state (JVM_STATE record). Returns whether nothing more of the process has to be held. */
void libraries_jvm_state(struct libraries *libraries, pid_t pid, enum jvm_state state);

/* A STACK record: its frames are to be named while they are there (libraries_tick). */
void libraries_see_stack(struct libraries *libraries, const struct event_stack *event);

/* At a memory snapshot: what the kernel cannot tell of the process's mappings. */
void libraries_write_metaspace(struct libraries *libraries, pid_t pid);


/* A CLASS_LOADED record: its loader is to be named. */
void libraries_see_class(struct libraries *libraries, const struct event_class_loaded *event);

void libraries_tick(struct libraries *libraries);

/* At the recording's end, outside requests: what is not yet written of the VMs that go on, and the names of their frames. */
void libraries_finish(struct libraries *libraries);
/* The process executed a program: what it had mapped is gone. */
void libraries_process_execed(struct libraries *libraries, pid_t pid);
void libraries_process_ended(struct libraries *libraries, pid_t pid);
void libraries_done(struct libraries *libraries);
