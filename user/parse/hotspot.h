/* HotSpot seen from outside: names, code and facts of a Java virtual machine, read from its memory without its help.
 *
 * libjvm exports tables that describe its own structures (gHotSpotVMStructs, …Types, …IntConstants, …LongConstants,
 * made for the serviceability agent). hotspot_open reads them; everything else follows from them, and what the VM
 * does not tell is absent: each feature says by itself whether it is available and if not, why. No table by version,
 * but for the two encodings that the VM does not describe (parse/hotspot_layout.c names them).
 *
 * The tables are complete after libjvm's static constructors ran: at JNI_CreateJavaVM or later, not at the mapping.
 *
 * Pure reading: memory and symbols come through the caller's functions. All of it is untrusted: lengths are checked,
 * loops are bounded, and a VM that changes while it is read gives a missing or a wrong name, never a fault of ours.
 * Strings that are handed out live as long as the struct hotspot, and equal strings are equal pointers. Not
 * thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/events.h"
#include "bpf/hotspot_config.h"

struct hotspot;

struct hotspot_access {
	/* Copies length_bytes from the VM's address; false if any byte cannot be read. */
	bool (*read)(void *context, uint64_t address, void *buffer, size_t length_bytes);
	/* The address in the VM of an ELF symbol of libjvm, by its (mangled) name; 0 where the library has no such
	 * symbol. */
	uint64_t (*symbol)(void *context, const char *name);
	void *context;
};

/* The symbols that the functions below ask for, so that a caller may look for all of them in one pass over libjvm's
 * symbol table, which has 70,000. Writes up to `capacity` names, borrowed for ever, and returns how many there are.
 */
size_t hotspot_symbol_names(const char **names, size_t capacity);

/* Fails where libjvm exports no tables, or they cannot be read or hold nothing. */
struct err *hotspot_open(const struct hotspot_access *access, struct hotspot **ret_hotspot) must_check;
void hotspot_close(struct hotspot *hotspot); /* NULL is fine */

/* ---- what is available ---- */

enum hotspot_feature {
	HOTSPOT_CLASS_NAMES,
	HOTSPOT_METHOD_NAMES,
	HOTSPOT_LINE_NUMBERS,
	HOTSPOT_INTERPRETED_FRAMES,
	HOTSPOT_COMPILED_FRAMES,
	HOTSPOT_INLINED_FRAMES,
	HOTSPOT_FROZEN_FRAMES, /* of mounted virtual threads, still in the Java heap */
	HOTSPOT_FLAGS,
	HOTSPOT_VERSION,
	HOTSPOT_THREADS,
	HOTSPOT_HEAP_RANGE,
	HOTSPOT_CODE_RANGE,
	HOTSPOT_SHARED_RANGE, /* of the CDS or AOT archives' metadata */
	HOTSPOT_METADATA_WITNESSES,
	HOTSPOT_TRAP_REASONS, /* why compiled code is given up */
	HOTSPOT_BACKTRACES,   /* whether an exception has a stack trace */
	HOTSPOT_FEATURE_COUNT,
};

bool hotspot_has(const struct hotspot *hotspot, enum hotspot_feature feature);

/* Why a feature is missing, e.g. "libjvm does not tell 'JavaThread::_cont_entry'"; NULL where it is there. */
const char *hotspot_missing(const struct hotspot *hotspot, enum hotspot_feature feature);

/* A short name, for reports: "class names". */
const char *hotspot_feature_name(enum hotspot_feature feature);

/* For the walk in BPF. text_start and text_end are the caller's to fill. */
void hotspot_bpf_config(struct hotspot *hotspot, struct hotspot_bpf_config *ret_config);

/* Any single field, type, or constant of the tables, for what has no function here. False where it is absent. */
bool hotspot_field_offset(const struct hotspot *hotspot, const char *type, const char *field, uint64_t *ret_offset);
bool hotspot_static_address(const struct hotspot *hotspot, const char *type, const char *field,
			    uint64_t *ret_address);
bool hotspot_type_size(const struct hotspot *hotspot, const char *type, uint64_t *ret_bytes);
bool hotspot_constant(const struct hotspot *hotspot, const char *name, int64_t *ret_value);

/* ---- names ---- */

/* The class's name in '/' form, e.g. "java/lang/String", from its Klass*. NULL if it cannot be read. */
const char *hotspot_class_name(struct hotspot *hotspot, uint64_t klass);

struct hotspot_method {
	const char *class_name; /* '/' form */
	const char *name;
	const char *signature;
	const char *file; /* "" where the class file names none */
	uint64_t klass;	  /* its holder */
	bool is_native;
};

bool hotspot_method_read(struct hotspot *hotspot, uint64_t method, struct hotspot_method *ret_method);

/* The source line of a bytecode index; 0 where there is none. */
uint32_t hotspot_method_line(struct hotspot *hotspot, uint64_t method, int32_t bci);

struct hotspot_frame {
	struct hotspot_method method;
	uint64_t method_address; /* Method* */
	int32_t bci;		 /* -1: unknown */
	uint32_t line;		 /* 0: unknown or native */
};

enum { HOTSPOT_INLINED_MAX = 64 };

