/* The code cache: which blob an address belongs to, and which methods a place in compiled code stands for.
 *
 * A code heap is cut into segments; its segment map holds a byte for each: 0 where a block begins, 0xff where nothing
 * lies, else how many segments to go back (perhaps several times). Behind the block's header stands the CodeBlob.
 *
 * The debug information of an nmethod is an array of PcDesc (code offset → scope), ordered by offset, and a stream of
 * scopes: sender's place, index of the method in the nmethod's metadata (from 1), bytecode index + 1, all UNSIGNED5.
 * Where these lie has changed twice:
 *   to 8      everything at offsets from the nmethod
 *   9 to 23   the same, but the stream's address is a field of CompiledMethod
 *   since 24  offsets from the block at _immutable_data; the metadata behind the relocations in _mutable_data */
#include "parse/hotspot_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "parse/unsigned5.h"

enum {
	CODE_HEAPS_MAX = HOTSPOT_HEAPS,
	SEGMENT_STEPS_MAX = 4096, /* a block of 64 MiB in hops of 254 segments of 128 bytes */
	BLOB_BYTES_MAX = 64 << 20,
	PC_DESC_BYTES_MAX = 64,
	SCOPES_BYTES_MAX = 16 << 20,
	SEGMENT_FREE = 0xff,
};

/* Calls of code_heap_at until it returns false give the heaps of the VM. */
static bool code_heap_at(const struct hotspot *hotspot, size_t index, uint64_t *ret_heap)
{
	uint64_t list, count, data;

	if (!fact_has(hotspot, FACT_CODE_HEAPS))
		return index == 0 && hotspot_read_static(hotspot, FACT_CODE_HEAP, ret_heap) && *ret_heap;
	return index < CODE_HEAPS_MAX && hotspot_read_static(hotspot, FACT_CODE_HEAPS, &list) &&
	       hotspot_read_field(hotspot, list, FACT_LIST_LENGTH, &count) && index < count &&
	       hotspot_read_field(hotspot, list, FACT_LIST_DATA, &data) &&
	       hotspot_read_u64(hotspot, data + 8 * index, ret_heap) && *ret_heap;
}

static bool heap_bounds(const struct hotspot *hotspot, uint64_t heap, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t memory = heap + fact_value(hotspot, FACT_HEAP_MEMORY);

	return hotspot_read_field(hotspot, memory, FACT_SPACE_LOW, ret_low) &&
	       hotspot_read_field(hotspot, memory, FACT_SPACE_HIGH, ret_high) && *ret_low && *ret_low < *ret_high;
}

bool hotspot_code_range(struct hotspot *hotspot, struct hotspot_range *ret_range)
{
	struct hotspot_range range = {.start = UINT64_MAX};
	uint64_t heap, low, high;

	if (!hotspot_has(hotspot, HOTSPOT_CODE_RANGE))
		return false;
	for (size_t i = 0; code_heap_at(hotspot, i, &heap); i++) {
		if (!heap_bounds(hotspot, heap, &low, &high))
			continue;
		range.start = low < range.start ? low : range.start;
		range.end = high > range.end ? high : range.end;
	}
	if (range.end == 0)
		return false;
	*ret_range = range;
	return true;
}

static bool find_blob_in(const struct hotspot *hotspot, uint64_t heap, uint64_t address, uint64_t *ret_blob)
{
	uint64_t low, high, shift, map;

	if (!heap_bounds(hotspot, heap, &low, &high) || address < low || address >= high ||
	    !hotspot_read_field(hotspot, heap, FACT_HEAP_SEGMENT_SHIFT, &shift) || shift < 3 || shift > 20 ||
	    !hotspot_read_field(hotspot, heap + fact_value(hotspot, FACT_HEAP_SEGMENT_MAP), FACT_SPACE_LOW, &map))
		return false;

	uint64_t segment = (address - low) >> shift;

	for (unsigned step = 0; step < SEGMENT_STEPS_MAX; step++) {
		uint8_t tag;

		if (!hotspot_read_bytes(hotspot, map + segment, &tag, 1) || tag == SEGMENT_FREE || tag > segment)
			return false;
		if (tag == 0) {
			*ret_blob = low + (segment << shift) + fact_value(hotspot, FACT_HEAP_BLOCK_SIZE);
			return true;
		}
		segment -= tag;
	}
	return false;
}

