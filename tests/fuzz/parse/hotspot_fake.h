/* A made-up virtual machine for the readers of parse/hotspot.h: libjvm's tables and, behind them, classes, methods,
 * code, threads and flags, byte by byte in one piece of memory. Two shapes: FAKE_OLD keeps debug information in the
 * nmethod and code bounds as addresses, as JDK 9 to 23 do; FAKE_NEW keeps offsets and data outside, as JDK 24 and
 * later. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/hotspot.h"

enum fake_shape { FAKE_OLD, FAKE_NEW };

enum {
	FAKE_BYTES = 256 * 1024,
	FAKE_SYMBOLS = 64,
	FAKE_SEGMENT_SHIFT = 7,
	FAKE_CODE_BYTES = 64 * 1024,
	FAKE_NMETHOD_SEGMENT = 10,
	FAKE_LARGE_SEGMENT = 20,
	FAKE_LARGE_SEGMENTS = 300,
	FAKE_COMPILE_ID = 77,
};

#define FAKE_BASE 0x7f0000000000ull

struct fake_symbol {
	const char *name;
	uint64_t address;
};

struct fake_vm {
	uint8_t memory[FAKE_BYTES];
	size_t used_bytes;
	enum fake_shape shape;
	struct fake_symbol symbols[FAKE_SYMBOLS];
	size_t symbol_count;
	const char *hidden_field; /* "Type::field" that the tables shall lack, or NULL */

	/* What tests ask for. */
	uint64_t outer_class, inner_class, run, inner, park;
	uint64_t code_low, interpreter, nmethod, native_nmethod, large_stub;
	uint64_t threads[2];
	uint64_t flag_entries;
	uint64_t heap_object, thread_list, loader_data;
	uint64_t trap_reasons, trap_actions, trap_unloaded_action;
};

static inline void fake_put(struct fake_vm *vm, uint64_t address, uint64_t value, size_t width_bytes)
{
	memcpy(vm->memory + (address - FAKE_BASE), &value, width_bytes);
}

static inline uint64_t fake_alloc(struct fake_vm *vm, size_t size_bytes)
{
	uint64_t address = FAKE_BASE + vm->used_bytes;

	vm->used_bytes += (size_bytes + 7) & ~(size_t)7;
	if (vm->used_bytes > FAKE_BYTES)
		abort();
	return address;
}

static inline uint64_t fake_text(struct fake_vm *vm, const char *text)
{
	uint64_t address = fake_alloc(vm, strlen(text) + 1);

	memcpy(vm->memory + (address - FAKE_BASE), text, strlen(text) + 1);
	return address;
}

static inline void fake_name(struct fake_vm *vm, const char *name, uint64_t address)
{
	if (vm->symbol_count == FAKE_SYMBOLS)
		abort();
	vm->symbols[vm->symbol_count++] = (struct fake_symbol){name, address};
}

/* An exported variable of 8 bytes. */
static inline void fake_variable(struct fake_vm *vm, const char *name, uint64_t value)
{
	uint64_t address = fake_alloc(vm, 8);

	fake_put(vm, address, value, 8);
	fake_name(vm, name, address);
}

static inline bool fake_read(void *context, uint64_t address, void *buffer, size_t length_bytes)
{
	const struct fake_vm *vm = context;

	if (address < FAKE_BASE || address - FAKE_BASE > FAKE_BYTES ||
	    length_bytes > FAKE_BYTES - (address - FAKE_BASE))
		return false;
	memcpy(buffer, vm->memory + (address - FAKE_BASE), length_bytes);
	return true;
}

static inline uint64_t fake_find(void *context, const char *name)
{
	const struct fake_vm *vm = context;

	for (size_t i = 0; i < vm->symbol_count; i++)
		if (strcmp(vm->symbols[i].name, name) == 0)
			return vm->symbols[i].address;
	return 0;
}

static inline struct hotspot_access fake_access(struct fake_vm *vm)
{
	return (struct hotspot_access){.read = fake_read, .symbol = fake_find, .context = vm};
}

/* ---- the tables ---- */

struct fake_field {
	const char *type, *field, *cxx_type;
	uint64_t value;
	bool is_static;
};

struct fake_named {
	const char *name;
	uint64_t value;
};

enum { FAKE_FIELDS = 160 };

