/* What an address of a process belongs to, at a time.
 *
 * Evidence, strongest first: a mapped file there; the JVM's own regions (RUN_TEXT region.PID.KIND); the kernel's
 * names in a maps snapshot ([heap], [stack]); mappings made for stacks (MAP_STACK); anonymous memory. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "bpf/events.h"

struct model;

/* In the order of interface.md's KIND (analyze asserts that its own list is the same). */
enum region_kind {
	REGION_HEAP,
	REGION_METASPACE,
	REGION_CLASS_SPACE,
	REGION_CODE_CACHE,
	REGION_CDS,
	REGION_AOT,
	REGION_LIBRARY,
	REGION_JAR,
	REGION_STACK,
	REGION_MALLOC,
	REGION_GC,
	REGION_FILE,
	REGION_OTHER,
	REGION_KIND_COUNT,
};

/* A stretch of a process's address space that the JVM uses for one thing. */
struct jvm_region {
	uint32_t pid;
	uint8_t kind; /* enum region_kind */
	uint64_t start, end;
};

struct model_mappings {
	VEC(struct jvm_region) regions; /* by (pid, start) */
	VEC(uint32_t) faults;		/* FAULT events by time */
	VEC(uint8_t) fault_kinds;	/* enum region_kind of each */
	VEC(uint32_t) fault_files;	/* file index of each, 0: anonymous */
};

const char *model_region_name(enum region_kind kind); /* interface.md's name */

/* What a line of a maps or smaps snapshot is: [start, end) of process `pid`, with the name the kernel gave it ("" for
 * anonymous) and whether it is executable. */
enum region_kind model_region_of_line(const struct model *model, uint32_t pid, uint64_t start, uint64_t end,
				      const char *name, int is_executable);
