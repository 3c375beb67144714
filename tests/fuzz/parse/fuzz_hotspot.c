/* Any virtual machine's memory: the made-up one with words of it overwritten as the input says, read by every
 * function.
 *
 * Input: a byte (bit 0: the shape), then patches of 11 bytes: the word's index (3 bytes) and its new value (8). */
#include "hotspot_fake.h"

#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_witness(void *context, enum hotspot_witness kind, uint64_t address)
{
	(void)context;
	(void)kind;
	(void)address;
}

static void ignore_thread(void *context, const struct hotspot_thread *thread)
{
	(void)context;
	(void)thread;
}

static void read_facts(struct hotspot *hotspot)
{
	struct hotspot_version version;
	struct hotspot_range range;
	struct hotspot_bpf_config config;
	const char *text;
	uint64_t number;

	hotspot_bpf_config(hotspot, &config);
	hotspot_version_read(hotspot, &version);
	hotspot_gc_name(hotspot);
	hotspot_flag_number(hotspot, "MaxHeapSize", &number, NULL);
	hotspot_flag_text(hotspot, "AOTCache", &text, NULL);
	hotspot_heap_range(hotspot, &range);
	hotspot_code_range(hotspot, &range);
	hotspot_shared_range(hotspot, &range);
	hotspot_metadata_witnesses(hotspot, 64, ignore_witness, NULL);
	hotspot_threads(hotspot, ignore_thread, NULL);
}

static void read_names(struct hotspot *hotspot, const struct fake_vm *vm)
{
	static struct hotspot_frames frames;
	const struct stack_frame stack[] = {
		{.method = vm->run, .at = 8, .type = CODE_INTERPRETED},
		{.method = vm->nmethod, .at = vm->nmethod + 288 + 0x10, .type = CODE_C2, .cookie = FAKE_COMPILE_ID},
		{.method = vm->native_nmethod,
		 .at = vm->native_nmethod + 130,
		 .type = CODE_NATIVE_METHOD,
		 .cookie = 78},
		{.method = vm->large_stub, .at = vm->large_stub + 70, .type = CODE_STUB},
	};
	struct hotspot_code code;

	for (size_t i = 0; i < sizeof(stack) / sizeof(stack[0]); i++) {
		hotspot_frame_read(hotspot, &stack[i], &frames);
		hotspot_code_find(hotspot, stack[i].at, &code);
	}
	hotspot_class_name(hotspot, vm->inner_class);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_vm vm;
	struct hotspot_access access = fake_access(&vm);
	struct hotspot *hotspot = NULL;
	struct err *err;

	if (size == 0)
		return 0;
	fake_make(&vm, data[0] & 1 ? FAKE_NEW : FAKE_OLD, NULL);
	for (size_t at = 1; at + 11 <= size; at += 11) {
		size_t word = (size_t)data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16;

		memcpy(vm.memory + word % (FAKE_BYTES / 8) * 8, data + at + 3, 8);
	}
	err = hotspot_open(&access, &hotspot);
	if (err) {
		err_free(err);
		return 0;
	}
	read_facts(hotspot);
	read_names(hotspot, &vm);
	hotspot_close(hotspot);
	return 0;
}
