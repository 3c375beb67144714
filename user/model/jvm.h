/* What happened inside the JVMs of the tree: classes, stop-the-world pauses, compilations, stacks and their names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "bpf/events.h"

struct model;

/* A class that was loaded (CLASS_LOADED). */
struct loaded_class {
	uint64_t loaded_ns;
	uint64_t loader; /* address, 0 for the boot loader or unknown */
	uint32_t name;	 /* string id, with '/' */
	uint32_t thread;
	uint32_t event;	     /* CLASS_LOADED */
	uint32_t span;	     /* outermost SPAN_CLASS_LOAD of this class on the thread, or NO_INDEX */
	uint32_t read_file;  /* file that was last read or opened inside that span (an archive where there was one), 0
				none */
	uint32_t read_event; /* that FILE_READ, or NO_INDEX */
	uint64_t read_bytes; /* by FILE_READs inside that span, nested loads of other classes excluded */
	bool is_shared;	     /* from the CDS archive or the AOT cache */
	bool is_parsed;	     /* a CLASS_PARSE of it was seen in the span */
};

/* A stretch in which the JVM stopped its Java threads. */
struct pause {
	uint64_t start_ns, end_ns;
	uint32_t process;   /* index */
	uint32_t thread;    /* the VM thread */
	uint32_t event;	    /* SAFEPOINT begin; or VM_OPERATION begin, where no safepoint was seen around it */
	uint32_t operation; /* string id of the VM operation, 0 unknown */
	bool is_collection; /* a collection ran within it, or its operation is one */
};

struct compilation {
	uint64_t start_ns, end_ns; /* end 0: not seen */
	uint32_t thread;
	uint32_t begin_event, end_event; /* or NO_INDEX */
	bool is_success;
};

struct collection {
	uint64_t start_ns, end_ns;
	uint32_t thread;
	uint32_t event;
	bool is_full;
};

struct call_stack {
	uint64_t stack_id;
	uint32_t event; /* STACK */
};

struct frame_text {
	const char *class_name, *method, *file;
	int64_t line; /* -1: unknown */
};

struct frame_name_link {
	struct frame_text text;
	uint32_t next; /* of the same frame, one inlined level out; NO_INDEX ends */
};

struct model_jvm {
	VEC(struct loaded_class) classes;
	VEC(struct pause) pauses; /* by start */
	VEC(struct compilation) compilations;
	VEC(struct collection) collections;
	struct map stack_by_id;	     /* stack_id -> STACK event */
	struct map frame_name_first; /* hash of a frame's key -> first FRAME_NAME in frame_names */
	VEC(struct frame_name_link) frame_names;
	VEC(uint32_t) symbol_events; /* by address */
};

/* The id of the STACK record that a record's stack_id means: an exception's may be marked as borrowed (bpf/events.h). */
uint64_t model_stack_id(const struct model *model, uint64_t given_id);

/* The frames of a stack, top first; NULL and 0 where the stack is not in the recording. */
const struct stack_frame *model_stack(const struct model *model, uint64_t stack_id, uint32_t *ret_count,
				      uint32_t *ret_flags);

/* The names of one frame: the number of them (inlined methods, innermost first), 0 where it has none. Strings are
 * owned by the model; class names with '/' as the JVM has them, native frames have class "". */
enum { FRAME_TEXTS_MAX = 32 };
uint32_t model_frame_names(const struct model *model, const struct stack_frame *frame,
			   struct frame_text ret_names[FRAME_TEXTS_MAX]);

/* "native symbol" that an address falls into, or NULL. */
const char *model_symbol(const struct model *model, uint64_t address);
