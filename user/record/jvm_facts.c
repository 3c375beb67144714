#include "record/jvm_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"
#include "parse/redact.h"
#include "record/proc_file.h"

enum { WITNESSES_MAX = 4096 };

static void write_fact(pid_t pid, struct output *output, const char *name, const char *value)
{
	char key[64];

	if (!value)
		return;
	snprintf(key, sizeof(key), "jvm.%d.%s", pid, name);
	output_text(output, key, value);
}

/* The words between the launcher and the main class or jar: what was asked of the VM. */
static void write_arguments(pid_t pid, struct output *output)
{
	auto_free char *text = NULL, *redacted = NULL;
	size_t length = 0, redacted_length = 0, end;
	char key[64];
	struct err *err = proc_file_read(pid, "cmdline", &text, &length);

	if (err || !length) {
		err_free(err);
		return;
	}

	size_t at = strlen(text) + 1, start = at;

	for (end = at; at < length; end = at) {
		const char *word = text + at;
		bool takes_value = strcmp(word, "-cp") == 0 || strcmp(word, "-classpath") == 0 ||
				   strcmp(word, "--class-path") == 0 || strcmp(word, "-p") == 0 ||
				   strcmp(word, "--module-path") == 0 || strcmp(word, "--add-modules") == 0 ||
				   strcmp(word, "--add-opens") == 0 || strcmp(word, "--add-exports") == 0;

		if (*word != '-' && *word != '@')
			break;
		if (strcmp(word, "-jar") == 0 || strcmp(word, "-m") == 0 || strcmp(word, "--module") == 0)
			break;
		at += strlen(word) + 1;
		if (takes_value && at < length)
			at += strlen(text + at) + 1;
	}
	if (end <= start)
		return;
	redacted = redact_arguments(text + start, end - start, &redacted_length);
	snprintf(key, sizeof(key), "jvm.%d.arguments", pid);
	if (redacted && redacted_length)
		output_text_bytes(output, key, redacted, redacted_length - 1);
}

static void write_region(pid_t pid, struct output *output, const char *kind, const struct hotspot_range *range)
{
	char key[64];

	snprintf(key, sizeof(key), "region.%d.%s", pid, kind);
	output_textf(output, key, "%lx-%lx", (unsigned long)range->start, (unsigned long)range->end);
}

struct witness_ranges {
	VEC(uint64_t) class_space, metaspace;
};

static void see_witness(void *context, enum hotspot_witness kind, uint64_t address)
{
	struct witness_ranges *ranges = context;

	if (kind == HOTSPOT_WITNESS_CLASS_SPACE)
		*vec_push(&ranges->class_space) = address;
	else
		*vec_push(&ranges->metaspace) = address;
}

/* The mappings of the process that hold one of the addresses, as "start-end,start-end". */
static void write_regions_of(pid_t pid, struct output *output, const char *kind, const uint64_t *addresses,
			     size_t count)
{
	auto_free char *maps = NULL, *regions = NULL;
	size_t length = 0, regions_length = 0;
	struct err *err = proc_file_read(pid, "maps", &maps, &length);

	if (err || !count) {
		err_free(err);
		return;
	}

	FILE *stream = open_memstream(&regions, &regions_length);
	char *line = maps;

	while (stream && line && *line) {
		unsigned long start, end;
		bool holds = false;

		if (sscanf(line, "%lx-%lx", &start, &end) == 2)
			for (size_t i = 0; i < count && !holds; i++)
				holds = addresses[i] >= start && addresses[i] < end;
		if (holds)
			fprintf(stream, "%s%lx-%lx", ftell(stream) ? "," : "", start, end);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!stream)
		return;
	fclose(stream);
	if (regions_length) {
		char key[64];

		snprintf(key, sizeof(key), "region.%d.%s", pid, kind);
		output_text(output, key, regions);
	}
}

bool jvm_facts_write(struct hotspot *hotspot, pid_t pid, struct output *output)
{
	struct hotspot_version version;
	struct hotspot_range code, range;
	uint64_t max_heap;
	const char *text;

	if (!hotspot_version_read(hotspot, &version) || !hotspot_code_range(hotspot, &code))
		return false;
	write_fact(pid, output, "version", version.release);
	write_fact(pid, output, "info", version.info);
	write_fact(pid, output, "gc", hotspot_gc_name(hotspot));
	write_fact(pid, output, "trap_reasons", hotspot_trap_reasons(hotspot));
	write_fact(pid, output, "trap_actions", hotspot_trap_actions(hotspot));
	write_arguments(pid, output);
	if (hotspot_flag_number(hotspot, "MaxHeapSize", &max_heap, NULL)) {
		char key[64];

		snprintf(key, sizeof(key), "jvm.%d.max_heap", pid);
		output_textf(output, key, "%lu", (unsigned long)max_heap);
	}
	if (hotspot_flag_text(hotspot, "AOTCache", &text, NULL) && text)
		write_fact(pid, output, "aot_requested", text);
	if (hotspot_flag_text(hotspot, "SharedArchiveFile", &text, NULL) && text)
		write_fact(pid, output, "cds_archive", text);
	write_region(pid, output, "code_cache", &code);
	if (hotspot_heap_range(hotspot, &range))
		write_region(pid, output, "heap", &range);
	if (hotspot_shared_range(hotspot, &range))
		write_region(pid, output, "cds", &range);
	jvm_facts_write_metaspace(hotspot, pid, output);
	return true;
}

void jvm_facts_write_metaspace(struct hotspot *hotspot, pid_t pid, struct output *output)
{
	struct witness_ranges witnesses = {};

	hotspot_metadata_witnesses(hotspot, WITNESSES_MAX, see_witness, &witnesses);
	write_regions_of(pid, output, "class_space", witnesses.class_space.items, witnesses.class_space.count);
	write_regions_of(pid, output, "metaspace", witnesses.metaspace.items, witnesses.metaspace.count);
	vec_done(&witnesses.class_space);
	vec_done(&witnesses.metaspace);
}
