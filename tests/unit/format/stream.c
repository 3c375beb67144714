#include "unit/format/stream.h"

#include <stdio.h>

#include "base/auto.h"
#include "format/event.h"

enum {
	THREADS = 14,
	CPUS = 4,
	STACKS = 600,
	HOT_ADDRESSES = 500,
};

struct thread {
	uint32_t tid;
	uint64_t stack_pointer;
	uint64_t heap_address; /* of the last page fault */
};

struct stream {
	uint64_t random;
	uint64_t time_ns;
	size_t count, made;
	struct thread threads[THREADS];
	uint32_t running[CPUS]; /* index of a thread */
	uint64_t jar_offset;
	size_t class_count;
	struct event_builder builder;
	text_sink *sink;
	void *context;
};

static uint64_t next_random(struct stream *stream)
{
	uint64_t mixed = stream->random += 0x9e3779b97f4a7c15ull;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
	return mixed ^ mixed >> 31;
}

static uint64_t below(struct stream *stream, uint64_t limit)
{
	return next_random(stream) % limit;
}

/* Small ones often, large ones seldom, as with durations and with what is popular. */
static uint64_t skewed(struct stream *stream, unsigned bits)
{
	return next_random(stream) & ((1ull << (1 + below(stream, bits))) - 1);
}

static struct thread *on_cpu(struct stream *stream, unsigned cpu)
{
	return &stream->threads[stream->running[cpu]];
}

static void *begin(struct stream *stream, enum event_kind kind, unsigned cpu)
{
	stream->time_ns += 250 + skewed(stream, 13);

	struct event_header *header =
		event_begin(&stream->builder, kind, stream->time_ns, 4000, on_cpu(stream, cpu)->tid);

	header->cpu = (u16)cpu;
	return header;
}

static struct err *end(struct stream *stream)
{
	stream->made++;
	return stream->sink(stream->context, event_end(&stream->builder));
}

static uint64_t hot_address(struct stream *stream)
{
	uint64_t index = skewed(stream, 9) % HOT_ADDRESSES;

	return 0x7f3c10000000ull + index * 0x9e37 % 0x1000000;
}

static uint64_t hot_stack(struct stream *stream)
{
	return (1 + skewed(stream, 10) % STACKS) * 0x9e3779b97f4a7c15ull;
}

static struct err *fault(struct stream *stream, unsigned cpu)
{
	struct thread *thread = on_cpu(stream, cpu);
	struct event_fault *event = begin(stream, EVENT_FAULT, cpu);

	thread->heap_address += (skewed(stream, 4) << 12) + (below(stream, 512) & ~7ull);
	event->duration_ns = 350 + skewed(stream, 10);
	event->address = thread->heap_address;
	event->instruction = hot_address(stream);
	return end(stream);
}

static struct err *system_call(struct stream *stream, unsigned cpu)
{
	static const uint32_t numbers[] = {202, 202, 202, 202, 0, 186, 9, 10, 11, 28, 3, 5, 232};
	struct event_syscall *event = begin(stream, EVENT_SYSCALL, cpu);

	event->duration_ns = 200 + skewed(stream, 12);
	event->number = numbers[below(stream, array_length(numbers))];
	event->argument0 = 0x7f3c94000000ull + (skewed(stream, 7) << 4);
	event->argument1 = event->number == 202 ? 128 + below(stream, 2) : below(stream, 64);
	event->argument2 = skewed(stream, 6);
	return end(stream);
}

static struct err *file_read(struct stream *stream, unsigned cpu)
{
	struct event_file_read *event = begin(stream, EVENT_FILE_READ, cpu);

	event->length = 30 + skewed(stream, 12);
	event->result = (i64)event->length;
	event->offset = stream->jar_offset;
	event->duration_ns = 900 + skewed(stream, 11);
	event->inode = 1180077;
	event->device = 2049;
	event->descriptor = 5;
	stream->jar_offset += event->length;
	return end(stream);
}

static struct err *file_lookup(struct stream *stream, unsigned cpu)
{
	struct event_file_lookup *event = begin(stream, EVENT_FILE_LOOKUP, cpu);
	char path[100];

	event->duration_ns = 1200 + skewed(stream, 11);
	event->result = below(stream, 3) ? -2 : 0;
	event->number = 262;
	snprintf(path, sizeof(path), "/srv/app/lib/module-%u.jar", (unsigned)below(stream, 90));
	event_add_text(&stream->builder, path);
	return end(stream);
}

static struct err *exception(struct stream *stream, unsigned cpu)
{
	struct event_exception *event = begin(stream, EVENT_EXCEPTION, cpu);

	event->duration_ns = 5000 + skewed(stream, 15);
	event->class_address = 0x800023450;
	event->stack_id = hot_stack(stream);
	event->stack_pointer = on_cpu(stream, cpu)->stack_pointer - 0x400;
	event->count = 1;
	event_add_text(&stream->builder,
		       below(stream, 20) ? "java/lang/ClassNotFoundException" : "java/lang/NoSuchMethodException");
	return end(stream);
}

/* One thread sleeps, another goes on, often woken by the first. */
static struct err *exchange(struct stream *stream, unsigned cpu)
{
	uint32_t next = (uint32_t)below(stream, THREADS);
	struct thread *sleeper = on_cpu(stream, cpu);

	for (unsigned other = 0; other < CPUS; other++)
		if (stream->running[other] == next)
			return NULL;

	struct event_wake *wake = begin(stream, EVENT_WAKE, cpu);