struct fake_fields {
	struct fake_field items[FAKE_FIELDS];
	size_t count;
};

static inline void fake_field(struct fake_vm *vm, struct fake_fields *fields, const char *type, const char *field,
			      const char *cxx_type, uint64_t offset)
{
	char name[128];

	snprintf(name, sizeof(name), "%s::%s", type, field);
	if (vm->hidden_field && strcmp(vm->hidden_field, name) == 0)
		return;
	if (fields->count == FAKE_FIELDS)
		abort();
	fields->items[fields->count++] = (struct fake_field){type, field, cxx_type, offset, false};
}

/* A static field with a value of its own; returns its address. */
static inline uint64_t fake_static(struct fake_vm *vm, struct fake_fields *fields, const char *type,
				   const char *field, const char *cxx_type, uint64_t value)
{
	uint64_t address = fake_alloc(vm, 8);

	fake_put(vm, address, value, 8);
	fake_field(vm, fields, type, field, cxx_type, address);
	if (fields->count && fields->items[fields->count - 1].value == address)
		fields->items[fields->count - 1].is_static = true;
	return address;
}

/* A row: type name, field name, C++ type, is static, offset, address; 48 bytes, as in all releases so far. */
static inline void fake_write_fields(struct fake_vm *vm, const struct fake_fields *fields)
{
	uint64_t rows = fake_alloc(vm, 48 * (fields->count + 1));

	for (size_t i = 0; i < fields->count; i++) {
		const struct fake_field *field = &fields->items[i];
		uint64_t row = rows + 48 * i;

		fake_put(vm, row, fake_text(vm, field->type), 8);
		fake_put(vm, row + 8, fake_text(vm, field->field), 8);
		fake_put(vm, row + 16, fake_text(vm, field->cxx_type), 8);
		fake_put(vm, row + 24, field->is_static, 4);
		fake_put(vm, row + (field->is_static ? 40 : 32), field->value, 8);
	}
	fake_variable(vm, "gHotSpotVMStructs", rows);
	fake_variable(vm, "gHotSpotVMStructEntryTypeNameOffset", 0);
	fake_variable(vm, "gHotSpotVMStructEntryFieldNameOffset", 8);
	fake_variable(vm, "gHotSpotVMStructEntryTypeStringOffset", 16);
	fake_variable(vm, "gHotSpotVMStructEntryIsStaticOffset", 24);
	fake_variable(vm, "gHotSpotVMStructEntryOffsetOffset", 32);
	fake_variable(vm, "gHotSpotVMStructEntryAddressOffset", 40);
	fake_variable(vm, "gHotSpotVMStructEntryArrayStride", 48);
}

static inline uint64_t fake_write_named(struct fake_vm *vm, const struct fake_named *rows, size_t count,
					size_t value_offset, size_t value_bytes, size_t stride)
{
	uint64_t table = fake_alloc(vm, stride * (count + 1));

	for (size_t i = 0; i < count; i++) {
		fake_put(vm, table + stride * i, fake_text(vm, rows[i].name), 8);
		fake_put(vm, table + stride * i + value_offset, rows[i].value, value_bytes);
	}
	return table;
}

