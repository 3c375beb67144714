#include "unit/analyze/made_trace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "format/event.h"
#include "format/text.h"
#include "parse/archive_build.h"
#include "unit/model/trace.h"
#include "unit/parse/archive_bytes.h"

enum { ARCHIVES_MAX = 64, ITEMS_MAX = 2048, DEVICE = 1 };

struct made_archive {
	uint64_t inode;
	char *path;
	struct archive_index *index;
};

struct maker {
	struct model_builder *builder;
	struct made_archive archives[ARCHIVES_MAX];
	size_t archive_count;
};

/* ---- text that grows ---- */

struct text {
	char *bytes;
	size_t length;
};

static FILE *text_begin(struct text *text)
{
	FILE *out = open_memstream(&text->bytes, &text->length);

	assert_non_null(out);
	return out;
}

/* ---- loops and includes ---- */

static void expand(const char *text, FILE *out, const char *turn);

/* "A+B" at `at`: A + B × turn. Returns what follows it. */
static const char *put_step(const char *at, FILE *out, const char *turn, const char *unit)
{
	char *end;
	long first = strtol(at, &end, 10), step = 0;

	if (*end == '+')
		step = strtol(end + 1, &end, 10);
	fprintf(out, "%ld%s", first + step * atol(turn), unit);
	return end;
}

static void expand_line(const char *line, size_t length, FILE *out, const char *turn)
{
	const char *end = line + length;

	while (line < end) {
		if (*line == '$' && line + 1 < end && line[1] == 'i') {
			fputs(turn, out);
			line += 2;
		} else if (*line == '@' && isdigit((unsigned char)line[1])) {
			line = put_step(line + 1, out, turn, "us");
		} else if (*line == '&' && isdigit((unsigned char)line[1])) {
			line = put_step(line + 1, out, turn, "");
		} else {
			fputc(*line++, out);
		}
	}
	fputc('\n', out);
}

static void include(const char *name, size_t length, FILE *out)
{
	char path[300];
	size_t text_length;

	snprintf(path, sizeof(path), "traces/%.*s", (int)length, name);

	auto_free char *text = trace_read(path, &text_length);

	if (!text)
		fail_msg("%s cannot be read", path);
	expand(text, out, "0");
}

/* One line, and for a loop all to its end; returns where the next begins. */
static const char *expand_next(const char *line, FILE *out, const char *turn)
{
	static const char loop_end[] = "\n%end\n";
	size_t length = strcspn(line, "\n");
	const char *next = line + length + (line[length] == '\n');

	if (strncmp(line, "%include ", 9) == 0) {
		include(line + 9, length - 9, out);
	} else if (strncmp(line, "%for ", 5) == 0) {
		const char *end = strstr(next - 1, loop_end);

		if (!end)
			fail_msg("a %%for has no %%end");

		auto_free char *body = strndup(next, (size_t)(end + 1 - next));

		for (int i = 0, count = atoi(line + 5); i < count; i++) {
			char number[16];

			snprintf(number, sizeof(number), "%d", i);
			expand(body, out, number);
		}
		return end + sizeof(loop_end) - 1;
	} else if (line[0] == '%') {
		fprintf(out, "%.*s\n", (int)length, line); /* an archive: its $i counts entries */
	} else {
		expand_line(line, length, out, turn);
	}
	return next;
}

static void expand(const char *text, FILE *out, const char *turn)
{
	while (*text)
		text = expand_next(text, out, turn);
}

/* ---- archives ---- */

struct item_list {
	struct zip_item items[ITEMS_MAX];
	size_t count;
};

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\n')
		at++;
	return at;
}

static struct bytes parse_archive(const char **at);

/* "NAME:BYTES*COUNT"; the names of several have their number for $i. */
static void add_files(struct item_list *list, const char *name, size_t length, const char **at)
{
	char *end;
	long bytes = strtol(*at, &end, 10), count = *end == '*' ? strtol(end + 1, &end, 10) : 1;

	for (long i = 0; i < count; i++) {
		struct text text = {};
		FILE *out = text_begin(&text);
		char number[24];

		snprintf(number, sizeof(number), "%ld", i);
		expand_line(name, length, out, number);
		fclose(out);
		text.bytes[text.length - 1] = '\0'; /* the line's end */
		assert_true(list->count < ITEMS_MAX);
		list->items[list->count++] = (struct zip_item){
			.name = text.bytes, .data = calloc(1, (size_t)bytes + 1), .data_bytes = (size_t)bytes};
	}
	*at = end;
}

/* The entries up to "]". */
static struct bytes parse_archive(const char **at)
{
	struct item_list *list = calloc(1, sizeof(*list));
	struct bytes bytes = {};

	for (*at = skip_blanks(*at); **at && **at != ']'; *at = skip_blanks(*at)) {
		const char *name = *at;
		size_t length = strcspn(name, ":[ \t\n");

		*at += length + 1;
		if (name[length] == '[') {
			struct bytes inner = parse_archive(at);

			list->items[list->count++] = (struct zip_item){
				.name = strndup(name, length), .data = inner.items, .data_bytes = inner.count};
		} else {
			add_files(list, name, length, at);
		}
	}
	*at += **at == ']';
	zip_archive(&bytes, list->items, list->count, (struct zip_options){});
	for (size_t i = 0; i < list->count; i++) {
		free((char *)list->items[i].name);
		free((void *)list->items[i].data);
	}
	free(list);
	return bytes;
}

