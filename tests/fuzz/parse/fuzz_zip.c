/* Any bytes as a zip. Beyond what fuzz_archive.h checks: what is read and what is kept stays in proportion to the
 * file. */
#include "fuzz_archive.h"
#include "parse/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_memory memory = {.bytes = data};
	struct archive_source source = {fuzz_read_at, &memory, size};
	struct archive_index *index = NULL;
	struct err *err = zip_read(&source, &index);

	MUST(memory.read_bytes <= 100000 + 1000 * (uint64_t)size);
	if (index) {
		MUST(index->entries.count <= size / 46 && index->names.count <= size);
		fuzz_check(index);
		fuzz_pack(index);
	}
	err_free(err);
	archive_index_free(index);
	return 0;
}
