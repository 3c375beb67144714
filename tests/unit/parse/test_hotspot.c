/* The readers of a virtual machine, over one made byte by byte (fuzz/parse/hotspot_fake.h has its layout). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/auto.h"
#include "fuzz/parse/hotspot_fake.h"
#include "parse/unsigned5.h"

struct fixture {
	struct fake_vm vm;
	struct hotspot *hotspot;
};

static struct fixture *opened(enum fake_shape shape, const char *hidden_field)
{
	struct fixture *fixture = malloc(sizeof(*fixture));
	struct hotspot_access access;

	fake_make(&fixture->vm, shape, hidden_field);
	access = fake_access(&fixture->vm);
	assert_null(hotspot_open(&access, &fixture->hotspot));
	return fixture;
}

static void close_fixture(struct fixture **fixture)
{
	if (!*fixture)
		return;
	hotspot_close((*fixture)->hotspot);
	free(*fixture);
}

#define auto_fixture auto_done(close_fixture) struct fixture *

/* ---- numbers ---- */

static void check_unsigned5(uint8_t excluded, const uint8_t *bytes, size_t length_bytes, uint32_t expected)
{
	struct unsigned5 stream = {.bytes = bytes, .length_bytes = length_bytes, .excluded = excluded};
	uint32_t value = 0;

	assert_true(unsigned5_read(&stream, &value));
	assert_int_equal(value, expected);
	assert_int_equal(stream.position, length_bytes);
}

static void unsigned5_numbers(void **state)
{
	(void)state;
	check_unsigned5(0, (uint8_t[]){0}, 1, 0);
	check_unsigned5(0, (uint8_t[]){191}, 1, 191);
	check_unsigned5(0, (uint8_t[]){192, 0}, 2, 192);
	/* 1000 = 192 + 40 + 64 * 12 */
	check_unsigned5(0, (uint8_t[]){232, 12}, 2, 1000);
	/* 192 + 63 + 64 * 192 + 4096 * 0: the second byte is not below the limit, so a third follows */
	check_unsigned5(0, (uint8_t[]){255, 192, 0}, 3, 12543);
	check_unsigned5(1, (uint8_t[]){1}, 1, 0);
	check_unsigned5(1, (uint8_t[]){191}, 1, 190);
	check_unsigned5(1, (uint8_t[]){192, 1}, 2, 191);
	/* 1000 = 191 + 41 + 64 * 12, each byte one higher */
	check_unsigned5(1, (uint8_t[]){233, 13}, 2, 1000);
	/* Five bytes end the number whatever the fifth is. */
	check_unsigned5(0, (uint8_t[]){192, 192, 192, 192, 255}, 5,
			192u + (192u << 6) + (192u << 12) + (192u << 18) + (255u << 24));
}

static void unsigned5_refuses(void **state)
{
	struct unsigned5 cut = {.bytes = (uint8_t[]){200}, .length_bytes = 1};
	struct unsigned5 excluded = {.bytes = (uint8_t[]){0, 1}, .length_bytes = 2, .excluded = 1};
	struct unsigned5 negative = {.bytes = (uint8_t[]){1, 2, 3}, .length_bytes = 3};
	uint32_t value = 9;
	int32_t number;

	(void)state;
	assert_false(unsigned5_read(&cut, &value));
	assert_false(unsigned5_read(&excluded, &value));
	assert_int_equal(value, 9);
	assert_true(unsigned5_read_signed(&negative, &number));
	assert_int_equal(number, -1);
	assert_true(unsigned5_read_signed(&negative, &number));
	assert_int_equal(number, 1);
	assert_true(unsigned5_read_signed(&negative, &number));
	assert_int_equal(number, -2);
	assert_false(unsigned5_read_signed(&negative, &number));
}

/* ---- the tables ---- */