static inline void fake_write_types(struct fake_vm *vm)
{
	const bool is_new = vm->shape == FAKE_NEW;
	const struct fake_named types[] = {
		{"JavaFrameAnchor", 24}, {"HeapBlock", is_new ? 8 : 16}, {"PcDesc", 16},
		{"ConstMethod", 56},	 {"ConstantPool", 72},		 {"JVMFlag", 24},
	};
	const struct fake_named ints[] = {
		{"frame::entry_frame_call_wrapper_offset", (uint32_t)-6},
		{"frame::interpreter_frame_sender_sp_offset", (uint32_t)-1},
		{is_new ? "ConstMethodFlags::_misc_has_linenumber_table" : "ConstMethod::_has_linenumber_table", 1},
		{"Deoptimization::_action_shift", 0},
		{"Deoptimization::_action_bits", 3},
		{"Deoptimization::_reason_shift", 3},
		{"Deoptimization::_reason_bits", 5},
		{"Deoptimization::Reason_unloaded", 2},
		{"Deoptimization::Reason_LIMIT", 3},
		{"Deoptimization::Action_LIMIT", 2},
	};
	const struct fake_named longs[] = {{"markWord::klass_shift", 42}};

	fake_variable(vm, "gHotSpotVMTypes", fake_write_named(vm, types, 6, 16, 8, 24));
	fake_variable(vm, "gHotSpotVMTypeEntryTypeNameOffset", 0);
	fake_variable(vm, "gHotSpotVMTypeEntrySizeOffset", 16);
	fake_variable(vm, "gHotSpotVMTypeEntryArrayStride", 24);
	fake_variable(vm, "gHotSpotVMIntConstants", fake_write_named(vm, ints, 10, 8, 4, 16));
	fake_variable(vm, "gHotSpotVMIntConstantEntryNameOffset", 0);
	fake_variable(vm, "gHotSpotVMIntConstantEntryValueOffset", 8);
	fake_variable(vm, "gHotSpotVMIntConstantEntryArrayStride", 16);
	fake_variable(vm, "gHotSpotVMLongConstants", fake_write_named(vm, longs, 1, 8, 8, 16));
	fake_variable(vm, "gHotSpotVMLongConstantEntryNameOffset", 0);
	fake_variable(vm, "gHotSpotVMLongConstantEntryValueOffset", 8);
	fake_variable(vm, "gHotSpotVMLongConstantEntryArrayStride", 16);
}

/* ---- classes and methods ---- */

static inline uint64_t fake_symbol_object(struct fake_vm *vm, const char *text)
{
	uint64_t symbol = fake_alloc(vm, 6 + strlen(text));

	fake_put(vm, symbol + 4, strlen(text), 2);
	memcpy(vm->memory + (symbol + 6 - FAKE_BASE), text, strlen(text));
	return symbol;
}

/* A class with a constant pool of 8 entries: 1 its source file. */
static inline uint64_t fake_class(struct fake_vm *vm, const char *name, const char *file)
{
	uint64_t klass = fake_alloc(vm, 256), pool = fake_alloc(vm, 72 + 8 * 8);

	fake_put(vm, klass + 8, 48, 4); /* layout helper: an instance of 48 bytes */
	fake_put(vm, klass + 24, fake_symbol_object(vm, name), 8);
	fake_put(vm, klass + 232, pool, 8);
	fake_put(vm, pool + 24, klass, 8);
	fake_put(vm, pool + 60, 8, 4);
	if (file) {
		fake_put(vm, pool + 54, 1, 2);
		fake_put(vm, pool + 72 + 8, fake_symbol_object(vm, file), 8);
	}
	return klass;
}

/* A method of the class, named at its pool's `index` (2, 4, 6), with 16 bytes of code and then `table`. */
static inline uint64_t fake_method(struct fake_vm *vm, uint64_t klass, int index, const char *name,
				   const char *signature, const uint8_t *table, size_t table_bytes, bool is_native)
{
	const bool is_new = vm->shape == FAKE_NEW;
	size_t words = (56 + 16 + table_bytes + 7) / 8;
	uint64_t method = fake_alloc(vm, 88), constant = fake_alloc(vm, words * 8), pool;

	memcpy(&pool, vm->memory + (klass + 232 - FAKE_BASE), 8);
	fake_put(vm, pool + 72 + 8 * index, fake_symbol_object(vm, name), 8);
	fake_put(vm, pool + 72 + 8 * (index + 1), fake_symbol_object(vm, signature), 8);
	fake_put(vm, method + 8, constant, 8);
	fake_put(vm, method + 40, is_native ? 0x0100 : 0x0001, 4);
	fake_put(vm, constant + 8, pool, 8);
	fake_put(vm, constant + 24, words, 4);
	fake_put(vm, constant + 28, table ? 1 : 0, is_new ? 4 : 2);
	fake_put(vm, constant + 34, 16, 2);
	fake_put(vm, constant + 36, index, 2);
	fake_put(vm, constant + 38, index + 1, 2);
	if (table)
		memcpy(vm->memory + (constant + 56 + 16 - FAKE_BASE), table, table_bytes);
	return method;
}