struct hotspot_frames {
	size_t count;
	bool is_cut;					 /* more were inlined */
	struct hotspot_frame items[HOTSPOT_INLINED_MAX]; /* innermost first */
};

/* The methods that one frame of a walk stands for: one, or for compiled code all that were inlined there. False where
 * nothing could be read, or the nmethod's place was given to other code since (by the frame's cookie). */
bool hotspot_frame_read(struct hotspot *hotspot, const struct stack_frame *frame, struct hotspot_frames *ret_frames);

/* ---- code ---- */

struct hotspot_code {
	uint64_t blob; /* CodeBlob*, for compiled methods the nmethod */
	uint64_t code_begin, code_end;
	uint32_t compile_id;
	enum code_type type; /* CODE_INTERPRETED, CODE_C1, CODE_C2, CODE_COMPILED, CODE_NATIVE_METHOD, CODE_STUB */
	const char *name;    /* the blob's own, e.g. "nmethod", "StubRoutines (compiler stubs)" */
};

/* The code blob that holds an address of the code cache. */
bool hotspot_code_find(struct hotspot *hotspot, uint64_t address, struct hotspot_code *ret_code);

/* ---- facts of the VM ---- */

struct hotspot_version {
	int32_t major, minor, security, build;
	const char *release; /* e.g. "25.0.3+9-LTS" */
	const char *info;    /* the VM's line about itself: name, release, vendor's version, compiler */
};

bool hotspot_version_read(struct hotspot *hotspot, struct hotspot_version *ret_version);

enum hotspot_flag_origin {
	HOTSPOT_FLAG_DEFAULT = 0,
	HOTSPOT_FLAG_COMMAND_LINE = 1,
	HOTSPOT_FLAG_ENVIRONMENT = 2,
	HOTSPOT_FLAG_CONFIG_FILE = 3,
	HOTSPOT_FLAG_MANAGEMENT = 4,
	HOTSPOT_FLAG_ERGONOMIC = 5,
};

/* A flag by name. The caller knows its type: bool, a number of 8 bytes (intx, uintx, size_t, uint64_t), one of 4
 * (int, uint), or a text (ret_text is NULL for an unset one). False where this VM has no such flag. ret_origin may be
 * NULL. */
bool hotspot_flag_bool(struct hotspot *hotspot, const char *name, bool *ret_value,
		       enum hotspot_flag_origin *ret_origin);
bool hotspot_flag_number(struct hotspot *hotspot, const char *name, uint64_t *ret_value,
			 enum hotspot_flag_origin *ret_origin);
bool hotspot_flag_text(struct hotspot *hotspot, const char *name, const char **ret_text,
		       enum hotspot_flag_origin *ret_origin);

/* "G1", "ZGC", "Serial", "Parallel", "Shenandoah", "Epsilon", "CMS"; NULL where no flag says it. */
const char *hotspot_gc_name(struct hotspot *hotspot);

/* The VM's own names of the reasons for which compiled code is given up, and of what is done about it: by number, from 0,
 * separated by commas. NULL where HOTSPOT_TRAP_REASONS is missing. */
const char *hotspot_trap_reasons(struct hotspot *hotspot);
const char *hotspot_trap_actions(struct hotspot *hotspot);

struct hotspot_range {
	uint64_t start, end;
};

/* The reserved range of the Java heap (none with ZGC, which keeps no single one), once the VM has made it. */
bool hotspot_heap_range(struct hotspot *hotspot, struct hotspot_range *ret_range);
bool hotspot_code_range(struct hotspot *hotspot, struct hotspot_range *ret_range);
/* Metadata of the CDS or AOT archives that are in use, from the lowest to the highest. */
bool hotspot_shared_range(struct hotspot *hotspot, struct hotspot_range *ret_range);

enum hotspot_witness {
	HOTSPOT_WITNESS_CLASS_SPACE, /* the address of a class, where classes have a space of their own */
	HOTSPOT_WITNESS_METASPACE,   /* the address of other metadata */
};

/* The VM does not tell where its metaspace lies, but what lies in it: calls `witness` with the addresses of up to
 * `limit` classes and constant pools outside the archives. The mappings that hold them are the class space and
 * metaspace. */
size_t hotspot_metadata_witnesses(struct hotspot *hotspot, size_t limit,
				  void (*witness)(void *context, enum hotspot_witness kind, uint64_t address),
				  void *context);

/* The name ('/') of the class of the loader that a ClassLoaderData* stands for; "" for the boot loader, NULL where it cannot be
 * read. The text lives as long as `hotspot`. */
const char *hotspot_loader_name(struct hotspot *hotspot, uint64_t loader_data);

struct hotspot_thread {
	uint64_t address; /* JavaThread* */
	uint32_t tid;	  /* the kernel's, in the VM's own pid namespace */
	struct hotspot_range stack;
	const char *kind; /* "CompilerThread" and the like, by its C++ type; NULL where symbols are missing */
};

/* Calls `found` for each JavaThread of the VM's list; returns their number. */
size_t hotspot_threads(struct hotspot *hotspot, void (*found)(void *context, const struct hotspot_thread *thread),
		       void *context);