	wake->target_pid = 4000;
	wake->target_tid = stream->threads[next].tid;
	wake->context = below(stream, 8) ? CONTEXT_THREAD : CONTEXT_TIMER;
	TRY(end(stream));

	struct event_switch_out *out = begin(stream, EVENT_SWITCH_OUT, cpu);

	out->stack_id = hot_stack(stream);
	out->user_address = hot_address(stream);
	out->state = below(stream, 4) ? 1 : 0;
	out->next_pid = 4000;
	out->next_tid = stream->threads[next].tid;
	out->syscall_number = out->state ? 203 : 0;
	TRY(end(stream));
	stream->running[cpu] = next;

	struct event_switch_in *in = begin(stream, EVENT_SWITCH_IN, cpu);

	in->previous_pid = 4000;
	in->previous_tid = sleeper->tid;
	in->previous_state = 1;
	return end(stream);
}

static void class_name(struct stream *stream, size_t number)
{
	static const char *const packages[] = {
		"org/springframework/context/annotation", "org/hibernate/boot/model/internal",
		"com/fasterxml/jackson/databind/ser/std", "java/util/concurrent", "org/apache/catalina/core"};
	static const char *const words[] = {"Bean",	"Factory", "Resolver", "Abstract",	"Type",	   "Default",
					    "Provider", "Mapping", "Context",  "Configuration", "Handler", "Support"};
	char name[200];

	snprintf(name, sizeof(name), "%s/%s%s%s%zu", packages[number / 40 % array_length(packages)],
		 words[number % array_length(words)], words[number / 7 % array_length(words)],
		 words[number / 3 % array_length(words)], number);
	event_add_text(&stream->builder, name);
}

static struct err *class_event(struct stream *stream, unsigned cpu, enum event_kind kind, size_t number,
			       uint32_t code)
{
	uint64_t stack_pointer = on_cpu(stream, cpu)->stack_pointer;

	/* The loader stands at the same place in all of these but class_link, whose class address differs. */
	struct event_class_init *event = begin(stream, kind, cpu);

	event->stack_pointer = stack_pointer - (uint64_t)kind * 0x40;
	event->loader = kind == EVENT_CLASS_LINK ? 0x800000000 + number * 0x248 : 0x7f3c88000120;
	if (kind == EVENT_CLASS_INIT)
		event->step = code;
	if (kind == EVENT_CLASS_LOAD)
		((struct event_class_load *)event)->stack_id = hot_stack(stream);
	class_name(stream, number);
	return end(stream);
}

static struct err *class_load(struct stream *stream, unsigned cpu, unsigned depth)
{
	size_t number = stream->class_count++;

	on_cpu(stream, cpu)->stack_pointer -= 0x300 + (skewed(stream, 5) << 4);
	TRY(class_event(stream, cpu, EVENT_CLASS_LOAD, number, 0));
	for (uint64_t i = below(stream, 3); i; i--)
		TRY(exception(stream, cpu));
	stream->jar_offset = (stream->jar_offset + 4096 * skewed(stream, 12)) % (60 << 20);
	for (uint64_t i = 2 + below(stream, 3); i; i--)
		TRY(file_read(stream, cpu));
	TRY(fault(stream, cpu));
	TRY(class_event(stream, cpu, EVENT_CLASS_PARSE, number, 0));
	if (depth < 4 && below(stream, 3) == 0)
		TRY(class_load(stream, cpu, depth + 1));
	TRY(class_event(stream, cpu, EVENT_CLASS_LOADED, number, 0));
	if (below(stream, 2)) {
		TRY(class_event(stream, cpu, EVENT_CLASS_LINK, number, 0));
		TRY(class_event(stream, cpu, EVENT_CLASS_INIT, number, CLASS_INIT_REQUIRED));
		TRY(class_event(stream, cpu, EVENT_CLASS_INIT, number, CLASS_INIT_CLINIT));
		TRY(fault(stream, cpu));
		TRY(class_event(stream, cpu, EVENT_CLASS_INIT, number, CLASS_INIT_END));
	}
	on_cpu(stream, cpu)->stack_pointer += 0x300;
	return NULL;
}

static struct err *step(struct stream *stream)
{
	unsigned cpu = (unsigned)below(stream, CPUS);

	switch (below(stream, 16)) {
	case 0:
	case 1:
		return class_load(stream, cpu, 0);
	case 2:
	case 3:
	case 4:
	case 5:
		return exchange(stream, cpu);
	case 6:
		return file_lookup(stream, cpu);
	case 7:
	case 8:
	case 9:
	case 10:
		return system_call(stream, cpu);
	default:
		for (uint64_t i = 1 + below(stream, 4); i; i--)
			TRY(fault(stream, cpu));
		return NULL;
	}
}

struct err *stream_make(size_t count, uint64_t seed, text_sink *sink, void *context)
{
	struct stream stream = {.random = seed, .time_ns = 2054640287689, .sink = sink, .context = context};
	struct err *err = NULL;

	for (uint32_t i = 0; i < THREADS; i++)
		stream.threads[i] = (struct thread){
			.tid = 4000 + i + i / 3,
			.stack_pointer = 0x7f3c70000000ull - i * 0x101000ull,
			.heap_address = 0x7e0000000000ull + i * 0x4000000ull,
		};
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		stream.running[cpu] = cpu;
	while (!err && stream.made < count)
		err = step(&stream);
	event_builder_done(&stream.builder);
	return err;
}
