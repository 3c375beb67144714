/* Which facts each feature needs, and the configuration of the walk in BPF, which is made of the same facts. */
#include "parse/hotspot_layout.h"

#include <stdio.h>
#include <string.h>

enum { NEEDS_MAX = 24 };

/* A feature needs all facts of its row, and the features named after them. */
struct feature_row {
	enum hotspot_feature feature;
	const char *name;
	enum hotspot_fact_id needs[NEEDS_MAX]; /* ends with FACT_COUNT */
	enum hotspot_feature builds_on;	       /* itself: on none */
};

static const struct feature_row feature_table[] = {
	{HOTSPOT_CLASS_NAMES,
	 "class names",
	 {FACT_KLASS_NAME, FACT_SYMBOL_LENGTH, FACT_SYMBOL_BODY, FACT_OBJECT_KLASS, FACT_COUNT},
	 HOTSPOT_CLASS_NAMES},
	{HOTSPOT_METHOD_NAMES,
	 "method names",
	 {FACT_METHOD_CONST, FACT_METHOD_ACCESS, FACT_CONST_SIZEOF, FACT_CONST_POOL, FACT_CONST_NAME_INDEX,
	  FACT_CONST_SIGNATURE_INDEX, FACT_POOL_SIZEOF, FACT_POOL_LENGTH, FACT_POOL_HOLDER, FACT_COUNT},
	 HOTSPOT_CLASS_NAMES},
	{HOTSPOT_LINE_NUMBERS,
	 "line numbers",
	 {FACT_CONST_WORDS, FACT_CONST_FLAGS, FACT_CONST_CODE_SIZE, FACT_CONST_HAS_LINES, FACT_COUNT},
	 HOTSPOT_METHOD_NAMES},
	{HOTSPOT_INTERPRETED_FRAMES,
	 "interpreted frames",
	 {FACT_THREAD_ANCHOR,	    FACT_ANCHOR_SIZE,	   FACT_ANCHOR_SP,
	  FACT_ANCHOR_PC,	    FACT_ANCHOR_FP,	   FACT_WRAPPER_ANCHOR,
	  FACT_HEAP_MEMORY,	    FACT_HEAP_SEGMENT_MAP, FACT_HEAP_SEGMENT_SHIFT,
	  FACT_HEAP_BLOCK_SIZE,	    FACT_SPACE_LOW,	   FACT_SPACE_HIGH,
	  FACT_CALL_STUB_RETURN,    FACT_BLOB_NAME,	   FACT_BLOB_FRAME_SIZE,
	  FACT_BLOB_FRAME_COMPLETE, FACT_BLOB_CODE_BEGIN,  FACT_BLOB_CODE_END,
	  FACT_METHOD_CONST,	    FACT_CONST_SIZEOF,	   FACT_COUNT},
	 HOTSPOT_INTERPRETED_FRAMES},
	{HOTSPOT_COMPILED_FRAMES,
	 "compiled frames",
	 {FACT_NMETHOD_METHOD, FACT_NMETHOD_COMPILE_ID, FACT_NMETHOD_LEVEL, FACT_NMETHOD_ORIGINAL_PC,
	  FACT_NMETHOD_DEOPT, FACT_COUNT},
	 HOTSPOT_INTERPRETED_FRAMES},
	{HOTSPOT_INLINED_FRAMES,
	 "inlined frames",
	 {FACT_PC_DESC_SIZEOF, FACT_PC_DESC_PC, FACT_PC_DESC_SCOPE, FACT_NMETHOD_SCOPES_PCS, FACT_COUNT},
	 HOTSPOT_COMPILED_FRAMES},
	{HOTSPOT_FROZEN_FRAMES,
	 "frozen frames of virtual threads",
	 {FACT_RETURN_BARRIER, FACT_ENTRY_RETURN_PC, FACT_CONTINUATION_TAIL, FACT_CHUNK_SP, FACT_CHUNK_BOTTOM,
	  FACT_CHUNK_PARENT, FACT_CHUNK_STACK, FACT_OOP_BASE, FACT_OOP_SHIFT, FACT_COUNT},
	 HOTSPOT_COMPILED_FRAMES},
	{HOTSPOT_FLAGS,
	 "flags",
	 {FACT_FLAGS, FACT_FLAG_COUNT, FACT_FLAG_SIZEOF, FACT_FLAG_NAME, FACT_FLAG_ADDRESS, FACT_COUNT},
	 HOTSPOT_FLAGS},
	{HOTSPOT_VERSION, "version", {FACT_VERSION_RELEASE, FACT_COUNT}, HOTSPOT_VERSION},
	{HOTSPOT_THREADS,
	 "threads",
	 {FACT_THREAD_OS_THREAD, FACT_OS_THREAD_ID, FACT_THREAD_STACK_BASE, FACT_THREAD_STACK_SIZE, FACT_COUNT},
	 HOTSPOT_THREADS},
	{HOTSPOT_HEAP_RANGE,
	 "heap range",
	 {FACT_UNIVERSE_HEAP, FACT_HEAP_RESERVED, FACT_REGION_START, FACT_REGION_WORDS, FACT_COUNT},
	 HOTSPOT_HEAP_RANGE},
	{HOTSPOT_CODE_RANGE,
	 "code cache range",
	 {FACT_HEAP_MEMORY, FACT_SPACE_LOW, FACT_SPACE_HIGH, FACT_COUNT},
	 HOTSPOT_CODE_RANGE},
	{HOTSPOT_SHARED_RANGE,
	 "archive range",
	 {FACT_SHARED_LOW, FACT_SHARED_HIGH, FACT_COUNT},
	 HOTSPOT_SHARED_RANGE},
	{HOTSPOT_METADATA_WITNESSES,
	 "metaspace",
	 {FACT_LOADER_FIRST, FACT_LOADER_NEXT, FACT_LOADER_CLASSES, FACT_KLASS_NEXT, FACT_COUNT},
	 HOTSPOT_METADATA_WITNESSES},
	{HOTSPOT_TRAP_REASONS,
	 "reasons of deoptimisations",
	 {FACT_TRAP_REASON_SHIFT, FACT_TRAP_REASON_BITS, FACT_TRAP_ACTION_SHIFT, FACT_TRAP_ACTION_BITS,
	  FACT_TRAP_REASON_COUNT, FACT_TRAP_ACTION_COUNT, FACT_TRAP_REASON_NAMES, FACT_TRAP_ACTION_NAMES, FACT_COUNT},
	 HOTSPOT_TRAP_REASONS},
	{HOTSPOT_BACKTRACES, "stack traces of exceptions", {FACT_COUNT}, HOTSPOT_CLASS_NAMES},
};