/* An image of the JDK: its table is enough, so it is made without the bytes of a file. */
static struct archive_index *make_image(const char *names)
{
	enum { ENTRY_BYTES = 100 };
	struct archive_index *index = archive_index_new(1 << 20);
	struct archive *image = archive_add(index, NULL);

	image->kind = ARCHIVE_JIMAGE;
	image->directory_bytes = ENTRY_BYTES;
	image->end_offset = index->source_bytes;
	for (names = skip_blanks(names); *names; names = skip_blanks(names)) {
		size_t length = strcspn(names, " ");
		struct archive_entry *entry;

		memcpy(archive_name_room(index, length), names, length);
		entry = archive_add_entry(index, (uint16_t)length);
		entry->header_offset = entry->data_offset = (uint64_t)ENTRY_BYTES * index->entries.count;
		entry->compressed_bytes = entry->uncompressed_bytes = ENTRY_BYTES;
		names += length;
	}
	return index;
}

static void add_archive(struct maker *maker, const char *line, bool is_image)
{
	char *end;
	uint64_t inode = strtoull(line, &end, 10);
	const char *path = strchr(end, '"'), *path_end = path ? strchr(path + 1, '"') : NULL;
	const char *at = path_end ? path_end + 1 + strspn(path_end + 1, " [") : NULL;
	struct made_archive *made = &maker->archives[maker->archive_count++];
	struct event_builder builder auto_done(event_builder_done) = {};
	auto_free uint8_t *packed = NULL;
	size_t packed_length = 0;

	if (!at)
		fail_msg("an archive is %%archive INODE \"PATH\" [ ENTRIES ]");
	assert_true(maker->archive_count <= ARCHIVES_MAX);
	made->inode = inode;
	made->path = strndup(path + 1, (size_t)(path_end - path - 1));
	if (is_image) {
		made->index = make_image(at);
	} else {
		struct bytes bytes auto_done(bytes_done) = parse_archive(&at);

		made->index = must_read(&bytes);
	}
	archive_pack(made->index, &packed, &packed_length);

	struct event_archive *event = event_begin(&builder, EVENT_ARCHIVE, 0, 0, 0);

	event->inode = inode;
	event->device = DEVICE;
	event_add_text(&builder, made->path);
	event_add_part(&builder, packed, packed_length);
	model_add(maker->builder, event_end(&builder));
}

/* "{header NAME}" or "{data NAME}" at `at`; returns what follows. */
static const char *put_offset(const struct maker *maker, const char *at, FILE *out)
{
	bool is_header = strncmp(at, "{header ", 8) == 0;
	const char *name = at + (is_header ? 8 : 6), *end = strchr(name, '}');

	assert_non_null(end);
	for (size_t i = 0; i < maker->archive_count; i++) {
		const struct archive_index *index = maker->archives[i].index;

		for
			vec_each(entry, &index->entries)
			{
				const char *of = archive_entry_name(index, entry);

				if (strlen(of) == (size_t)(end - name) &&
				    strncmp(of, name, (size_t)(end - name)) == 0) {
					fprintf(out, "%llu",
						(unsigned long long)(is_header ? entry->header_offset
									       : entry->data_offset));
					return end + 1;
				}
			}
	}
	fail_msg("no archive holds '%.*s'", (int)(end - name), name);
	return end + 1;
}

/* What is left after archives are made and their offsets are put in: plain records. */
static struct text settle(struct maker *maker, const char *text)
{
	struct text plain = {};
	FILE *out = text_begin(&plain);

	while (*text) {
		const char *end = text + strcspn(text, "\n");

		if (strncmp(text, "%archive ", 9) == 0 || strncmp(text, "%jimage ", 8) == 0) {
			bool is_image = text[1] == 'j';
			const char *rest = text + (is_image ? 8 : 9);
			auto_free char *line = strndup(rest, (size_t)(end - rest));

			add_archive(maker, line, is_image);
			text = end;
		}
		while (text < end) {
			if (strncmp(text, "{header ", 8) == 0 || strncmp(text, "{data ", 6) == 0)
				text = put_offset(maker, text, out);
			else
				fputc(*text++, out);
		}
		fputc('\n', out);
		text = end + (*end == '\n');
	}
	fclose(out);
	return plain;
}

/* ---- the whole ---- */

static struct err *add(void *context, const struct event_header *event)
{
	struct maker *maker = context;

	model_add(maker->builder, event);
	return NULL;
}

struct model *made_trace_load(const char *path)
{
	struct maker maker = {.builder = model_begin()};
	struct text expanded = {};
	struct model *model = NULL;
	size_t length;
	auto_free char *source = trace_read(path, &length);

	if (!source)
		fail_msg("%s cannot be read", path);

	FILE *out = text_begin(&expanded);

	expand(source, out, "0");
	fclose(out);

	struct text plain = settle(&maker, expanded.bytes);
	struct err *err = text_parse(plain.bytes, plain.length, path, add, &maker);

	if (!err)
		err = model_finish(maker.builder, &model);
	if (err) {
		auto_free char *line = err_line(err);

		fail_msg("%s", line);
	}
	free(expanded.bytes);
	free(plain.bytes);
	for (size_t i = 0; i < maker.archive_count; i++) {
		free(maker.archives[i].path);
		archive_index_free(maker.archives[i].index);
	}
	return model;
}