static inline void fake_make_classes(struct fake_vm *vm)
{
	/* Lines of `run`: 0 → 10, 3 → 11, 8 → 300, 12 → 299. An entry is a byte (bci step << 3 | line step), or 0xff
	 * and two zigzag numbers: (0, 10), then 3 << 3 | 1, then (5, 289), then (4, -1). In UNSIGNED5 578 (289 in
	 * zigzag) is two bytes: 578 - 192 = 386 = 2 + 64 * 6, or with 0 excluded 578 - 191 = 387 = 3 + 64 * 6, each
	 * byte one higher. */
	static const uint8_t old_lines[] = {0xff, 0, 20, 0x19, 0xff, 10, 194, 6, 0xff, 8, 1, 0};
	static const uint8_t new_lines[] = {0xff, 1, 21, 0x19, 0xff, 11, 195, 7, 0xff, 9, 2, 0};
	const bool is_new = vm->shape == FAKE_NEW;

	vm->outer_class = fake_class(vm, "demo/Outer", "Outer.java");
	vm->inner_class = fake_class(vm, "demo/Inner", NULL);
	vm->run = fake_method(vm, vm->outer_class, 2, "run", "()V", is_new ? new_lines : old_lines, sizeof(old_lines),
			      false);
	vm->park = fake_method(vm, vm->outer_class, 4, "park", "(J)V", NULL, 0, true);
	vm->inner = fake_method(vm, vm->inner_class, 2, "inner", "(I)I", NULL, 0, false);
	fake_put(vm, vm->outer_class + 144, vm->inner_class, 8); /* next of its loader */
}

/* ---- code ---- */

static inline void fake_mark_segments(struct fake_vm *vm, uint64_t map, size_t first, size_t count)
{
	uint8_t tag = 0;

	/* 0, 1, …, 254, then 1 again: 255 says "free". */
	for (size_t i = 0; i < count; i++) {
		fake_put(vm, map + first + i, tag, 1);
		tag = tag == 254 ? 1 : tag + 1;
	}
}

static inline uint64_t fake_blob(struct fake_vm *vm, size_t segment, const char *name, uint64_t code_begin,
				 uint64_t code_end, uint32_t frame_words)
{
	const bool is_new = vm->shape == FAKE_NEW;
	uint64_t blob = vm->code_low + (segment << FAKE_SEGMENT_SHIFT) + (is_new ? 8 : 16);

	fake_put(vm, blob + (is_new ? 8 : 96), fake_text(vm, name), 8);
	if (is_new) {
		fake_put(vm, blob + 36, code_begin, 4);
		fake_put(vm, blob + 40, code_end, 4);
		fake_put(vm, blob + 44, frame_words, 4);
	} else {
		fake_put(vm, blob + 32, blob + code_begin, 8);
		fake_put(vm, blob + 40, blob + code_end, 8);
		fake_put(vm, blob + 28, frame_words, 4);
	}
	return blob;
}

/* An nmethod's members, at the same offsets in both shapes. */
static inline void fake_nmethod(struct fake_vm *vm, uint64_t nmethod, uint64_t method, int level, uint32_t compile_id)
{
	fake_put(vm, nmethod + 112, method, 8);
	fake_put(vm, nmethod + 212, compile_id, 4);
	fake_put(vm, nmethod + 216, (uint64_t)level, 1);
	fake_put(vm, nmethod + 208, 24, 4);
}

/* PcDesc: nothing before the code, 0x10 → `inner` at 5 inlined in `run` at 3, 0x20 → `run` at 8, nothing behind. */
static inline void fake_debug_information(struct fake_vm *vm, uint64_t nmethod)
{
	static const struct {
		int32_t code_offset, scope;
	} descs[] = {{-1, 0}, {0x10, 4}, {0x20, 7}, {0x7ffffff, 0}};
	/* At 1: run (method 1) at 3. At 4: inner (method 2) at 5, called from the scope at 1. At 7: run at 8. */
	static const uint8_t scopes[] = {0, 0, 1, 4, 1, 2, 6, 0, 1, 9};
	const bool is_new = vm->shape == FAKE_NEW;
	uint64_t data = is_new ? fake_alloc(vm, 256) : nmethod + 512,
		 metadata = is_new ? fake_alloc(vm, 64) : nmethod + 448;
	/* Old: metadata at 448, scopes at 512, descs at 544, dependencies at 608. New: descs at 16, scopes at 80. */
	uint64_t scopes_at = data + (is_new ? 80 : 0), descs_at = data + (is_new ? 16 : 32);

	for (size_t i = 0; i < sizeof(scopes); i++)
		fake_put(vm, scopes_at + i, scopes[i] + (is_new ? 1 : 0), 1);
	for (size_t i = 0; i < 4; i++) {
		fake_put(vm, descs_at + 16 * i, (uint32_t)descs[i].code_offset, 4);
		fake_put(vm, descs_at + 16 * i + 4, (uint32_t)descs[i].scope, 4);
	}
	fake_put(vm, metadata + (is_new ? 24 : 0), vm->run, 8);
	fake_put(vm, metadata + (is_new ? 32 : 8), vm->inner, 8);
	if (is_new) {
		fake_put(vm, nmethod + 96, data, 8);
		fake_put(vm, nmethod + 160, 80 + sizeof(scopes), 4);
		fake_put(vm, nmethod + 196, 16, 4);
		fake_put(vm, nmethod + 200, 80, 4);
		fake_put(vm, nmethod + 16, metadata, 8);
		fake_put(vm, nmethod + 28, 24, 4); /* relocations before the metadata */
	} else {
		fake_put(vm, nmethod + 120, data, 8);
		fake_put(vm, nmethod + 260, 448, 4);
		fake_put(vm, nmethod + 268, 544, 4);
		fake_put(vm, nmethod + 272, 608, 4);
	}
}

