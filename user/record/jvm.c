#include "record/jvm.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/vec.h"
#include "record/jvm_facts.h"
#include "record/memory_hold.h"

enum {
	/* Frames are named while their code is still there: compiled code is seldom thrown away within seconds. */
	NAMING_PATIENCE_MS = 1000,
	NAMING_SLICE = 16,
	/* A VM is set up within tens of milliseconds. */
	LATE_FACTS_MS = 1000,
	/* Hidden classes have a ClassLoaderData each. */
	LOADERS_MAX = 2048,
	BLOCK_BYTES = 4096,
	BLOCK_COUNT = 256,
};

struct pending_frame {
	struct stack_frame frame;
	uint64_t seen_ns;
};

/* A piece of the VM's memory, kept for one round of naming: names, constant pools and methods lie close together, and each
 * read of another process's memory takes its address space's lock. */
struct memory_block {
	uint64_t address; /* 0: empty */
	char bytes[BLOCK_BYTES];
};

struct jvm {
	pid_t pid;
	uint64_t base_address;
	int elf_fd, memory_fd;
	char path[4096];
	struct elf_file *elf;
	struct map symbols; /* hash of a name that the readers ask for → its address, 0 where libjvm has none */
	struct hotspot *hotspot; /* NULL: not read, or not to be read */
	uint64_t text_start, text_end;
	struct map named; /* hash of a frame → 1, also of those on the list */
	VEC(struct pending_frame) pending;
	size_t pending_done;
	struct map loaders; /* ClassLoaderData* → 1 */
	VEC(uint64_t) pending_loaders;
	struct memory_block *blocks; /* BLOCK_COUNT, by address */
	struct memory_hold *hold;
	uint64_t opened_ns;
	bool is_facts_written, has_ended;
	struct hotspot_frames frames; /* of the frame being named: too large for the stack */
	uint32_t slot;
};

struct jvm *jvm_new(pid_t pid, uint64_t base_address, uint64_t text_start, uint64_t text_end, int elf_fd,
		    const char *path)
{
	struct jvm *jvm = calloc(1, sizeof(*jvm));
	char memory[64];

	if (!jvm)
		memory_exhausted();
	jvm->pid = pid;
	jvm->base_address = base_address;
	jvm->text_start = text_start;
	jvm->text_end = text_end;
	jvm->elf_fd = elf_fd;
	snprintf(jvm->path, sizeof(jvm->path), "%s", path);
	snprintf(memory, sizeof(memory), "/proc/%d/mem", pid);
	/* Opened while the process is there: it stays readable as long as the address space lives. */
	jvm->memory_fd = open(memory, O_RDONLY | O_CLOEXEC);
	jvm->blocks = calloc(BLOCK_COUNT, sizeof(*jvm->blocks));
	if (!jvm->blocks)
		memory_exhausted();
	return jvm;
}

void jvm_free(struct jvm *jvm)
{
	if (!jvm)
		return;
	memory_hold_release(jvm->hold);
	hotspot_close(jvm->hotspot);
	elf_close(jvm->elf);
	if (jvm->elf_fd >= 0)
		close(jvm->elf_fd);
	if (jvm->memory_fd >= 0)
		close(jvm->memory_fd);
	map_done(&jvm->named);
	map_done(&jvm->symbols);
	vec_done(&jvm->pending);
	map_done(&jvm->loaders);
	vec_done(&jvm->pending_loaders);
	free(jvm->blocks);
	free(jvm);
}

pid_t jvm_pid(const struct jvm *jvm)
{
	return jvm->pid;
}

void jvm_set_ended(struct jvm *jvm)
{
	jvm->has_ended = true;
}

bool jvm_has_ended(const struct jvm *jvm)
{
	return jvm->has_ended;
}

static bool read_memory(void *context, uint64_t address, void *buffer, size_t length_bytes)
{
	struct jvm *jvm = context;
	uint64_t start = address & ~(uint64_t)(BLOCK_BYTES - 1);
	struct memory_block *block = &jvm->blocks[start / BLOCK_BYTES % BLOCK_COUNT];

	if (address - start + length_bytes > BLOCK_BYTES)
		return pread(jvm->memory_fd, buffer, length_bytes, (off_t)address) == (ssize_t)length_bytes;
	if (block->address != start || !start) {
		block->address = 0;
		if (pread(jvm->memory_fd, block->bytes, BLOCK_BYTES, (off_t)start) != BLOCK_BYTES)
			return pread(jvm->memory_fd, buffer, length_bytes, (off_t)address) == (ssize_t)length_bytes;
		block->address = start;
	}
	memcpy(buffer, block->bytes + (address - start), length_bytes);
	return true;
}

static void forget_memory(struct jvm *jvm)
{
	for (size_t i = 0; i < BLOCK_COUNT; i++)
		jvm->blocks[i].address = 0;
}

