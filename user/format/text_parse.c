/* One pass over the bytes, line by line, word by word. What is wrong is said with its line and, where it helps, what
 * would have been right. */
#include "format/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/strpool.h"
#include "base/text.h"
#include "format/codes.h"
#include "format/event.h"
#include "format/span.h"
#include "format/text_number.h"

struct thread_name {
	uint32_t pid, tid;
	bool is_declared;
};

struct parser {
	const char *name;
	size_t line_number;
	struct span line; /* what is left of it */
	struct strpool names;
	VEC(struct thread_name) threads; /* by id in names */
	struct event_builder builder;
};

/* A record under way. */
struct draft {
	const struct schema_kind *kind;
	uint64_t fields_set; /* by index */
	bool has_tail;
};

static void parser_done(struct parser *parser)
{
	strpool_done(&parser->names);
	vec_done(&parser->threads);
	event_builder_done(&parser->builder);
}

#define ERROR(parser, format, ...)                                                                                   \
	err_new(ERR_FAILED, "%s:%zu: " format, (parser)->name, (parser)->line_number __VA_OPT__(, ) __VA_ARGS__)

/* ---- words ---- */

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static void skip_spaces(struct span *line)
{
	while (line->at < line->end && is_space(*line->at))
		line->at++;
}

/* True at the end of the line, and at a comment. */
static bool at_end(struct span *line)
{
	skip_spaces(line);
	return line->at == line->end || *line->at == '#';
}

static struct span take_word(struct span *line)
{
	skip_spaces(line);

	struct span word = {line->at, line->at};

	while (word.end < line->end && !is_space(*word.end))
		word.end++;
	line->at = word.end;
	return word;
}

/* ---- threads ---- */

static struct thread_name *thread_of_name(struct parser *parser, struct span name)
{
	uint32_t id = strpool_add(&parser->names, name.at, span_length(name));

	while (parser->threads.count <= id)
		vec_push(&parser->threads);
	return &parser->threads.items[id];
}

static bool parse_ids(struct span text, uint32_t *ret_pid, uint32_t *ret_tid)
{
	struct span pid;

	if (span_split(&text, "/", &pid))
		return number_parse_u32(pid, ret_pid) && number_parse_u32(text, ret_tid);
	if (!number_parse_u32(text, ret_pid))
		return false;
	*ret_tid = *ret_pid;
	return true;
}

static struct err *parse_thread(struct parser *parser, struct span word, uint32_t *ret_pid, uint32_t *ret_tid)
{
	if (word.at < word.end && is_digit(*word.at)) {
		if (!parse_ids(word, ret_pid, ret_tid))
			return ERROR(parser, "'%.*s' is not PID/TID", SPAN_SHOWN(word));
		return NULL;
	}

	const struct thread_name *thread = thread_of_name(parser, word);

	if (!thread->is_declared)
		return ERROR(parser, "no thread '%.*s' was declared (thread NAME = PID/TID)", SPAN_SHOWN(word));
	*ret_pid = thread->pid;
	*ret_tid = thread->tid;
	return NULL;
}

static struct err *parse_declaration(struct parser *parser)
{
	struct span name = take_word(&parser->line);
	struct span sign = take_word(&parser->line);
	struct span ids = take_word(&parser->line);
	uint32_t pid, tid;

	if (!span_length(name) || is_digit(*name.at) || !span_is(sign, "=") || !parse_ids(ids, &pid, &tid) ||
	    !at_end(&parser->line))
		return ERROR(parser, "a declaration is 'thread NAME = PID/TID'");

	struct thread_name *thread = thread_of_name(parser, name);

	if (thread->is_declared)
		return ERROR(parser, "thread '%.*s' is declared twice", SPAN_SHOWN(name));
	*thread = (struct thread_name){pid, tid, true};
	return NULL;
}

/* ---- fields ---- */