static inline void fake_make_code(struct fake_vm *vm, struct fake_fields *fields)
{
	const bool is_new = vm->shape == FAKE_NEW;
	uint64_t map = fake_alloc(vm, FAKE_CODE_BYTES >> FAKE_SEGMENT_SHIFT), heap = fake_alloc(vm, 64);
	uint64_t list = fake_alloc(vm, 16), data = fake_alloc(vm, 8);

	vm->code_low = fake_alloc(vm, FAKE_CODE_BYTES);
	memset(vm->memory + (map - FAKE_BASE), 0xff, FAKE_CODE_BYTES >> FAKE_SEGMENT_SHIFT);
	fake_mark_segments(vm, map, 0, 10);
	fake_mark_segments(vm, map, FAKE_NMETHOD_SEGMENT, 6);
	fake_mark_segments(vm, map, 16, 2);
	fake_mark_segments(vm, map, FAKE_LARGE_SEGMENT, FAKE_LARGE_SEGMENTS);
	vm->interpreter = fake_blob(vm, 0, "Interpreter", 64, 1200, 0);
	vm->nmethod = fake_blob(vm, FAKE_NMETHOD_SEGMENT, "nmethod", 288, 400, 6);
	vm->native_nmethod = fake_blob(vm, 16, "native nmethod", 128, 240, 8);
	vm->large_stub = fake_blob(vm, FAKE_LARGE_SEGMENT, "StubRoutines (final stubs)", 64, 38000, 0);
	fake_nmethod(vm, vm->nmethod, vm->run, 4, FAKE_COMPILE_ID);
	fake_nmethod(vm, vm->native_nmethod, vm->park, 0, 78);
	fake_debug_information(vm, vm->nmethod);
	fake_put(vm, heap, vm->code_low, 8);
	fake_put(vm, heap + 8, vm->code_low + FAKE_CODE_BYTES, 8);
	fake_put(vm, heap + 16, map, 8);
	fake_put(vm, heap + 32, FAKE_SEGMENT_SHIFT, 4);
	fake_put(vm, list, 1, 4);
	fake_put(vm, list + 8, data, 8);
	fake_put(vm, data, heap, 8);
	fake_static(vm, fields, "CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", list);
	fake_static(vm, fields, "StubRoutines", "_call_stub_return_address", "address", vm->large_stub + 100);
	fake_field(vm, fields, "GrowableArrayBase", "_len", "int", 0);
	fake_field(vm, fields, "GrowableArray<int>", "_data", "int*", 8);
	fake_field(vm, fields, "CodeHeap", "_memory", "VirtualSpace", 0);
	fake_field(vm, fields, "CodeHeap", "_segmap", "VirtualSpace", 16);
	fake_field(vm, fields, "CodeHeap", "_log2_segment_size", "int", 32);
	fake_field(vm, fields, "VirtualSpace", "_low_boundary", "char*", 0);
	fake_field(vm, fields, "VirtualSpace", "_high_boundary", "char*", 8);
	fake_field(vm, fields, "CodeBlob", "_name", "const char*", is_new ? 8 : 96);
	fake_field(vm, fields, "CodeBlob", "_frame_size", "int", is_new ? 44 : 28);
	fake_field(vm, fields, "CodeBlob", "_frame_complete_offset", is_new ? "int16_t" : "int", is_new ? 54 : 20);
	fake_field(vm, fields, "CodeBlob", is_new ? "_code_offset" : "_code_begin", is_new ? "int" : "address",
		   is_new ? 36 : 32);
	fake_field(vm, fields, "CodeBlob", is_new ? "_data_offset" : "_code_end", is_new ? "int" : "address", 40);
	fake_field(vm, fields, is_new ? "nmethod" : "CompiledMethod", "_method", "Method*", 112);
	fake_field(vm, fields, "nmethod", "_compile_id", "int", 212);
	fake_field(vm, fields, "nmethod", "_comp_level", "CompLevel", 216);
	fake_field(vm, fields, "nmethod", "_orig_pc_offset", "int", 208);
	if (is_new)
		fake_field(vm, fields, "nmethod", "_deopt_handler_offset", "int", 176);
	else
		fake_field(vm, fields, "CompiledMethod", "_deopt_handler_begin", "address", 128);
	fake_field(vm, fields, "nmethod", "_scopes_pcs_offset", "int", is_new ? 196 : 268);
	if (is_new) {
		fake_field(vm, fields, "nmethod", "_scopes_data_offset", "int", 200);
		fake_field(vm, fields, "nmethod", "_immutable_data", "address", 96);
		fake_field(vm, fields, "nmethod", "_immutable_data_size", "int", 160);
		fake_field(vm, fields, "CodeBlob", "_mutable_data", "address", 16);
		fake_field(vm, fields, "CodeBlob", "_relocation_size", "int", 28);
	} else {
		fake_field(vm, fields, "CompiledMethod", "_scopes_data_begin", "address", 120);
		fake_field(vm, fields, "nmethod", "_dependencies_offset", "int", 272);
		fake_field(vm, fields, "nmethod", "_metadata_offset", "int", 260);
	}
	fake_field(vm, fields, "PcDesc", "_pc_offset", "int", 0);
	fake_field(vm, fields, "PcDesc", "_scope_decode_offset", "int", 4);
}

