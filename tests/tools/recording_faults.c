/* Prints each page fault of a recording as the model sees it, one JSON object a line, for tests to compare with what
 * the kernel and the JVM say of the same addresses.
 *
 *   recording_faults FILE */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/auto.h"
#include "format/reader.h"
#include "model/model.h"

/* Whether another thing came to the fault's address after it: what is there in the end is then not what it was about.
 * What is put into a place by MAP_FIXED, without a file, is more of the same. */
static bool is_mapped_anew(const struct model *model, uint32_t fault_index)
{
	const struct event_fault *fault = MODEL_EVENT(model, fault_index, fault);

	for (uint32_t i = fault_index + 1; i < model->event_count; i++) {
		const struct event_file_map *map = MODEL_EVENT(model, i, file_map);

		if (map->header.kind == EVENT_FILE_MAP && map->header.pid == fault->header.pid && map->result > 0 &&
		    (map->inode || !(map->flags & MAP_FIXED)) && fault->address >= (uint64_t)map->result &&
		    fault->address - (uint64_t)map->result < ((map->length + 4095) & ~4095ull))
			return true;
	}
	return false;
}

static struct err *print_faults(const char *path)
{
	struct reader *reader auto_done(reader_close) = NULL;
	struct model *model auto_done(model_free) = NULL;

	TRY(reader_open(path, &reader));
	TRY(model_load(reader, &model));
	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		const struct event_fault *fault = MODEL_EVENT(model, model->mappings.faults.items[i], fault);

		printf("{\"pid\": %u, \"mapped_anew\": %s, \"address\": %" PRIu64
		       ", \"kind\": \"%s\", \"part\": \"%s\"}\n",
		       fault->header.pid, is_mapped_anew(model, model->mappings.faults.items[i]) ? "true" : "false",
		       fault->address, model_region_name((enum region_kind)model->mappings.fault_kinds.items[i]),
		       model_part_name((enum mapping_part)model->mappings.fault_parts.items[i]));
	}
	return NULL;
}

int main(int argument_count, char **arguments)
{
	struct err *err;

	if (argument_count != 2) {
		fprintf(stderr, "usage: recording_faults FILE\n");
		return 2;
	}
	err = print_faults(arguments[1]);
	if (err) {
		auto_free char *line = err_line(err);

		fprintf(stderr, "recording_faults: %s\n", line);
		err_free(err);
		return 1;
	}
	return ferror(stdout) || fflush(stdout) != 0;
}
