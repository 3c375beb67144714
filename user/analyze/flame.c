#include "analyze/flame.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/flame_internal.h"

const char *flame_by_name(enum flame_by by)
{
	static const char *const names[FLAME_BY_COUNT] = {"critical-path", "on-cpu",  "off-cpu", "exceptions",
							  "faults",	   "classes", "files"};

	return names[by];
}

const char *flame_kind_name(enum flame_kind kind)
{
	static const char *const names[FLAME_KIND_COUNT] = {
#define F(NAME, name) name,
		FLAME_KIND_TABLE(F)
#undef F
	};

	return names[kind];
}

bool flame_is_time(enum flame_by by)
{
	return by == FLAME_CRITICAL_PATH || by == FLAME_ON_CPU || by == FLAME_OFF_CPU;
}

const char *flame_unit(enum flame_by by)
{
	static const char *const units[FLAME_BY_COUNT] = {"nanoseconds", "nanoseconds", "nanoseconds", "exceptions",
							  "faults",	 "classes",	"calls"};

	return units[by];
}

/* ---- the tree ---- */

void flame_begin(struct flame *flame, enum flame_by by, int phase)
{
	*flame = (struct flame){.by = by, .phase = phase};
	*vec_push(&flame->nodes) = (struct flame_node){
		.name = strpool_add_text(&flame->names, "all"),
		.parent = FLAME_NO_NODE,
		.first_child = FLAME_NO_NODE,
		.next_sibling = FLAME_NO_NODE,
		.kind = FLAME_KIND_ROOT,
	};
}

uint32_t flame_child_named(struct flame *flame, uint32_t parent, enum flame_kind kind, uint32_t name)
{
	bool is_new;
	uint32_t node =
		(uint32_t)*map_set(&flame->children, (uint64_t)parent << 32 | name, flame->nodes.count, &is_new);

	if (is_new)
		*vec_push(&flame->nodes) = (struct flame_node){
			.name = name,
			.parent = parent,
			.first_child = FLAME_NO_NODE,
			.next_sibling = FLAME_NO_NODE,
			.kind = (uint8_t)kind,
		};
	return node;
}

uint32_t flame_child(struct flame *flame, uint32_t parent, enum flame_kind kind, const char *name)
{
	return flame_child_named(flame, parent, kind, strpool_add_text(&flame->names, name));
}

struct ranked_node {
	const char *name;
	uint32_t node, parent;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked_node *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(a->name, b->name);
}

void flame_finish(struct flame *flame)
{
	size_t count = flame->nodes.count;
	struct ranked_node *ranked = calloc(count, sizeof(*ranked));

	if (!ranked)
		memory_exhausted();
	for (size_t i = 0; i < count; i++) {
		struct flame_node *node = &flame->nodes.items[i];

		node->total = node->value;
		node->total_before = node->before;
		node->first_child = node->next_sibling = FLAME_NO_NODE;
		ranked[i] = (struct ranked_node){flame_name(flame, node), (uint32_t)i, node->parent};
	}
	/* Children come after their parents. */
	for (size_t i = count; i-- > 1;) {
		struct flame_node *parent = &flame->nodes.items[flame->nodes.items[i].parent];

		parent->total += flame->nodes.items[i].total;
		parent->total_before += flame->nodes.items[i].total_before;
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = count; i-- > 0;) {
		if (ranked[i].parent == FLAME_NO_NODE)
			continue;

		struct flame_node *parent = &flame->nodes.items[ranked[i].parent];

		flame->nodes.items[ranked[i].node].next_sibling = parent->first_child;
		parent->first_child = ranked[i].node;
	}
	free(ranked);
}

void flame_done(struct flame *flame)
{
	strpool_done(&flame->names);
	vec_done(&flame->nodes);
	vec_done(&flame->steps);
	map_done(&flame->children);
}

/* ---- the report's figures ---- */

static void add_known(struct maybe *sum, struct maybe value)
{
	if (value.state != KNOWN)
		return;
	sum->state = KNOWN;
	sum->value += value.value;
}

static void add_phase(const struct report_phase *phase, enum flame_by by, struct maybe *sum)
{
	switch (by) {
	case FLAME_ON_CPU:
		add_known(sum, phase->cpu_ns);
		break;
	case FLAME_EXCEPTIONS:
		add_known(sum, phase->counts.of[COUNT_EXCEPTIONS]);
		break;
	case FLAME_FAULTS:
		add_known(sum, phase->counts.of[COUNT_MINOR_FAULTS]);
		add_known(sum, phase->counts.of[COUNT_MAJOR_FAULTS]);
		break;
	case FLAME_CLASSES:
		add_known(sum, phase->counts.of[COUNT_CLASSES_LOADED]);
		break;
	case FLAME_FILES:
		add_known(sum, phase->counts.of[COUNT_OPENS]);
		add_known(sum, phase->counts.of[COUNT_LOOKUPS]);
		add_known(sum, phase->counts.of[COUNT_READS]);
		break;
	case FLAME_CRITICAL_PATH:
	case FLAME_OFF_CPU:
	case FLAME_BY_COUNT:
		break;
	}
}

struct maybe flame_total_of(const struct report *report, enum flame_by by, int phase)
{
	struct maybe sum = {};

	if (by == FLAME_CRITICAL_PATH) {
		for (size_t i = 0; i < report->requests_count; i++)
			if (flame_takes_request(&report->requests[i], phase))
				add_known(&sum, (struct maybe){KNOWN, report->requests[i].latency_ns});
		return sum;
	}
	for (size_t i = 0; i < report->phases_count; i++)
		if (phase == FLAME_ALL_PHASES || (int)report->phases[i].phase == phase)
			add_phase(&report->phases[i], by, &sum);
	return sum;
}
