#include "render/page.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "render/sha256.h"

#define EMBEDDED(name)                                                                                               \
	extern const char name[];                                                                                    \
	extern const unsigned long name##_length

EMBEDDED(page_template);
EMBEDDED(page_style);
EMBEDDED(page_base_script);
EMBEDDED(page_table_script);
EMBEDDED(page_flame_script);
EMBEDDED(page_timeline_script);
EMBEDDED(page_report_script);
EMBEDDED(page_comparison_script);
EMBEDDED(page_flame_page_script);

struct err *page_begin(struct page *page)
{
	*page = (struct page){};
	page->stream = open_memstream(&page->bytes, &page->length_bytes);
	if (!page->stream)
		return err_errno(ERR_FAILED, errno, "cannot make a page");
	page->json.out = page->stream;
	strpool_add_text(&page->texts, "");
	json_out_object(&page->json);
	return NULL;
}

uint32_t page_text(struct page *page, const char *text)
{
	return strpool_add_text(&page->texts, text ? text : "");
}

void page_done(struct page *page)
{
	if (page->stream)
		fclose(page->stream);
	free(page->bytes);
	strpool_done(&page->texts);
	*page = (struct page){};
}

/* ---- what stands at the template's marks ---- */

static void put_escaped_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
	}
}

/* '<' stands in JSON only inside of strings, where its escape means the same; spaces outside of them mean nothing. */
static void put_data(const char *bytes, size_t length_bytes, FILE *out)
{
	bool is_in_string = false;

	for (size_t i = 0; i < length_bytes; i++) {
		char c = bytes[i];

		if (!is_in_string && (c == ' ' || c == '\n'))
			continue;
		if (c == '"')
			is_in_string = !is_in_string;
		if (c == '<') {
			fputs("\\u003c", out);
			continue;
		}
		putc_unlocked(c, out);
		if (c == '\\' && i + 1 < length_bytes)
			putc_unlocked(bytes[++i], out);
	}
}

struct script {
	char *bytes;
	size_t length_bytes;
};

static struct err *make_script(enum page_kind kind, struct script *ret_script)
{
	FILE *stream = open_memstream(&ret_script->bytes, &ret_script->length_bytes);

	if (!stream)
		return err_errno(ERR_FAILED, errno, "cannot make a page");
	fputs("\"use strict\";\n", stream);
	fwrite(page_base_script, 1, page_base_script_length, stream);
	fwrite(page_table_script, 1, page_table_script_length, stream);
	fwrite(page_flame_script, 1, page_flame_script_length, stream);
	if (kind == PAGE_REPORT) {
		fwrite(page_timeline_script, 1, page_timeline_script_length, stream);
		fwrite(page_report_script, 1, page_report_script_length, stream);
	} else if (kind == PAGE_COMPARISON) {
		fwrite(page_comparison_script, 1, page_comparison_script_length, stream);
	} else {
		fwrite(page_flame_page_script, 1, page_flame_page_script_length, stream);
	}
	if (fclose(stream) != 0)
		return err_errno(ERR_FAILED, errno, "cannot make a page");
	return NULL;
}

static void put_mark(const char *mark, size_t length, const struct page *page, const struct script *script,
		     const char *title, FILE *out)
{
	if (strncmp(mark, "title", length) == 0)
		put_escaped_text(title, out);
	else if (strncmp(mark, "style-hash", length) == 0 && length == strlen("style-hash"))
		fputs(sha256_source_of(page_style, page_style_length).text, out);
	else if (strncmp(mark, "script-hash", length) == 0 && length == strlen("script-hash"))
		fputs(sha256_source_of(script->bytes, script->length_bytes).text, out);
	else if (strncmp(mark, "style", length) == 0)
		fwrite(page_style, 1, page_style_length, out);
	else if (strncmp(mark, "script", length) == 0)
		fwrite(script->bytes, 1, script->length_bytes, out);
	else if (strncmp(mark, "data", length) == 0)
		put_data(page->bytes, page->length_bytes, out);
}

/* The template up to each {{mark}}, then what the mark stands for. */
static void put_page(const struct page *page, const struct script *script, const char *title, FILE *out)
{
	const char *at = page_template, *open, *close;

	while ((open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		fwrite(at, 1, (size_t)(open - at), out);
		put_mark(open + 2, (size_t)(close - open - 2), page, script, title, out);
		at = close + 2;
	}
	fputs(at, out);
}

/* ---- texts ---- */

struct sorted_text {
	const struct strpool_string *string;
	uint32_t id;
};

static int compare_texts(const void *left, const void *right)
{
	const struct sorted_text *a = left, *b = right;
	size_t length_bytes = a->string->length_bytes;
	int order;

	if (length_bytes > b->string->length_bytes)
		length_bytes = b->string->length_bytes;
	order = memcmp(a->string->text, b->string->text, length_bytes);
	if (order)
		return order;
	return (a->string->length_bytes > b->string->length_bytes) -
	       (a->string->length_bytes < b->string->length_bytes);
}

/* How far two texts begin alike, in characters that are one byte here and one unit in the script: ASCII. */
static size_t shared_start(const struct strpool_string *text, const struct strpool_string *other)
{
	size_t length = 0;

	while (length < text->length_bytes && length < other->length_bytes &&
	       text->text[length] == other->text[length] && (unsigned char)text->text[length] < 0x80)
		length++;
	return length;
}

/* Names of classes and methods begin alike more often than not: in order, each is its number, how much of the one
 * before it begins with, and the rest. A third of what they are. */
static void put_texts(struct page *page)
{
	struct json_out *json = &page->json;
	size_t count = page->texts.strings.count;
	struct sorted_text *texts = calloc(count, sizeof(*texts));

	if (!texts)
		memory_exhausted();
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct sorted_text){&page->texts.strings.items[i], (uint32_t)i};
	qsort(texts, count, sizeof(*texts), compare_texts);
	json_out_key(json, "texts");
	json_out_array_flat(json);
	for (size_t i = 0; i < count; i++) {
		size_t shared = i ? shared_start(texts[i].string, texts[i - 1].string) : 0;

		json_out_int(json, texts[i].id);
		json_out_int(json, (int64_t)shared);
		json_out_bytes(json, texts[i].string->text + shared, texts[i].string->length_bytes - shared);
	}
	json_out_array_end(json);
	free(texts);
}

struct err *page_finish(struct page *page, enum page_kind kind, const char *title, FILE *out)
{
	struct script script = {};
	struct err *err;

	put_texts(page);
	json_out_object_end(&page->json);
	err = json_out_finish(&page->json);
	if (!err && fflush(page->stream) != 0)
		err = err_errno(ERR_FAILED, errno, "cannot make a page");
	if (!err)
		err = make_script(kind, &script);
	if (!err) {
		put_page(page, &script, title, out);
		if (fflush(out) != 0 || ferror(out))
			err = err_errno(ERR_FAILED, errno, "cannot write the page");
	}
	free(script.bytes);
	page_done(page);
	return err;
}
