/* One traced Java virtual machine, read from outside: its layout for the walking programs, names of frames before they can
 * vanish, facts about it for the report. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/map.h"
#include "bpf/events.h"
#include "parse/elf.h"
#include "parse/hotspot.h"
#include "record/output.h"
#include "record/probes.h"

struct jvm;

/* `path` is libjvm's file in the process, mapped so that address = base + its linked address, its code at [text_start,
 * text_end). Keeps `elf_fd` (owned). */
struct jvm *jvm_new(pid_t pid, uint64_t base_address, uint64_t text_start, uint64_t text_end, int elf_fd,
		    const char *path);
void jvm_free(struct jvm *jvm);

pid_t jvm_pid(const struct jvm *jvm);

/* The process ended (its address space is kept for the names that are still to be read), and whether that was said. */
void jvm_set_ended(struct jvm *jvm);
bool jvm_has_ended(const struct jvm *jvm);

/* Reads the VM's tables and gives the walking programs what they need. Possible once libjvm's static constructors have run
 * (JNI_CreateJavaVM). Says in the recording what this VM does not tell. */
void jvm_open(struct jvm *jvm, struct probes *probes, struct output *output);

/* Facts that are settled once the VM has set itself up (its vm__init__end probe): version, collector, heap and code ranges.
 * Written once. */
void jvm_write_facts(struct jvm *jvm, struct output *output);

/* The same for a VM without that probe, some time after it was opened. */
void jvm_write_late_facts(struct jvm *jvm, struct output *output);

/* Where metaspace and class space lie now: they grow. */
void jvm_write_metaspace(struct jvm *jvm, struct output *output);

/* Takes the stack's frames that have no name in the recording yet on the list of those to be named. */
void jvm_see_stack(struct jvm *jvm, const struct event_stack *stack);

/* The same for the loader of a class: a ClassLoaderData*. */
void jvm_see_loader(struct jvm *jvm, uint64_t loader_data);

/* Names the loaders on the list, outside requests. */
void jvm_name_loaders(struct jvm *jvm, const struct probes *probes, struct output *output);

/* Names what is on the list. Reading another process's memory takes its address space's lock, for which its own mmap calls
 * then wait: so in a request window only frames that have been waiting for long are named, a few at a time. */
void jvm_name_frames(struct jvm *jvm, const struct probes *probes, struct output *output);
