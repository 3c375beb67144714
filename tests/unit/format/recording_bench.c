/* Shows how small a recording is and how fast it is written and read: numbers to look at, nothing is asserted.
 *
 *	recording_bench TRACE.txt	the records of a text trace
 *	recording_bench FILE.wtr	those of a recording
 *	recording_bench [COUNT]		a made-up start of a server (stream.h), 500,000 records unless told otherwise
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/auto.h"
#include "base/vec.h"
#include "format/reader.h"
#include "format/recording.h"
#include "format/text.h"
#include "format/writer.h"
#include "unit/format/stream.h"

/* Records as they lie in memory, before any timing. */
struct records {
	char *bytes;
	size_t length, capacity, count;
};

static struct err *keep(void *context, const struct event_header *event)
{
	struct records *records = context;
	size_t stride = record_stride(event->size);

	if (records->length + stride > records->capacity)
		records->bytes = vec_grow(records->bytes, &records->capacity, records->length + stride, 1);
	memcpy(records->bytes + records->length, event, event->size);
	records->length += stride;
	records->count++;
	return NULL;
}

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct err *load(int argc, char **argv, struct records *records)
{
	const char *path = argc > 1 ? argv[1] : "";
	size_t length = strlen(path);

	if (length > 4 && strcmp(path + length - 4, ".wtr") == 0) {
		struct reader *reader auto_done(reader_close) = NULL;
		const struct event_header *event;

		TRY(reader_open(path, &reader));
		for (;;) {
			TRY(reader_next(reader, &event));
			if (!event)
				return NULL;
			TRY(keep(records, event));
		}
	}
	if (length > 4 && strcmp(path + length - 4, ".txt") == 0) {
		auto_file FILE *file = fopen(path, "r");

		return file ? text_parse_file(file, path, keep, records)
			    : err_new(ERR_FAILED, "cannot open '%s'", path);
	}
	return stream_make(length ? strtoull(path, NULL, 10) : 500000, 1, keep, records);
}

static struct err *write_records(const struct records *records, const char *path, bool is_urgent)
{
	struct writer *writer auto_done(writer_abandon) = NULL;
	const char *at = records->bytes;

	TRY(writer_open(path, geteuid(), getegid(), "bench", &writer));
	TRY(writer_set_urgent(writer, is_urgent));
	for (size_t i = 0; i < records->count; i++) {
		const struct event_header *event = (const struct event_header *)at;

		TRY(writer_append(writer, event));
		at += record_stride(event->size);
	}
	return writer_close(&writer);
}

static struct err *read_records(const char *path, size_t *ret_count, uint64_t *ret_bytes)
{
	struct reader *reader auto_done(reader_close) = NULL;
	const struct event_header *event;
	size_t count = 0;

	TRY(reader_open(path, &reader));
	for (;; count++) {
		TRY(reader_next(reader, &event));
		if (!event)
			break;
	}
	*ret_count = count;
	*ret_bytes = reader_status(reader)->file_bytes;
	return NULL;
}

static struct err *bench(const struct records *records)
{
	static const struct {
		const char *name;
		bool is_urgent;
	} ways[] = {{"encoded", false}, {"urgent", true}};
	char path[] = "/tmp/recording_bench-XXXXXX";
	struct rusage usage;

	if (!mkdtemp(path))
		return err_new(ERR_FAILED, "cannot make a folder");

	char file[sizeof(path) + 16];

	snprintf(file, sizeof(file), "%s/bench.wtr", path);
	printf("%zu records, %.1f bytes each in memory\n", records->count,
	       (double)records->length / (double)records->count);
	for (size_t i = 0; i < array_length(ways); i++) {
		double write_s = 1e9, read_s = 1e9;
		uint64_t bytes = 0;
		size_t count = 0;

		for (int round = 0; round < 3; round++) {
			double start_s = now_s(CLOCK_PROCESS_CPUTIME_ID);

			unlink(file);
			TRY(write_records(records, file, ways[i].is_urgent));

			double middle_s = now_s(CLOCK_PROCESS_CPUTIME_ID);

			TRY(read_records(file, &count, &bytes));

			double end_s = now_s(CLOCK_PROCESS_CPUTIME_ID);

			write_s = middle_s - start_s < write_s ? middle_s - start_s : write_s;
			read_s = end_s - middle_s < read_s ? end_s - middle_s : read_s;
		}
		printf("%s: %.2f bytes/record, written at %.0f ns/record, read at %.1f million records/s\n",
		       ways[i].name, (double)bytes / (double)count, write_s / (double)count * 1e9,
		       (double)count / read_s / 1e6);
	}
	unlink(file);
	rmdir(path);
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %.1f MiB, of which records in memory %.1f MiB\n", (double)usage.ru_maxrss / 1024,
	       (double)records->capacity / 1048576);
	return NULL;
}

int main(int argc, char **argv)
{
	struct records records = {};
	struct err *err = load(argc, argv, &records);

	if (!err)
		err = bench(&records);
	if (err) {
		auto_free char *line = err_line(err);

		fprintf(stderr, "recording_bench: %s\n", line);
		err_free(err);
	}
	free(records.bytes);
	return err ? 1 : 0;
}