static void tables_are_found_by_name(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	uint64_t value;
	int64_t constant;

	(void)state;
	assert_true(hotspot_field_offset(fixture->hotspot, "Klass", "_name", &value));
	assert_int_equal(value, 24);
	assert_false(hotspot_field_offset(fixture->hotspot, "Klass", "_nam", &value));
	assert_false(hotspot_field_offset(fixture->hotspot, "CodeCache", "_heaps", &value)); /* static: no offset */
	assert_true(hotspot_static_address(fixture->hotspot, "CodeCache", "_heaps", &value));
	assert_false(hotspot_static_address(fixture->hotspot, "Klass", "_name", &value));
	assert_true(hotspot_type_size(fixture->hotspot, "ConstMethod", &value));
	assert_int_equal(value, 56);
	assert_true(hotspot_constant(fixture->hotspot, "frame::entry_frame_call_wrapper_offset", &constant));
	assert_int_equal(constant, -6);
	assert_true(hotspot_constant(fixture->hotspot, "markWord::klass_shift", &constant));
	assert_int_equal(constant, 42);
	assert_false(hotspot_constant(fixture->hotspot, "no::such", &constant));
}

static void no_tables_is_an_error(void **state)
{
	struct fake_vm *vm = calloc(1, sizeof(*vm));
	struct hotspot_access access = fake_access(vm);
	struct hotspot *hotspot = NULL;
	struct err *err = hotspot_open(&access, &hotspot);

	(void)state;
	assert_non_null(err);
	assert_string_equal(err->message, "libjvm exports no 'gHotSpotVMStructs'");
	assert_null(hotspot);
	err_free(err);
	free(vm);
}

static void senseless_stride_is_an_error(void **state)
{
	struct fake_vm *vm = malloc(sizeof(*vm));
	struct hotspot_access access;
	struct hotspot *hotspot = NULL;
	struct err *err;

	(void)state;
	fake_make(vm, FAKE_OLD, NULL);
	access = fake_access(vm);
	fake_put(vm, fake_find(vm, "gHotSpotVMStructEntryArrayStride"), 1u << 30, 8);
	err = hotspot_open(&access, &hotspot);
	assert_non_null(err);
	assert_string_equal(err->message, "libjvm's 'gHotSpotVMStructEntryArrayStride' is missing or senseless");
	err_free(err);
	free(vm);
}

struct asked {
	struct fake_vm vm;
	size_t count;
	char unknown[128]; /* the first symbol that hotspot_symbol_names does not name */
};

static bool asked_read(void *context, uint64_t address, void *buffer, size_t length_bytes)
{
	struct asked *asked = context;

	return fake_read(&asked->vm, address, buffer, length_bytes);
}

static uint64_t asked_symbol(void *context, const char *name)
{
	struct asked *asked = context;
	const char *names[64];
	size_t count = hotspot_symbol_names(names, array_length(names));

	asked->count++;
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return fake_find(&asked->vm, name);
	if (!asked->unknown[0])
		snprintf(asked->unknown, sizeof(asked->unknown), "%s", name);
	return 0;
}

static void ignore_thread(void *context, const struct hotspot_thread *thread)
{
	(void)context;
	(void)thread;
}

static void all_symbols_are_announced(void **state)
{
	struct asked *asked = calloc(1, sizeof(*asked));
	struct hotspot_access access = {.read = asked_read, .symbol = asked_symbol, .context = asked};
	struct hotspot_bpf_config config;
	struct hotspot *hotspot;

	(void)state;
	fake_make(&asked->vm, FAKE_NEW, NULL);
	assert_null(hotspot_open(&access, &hotspot));
	hotspot_bpf_config(hotspot, &config);
	hotspot_threads(hotspot, ignore_thread, NULL);
	assert_string_equal(asked->unknown, "");
	assert_int_equal(asked->count, hotspot_symbol_names(NULL, 0));
	hotspot_close(hotspot);
	free(asked);
}

/* ---- what is available ---- */

