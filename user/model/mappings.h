/* What an address of a process belongs to, at a time.
 *
 * Evidence, strongest first: a mapped file there; the JVM's own regions (RUN_TEXT region.PID.KIND); the kernel's
 * names in a maps snapshot ([heap], [stack]); mappings made for stacks (MAP_STACK); the reservation that it lies in;
 * anonymous memory. Direct buffers and malloc's arenas are both anonymous: nothing outside the process tells them
 * apart. */
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

/* Which part of a mapped file: of a program or library, or which region of an archive of classes. */
enum mapping_part {
	PART_NONE,
	PART_TEXT,
	PART_READ_ONLY,
	PART_DATA, /* may be written, in private */
	PART_BSS,  /* the rest of a data segment, without bytes in the file */
	PART_BITMAP,
	PART_HEAP, /* archived objects, in the Java heap */
};

const char *model_part_name(enum mapping_part part); /* "" for PART_NONE */

/* A stretch of a process's address space that the JVM uses for one thing. */
struct jvm_region {
	uint32_t pid;
	uint8_t kind; /* enum region_kind */
	uint64_t start, end;
};

/* The lines of a smaps snapshot. */
struct line_kinds {
	uint32_t text;	    /* index in texts.proc */
	VEC(uint8_t) kinds; /* enum region_kind */
};

struct model_mappings {
	VEC(struct jvm_region) regions; /* by (pid, start) */
	VEC(uint32_t) faults;		/* FAULT events by time */
	VEC(uint8_t) fault_kinds;	/* enum region_kind of each */
	VEC(uint8_t) fault_parts;	/* enum mapping_part of each */
	VEC(uint32_t) fault_files;	/* file index of each, 0: anonymous */
	VEC(struct line_kinds) lines;
};

const char *model_region_name(enum region_kind kind); /* interface.md's name */

/* What a line of a smaps snapshot is, given the snapshot's index in texts.proc and the line's number, from 0. */
enum region_kind model_region_of_line(const struct model *model, uint32_t text, uint32_t line);
