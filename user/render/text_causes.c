/* The table by cause: what the first request spent under each cause, beside a warm one and the difference.
 *
 * It adds up as printed, down and across: leaves are rounded together (cold and warm each), and every other number is a
 * sum or a difference of what is shown. Small causes are folded into one line, never dropped; the limit rises until
 * the table fits the screen. */
#include "render/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/fmt.h"

enum { LEAVES_MAX = CAUSE_COUNT, SCREEN_ROWS_MOST = 15, BAR_COLUMNS = 24 };

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
	sum->cold += part->cold;
	sum->warm += part->warm;
	sum->share_percent += part->share_percent;
	sum->excess_ns += part->excess_ns;
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

static void gather(struct cause_table *table, const struct report_cold_vs_warm *pair, const struct report_request *cold)
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
	int64_t excess_ns = table->cold_ns - table->warm_ns;

	for (size_t i = 0; i < table->leaf_count; i++) {
		struct leaf *leaf = &table->leaves[i];

		leaf->group = cause_group_of(leaf->cause);
		leaf->amount.excess_ns = leaf->amount.cold - leaf->amount.warm;
		leaf->amount.weight = fmax(share_of(leaf->amount.cold, table->cold_ns),
					   excess_ns > 0 ? share_of(leaf->amount.excess_ns, excess_ns)
							 : share_of(leaf->amount.warm, table->warm_ns));
	}
	qsort(table->leaves, table->leaf_count, sizeof(table->leaves[0]), leaf_order);
	for (size_t i = 0; i < table->leaf_count; i++) {
		cold[i] = table->leaves[i].amount.cold;
		warm[i] = table->leaves[i].amount.warm;
		/* Parts of ten million keep the sum within 64 bits and each percent within its rounding. */
		excess[i] = table->has_share ? llround((double)table->leaves[i].amount.excess_ns / (double)excess_ns * 1e7) : 0;
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

static const char *folded_label(struct cause_table *table, const struct folded *folded, double limit, bool is_in_group)
{
	if (folded->count == 1)
		return is_in_group ? cause_label_in_group(folded->last) : cause_label(folded->last);
	return arena_format(&table->screen->arena, "%zu others, each under %s", folded->count, fmt_percent(limit).text);
}

static void add_group(struct cause_table *table, enum cause_group group, double limit, struct lines *lines,
		      struct folded *rest)
{
	struct folded small = {};
	const struct leaf *large = NULL;
	size_t large_count = 0;

	for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++) {
		if (leaf->group != group)
			continue;
		if (leaf->amount.weight < limit) {
			fold(&small, leaf);
			continue;
		}
		large = leaf;
		large_count++;
	}

	/* Small causes of one group that make something together stay with their group. */
	bool is_small_shown = small.count && small.amount.weight >= limit;

	if (small.count && !is_small_shown)
		for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++)
			if (leaf->group == group && leaf->amount.weight < limit)
				fold(rest, leaf);
	if (!large_count && !is_small_shown)
		return;
	if (!large_count) {
		lines_add(lines,
			  arena_format(&table->screen->arena, "%s (%zu causes)", cause_group_words(group), small.count), 0,
			  &small.amount);
		return;
	}
	if (large_count == 1 && !is_small_shown) {
		lines_add(lines, cause_label(large->cause), 0, &large->amount);
		return;
	}

	struct line *head = &lines->items[lines->count];

	lines_add(lines, cause_group_words(group), 0, &(struct amount){});
	for (const struct leaf *leaf = table->leaves; leaf < table->leaves + table->leaf_count; leaf++) {
		if (leaf->group != group || leaf->amount.weight < limit)
			continue;
		lines_add(lines, cause_label_in_group(leaf->cause), 1, &leaf->amount);
		amount_add(&head->amount, &leaf->amount);
	}
	if (is_small_shown) {
		lines_add(lines, folded_label(table, &small, limit, true), 1, &small.amount);
		amount_add(&head->amount, &small.amount);
	}
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