static bool see_symbol(void *context, const struct elf_symbol *symbol)
{
	struct jvm *jvm = context;
	uint64_t *address = map_find(&jvm->symbols, hash_bytes(symbol->name, strlen(symbol->name)));

	if (address && !*address)
		*address = jvm->base_address + symbol->address;
	return true;
}

/* All at once: the table has 70,000 symbols, and the process is held meanwhile. */
static struct err *find_symbols(struct jvm *jvm)
{
	const char *names[128];
	size_t count = hotspot_symbol_names(names, array_length(names));

	for (size_t i = 0; i < count && i < array_length(names); i++)
		map_set(&jvm->symbols, hash_bytes(names[i], strlen(names[i])), 0, NULL);
	return elf_each_symbol(jvm->elf, see_symbol, jvm);
}

static uint64_t symbol_address(void *context, const char *name)
{
	const struct jvm *jvm = context;
	const uint64_t *address = map_find(&jvm->symbols, hash_bytes(name, strlen(name)));

	return address ? *address : 0;
}

/* ---- the walking programs ---- */

static struct err *give_to_programs(struct jvm *jvm, struct probes *probes)
{
	static const uint32_t slot_count = HOTSPOT_PROCESSES;
	struct hotspot_process process = {};
	uint32_t pid = (uint32_t)jvm->pid;

	hotspot_bpf_config(jvm->hotspot, &process.config);
	process.config.text_start = jvm->text_start;
	process.config.text_end = jvm->text_end;
	/* Processes rarely outnumber the slots; the slot of one long gone is taken over. */
	jvm->slot = pid % slot_count;
	if (bpf_map_update_elem(probes_map_fd(probes, "hotspot_processes"), &jvm->slot, &process, BPF_ANY) != 0 ||
	    bpf_map_update_elem(probes_map_fd(probes, "hotspot_slots"), &pid, &jvm->slot, BPF_ANY) != 0)
		return err_new(ERR_FAILED, "the table of Java processes is full");
	return NULL;
}

static void observe_features(struct jvm *jvm, struct probes *probes)
{
	static const struct {
		enum hotspot_feature feature;
		const char *what;
	} rows[] = {
		{HOTSPOT_CLASS_NAMES, "exception_classes"},	{HOTSPOT_INTERPRETED_FRAMES, "java_stacks"},
		{HOTSPOT_COMPILED_FRAMES, "compiled_frames"},	{HOTSPOT_INLINED_FRAMES, "inlined_frames"},
		{HOTSPOT_LINE_NUMBERS, "line_numbers"},		{HOTSPOT_FROZEN_FRAMES, "virtual_thread_frames"},
		{HOTSPOT_TRAP_REASONS, "deoptimization_reasons"},
	};

	for (size_t i = 0; i < array_length(rows); i++) {
		bool is_there = hotspot_has(jvm->hotspot, rows[i].feature);
		const char *why = hotspot_missing(jvm->hotspot, rows[i].feature);

		probes_observe(probes, rows[i].what, is_there ? OBSERVED_YES : OBSERVED_NO, "%s", why ? why : "");
	}
}

/* What the probes' places in libjvm already said stands, but for this: they cannot see everything. */
static void observe_throws(struct jvm *jvm, struct probes *probes)
{
	static const char what[] = "exceptions_without_trace";
	const char *why = hotspot_missing(jvm->hotspot, HOTSPOT_BACKTRACES);

	if (why) {
		probes_observe(probes, what, OBSERVED_NO, "%s", why);
		return;
	}
	for vec_each(known, &probes->observations) {
		if (strcmp(known->what, what) == 0 && known->state == OBSERVED_YES) {
			probes_observe(probes, what, OBSERVED_PARTLY, "%s",
				       "those that only compiled code throws and catches are not seen");
			return;
		}
	}
}

void jvm_open(struct jvm *jvm, struct probes *probes, struct output *output)
{
	struct hotspot_access access = {.read = read_memory, .symbol = symbol_address, .context = jvm};
	struct err *err = NULL;

	if (jvm->hotspot)
		return;
	forget_memory(jvm);
	if (!jvm->elf)
		err = elf_open(jvm->elf_fd, jvm->path, &jvm->elf);
	if (!err && !jvm->symbols.count)
		err = find_symbols(jvm);
	if (!err)
		err = hotspot_open(&access, &jvm->hotspot);
	if (!err)
		err = give_to_programs(jvm, probes);
	if (!err) {
		observe_features(jvm, probes);
		observe_throws(jvm, probes);
		jvm->opened_ns = clock_now_ns();
		if (probes->features.has[FEATURE_USERFAULTFD])
			jvm->hold = memory_hold_new(jvm->pid);
		return;
	}

	auto_free char *line = err_line(err);

	output_textf(output, "note", "the JVM of process %d cannot be read from outside: %s", jvm->pid, line ? line : "");
	probes_observe(probes, "java_stacks", OBSERVED_NO, "%s", line ? line : "");
	probes_observe(probes, "exception_classes", OBSERVED_NO, "%s", line ? line : "");
	err_free(err);
}

