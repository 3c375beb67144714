/* The recording as a file of whole frames: what is appended is there wholly or not at all.
 *
 * Frames written in haste can later be replaced by smaller ones in place; what is left of each becomes a VOID frame
 * until the next one is moved up, so that the file can be read at any moment. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "format/recording.h"

struct frame_file {
	int fd;
	const char *path;   /* borrowed, for errors */
	uint64_t end_bytes; /* of the last whole frame */
};

/* Writes the recording_header, its checksum filled in, to an empty file. */
struct err *frame_file_start(struct frame_file *file, struct recording_header header) must_check;

/* Appends a frame, its magic and checksums filled in. On failure the file is as before. */
struct err *frame_file_append(struct frame_file *file, struct frame_header header, const void *payload) must_check;

/* Overwrites [start, end) of the file with a frame and a VOID frame behind it; `*ret_frame_end_bytes` is where the
 * former ends. It is `start_bytes`, and nothing has changed, where they do not fit or nothing could be written. An
 * error where a part could be written: the file was cut at `start_bytes`. */
struct err *frame_file_replace(struct frame_file *file, uint64_t start_bytes, uint64_t end_bytes,
			       struct frame_header header, const void *payload,
			       uint64_t *ret_frame_end_bytes) must_check;

/* Cuts the file, at the end of a frame. */
struct err *frame_file_cut(struct frame_file *file, uint64_t end_bytes) must_check;
