#include "format/frame_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/auto.h"

/* Returns an errno, 0 for success; `*ret_is_begun` says whether a part was written before the error. */
static int write_parts(const struct frame_file *file, uint64_t offset_bytes, struct iovec *parts, int count,
		       bool *ret_is_begun)
{
	*ret_is_begun = false;
	while (count > 0) {
		ssize_t written = pwritev(file->fd, parts, count, (off_t)offset_bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		*ret_is_begun = true;
		offset_bytes += (uint64_t)written;
		for (; count > 0 && (size_t)written >= parts->iov_len; parts++, count--)
			written -= (ssize_t)parts->iov_len;
		if (count > 0) {
			parts->iov_base = (char *)parts->iov_base + written;
			parts->iov_len -= (size_t)written;
		}
	}
	return 0;
}

/* Takes back what a failed write left behind the end. */
static struct err *write_failed(struct frame_file *file, int error)
{
	if (ftruncate(file->fd, (off_t)file->end_bytes) != 0)
		return err_errno(ERR_FAILED, error, "cannot write '%s' (its unfinished end cannot be taken back)",
				 file->path);
	return err_errno(ERR_FAILED, error, "cannot write '%s'", file->path);
}

static struct err *append_parts(struct frame_file *file, struct iovec *parts, int count)
{
	uint64_t length_bytes = 0;
	bool is_begun;

	for (int i = 0; i < count; i++)
		length_bytes += parts[i].iov_len;

	int error = write_parts(file, file->end_bytes, parts, count, &is_begun);

	if (error)
		return write_failed(file, error);
	file->end_bytes += length_bytes;
	return NULL;
}

static struct frame_header sealed(struct frame_header header, const void *payload)
{
	header.magic = FRAME_MAGIC;
	header.payload_checksum = header.type == FRAME_VOID ? 0 : XXH3_64bits(payload, header.stored_bytes);
	header.header_checksum = XXH3_64bits(&header, offsetof(struct frame_header, header_checksum));
	return header;
}

struct err *frame_file_start(struct frame_file *file, struct recording_header header)
{
	header.checksum = XXH3_64bits(&header, offsetof(struct recording_header, checksum));

	struct iovec parts[] = {{&header, sizeof(header)}};

	return append_parts(file, parts, array_length(parts));
}

struct err *frame_file_append(struct frame_file *file, struct frame_header header, const void *payload)
{
	header = sealed(header, payload);

	struct iovec parts[] = {{&header, sizeof(header)}, {(void *)payload, header.stored_bytes}};

	return append_parts(file, parts, array_length(parts));
}

struct err *frame_file_replace(struct frame_file *file, uint64_t start_bytes, uint64_t end_bytes,
			       struct frame_header header, const void *payload, uint64_t *ret_frame_end_bytes)
{
	uint64_t needed_bytes = 2 * sizeof(header) + (uint64_t)header.stored_bytes;
	bool is_begun;

	*ret_frame_end_bytes = start_bytes;
	if (needed_bytes > end_bytes - start_bytes || end_bytes - start_bytes - needed_bytes > FRAME_BYTES_MAX)
		return NULL;
	header = sealed(header, payload);

	struct frame_header rest = sealed(
		(struct frame_header){
			.type = FRAME_VOID,
			.stored_bytes = (uint32_t)(end_bytes - start_bytes - needed_bytes),
			.content_bytes = (uint32_t)(end_bytes - start_bytes - needed_bytes),
		},
		NULL);
	struct iovec parts[] = {
		{&header, sizeof(header)},
		{(void *)payload, header.stored_bytes},
		{&rest, sizeof(rest)},
	};
	int error = write_parts(file, start_bytes, parts, array_length(parts), &is_begun);

	if (error && is_begun) {
		file->end_bytes = start_bytes;
		return write_failed(file, error);
	}
	if (!error)
		*ret_frame_end_bytes = start_bytes + sizeof(header) + header.stored_bytes;
	return NULL;
}

struct err *frame_file_cut(struct frame_file *file, uint64_t end_bytes)
{
	if (ftruncate(file->fd, (off_t)end_bytes) != 0)
		return err_errno(ERR_FAILED, errno, "cannot shorten '%s'", file->path);
	file->end_bytes = end_bytes;
	return NULL;
}
