/* Makes a recording of as many records as wanted from a real one, for measuring how the reporter grows:
 *
 *	repeat_recording FROM TO COUNT
 *
 * The first COUNT records of FROM; where it has fewer, those of the kinds that a long run has ever more of are repeated, later by
 * the recording's length each time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/reader.h"
#include "format/recording.h"
#include "format/writer.h"

static bool is_repeated(uint32_t kind)
{
	switch (kind) {
	case EVENT_SYSCALL:
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
	case EVENT_FAULT:
	case EVENT_SWITCH_OUT:
	case EVENT_SWITCH_IN:
	case EVENT_WAKE:
	case EVENT_INTERRUPT:
	case EVENT_EXCEPTION:
	case EVENT_SAMPLE:
	case EVENT_VM_WAIT:
		return true;
	default:
		return false;
	}
}

struct records {
	char *bytes;
	size_t length, capacity, count;
};

static void keep(struct records *records, const struct event_header *event)
{
	size_t stride = record_stride(event->size);

	if (records->length + stride > records->capacity)
		records->bytes = vec_grow(records->bytes, &records->capacity, records->length + stride, 1);
	__builtin_memcpy(records->bytes + records->length, event, event->size);
	records->length += stride;
	records->count++;
}

static struct err *repeat(const char *from, const char *to, uint64_t wanted)
{
	struct reader *reader auto_done(reader_close) = NULL;
	struct writer *writer auto_done(writer_abandon) = NULL;
	struct records records = {};
	const struct event_header *event;
	uint64_t count = 0, first_ns = UINT64_MAX, last_ns = 0;

	TRY(reader_open(from, &reader));
	TRY(writer_open(to, geteuid(), getegid(), "warmtrace test", &writer));
	while (count < wanted) {
		TRY(reader_next(reader, &event));
		if (!event)
			break;
		TRY(writer_append(writer, event));
		count++;
		if (!is_repeated(event->kind))
			continue;
		keep(&records, event);
		first_ns = event->time_ns < first_ns ? event->time_ns : first_ns;
		last_ns = event->time_ns > last_ns ? event->time_ns : last_ns;
	}
	if (count < wanted && !records.count)
		return err_new(ERR_FAILED, "'%s' has nothing to repeat", from);
	for (uint64_t round = 1; count < wanted; round++) {
		for (size_t at = 0; at < records.length && count < wanted; count++) {
			struct event_header *again = (struct event_header *)(records.bytes + at);

			again->time_ns += last_ns - first_ns + 1;
			at += record_stride(again->size);
			TRY(writer_append(writer, again));
		}
	}
	free(records.bytes);
	return writer_close(&writer);
}

int main(int argc, char **argv)
{
	struct err *err;

	if (argc != 4) {
		fprintf(stderr, "usage: repeat_recording FROM TO COUNT\n");
		return 2;
	}
	err = repeat(argv[1], argv[2], strtoull(argv[3], NULL, 10));
	if (!err)
		return 0;

	auto_free char *line = err_line(err);

	fprintf(stderr, "repeat_recording: %s\n", line);
	err_free(err);
	return 1;
}
