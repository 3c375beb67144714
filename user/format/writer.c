/* Records go to the newest batch. Batches before it exist in urgent stretches only: they wait to be encoded when the
 * stretch ends, or to be written as they are when they are too many. The file always ends with a whole frame: a frame
 * that could not be written whole is taken back. */
#include "format/writer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "format/columns.h"
#include "format/newfile.h"
#include "format/recording.h"
#include "format/scratch.h"

enum {
	/* Of zstd's levels the one that pays: docs/format.md has the measurements. */
	COMPRESSION_LEVEL = 1,

	/* Columns at least this long begin a block of their own, with entropy tables of their own. */
	BLOCK_BYTES_LEAST = 1024,
};

struct batch {
	struct batch *next;
	char *bytes;
	size_t length_bytes, capacity_bytes;
	uint32_t event_count;
	uint64_t first_time_ns, last_time_ns;
};

struct writer {
	char *path;
	int fd;
	bool is_urgent;
	bool has_failed; /* an error was returned: everything is dropped from then on */
	uint64_t offset_bytes; /* of the end of the last whole frame */
	uint64_t recorded_events; /* in the frames written */
	struct writer_totals totals;

	struct batch *oldest, *newest; /* newest is NULL without any */
	struct batch *spare;
	size_t kept_bytes; /* in all batches but the newest */

	struct columns_encoder *encoder;
	ZSTD_CCtx *compressor;
	struct scratch compressed;
};

/* ---- the file ---- */

/* Takes back what a failed write left, so that the file ends with a whole frame. */
static struct err *write_failed(struct writer *writer, int error)
{
	writer->has_failed = true;
	if (ftruncate(writer->fd, (off_t)writer->offset_bytes) != 0)
		return err_errno(ERR_FAILED, error, "cannot write '%s' (and its last part cannot be taken back)",
				 writer->path);
	return err_errno(ERR_FAILED, error, "cannot write '%s'", writer->path);
}

static struct err *write_all(struct writer *writer, struct iovec *parts, int count)
{
	uint64_t offset_bytes = writer->offset_bytes;

	while (count > 0) {
		ssize_t written = pwritev(writer->fd, parts, count, (off_t)offset_bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return write_failed(writer, written < 0 ? errno : EIO);
		offset_bytes += (uint64_t)written;
		for (; count > 0 && (size_t)written >= parts->iov_len; parts++, count--)
			written -= (ssize_t)parts->iov_len;
		if (count > 0) {
			parts->iov_base = (char *)parts->iov_base + written;
			parts->iov_len -= (size_t)written;
		}
	}
	writer->offset_bytes = offset_bytes;
	return NULL;
}

static struct err *write_frame(struct writer *writer, struct frame_header header, const void *payload)
{
	header.magic = FRAME_MAGIC;
	header.payload_checksum = XXH3_64bits(payload, header.stored_bytes);
	header.header_checksum = XXH3_64bits(&header, offsetof(struct frame_header, header_checksum));

	struct iovec parts[] = {
		{&header, sizeof(header)},
		{(void *)payload, header.stored_bytes},
	};

	TRY(write_all(writer, parts, array_length(parts)));
	writer->totals.frames++;
	return NULL;
}

static struct err *write_head(struct writer *writer, const char *created_by)
{
	struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.version = RECORDING_VERSION,
		.least_reader = RECORDING_LEAST_READER,
	};
	size_t schema_bytes;
	auto_free char *schema = layout_describe(&schema_bytes);

	memcpy(header.created_by, created_by, strnlen(created_by, sizeof(header.created_by)));
	header.schema_checksum = XXH3_64bits(schema, schema_bytes);
	header.checksum = XXH3_64bits(&header, offsetof(struct recording_header, checksum));

	struct iovec parts[] = {{&header, sizeof(header)}};

	TRY(write_all(writer, parts, 1));

