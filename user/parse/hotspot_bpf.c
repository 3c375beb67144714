/* The facts that the walk of Java stacks in BPF needs, as plain data. */
#include "parse/hotspot_layout.h"

#include <string.h>

static uint32_t offset_of(const struct hotspot *hotspot, enum hotspot_fact_id id)
{
	return fact_has(hotspot, id) ? (uint32_t)fact_value(hotspot, id) : HOTSPOT_ABSENT;
}

/* The offset of a member of a structure that lies inside another. */
static uint32_t offset_within(const struct hotspot *hotspot, enum hotspot_fact_id outer, enum hotspot_fact_id inner)
{
	return fact_has(hotspot, outer) && fact_has(hotspot, inner)
		       ? (uint32_t)(fact_value(hotspot, outer) + fact_value(hotspot, inner))
		       : HOTSPOT_ABSENT;
}

static uint64_t address_of(const struct hotspot *hotspot, enum hotspot_fact_id id)
{
	return fact_has(hotspot, id) ? fact_value(hotspot, id) : 0;
}

/* The address of a flag's value, by libjvm's symbol table or, where that was stripped, by the exported list of flags.
 */
static uint64_t address_of_flag(struct hotspot *hotspot, const char *name)
{
	uint64_t address = hotspot->access.symbol(hotspot->access.context, name);

	return address ? address : hotspot_flag_address(hotspot, name);
}

static void fill_code_cache(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	config->heaps_is_list = fact_has(hotspot, FACT_CODE_HEAPS);
	config->code_heaps_address = address_of(hotspot, config->heaps_is_list ? FACT_CODE_HEAPS : FACT_CODE_HEAP);
	config->list_length = offset_of(hotspot, FACT_LIST_LENGTH);
	config->list_data = offset_of(hotspot, FACT_LIST_DATA);
	config->heap_low = offset_within(hotspot, FACT_HEAP_MEMORY, FACT_SPACE_LOW);
	config->heap_high = offset_within(hotspot, FACT_HEAP_MEMORY, FACT_SPACE_HIGH);
	config->heap_segment_map = offset_within(hotspot, FACT_HEAP_SEGMENT_MAP, FACT_SPACE_LOW);
	config->heap_segment_shift = offset_of(hotspot, FACT_HEAP_SEGMENT_SHIFT);
	config->heap_block_size = offset_of(hotspot, FACT_HEAP_BLOCK_SIZE);
	config->call_stub_return_address = address_of(hotspot, FACT_CALL_STUB_RETURN);
}

static void fill_threads(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	/* A JavaThread holds: its anchor, an 8-byte entry point, the JNI environment that native code gets. */
	config->env_to_thread = HOTSPOT_ABSENT;
	if (fact_has(hotspot, FACT_THREAD_ANCHOR) && fact_has(hotspot, FACT_ANCHOR_SIZE))
		config->env_to_thread = (uint32_t)(fact_value(hotspot, FACT_THREAD_ANCHOR) +
						   fact_value(hotspot, FACT_ANCHOR_SIZE) + sizeof(uint64_t));
	config->thread_anchor_sp = offset_within(hotspot, FACT_THREAD_ANCHOR, FACT_ANCHOR_SP);
	config->thread_anchor_pc = offset_within(hotspot, FACT_THREAD_ANCHOR, FACT_ANCHOR_PC);
	config->thread_anchor_fp = offset_within(hotspot, FACT_THREAD_ANCHOR, FACT_ANCHOR_FP);
	config->thread_stack_base = offset_of(hotspot, FACT_THREAD_STACK_BASE);
	config->thread_stack_size = offset_of(hotspot, FACT_THREAD_STACK_SIZE);
	config->wrapper_anchor_sp = offset_within(hotspot, FACT_WRAPPER_ANCHOR, FACT_ANCHOR_SP);
	config->wrapper_anchor_pc = offset_within(hotspot, FACT_WRAPPER_ANCHOR, FACT_ANCHOR_PC);
	config->wrapper_anchor_fp = offset_within(hotspot, FACT_WRAPPER_ANCHOR, FACT_ANCHOR_FP);
	/* -6 on x86-64 and -8 on aarch64, where the table of constants does not say it. */
	config->entry_wrapper_slot =
		fact_has(hotspot, FACT_ENTRY_WRAPPER_SLOT) ? (int32_t)fact_value(hotspot, FACT_ENTRY_WRAPPER_SLOT) :
#if defined(__aarch64__)
							   -8;
#else
							   -6;
#endif
}