_Static_assert(sizeof(feature_table) / sizeof(feature_table[0]) == HOTSPOT_FEATURE_COUNT, "a row for each feature");

static const char *missing_text(struct hotspot *hotspot, enum hotspot_fact_id id)
{
	const char *name = hotspot_fact_names(id);
	bool is_symbol = strncmp(name, "symbol:", 7) == 0;
	char text[256];

	/* The first name of the list stands for the fact: it is what current releases call it. */
	if (is_symbol)
		name += 7;
	snprintf(text, sizeof(text), is_symbol ? "libjvm has no symbol '%.*s'" : "libjvm does not tell '%.*s'",
		 (int)strcspn(name, "|"), name);
	return strpool_text(&hotspot->strings, strpool_add_text(&hotspot->strings, text));
}

/* Where the debug information of compiled code lies: in three ways, by release (see hotspot_code.c). */
static enum hotspot_fact_id scopes_missing(const struct hotspot *hotspot)
{
	if (fact_has(hotspot, FACT_NMETHOD_IMMUTABLE_DATA))
		return !fact_has(hotspot, FACT_NMETHOD_SCOPES_DATA)	 ? FACT_NMETHOD_SCOPES_DATA
		       : !fact_has(hotspot, FACT_NMETHOD_IMMUTABLE_SIZE) ? FACT_NMETHOD_IMMUTABLE_SIZE
		       : !fact_has(hotspot, FACT_BLOB_MUTABLE_DATA)	 ? FACT_BLOB_MUTABLE_DATA
		       : !fact_has(hotspot, FACT_BLOB_RELOCATION_SIZE)	 ? FACT_BLOB_RELOCATION_SIZE
									 : FACT_COUNT;
	if (!fact_has(hotspot, FACT_NMETHOD_SCOPES_BEGIN) && !fact_has(hotspot, FACT_NMETHOD_SCOPES_DATA))
		return FACT_NMETHOD_SCOPES_DATA;
	return !fact_has(hotspot, FACT_NMETHOD_DEPENDENCIES) ? FACT_NMETHOD_DEPENDENCIES
	       : !fact_has(hotspot, FACT_NMETHOD_METADATA)   ? FACT_NMETHOD_METADATA
							     : FACT_COUNT;
}

