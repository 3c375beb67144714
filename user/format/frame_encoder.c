#include "format/frame_encoder.h"

#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/auto.h"
#include "format/columns.h"
#include "format/layout.h"
#include "format/scratch.h"

enum {
	/* Of zstd's levels the one that pays: docs/format.md has the measurements. */
	COMPRESSION_LEVEL = 3,

	/* Parts of the content at least this long get a block of their own, with entropy tables of their own. */
	BLOCK_BYTES_LEAST = 1024,
	BLOCK_HEADER_BYTES = 3,
};

struct frame_encoder {
	struct columns_encoder *columns;
	ZSTD_CCtx *compressor;
	struct scratch compressed;
};

struct frame_encoder *frame_encoder_new(void)
{
	struct frame_encoder *encoder = calloc(1, sizeof(*encoder));

	if (!encoder || !(encoder->compressor = ZSTD_createCCtx()))
		memory_exhausted();
	ZSTD_CCtx_setParameter(encoder->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	encoder->columns = columns_encoder_new();
	return encoder;
}

void frame_encoder_free(struct frame_encoder *encoder)
{
	if (!encoder)
		return;
	columns_encoder_free(encoder->columns);
	ZSTD_freeCCtx(encoder->compressor);
	scratch_done(&encoder->compressed);
	free(encoder);
}

/* Feeds the content part by part: a flush ends a block. False where zstd refuses. */
static bool compress(struct frame_encoder *encoder, struct columns_content content, size_t *ret_length)
{
	size_t blocks_at_most = content.length_bytes / BLOCK_BYTES_LEAST + 1;
	size_t room = ZSTD_compressBound(content.length_bytes) + blocks_at_most * BLOCK_HEADER_BYTES;
	ZSTD_outBuffer out = {scratch_reserve(&encoder->compressed, room), room, 0};
	size_t start = 0;

	ZSTD_CCtx_reset(encoder->compressor, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(encoder->compressor, content.length_bytes);
	for (size_t i = 0; i < content.break_count; i++) {
		bool is_last = i + 1 == content.break_count;
		ZSTD_inBuffer in = {content.bytes + start, content.breaks[i] - start, 0};

		if (in.size < BLOCK_BYTES_LEAST && !is_last)
			continue;

		size_t left =
			ZSTD_compressStream2(encoder->compressor, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);

		if (left)
			return false; /* an error, or no room */
		start = content.breaks[i];
	}
	*ret_length = out.pos;
	return true;
}

static const void *fill_in(struct frame_encoder *encoder, struct frame_header *header, enum frame_type type,
			   struct columns_content content)
{
	size_t stored_bytes;

	if (content.length_bytes > FRAME_BYTES_MAX || !compress(encoder, content, &stored_bytes) ||
	    stored_bytes > FRAME_BYTES_MAX)
		return NULL;
	header->type = (uint8_t)type;
	header->coding = CODING_ZSTD;
	header->stored_bytes = (uint32_t)stored_bytes;
	header->content_bytes = (uint32_t)content.length_bytes;
	return encoder->compressed.bytes;
}

const void *frame_encoder_records(struct frame_encoder *encoder, const void *records, struct frame_header *header)
{
	return fill_in(encoder, header, FRAME_COLUMNS,
		       columns_encode(encoder->columns, records, header->event_count));
}

const void *frame_encoder_schema(struct frame_encoder *encoder, struct frame_header *header, uint64_t *ret_checksum)
{
	size_t length;
	auto_free char *schema = layout_describe(&length);
	uint32_t end = (uint32_t)length;
	struct columns_content content = {(const uint8_t *)schema, length, &end, 1};

	*ret_checksum = XXH3_64bits(schema, length);
	*header = (struct frame_header){};
	return fill_in(encoder, header, FRAME_SCHEMA, content);
}