/* Before 24 a blob holds the addresses of its code's bounds, since then offsets from itself. */
static bool read_code_bound(const struct hotspot *hotspot, uint64_t blob, enum hotspot_fact_id id,
			    uint64_t *ret_address)
{
	uint64_t value;

	if (!hotspot_read_field(hotspot, blob, id, &value))
		return false;
	if (hotspot->facts[id].width_bytes == sizeof(uint64_t)) {
		*ret_address = value;
		return true;
	}
	if (value > BLOB_BYTES_MAX)
		return false;
	*ret_address = blob + value;
	return true;
}

static enum code_type type_of_level(int64_t level)
{
	return level == 0		  ? CODE_NATIVE_METHOD
	       : level >= 1 && level <= 3 ? CODE_C1
	       : level == 4		  ? CODE_C2
					  : CODE_COMPILED;
}

static void classify(struct hotspot *hotspot, struct hotspot_code *code)
{
	uint64_t value;

	code->type = CODE_STUB;
	if (strcmp(code->name, "Interpreter") == 0) {
		code->type = CODE_INTERPRETED;
		return;
	}

	bool is_native = strcmp(code->name, "native nmethod") == 0;

	if (!is_native && strcmp(code->name, "nmethod") != 0)
		return;
	code->type = is_native ? CODE_NATIVE_METHOD : CODE_COMPILED;
	if (hotspot_read_field(hotspot, code->blob, FACT_NMETHOD_LEVEL, &value) && !is_native)
		code->type = type_of_level(hotspot_signed(value, hotspot->facts[FACT_NMETHOD_LEVEL].width_bytes));
	if (hotspot_read_field(hotspot, code->blob, FACT_NMETHOD_COMPILE_ID, &value))
		code->compile_id = (uint32_t)value;
}

static bool read_code(struct hotspot *hotspot, uint64_t blob, struct hotspot_code *ret_code)
{
	struct hotspot_code code = {.blob = blob};
	uint64_t name;

	if (!hotspot_read_field(hotspot, blob, FACT_BLOB_NAME, &name) ||
	    !read_code_bound(hotspot, blob, FACT_BLOB_CODE_BEGIN, &code.code_begin) ||
	    !read_code_bound(hotspot, blob, FACT_BLOB_CODE_END, &code.code_end) || code.code_end < code.code_begin)
		return false;
	code.name = hotspot_read_text(hotspot, name);
	if (!code.name)
		return false;
	classify(hotspot, &code);
	*ret_code = code;
	return true;
}

bool hotspot_code_find(struct hotspot *hotspot, uint64_t address, struct hotspot_code *ret_code)
{
	uint64_t heap, blob;

	if (!hotspot_has(hotspot, HOTSPOT_INTERPRETED_FRAMES))
		return false;
	for (size_t i = 0; code_heap_at(hotspot, i, &heap); i++)
		if (find_blob_in(hotspot, heap, address, &blob))
			return read_code(hotspot, blob, ret_code);
	return false;
}

/* ---- the debug information of compiled code ---- */

struct debug_places {
	struct hotspot_range pcs, scopes;
	uint64_t metadata;
};

static bool places_in_nmethod(const struct hotspot *hotspot, uint64_t nmethod, struct debug_places *places)
{
	uint64_t pcs, pcs_end, scopes, metadata;

	if (!hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_SCOPES_PCS, &pcs) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_DEPENDENCIES, &pcs_end) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_METADATA, &metadata))
		return false;
	if (fact_has(hotspot, FACT_NMETHOD_SCOPES_BEGIN)) {
		if (!hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_SCOPES_BEGIN, &places->scopes.start))
			return false;
	} else {
		if (!hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_SCOPES_DATA, &scopes))
			return false;
		places->scopes.start = nmethod + scopes;
	}
	places->pcs = (struct hotspot_range){nmethod + pcs, nmethod + pcs_end};
	places->scopes.end = places->pcs.start; /* the array follows the stream */
	places->metadata = nmethod + metadata;
	return true;
}

