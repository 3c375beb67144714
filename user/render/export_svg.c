/* A flame graph as one SVG file: right as it is in anything that shows SVG, and with zoom, search and keys where its
 * script runs (reports/flame.svg.js). Frames are nested svg elements placed in percent: the picture has the width of
 * its window, and text ends where its frame does. */
#include <inttypes.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"
#include "base/utf8.h"
#include "render/export.h"
#include "render/export_stacks.h"

extern const char flame_svg_script[];
extern const unsigned long flame_svg_script_length;

enum {
	ROW = 18,
	HEAD = 58,
	LEGEND = 26,
	FOOT = 30,
	PARTS = 5000, /* narrower frames are no pixel wide anywhere, and browsers slow down over ten thousand elements
		       */
	TEXT_PARTS = 150, /* in narrower ones no text can be read */
};

struct picture {
	FILE *out;
	const struct flame *flame;
	const char **names;
	struct arena arena;
	int64_t *width; /* by node: of the wider side, with all below */
	unsigned depth;
	int head; /* rows begin below it */
};

static void put_text(const char *text, size_t most, FILE *out)
{
	const char *end = text + strlen(text);

	for (size_t i = 0; text < end && i < most; i++) {
		const char *from = text;
		int32_t character = utf8_next(&text, end);

		if (character == '<')
			fputs("&lt;", out);
		else if (character == '>')
			fputs("&gt;", out);
		else if (character == '&')
			fputs("&amp;", out);
		else if (character == '"')
			fputs("&quot;", out);
		else if (character == UTF8_INVALID || character == 0xfffe || character == 0xffff)
			fputs("\xef\xbf\xbd", out); /* no character of XML */
		else
			fwrite(from, 1, (size_t)(text - from), out);
	}
	if (text < end)
		fputs("…", out);
}

/* The stronger, the more of the frame changed. */
static const char *shade_of(int64_t before, int64_t now)
{
	static const char *const grown[] = {"#9c7a6e", "#a9684d", "#b6552c", "#c2410c"};
	static const char *const shrunk[] = {"#71839a", "#5b7da3", "#4576ac", "#2f6fb5"};
	int64_t larger = now > before ? now : before, change = now > before ? now - before : before - now;
	size_t step = larger > 0 ? (size_t)((double)change / (double)larger * 4) : 0;

	if (step > 3)
		step = 3;
	return now > before ? grown[step] : shrunk[step];
}

static const char *colour_of(const struct picture *picture, const struct flame_node *node)
{
	static const char *const colours[FLAME_KIND_COUNT] = {
		[FLAME_KIND_ROOT] = "#d8dce2",	 [FLAME_KIND_ROUTE] = "#9aa1ac",
		[FLAME_KIND_THREAD] = "#5d6673", [FLAME_KIND_JAVA] = "#4477aa",
		[FLAME_KIND_NATIVE] = "#44aa99", [FLAME_KIND_CODE] = "#4477aa",
		[FLAME_KIND_CLASS] = "#a08f1f",	 [FLAME_KIND_EXCEPTION] = "#aa3377",
		[FLAME_KIND_FAULT] = "#d04a5d",	 [FLAME_KIND_FILE] = "#228833",
		[FLAME_KIND_WAIT] = "#868e9a",	 [FLAME_KIND_LOCK] = "#d06f4d",
		[FLAME_KIND_VM] = "#882255",	 [FLAME_KIND_CPU] = "#5d6673",
		[FLAME_KIND_KERNEL] = "#3a978a", [FLAME_KIND_UNEXPLAINED] = "#a08a5c",
	};

	if (!picture->flame->is_difference || node->kind == FLAME_KIND_ROOT)
		return colours[node->kind];
	if (node->total == node->total_before)
		return "#868e9a";
	if (node->total_before == 0)
		return "url(#new)";
	if (node->total == 0)
		return "url(#gone)";
	return shade_of(node->total_before, node->total);
}

static struct fmt amount(const struct flame *flame, int64_t value)
{
	return flame_is_time(flame->by) ? fmt_duration(value) : fmt_count(value);
}

static void put_sides(const struct flame *flame, const struct flame_node *node, FILE *out)
{
	const char *words = flame->is_cold_and_warm ? "%s warm, %s first" : "%s before, %s now";

	fprintf(out, words, amount(flame, node->total_before).text, amount(flame, node->total).text);
}

