/* Private to parse/hotspot_*.c: what of a VM's structures our readers use, and where this VM keeps it.
 *
 * A fact is one offset, address, size or constant, with the names it has had in different releases, tried from left
 * to right. The list is the only place where names of HotSpot's fields stand. */
#pragma once

#include "base/map.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "parse/hotspot.h"

enum hotspot_fact_kind {
	FACT_OFFSET, /* of a field */
	FACT_STATIC, /* address of a static field, or of an ELF symbol (written "symbol:NAME") */
	FACT_SIZE,   /* of a type */
	FACT_CONSTANT,
};

/* X(ID, kind, names) */
#define HOTSPOT_FACTS(X)                                                                                             \
	/* threads and anchors */                                                                                    \
	X(THREAD_ANCHOR, OFFSET, "JavaThread::_anchor")                                                              \
	X(THREAD_STACK_BASE, OFFSET, "JavaThread::_stack_base|Thread::_stack_base")                                  \
	X(THREAD_STACK_SIZE, OFFSET, "JavaThread::_stack_size|Thread::_stack_size")                                  \
	X(THREAD_OS_THREAD, OFFSET, "JavaThread::_osthread|Thread::_osthread")                                       \
	X(THREAD_NEXT, OFFSET, "JavaThread::_next")                                                                  \
	X(THREAD_CONTINUATION, OFFSET, "JavaThread::_cont_entry")                                                    \
	X(OS_THREAD_ID, OFFSET, "OSThread::_thread_id")                                                              \
	X(THREAD_LIST, STATIC, "ThreadsSMRSupport::_java_thread_list")                                               \
	X(THREAD_LIST_LENGTH, OFFSET, "ThreadsList::_length")                                                        \
	X(THREAD_LIST_THREADS, OFFSET, "ThreadsList::_threads")                                                      \
	X(THREAD_FIRST, STATIC, "Threads::_thread_list")                                                             \
	X(ANCHOR_SIZE, SIZE, "JavaFrameAnchor")                                                                      \
	X(ANCHOR_SP, OFFSET, "JavaFrameAnchor::_last_Java_sp")                                                       \
	X(ANCHOR_PC, OFFSET, "JavaFrameAnchor::_last_Java_pc")                                                       \
	X(ANCHOR_FP, OFFSET, "JavaFrameAnchor::_last_Java_fp")                                                       \
	X(WRAPPER_ANCHOR, OFFSET, "JavaCallWrapper::_anchor")                                                        \
	X(ENTRY_WRAPPER_SLOT, CONSTANT, "frame::entry_frame_call_wrapper_offset")                                    \
	X(SENDER_SP_SLOT, CONSTANT, "frame::interpreter_frame_sender_sp_offset")                                     \
	/* the code cache */                                                                                         \
	X(CODE_HEAPS, STATIC, "CodeCache::_heaps")                                                                   \
	X(CODE_HEAP, STATIC, "CodeCache::_heap")                                                                     \
	X(LIST_LENGTH, OFFSET, "GrowableArrayBase::_len|GenericGrowableArray::_len")                                 \
	X(LIST_DATA, OFFSET, "GrowableArray<int>::_data")                                                            \
	X(HEAP_MEMORY, OFFSET, "CodeHeap::_memory")                                                                  \
	X(HEAP_SEGMENT_MAP, OFFSET, "CodeHeap::_segmap")                                                             \
	X(HEAP_SEGMENT_SHIFT, OFFSET, "CodeHeap::_log2_segment_size")                                                \
	X(HEAP_BLOCK_SIZE, SIZE, "HeapBlock")                                                                        \
	X(SPACE_LOW, OFFSET, "VirtualSpace::_low_boundary")                                                          \
	X(SPACE_HIGH, OFFSET, "VirtualSpace::_high_boundary")                                                        \
	X(CALL_STUB_RETURN, STATIC, "StubRoutines::_call_stub_return_address")                                       \
	X(BLOB_NAME, OFFSET, "CodeBlob::_name")                                                                      \
	X(BLOB_FRAME_SIZE, OFFSET, "CodeBlob::_frame_size")                                                          \
	X(BLOB_FRAME_COMPLETE, OFFSET, "CodeBlob::_frame_complete_offset")                                           \
	X(BLOB_CODE_BEGIN, OFFSET, "CodeBlob::_code_begin|CodeBlob::_code_offset")                                   \
	X(BLOB_CODE_END, OFFSET, "CodeBlob::_code_end|CodeBlob::_data_offset")                                       \
	X(BLOB_MUTABLE_DATA, OFFSET, "CodeBlob::_mutable_data")                                                      \
	X(BLOB_RELOCATION_SIZE, OFFSET, "CodeBlob::_relocation_size")                                                \
	/* compiled methods */                                                                                       \
	X(NMETHOD_METHOD, OFFSET, "nmethod::_method|CompiledMethod::_method")                                        \
	X(NMETHOD_COMPILE_ID, OFFSET, "nmethod::_compile_id")                                                        \
	X(NMETHOD_LEVEL, OFFSET, "nmethod::_comp_level")                                                             \
	X(COMPILE_TASK_LEVEL, OFFSET, "CompileTask::_comp_level")                                                    \
	X(NMETHOD_ORIGINAL_PC, OFFSET, "nmethod::_orig_pc_offset")                                                   \
	X(NMETHOD_DEOPT, OFFSET,                                                                                     \
	  "CompiledMethod::_deopt_handler_begin|nmethod::_deopt_handler_offset|nmethod::_deopt_handler_entry_offset" \
	  "|nmethod::_deoptimize_offset")                                                                            \
	X(NMETHOD_DEOPT_MH, OFFSET,                                                                                  \
	  "CompiledMethod::_deopt_mh_handler_begin|nmethod::_deopt_mh_handler_offset|nmethod::_deoptimize_mh_"       \
	  "offset")                                                                                                  \
	X(NMETHOD_SCOPES_PCS, OFFSET, "nmethod::_scopes_pcs_offset")                                                 \
	X(NMETHOD_SCOPES_DATA, OFFSET, "nmethod::_scopes_data_offset")                                               \
	X(NMETHOD_SCOPES_BEGIN, OFFSET, "CompiledMethod::_scopes_data_begin")                                        \
	X(NMETHOD_DEPENDENCIES, OFFSET, "nmethod::_dependencies_offset")                                             \
	X(NMETHOD_METADATA, OFFSET, "nmethod::_metadata_offset")                                                     \
	X(NMETHOD_IMMUTABLE_DATA, OFFSET, "nmethod::_immutable_data")                                                \
	X(NMETHOD_IMMUTABLE_SIZE, OFFSET, "nmethod::_immutable_data_size")                                           \
	X(PC_DESC_SIZEOF, SIZE, "PcDesc")                                                                            \
	X(PC_DESC_PC, OFFSET, "PcDesc::_pc_offset")                                                                  \
	X(PC_DESC_SCOPE, OFFSET, "PcDesc::_scope_decode_offset")                                                     \
	/* methods and classes */                                                                                    \
	X(METHOD_CONST, OFFSET, "Method::_constMethod")                                                              \
	X(METHOD_ACCESS, OFFSET, "Method::_access_flags")                                                            \
	X(CONST_SIZEOF, SIZE, "ConstMethod")                                                                         \
	X(CONST_POOL, OFFSET, "ConstMethod::_constants")                                                             \
	X(CONST_WORDS, OFFSET, "ConstMethod::_constMethod_size")                                                     \
	X(CONST_FLAGS, OFFSET, "ConstMethod::_flags._flags|ConstMethod::_flags")                                     \
	X(CONST_CODE_SIZE, OFFSET, "ConstMethod::_code_size")                                                        \
	X(CONST_NAME_INDEX, OFFSET, "ConstMethod::_name_index")                                                      \
	X(CONST_SIGNATURE_INDEX, OFFSET, "ConstMethod::_signature_index")                                            \
	X(CONST_HAS_LINES, CONSTANT,                                                                                 \
	  "ConstMethodFlags::_misc_has_linenumber_table|ConstMethod::_has_linenumber_table")                         \
	X(POOL_SIZEOF, SIZE, "ConstantPool")                                                                         \
	X(POOL_LENGTH, OFFSET, "ConstantPool::_length")                                                              \
	X(POOL_HOLDER, OFFSET, "ConstantPool::_pool_holder")                                                         \
	X(POOL_SOURCE_INDEX, OFFSET, "ConstantPool::_source_file_name_index")                                        \
	X(CLASS_SOURCE_INDEX, OFFSET, "InstanceKlass::_source_file_name_index")                                      \
	X(CLASS_POOL, OFFSET, "InstanceKlass::_constants")                                                           \
	X(KLASS_NAME, OFFSET, "Klass::_name")                                                                        \
	X(KLASS_NEXT, OFFSET, "Klass::_next_link")                                                                   \
	X(KLASS_LAYOUT, OFFSET, "Klass::_layout_helper")                                                             \
	X(SYMBOL_LENGTH, OFFSET, "Symbol::_length")                                                                  \
	X(SYMBOL_BODY, OFFSET, "Symbol::_body")                                                                      \
	X(LOADER_FIRST, STATIC, "ClassLoaderDataGraph::_head")                                                       \
	X(LOADER_NEXT, OFFSET, "ClassLoaderData::_next")                                                             \
	X(LOADER_CLASSES, OFFSET, "ClassLoaderData::_klasses")                                                       \
	X(LOADER_OBJECT, OFFSET, "ClassLoaderData::_class_loader")                                                   \
	/* objects and references */                                                                                 \
	X(OBJECT_KLASS, OFFSET, "oopDesc::_metadata._klass|oopDesc::_compressed_klass")                              \
	X(COMPACT_KLASS_SHIFT, CONSTANT, "markWord::klass_shift")                                                    \
	X(KLASS_BASE, STATIC,                                                                                        \
	  "CompressedKlassPointers::_base|CompressedKlassPointers::_narrow_klass._base|Universe::_narrow_klass._"    \
	  "base")                                                                                                    \
	X(KLASS_SHIFT, STATIC,                                                                                       \
	  "CompressedKlassPointers::_shift|CompressedKlassPointers::_narrow_klass._shift"                            \
	  "|Universe::_narrow_klass._shift")                                                                         \
	X(OOP_BASE, STATIC, "CompressedOops::_base|CompressedOops::_narrow_oop._base|Universe::_narrow_oop._base")   \
	X(OOP_SHIFT, STATIC,                                                                                         \
	  "CompressedOops::_shift|CompressedOops::_narrow_oop._shift|Universe::_narrow_oop._shift")                  \
	X(Z_GLOBALS, STATIC, "ZGlobalsForVMStructs::_instance_p")                                                    \
	X(Z_LOAD_SHIFT, OFFSET, "ZGlobalsForVMStructs::_ZPointerLoadShift")                                          \
	/* exceptions: before and since 17 */                                                                        \
	X(THROWABLE_BACKTRACE_OLD, STATIC, "symbol:_ZN19java_lang_Throwable16backtrace_offsetE")                     \
	X(THROWABLE_BACKTRACE, STATIC, "symbol:_ZN19java_lang_Throwable17_backtrace_offsetE")                        \
	/* virtual threads: no table has most of these, so they need libjvm's symbol table */                        \
	X(RETURN_BARRIER, STATIC, "symbol:_ZN12StubRoutines19_cont_returnBarrierE")                                  \
	X(ENTRY_RETURN_PC, STATIC, "ContinuationEntry::_return_pc|symbol:_ZN17ContinuationEntry10_return_pcE")       \
	X(CONTINUATION_TAIL, STATIC, "symbol:_ZN28jdk_internal_vm_Continuation12_tail_offsetE")                      \
	X(CHUNK_SP, STATIC, "symbol:_ZN26jdk_internal_vm_StackChunk10_sp_offsetE")                                   \
	X(CHUNK_BOTTOM, STATIC, "symbol:_ZN26jdk_internal_vm_StackChunk14_bottom_offsetE")                           \
	X(CHUNK_PARENT, STATIC, "symbol:_ZN26jdk_internal_vm_StackChunk14_parent_offsetE")                           \
	X(CHUNK_STACK, STATIC, "symbol:_ZN23InstanceStackChunkKlass16_offset_of_stackE")                             \
	/* why compiled code is given up: how a trap's request is packed, and the names of its parts */              \
	X(TRAP_REASON_SHIFT, CONSTANT, "Deoptimization::_reason_shift")                                              \
	X(TRAP_REASON_BITS, CONSTANT, "Deoptimization::_reason_bits")                                                \
	X(TRAP_ACTION_SHIFT, CONSTANT, "Deoptimization::_action_shift")                                              \
	X(TRAP_ACTION_BITS, CONSTANT, "Deoptimization::_action_bits")                                                \
	X(TRAP_REASON_COUNT, CONSTANT, "Deoptimization::Reason_LIMIT")                                               \
	X(TRAP_ACTION_COUNT, CONSTANT, "Deoptimization::Action_LIMIT")                                               \
	X(TRAP_UNLOADED_REASON, CONSTANT, "Deoptimization::Reason_unloaded")                                         \
	X(TRAP_UNLOADED_ACTION, STATIC, "symbol:_ZN14Deoptimization16_unloaded_actionE")                             \
	X(TRAP_REASON_NAMES, STATIC, "symbol:_ZN14Deoptimization17_trap_reason_nameE")                               \
	X(TRAP_ACTION_NAMES, STATIC, "symbol:_ZN14Deoptimization17_trap_action_nameE")                               \
	/* facts of the VM */                                                                                        \
	X(FLAGS, STATIC, "JVMFlag::flags|Flag::flags")                                                               \
	X(FLAG_COUNT, STATIC, "JVMFlag::numFlags|Flag::numFlags")                                                    \
	X(FLAG_SIZEOF, SIZE, "JVMFlag|Flag")                                                                         \
	X(FLAG_NAME, OFFSET, "JVMFlag::_name|Flag::_name")                                                           \
	X(FLAG_ADDRESS, OFFSET, "JVMFlag::_addr|Flag::_addr")                                                        \
	X(FLAG_FLAGS, OFFSET, "JVMFlag::_flags|Flag::_flags")                                                        \
	X(VERSION_MAJOR, STATIC, "Abstract_VM_Version::_vm_major_version")                                           \
	X(VERSION_MINOR, STATIC, "Abstract_VM_Version::_vm_minor_version")                                           \
	X(VERSION_SECURITY, STATIC, "Abstract_VM_Version::_vm_security_version")                                     \
	X(VERSION_BUILD, STATIC, "Abstract_VM_Version::_vm_build_number")                                            \
	X(VERSION_RELEASE, STATIC, "Abstract_VM_Version::_s_vm_release")                                             \
	X(VERSION_INFO, STATIC, "Abstract_VM_Version::_s_internal_vm_info_string")                                   \
	X(UNIVERSE_HEAP, STATIC, "Universe::_collectedHeap")                                                         \
	X(HEAP_RESERVED, OFFSET, "CollectedHeap::_reserved")                                                         \
	X(REGION_START, OFFSET, "MemRegion::_start")                                                                 \
	X(REGION_WORDS, OFFSET, "MemRegion::_word_size")                                                             \
	X(SHARED_LOW, STATIC, "MetaspaceObj::_aot_metaspace_base|MetaspaceObj::_shared_metaspace_base")              \
	X(SHARED_HIGH, STATIC, "MetaspaceObj::_aot_metaspace_top|MetaspaceObj::_shared_metaspace_top")

