/* Frame by frame: header, payload, checksum, decompression, records. A frame that fails in any of these is a gap, and
 * the next one is looked for: behind it where its header holds, else by searching for a header that does. */
#include "format/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "format/columns.h"
#include "format/layout.h"
#include "format/recording.h"
#include "format/scratch.h"

struct reader {
	char *name;
	int fd; /* or -1: */
	const char *bytes;

	uint64_t offset_bytes; /* of the next frame */
	struct recording_header header;
	bool is_header_damaged;
	char created_by[RECORDING_CREATED_BY_BYTES + 1];
	struct layout layout;
	bool has_layout;
	struct reader_status status;
	VEC(struct reader_gap) gaps;

	/* The frame in memory. */
	const char *at, *end;
	struct scratch stored, content, records;
	ZSTD_DCtx *decompressor;
	struct columns_decoder *decoder;
};

/* ---- bytes ---- */

/* Reads up to `length` bytes; fewer only where the file has become shorter than it was. */
static struct err *read_bytes(struct reader *reader, uint64_t offset_bytes, void *target, size_t length,
			      size_t *ret_length)
{
	size_t done = 0;

	if (reader->fd < 0) {
		if (length)
			memcpy(target, reader->bytes + offset_bytes, length);
		*ret_length = length;
		return NULL;
	}
	while (done < length) {
		ssize_t got = pread(reader->fd, (char *)target + done, length - done, (off_t)(offset_bytes + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(ERR_FAILED, errno, "cannot read '%s'", reader->name);
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*ret_length = done;
	return NULL;
}

/* ---- what is wrong with the file ---- */

static void add_gap(struct reader *reader, uint64_t end_bytes, const struct frame_header *header)
{
	uint64_t start_bytes = reader->offset_bytes;
	struct reader_status *status = &reader->status;
	struct reader_gap *last = reader->gaps.count ? &reader->gaps.items[reader->gaps.count - 1] : NULL;
	struct reader_gap gap = {.offset_bytes = start_bytes, .length_bytes = end_bytes - start_bytes};

	if (header) {
		gap.events = header->event_count;
		gap.first_time_ns = header->first_time_ns;
		gap.last_time_ns = header->last_time_ns;
	}
	status->damaged_frames++;
	status->damaged_bytes += gap.length_bytes;
	status->damaged_events += gap.events;
	reader->offset_bytes = end_bytes;
	if (!last ||
	    (last->offset_bytes + last->length_bytes != start_bytes && reader->gaps.count < READER_GAPS_MAX)) {
		*vec_push(&reader->gaps) = gap;
		status->gaps = reader->gaps.items;
		status->gap_count = reader->gaps.count;
		return;
	}
	last->length_bytes = end_bytes - last->offset_bytes;
	last->events += gap.events;
	if (!last->first_time_ns || (gap.first_time_ns && gap.first_time_ns < last->first_time_ns))
		last->first_time_ns = gap.first_time_ns;
	if (gap.last_time_ns > last->last_time_ns)
		last->last_time_ns = gap.last_time_ns;
}

static void set_cut(struct reader *reader)
{
	reader->status.is_cut = true;
	reader->status.cut_bytes = reader->status.file_bytes - reader->offset_bytes;
	reader->offset_bytes = reader->status.file_bytes;
}

static bool is_header_good(const struct frame_header *header)
{
	return header->magic == FRAME_MAGIC && header->stored_bytes <= FRAME_BYTES_MAX &&
	       header->content_bytes <= FRAME_BYTES_MAX && header->record_bytes <= FRAME_BYTES_MAX &&
	       header->event_count <= FRAME_EVENTS_MAX &&
	       header->header_checksum == XXH3_64bits(header, offsetof(struct frame_header, header_checksum));
}

/* After a damaged header: everything up to the next good one is a gap, or up to the end. */
static struct err *skip_to_header(struct reader *reader)
{
	enum { STEP_BYTES = 64 * 1024 };
	auto_free char *window = malloc(STEP_BYTES);
	uint64_t from = reader->offset_bytes + 1;
	const uint32_t magic = FRAME_MAGIC;

	if (!window)
		memory_exhausted();
	while (reader->status.file_bytes - from >= sizeof(struct frame_header)) {
		uint64_t left = reader->status.file_bytes - from;
		size_t length;

		TRY(read_bytes(reader, from, window, left < STEP_BYTES ? (size_t)left : STEP_BYTES, &length));
		for (const char *at = window; length >= sizeof(struct frame_header);) {
			size_t room = length - (size_t)(at - window);
			const char *found = memmem(at, room, &magic, sizeof(magic));
			struct frame_header header;

			if (!found || (size_t)(window + length - found) < sizeof(header))
				break;
			memcpy(&header, found, sizeof(header));
			if (is_header_good(&header)) {
				add_gap(reader, from + (uint64_t)(found - window), NULL);
				return NULL;
			}
			at = found + 1;
		}
		if (length < sizeof(struct frame_header))
			break;
		from += length - sizeof(struct frame_header) + 1;
	}
	add_gap(reader, reader->status.file_bytes, NULL);
	return NULL;
}

/* ---- frames ---- */

/* The content, or NULL where it is damaged. */
static char *decompress(struct reader *reader, const struct frame_header *header)
{
	if (header->coding == CODING_PLAIN)
		return header->content_bytes == header->stored_bytes ? reader->stored.bytes : NULL;
	if (header->coding != CODING_ZSTD)
		return NULL;

	char *content = scratch_reserve(&reader->content, header->content_bytes);
	size_t length = ZSTD_decompressDCtx(reader->decompressor, content, header->content_bytes,
					    reader->stored.bytes, header->stored_bytes);

	return ZSTD_isError(length) || length != header->content_bytes ? NULL : content;
}

/* Walks records that lie as they did in the writer's memory. False where one is not what it should be. */
static bool check_records(const struct layout *layout, const char *content, const struct frame_header *header,
			  bool *ret_is_same, uint64_t *ret_converted_bytes, uint32_t *ret_known_count)
{
	size_t left = header->content_bytes;
	uint32_t count = 0;

	*ret_is_same = true;
	*ret_converted_bytes = 0;
	*ret_known_count = 0;
	for (; left; count++) {
		const struct event_header *event = (const struct event_header *)content;

		if (left < sizeof(*event) || event->kind >= LAYOUT_KINDS_MAX)
			return false;

		const struct layout_kind *kind = &layout->kinds[event->kind];

		if (!kind->is_stored || event->size < kind->stored_bytes || event->size > FRAME_BYTES_MAX ||
		    record_stride(event->size) > left)
			return false;
		if (kind->known) {
			*ret_converted_bytes += record_stride((uint32_t)layout_converted_bytes(kind, event->size));
			(*ret_known_count)++;
		}
		*ret_is_same &= kind->is_same && kind->known;
		content += record_stride(event->size);
		left -= record_stride(event->size);
	}
	return count == header->event_count && *ret_converted_bytes <= FRAME_BYTES_MAX;
}

static bool read_records(struct reader *reader, const struct frame_header *header, char *content)
{
	bool is_same;
	uint64_t converted_bytes;
	uint32_t known_count;

	if (!check_records(&reader->layout, content, header, &is_same, &converted_bytes, &known_count))
		return false;

	const char *end = content + header->content_bytes;
	char *target = is_same ? content : scratch_reserve(&reader->records, (size_t)converted_bytes + 1);

	reader->at = target;
	reader->end = target + converted_bytes;
	reader->status.unknown_events += header->event_count - known_count;
	while (content < end) {
		struct event_header *event = (struct event_header *)content;
		uint32_t size_bytes = event->size;

		content += record_stride(size_bytes);
		if (!reader->layout.kinds[event->kind].known)
			continue;
		if (!is_same)
			size_bytes = layout_convert(&reader->layout, event, (struct event_header *)target);
		target[size_bytes] = '\0';
		target += record_stride(size_bytes);
	}
	return true;
}

static bool read_columns(struct reader *reader, const struct frame_header *header, const char *content)
{
	struct columns_records records;

	if (!columns_decode(reader->decoder, &reader->layout, content, header->content_bytes, header->event_count,
			    &records))
		return false;
	reader->at = (const char *)records.first;
	reader->end = reader->at + records.length_bytes;
	reader->status.unknown_events += records.unknown_count;
	return true;
}

/* The layout from a SCHEMA frame's content; the first counts. */
static bool read_schema(struct reader *reader, const struct frame_header *header, const char *content)
{
	struct layout layout auto_done(layout_done) = {};
	struct err *err = layout_parse(&layout, content, header->content_bytes);

	if (err) {
		err_free(err);
		return false;
	}
	if (!reader->has_layout) {
		layout_done(&reader->layout);
		reader->layout = layout;
		layout = (struct layout){};
		reader->has_layout = true;
	}
	return true;
}

/* Where the SCHEMA frame is lost, records can still be read if our own event table is the one that it had. */
static bool has_layout(struct reader *reader)
{
	size_t length;
	auto_free char *schema = NULL;

	if (reader->has_layout)
		return true;
	schema = layout_describe(&length);
	if (reader->is_header_damaged || reader->header.schema_checksum != XXH3_64bits(schema, length))
		return false;
	err_free(layout_parse(&reader->layout, schema, length));
	reader->has_layout = true;
	return true;
}

static bool read_end(struct reader *reader, const struct frame_header *header, const char *content)
{
	struct recording_end end;

	if (header->content_bytes < sizeof(end))
		return false;
	memcpy(&end, content, sizeof(end));
	reader->status.is_ended = true;
	reader->status.dropped_events = end.dropped_count;
	return true;
}

static bool read_payload(struct reader *reader, const struct frame_header *header)
{
	char *content;

	if (header->payload_checksum != XXH3_64bits(reader->stored.bytes, header->stored_bytes) ||
	    !(content = decompress(reader, header)))
		return false;
	switch (header->type) {
	case FRAME_SCHEMA:
		return read_schema(reader, header, content);
	case FRAME_RECORDS:
		return has_layout(reader) && read_records(reader, header, content);
	case FRAME_COLUMNS:
		return has_layout(reader) && read_columns(reader, header, content);
	case FRAME_END:
		return read_end(reader, header, content);
	default:
		/* Of a later version: nothing that a reader of this one needs. */
		reader->status.unknown_events += header->event_count;
		return true;
	}
}

/* Takes one frame, or a gap, off the file. */
static struct err *read_frame(struct reader *reader)
{
	struct reader_status *status = &reader->status;
	uint64_t left = status->file_bytes - reader->offset_bytes;
	struct frame_header header;
	size_t length;

	reader->at = reader->end = NULL;
	if (left < sizeof(header)) {
		set_cut(reader);
		return NULL;
	}
	TRY(read_bytes(reader, reader->offset_bytes, &header, sizeof(header), &length));
	if (length < sizeof(header)) {
		set_cut(reader);
		return NULL;
	}
	if (!is_header_good(&header))
		return skip_to_header(reader);

	uint64_t frame_bytes = sizeof(header) + (uint64_t)header.stored_bytes;

	if (frame_bytes > left) {
		set_cut(reader);
		return NULL;
	}
	if (header.type == FRAME_VOID) {
		reader->offset_bytes += frame_bytes;
		return NULL;
	}
	TRY(read_bytes(reader, reader->offset_bytes + sizeof(header),
		       scratch_reserve(&reader->stored, header.stored_bytes), header.stored_bytes, &length));
	if (length < header.stored_bytes) {
		set_cut(reader);
		return NULL;
	}
	if (!read_payload(reader, &header)) {
		reader->at = reader->end = NULL;
		add_gap(reader, reader->offset_bytes + frame_bytes, &header);
		return NULL;
	}
	reader->offset_bytes += frame_bytes;
	status->frames++;
	if (status->is_ended && reader->offset_bytes < status->file_bytes)
		add_gap(reader, status->file_bytes, NULL);
	return NULL;
}

/* ---- the interface ---- */

static struct err *read_head(struct reader *reader)
{
	struct recording_header *header = &reader->header;
	uint64_t file_bytes = reader->status.file_bytes;
	size_t length = file_bytes < sizeof(*header) ? (size_t)file_bytes : sizeof(*header);

	TRY(read_bytes(reader, 0, header, length, &length));
	if (length == 0)
		return err_new(ERR_FAILED, "'%s' is empty", reader->name);
	if (memcmp(header->magic, RECORDING_MAGIC, length < sizeof(header->magic) ? length : sizeof(header->magic)) !=
	    0)
		return err_new(ERR_FAILED, "'%s' is not a warmtrace recording", reader->name);
	if (length < sizeof(*header))
		return err_new(ERR_FAILED, "'%s' is cut within its first %zu bytes: nothing can be read from it",
			       reader->name, sizeof(*header));

	reader->is_header_damaged =
		header->checksum != XXH3_64bits(header, offsetof(struct recording_header, checksum));
	if (reader->is_header_damaged) {
		/* Its numbers cannot be believed; the frames have checksums of their own. */
		header->version = RECORDING_VERSION;
		header->least_reader = RECORDING_VERSION;
		memset(header->created_by, 0, sizeof(header->created_by));
	}
	memcpy(reader->created_by, header->created_by, sizeof(header->created_by));
	for (char *at = reader->created_by; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	if (header->least_reader > RECORDING_VERSION)
		return err_hint(err_new(ERR_FAILED,
					"'%s' was written by %s in format %u, and this program reads up to format %u",
					reader->name, reader->created_by[0] ? reader->created_by : "a newer program",
					header->version, RECORDING_VERSION),
				"read it with the version that wrote it, or a newer one");
	return NULL;
}

static struct err *reader_start(struct reader **reader, struct reader **ret_reader)
{
	(*reader)->decompressor = ZSTD_createDCtx();
	(*reader)->decoder = columns_decoder_new();
	if (!(*reader)->decompressor)
		memory_exhausted();
	TRY(read_head(*reader));
	reader_rewind(*reader);
	*ret_reader = take(reader);
	return NULL;
}

static struct reader *reader_new(const char *name)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader || !(reader->name = strdup(name)))
		memory_exhausted();
	reader->fd = -1;
	return reader;
}

struct err *reader_open(const char *path, struct reader **ret_reader)
{
	struct reader *reader auto_done(reader_close) = reader_new(path);
	struct stat status;

	/* O_NONBLOCK: a pipe without a writer must end in the error below, not in waiting for one. */
	reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (reader->fd < 0 || fstat(reader->fd, &status) != 0)
		return err_errno(ERR_FAILED, errno, "cannot open '%s'", path);
	if (!S_ISREG(status.st_mode))
		return err_new(ERR_FAILED, "cannot read '%s': it is %s", path,
			       S_ISDIR(status.st_mode) ? "a folder" : "not a regular file");
	posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	reader->status.file_bytes = (uint64_t)status.st_size;
	return reader_start(&reader, ret_reader);
}

struct err *reader_open_bytes(const void *bytes, size_t length, const char *name, struct reader **ret_reader)
{
	struct reader *reader auto_done(reader_close) = reader_new(name);

	reader->bytes = bytes;
	reader->status.file_bytes = length;
	return reader_start(&reader, ret_reader);
}

struct err *reader_next(struct reader *reader, const struct event_header **ret_event)
{
	while (reader->at == reader->end) {
		if (reader->status.is_ended || reader->status.is_cut) {
			*ret_event = NULL;
			return NULL;
		}
		TRY(read_frame(reader));
	}

	const struct event_header *event = (const struct event_header *)reader->at;

	reader->at += record_stride(event->size);
	reader->status.events++;
	*ret_event = event;
	return NULL;
}

const struct reader_status *reader_status(const struct reader *reader)
{
	return &reader->status;
}

bool reader_was_cut(const struct reader *reader, uint64_t *ret_cut_bytes)
{
	if (ret_cut_bytes)
		*ret_cut_bytes = reader->status.cut_bytes;
	return reader->status.is_cut;
}

void reader_rewind(struct reader *reader)
{
	reader->status = (struct reader_status){
		.created_by = reader->created_by,
		.format_version = reader->header.version,
		.file_bytes = reader->status.file_bytes,
	};
	reader->gaps.count = 0;
	reader->at = reader->end = NULL;
	reader->offset_bytes = 0;
	if (reader->is_header_damaged)
		add_gap(reader, sizeof(reader->header), NULL);
	reader->offset_bytes = sizeof(reader->header);
}

void reader_close(struct reader **reader)
{
	struct reader *closing = take(reader);

	if (!closing)
		return;
	auto_fd_done(&closing->fd);
	ZSTD_freeDCtx(closing->decompressor);
	columns_decoder_free(closing->decoder);
	layout_done(&closing->layout);
	vec_done(&closing->gaps);
	scratch_done(&closing->stored);
	scratch_done(&closing->content);
	scratch_done(&closing->records);
	free(closing->name);
	free(closing);
}
