#include "render/html_data.h"

#include <stdlib.h>

#include "analyze/causes.h"

struct put_flame {
	struct page *page;
	const struct flame *flame;
	int64_t smallest;
};

static int64_t widest(const struct flame_node *node)
{
	return node->total > node->total_before ? node->total : node->total_before;
}

static void put_node(struct put_flame *put, uint32_t index, int64_t depth)
{
	const struct flame *flame = put->flame;
	const struct flame_node *node = &flame->nodes.items[index];
	struct json_out *json = &put->page->json;
	int64_t value = node->value, before = node->before;

	for (uint32_t child = node->first_child; child != FLAME_NO_NODE;
	     child = flame->nodes.items[child].next_sibling) {
		const struct flame_node *of = &flame->nodes.items[child];

		if (widest(of) < put->smallest) {
			value += of->total;
			before += of->total_before;
		}
	}
	json_out_int(json, depth);
	json_out_int(json, page_text(put->page, flame_name(flame, node)));
	json_out_int(json, node->kind);
	json_out_int(json, value);
	if (flame->is_difference)
		json_out_int(json, before);
}

/* Stacks are as deep as the program made them: a walk with a stack of its own would be no simpler than the tree's
 * links. */
static void put_nodes(struct put_flame *put)
{
	const struct flame *flame = put->flame;
	uint32_t at = 0;
	int64_t depth = 0;

	while (at != FLAME_NO_NODE) {
		const struct flame_node *node = &flame->nodes.items[at];
		bool is_shown = widest(node) >= put->smallest || at == 0;

		if (is_shown)
			put_node(put, at, depth);
		if (is_shown && node->first_child != FLAME_NO_NODE) {
			at = node->first_child;
			depth++;
			continue;
		}
		while (at != FLAME_NO_NODE && flame->nodes.items[at].next_sibling == FLAME_NO_NODE) {
			at = flame->nodes.items[at].parent;
			depth--;
		}
		if (at != FLAME_NO_NODE)
			at = flame->nodes.items[at].next_sibling;
	}
}

void html_put_flame(struct page *page, const struct flame *flame, const char *title, unsigned parts)
{
	struct json_out *json = &page->json;
	struct put_flame put = {page, flame, 0};

	if (parts)
		put.smallest = widest(&flame->nodes.items[0]) / parts;
	json_out_object(json);
	json_out_key(json, "by");
	json_out_text(json, flame_by_name(flame->by));
	json_out_key(json, "phase");
	json_out_text(json, flame->phase == FLAME_ALL_PHASES ? "all" : phase_name((enum phase)flame->phase));
	json_out_key(json, "title");
	json_out_text(json, title);
	json_out_key(json, "unit");
	json_out_text(json, flame_unit(flame->by));
	json_out_key(json, "difference");
	json_out_bool(json, flame->is_difference);
	json_out_key(json, "total");
	json_out_int(json, flame->nodes.items[0].total);
	json_out_key(json, "before");
	json_out_int(json, flame->nodes.items[0].total_before);
	json_out_key(json, "nodes");
	json_out_array_flat(json);
	put_nodes(&put);
	json_out_array_end(json);
	json_out_object_end(json);
}

void html_put_words(struct page *page)
{
	struct json_out *json = &page->json;

	json_out_key(json, "causes");
	json_out_array_flat(json);
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		json_out_text(json, cause_name((enum cause)cause));
		json_out_text(json, cause_words((enum cause)cause));
	}
	json_out_array_end(json);
	json_out_key(json, "kinds");
	json_out_array_flat(json);
	for (int kind = 0; kind < FLAME_KIND_COUNT; kind++)
		json_out_text(json, flame_kind_name((enum flame_kind)kind));
	json_out_array_end(json);
}
