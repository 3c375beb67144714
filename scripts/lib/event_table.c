/* Prints the event table as Markdown, for docs/format.md. Compiled and run by scripts/gen-docs. */
#include <stdio.h>

#include "format/codes.h"
#include "format/schema.h"

static void print_codes(const struct code_table *table)
{
	const char *between = table->is_flags ? " \\| " : ", ";

	/* The kinds themselves are a table of their own. */
	if (table->count == SCHEMA_KIND_COUNT) {
		fputs("a kind", stdout);
		return;
	}
	for (size_t i = 0; i < table->count; i++)
		printf("%s%s %u", i ? between : "", table->names[i].name, table->names[i].value);
}

static void print_kind(const struct schema_kind *kind)
{
	printf("\n### %u `%s`\n\n%s.", kind->id, kind->name, kind->doc);
	if (kind->tail_name[0])
		printf(" Tail: %s.", kind->tail_name);
	puts("");
	if (!kind->field_count)
		return;
	puts("\n| field | type | unit | codes |\n|---|---|---|---|");
	for (size_t i = 0; i < kind->field_count; i++) {
		const struct schema_field *field = &kind->fields[i];
		const struct code_table *codes = codes_of(kind, field);

		printf("| `%s` | %s | %s | ", field->name, field_type_name(field->type),
		       field_unit_name(field->unit));
		if (codes)
			print_codes(codes);
		puts(codes ? " |" : "|");
	}
}

int main(void)
{
	for (const struct schema_kind *kind = schema_next(NULL); kind; kind = schema_next(kind))
		print_kind(kind);
	return 0;
}