static void all_but_virtual_threads_of_17(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);

	(void)state;
	for (int i = 0; i < HOTSPOT_FEATURE_COUNT; i++)
		assert_int_equal(hotspot_has(fixture->hotspot, i), i != HOTSPOT_FROZEN_FRAMES);
	assert_string_equal(hotspot_missing(fixture->hotspot, HOTSPOT_FROZEN_FRAMES),
			    "this VM has no virtual threads");
	assert_string_equal(hotspot_feature_name(HOTSPOT_INLINED_FRAMES), "inlined frames");
}

static void a_missing_symbol_is_said(void **state)
{
	auto_fixture fixture = opened(FAKE_NEW, NULL);

	(void)state;
	assert_string_equal(hotspot_missing(fixture->hotspot, HOTSPOT_FROZEN_FRAMES),
			    "libjvm has no symbol '_ZN12StubRoutines19_cont_returnBarrierE'");
}

static void a_missing_field_takes_only_what_needs_it(void **state)
{
	auto_fixture lines = opened(FAKE_OLD, "ConstMethod::_code_size");
	auto_fixture methods = opened(FAKE_OLD, "ConstMethod::_name_index");
	auto_fixture compiled = opened(FAKE_NEW, "nmethod::_compile_id");

	(void)state;
	assert_string_equal(hotspot_missing(lines->hotspot, HOTSPOT_LINE_NUMBERS),
			    "libjvm does not tell 'ConstMethod::_code_size'");
	assert_true(hotspot_has(lines->hotspot, HOTSPOT_METHOD_NAMES));
	/* What builds on a feature has the same reason. */
	assert_string_equal(hotspot_missing(methods->hotspot, HOTSPOT_LINE_NUMBERS),
			    "libjvm does not tell 'ConstMethod::_name_index'");
	assert_true(hotspot_has(methods->hotspot, HOTSPOT_CLASS_NAMES));
	assert_false(hotspot_has(compiled->hotspot, HOTSPOT_COMPILED_FRAMES));
	assert_false(hotspot_has(compiled->hotspot, HOTSPOT_INLINED_FRAMES));
	assert_true(hotspot_has(compiled->hotspot, HOTSPOT_INTERPRETED_FRAMES));
}

/* ---- names ---- */

static void names_of_a_method(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct hotspot_method method;

	(void)state;
	assert_string_equal(hotspot_class_name(fixture->hotspot, fixture->vm.inner_class), "demo/Inner");
	assert_null(hotspot_class_name(fixture->hotspot, 0));
	assert_null(hotspot_class_name(fixture->hotspot, FAKE_BASE + FAKE_BYTES - 4));
	assert_true(hotspot_method_read(fixture->hotspot, fixture->vm.run, &method));
	assert_string_equal(method.class_name, "demo/Outer");
	assert_string_equal(method.name, "run");
	assert_string_equal(method.signature, "()V");
	assert_string_equal(method.file, "Outer.java");
	assert_int_equal(method.klass, fixture->vm.outer_class);
	assert_false(method.is_native);
	assert_true(hotspot_method_read(fixture->hotspot, fixture->vm.park, &method));
	assert_true(method.is_native);
	assert_true(hotspot_method_read(fixture->hotspot, fixture->vm.inner, &method));
	assert_string_equal(method.file, "");
	assert_false(hotspot_method_read(fixture->hotspot, FAKE_BASE + 100, &method));
}

static void lines_of_bytecodes(void **state)
{
	static const struct {
		int32_t bci;
		uint32_t line;
	} expected[] = {{0, 10}, {2, 10}, {3, 11}, {7, 11}, {8, 300}, {11, 300}, {12, 299}, {15, 299}, {-1, 0}};

	(void)state;
	for (int shape = FAKE_OLD; shape <= FAKE_NEW; shape++) {
		auto_fixture fixture = opened(shape, NULL);

		for (size_t i = 0; i < array_length(expected); i++)
			assert_int_equal(hotspot_method_line(fixture->hotspot, fixture->vm.run, expected[i].bci),
					 expected[i].line);
		assert_int_equal(hotspot_method_line(fixture->hotspot, fixture->vm.inner, 0), 0); /* has no table */
	}
}