static void fill_frames(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	config->interpreter_bcp_slot = hotspot->bcp_slot;
	config->interpreter_method_slot = -3;
	config->interpreter_sender_sp_slot =
		fact_has(hotspot, FACT_SENDER_SP_SLOT) ? (int32_t)fact_value(hotspot, FACT_SENDER_SP_SLOT) : -1;
	config->method_const_method = offset_of(hotspot, FACT_METHOD_CONST);
	config->const_method_size = offset_of(hotspot, FACT_CONST_SIZEOF);
	config->blob_name = offset_of(hotspot, FACT_BLOB_NAME);
	config->blob_frame_size = offset_of(hotspot, FACT_BLOB_FRAME_SIZE);
	config->blob_frame_complete = offset_of(hotspot, FACT_BLOB_FRAME_COMPLETE);
	config->blob_frame_complete_bytes = hotspot->facts[FACT_BLOB_FRAME_COMPLETE].width_bytes;
	config->blob_code_begin = offset_of(hotspot, FACT_BLOB_CODE_BEGIN);
	config->blob_code_end = offset_of(hotspot, FACT_BLOB_CODE_END);
	config->blob_code_bytes = hotspot->facts[FACT_BLOB_CODE_BEGIN].width_bytes;
}

static void part_add(const struct hotspot *hotspot, enum hotspot_fact_id id, uint64_t *start, uint64_t *end)
{
	if (!fact_has(hotspot, id))
		return;

	uint64_t offset = fact_value(hotspot, id);

	if (offset < *start)
		*start = offset;
	if (offset + sizeof(uint64_t) > *end)
		*end = offset + sizeof(uint64_t);
}

/* False where the structures are larger than what a walk reads of them. */
static bool fill_parts(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	static const enum hotspot_fact_id blob_members[] = {FACT_BLOB_NAME, FACT_BLOB_FRAME_SIZE,
							    FACT_BLOB_FRAME_COMPLETE, FACT_BLOB_CODE_BEGIN,
							    FACT_BLOB_CODE_END};
	static const enum hotspot_fact_id nmethod_members[] = {FACT_NMETHOD_DEOPT, FACT_NMETHOD_DEOPT_MH,
							       FACT_NMETHOD_ORIGINAL_PC, FACT_NMETHOD_COMPILE_ID,
							       FACT_NMETHOD_LEVEL};
	uint64_t blob_start = UINT64_MAX, blob_end = 0, start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < sizeof(blob_members) / sizeof(blob_members[0]); i++)
		part_add(hotspot, blob_members[i], &blob_start, &blob_end);
	for (size_t i = 0; i < sizeof(nmethod_members) / sizeof(nmethod_members[0]); i++)
		part_add(hotspot, nmethod_members[i], &start, &end);
	start &= ~(uint64_t)7;
	if (blob_end > HOTSPOT_BLOB_BYTES)
		return false;
	config->blob_bytes = (uint32_t)blob_end;
	if (end <= start || end - start > HOTSPOT_NMETHOD_BYTES)
		return true; /* without compiled frames */
	config->nmethod_part_start = (uint32_t)start;
	config->nmethod_part_bytes = (uint32_t)(end - start);
	config->nmethod_deopt = offset_of(hotspot, FACT_NMETHOD_DEOPT);
	config->nmethod_deopt_mh = offset_of(hotspot, FACT_NMETHOD_DEOPT_MH);
	config->nmethod_deopt_bytes = hotspot->facts[FACT_NMETHOD_DEOPT].width_bytes;
	config->nmethod_original_pc = offset_of(hotspot, FACT_NMETHOD_ORIGINAL_PC);
	config->nmethod_compile_id = offset_of(hotspot, FACT_NMETHOD_COMPILE_ID);
	config->nmethod_level = offset_of(hotspot, FACT_NMETHOD_LEVEL);
	config->nmethod_level_bytes = hotspot->facts[FACT_NMETHOD_LEVEL].width_bytes;
	return true;
}