static bool places_outside(const struct hotspot *hotspot, uint64_t nmethod, struct debug_places *places)
{
	uint64_t data, bytes, pcs, scopes, mutable_data, relocations;

	if (!hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_IMMUTABLE_DATA, &data) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_IMMUTABLE_SIZE, &bytes) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_SCOPES_PCS, &pcs) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_NMETHOD_SCOPES_DATA, &scopes) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_BLOB_MUTABLE_DATA, &mutable_data) ||
	    !hotspot_read_field(hotspot, nmethod, FACT_BLOB_RELOCATION_SIZE, &relocations))
		return false;
	places->pcs = (struct hotspot_range){data + pcs, data + scopes};
	places->scopes = (struct hotspot_range){data + scopes, data + bytes};
	places->metadata = mutable_data + relocations;
	return true;
}

static bool read_places(const struct hotspot *hotspot, uint64_t nmethod, struct debug_places *ret_places)
{
	bool is_read = fact_has(hotspot, FACT_NMETHOD_IMMUTABLE_DATA)
			       ? places_outside(hotspot, nmethod, ret_places)
			       : places_in_nmethod(hotspot, nmethod, ret_places);

	return is_read && ret_places->pcs.start < ret_places->pcs.end &&
	       ret_places->pcs.end - ret_places->pcs.start < BLOB_BYTES_MAX &&
	       ret_places->scopes.start < ret_places->scopes.end &&
	       ret_places->scopes.end - ret_places->scopes.start < SCOPES_BYTES_MAX;
}

struct pc_desc {
	int32_t code_offset, scope;
};

static bool read_pc_desc(const struct hotspot *hotspot, uint64_t address, struct pc_desc *ret_desc)
{
	return hotspot_read_i32(hotspot, address + fact_value(hotspot, FACT_PC_DESC_PC), &ret_desc->code_offset) &&
	       hotspot_read_i32(hotspot, address + fact_value(hotspot, FACT_PC_DESC_SCOPE), &ret_desc->scope);
}

/* The scope of the first PcDesc at or behind a code offset: a return address has one of its own, an address in
 * between belongs to the next. */
static bool find_scope(const struct hotspot *hotspot, const struct debug_places *places, int64_t code_offset,
		       int32_t *ret_scope)
{
	uint64_t bytes = fact_value(hotspot, FACT_PC_DESC_SIZEOF);

	if (bytes < 2 * sizeof(int32_t) || bytes > PC_DESC_BYTES_MAX)
		return false;

	uint64_t low = 0, high = (places->pcs.end - places->pcs.start) / bytes;
	struct pc_desc desc;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!read_pc_desc(hotspot, places->pcs.start + middle * bytes, &desc))
			return false;
		if (desc.code_offset < code_offset)
			low = middle + 1;
		else
			high = middle;
	}
	/* The array's last entry is a guard, far behind any code. */
	if (!read_pc_desc(hotspot, places->pcs.start + low * bytes, &desc) ||
	    places->pcs.start + (low + 1) * bytes > places->pcs.end || desc.scope <= 0)
		return false;
	*ret_scope = desc.scope;
	return true;
}

struct scope {
	uint32_t sender; /* place of the caller's scope; 0: none */
	uint32_t method; /* index from 1 */
	int32_t bci;
};

static bool read_scope(const struct hotspot *hotspot, const struct debug_places *places, uint32_t place,
		       struct scope *ret_scope)
{
	uint64_t available = places->scopes.end - places->scopes.start;
	uint8_t bytes[15]; /* three numbers of up to five bytes */
	uint32_t bci;

	if (place >= available)
		return false;

	size_t length_bytes = available - place < sizeof(bytes) ? available - place : sizeof(bytes);
	struct unsigned5 stream = {
		.bytes = bytes, .length_bytes = length_bytes, .excluded = hotspot->unsigned5_excluded};

	if (!hotspot_read_bytes(hotspot, places->scopes.start + place, bytes, length_bytes) ||
	    !unsigned5_read(&stream, &ret_scope->sender) || !unsigned5_read(&stream, &ret_scope->method) ||
	    !unsigned5_read(&stream, &bci))
		return false;
	ret_scope->bci = (int32_t)(bci - 1);
	return true;
}

