/* Packed numbers: bytes worked out by hand, every magnitude there and back, and what damaged bytes do. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "format/pack.h"
#include "unit/format/made.h"

static void packs_by_place(void **state)
{
	/* 5 is 05; 300 = 2 * 128 + 44 is ac 02; 128 is 80 01; 16384 = 1 << 14 is 80 80 01. By place: the first bytes
	 * of all four, the second bytes of the last three, the third byte of the last. */
	uint64_t values[] = {5, 300, 128, 16384};
	static const uint8_t expected[] = {0x05, 0xac, 0x80, 0x80, 0x02, 0x01, 0x80, 0x01};
	struct pack pack = {};

	(void)state;
	pack_numbers(&pack, values, 4);
	assert_int_equal(pack.length_bytes, sizeof(expected));
	assert_memory_equal(pack.bytes, expected, sizeof(expected));
	assert_int_equal(pack.break_count, 3);
	assert_int_equal(pack.breaks[0], 4);
	assert_int_equal(pack.breaks[1], 7);
	assert_int_equal(pack.breaks[2], 8);
	pack_done(&pack);
}

static void zigzags(void **state)
{
	static const int64_t signed_values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
	static const uint64_t expected[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		assert_true(zigzag((uint64_t)signed_values[i]) == expected[i]);
		assert_true(unzigzag(expected[i]) == (uint64_t)signed_values[i]);
	}
}

static void goes_there_and_back(void **state)
{
	enum { COUNT = 3000 };
	struct made_random random = {11};
	uint64_t *values = calloc(COUNT, sizeof(*values)), *spoilt = calloc(COUNT, sizeof(*spoilt));
	uint64_t *back = calloc(COUNT, sizeof(*back));
	uint32_t *indexes = calloc(COUNT, sizeof(*indexes));
	struct pack pack = {};

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		values[i] = i == 7 ? UINT64_MAX : made_next(&random) >> made_below(&random, 64);
	memcpy(spoilt, values, COUNT * sizeof(*values));
	memcpy(pack_bytes(&pack, 3), "abc", 3);
	pack_numbers(&pack, spoilt, COUNT);

	/* Exactly sized, so that a sanitizer sees a read past the end. */
	uint8_t *bytes = malloc(pack.length_bytes);

	memcpy(bytes, pack.bytes, pack.length_bytes);

	struct unpack from = {bytes + 3, bytes + pack.length_bytes};

	assert_true(unpack_numbers(&from, back, indexes, COUNT));
	assert_ptr_equal(from.at, from.end);
	assert_memory_equal(back, values, COUNT * sizeof(*values));

	/* Every shorter stretch is refused. */
	for (size_t length = 3; length < pack.length_bytes; length++) {
		from = (struct unpack){bytes + 3, bytes + length};
		assert_false(unpack_numbers(&from, back, indexes, COUNT));
	}
	free(bytes);
	free(values);
	free(spoilt);
	free(back);
	free(indexes);
	pack_done(&pack);
}

static void refuses_numbers_without_end(void **state)
{
	uint8_t bytes[20];
	uint64_t value;
	uint32_t index;
	struct unpack from = {bytes, bytes + sizeof(bytes)};

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_false(unpack_numbers(&from, &value, &index, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packs_by_place),
		cmocka_unit_test(zigzags),
		cmocka_unit_test(goes_there_and_back),
		cmocka_unit_test(refuses_numbers_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