static bool parse_code(const struct code_table *table, struct span text, uint64_t *ret_value)
{
	struct span part;
	uint64_t value;

	*ret_value = 0;
	if (table && table->is_flags)
		while (span_split(&text, "|", &part)) {
			if (!code_value(table, part.at, span_length(part), &value) &&
			    !number_parse(part, number_plain, &value))
				return false;
			*ret_value |= value;
		}
	if (!(table && code_value(table, text.at, span_length(text), &value)) &&
	    !number_parse(text, number_plain, &value))
		return false;
	*ret_value |= value;
	return true;
}

static bool fits(enum field_type type, uint64_t value)
{
	switch (type) {
	case FIELD_U32:
		return value <= UINT32_MAX;
	case FIELD_I32:
		return (int64_t)value >= INT32_MIN && (int64_t)value <= INT32_MAX;
	case FIELD_U64:
	case FIELD_I64:
		break;
	}
	return true;
}

static bool parse_value(struct parser *parser, const struct schema_kind *kind, const struct schema_field *field,
			struct span text, uint64_t *ret_value)
{
	bool is_signed = field->type == FIELD_I64 || field->type == FIELD_I32;

	if (field->unit == UNIT_ID && span_length(text) && !is_digit(*text.at) &&
	    (text_ends_with(field->name, "pid") || text_ends_with(field->name, "tid"))) {
		const struct thread_name *thread = thread_of_name(parser, text);

		*ret_value = text_ends_with(field->name, "pid") ? thread->pid : thread->tid;
		return thread->is_declared;
	}
	if (is_signed)
		return number_parse_signed(text, ret_value);
	switch (field->unit) {
	case UNIT_NS:
		return number_parse(text, number_times, ret_value);
	case UNIT_BYTES:
		return number_parse(text, number_sizes, ret_value);
	case UNIT_CODE:
		return parse_code(codes_of(kind, field), text, ret_value);
	default:
		return number_parse(text, number_plain, ret_value);
	}
}

static struct event_header *draft_event(struct parser *parser)
{
	return (struct event_header *)parser->builder.bytes;
}

static struct err *set_field(struct parser *parser, struct draft *draft, const struct schema_field *field,
			     uint64_t value)
{
	uint64_t bit = 1ull << (field - draft->kind->fields);

	if (draft->fields_set & bit)
		return ERROR(parser, "field '%s' is given twice", field->name);
	draft->fields_set |= bit;
	schema_field_set(field, draft_event(parser), value);
	return NULL;
}

/* The field NAME, or NAME with what follows in the table: duration for duration_ns. */
static const struct schema_field *find_field(const struct schema_kind *kind, struct span name, const char *suffix)
{
	char full[64];
	size_t length = span_length(name), suffix_length = strlen(suffix);

	if (length + suffix_length > sizeof(full))
		return NULL;
	memcpy(full, name.at, length);
	memcpy(full + length, suffix, suffix_length);
	return schema_field_by_name(kind, full, length + suffix_length);
}

/* NAME=THREAD for a pair of fields NAME_pid and NAME_tid, or one of them. */
static struct err *parse_thread_fields(struct parser *parser, struct draft *draft, struct span name,
				       struct span value, bool *ret_is_done)
{
	const struct schema_field *pid_field = find_field(draft->kind, name, "_pid");
	const struct schema_field *tid_field = find_field(draft->kind, name, "_tid");
	uint32_t pid, tid;

	*ret_is_done = pid_field || tid_field;
	if (!*ret_is_done)
		return NULL;
	TRY(parse_thread(parser, value, &pid, &tid));
	if (pid_field)
		TRY(set_field(parser, draft, pid_field, pid));
	if (tid_field)
		TRY(set_field(parser, draft, tid_field, tid));
	return NULL;
}

static struct err *parse_cpu(struct parser *parser, struct span text)
{
	uint32_t cpu;

	if (!number_parse_u32(text, &cpu) || cpu > UINT16_MAX)
		return ERROR(parser, "'%.*s' is not a CPU", SPAN_SHOWN(text));
	draft_event(parser)->cpu = (u16)cpu;
	return NULL;
}

static struct err *parse_field(struct parser *parser, struct draft *draft, struct span word)
{
	struct span name, value = word;
	const struct schema_field *field;
	uint64_t number;
	bool is_done;

