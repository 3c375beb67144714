/* Tables for the terminal: columns that align, long names cut in their middle, never a wrapped line.
 *
 * Filled row by row, cell by cell, then printed once. Where the terminal is too narrow, columns with a `shrinks_to`
 * give way, widest first; then optional columns are left out, the highest `optional` first; what still does not fit
 * is cut. Texts are made safe when printed (see term.h). Nothing fails. */
#pragma once

#include <stdio.h>

#include "base/arena.h"
#include "base/term.h"
#include "base/vec.h"

enum { TABLE_COLUMNS_MAX = 20 };

struct table_column {
	const char *title; /* borrowed until the table is printed; NULL and "" are no title */
	enum { TABLE_LEFT, TABLE_RIGHT } align;
	enum utf8_cut cut;
	unsigned shrinks_to; /* columns; 0: keeps its width */
	unsigned optional;   /* 0: always shown */
};

struct table_cell {
	const char *text;
	enum term_style style;
};

struct table_row {
	struct table_cell cells[TABLE_COLUMNS_MAX];
	unsigned cell_count;
};

struct table {
	struct arena arena;
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned column_count;
	unsigned indent;
	VEC(struct table_row) rows;
};

void table_column(struct table *table, struct table_column column);
void table_row(struct table *table);
/* The next cell of the last row. */
void table_cell(struct table *table, enum term_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A header line if any column has a title, then the rows. */
void table_print(struct table *table, const struct term *term, FILE *out);

/* Columns that the printed table would take. */
unsigned table_width(const struct table *table, const struct term *term);
void table_done(struct table *table);