static void hostile_lengths_give_no_name(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct hotspot_method method;
	uint64_t constant, pool;

	(void)state;
	memcpy(&constant, fixture->vm.memory + (fixture->vm.run + 8 - FAKE_BASE), 8);
	memcpy(&pool, fixture->vm.memory + (constant + 8 - FAKE_BASE), 8);
	fake_put(&fixture->vm, constant + 24, 0x7fffffff, 4); /* a ConstMethod of 16 GiB */
	assert_int_equal(hotspot_method_line(fixture->hotspot, fixture->vm.run, 3), 0);
	fake_put(&fixture->vm, constant + 36, 500, 2); /* a name behind the pool's end */
	assert_false(hotspot_method_read(fixture->hotspot, fixture->vm.run, &method));
	fake_put(&fixture->vm, constant + 36, 2, 2);
	fake_put(&fixture->vm, pool + 72 + 16, FAKE_BASE + FAKE_BYTES - 8, 8); /* a symbol that ends outside */
	fake_put(&fixture->vm, FAKE_BASE + FAKE_BYTES - 4, 0xffff, 2);
	assert_false(hotspot_method_read(fixture->hotspot, fixture->vm.run, &method));
}

/* ---- code ---- */

static void blobs_of_addresses(void **state)
{
	(void)state;
	for (int shape = FAKE_OLD; shape <= FAKE_NEW; shape++) {
		auto_fixture fixture = opened(shape, NULL);
		struct fake_vm *vm = &fixture->vm;
		struct hotspot_code code;
		struct hotspot_range range;

		assert_true(hotspot_code_find(fixture->hotspot, vm->interpreter + 1000, &code));
		assert_int_equal(code.blob, vm->interpreter);
		assert_int_equal(code.type, CODE_INTERPRETED);
		assert_int_equal(code.code_begin, vm->interpreter + 64);
		assert_int_equal(code.code_end, vm->interpreter + 1200);
		assert_true(hotspot_code_find(fixture->hotspot, vm->nmethod + 300, &code));
		assert_int_equal(code.blob, vm->nmethod);
		assert_int_equal(code.type, CODE_C2);
		assert_int_equal(code.compile_id, FAKE_COMPILE_ID);
		assert_true(hotspot_code_find(fixture->hotspot, vm->native_nmethod + 130, &code));
		assert_int_equal(code.type, CODE_NATIVE_METHOD);
		/* The 300th segment of a block: two steps back, 45 and 254. */
		assert_true(hotspot_code_find(
			fixture->hotspot,
			vm->code_low + ((FAKE_LARGE_SEGMENT + FAKE_LARGE_SEGMENTS - 1) << FAKE_SEGMENT_SHIFT),
			&code));
		assert_int_equal(code.blob, vm->large_stub);
		assert_int_equal(code.type, CODE_STUB);
		assert_string_equal(code.name, "StubRoutines (final stubs)");
		assert_false(hotspot_code_find(fixture->hotspot, vm->code_low + (18 << FAKE_SEGMENT_SHIFT), &code));
		assert_false(hotspot_code_find(fixture->hotspot, vm->code_low - 1, &code));
		assert_false(hotspot_code_find(fixture->hotspot, vm->code_low + FAKE_CODE_BYTES, &code));
		assert_true(hotspot_code_range(fixture->hotspot, &range));
		assert_int_equal(range.start, vm->code_low);
		assert_int_equal(range.end, vm->code_low + FAKE_CODE_BYTES);
	}
}

static void check_frame(const struct hotspot_frame *frame, const char *name, int32_t bci, uint32_t line)
{
	assert_string_equal(frame->method.name, name);
	assert_int_equal(frame->bci, bci);
	assert_int_equal(frame->line, line);
}