enum hotspot_fact_id {
#define X(id, kind, names) FACT_##id,
	HOTSPOT_FACTS(X)
#undef X
		FACT_COUNT,
};

struct hotspot_fact {
	bool is_present;
	uint8_t width_bytes; /* of the field, by its C++ type; 8 where that is not a plain number */
	uint64_t value;
};

struct hotspot_row {
	uint64_t value;
	bool is_static;
	uint8_t width_bytes;
};

enum { HOTSPOT_THREAD_KINDS = 11 };

/* What methods of a class have in common. */
struct hotspot_holder {
	const char *class_name, *file;
};

struct hotspot {
	struct hotspot_access access;
	struct strpool strings; /* all that is handed out */
	VEC(struct hotspot_row) rows;
	struct map fields;    /* hash of "Type::field" → row */
	struct map types;     /* hash of the name → size */
	struct map constants; /* hash of the name → value */
	struct map flags;     /* hash of the name → address of its entry; filled on first use */
	struct map methods;   /* hash of what makes a method → place in known_methods */
	VEC(struct hotspot_method) known_methods;
	struct map holders; /* hash of a constant pool and its class → place in known_holders */
	VEC(struct hotspot_holder) known_holders;
	bool flags_are_loaded;
	bool has_virtual_threads;
	bool vtables_are_known;
	uint64_t vtables[HOTSPOT_THREAD_KINDS]; /* symbols' addresses, by kind of thread; 0: absent */
	struct hotspot_fact facts[FACT_COUNT];
	const char *missing[HOTSPOT_FEATURE_COUNT]; /* NULL: the feature is there */
	uint8_t unsigned5_excluded; /* byte values that a compressed stream never has, see parse/unsigned5.h */
	int8_t bcp_slot;	    /* word of an interpreted frame that holds its bytecode pointer */
};