/* ---- the rest of the VM ---- */

static inline void fake_make_threads(struct fake_vm *vm, struct fake_fields *fields)
{
	uint64_t array = fake_alloc(vm, 16), vtables = fake_alloc(vm, 128);

	vm->thread_list = fake_alloc(vm, 24);
	fake_name(vm, "_ZTV10JavaThread", vtables);
	fake_name(vm, "_ZTV14CompilerThread", vtables + 64);
	for (int i = 0; i < 2; i++) {
		uint64_t thread = fake_alloc(vm, 1024), os_thread = fake_alloc(vm, 16);

		vm->threads[i] = thread;
		fake_put(vm, array + 8 * i, thread, 8);
		fake_put(vm, thread, vtables + 16 + 64 * i, 8);
		fake_put(vm, thread + 560, os_thread, 8);
		fake_put(vm, os_thread + 12, 100 + i, 4);
		fake_put(vm, thread + 592, 0x7ff000100000 + i * 0x200000, 8);
		fake_put(vm, thread + 600, 0x100000, 8);
	}
	fake_put(vm, vm->thread_list + 4, 2, 4);
	fake_put(vm, vm->thread_list + 16, array, 8);
	fake_static(vm, fields, "ThreadsSMRSupport", "_java_thread_list", "ThreadsList*", vm->thread_list);
	fake_field(vm, fields, "ThreadsList", "_length", "const uint", 4);
	fake_field(vm, fields, "ThreadsList", "_threads", "JavaThread *const *const", 16);
	fake_field(vm, fields, "JavaThread", "_osthread", "OSThread*", 560);
	fake_field(vm, fields, "JavaThread", "_stack_base", "address", 592);
	fake_field(vm, fields, "JavaThread", "_stack_size", "size_t", 600);
	fake_field(vm, fields, "JavaThread", "_anchor", "JavaFrameAnchor", 656);
	fake_field(vm, fields, "OSThread", "_thread_id", "pid_t", 12);
	fake_field(vm, fields, "JavaFrameAnchor", "_last_Java_sp", "intptr_t*", 0);
	fake_field(vm, fields, "JavaFrameAnchor", "_last_Java_pc", "address", 8);
	fake_field(vm, fields, "JavaFrameAnchor", "_last_Java_fp", "intptr_t*", 16);
	fake_field(vm, fields, "JavaCallWrapper", "_anchor", "JavaFrameAnchor", 32);
}