static void inlined_methods_of_compiled_code(void **state)
{
	(void)state;
	for (int shape = FAKE_OLD; shape <= FAKE_NEW; shape++) {
		auto_fixture fixture = opened(shape, NULL);
		struct stack_frame frame = {.method = fixture->vm.nmethod,
					    .at = fixture->vm.nmethod + 288 + 0x10,
					    .type = CODE_C2,
					    .cookie = FAKE_COMPILE_ID};
		struct hotspot_frames frames;

		assert_true(hotspot_frame_read(fixture->hotspot, &frame, &frames));
		assert_int_equal(frames.count, 2);
		assert_false(frames.is_cut);
		check_frame(&frames.items[0], "inner", 5, 0);
		check_frame(&frames.items[1], "run", 3, 11);
		assert_int_equal(frames.items[0].method_address, fixture->vm.inner);
		/* An address between two descriptors belongs to the next. */
		frame.at += 1;
		assert_true(hotspot_frame_read(fixture->hotspot, &frame, &frames));
		assert_int_equal(frames.count, 1);
		check_frame(&frames.items[0], "run", 8, 300);
		/* Behind the last one only the method itself is known. */
		frame.at = fixture->vm.nmethod + 288 + 0x21;
		assert_true(hotspot_frame_read(fixture->hotspot, &frame, &frames));
		assert_int_equal(frames.count, 1);
		check_frame(&frames.items[0], "run", -1, 0);
		frame.cookie++;
		assert_false(hotspot_frame_read(fixture->hotspot, &frame, &frames));
	}
}

static void a_caller_that_is_its_own_caller_ends(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct stack_frame frame = {.method = fixture->vm.nmethod,
				    .at = fixture->vm.nmethod + 288 + 0x20,
				    .type = CODE_C2,
				    .cookie = FAKE_COMPILE_ID};
	struct hotspot_frames frames;

	(void)state;
	fake_put(&fixture->vm, fixture->vm.nmethod + 512 + 7, 7, 1); /* the scope at 7 says that 7 called it */
	assert_true(hotspot_frame_read(fixture->hotspot, &frame, &frames));
	assert_int_equal(frames.count, HOTSPOT_INLINED_MAX);
	assert_true(frames.is_cut);
}

static void other_kinds_of_frames(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct fake_vm *vm = &fixture->vm;
	struct hotspot_frames frames;
	uint64_t constant;
	struct stack_frame interpreted = {.method = vm->run, .at = 8, .type = CODE_INTERPRETED};
	struct stack_frame native = {.method = vm->native_nmethod,
				     .at = vm->native_nmethod + 130,
				     .type = CODE_NATIVE_METHOD,
				     .cookie = 78};
	struct stack_frame stub = {.method = vm->large_stub, .at = vm->large_stub + 200, .type = CODE_STUB};
	struct stack_frame address = {.at = 0x1234, .type = CODE_VM};

	(void)state;
	memcpy(&constant, vm->memory + (vm->run + 8 - FAKE_BASE), 8);
	interpreted.cookie = (uint32_t)(constant >> 3);
	assert_true(hotspot_frame_read(fixture->hotspot, &interpreted, &frames));
	assert_int_equal(frames.count, 1);
	check_frame(&frames.items[0], "run", 8, 300);
	interpreted.cookie++; /* another method lay there when the frame was taken */
	assert_false(hotspot_frame_read(fixture->hotspot, &interpreted, &frames));
	assert_true(hotspot_frame_read(fixture->hotspot, &native, &frames));
	check_frame(&frames.items[0], "park", -1, 0);
	assert_true(frames.items[0].method.is_native);
	assert_true(hotspot_frame_read(fixture->hotspot, &stub, &frames));
	check_frame(&frames.items[0], "StubRoutines (final stubs)", -1, 0);
	assert_false(hotspot_frame_read(fixture->hotspot, &address, &frames));
}

