#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/auto.h"
#include "base/json_out.h"

struct document {
	char *text;
	size_t length_bytes;
	struct json_out json;
};

static void begin(struct document *document)
{
	*document = (struct document){};
	document->json.out = open_memstream(&document->text, &document->length_bytes);
	assert_non_null(document->json.out);
}

static void end(struct document *document, const char *wanted)
{
	assert_null(json_out_finish(&document->json));
	fclose(document->json.out);
	assert_string_equal(document->text, wanted);
	free(document->text);
}

static void layout(void **state)
{
	struct document document;

	(void)state;
	begin(&document);
	json_out_object(&document.json);
	json_out_key(&document.json, "a");
	json_out_int(&document.json, 1);
	json_out_key(&document.json, "list");
	json_out_array(&document.json);
	json_out_object_flat(&document.json);
	json_out_key(&document.json, "x");
	json_out_bool(&document.json, true);
	json_out_key(&document.json, "y");
	json_out_array(&document.json);
	json_out_null(&document.json);
	json_out_int(&document.json, 2);
	json_out_array_end(&document.json);
	json_out_object_end(&document.json);
	json_out_text(&document.json, NULL);
	json_out_array_end(&document.json);
	json_out_key(&document.json, "empty");
	json_out_object(&document.json);
	json_out_object_end(&document.json);
	json_out_object_end(&document.json);
	end(&document, "{\n\t\"a\": 1,\n\t\"list\": [\n\t\t{\"x\": true, \"y\": [null, "
		       "2]},\n\t\tnull\n\t],\n\t\"empty\": {}\n}\n");
}

static void integers(void **state)
{
	struct document document;

	(void)state;
	begin(&document);
	json_out_array_flat(&document.json);
	json_out_int(&document.json, INT64_MAX);
	json_out_int(&document.json, INT64_MIN);
	json_out_int(&document.json, 9007199254740993); /* no double holds it */
	json_out_array_end(&document.json);
	end(&document, "[9223372036854775807, -9223372036854775808, 9007199254740993]\n");
}

static void reals(void **state)
{
	struct document document;

	(void)state;
	begin(&document);
	json_out_array_flat(&document.json);
	json_out_real(&document.json, 0.1);
	json_out_real(&document.json, 1.0 / 3);
	json_out_real(&document.json, 0.1 + 0.2);
	json_out_real(&document.json, 100);
	json_out_real(&document.json, 1e14);
	json_out_real(&document.json, 0.00012);
	json_out_real(&document.json, 5e-324);
	json_out_real(&document.json, 1.7976931348623157e308);
	json_out_real(&document.json, NAN);
	json_out_real(&document.json, -INFINITY);
	json_out_array_end(&document.json);
	end(&document, "[0.1, 0.3333333333333333, 0.30000000000000004, 100, 100000000000000, 0.00012, 5e-324, "
		       "1.7976931348623157e+308, null, null]\n");
}

static void strings(void **state)
{
	struct document document;

	(void)state;
	begin(&document);
	json_out_array_flat(&document.json);
	json_out_text(&document.json, "q\"b\\n\nt\t\x01\x7f");
	json_out_text(&document.json, "\xe2\x80\xa8\xe2\x80\xa9 \xc2\x9b \xc3\xa9");
	json_out_text(&document.json, "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
				      "A"); /* table 3-11 of the Unicode standard */
	json_out_bytes(&document.json, "a\0b", 3);
	json_out_array_end(&document.json);
	end(&document, "[\"q\\\"b\\\\n\\nt\\t\\u0001\\u007f\", \"\\u2028\\u2029 \\u009b \xc3\xa9\", "
		       "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		       "A\", \"a\\u0000b\"]\n");
}

/* Every byte and every pair of bytes makes a string that an independent parser accepts. */
static void any_bytes_parse(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 256; first++) {
		struct document document;

		begin(&document);
		json_out_array_flat(&document.json);
		for (unsigned second = 0; second < 256; second++) {
			const char bytes[] = {(char)first, (char)second};

			json_out_bytes(&document.json, bytes, sizeof(bytes));
		}
		json_out_array_end(&document.json);
		assert_null(json_out_finish(&document.json));
		fclose(document.json.out);

		json_error_t error;
		json_t *value = json_loadb(document.text, document.length_bytes, JSON_ALLOW_NUL, &error);

		if (!value)
			fail_msg("after byte %02x: %s", first, error.text);
		assert_int_equal(json_array_size(value), 256);
		json_decref(value);
		free(document.text);
	}
}

static void assert_misuse(struct document *document, const char *why)
{
	struct err *err = json_out_finish(&document->json);
	auto_free char *line = err_line(err);

	assert_non_null(err);
	assert_string_equal(line, why);
	err_free(err);
	fclose(document->json.out);
	free(document->text);
}

static void misuse_is_an_error(void **state)
{
	struct document document;

	(void)state;
	begin(&document);
	json_out_object(&document.json);
	assert_misuse(&document, "cannot write JSON: an unfinished document");
	begin(&document);
	assert_misuse(&document, "cannot write JSON: an unfinished document");
	begin(&document);
	json_out_object(&document.json);
	json_out_int(&document.json, 1);
	json_out_object_end(&document.json);
	assert_misuse(&document, "cannot write JSON: a value without a key in an object");
	begin(&document);
	json_out_object(&document.json);
	json_out_array_end(&document.json);
	assert_misuse(&document, "cannot write JSON: an end that does not match its begin");
	begin(&document);
	json_out_object(&document.json);
	json_out_key(&document.json, "k");
	json_out_object_end(&document.json);
	assert_misuse(&document, "cannot write JSON: an end that does not match its begin");
	begin(&document);
	json_out_array(&document.json);
	json_out_key(&document.json, "k");
	json_out_array_end(&document.json);
	assert_misuse(&document, "cannot write JSON: a key where none may stand");
	begin(&document);
	json_out_int(&document.json, 1);
	json_out_int(&document.json, 2);
	assert_misuse(&document, "cannot write JSON: a second value after the document's end");
	begin(&document);
	for (int i = 0; i <= JSON_OUT_DEPTH_MAX; i++)
		json_out_array(&document.json);
	for (int i = 0; i < JSON_OUT_DEPTH_MAX; i++)
		json_out_array_end(&document.json);
	assert_misuse(&document, "cannot write JSON: too deep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout),  cmocka_unit_test(integers),	      cmocka_unit_test(reals),
		cmocka_unit_test(strings), cmocka_unit_test(any_bytes_parse), cmocka_unit_test(misuse_is_an_error),
	};

	return cmocka_run_group_tests_name("json_out", tests, NULL, NULL);
}