static bool frame_fill(struct hotspot *hotspot, uint64_t method, int32_t bci, struct hotspot_frame *ret_frame)
{
	if (!hotspot_method_read(hotspot, method, &ret_frame->method))
		return false;
	ret_frame->method_address = method;
	ret_frame->bci = bci;
	ret_frame->line = ret_frame->method.is_native ? 0 : hotspot_method_line(hotspot, method, bci);
	return true;
}

/* False where the scopes cannot be read; frames read before that are dropped, since their callers would be missing.
 */
static bool read_inlined(struct hotspot *hotspot, const struct hotspot_code *code, uint64_t address,
			 struct hotspot_frames *frames)
{
	struct debug_places places;
	int32_t place;
	struct scope scope;
	uint32_t next;

	if (!hotspot_has(hotspot, HOTSPOT_INLINED_FRAMES) || !read_places(hotspot, code->blob, &places) ||
	    !find_scope(hotspot, &places, (int64_t)(address - code->code_begin), &place))
		return false;
	for (next = (uint32_t)place; next && frames->count < HOTSPOT_INLINED_MAX; next = scope.sender) {
		uint64_t method;

		if (!read_scope(hotspot, &places, next, &scope) || scope.method == 0 ||
		    !hotspot_read_u64(hotspot, places.metadata + 8 * ((uint64_t)scope.method - 1), &method) ||
		    !frame_fill(hotspot, method, scope.bci, &frames->items[frames->count]))
			return false;
		frames->count++;
	}
	frames->is_cut = next != 0;
	return frames->count > 0;
}

static bool read_compiled(struct hotspot *hotspot, const struct stack_frame *frame, struct hotspot_frames *frames)
{
	struct hotspot_code code;
	uint64_t method;

	if (!read_code(hotspot, frame->method, &code) || code.compile_id != frame->cookie ||
	    frame->at < code.code_begin || frame->at > code.code_end)
		return false;
	if (code.type != CODE_NATIVE_METHOD) {
		if (read_inlined(hotspot, &code, frame->at, frames))
			return true;
		frames->count = 0;
		frames->is_cut = false;
	}
	/* Without its scopes the frame is still known to be of this method. */
	if (!hotspot_read_field(hotspot, code.blob, FACT_NMETHOD_METHOD, &method) ||
	    !frame_fill(hotspot, method, -1, &frames->items[0]))
		return false;
	frames->count = 1;
	return true;
}

/* The cookie of an interpreted frame is made of its ConstMethod's address: a method at the same place with another
 * one is another method. */
static bool read_interpreted(struct hotspot *hotspot, const struct stack_frame *frame, struct hotspot_frames *frames)
{
	int32_t bci = frame->at <= UINT16_MAX ? (int32_t)frame->at : -1;
	uint64_t constant;

	if (!hotspot_read_field(hotspot, frame->method, FACT_METHOD_CONST, &constant) ||
	    (frame->cookie && frame->cookie != (uint32_t)(constant >> 3)) ||
	    !frame_fill(hotspot, frame->method, bci, &frames->items[0]))
		return false;
	frames->count = 1;
	return true;
}

/* A stub has no method: it is called by its blob's name. */
static bool read_stub(struct hotspot *hotspot, const struct stack_frame *frame, struct hotspot_frames *frames)
{
	struct hotspot_code code;

	if (!read_code(hotspot, frame->method, &code))
		return false;
	frames->items[0] = (struct hotspot_frame){
		.method = {.class_name = "", .name = code.name, .signature = "", .file = ""},
		.bci = -1,
	};
	frames->count = 1;
	return true;
}

bool hotspot_frame_read(struct hotspot *hotspot, const struct stack_frame *frame, struct hotspot_frames *ret_frames)
{
	ret_frames->count = 0;
	ret_frames->is_cut = false;
	switch (frame->type) {
	case CODE_INTERPRETED:
		return read_interpreted(hotspot, frame, ret_frames);
	case CODE_C1:
	case CODE_C2:
	case CODE_COMPILED:
	case CODE_NATIVE_METHOD:
		return read_compiled(hotspot, frame, ret_frames);
	case CODE_STUB:
		return read_stub(hotspot, frame, ret_frames);
	default:
		return false;
	}
}