/* ---- facts of the VM ---- */

static void version_and_flags(void **state)
{
	auto_fixture fixture = opened(FAKE_NEW, NULL);
	struct hotspot_version version;
	enum hotspot_flag_origin origin;
	const char *text;
	uint64_t number;
	bool is_on;

	(void)state;
	assert_true(hotspot_version_read(fixture->hotspot, &version));
	assert_int_equal(version.major, 25);
	assert_int_equal(version.security, 3);
	assert_int_equal(version.build, 9);
	assert_string_equal(version.release, "25.0.3+9-LTS");
	assert_string_equal(version.info, "Demo VM (25.0.3+9-LTS)");
	assert_string_equal(hotspot_gc_name(fixture->hotspot), "G1");
	assert_true(hotspot_flag_bool(fixture->hotspot, "UseG1GC", &is_on, &origin));
	assert_true(is_on);
	assert_int_equal(origin, HOTSPOT_FLAG_ERGONOMIC);
	assert_true(hotspot_flag_number(fixture->hotspot, "MaxHeapSize", &number, &origin));
	assert_int_equal(number, 512 << 20);
	assert_int_equal(origin, HOTSPOT_FLAG_COMMAND_LINE);
	assert_true(hotspot_flag_text(fixture->hotspot, "AOTCache", &text, NULL));
	assert_string_equal(text, "app.aot");
	assert_true(hotspot_flag_text(fixture->hotspot, "SharedArchiveFile", &text, NULL));
	assert_null(text);
	assert_false(hotspot_flag_bool(fixture->hotspot, "UseNoSuchThing", &is_on, NULL));
}

static void heap_and_archive(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct hotspot_range range;

	(void)state;
	assert_true(hotspot_heap_range(fixture->hotspot, &range));
	assert_int_equal(range.start, 0x600000000);
	assert_int_equal(range.end, 0x620000000);
	assert_true(hotspot_shared_range(fixture->hotspot, &range));
	assert_int_equal(range.start, fixture->vm.outer_class);
	fake_put(&fixture->vm, fixture->vm.heap_object + 40, UINT64_MAX / 8, 8); /* wraps around */
	assert_false(hotspot_heap_range(fixture->hotspot, &range));
}

struct witnesses {
	size_t count;
	uint64_t class_space, metaspace;
};

static void see_witness(void *context, enum hotspot_witness kind, uint64_t address)
{
	struct witnesses *seen = context;

	seen->count++;
	*(kind == HOTSPOT_WITNESS_CLASS_SPACE ? &seen->class_space : &seen->metaspace) = address;
}

static void metadata_outside_the_archive(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct witnesses seen = {.count = 0};
	uint64_t pool;

	(void)state;
	memcpy(&pool, fixture->vm.memory + (fixture->vm.inner_class + 232 - FAKE_BASE), 8);
	assert_int_equal(hotspot_metadata_witnesses(fixture->hotspot, 100, see_witness, &seen), 2);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.class_space, fixture->vm.inner_class);
	assert_int_equal(seen.metaspace, pool);
	/* A ring of classes ends at the limit. */
	fake_put(&fixture->vm, fixture->vm.inner_class + 144, fixture->vm.inner_class, 8);
	assert_int_equal(hotspot_metadata_witnesses(fixture->hotspot, 100, see_witness, &seen), 100);
}