/* ---- facts ---- */

void jvm_write_facts(struct jvm *jvm, struct output *output)
{
	if (!jvm->hotspot || jvm->is_facts_written)
		return;
	forget_memory(jvm);
	jvm->is_facts_written = jvm_facts_write(jvm->hotspot, jvm->pid, output);
}

void jvm_write_late_facts(struct jvm *jvm, struct output *output)
{
	if (jvm->opened_ns && !jvm->is_facts_written && clock_now_ns() - jvm->opened_ns > LATE_FACTS_MS * 1000000ull)
		jvm_write_facts(jvm, output);
}

void jvm_write_metaspace(struct jvm *jvm, struct output *output)
{
	if (!jvm->hotspot)
		return;
	forget_memory(jvm);
	jvm_facts_write_metaspace(jvm->hotspot, jvm->pid, output);
}

/* ---- names ---- */

static void write_frame_names(struct jvm *jvm, const struct stack_frame *frame, struct output *output)
{
	struct hotspot_frames *frames = &jvm->frames;

	if (!hotspot_frame_read(jvm->hotspot, frame, frames))
		return;
	for (size_t i = 0; i < frames->count; i++) {
		const struct hotspot_frame *named = &frames->items[i];
		struct event_frame_name *event = event_begin(&output->builder, EVENT_FRAME_NAME, clock_now_ns(),
							     (uint32_t)jvm->pid, (uint32_t)jvm->pid);
		char line[16];

		snprintf(line, sizeof(line), "%u", named->line);
		event->method = named->method_address;
		event->code = frame->method;
		event->at = frame->at;
		event->type = frame->type;
		event_add_text(&output->builder, named->method.class_name ? named->method.class_name : "");
		event_add_text(&output->builder, named->method.name ? named->method.name : "");
		event_add_text(&output->builder, named->method.file ? named->method.file : "");
		event_add_text(&output->builder, line);
		output_event(output, event_end(&output->builder));
	}
}

void jvm_see_stack(struct jvm *jvm, const struct event_stack *stack)
{
	size_t room = (stack->header.size - offsetof(struct event_stack, tail)) / sizeof(struct stack_frame);
	size_t count = stack->frame_count < room ? stack->frame_count : room;

	if (!jvm->hotspot)
		return;
	for (size_t i = 0; i < count; i++) {
		struct stack_frame frame;
		bool is_new;

		memcpy(&frame, stack->tail + i * sizeof(frame), sizeof(frame));
		map_set(&jvm->named, hash_combine(hash_combine(frame.method, frame.at), frame.type ^ ((uint64_t)frame.cookie << 32)),
			1, &is_new);
		if (is_new)
			*vec_push(&jvm->pending) = (struct pending_frame){frame, stack->header.time_ns};
	}
}

void jvm_see_loader(struct jvm *jvm, uint64_t loader_data)
{
	bool is_new;

	if (!jvm->hotspot || !loader_data || jvm->loaders.count == LOADERS_MAX)
		return;
	map_set(&jvm->loaders, loader_data, 1, &is_new);
	if (is_new)
		*vec_push(&jvm->pending_loaders) = loader_data;
}

void jvm_name_loaders(struct jvm *jvm, const struct probes *probes, struct output *output)
{
	if (!jvm->pending_loaders.count || (!jvm->has_ended && probes_is_in_request(probes)))
		return;
	for vec_each(loader, &jvm->pending_loaders) {
		const char *first, *second;
		char key[64];

		/* A collection may move the loader between our reads: what they say must be the same twice. */
		forget_memory(jvm);
		first = hotspot_loader_name(jvm->hotspot, *loader);
		if (!first)
			continue;
		forget_memory(jvm);
		second = hotspot_loader_name(jvm->hotspot, *loader);
		snprintf(key, sizeof(key), "loader.%d.%lx", jvm->pid, (unsigned long)*loader);
		if (second && strcmp(first, second) == 0)
			output_text(output, key, *first ? first : "boot");
	}
	jvm->pending_loaders.count = 0;
}

void jvm_name_frames(struct jvm *jvm, const struct probes *probes, struct output *output)
{
	uint64_t now_ns = clock_now_ns();
	size_t sliced = 0;

	if (jvm->pending_done == jvm->pending.count)
		return;
	forget_memory(jvm);
	for (; jvm->pending_done < jvm->pending.count; jvm->pending_done++) {
		const struct pending_frame *pending = &jvm->pending.items[jvm->pending_done];

		/* Asked for each: a request may arrive while the names of the whole start are being read. */
		if (!jvm->has_ended && probes_is_in_request(probes) &&
		    (now_ns - pending->seen_ns < NAMING_PATIENCE_MS * 1000000ull || sliced++ == NAMING_SLICE))
			return;
		write_frame_names(jvm, &pending->frame, output);
	}
	jvm->pending.count = jvm->pending_done = 0;
}