	if (!span_split(&value, "=", &name))
		return ERROR(parser, "'%.*s' is neither FIELD=VALUE nor a tail in quotes", SPAN_SHOWN(word));
	if (draft->has_tail)
		return ERROR(parser, "field '%.*s' stands after the tail", SPAN_SHOWN(name));
	if (span_is(name, "cpu"))
		return parse_cpu(parser, value);
	field = find_field(draft->kind, name, "");
	if (!field)
		field = find_field(draft->kind, name, "_ns");
	if (!field) {
		TRY(parse_thread_fields(parser, draft, name, value, &is_done));
		if (is_done)
			return NULL;
		return ERROR(parser, "'%s' has no field '%.*s'", draft->kind->name, SPAN_SHOWN(name));
	}
	if (!parse_value(parser, draft->kind, field, value, &number))
		return ERROR(parser, "'%.*s' is no value for field '%s' (%s)", SPAN_SHOWN(value), field->name,
			     field_unit_name(field->unit));
	if (!fits(field->type, number))
		return ERROR(parser, "'%.*s' is too large for field '%s'", SPAN_SHOWN(value), field->name);
	return set_field(parser, draft, field, number);
}

/* ---- tails ---- */

/* One byte of a quoted string, its escapes undone; false where the escape is unknown. */
static bool take_byte(struct span *text, char *ret_byte)
{
	static const struct {
		char name, byte;
	} escapes[] = {{'0', '\0'}, {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'"', '"'}, {'\\', '\\'}};
	char byte = *text->at++;

	*ret_byte = byte;
	if (byte != '\\')
		return true;
	if (text->at == text->end)
		return false;
	byte = *text->at++;
	if (byte == 'x') {
		if (span_length(*text) < 2 || number_digit(text->at[0]) > 15 || number_digit(text->at[1]) > 15)
			return false;
		*ret_byte = (char)(number_digit(text->at[0]) << 4 | number_digit(text->at[1]));
		text->at += 2;
		return true;
	}
	for (size_t i = 0; i < array_length(escapes); i++)
		if (escapes[i].name == byte) {
			*ret_byte = escapes[i].byte;
			return true;
		}
	return false;
}

/* The line stands at the opening quote. */
static struct err *parse_string(struct parser *parser)
{
	struct span *line = &parser->line;
	size_t length = 0;
	auto_free char *bytes = malloc(span_length(*line));

	if (!bytes)
		memory_exhausted();
	line->at++;
	while (line->at < line->end && *line->at != '"')
		if (!take_byte(line, &bytes[length++]))
			return ERROR(parser, "unknown escape in a string (known: \\0 \\n \\t \\r \\\" \\\\ \\xHH)");
	if (line->at == line->end)
		return ERROR(parser, "a string has no closing quote");
	line->at++;
	event_add_part(&parser->builder, bytes, length);
	return NULL;
}

/* [TYPE METHOD AT COOKIE], the last three optional. The line stands at the bracket. */
static struct err *parse_frame(struct parser *parser)
{
	struct stack_frame frame = {};
	struct span text, word;
	uint64_t numbers[3] = {}, type;

	parser->line.at++;
	if (!span_split(&parser->line, "]", &text))
		return ERROR(parser, "a stack frame has no closing bracket");
	word = take_word(&text);
	if (!parse_code(codes_of_frame_type(), word, &type) || type > UINT32_MAX)
		return ERROR(parser, "'%.*s' is not the type of a stack frame", SPAN_SHOWN(word));
	for (size_t i = 0; i < array_length(numbers) && !at_end(&text); i++) {
		word = take_word(&text);
		if (!number_parse(word, number_plain, &numbers[i]))
			return ERROR(parser, "'%.*s' is not a number", SPAN_SHOWN(word));
	}
	if (!at_end(&text) || numbers[2] > UINT32_MAX)
		return ERROR(parser, "a stack frame is '[TYPE METHOD AT COOKIE]'");
	frame.type = (u32)type;
	frame.method = numbers[0];
	frame.at = numbers[1];
	frame.cookie = (u32)numbers[2];
	event_add_bytes(&parser->builder, &frame, sizeof(frame));
	return NULL;
}