static void fill_lines(struct cause_table *table, double limit, struct lines *lines)
{
	enum cause_group order[GROUP_COUNT];
	struct folded rest = {};

	*lines = (struct lines){};
	order_groups(table, order);
	for (int i = 0; i < GROUP_COUNT; i++)
		if (order[i] != GROUP_UNEXPLAINED)
			add_group(table, order[i], limit, lines, &rest);
	if (rest.count)
		lines_add(lines, folded_label(table, &rest, limit, false), 0, &rest.amount);
	/* Always shown, also where it is nothing. */
	lines_add(lines, cause_group_words(GROUP_UNEXPLAINED), 0, &table->groups[GROUP_UNEXPLAINED]);
}

static const char *number(struct cause_table *table, int64_t units, bool is_estimated, bool has_sign)
{
	return arena_format(&table->screen->arena, "%s%s", is_estimated && units ? "~" : "",
			    fmt_fixed(units, table->scale.decimals, has_sign).text);
}

static void print_cells(struct cause_table *table, struct table *printed, const struct line *line, enum term_style style,
			double bar_whole)
{
	const struct amount *amount = &line->amount;
	int64_t excess = amount->cold - amount->warm;
	double part = table->has_share ? (double)amount->share_percent : (double)amount->cold;
	enum term_style number_style = style == TERM_PLAIN && line->depth ? TERM_DIM : style;

	table_row(printed);
	table_cell(printed, style, "%*s%s", line->depth * 2, "", line->label);
	table_cell(printed, number_style, "%s", number(table, amount->cold, amount->is_estimated, false));
	if (table->has_warm) {
		table_cell(printed, number_style, "%s", number(table, amount->warm, amount->is_estimated, false));
		table_cell(printed, number_style, "%s", number(table, excess, amount->is_estimated, true));
	}
	if (table->has_share)
		table_cell(printed, number_style, "%s", fmt_percent((double)amount->share_percent / 100).text);
	else if (!table->has_warm)
		table_cell(printed, number_style, "%s",
			   fmt_percent(share_of(amount->cold * table->scale.step_ns, table->cold_ns)).text);
	else
		return;
	table_cell(printed, line->depth ? TERM_DIM : TERM_BAR, "%s",
		   bar_whole > 0 && part > 0 ? term_bar(&table->screen->term, part / bar_whole, BAR_COLUMNS).text : "");
}

static void print_lines(struct cause_table *table, const struct lines *lines, const char *what)
{
	struct table printed = {};
	struct line total = {.label = what};
	const char *unit = table->scale.unit;
	double largest = 0;

	table_column(&printed, (struct table_column){.title = "Where the time went", .shrinks_to = 20, .cut = UTF8_CUT_END});
	table_column(&printed, (struct table_column){.title = arena_format(&table->screen->arena, "first %s", unit), TABLE_RIGHT});
	if (table->has_warm) {
		table_column(&printed,
			     (struct table_column){.title = arena_format(&table->screen->arena, "warm %s", unit), TABLE_RIGHT});
		table_column(&printed, (struct table_column){.title = "difference", TABLE_RIGHT});
	}
	table_column(&printed, (struct table_column){.title = "share", TABLE_RIGHT});
	table_column(&printed, (struct table_column){.shrinks_to = 6, .optional = 1, .cut = UTF8_CUT_END});
	for (size_t i = 0; i < lines->count; i++) {
		const struct amount *amount = &lines->items[i].amount;

		largest = fmax(largest, table->has_share ? (double)amount->share_percent : (double)amount->cold);
		if (!lines->items[i].depth)
			amount_add(&total.amount, amount);
	}
	total.amount.is_estimated = false;
	for (size_t i = 0; i < lines->count; i++)
		print_cells(table, &printed, &lines->items[i], TERM_PLAIN, largest);
	print_cells(table, &printed, &total, TERM_BOLD, 0);
	screen_table(table->screen, &printed);
}

void text_causes(struct screen *screen, const struct report_cold_vs_warm *pair, const struct report_request *cold,
		 bool is_full)
{
	static const double limits[] = {0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1};
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
		fill_lines(table, 0, lines);
	for (size_t i = 0; !is_full && i < array_length(limits); i++) {
		fill_lines(table, limits[i], lines);
		if (lines->count <= SCREEN_ROWS_MOST)
			break;
	}
	print_lines(table, lines, "total");
}