/* What the colours of a difference mean: its own are not those of the other pictures. */
static void put_legend(const struct picture *picture, unsigned y)
{
	const struct {
		const char *fill, *words;
		unsigned x;
	} parts[] = {
		{"#c2410c", picture->flame->is_cold_and_warm ? "longer in the first request" : "grown", 10},
		{"#2f6fb5", picture->flame->is_cold_and_warm ? "longer in warm ones" : "shrunk", 220},
		{"#868e9a", "the same", 380},
		{"url(#new)", picture->flame->is_cold_and_warm ? "only in the first" : "new", 490},
		{"url(#gone)", picture->flame->is_cold_and_warm ? "only in warm ones" : "vanished", 650},
	};

	for (size_t i = 0; i < array_length(parts); i++)
		fprintf(picture->out,
			"<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%u\" y=\"%u\" "
			"fill=\"#596273\">%s</text>\n",
			parts[i].x, y, parts[i].fill, parts[i].x + 18, y + 11, parts[i].words);
}

static void put_words(const struct picture *picture, const struct flame_node *node)
{
	const struct flame *flame = picture->flame;
	const struct flame_node *root = &flame->nodes.items[0];
	FILE *out = picture->out;

	if (flame->is_difference) {
		fputc('\n', out);
		put_sides(flame, node, out);
		if (flame->is_cold_and_warm && (node->total_before == 0 || node->total == 0))
			fputs(node->total ? ", only the first" : ", only warm ones", out);
		else if (node->total_before == 0 || node->total == 0)
			fputs(node->total ? ", new" : ", vanished", out);
		return;
	}
	fprintf(out, "\n%s%s%s (%s)", amount(flame, node->total).text, flame_is_time(flame->by) ? "" : " ",
		flame_is_time(flame->by) ? "" : flame_unit(flame->by),
		fmt_percent(root->total ? (double)node->total / (double)root->total : 0).text);
}

static void put_frame(const struct picture *picture, uint32_t index, int64_t at, unsigned depth)
{
	const struct flame_node *node = &picture->flame->nodes.items[index];
	double whole = picture->width[0] ? (double)picture->width[0] : 1;
	double x = 100 * (double)at / whole, width = 100 * (double)picture->width[index] / whole;
	FILE *out = picture->out;

	fprintf(out,
		"<svg class=\"f\" x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%d\" tabindex=\"%d\" "
		"role=\"button\">"
		"<title>",
		x, (unsigned)picture->head + depth * ROW, width, ROW - 1, depth < 40 ? 0 : -1);
	put_text(picture->names[index], 10000, out);
	put_words(picture, node);
	fprintf(out, "</title><rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>", colour_of(picture, node));
	/* The script gives a text to those that become wide. */
	if (picture->width[index] >= picture->width[0] / TEXT_PARTS) {
		fputs(node->kind == FLAME_KIND_ROOT ? "<text x=\"3\" y=\"13\" class=\"dark\">"
						    : "<text x=\"3\" y=\"13\">",
		      out);
		put_text(picture->names[index], 400, out);
		fputs("</text>", out);
	}
	fputs("</svg>\n", out);
}

struct placed {
	uint32_t node;
	int64_t at;
};

/* Parents before children: the script finds a frame's ancestors by place. */
static void put_frames(struct picture *picture)
{
	const struct flame *flame = picture->flame;
	VEC(struct placed) open = {};
	uint32_t at = 0;
	int64_t x = 0;

	for (;;) {
		const struct flame_node *node = &flame->nodes.items[at];
		bool is_shown = picture->width[at] > 0 && picture->width[at] >= picture->width[0] / PARTS;

		if (is_shown)
			put_frame(picture, at, x, (unsigned)open.count);
		if (is_shown && node->first_child != FLAME_NO_NODE) {
			*vec_push(&open) = (struct placed){at, x};
			at = node->first_child;
			continue;
		}
		x += picture->width[at];
		while (open.count && node->next_sibling == FLAME_NO_NODE) {
			const struct placed *parent = &open.items[--open.count];

			node = &flame->nodes.items[parent->node];
			x = parent->at + picture->width[parent->node];
		}
		if (node->next_sibling == FLAME_NO_NODE || !open.count)
			break;
		at = node->next_sibling;
	}
	vec_done(&open);
}