/* The names of traps' reasons and actions, by number. */
static inline void fake_make_traps(struct fake_vm *vm)
{
	static const char *const reasons[] = {"none", "null_check", "unloaded"}, *const actions[] = {"none", "reinterpret"};

	vm->trap_reasons = fake_alloc(vm, sizeof(reasons));
	vm->trap_actions = fake_alloc(vm, sizeof(actions));
	vm->trap_unloaded_action = fake_alloc(vm, 4);
	for (int i = 0; i < 3; i++)
		fake_put(vm, vm->trap_reasons + 8 * i, fake_text(vm, reasons[i]), 8);
	for (int i = 0; i < 2; i++)
		fake_put(vm, vm->trap_actions + 8 * i, fake_text(vm, actions[i]), 8);
	fake_put(vm, vm->trap_unloaded_action, 1, 4);
	fake_name(vm, "_ZN14Deoptimization17_trap_reason_nameE", vm->trap_reasons);
	fake_name(vm, "_ZN14Deoptimization17_trap_action_nameE", vm->trap_actions);
	fake_name(vm, "_ZN14Deoptimization16_unloaded_actionE", vm->trap_unloaded_action);
	fake_name(vm, "_ZN19java_lang_Throwable17_backtrace_offsetE", fake_alloc(vm, 4));
}

static inline void fake_make_flags(struct fake_vm *vm, struct fake_fields *fields)
{
	const struct {
		const char *name;
		uint64_t value, word; /* the word's low four bits are the origin */
		size_t value_bytes;
	} flags[] = {
		{"UseSerialGC", 0, 0, 1},
		{"UseG1GC", 1, 5, 1},
		{"MaxHeapSize", 512ull << 20, 0x20001, 8},
		{"AOTCache", fake_text(vm, "app.aot"), 0x20001, 8},
		{"SharedArchiveFile", 0, 0, 8},
		{"UseCompressedClassPointers", 1, 0, 1},
	};

	vm->flag_entries = fake_alloc(vm, 24 * 7);
	for (int i = 0; i < 6; i++) {
		uint64_t value = fake_alloc(vm, 8), entry = vm->flag_entries + 24 * i;

		fake_put(vm, value, flags[i].value, flags[i].value_bytes);
		fake_put(vm, entry, value, 8);
		fake_put(vm, entry + 8, fake_text(vm, flags[i].name), 8);
		fake_put(vm, entry + 16, flags[i].word, 4);
	}
	fake_static(vm, fields, "JVMFlag", "flags", "JVMFlag*", vm->flag_entries);
	fake_static(vm, fields, "JVMFlag", "numFlags", "size_t", 7);
	fake_field(vm, fields, "JVMFlag", "_addr", "None", 0);
	fake_field(vm, fields, "JVMFlag", "_name", "const char*", 8);
	fake_field(vm, fields, "JVMFlag", "_flags", "JVMFlag::Flags", 16);
}

