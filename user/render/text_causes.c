/* The table by cause: what the first request spent under each cause, beside a warm one and the difference.
 *
 * It adds up as printed, down and across: leaves are rounded together (cold and warm each), and every other number is
 * a sum or a difference of what is shown. Small causes are folded into one line, never dropped; the limit rises until
 * the table fits the screen. */
#include "render/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

enum {
	LEAVES_MAX = CAUSE_COUNT,
	GROUP_LABEL_COLUMNS = 40,
	SCREEN_ROWS_MOST = 14,
	BAR_COLUMNS_LEAST = 6,
	BAR_COLUMNS_GOOD = 12,
	BAR_COLUMNS_MOST = 24,
};

/* On the screen a group is worth lines for its causes from here on. */
#define GROUP_SPLIT_FROM 0.1

/* A full report folds what would be a line of zeros. */
#define FULL_FROM 0.001

/* Sums in units of the last digit shown, but for `excess_ns` and `weight`, which order and fold. */
struct amount {
	int64_t cold, warm, share_percent, excess_ns;
	double weight; /* the larger of the shares of the cold request and of the difference, 0..1 */
	bool is_estimated;
};

struct leaf {
	enum cause cause;
	enum cause_group group;
	struct amount amount;
};

struct cause_table {
	struct screen *screen;
	struct scale scale;
	bool has_warm, has_share;
	int64_t cold_ns, warm_ns;
	struct leaf leaves[LEAVES_MAX]; /* largest difference first */
	size_t leaf_count;
	struct amount groups[GROUP_COUNT];
};

/* One line of the table, before it is printed. */
struct line {
	const char *label;
	unsigned depth;
	struct amount amount;
};

struct lines {
	struct line items[LEAVES_MAX + GROUP_COUNT + 4];
	size_t count;
};

static void amount_add(struct amount *sum, const struct amount *part)
{
	sum->cold = fmt_add(sum->cold, part->cold);
	sum->warm = fmt_add(sum->warm, part->warm);
	sum->share_percent = fmt_add(sum->share_percent, part->share_percent);
	sum->excess_ns = fmt_add(sum->excess_ns, part->excess_ns);
	sum->weight += part->weight;
	/* Nothing of a part that rounds to nothing makes the sum an estimate that anyone could see. */
	sum->is_estimated = sum->is_estimated || (part->is_estimated && (part->cold || part->warm));
}

static double share_of(int64_t part_ns, int64_t whole_ns)
{
	return whole_ns > 0 ? fabs((double)part_ns) / (double)whole_ns : 0;
}

