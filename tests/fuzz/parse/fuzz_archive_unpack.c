/* Any bytes as the packed form of an index. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct archive_index *index = NULL;
	struct err *err = archive_unpack(data, size, &index);

	if (index) {
		MUST(index->names.count <= 16 * size && index->entries.count * 5 <= size);
		fuzz_check(index);
		fuzz_pack(index);
	}
	err_free(err);
	archive_index_free(index);
	return 0;
}