	size_t room = ZSTD_compressBound(schema_bytes);
	void *stored = scratch_reserve(&writer->compressed, room);
	size_t stored_bytes = ZSTD_compressCCtx(writer->compressor, stored, room, schema, schema_bytes, COMPRESSION_LEVEL);

	if (ZSTD_isError(stored_bytes))
		return err_new(ERR_FAILED, "cannot compress: %s", ZSTD_getErrorName(stored_bytes));
	return write_frame(writer,
			   (struct frame_header){
				   .type = FRAME_SCHEMA,
				   .coding = CODING_ZSTD,
				   .stored_bytes = (uint32_t)stored_bytes,
				   .content_bytes = (uint32_t)schema_bytes,
			   },
			   stored);
}

/* ---- batches ---- */

static void batch_free(struct batch *batch)
{
	if (!batch)
		return;
	free(batch->bytes);
	free(batch);
}

static void batch_start(struct writer *writer, size_t first_record_bytes)
{
	size_t capacity = first_record_bytes > RECORDING_BATCH_BYTES ? first_record_bytes : RECORDING_BATCH_BYTES;
	struct batch *batch = NULL;

	if (writer->spare && capacity <= RECORDING_BATCH_BYTES) {
		batch = writer->spare;
		writer->spare = batch->next;
	} else {
		batch = calloc(1, sizeof(*batch));
		if (!batch || !(batch->bytes = malloc(capacity)))
			memory_exhausted();
		batch->capacity_bytes = capacity;
	}
	batch->next = NULL;
	batch->length_bytes = 0;
	batch->event_count = 0;
	batch->first_time_ns = UINT64_MAX;
	batch->last_time_ns = 0;
	if (writer->newest) {
		writer->kept_bytes += writer->newest->length_bytes;
		writer->newest->next = batch;
	} else {
		writer->oldest = batch;
	}
	writer->newest = batch;
}

/* Takes the oldest batch out; it is kept for use again unless it was made for one large record. */
static void batch_end(struct writer *writer)
{
	struct batch *batch = writer->oldest;

	writer->oldest = batch->next;
	if (batch == writer->newest)
		writer->newest = NULL;
	else
		writer->kept_bytes -= batch->length_bytes;
	if (batch->capacity_bytes > RECORDING_BATCH_BYTES) {
		batch_free(batch);
		return;
	}
	batch->next = writer->spare;
	writer->spare = batch;
}

static bool batch_has_room(const struct batch *batch, size_t record_bytes)
{
	return batch && record_bytes <= batch->capacity_bytes - batch->length_bytes &&
	       batch->event_count < RECORDING_BATCH_EVENTS;
}

static struct frame_header batch_header(const struct batch *batch)
{
	return (struct frame_header){
		.record_bytes = (uint32_t)batch->length_bytes,
		.event_count = batch->event_count,
		.first_time_ns = batch->first_time_ns,
		.last_time_ns = batch->last_time_ns,
	};
}

static struct err *write_raw(struct writer *writer, const struct batch *batch)
{
	struct frame_header header = batch_header(batch);

	header.type = FRAME_RECORDS;
	header.coding = CODING_PLAIN;
	header.stored_bytes = header.content_bytes = (uint32_t)batch->length_bytes;
	return write_frame(writer, header, batch->bytes);
}

