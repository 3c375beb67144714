/* Records go to the newest batch. Batches before it exist in urgent stretches only: they wait to be encoded when the
 * stretch ends. Where they become too many, the oldest are written as they are, and these frames are read back,
 * encoded and replaced when the stretch ends, so that a long one does not make a large recording. */
#include "format/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "format/frame_encoder.h"
#include "format/frame_file.h"
#include "format/newfile.h"
#include "format/recording.h"
#include "format/schema.h"

struct batch {
	struct batch *next;
	char *bytes;
	size_t length_bytes, capacity_bytes;
	uint32_t event_count;
	uint64_t first_time_ns, last_time_ns;
};

/* A frame at the end of the file that was written as it was, to be replaced. */
struct raw_frame {
	uint64_t start_bytes;
	struct frame_header header;
};

struct writer {
	char *path;
	struct frame_file file;
	struct frame_encoder *encoder;
	bool is_urgent;
	bool has_failed; /* an error was returned: everything is dropped from then on */
	struct writer_totals totals;
	uint64_t recorded_events; /* in the frames written */

	struct batch *oldest, *newest; /* newest is NULL without any */
	struct batch *spare;
	size_t kept_bytes; /* in all batches but the newest */
	VEC(struct raw_frame) raw_frames;
};

static struct err *failed(struct writer *writer, struct err *err)
{
	if (err)
		writer->has_failed = true;
	return err;
}

static struct err *first_error(struct err *first, struct err *second)
{
	if (first)
		err_free(second);
	return first ? first : second;
}

/* ---- batches ---- */

static void batch_free(struct batch *batch)
{
	if (!batch)
		return;
	free(batch->bytes);
	free(batch);
}

static struct batch *batch_new(size_t capacity_bytes)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch || !(batch->bytes = malloc(capacity_bytes)))
		memory_exhausted();
	batch->capacity_bytes = capacity_bytes;
	return batch;
}

/* A new newest batch, for one record if that is large. */
static void batch_start(struct writer *writer, size_t first_record_bytes)
{
	struct batch *batch = writer->spare;

	if (first_record_bytes > RECORDING_BATCH_BYTES)
		batch = batch_new(first_record_bytes);
	else if (batch)
		writer->spare = batch->next;
	else
		batch = batch_new(RECORDING_BATCH_BYTES);
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

static void batch_add(struct batch *batch, const struct event_header *event, uint32_t size_bytes)
{
	uint32_t stride_bytes = record_stride(size_bytes);
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
}

/* ---- frames ---- */

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
	uint64_t start_bytes = writer->file.end_bytes;

	header.type = FRAME_RECORDS;
	header.coding = CODING_PLAIN;
	header.stored_bytes = header.content_bytes = (uint32_t)batch->length_bytes;
	TRY(frame_file_append(&writer->file, header, batch->bytes));
	if (writer->is_urgent)
		*vec_push(&writer->raw_frames) = (struct raw_frame){start_bytes, header};
	return NULL;
}

static struct err *write_encoded(struct writer *writer, const struct batch *batch)
{
	struct frame_header header = batch_header(batch);
	const void *payload = frame_encoder_records(writer->encoder, batch->bytes, &header);

	return payload ? frame_file_append(&writer->file, header, payload) : write_raw(writer, batch);
}

/* Reads a frame back and puts it, encoded, at `start_bytes`, at or before its place. Where it has to stay as it is,
 * `*ret_end_bytes` is `start_bytes`, else the end of the new frame. */
static struct err *encode_raw_frame(struct writer *writer, const struct raw_frame *raw, uint64_t start_bytes,
				    uint64_t *ret_end_bytes)
{
	struct frame_header header = raw->header;
	size_t length = header.stored_bytes;
	auto_free char *records = malloc(length);

	*ret_end_bytes = start_bytes;
	if (!records)
		memory_exhausted();
	if (pread(writer->file.fd, records, length, (off_t)(raw->start_bytes + sizeof(header))) != (ssize_t)length)
		return NULL;

	const void *payload = frame_encoder_records(writer->encoder, records, &header);

	if (!payload)
		return NULL;
	return frame_file_replace(&writer->file, start_bytes, raw->start_bytes + sizeof(header) + length, header,
				  payload, ret_end_bytes);
}

/* Replaces the frames of the urgent stretch that is over, which are the last of the file: each moves up to the end of
 * the one before. One that has to stay ends this, since what follows it cannot move. */
static struct err *encode_raw_frames(struct writer *writer)
{
	size_t count = writer->raw_frames.count, done = 0;
	uint64_t start_bytes = count ? writer->raw_frames.items[0].start_bytes : 0;