static inline uint64_t fact_value(const struct hotspot *hotspot, enum hotspot_fact_id id)
{
	return hotspot->facts[id].value;
}

static inline bool fact_has(const struct hotspot *hotspot, enum hotspot_fact_id id)
{
	return hotspot->facts[id].is_present;
}

/* ---- typed reads of the VM's memory ---- */

bool hotspot_read_bytes(const struct hotspot *hotspot, uint64_t address, void *buffer, size_t length_bytes);
bool hotspot_read_u64(const struct hotspot *hotspot, uint64_t address, uint64_t *ret_value);
bool hotspot_read_i32(const struct hotspot *hotspot, uint64_t address, int32_t *ret_value);

/* A field of `object` by its fact, of 1, 2, 4 or 8 bytes, zero-extended. False where the fact is absent. */
bool hotspot_read_field(const struct hotspot *hotspot, uint64_t object, enum hotspot_fact_id id, uint64_t *ret_value);

/* A NUL-terminated text of at most 1023 bytes, interned; NULL if unreadable or longer. */
const char *hotspot_read_text(struct hotspot *hotspot, uint64_t address);

/* The value of a static variable by its fact. */
bool hotspot_read_static(const struct hotspot *hotspot, enum hotspot_fact_id id, uint64_t *ret_value);

/* Sign extension for fields that C++ declares as int. */
static inline int64_t hotspot_signed(uint64_t value, uint8_t width_bytes)
{
	return width_bytes == 1	  ? (int8_t)value
	       : width_bytes == 2 ? (int16_t)value
	       : width_bytes == 4 ? (int32_t)value
				  : (int64_t)value;
}

const char *hotspot_fact_names(enum hotspot_fact_id id);

/* The address of a flag's value by the exported list of flags; 0 where it is not there. */
uint64_t hotspot_flag_address(struct hotspot *hotspot, const char *name);

/* hotspot_feature.c: which facts each feature needs. Fills `missing`. */
void hotspot_features_check(struct hotspot *hotspot);