/* The handle leads to the loader, whose narrow class pointer counts units of 8 bytes from the classes' base. */
static void loader_by_its_class(void **state)
{
	for (int shape = FAKE_OLD; shape <= FAKE_NEW; shape++) {
		auto_fixture fixture = opened((enum fake_shape)shape, NULL);
		struct fake_vm *vm = &fixture->vm;
		uint64_t handle = fake_alloc(vm, 8), object = fake_alloc(vm, 16);

		assert_string_equal(hotspot_loader_name(fixture->hotspot, vm->loader_data), "");
		fake_put(vm, vm->loader_data + 16, handle, 8);
		assert_string_equal(hotspot_loader_name(fixture->hotspot, vm->loader_data), "");
		fake_put(vm, handle, object, 8);
		fake_put(vm, object + 8, (vm->outer_class - FAKE_BASE) >> 3, 4);
		assert_string_equal(hotspot_loader_name(fixture->hotspot, vm->loader_data), "demo/Outer");
		/* A handle that leads nowhere. */
		fake_put(vm, vm->loader_data + 16, 0x1000, 8);
		assert_null(hotspot_loader_name(fixture->hotspot, vm->loader_data));
	}
	(void)state;
}

struct threads_seen {
	size_t count;
	struct hotspot_thread items[4];
};

static void see_thread(void *context, const struct hotspot_thread *thread)
{
	struct threads_seen *seen = context;

	if (seen->count < array_length(seen->items))
		seen->items[seen->count] = *thread;
	seen->count++;
}

static void threads_of_the_vm(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct threads_seen seen = {.count = 0};

	(void)state;
	assert_int_equal(hotspot_threads(fixture->hotspot, see_thread, &seen), 2);
	assert_int_equal(seen.items[0].address, fixture->vm.threads[0]);
	assert_int_equal(seen.items[0].tid, 100);
	assert_string_equal(seen.items[0].kind, "JavaThread");
	assert_int_equal(seen.items[0].stack.start, 0x7ff000000000);
	assert_int_equal(seen.items[0].stack.end, 0x7ff000100000);
	assert_int_equal(seen.items[1].tid, 101);
	assert_string_equal(seen.items[1].kind, "CompilerThread");
	/* A list that claims more than memory holds ends where memory ends. */
	fake_put(&fixture->vm, fixture->vm.thread_list + 4, 0xffffffff, 4);
	assert_true(hotspot_threads(fixture->hotspot, see_thread, &seen) < FAKE_BYTES / 8);
}

/* ---- the walk's configuration ---- */

static void configuration_of_the_walk(void **state)
{
	auto_fixture older = opened(FAKE_OLD, NULL);
	auto_fixture newer = opened(FAKE_NEW, NULL);
	struct hotspot_bpf_config config;

	(void)state;
	hotspot_bpf_config(older->hotspot, &config);
	assert_int_equal(config.abilities, HOTSPOT_CAN_NAME_CLASSES | HOTSPOT_CAN_WALK | HOTSPOT_CAN_WALK_COMPILED);
	assert_int_equal(config.env_to_thread, 656 + 24 + 8);
	assert_int_equal(config.thread_anchor_pc, 656 + 8);
	assert_int_equal(config.wrapper_anchor_fp, 32 + 16);
	assert_int_equal(config.heap_segment_map, 16);
	assert_int_equal(config.heap_high, 8);
	assert_int_equal(config.heap_block_size, 16);
	assert_int_equal(config.blob_bytes, 96 + 8);
	assert_int_equal(config.blob_code_bytes, 8);
	/* Members of an nmethod: 128 (deoptimisation) to 216 (level), read as words. */
	assert_int_equal(config.nmethod_part_start, 128);
	assert_int_equal(config.nmethod_part_bytes, 216 + 8 - 128);
	assert_int_equal(config.nmethod_deopt_bytes, 8);
	assert_int_equal(config.entry_wrapper_slot, -6);
	assert_int_equal(config.interpreter_bcp_slot, -8);
	assert_int_equal(config.const_method_size, 56);
	assert_int_equal(config.thread_continuation, HOTSPOT_ABSENT);
	assert_int_equal(config.object_klass, 8);
	assert_int_equal(config.object_klass_is_narrow, 0);
	/* No symbol says where the flag lies, but the exported list of flags does. */
	assert_int_not_equal(config.use_compressed_klass_address, 0);
	assert_int_equal(config.use_compact_headers_address, 0);
	hotspot_bpf_config(newer->hotspot, &config);
	assert_int_equal(config.heap_block_size, 8);
	assert_int_equal(config.blob_code_bytes, 4);
	assert_int_equal(config.blob_frame_complete_bytes, 2);
	assert_int_equal(config.nmethod_part_start, 176);
	assert_int_equal(config.nmethod_deopt_bytes, 4);
	assert_int_equal(config.compact_klass_shift, 42);
	assert_int_equal(config.object_klass, 8);
	assert_int_equal(config.object_klass_is_narrow, 1);
}

