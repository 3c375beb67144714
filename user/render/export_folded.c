/* Stacks as lines: folded text, CSV and NDJSON. */
#include <inttypes.h>
#include <string.h>

#include "base/auto.h"
#include "base/json_out.h"
#include "base/utf8.h"
#include "render/export.h"
#include "render/export_stacks.h"

struct lines {
	FILE *out;
	const char **names;
};

/* ---- folded ---- */

static void put_frame(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (*name == ';')
			fputs("\\x3b", out);
		else
			fputc(*name, out);
	}
}

static void put_folded(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	const struct lines *lines = context;
	const struct flame_node *node = &flame->nodes.items[nodes[count - 1]];

	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(';', lines->out);
		put_frame(lines->names[nodes[i]], lines->out);
	}
	if (flame->is_difference)
		fprintf(lines->out, " %" PRId64, node->before);
	fprintf(lines->out, " %" PRId64 "\n", node->value);
}

struct err *render_folded(const struct flame *flame, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	struct lines lines = {out, flame_safe_names(flame, &arena)};

	flame_each_stack(flame, put_folded, &lines);
	return export_finish(out);
}

/* ---- CSV (RFC 4180) ---- */

/* A field that begins like a formula is one to a spreadsheet. */
static void put_field(const char *text, FILE *out)
{
	fputc('"', out);
	if (strchr("=+-@", *text) && *text)
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_csv(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	const struct lines *lines = context;
	const struct flame_node *node = &flame->nodes.items[nodes[count - 1]];

	fprintf(lines->out, "%s,%s,%s,", flame_by_name(flame->by), flame_phase_name(flame->phase),
		flame_unit(flame->by));
	if (flame->is_difference)
		fprintf(lines->out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", node->before, node->value,
			node->value - node->before);
	else
		fprintf(lines->out, "%" PRId64 ",%" PRId64 ",", node->value, node->duration_ns);
	fprintf(lines->out, "%s,", flame_kind_name((enum flame_kind)node->kind));
	put_field(lines->names[nodes[count - 1]], lines->out);
	fputc(',', lines->out);

	auto_free char *stack = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&stack, &length);

	if (!stream)
		memory_exhausted();
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc(';', stream);
		put_frame(lines->names[nodes[i]], stream);
	}
	fclose(stream);
	put_field(stack, lines->out);
	fputs("\r\n", lines->out);
}

struct err *render_flame_csv(const struct flame *flame, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	struct lines lines = {out, flame_safe_names(flame, &arena)};

	fprintf(out, "by,phase,unit,%s,kind,frame,stack\r\n",
		flame->is_difference ? "before,value,change" : "value,duration_ns");
	flame_each_stack(flame, put_csv, &lines);
	return export_finish(out);
}

/* Rows by the million: their texts are kept until there are many. */
static void drop_texts(struct arena *arena)
{
	if (arena->total_bytes > 1 << 22)
		arena_done(arena);
}

static void put_path_csv(const struct report_request *request, struct arena *arena, FILE *out)
{
	for (size_t k = 0; k < request->path_count; k++) {
		const struct report_tile *tile = &request->path[k];

		fprintf(out, "%" PRId64 ",", request->index);
		put_field(export_safe(arena, request->route), out);
		fprintf(out, ",%d,%u,%u,", request->is_cold, tile->pid, tile->tid);
		put_field(export_safe(arena, tile->thread), out);
		fprintf(out, ",%" PRId64 ",%" PRId64 ",%s,", tile->start_ns, tile->duration_ns,
			cause_name(tile->cause));
		put_field(export_safe(arena, tile->detail), out);
		fprintf(out, ",%d\r\n", tile->is_estimated);
		drop_texts(arena);
	}
}

struct err *render_path_csv(const struct report *report, int phase, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};

	fputs("request,route,cold,pid,tid,thread,start_ns,duration_ns,cause,detail,estimated\r\n", out);
	for (size_t i = 0; i < report->requests_count; i++)
		if (flame_takes_request(&report->requests[i], phase))
			put_path_csv(&report->requests[i], &arena, out);
	return export_finish(out);
}

/* ---- NDJSON: one object a line ---- */

static void put_key_text(struct json_out *json, const char *key, const char *text)
{
	json_out_key(json, key);
	json_out_text(json, text);
}

static void put_key_int(struct json_out *json, const char *key, int64_t value)
{
	json_out_key(json, key);
	json_out_int(json, value);
}

static void put_key_bool(struct json_out *json, const char *key, bool value)
{
	json_out_key(json, key);
	json_out_bool(json, value);
}

static void put_ndjson(void *context, const struct flame *flame, const uint32_t *nodes, size_t count)
{
	const struct lines *lines = context;
	const struct flame_node *node = &flame->nodes.items[nodes[count - 1]];
	struct json_out json = {.out = lines->out};

	json_out_object_flat(&json);
	put_key_text(&json, "by", flame_by_name(flame->by));
	put_key_text(&json, "phase", flame_phase_name(flame->phase));
	put_key_text(&json, "unit", flame_unit(flame->by));
	if (flame->is_difference)
		put_key_int(&json, "before", node->before);
	put_key_int(&json, "value", node->value);
	if (flame->is_difference)
		put_key_int(&json, "change", node->value - node->before);
	else
		put_key_int(&json, "duration_ns", node->duration_ns);
	put_key_text(&json, "kind", flame_kind_name((enum flame_kind)node->kind));
	json_out_key(&json, "stack");
	json_out_array_flat(&json);
	for (size_t i = 0; i < count; i++)
		json_out_text(&json, lines->names[nodes[i]]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	err_free(json_out_end_line(&json));
}

struct err *render_flame_ndjson(const struct flame *flame, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};
	struct lines lines = {out, flame_safe_names(flame, &arena)};

	flame_each_stack(flame, put_ndjson, &lines);
	return export_finish(out);
}

static void put_tile(const struct report_request *request, const struct report_tile *tile, struct arena *arena,
		     FILE *out)
{
	struct json_out json = {.out = out};

	json_out_object_flat(&json);
	put_key_int(&json, "request", request->index);
	put_key_text(&json, "route", export_safe(arena, request->route));
	put_key_bool(&json, "cold", request->is_cold);
	put_key_int(&json, "pid", tile->pid);
	put_key_int(&json, "tid", tile->tid);
	put_key_text(&json, "thread", export_safe(arena, tile->thread));
	put_key_int(&json, "start_ns", tile->start_ns);
	put_key_int(&json, "duration_ns", tile->duration_ns);
	put_key_text(&json, "cause", cause_name(tile->cause));
	put_key_text(&json, "detail", export_safe(arena, tile->detail));
	put_key_bool(&json, "estimated", tile->is_estimated);
	json_out_object_end(&json);
	err_free(json_out_end_line(&json));
	drop_texts(arena);
}

struct err *render_path_ndjson(const struct report *report, int phase, FILE *out)
{
	auto_done(arena_done) struct arena arena = {};

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		for (size_t k = 0; flame_takes_request(request, phase) && k < request->path_count; k++)
			put_tile(request, &request->path[k], &arena, out);
	}
	return export_finish(out);
}