static inline void fake_make_facts(struct fake_vm *vm, struct fake_fields *fields)
{
	const bool is_new = vm->shape == FAKE_NEW;
	uint64_t loader = fake_alloc(vm, 64);

	vm->loader_data = loader;

	vm->heap_object = fake_alloc(vm, 64);
	fake_put(vm, vm->heap_object + 32, 0x600000000, 8);
	fake_put(vm, vm->heap_object + 40, (512ull << 20) / 8, 8);
	fake_put(vm, loader + 56, vm->outer_class, 8);
	fake_static(vm, fields, "ClassLoaderDataGraph", "_head", "ClassLoaderData*", loader);
	fake_field(vm, fields, "ClassLoaderData", "_class_loader", "OopHandle", 16);
	fake_field(vm, fields, "ClassLoaderData", "_next", "ClassLoaderData*", 40);
	fake_field(vm, fields, "ClassLoaderData", "_klasses", "Klass*", 56);
	fake_static(vm, fields, "Abstract_VM_Version", "_vm_major_version", "int", is_new ? 25 : 17);
	fake_static(vm, fields, "Abstract_VM_Version", "_vm_minor_version", "int", 0);
	fake_static(vm, fields, "Abstract_VM_Version", "_vm_security_version", "int", 3);
	fake_static(vm, fields, "Abstract_VM_Version", "_vm_build_number", "int", 9);
	fake_static(vm, fields, "Abstract_VM_Version", "_s_vm_release", "const char*", fake_text(vm, "25.0.3+9-LTS"));
	fake_static(vm, fields, "Abstract_VM_Version", "_s_internal_vm_info_string", "const char*",
		    fake_text(vm, "Demo VM (25.0.3+9-LTS)"));
	fake_static(vm, fields, "Universe", "_collectedHeap", "CollectedHeap*", vm->heap_object);
	fake_field(vm, fields, "CollectedHeap", "_reserved", "MemRegion", 32);
	fake_field(vm, fields, "MemRegion", "_start", "HeapWord*", 0);
	fake_field(vm, fields, "MemRegion", "_word_size", "size_t", 8);
	/* The outer class is of the archive, the inner one is not. */
	fake_static(vm, fields, "MetaspaceObj", "_shared_metaspace_base", "void*", vm->outer_class);
	fake_static(vm, fields, "MetaspaceObj", "_shared_metaspace_top", "void*", vm->outer_class + 256);
	fake_static(vm, fields, "CompressedKlassPointers", "_base", "address", FAKE_BASE);
	fake_static(vm, fields, "CompressedKlassPointers", "_shift", "int", 3);
	fake_static(vm, fields, "CompressedOops", "_base", "address", 0);
	fake_static(vm, fields, "CompressedOops", "_shift", "int", 3);
}

static inline void fake_describe_classes(struct fake_vm *vm, struct fake_fields *fields)
{
	const bool is_new = vm->shape == FAKE_NEW;

	/* Since 27 there is no other than a narrow class pointer. */
	if (is_new)
		fake_field(vm, fields, "oopDesc", "_compressed_klass", "narrowKlass", 8);
	else
		fake_field(vm, fields, "oopDesc", "_metadata._klass", "Klass*", 8);
	fake_field(vm, fields, "Klass", "_name", "Symbol*", 24);
	fake_field(vm, fields, "Klass", "_next_link", "Klass*", 144);
	fake_field(vm, fields, "Klass", "_layout_helper", "jint", 8);
	fake_field(vm, fields, "InstanceKlass", "_constants", "ConstantPool*", 232);
	fake_field(vm, fields, "Symbol", "_length", "u2", 4);
	fake_field(vm, fields, "Symbol", "_body", "None", 6);
	fake_field(vm, fields, "Method", "_constMethod", "ConstMethod*", 8);
	fake_field(vm, fields, "Method", "_access_flags", "AccessFlags", 40);
	fake_field(vm, fields, "ConstMethod", "_constants", "ConstantPool*", 8);
	fake_field(vm, fields, "ConstMethod", "_constMethod_size", "int", 24);
	fake_field(vm, fields, "ConstMethod", is_new ? "_flags._flags" : "_flags", is_new ? "u4" : "u2", 28);
	fake_field(vm, fields, "ConstMethod", "_code_size", "u2", 34);
	fake_field(vm, fields, "ConstMethod", "_name_index", "u2", 36);
	fake_field(vm, fields, "ConstMethod", "_signature_index", "u2", 38);
	fake_field(vm, fields, "ConstantPool", "_pool_holder", "InstanceKlass*", 24);
	fake_field(vm, fields, "ConstantPool", "_length", "int", 60);
	fake_field(vm, fields, "ConstantPool", "_source_file_name_index", "u2", 54);
}

static inline void fake_make(struct fake_vm *vm, enum fake_shape shape, const char *hidden_field)
{
	struct fake_fields fields = {.count = 0};

	memset(vm, 0, sizeof(*vm));
	vm->shape = shape;
	vm->hidden_field = hidden_field;
	vm->used_bytes = 4096; /* nothing at the start, as where a null pointer's fields would be */
	fake_make_classes(vm);
	fake_describe_classes(vm, &fields);
	fake_make_code(vm, &fields);
	fake_make_threads(vm, &fields);
	fake_make_flags(vm, &fields);
	fake_make_traps(vm);
	fake_make_facts(vm, &fields);
	fake_write_fields(vm, &fields);
	fake_write_types(vm);
}