/* A request of reason 1 and action 1 is ~(1 << 3 | 1): its bits are turned back and taken apart. */
static void reasons_of_traps(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);
	struct hotspot_bpf_config config;
	const uint32_t request = ~(1u << 3 | 1u);

	(void)state;
	assert_string_equal(hotspot_trap_reasons(fixture->hotspot), "none,null_check,unloaded");
	assert_string_equal(hotspot_trap_actions(fixture->hotspot), "none,reinterpret");
	hotspot_bpf_config(fixture->hotspot, &config);
	assert_int_equal(~request >> config.trap_reason_shift & config.trap_reason_mask, 1);
	assert_int_equal(~request >> config.trap_action_shift & config.trap_action_mask, 1);
	assert_int_equal(config.trap_reason_mask, 31);
	assert_int_equal(config.trap_action_mask, 7);
	assert_int_equal(config.trap_unloaded_reason, 2);
	assert_int_equal(config.trap_unloaded_action, 1);
}

/* One name that cannot be read, and none of them has its number for sure. */
static void unreadable_reasons_of_traps_are_none(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, NULL);

	(void)state;
	fake_put(&fixture->vm, fixture->vm.trap_reasons + 8, 1, 8);
	assert_null(hotspot_trap_reasons(fixture->hotspot));
	assert_string_equal(hotspot_trap_actions(fixture->hotspot), "none,reinterpret");
}

static void a_vm_too_odd_is_not_walked(void **state)
{
	auto_fixture fixture = opened(FAKE_OLD, "CodeBlob::_frame_size");
	struct hotspot_bpf_config config;

	(void)state;
	hotspot_bpf_config(fixture->hotspot, &config);
	assert_int_equal(config.abilities, HOTSPOT_CAN_NAME_CLASSES);
	assert_int_equal(config.blob_frame_size, HOTSPOT_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned5_numbers),
		cmocka_unit_test(unsigned5_refuses),
		cmocka_unit_test(tables_are_found_by_name),
		cmocka_unit_test(no_tables_is_an_error),
		cmocka_unit_test(senseless_stride_is_an_error),
		cmocka_unit_test(all_symbols_are_announced),
		cmocka_unit_test(all_but_virtual_threads_of_17),
		cmocka_unit_test(a_missing_symbol_is_said),
		cmocka_unit_test(a_missing_field_takes_only_what_needs_it),
		cmocka_unit_test(names_of_a_method),
		cmocka_unit_test(lines_of_bytecodes),
		cmocka_unit_test(hostile_lengths_give_no_name),
		cmocka_unit_test(blobs_of_addresses),
		cmocka_unit_test(inlined_methods_of_compiled_code),
		cmocka_unit_test(a_caller_that_is_its_own_caller_ends),
		cmocka_unit_test(other_kinds_of_frames),
		cmocka_unit_test(version_and_flags),
		cmocka_unit_test(heap_and_archive),
		cmocka_unit_test(metadata_outside_the_archive),
		cmocka_unit_test(loader_by_its_class),
		cmocka_unit_test(threads_of_the_vm),
		cmocka_unit_test(configuration_of_the_walk),
		cmocka_unit_test(reasons_of_traps),
		cmocka_unit_test(unreadable_reasons_of_traps_are_none),
		cmocka_unit_test(a_vm_too_odd_is_not_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
