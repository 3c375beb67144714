/* Any bytes as a modules file; names are shared there, so how much they may take is checked. */
#include "fuzz_archive.h"
#include "parse/jimage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_memory memory = {.bytes = data};
	struct archive_source source = {fuzz_read_at, &memory, size};
	struct archive_index *index = NULL;
	struct err *err = jimage_read(&source, &index);

	if (index) {
		MUST(index->entries.count <= size / 8 && index->names.count <= 20 * (uint64_t)size);
		fuzz_check(index);
		fuzz_pack(index);
	}
	err_free(err);
	archive_index_free(index);
	return 0;
}
