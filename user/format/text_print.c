#include "format/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/auto.h"
#include "format/codes.h"

/* The largest unit of which the time is at least one, with as many decimals as it takes to be exact. */
static void print_ns(uint64_t time_ns, FILE *out)
{
	static const struct {
		uint64_t ns;
		int digits;
		const char *name;
	} units[] = {{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}};

	for (size_t i = 0; i < array_length(units); i++) {
		uint64_t fraction = time_ns % units[i].ns;
		int digits = units[i].digits;

		if (time_ns < units[i].ns)
			continue;
		fprintf(out, "%" PRIu64, time_ns / units[i].ns);
		for (; fraction && fraction % 10 == 0; digits--)
			fraction /= 10;
		if (fraction)
			fprintf(out, ".%0*" PRIu64, digits, fraction);
		fputs(units[i].name, out);
		return;
	}
	fprintf(out, "%" PRIu64 "%s", time_ns, time_ns ? "ns" : "");
}

static void print_flags(const struct code_table *table, uint64_t value, FILE *out)
{
	const char *between = "";

	for (size_t i = 0; i < table->count; i++)
		if (value & table->names[i].value) {
			fprintf(out, "%s%s", between, table->names[i].name);
			value &= ~(uint64_t)table->names[i].value;
			between = "|";
		}
	if (value)
		fprintf(out, "%s0x%" PRIx64, between, value);
}

static void print_code(const struct schema_kind *kind, const struct schema_field *field, uint64_t value, FILE *out)
{
	const struct code_table *table = codes_of(kind, field);
	const char *name = table ? code_name(table, value) : NULL;

	if (table && table->is_flags)
		print_flags(table, value, out);
	else if (name)
		fputs(name, out);
	else
		fprintf(out, field->size_bytes == 8 ? "0x%" PRIx64 : "%" PRIu64, value);
}

static void print_result(uint64_t value, FILE *out)
{
	const char *name = (int64_t)value < 0 && (int64_t)value > -4096 ? strerrorname_np(-(int)value) : NULL;

	if (name)
		fprintf(out, "-%s", name);
	else
		fprintf(out, "%" PRId64, (int64_t)value);
}

static void print_field(const struct schema_kind *kind, const struct schema_field *field, uint64_t value, FILE *out)
{
	fprintf(out, " %s=", field->name);
	switch (field->unit) {
	case UNIT_NS:
		print_ns(value, out);
		return;
	case UNIT_ADDRESS:
		fprintf(out, "0x%" PRIx64, value);
		return;
	case UNIT_CODE:
		print_code(kind, field, value, out);
		return;
	case UNIT_RESULT:
		print_result(value, out);
		return;
	case UNIT_BYTES:
	case UNIT_ID:
	case UNIT_COUNT:
		break;
	}
	fprintf(out, field->type == FIELD_I64 || field->type == FIELD_I32 ? "%" PRId64 : "%" PRIu64, value);
}

static void print_string(const char *bytes, size_t length, FILE *out)
{
	fputs(" \"", out);
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte == '\0')
			fputs("\\0", out);
		else if (byte == '\n')
			fputs("\\n", out);
		else if (byte == '\t')
			fputs("\\t", out);
		else if (byte == '\r')
			fputs("\\r", out);
		else if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < ' ' || byte >= 0x7f)
			fprintf(out, "\\x%02x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static void print_frames(const char *bytes, size_t length, FILE *out)
{
	for (size_t i = 0; i < length / sizeof(struct stack_frame); i++) {
		struct stack_frame frame;

		memcpy(&frame, bytes + i * sizeof(frame), sizeof(frame));

		const char *type = code_name(codes_of_frame_type(), frame.type);

		fputs(" [", out);
		if (type)
			fputs(type, out);
		else
			fprintf(out, "%u", frame.type);
		fprintf(out, " 0x%" PRIx64 " 0x%" PRIx64 " %u]", frame.method, frame.at, frame.cookie);
	}
}

void text_print(const struct event_header *event, FILE *out)
{
	const struct schema_kind *kind = schema_by_id(event->kind);
	size_t tail_length;

	if (!kind) {
		fprintf(out, "# a record of unknown kind %u\n", event->kind);
		return;
	}
	print_ns(event->time_ns, out);
	if (event->pid == event->tid)
		fprintf(out, " %u %s", event->pid, kind->name);
	else
		fprintf(out, " %u/%u %s", event->pid, event->tid, kind->name);
	if (event->cpu)
		fprintf(out, " cpu=%u", event->cpu);
	for (size_t i = 0; i < kind->field_count; i++) {
		uint64_t value = schema_field_get(&kind->fields[i], event);

		if (value)
			print_field(kind, &kind->fields[i], value, out);
	}

	const char *tail = event_tail(event, kind->fixed_bytes, &tail_length);

	if (strcmp(kind->tail_name, "frames") == 0 && tail_length % sizeof(struct stack_frame) == 0)
		print_frames(tail, tail_length, out);
	else if (tail_length)
		print_string(tail, tail_length, out);
	fputc('\n', out);
}
