#include "base/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum { GAP_COLUMNS = 2 };

void table_column(struct table *table, struct table_column column)
{
	if (table->column_count < TABLE_COLUMNS_MAX)
		table->columns[table->column_count++] = column;
}

void table_row(struct table *table)
{
	vec_push(&table->rows)->cell_count = 0;
}

void table_cell(struct table *table, enum term_style style, const char *format, ...)
{
	struct table_row *row = &table->rows.items[table->rows.count - 1];
	va_list arguments;
	char *text = NULL;

	if (row->cell_count == table->column_count)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	row->cells[row->cell_count++] =
		(struct table_cell){.text = arena_copy(&table->arena, text, strlen(text)), .style = style};
	free(text);
}

/* What is printed: texts made safe, and the width of each column (0: left out). */
struct layout {
	struct arena arena;
	char **texts; /* (rows + 1) × columns, the titles first */
	size_t widths[TABLE_COLUMNS_MAX];
	bool is_out[TABLE_COLUMNS_MAX];
	bool has_title;
};

static void layout_done(struct layout *layout)
{
	arena_done(&layout->arena);
}

static void layout_measure(struct layout *layout, const struct table *table, const struct term *term)
{
	size_t line_count = table->rows.count + 1;

	layout->texts = arena_array(&layout->arena, char *, line_count * table->column_count + 1);
	for (size_t line = 0; line < line_count; line++) {
		for (unsigned c = 0; c < table->column_count; c++) {
			const struct table_row *row = line ? &table->rows.items[line - 1] : NULL;
			const char *text = !row			 ? table->columns[c].title
					   : c < row->cell_count ? row->cells[c].text
								 : "";
			char *safe = utf8_safe(&layout->arena, text ? text : "", term->has_utf8);
			size_t width = utf8_columns(safe);

			layout->texts[line * table->column_count + c] = safe;
			if (width > layout->widths[c])
				layout->widths[c] = width;
			if (!line && *safe)
				layout->has_title = true;
		}
	}
}

static size_t layout_width(const struct layout *layout, const struct table *table)
{
	size_t width = table->indent;
	bool is_first = true;

	for (unsigned c = 0; c < table->column_count; c++) {
		if (layout->is_out[c] || !layout->widths[c])
			continue;
		width += layout->widths[c] + (is_first ? 0 : GAP_COLUMNS);
		is_first = false;
	}
	return width;
}

/* The widest column that can still give way, or -1. */
static int widest_shrinkable(const struct layout *layout, const struct table *table)
{
	int widest = -1;

	for (unsigned c = 0; c < table->column_count; c++)
		if (!layout->is_out[c] && table->columns[c].shrinks_to &&
		    layout->widths[c] > table->columns[c].shrinks_to &&
		    (widest < 0 || layout->widths[c] > layout->widths[widest]))
			widest = (int)c;
	return widest;
}

static int least_wanted(const struct layout *layout, const struct table *table)
{
	int least = -1;

	for (unsigned c = 0; c < table->column_count; c++)
		if (!layout->is_out[c] && table->columns[c].optional &&
		    (least < 0 || table->columns[c].optional >= table->columns[least].optional))
			least = (int)c;
	return least;
}

static void layout_fit(struct layout *layout, const struct table *table, size_t columns)
{
	size_t natural[TABLE_COLUMNS_MAX];

	for (unsigned c = 0; c < table->column_count; c++)
		natural[c] = layout->widths[c];
	while (layout_width(layout, table) > columns) {
		int widest = widest_shrinkable(layout, table);

		if (widest >= 0) {
			layout->widths[widest]--;
			continue;
		}

		int least = least_wanted(layout, table);

		if (least < 0)
			return;
		layout->is_out[least] = true;
		for (unsigned c = 0; c < table->column_count; c++)
			layout->widths[c] = natural[c];
	}
}

static void put_spaces(FILE *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		putc(' ', out);
}

static enum term_style cell_style(const struct table *table, size_t line, unsigned c)
{
	const struct table_row *row = line ? &table->rows.items[line - 1] : NULL;

	if (!row)
		return TERM_TITLE;
	return c < row->cell_count ? row->cells[c].style : TERM_PLAIN;
}

static void print_line(struct layout *layout, const struct table *table, const struct term *term, FILE *out,
		       size_t line)
{
	size_t pending = table->indent, used = 0;
	bool is_first = true;

	for (unsigned c = 0; c < table->column_count; c++) {
		const struct table_column *column = &table->columns[c];
		size_t width = layout->widths[c];

		if (layout->is_out[c] || !width)
			continue;
		pending += is_first ? 0 : GAP_COLUMNS;
		is_first = false;
		if (used + pending >= term->columns)
			break;

		size_t room = term->columns - used - pending, cell_width = width < room ? width : room;
		char *text = utf8_fit(&layout->arena, layout->texts[line * table->column_count + c], cell_width,
				      column->cut, term->has_utf8);
		size_t text_width = utf8_columns(text), padding = cell_width - text_width;

		if (!text_width) {
			pending += cell_width;
			continue;
		}
		if (column->align == TABLE_RIGHT) {
			pending += padding;
			padding = 0;
		}
		put_spaces(out, pending);
		term_styled(term, out, cell_style(table, line, c), text);
		used += pending + text_width;
		pending = padding;
	}
	putc('\n', out);
}

void table_print(struct table *table, const struct term *term, FILE *out)
{
	auto_done(layout_done) struct layout layout = {};

	layout_measure(&layout, table, term);
	layout_fit(&layout, table, term->columns);
	for (size_t line = layout.has_title ? 0 : 1; line <= table->rows.count; line++)
		print_line(&layout, table, term, out, line);
}

unsigned table_width(const struct table *table, const struct term *term)
{
	auto_done(layout_done) struct layout layout = {};

	layout_measure(&layout, table, term);
	return (unsigned)layout_width(&layout, table);
}

void table_done(struct table *table)
{
	arena_done(&table->arena);
	vec_done(&table->rows);
}