static int leaf_order(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;

	if (a->amount.excess_ns != b->amount.excess_ns)
		return a->amount.excess_ns > b->amount.excess_ns ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

static void gather(struct cause_table *table, const struct report_cold_vs_warm *pair,
		   const struct report_request *cold)
{
	for (int i = 0; !pair && i < CAUSE_COUNT; i++)
		if (cold->causes[i])
			table->leaves[table->leaf_count++] = (struct leaf){
				.cause = (enum cause)i,
				.amount = {.cold = cold->causes[i], .is_estimated = cold->cause_is_estimated[i]},
			};
	for (size_t i = 0; pair && i < pair->cause_count && i < LEAVES_MAX; i++)
		table->leaves[table->leaf_count++] = (struct leaf){
			.cause = pair->causes[i].cause,
			.amount = {.cold = pair->causes[i].cold_ns,
				   .warm = table->has_warm ? pair->causes[i].warm_ns : 0,
				   .is_estimated = pair->causes[i].is_estimated},
		};
}

/* Turns nanoseconds into units that add up, and sorts. */
static void settle(struct cause_table *table)
{
	int64_t cold[LEAVES_MAX], warm[LEAVES_MAX], excess[LEAVES_MAX], units[LEAVES_MAX];
	int64_t excess_ns = fmt_subtract(table->cold_ns, table->warm_ns);

	for (size_t i = 0; i < table->leaf_count; i++) {
		struct leaf *leaf = &table->leaves[i];

		leaf->group = cause_group_of(leaf->cause);
		leaf->amount.excess_ns = fmt_subtract(leaf->amount.cold, leaf->amount.warm);
		leaf->amount.weight = fmax(share_of(leaf->amount.cold, table->cold_ns),
					   excess_ns > 0 ? share_of(leaf->amount.excess_ns, excess_ns)
							 : share_of(leaf->amount.warm, table->warm_ns));
	}
	qsort(table->leaves, table->leaf_count, sizeof(table->leaves[0]), leaf_order);
	for (size_t i = 0; i < table->leaf_count; i++) {
		cold[i] = table->leaves[i].amount.cold;
		warm[i] = table->leaves[i].amount.warm;
		excess[i] = table->has_share
				    ? llround((double)table->leaves[i].amount.excess_ns / (double)excess_ns * 1e7)
				    : 0;
	}
	fmt_round_together(cold, table->leaf_count, table->scale.step_ns, units);
	for (size_t i = 0; i < table->leaf_count; i++)
		table->leaves[i].amount.cold = units[i];
	fmt_round_together(warm, table->leaf_count, table->scale.step_ns, units);
	for (size_t i = 0; i < table->leaf_count; i++)
		table->leaves[i].amount.warm = units[i];
	fmt_round_together(excess, table->leaf_count, 100000, units);
	for (size_t i = 0; i < table->leaf_count; i++) {
		table->leaves[i].amount.share_percent = units[i];
		amount_add(&table->groups[table->leaves[i].group], &table->leaves[i].amount);
	}
}

static void lines_add(struct lines *lines, const char *label, unsigned depth, const struct amount *amount)
{
	lines->items[lines->count++] = (struct line){.label = label, .depth = depth, .amount = *amount};
}

/* Causes too small for a line of their own. */
struct folded {
	struct amount amount;
	size_t count;
	enum cause last;
};

static void fold(struct folded *folded, const struct leaf *leaf)
{
	amount_add(&folded->amount, &leaf->amount);
	folded->count++;
	folded->last = leaf->cause;
}

static const char *folded_label(struct cause_table *table, const struct folded *folded, double limit)
{
	if (folded->count == 1)
		return cause_label_in_group(folded->last);
	return arena_format(&table->screen->arena, "%zu others, each under %s", folded->count,
			    fmt_percent(limit).text);
}

/* A group on one line: by its only cause, or with the one that says most. */
static const char *group_label(struct cause_table *table, enum cause_group group)
{
	const struct leaf *most = NULL;
	size_t count = 0;

	for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++) {
		if (leaf->group != group)
			continue;
		count++;
		if (!most || leaf->amount.weight > most->amount.weight)
			most = leaf;
	}
	if (count == 1)
		return cause_label(most->cause);

	const char *words = cause_group_words(group), *cause = cause_label_in_group(most->cause);
	bool repeats = strncmp(cause, words, strlen(words)) == 0;
	char *label = arena_format(&table->screen->arena, "%s%smostly %s", repeats ? "" : words, repeats ? "" : ", ",
				   cause);

	return utf8_fit(&table->screen->arena, label, GROUP_LABEL_COLUMNS, UTF8_CUT_END,
			table->screen->term.has_utf8);
}

struct limits {
	double group; /* a smaller group has no line of its own */
	double cause; /* nor a smaller cause in its group */
	double split; /* smaller groups stay on one line */
};

static void add_group(struct cause_table *table, enum cause_group group, struct limits limits, struct lines *lines)
{
	struct folded small = {};
	size_t large_count = 0;

	for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++) {
		if (leaf->group != group)
			continue;
		if (leaf->amount.weight < limits.cause)
			fold(&small, leaf);
		else
			large_count++;
	}
	if (table->groups[group].weight < limits.split || large_count + small.count < 2 || !large_count) {
		lines_add(lines, group_label(table, group), 0, &table->groups[group]);
		return;
	}
	lines_add(lines, cause_group_words(group), 0, &table->groups[group]);
	for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++)
		if (leaf->group == group && leaf->amount.weight >= limits.cause)
			lines_add(lines, cause_label_in_group(leaf->cause), 1, &leaf->amount);
	if (small.count)
		lines_add(lines, folded_label(table, &small, limits.cause), 1, &small.amount);
}