static void fill_objects(struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	config->klass_base_address = address_of(hotspot, FACT_KLASS_BASE);
	config->klass_shift_address = address_of(hotspot, FACT_KLASS_SHIFT);
	config->use_compressed_klass_address = address_of_flag(hotspot, "UseCompressedClassPointers");
	config->use_compact_headers_address = address_of_flag(hotspot, "UseCompactObjectHeaders");
	config->oop_base_address = address_of(hotspot, FACT_OOP_BASE);
	config->oop_shift_address = address_of(hotspot, FACT_OOP_SHIFT);
	config->use_compressed_oops_address = address_of_flag(hotspot, "UseCompressedOops");
	config->z_globals_address = address_of(hotspot, FACT_Z_GLOBALS);
	config->z_load_shift = offset_of(hotspot, FACT_Z_LOAD_SHIFT);
	config->object_klass = offset_of(hotspot, FACT_OBJECT_KLASS);
	config->object_klass_is_narrow = hotspot->facts[FACT_OBJECT_KLASS].width_bytes == sizeof(uint32_t);
	config->compact_klass_shift = fact_has(hotspot, FACT_COMPACT_KLASS_SHIFT)
					      ? (uint32_t)fact_value(hotspot, FACT_COMPACT_KLASS_SHIFT)
					      : HOTSPOT_ABSENT;
	config->klass_name = offset_of(hotspot, FACT_KLASS_NAME);
	config->symbol_length = offset_of(hotspot, FACT_SYMBOL_LENGTH);
	config->symbol_body = offset_of(hotspot, FACT_SYMBOL_BODY);
	config->throwable_backtrace_address = address_of(
		hotspot, fact_has(hotspot, FACT_THROWABLE_BACKTRACE) ? FACT_THROWABLE_BACKTRACE : FACT_THROWABLE_BACKTRACE_OLD);
	config->compile_task_level = offset_of(hotspot, FACT_COMPILE_TASK_LEVEL);
}

static void fill_virtual_threads(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	config->return_barrier_address = address_of(hotspot, FACT_RETURN_BARRIER);
	config->entry_return_pc_address = address_of(hotspot, FACT_ENTRY_RETURN_PC);
	config->continuation_tail_address = address_of(hotspot, FACT_CONTINUATION_TAIL);
	config->chunk_sp_address = address_of(hotspot, FACT_CHUNK_SP);
	config->chunk_bottom_address = address_of(hotspot, FACT_CHUNK_BOTTOM);
	config->chunk_parent_address = address_of(hotspot, FACT_CHUNK_PARENT);
	config->chunk_stack_address = address_of(hotspot, FACT_CHUNK_STACK);
	config->thread_continuation = offset_of(hotspot, FACT_THREAD_CONTINUATION);
	/* No table tells it; the same in every release that has virtual threads so far. */
	config->entry_continuation = 16;
}

static uint32_t mask_of(const struct hotspot *hotspot, enum hotspot_fact_id bits)
{
	uint64_t count = fact_value(hotspot, bits);

	return count < 32 ? (1u << count) - 1 : 0;
}

static void fill_traps(const struct hotspot *hotspot, struct hotspot_bpf_config *config)
{
	int32_t action = 0;

	if (!hotspot_has(hotspot, HOTSPOT_TRAP_REASONS))
		return;
	config->trap_reason_shift = (uint32_t)fact_value(hotspot, FACT_TRAP_REASON_SHIFT) & 31;
	config->trap_action_shift = (uint32_t)fact_value(hotspot, FACT_TRAP_ACTION_SHIFT) & 31;
	config->trap_reason_mask = mask_of(hotspot, FACT_TRAP_REASON_BITS);
	config->trap_action_mask = mask_of(hotspot, FACT_TRAP_ACTION_BITS);
	if (fact_has(hotspot, FACT_TRAP_UNLOADED_REASON))
		config->trap_unloaded_reason = (uint32_t)fact_value(hotspot, FACT_TRAP_UNLOADED_REASON);
	if (fact_has(hotspot, FACT_TRAP_UNLOADED_ACTION) &&
	    hotspot_read_i32(hotspot, fact_value(hotspot, FACT_TRAP_UNLOADED_ACTION), &action))
		config->trap_unloaded_action = (uint32_t)action;
}

void hotspot_bpf_config(struct hotspot *hotspot, struct hotspot_bpf_config *ret_config)
{
	struct hotspot_bpf_config config;

	memset(&config, 0, sizeof(config));
	fill_code_cache(hotspot, &config);
	fill_threads(hotspot, &config);
	fill_frames(hotspot, &config);
	fill_objects(hotspot, &config);
	fill_virtual_threads(hotspot, &config);
	fill_traps(hotspot, &config);

	bool fits = fill_parts(hotspot, &config);

	if (hotspot_has(hotspot, HOTSPOT_CLASS_NAMES))
		config.abilities |= HOTSPOT_CAN_NAME_CLASSES;
	if (fits && hotspot_has(hotspot, HOTSPOT_INTERPRETED_FRAMES))
		config.abilities |= HOTSPOT_CAN_WALK;
	if ((config.abilities & HOTSPOT_CAN_WALK) && config.nmethod_part_bytes &&
	    hotspot_has(hotspot, HOTSPOT_COMPILED_FRAMES))
		config.abilities |= HOTSPOT_CAN_WALK_COMPILED;
	if ((config.abilities & HOTSPOT_CAN_WALK_COMPILED) && hotspot_has(hotspot, HOTSPOT_FROZEN_FRAMES))
		config.abilities |= HOTSPOT_CAN_WALK_FROZEN;
	*ret_config = config;
}
