/* Prints what an archive index says, for archive_witness.py and for measuring.
 *
 *     archive_list FILE           the index read from FILE, tab-separated
 *     archive_list --packed FILE  the same after packing and unpacking it
 *     archive_list --lookup FILE  the parts of each range "offset length" read from standard input, after packing
 *     archive_list --time FILE    how long it takes, what it reads, how large it is packed
 *
 * Bytes of names that are no printable ASCII, and %, are shown as %XX. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/auto.h"
#include "parse/archive.h"

struct counted_source {
	struct archive_source below;
	uint64_t reads, bytes;
};

static int counted_read_at(void *context, uint64_t offset, void *buffer, size_t length_bytes)
{
	struct counted_source *counted = context;

	counted->reads++;
	counted->bytes += length_bytes;
	return counted->below.read_at(counted->below.context, offset, buffer, length_bytes);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void print_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name[i] > ' ' && name[i] < 0x7f && name[i] != '%')
			putchar(name[i]);
		else
			printf("%%%02X", (unsigned char)name[i]);
}

static void print_index(const struct archive_index *index)
{
	for (size_t i = 0; i < index->archives.count; i++) {
		const struct archive *archive = &index->archives.items[i];

		printf("archive\t%zu\t%d\t%" PRIu32 "\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%d%d%d\t",
		       i, (int)archive->parent, archive->depth, archive->kind, archive->offset, archive->length_bytes,
		       archive->directory_offset, archive->directory_bytes, archive->end_offset, archive->entry_count,
		       archive->dropped_entry_count, archive->problems, archive->is_zip64, archive->is_signed,
		       archive->is_multi_release);
		if (archive->parent_entry != ARCHIVE_NONE) {
			const struct archive_entry *entry = &index->entries.items[archive->parent_entry];

			print_name(archive_entry_name(index, entry), entry->name_bytes);
		}
		putchar('\n');
	}
	for (size_t i = 0; i < index->entries.count; i++) {
		const struct archive_entry *entry = &index->entries.items[i];

		printf("entry\t%" PRIu32 "\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t",
		       entry->archive, (int)entry->nested, entry->header_offset, entry->data_offset,
		       entry->compressed_bytes, entry->uncompressed_bytes, entry->method, entry->flags);
		print_name(archive_entry_name(index, entry), entry->name_bytes);
		putchar('\n');
	}
}

static void print_part(void *context, const struct archive_part *part)
{
	static const char *const names[] = {"", "prefix", "header", "name", "data", "directory", "end", "gap"};
	const struct archive_index *index = context;

	printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t", names[part->kind], part->offset, part->length_bytes,
	       part->archive);
	if (part->entry != ARCHIVE_NONE)
		print_name(archive_entry_name(index, &index->entries.items[part->entry]),
			   index->entries.items[part->entry].name_bytes);
	putchar('\n');
}

static void print_lookups(const struct archive_index *index)
{
	uint64_t offset, length;

	while (scanf("%" SCNu64 " %" SCNu64, &offset, &length) == 2) {
		archive_lookup(index, offset, length, print_part, (void *)index);
		puts(".");
	}
}

static struct err *run(const char *mode, const char *path)
{
	auto_fd int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (descriptor < 0 || fstat(descriptor, &status) != 0)
		return err_new(ERR_FAILED, "cannot open '%s'", path);

	auto_done(archive_index_done) struct archive_index *read_index = NULL;
	auto_done(archive_index_done) struct archive_index *index = NULL;
	struct counted_source counted = {.below = archive_source_descriptor(descriptor, (uint64_t)status.st_size)};
	struct archive_source source = {
		.read_at = counted_read_at, .context = &counted, .size_bytes = (uint64_t)status.st_size};
	double start = now_ms();

	TRY(archive_read(&source, &read_index));

	double read = now_ms();
	auto_free uint8_t *packed = NULL;
	size_t packed_bytes;

	archive_pack(read_index, &packed, &packed_bytes);

	double packing = now_ms();

	TRY_CONTEXT(archive_unpack(packed, packed_bytes, &index), "unpacking what was packed");

	double unpacking = now_ms();

	if (strcmp(mode, "--lookup") == 0) {
		print_lookups(index);
		return NULL;
	}
	if (strcmp(mode, "--time") != 0) {
		print_index(strcmp(mode, "--packed") == 0 ? index : read_index);
		return NULL;
	}
	printf("%zu archives, %zu entries of %" PRIu64 " bytes: read in %.1f ms by %" PRIu64 " reads of %" PRIu64
	       " bytes; packed in %.1f ms to %zu bytes; unpacked in %.1f ms\n",
	       index->archives.count, index->entries.count, index->source_bytes, read - start, counted.reads,
	       counted.bytes, packing - read, packed_bytes, unpacking - packing);
	return NULL;
}

int main(int argc, char **argv)
{
	struct err *err = argc == 2 ? run("", argv[1]) : argc == 3 ? run(argv[1], argv[2]) : NULL;

	if (argc < 2 || argc > 3)
		return 2;
	if (!err)
		return 0;

	auto_free char *line = err_line(err);

	fprintf(stderr, "%s\n", line);
	err_free(err);
	return 1;
}