/* The groups by their difference, largest first. */
static void order_groups(const struct cause_table *table, enum cause_group *ret_order)
{
	for (int group = 0; group < GROUP_COUNT; group++) {
		int at = group;

		for (; at > 0 && table->groups[ret_order[at - 1]].excess_ns < table->groups[group].excess_ns; at--)
			ret_order[at] = ret_order[at - 1];
		ret_order[at] = (enum cause_group)group;
	}
}

static bool has_leaves(const struct cause_table *table, enum cause_group group)
{
	for (size_t i = 0; i < table->leaf_count; i++)
		if (table->leaves[i].group == group)
			return true;
	return false;
}

static void fill_lines(struct cause_table *table, struct limits limits, struct lines *lines)
{
	enum cause_group order[GROUP_COUNT], small_group = GROUP_COUNT;
	struct amount small = {};
	size_t small_count = 0;

	*lines = (struct lines){};
	order_groups(table, order);
	for (int i = 0; i < GROUP_COUNT; i++) {
		if (order[i] == GROUP_UNEXPLAINED || !has_leaves(table, order[i]))
			continue;
		if (table->groups[order[i]].weight >= limits.group) {
			add_group(table, order[i], limits, lines);
			continue;
		}
		amount_add(&small, &table->groups[order[i]]);
		small_group = order[i];
		small_count++;
	}
	if (small_count == 1)
		lines_add(lines, group_label(table, small_group), 0, &small);
	else if (small_count)
		lines_add(lines,
			  arena_format(&table->screen->arena, "%zu others, each under %s", small_count,
				       fmt_percent(limits.group).text),
			  0, &small);
	/* Always shown, also where it is nothing. */
	lines_add(lines, cause_group_words(GROUP_UNEXPLAINED), 0, &table->groups[GROUP_UNEXPLAINED]);
}

static const char *number(struct cause_table *table, int64_t units, bool is_estimated, bool has_sign)
{
	return arena_format(&table->screen->arena, "%s%s", is_estimated && units ? "~" : "",
			    fmt_fixed(units, table->scale.decimals, has_sign).text);
}

/* What a bar shows of a line. */
static double bar_part(const struct cause_table *table, const struct amount *amount)
{
	return (double)(table->has_share ? amount->share_percent : amount->cold);
}

struct bars {
	unsigned columns; /* 0: no room for bars */
	double whole;	  /* the part that fills them */
};

static void print_cells(struct cause_table *table, struct table *printed, const struct line *line,
			enum term_style style, struct bars bars)
{
	const struct amount *amount = &line->amount;
	int64_t difference = fmt_subtract(amount->cold, amount->warm);
	double share = table->has_share ? (double)amount->share_percent / 100
		       : table->cold_ns > 0
			       ? (double)amount->cold * (double)table->scale.step_ns / (double)table->cold_ns
			       : 0;
	double part = bar_part(table, amount);
	enum term_style number_style = style == TERM_PLAIN && line->depth ? TERM_DIM : style;

	table_row(printed);
	table_cell(printed, style, "%*s%s", (int)line->depth * 2, "", line->label);
	table_cell(printed, number_style, "%s", number(table, amount->cold, amount->is_estimated, false));
	if (table->has_warm) {
		table_cell(printed, number_style, "%s", number(table, amount->warm, amount->is_estimated, false));
		table_cell(printed, number_style, "%s", number(table, difference, amount->is_estimated, true));
	}
	if (table->has_warm && !table->has_share)
		return;
	table_cell(printed, number_style, "%s", fmt_percent(share).text);
	if (bars.columns)
		table_cell(printed, line->depth ? TERM_DIM : TERM_BAR, "%s",
			   bars.whole > 0 && part > 0
				   ? term_bar(&table->screen->term, part / bars.whole, bars.columns).text
				   : "");
}

static void build_table(struct cause_table *table, const struct lines *lines, unsigned bar_columns,
			struct table *ret_printed)
{
	struct arena *arena = &table->screen->arena;
	struct line total = {.label = "total"};
	struct bars bars = {.columns = bar_columns};
	bool is_estimated = false;

	for (size_t i = 0; i < lines->count; i++) {
		const struct amount *amount = &lines->items[i].amount;

		bars.whole = fmax(bars.whole, bar_part(table, amount));
		is_estimated = is_estimated || amount->is_estimated;
		if (!lines->items[i].depth)
			amount_add(&total.amount, amount);
	}
	/* Parts are estimates where the whole is measured. */
	total.amount.is_estimated = false;

