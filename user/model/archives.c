/* Entry tables of archives: unpacked from their records, asked for by analyze. */
#include "model/load.h"

#include <string.h>

#include "parse/archive.h"

void files_collect(struct load *load, uint32_t index, const struct event_header *event)
{
	struct model *model = load->model;
	const struct event_archive *record = (const struct event_archive *)event;
	size_t length;
	const char *path = MODEL_TAIL(record, &length);
	size_t path_length = strnlen(path, length);
	uint32_t at = (uint32_t)model->files.archives.count;
	struct packed_archive *archive = vec_push(&model->files.archives);

	archive->path = strpool_add(&model->strings, path, path_length);
	archive->inode = record->inode;
	archive->device = record->device;
	archive->flags = record->flags;
	archive->event = index;
	if (path_length + 1 < length)
		err_free(archive_unpack(path + path_length + 1, length - path_length - 1, &archive->index));
	files_add_archive(model, record->device, record->inode, archive->path, at);
}

void archives_free(struct packed_archive *archive)
{
	archive_index_free(archive->index);
}

static const struct archive_index *index_of(const struct model *model, uint32_t archive)
{
	return archive < model->files.archives.count ? model->files.archives.items[archive].index : NULL;
}

uint32_t model_archive_count(const struct model *model, uint32_t archive)
{
	const struct archive_index *index = index_of(model, archive);

	return index ? (uint32_t)index->archives.count : 0;
}

uint32_t model_archive_entry_count(const struct model *model, uint32_t archive)
{
	const struct archive_index *index = index_of(model, archive);

	return index ? (uint32_t)index->entries.count : 0;
}

bool model_archive_facts(const struct model *model, uint32_t archive, uint32_t inner, struct archive_facts *ret_facts)
{
	const struct archive_index *index = index_of(model, archive);

	if (!index || inner >= index->archives.count)
		return false;

	const struct archive *of = &index->archives.items[inner];
	const char *name = of->parent_entry == ARCHIVE_NONE
				   ? model_text(model, model->files.archives.items[archive].path)
				   : archive_entry_name(index, &index->entries.items[of->parent_entry]);

	*ret_facts = (struct archive_facts){
		.name = name,
		.parent = of->parent == ARCHIVE_NONE ? NO_INDEX : of->parent,
		.first_entry = of->first_entry,
		.entry_count = of->entry_count,
		.offset = of->offset,
		.length_bytes = of->length_bytes,
		.directory_bytes = of->directory_bytes,
		.is_jimage = of->kind == ARCHIVE_JIMAGE,
		.is_signed = of->is_signed,
		.is_multi_release = of->is_multi_release,
	};
	return true;
}

bool model_archive_entry(const struct model *model, uint32_t archive, uint32_t entry,
			 struct archive_entry_facts *ret_entry)
{
	const struct archive_index *index = index_of(model, archive);

	if (!index || entry >= index->entries.count)
		return false;

	const struct archive_entry *of = &index->entries.items[entry];

	*ret_entry = (struct archive_entry_facts){
		.name = archive_entry_name(index, of),
		.archive = of->archive,
		.nested = of->nested == ARCHIVE_NONE ? NO_INDEX : of->nested,
		.data_offset = of->data_offset,
		.compressed_bytes = of->compressed_bytes,
		.uncompressed_bytes = of->uncompressed_bytes,
		.is_compressed = of->method != ARCHIVE_METHOD_STORED,
	};
	return true;
}

struct piece_sink {
	archive_piece_function *function;
	void *context;
};

static void give_piece(void *context, const struct archive_part *part)
{
	const struct piece_sink *sink = context;
	struct archive_piece piece = {
		.offset = part->offset,
		.length_bytes = part->length_bytes,
		.inner = part->archive,
		.entry = part->entry == ARCHIVE_NONE ? NO_INDEX : part->entry,
		.kind = PIECE_GAP,
	};

	switch (part->kind) {
	case ARCHIVE_PART_PREFIX:
		piece.kind = PIECE_PREFIX;
		break;
	case ARCHIVE_PART_HEADER:
	case ARCHIVE_PART_NAME:
		piece.kind = PIECE_HEADER;
		break;
	case ARCHIVE_PART_DATA:
		piece.kind = PIECE_DATA;
		break;
	case ARCHIVE_PART_DIRECTORY:
		piece.kind = PIECE_DIRECTORY;
		break;
	case ARCHIVE_PART_END:
		piece.kind = PIECE_END;
		break;
	case ARCHIVE_PART_GAP:
		break;
	}
	sink->function(sink->context, &piece);
}

void model_archive_pieces(const struct model *model, uint32_t archive, uint64_t offset, uint64_t length_bytes,
			  archive_piece_function *function, void *context)
{
	const struct archive_index *index = index_of(model, archive);
	struct piece_sink sink = {.function = function, .context = context};

	if (index)
		archive_lookup(index, offset, length_bytes, give_piece, &sink);
}