/* ---- lines ---- */

/* TIME, or START..END, or START+DURATION. */
static struct err *parse_time(struct parser *parser, struct span word, uint64_t *ret_time_ns,
			      uint64_t *ret_duration_ns)
{
	struct span start, end = word;
	bool is_range = span_split(&end, "..", &start);
	bool is_sum = !is_range && span_split(&end, "+", &start);
	uint64_t start_ns = 0, end_ns;

	if (((is_range || is_sum) && !number_parse(start, number_times, &start_ns)) ||
	    !number_parse(end, number_times, &end_ns) ||
	    (is_sum && __builtin_add_overflow(start_ns, end_ns, &end_ns)))
		return ERROR(parser, "'%.*s' is not a time (12.5ms, 1ms..2ms, 1ms+20us)", SPAN_SHOWN(word));
	if (end_ns < start_ns)
		return ERROR(parser, "'%.*s' ends before it starts", SPAN_SHOWN(word));
	*ret_time_ns = end_ns;
	*ret_duration_ns = is_range || is_sum ? end_ns - start_ns : 0;
	return NULL;
}

static struct err *parse_record(struct parser *parser, struct span first_word, text_sink *sink, void *context)
{
	struct draft draft = {};
	uint64_t time_ns, duration_ns;
	uint32_t pid, tid;

	TRY(parse_time(parser, first_word, &time_ns, &duration_ns));
	TRY(parse_thread(parser, take_word(&parser->line), &pid, &tid));

	struct span kind_name = take_word(&parser->line);

	draft.kind = schema_by_name(kind_name.at, span_length(kind_name));
	if (!draft.kind)
		return ERROR(parser, "unknown kind '%.*s'", SPAN_SHOWN(kind_name));
	event_begin(&parser->builder, (enum event_kind)draft.kind->id, time_ns, pid, tid);
	if (duration_ns) {
		const struct schema_field *field =
			schema_field_by_name(draft.kind, "duration_ns", strlen("duration_ns"));

		if (!field)
			return ERROR(parser, "'%s' has no duration", draft.kind->name);
		TRY(set_field(parser, &draft, field, duration_ns));
	}
	while (!at_end(&parser->line)) {
		if (*parser->line.at != '"' && *parser->line.at != '[') {
			TRY(parse_field(parser, &draft, take_word(&parser->line)));
			continue;
		}
		draft.has_tail = true;
		if (!draft.kind->tail_name[0])
			return ERROR(parser, "'%s' has no tail", draft.kind->name);
		if (*parser->line.at == '"')
			TRY(parse_string(parser));
		else
			TRY(parse_frame(parser));
	}
	return sink(context, event_end(&parser->builder));
}

static struct err *parse_line(struct parser *parser, text_sink *sink, void *context)
{
	struct span word;

	if (at_end(&parser->line))
		return NULL;
	word = take_word(&parser->line);
	if (span_is(word, "thread"))
		return parse_declaration(parser);
	return parse_record(parser, word, sink, context);
}

struct err *text_parse(const char *bytes, size_t length, const char *name, text_sink *sink, void *context)
{
	struct parser parser auto_done(parser_done) = {.name = name};
	struct span rest = {bytes, bytes + length};

	while (rest.at < rest.end) {
		parser.line_number++;
		if (!span_split(&rest, "\n", &parser.line)) {
			parser.line = rest;
			rest.at = rest.end;
		}
		TRY(parse_line(&parser, sink, context));
	}
	return NULL;
}

struct err *text_parse_file(FILE *file, const char *name, text_sink *sink, void *context)
{
	VEC(char) text = {};
	size_t got;

	do {
		if (text.count == text.capacity)
			text.items = vec_grow(text.items, &text.capacity, text.count, 1);
		got = fread(text.items + text.count, 1, text.capacity - text.count, file);
		text.count += got;
	} while (got);

	struct err *err = ferror(file) ? err_new(ERR_FAILED, "cannot read '%s'", name)
				       : text_parse(text.items, text.count, name, sink, context);

	vec_done(&text);
	return err;
}