static void measure(struct picture *picture)
{
	const struct flame *flame = picture->flame;
	size_t count = flame->nodes.count;
	unsigned *depths = arena_array(&picture->arena, unsigned, count);

	picture->width = arena_array(&picture->arena, int64_t, count);
	for (size_t i = 0; i < count; i++) {
		const struct flame_node *node = &flame->nodes.items[i];

		picture->width[i] = node->value > node->before ? node->value : node->before;
		depths[i] = i ? depths[node->parent] + 1 : 0;
	}
	for (size_t i = count; i-- > 1;)
		picture->width[flame->nodes.items[i].parent] += picture->width[i];
	for (size_t i = 0; i < count; i++)
		if (picture->width[i] >= picture->width[0] / PARTS && depths[i] + 1 > picture->depth)
			picture->depth = depths[i] + 1;
}

struct err *render_svg(const struct flame *flame, const char *title, FILE *out)
{
	struct picture picture = {.out = out, .flame = flame, .head = HEAD + (flame->is_difference ? LEGEND : 0)};
	const struct flame_node *root = &flame->nodes.items[0];

	picture.names = flame_safe_names(flame, &picture.arena);
	measure(&picture);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\" role=\"img\" "
		"data-row=\"%d\" data-head=\"%d\">\n<title>",
		(unsigned)picture.head + picture.depth * ROW + FOOT, ROW, picture.head);
	put_text(utf8_safe(&picture.arena, title, true), 1000, out);
	fputs("</title>\n<defs><pattern id=\"new\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#c2410c\"/><rect width=\"2\" "
	      "height=\"7\" "
	      "fill=\"#e58b63\"/></pattern><pattern id=\"gone\" width=\"7\" height=\"7\" "
	      "patternUnits=\"userSpaceOnUse\" "
	      "patternTransform=\"rotate(-45)\"><rect width=\"7\" height=\"7\" fill=\"#2f6fb5\"/><rect width=\"2\" "
	      "height=\"7\" "
	      "fill=\"#8db4de\"/></pattern></defs>\n"
	      "<style>svg { background: #fff; font: 12px system-ui, \"DejaVu Sans\", sans-serif } .f { cursor: "
	      "pointer; overflow: hidden; "
	      "outline: none } .f text { fill: #fff; pointer-events: none } .f text.dark { fill: #1a1f27 } "
	      ".f rect { stroke: #fff; stroke-width: .6 } .f:hover rect, .f:focus rect { stroke: #000; stroke-width: "
	      "2 } "
	      ".f.above { opacity: .5 } .f.hit > rect { fill: #ffe08a } .f.hit > text { fill: #1a1f27 } .button { "
	      "cursor: pointer; fill: "
	      "#1f5fae } .button:focus { outline: 2px solid #1f5fae } @media (forced-colors: active) { .f rect { "
	      "stroke: CanvasText } }"
	      "</style>\n<text x=\"10\" y=\"22\" font-size=\"16\" font-weight=\"600\" fill=\"#1a1f27\">",
	      out);
	put_text(utf8_safe(&picture.arena, title, true), 200, out);
	fputs("</text>\n<text x=\"10\" y=\"44\" fill=\"#596273\" id=\"told\">", out);
	if (flame->is_difference)
		put_sides(flame, root, out);
	else
		fprintf(out, "%s %s", amount(flame, root->total).text,
			flame_is_time(flame->by) ? "in all" : flame_unit(flame->by));
	fputs("</text>\n", out);
	if (flame->is_difference)
		put_legend(&picture, HEAD - 6);
	fputs("<text x=\"99%\" y=\"22\" text-anchor=\"end\" class=\"button\" id=\"search\" tabindex=\"0\" "
	      "role=\"button\">Search</text>\n"
	      "<text x=\"99%\" y=\"44\" text-anchor=\"end\" class=\"button\" id=\"reset\" tabindex=\"0\" "
	      "role=\"button\" "
	      "visibility=\"hidden\">Whole graph</text>\n<g id=\"frames\">\n",
	      out);
	put_frames(&picture);
	fputs("</g>\n<script><![CDATA[\n", out);
	fwrite(flame_svg_script, 1, flame_svg_script_length, out);
	fputs("]]></script>\n</svg>\n", out);
	arena_done(&picture.arena);
	return export_finish(out);
}