	writer->raw_frames.count = 0;
	for (; done < count; done++) {
		uint64_t end_bytes;
		struct err *err = encode_raw_frame(writer, &writer->raw_frames.items[done], start_bytes, &end_bytes);

		for (size_t i = done; err && i < count; i++) {
			writer->recorded_events -= writer->raw_frames.items[i].header.event_count;
			writer->totals.dropped_events += writer->raw_frames.items[i].header.event_count;
		}
		TRY(failed(writer, err));
		if (end_bytes == start_bytes)
			return NULL;
		start_bytes = end_bytes;
	}
	/* Where the file cannot be shortened it ends with a VOID frame, and is as good. */
	if (count)
		err_free(frame_file_cut(&writer->file, start_bytes));
	return NULL;
}

/* Writes the oldest batch and lets go of it, whatever comes of it. */
static struct err *batch_write(struct writer *writer, bool is_encoded)
{
	struct batch *batch = writer->oldest;
	struct err *err = NULL;

	if (!writer->has_failed)
		err = failed(writer, is_encoded ? write_encoded(writer, batch) : write_raw(writer, batch));
	if (writer->has_failed) {
		writer->totals.dropped_events += batch->event_count;
	} else {
		writer->recorded_events += batch->event_count;
		writer->totals.frames++;
	}
	batch_end(writer);
	return err;
}

/* Writes the batches up to `last` (NULL: all). After a failure the rest is only counted: there is one error. */
static struct err *write_batches(struct writer *writer, const struct batch *last, bool is_encoded)
{
	struct err *err = is_encoded && !writer->has_failed ? encode_raw_frames(writer) : NULL;

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

static struct err *write_head(struct writer *writer, const char *created_by)
{
	struct recording_header header = {
		.magic = RECORDING_MAGIC,
		.version = RECORDING_VERSION,
		.least_reader = RECORDING_LEAST_READER,
	};
	struct frame_header schema_header;
	const void *schema = frame_encoder_schema(writer->encoder, &schema_header, &header.schema_checksum);

	if (!schema)
		return err_new(ERR_FAILED, "cannot compress the schema of '%s'", writer->path);
	memcpy(header.created_by, created_by, strnlen(created_by, sizeof(header.created_by)));
	TRY(frame_file_start(&writer->file, header));
	return frame_file_append(&writer->file, schema_header, schema);
}

struct err *writer_open(const char *path, uid_t owner_uid, gid_t owner_gid, const char *created_by,
			struct writer **ret_writer)
{
	struct writer *writer auto_done(writer_abandon) = calloc(1, sizeof(*writer));

	if (!writer || !(writer->path = strdup(path)))
		memory_exhausted();
	writer->file = (struct frame_file){.fd = -1, .path = writer->path};
	writer->encoder = frame_encoder_new();
	TRY(newfile_create(path, owner_uid, owner_gid, &writer->file.fd));
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
	if (writer->has_failed)
		writer->totals.dropped_events++;
	else
		batch_add(writer->newest, event, size_bytes);
	return err;
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
	struct frame_header header = {
		.type = FRAME_END,
		.coding = CODING_PLAIN,
		.stored_bytes = sizeof(end),
		.content_bytes = sizeof(end),
	};

	return frame_file_append(&writer->file, header, &end);
}

struct err *writer_close(struct writer **writer)
{
	struct writer *closing auto_done(writer_abandon) = take(writer);

	if (!closing)
		return NULL;

	bool had_failed = closing->has_failed;
	struct err *err = write_batches(closing, NULL, true);
	struct err *end_err = write_end(closing);

	if (!end_err && close(take_fd(&closing->file.fd)) != 0)
		end_err = err_errno(ERR_FAILED, errno, "cannot write '%s'", closing->path);

	/* There may be room for the END frame where a large one failed. It says how much is missing, so it is tried;
	 * that it fails, too, is no news. */
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
	while (abandoned->oldest)
		batch_end(abandoned);
	while (abandoned->spare) {
		struct batch *batch = abandoned->spare;

		abandoned->spare = batch->next;
		batch_free(batch);
	}
	vec_done(&abandoned->raw_frames);
	auto_fd_done(&abandoned->file.fd);
	frame_encoder_free(abandoned->encoder);
	free(abandoned->path);
	free(abandoned);
}

struct writer_totals writer_totals(const struct writer *writer)
{
	struct writer_totals totals = writer->totals;

	totals.written_bytes = writer->file.end_bytes;
	return totals;
}