	*ret_printed = (struct table){};
	table_column(ret_printed, (struct table_column){.title = is_estimated ? "Where the time went (~ estimated)"
									      : "Where the time went",
							.shrinks_to = 20,
							.cut = UTF8_CUT_END});
	table_column(ret_printed, (struct table_column){.title = arena_format(arena, "first %s", table->scale.unit),
							.align = TABLE_RIGHT});
	if (table->has_warm) {
		table_column(ret_printed,
			     (struct table_column){.title = arena_format(arena, "warm %s", table->scale.unit),
						   .align = TABLE_RIGHT});
		table_column(ret_printed, (struct table_column){.title = "difference", .align = TABLE_RIGHT});
	}
	if (table->has_share || !table->has_warm) {
		table_column(ret_printed, (struct table_column){.title = "share", .align = TABLE_RIGHT});
		table_column(ret_printed, (struct table_column){.optional = 1});
	}
	for (size_t i = 0; i < lines->count; i++)
		print_cells(table, ret_printed, &lines->items[i], TERM_PLAIN, bars);
	print_cells(table, ret_printed, &total, TERM_BOLD, (struct bars){});
}

static unsigned bar_room(struct cause_table *table, const struct lines *lines)
{
	struct table printed;
	unsigned columns = table->screen->term.columns, width;

	build_table(table, lines, 0, &printed);
	width = table_width(&printed, &table->screen->term) + 2;
	table_done(&printed);
	return columns < width + BAR_COLUMNS_LEAST  ? 0
	       : columns < width + BAR_COLUMNS_MOST ? columns - width
						    : BAR_COLUMNS_MOST;
}

/* Bars take the room that the numbers leave; where that is little, labels lose what stands in parentheses. */
static void print_lines(struct cause_table *table, struct lines *lines)
{
	struct table printed;
	unsigned room = bar_room(table, lines);

	if (room < BAR_COLUMNS_GOOD) {
		for (size_t i = 0; i < lines->count; i++)
			lines->items[i].label = cause_label_short(table->screen, lines->items[i].label);
		room = bar_room(table, lines);
	}
	build_table(table, lines, room, &printed);
	screen_table(table->screen, &printed);
}

void text_causes(struct screen *screen, const struct report_cold_vs_warm *pair, const struct report_request *cold,
		 bool is_full)
{
	static const struct limits limits[] = {
		{0.01, 0.01, GROUP_SPLIT_FROM}, {0.01, 0.02, GROUP_SPLIT_FROM}, {0.01, 0.03, GROUP_SPLIT_FROM},
		{0.02, 0.03, GROUP_SPLIT_FROM}, {0.02, 0.05, GROUP_SPLIT_FROM}, {0.02, 0.07, GROUP_SPLIT_FROM},
		{0.03, 0.07, GROUP_SPLIT_FROM}, {0.05, 0.1, GROUP_SPLIT_FROM},
	};
	int64_t cold_ns = pair ? pair->cold_ns : cold->latency_ns;
	auto_free struct cause_table *table = calloc(1, sizeof(*table));
	auto_free struct lines *lines = calloc(1, sizeof(*lines));

	if (!table || !lines)
		memory_exhausted();
	*table = (struct cause_table){
		.screen = screen,
		.scale = scale_for(pair && pair->warm_ns > cold_ns ? pair->warm_ns : cold_ns),
		.has_warm = pair && pair->warm_count > 0,
		.cold_ns = cold_ns,
	};
	table->warm_ns = table->has_warm ? pair->warm_ns : 0;
	table->has_share = table->has_warm && table->cold_ns > table->warm_ns;
	gather(table, pair, cold);
	settle(table);
	if (is_full)
		fill_lines(table, (struct limits){.group = FULL_FROM, .cause = FULL_FROM}, lines);
	for (size_t i = 0; !is_full && i < array_length(limits); i++) {
		fill_lines(table, limits[i], lines);
		if (lines->count <= SCREEN_ROWS_MOST)
			break;
	}
	print_lines(table, lines);
}
