/* The table as data against the structs that the compiler made of the same macros. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "format/codes.h"
#include "format/event.h"
#include "format/layout.h"
#include "format/schema.h"
#include "unit/format/made.h"

static const struct schema_field *field_of(const char *kind, const char *field)
{
	const struct schema_kind *row = schema_by_name(kind, strlen(kind));

	assert_non_null(row);
	return schema_field_by_name(row, field, strlen(field));
}

static void finds_kinds(void **state)
{
	(void)state;
	assert_string_equal(schema_by_id(6)->name, "file_open");
	assert_ptr_equal(schema_by_name("file_open", 9), schema_by_id(6));
	assert_null(schema_by_name("file_ope", 8));
	assert_null(schema_by_name("file_open ", 10));
	assert_null(schema_by_name("", 0));
	assert_null(schema_by_id(0));
	assert_null(schema_by_id(16));
	assert_null(schema_by_id(EVENT_KIND_END));
	assert_string_equal(schema_kind_name(46), "sample");
	assert_string_equal(schema_kind_name(100000), "unknown kind");
}

static void walks_all_kinds_in_order(void **state)
{
	size_t count = 0;
	uint32_t last = 0;

	(void)state;
	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind), count++) {
		assert_true(kind->id > last);
		last = kind->id;
	}
	assert_int_equal(count, SCHEMA_KIND_COUNT);
	assert_int_equal(last, EVENT_SYMBOL);
}

static void places_fields(void **state)
{
	(void)state;
	/* 24 bytes of header, then as the row says: u64, i64, u64, u32, u32, u32, u32. */
	assert_int_equal(field_of("file_open", "duration_ns")->offset_bytes, 24);
	assert_int_equal(field_of("file_open", "inode")->offset_bytes, 40);
	assert_int_equal(field_of("file_open", "path_flags")->offset_bytes, 60);
	assert_int_equal(field_of("file_open", "path_flags")->size_bytes, 4);
	assert_int_equal(schema_by_name("file_open", 9)->fixed_bytes, 64);
	assert_int_equal(schema_by_name("file_open", 9)->field_count, 7);
	assert_int_equal(schema_by_name("thread_name", 11)->field_count, 0);
	assert_int_equal(schema_by_name("thread_name", 11)->fixed_bytes, 24);
	assert_int_equal(field_of("file_open", "result")->type, FIELD_I64);
	assert_int_equal(field_of("file_open", "result")->unit, UNIT_RESULT);
	assert_int_equal(field_of("wake", "target_tid")->offset_bytes, offsetof(struct event_wake, target_tid));
	assert_null(field_of("wake", "target"));
}

static void gets_and_sets_fields(void **state)
{
	struct event_builder builder = {};
	struct event_file_open *open = event_begin(&builder, EVENT_FILE_OPEN, 1, 2, 3);

	(void)state;
	schema_field_set(field_of("file_open", "result"), &open->header, (uint64_t)-2);
	schema_field_set(field_of("file_open", "device"), &open->header, UINT32_MAX);
	schema_field_set(field_of("file_open", "flags"), &open->header, 0x11ffffffffull);
	assert_true(open->result == -2);
	assert_int_equal(open->device, UINT32_MAX);
	assert_int_equal(open->inode, 0);
	assert_int_equal(open->number, 0);
	assert_true(schema_field_get(field_of("file_open", "result"), &open->header) == UINT64_MAX - 1);
	assert_true(schema_field_get(field_of("file_open", "device"), &open->header) == UINT32_MAX);
	event_builder_done(&builder);
}

static void builds_tails(void **state)
{
	struct event_builder builder = {};
	size_t length;

	(void)state;
	event_begin(&builder, EVENT_RUN_TEXT, 5, 6, 7);
	event_add_text(&builder, "kernel");
	event_add_text(&builder, "6.1");

	const struct event_header *event = event_end(&builder);
	const char *tail = event_tail(event, sizeof(struct event_run_text), &length);

	assert_int_equal(length, 10);
	assert_memory_equal(tail, "kernel\0006.1", 11);
	assert_int_equal(event->size, 34);
	assert_int_equal(event->pid, 6);

	/* The same builder again: nothing of the last record is left. */
	struct event_exec *exec = event_begin(&builder, EVENT_EXEC, 8, 9, 9);

	assert_int_equal(exec->uid, 0);
	event_add_part(&builder, "a", 1);
	event_add_part(&builder, "", 0);
	exec = (struct event_exec *)event_end(&builder);
	assert_memory_equal(EVENT_TAIL(exec, &length), "a\0", 3);
	assert_int_equal(length, 2);
	event_builder_done(&builder);
}

static void names_codes(void **state)
{
	const struct schema_kind *wake = schema_by_id(EVENT_WAKE), *init = schema_by_id(EVENT_CLASS_INIT);
	const struct schema_kind *gc = schema_by_id(EVENT_GC), *loss = schema_by_id(EVENT_LOSS);
	const struct code_table *table = codes_of(wake, schema_field_by_name(wake, "context", 7));
	uint64_t value;

	(void)state;
	assert_string_equal(code_name(table, CONTEXT_NETWORK), "network");
	assert_null(code_name(table, 99));
	assert_true(code_value(table, "disk!", 4, &value) && value == CONTEXT_DISK);
	assert_false(code_value(table, "dis", 3, &value));
	assert_null(codes_of(wake, schema_field_by_name(wake, "target_tid", 10)));
	/* The same field name, other codes. */
	assert_string_equal(code_name(codes_of(init, schema_field_by_name(init, "step", 4)), 1), "required");
	assert_string_equal(code_name(codes_of(gc, schema_field_by_name(gc, "step", 4)), 1), "begin");
	assert_string_equal(code_name(codes_of(loss, schema_field_by_name(loss, "lost_kind", 9)), 14), "wake");
}

static void reads_its_own_layout(void **state)
{
	struct layout layout = {};
	size_t length;
	char *text = layout_describe(&length);

	(void)state;
	made_assert_ok(layout_parse(&layout, text, length));
	for (uint32_t id = 0; id < LAYOUT_KINDS_MAX; id++) {
		const struct schema_kind *kind = schema_by_id(id);

		assert_int_equal(layout.kinds[id].is_stored, kind != NULL);
		if (!kind)
			continue;
		assert_true(layout.kinds[id].is_same);
		assert_int_equal(layout.kinds[id].stored_bytes, kind->fixed_bytes);
		assert_int_equal(layout.kinds[id].has_tail, kind->tail_name[0] != '\0');
	}
	layout_done(&layout);
	free(text);
}

static void refuses_bad_layouts(void **state)
{
	static const char *const bad[] = {
		"x exec\n",	    "256 exec\n",	 "99999999999999999999 exec\n",	   " exec\n",
		"1 exec\n1 exec\n", "1 exec a:u16:ID\n", "1 exec uid:u32:ID uid:u32:ID\n", "1 exec uid\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct layout layout = {};
		struct err *err = layout_parse(&layout, bad[i], strlen(bad[i]));

		assert_non_null(err);
		err_free(err);
		layout_done(&layout);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_kinds),		cmocka_unit_test(walks_all_kinds_in_order),
		cmocka_unit_test(places_fields),	cmocka_unit_test(gets_and_sets_fields),
		cmocka_unit_test(builds_tails),		cmocka_unit_test(names_codes),
		cmocka_unit_test(reads_its_own_layout), cmocka_unit_test(refuses_bad_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
