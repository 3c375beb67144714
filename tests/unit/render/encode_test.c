/* Encoders whose readers are other programs: SHA-256 for content security policies, protocol buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/protobuf.h"
#include "render/sha256.h"

static void assert_hash(const char *text, size_t length, const char *hexadecimal)
{
	struct sha256 hash = sha256_of(text, length);
	char found[65];

	for (int i = 0; i < 32; i++)
		snprintf(found + 2 * i, 3, "%02x", hash.bytes[i]);
	assert_string_equal(found, hexadecimal);
}

/* The examples of FIPS 180-4, and lengths around a block's end. */
static void test_sha256(void **state)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char *many = malloc(1000000);

	(void)state;
	assert_non_null(many);
	memset(many, 'a', 1000000);
	assert_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_hash(two_blocks, strlen(two_blocks),
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_hash(many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	assert_hash(many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	assert_hash(many, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
	assert_hash(many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	free(many);
}

static void test_source(void **state)
{
	(void)state;
	assert_string_equal(sha256_source_of("", 0).text, "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
	assert_string_equal(sha256_source_of("abc", 3).text, "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

static void assert_bytes(const struct protobuf *message, const char *bytes, size_t length)
{
	assert_int_equal(message->length_bytes, length);
	assert_memory_equal(message->bytes, bytes, length);
}

/* The examples of the encoding's description. */
static void test_protobuf(void **state)
{
	struct protobuf message = {}, outer = {};

	(void)state;
	protobuf_uint(&message, 1, 150);
	assert_bytes(&message, "\x08\x96\x01", 3);
	protobuf_message(&outer, 3, &message);
	assert_bytes(&outer, "\x1a\x03\x08\x96\x01", 5);
	protobuf_clear(&message);
	protobuf_text(&message, 2, "testing");
	assert_bytes(&message, "\x12\x07testing", 9);
	protobuf_clear(&message);
	protobuf_int(&message, 1, -2);
	assert_bytes(&message, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	protobuf_clear(&message);
	protobuf_fixed64(&message, 47, 0x0102030405060708);
	assert_bytes(&message, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	protobuf_clear(&message);
	protobuf_uint(&message, 60, UINT64_MAX);
	assert_bytes(&message, "\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	protobuf_clear(&message);
	protobuf_bytes(&message, 1, "", 0);
	assert_bytes(&message, "\x0a\x00", 2);
	protobuf_done(&message);
	protobuf_done(&outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_source),
		cmocka_unit_test(test_protobuf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