/* Feeds the content column by column: a flush ends a block, so that each has entropy tables for its own bytes. */
static size_t compress_columns(struct writer *writer, struct columns_content content)
{
	size_t room = ZSTD_compressBound(content.length_bytes) + content.length_bytes / BLOCK_BYTES_LEAST * 8 + 64;
	ZSTD_outBuffer out = {scratch_reserve(&writer->compressed, room), room, 0};
	size_t start = 0;

	ZSTD_CCtx_reset(writer->compressor, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
	ZSTD_CCtx_setPledgedSrcSize(writer->compressor, content.length_bytes);
	for (size_t i = 0; i < content.column_count; i++) {
		bool is_last = i + 1 == content.column_count;
		ZSTD_inBuffer in = {content.bytes + start, content.ends[i] - start, 0};

		if (in.size < BLOCK_BYTES_LEAST && !is_last)
			continue;

		size_t left = ZSTD_compressStream2(writer->compressor, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);

		if (ZSTD_isError(left))
			return left;
		start = content.ends[i];
	}
	return out.pos;
}

static struct err *write_encoded(struct writer *writer, const struct batch *batch)
{
	struct columns_content content = columns_encode(writer->encoder, batch->bytes, batch->event_count);
	struct frame_header header = batch_header(batch);
	size_t stored_bytes = content.length_bytes <= FRAME_BYTES_MAX ? compress_columns(writer, content) : SIZE_MAX;

	/* What the codecs cannot take is written as it is: larger, and as good. */
	if (ZSTD_isError(stored_bytes) || stored_bytes > FRAME_BYTES_MAX)
		return write_raw(writer, batch);
	header.type = FRAME_COLUMNS;
	header.coding = CODING_ZSTD;
	header.stored_bytes = (uint32_t)stored_bytes;
	header.content_bytes = (uint32_t)content.length_bytes;
	return write_frame(writer, header, writer->compressed.bytes);
}

/* Writes the oldest batch and lets go of it, whatever comes of it. */
static struct err *batch_write(struct writer *writer, bool is_encoded)
{
	struct batch *batch = writer->oldest;
	struct err *err = NULL;

	if (!writer->has_failed)
		err = is_encoded ? write_encoded(writer, batch) : write_raw(writer, batch);
	if (writer->has_failed)
		writer->totals.dropped_events += batch->event_count;
	else
		writer->recorded_events += batch->event_count;
	batch_end(writer);
	return err;
}

static struct err *first_error(struct err *first, struct err *second)
{
	if (first)
		err_free(second);
	return first ? first : second;
}

/* Writes the batches up to `last` (NULL: all). After a failure the rest is only counted: there is one error. */
static struct err *write_batches(struct writer *writer, const struct batch *last, bool is_encoded)
{
	struct err *err = NULL;

	while (writer->oldest && writer->oldest != last)
		err = first_error(err, batch_write(writer, is_encoded));
	return err;
}

/* Lets go of full batches: encoded, or in an urgent stretch as they are, as many as are too many. */
static struct err *make_room(struct writer *writer, size_t record_bytes)
{
	size_t wanted_bytes = record_bytes > RECORDING_BATCH_BYTES ? record_bytes : RECORDING_BATCH_BYTES;
	struct err *err = NULL;

	if (!writer->is_urgent)
		return write_batches(writer, NULL, true);
	while (!err && writer->oldest &&
	       writer->kept_bytes + writer->newest->length_bytes + wanted_bytes > WRITER_URGENT_BYTES)
		err = batch_write(writer, false);
	if (err)
		err = first_error(err, write_batches(writer, NULL, false));
	return err;
}

/* ---- the interface ---- */

struct err *writer_open(const char *path, uid_t owner_uid, gid_t owner_gid, const char *created_by,
			struct writer **ret_writer)
{
	struct writer *writer auto_done(writer_abandon) = calloc(1, sizeof(*writer));

	if (!writer)
		memory_exhausted();
	writer->fd = -1;
	writer->path = strdup(path);
	writer->compressor = ZSTD_createCCtx();
	if (!writer->path || !writer->compressor)
		memory_exhausted();
	writer->encoder = columns_encoder_new();
	TRY(newfile_create(path, owner_uid, owner_gid, &writer->fd));
	TRY(write_head(writer, created_by));
	*ret_writer = take(&writer);
	return NULL;
}

struct err *writer_append(struct writer *writer, const struct event_header *event)
{
	const struct schema_kind *kind = schema_by_id(event->kind);

	if (!kind)
		return err_new(ERR_FAILED, "cannot record an event of unknown kind %u", event->kind);
	if (event->size < kind->fixed_bytes || event->size > EVENT_SIZE_MAX)
		return err_new(ERR_FAILED, "cannot record an event '%s' of %u bytes", kind->name, event->size);

	/* Where a kind has no tail, what follows the fields is the padding of its struct. */
	uint32_t size_bytes = kind->tail_name[0] ? event->size : (uint32_t)kind->fixed_bytes;
	uint32_t stride_bytes = record_stride(size_bytes);
	struct err *err = NULL;

	writer->totals.events++;
	if (!writer->has_failed && !batch_has_room(writer->newest, stride_bytes)) {
		err = make_room(writer, stride_bytes);
		if (!writer->has_failed)
			batch_start(writer, stride_bytes);
	}
	if (writer->has_failed) {
		writer->totals.dropped_events++;
		return err;
	}

	struct batch *batch = writer->newest;
	char *at = batch->bytes + batch->length_bytes;

	memset(at + stride_bytes - RECORD_ALIGNMENT_BYTES, 0, RECORD_ALIGNMENT_BYTES);
	memcpy(at, event, size_bytes);
	((struct event_header *)at)->size = size_bytes;
	batch->length_bytes += stride_bytes;
	batch->event_count++;
	if (event->time_ns < batch->first_time_ns)
		batch->first_time_ns = event->time_ns;
	if (event->time_ns > batch->last_time_ns)
		batch->last_time_ns = event->time_ns;
	return NULL;
}

struct err *writer_set_urgent(struct writer *writer, bool is_urgent)
{
	writer->is_urgent = is_urgent;
	return is_urgent ? NULL : write_batches(writer, writer->newest, true);
}

struct err *writer_flush(struct writer *writer)
{
	return write_batches(writer, NULL, !writer->is_urgent);
}

static struct err *write_end(struct writer *writer)
{
	struct recording_end end = {
		.event_count = writer->recorded_events,
		.dropped_count = writer->totals.dropped_events,
	};

	return write_frame(writer,
			   (struct frame_header){
				   .type = FRAME_END,
				   .coding = CODING_PLAIN,
				   .stored_bytes = sizeof(end),
				   .content_bytes = sizeof(end),
			   },
			   &end);
}

struct err *writer_close(struct writer **writer)
{
	struct writer *closing auto_done(writer_abandon) = take(writer);

	if (!closing)
		return NULL;

	bool had_failed = closing->has_failed;
	struct err *err = write_batches(closing, NULL, true);
	struct err *end_err = write_end(closing);

	if (!end_err && close(take_fd(&closing->fd)) != 0)
		end_err = err_errno(ERR_FAILED, errno, "cannot write '%s'", closing->path);

	/* There may be room for the END frame where a large one failed. It says how much is missing, so it is tried; that it
	 * fails, too, is no news. */
	if (had_failed) {
		err_free(end_err);
		return err;
	}
	return first_error(err, end_err);
}

void writer_abandon(struct writer **writer)
{
	struct writer *abandoned = take(writer);

	if (!abandoned)
		return;
	while (abandoned->oldest) {
		struct batch *batch = abandoned->oldest;

		abandoned->oldest = batch->next;
		batch_free(batch);
	}
	while (abandoned->spare) {
		struct batch *batch = abandoned->spare;

		abandoned->spare = batch->next;
		batch_free(batch);
	}
	auto_fd_done(&abandoned->fd);
	ZSTD_freeCCtx(abandoned->compressor);
	columns_encoder_free(abandoned->encoder);
	scratch_done(&abandoned->compressed);
	free(abandoned->path);
	free(abandoned);
}

struct writer_totals writer_totals(const struct writer *writer)
{
	struct writer_totals totals = writer->totals;

	totals.written_bytes = writer->offset_bytes;
	return totals;
}