/* What a row cannot say: facts of which one of several does. FACT_COUNT: nothing is missing. */
static enum hotspot_fact_id alternatives_missing(const struct hotspot *hotspot, enum hotspot_feature feature)
{
	switch (feature) {
	case HOTSPOT_INTERPRETED_FRAMES:
	case HOTSPOT_CODE_RANGE:
		if (fact_has(hotspot, FACT_CODE_HEAP))
			return FACT_COUNT;
		return !fact_has(hotspot, FACT_CODE_HEAPS)    ? FACT_CODE_HEAPS
		       : !fact_has(hotspot, FACT_LIST_LENGTH) ? FACT_LIST_LENGTH
		       : !fact_has(hotspot, FACT_LIST_DATA)   ? FACT_LIST_DATA
							      : FACT_COUNT;
	case HOTSPOT_INLINED_FRAMES:
		return scopes_missing(hotspot);
	case HOTSPOT_BACKTRACES:
		return fact_has(hotspot, FACT_THROWABLE_BACKTRACE_OLD) || fact_has(hotspot, FACT_THROWABLE_BACKTRACE)
			       ? FACT_COUNT
			       : FACT_THROWABLE_BACKTRACE;
	case HOTSPOT_THREADS:
		if (fact_has(hotspot, FACT_THREAD_FIRST) && fact_has(hotspot, FACT_THREAD_NEXT))
			return FACT_COUNT;
		return !fact_has(hotspot, FACT_THREAD_LIST)	      ? FACT_THREAD_LIST
		       : !fact_has(hotspot, FACT_THREAD_LIST_LENGTH)  ? FACT_THREAD_LIST_LENGTH
		       : !fact_has(hotspot, FACT_THREAD_LIST_THREADS) ? FACT_THREAD_LIST_THREADS
								      : FACT_COUNT;
	default:
		return FACT_COUNT;
	}
}

static const struct feature_row *row_of_feature(enum hotspot_feature feature)
{
	for (size_t i = 0; i < HOTSPOT_FEATURE_COUNT; i++)
		if (feature_table[i].feature == feature)
			return &feature_table[i];
	return NULL;
}

static const char *feature_check(struct hotspot *hotspot, const struct feature_row *row)
{
	/* Rows stand after those they build on. */
	if (row->builds_on != row->feature && hotspot->missing[row->builds_on])
		return hotspot->missing[row->builds_on];
	if (row->feature == HOTSPOT_FROZEN_FRAMES && !hotspot->has_virtual_threads)
		return "this VM has no virtual threads";
	for (size_t i = 0; row->needs[i] != FACT_COUNT; i++)
		if (!fact_has(hotspot, row->needs[i]))
			return missing_text(hotspot, row->needs[i]);

	enum hotspot_fact_id missing = alternatives_missing(hotspot, row->feature);

	return missing == FACT_COUNT ? NULL : missing_text(hotspot, missing);
}

void hotspot_features_check(struct hotspot *hotspot)
{
	for (size_t i = 0; i < HOTSPOT_FEATURE_COUNT; i++)
		hotspot->missing[feature_table[i].feature] = feature_check(hotspot, &feature_table[i]);
}

bool hotspot_has(const struct hotspot *hotspot, enum hotspot_feature feature)
{
	return feature < HOTSPOT_FEATURE_COUNT && !hotspot->missing[feature];
}

const char *hotspot_missing(const struct hotspot *hotspot, enum hotspot_feature feature)
{
	return feature < HOTSPOT_FEATURE_COUNT ? hotspot->missing[feature] : "there is no such feature";
}

const char *hotspot_feature_name(enum hotspot_feature feature)
{
	const struct feature_row *row = row_of_feature(feature);

	return row ? row->name : "";
}
