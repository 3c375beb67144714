#include "unit/render/schema.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"

struct place {
	const struct place *outer;
	const char *key; /* NULL: an index */
	size_t index;
};

static void print_place(FILE *out, const struct place *place)
{
	if (!place)
		return;
	print_place(out, place->outer);
	if (place->key)
		fprintf(out, ".%s", place->key);
	else
		fprintf(out, "[%zu]", place->index);
}

static void differs(const struct place *place, const char *how, const char *what)
{
	char text[500] = "";
	auto_file FILE *out = fmemopen(text, sizeof(text), "w");

	print_place(out, place);
	fflush(out);
	fail_msg("at %s: %s %s", text, how, what);
}

static bool is_type(const char *type, const json_t *value)
{
	return (strcmp(type, "object") == 0 && json_is_object(value)) ||
	       (strcmp(type, "array") == 0 && json_is_array(value)) ||
	       (strcmp(type, "string") == 0 && json_is_string(value)) ||
	       (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
	       (strcmp(type, "number") == 0 && json_is_number(value)) ||
	       (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
	       (strcmp(type, "null") == 0 && json_is_null(value));
}

static void check_type(const struct place *place, json_t *types, json_t *value)
{
	size_t i;
	json_t *type;

	if (json_is_string(types)) {
		if (!is_type(json_string_value(types), value))
			differs(place, "is no", json_string_value(types));
		return;
	}
	json_array_foreach(types, i, type) if (is_type(json_string_value(type), value)) return;
	differs(place, "has none of", "the types");
}

static void check_enum(const struct place *place, json_t *values, json_t *value)
{
	size_t i;
	json_t *allowed;

	json_array_foreach(values, i, allowed) if (json_equal(allowed, value)) return;
	differs(place, "is none of the values:", json_is_string(value) ? json_string_value(value) : "");
}

static void check(const struct place *place, json_t *root, json_t *schema, json_t *value);

static void check_object(const struct place *place, json_t *root, json_t *schema, json_t *value)
{
	json_t *properties = json_object_get(schema, "properties"),
	       *others = json_object_get(schema, "additionalProperties");
	json_t *names = json_object_get(schema, "propertyNames"), *item, *required;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i,
			   required) if (!json_object_get(value, json_string_value(required)))
		differs(place, "lacks", json_string_value(required));
	json_object_foreach(value, key, item)
	{
		struct place inner = {.outer = place, .key = key};
		json_t *property = json_object_get(properties, key);

		if (names) {
			json_t *name = json_string(key);

			check(&inner, root, names, name);
			json_decref(name);
		}
		if (property)
			check(&inner, root, property, item);
		else if (others)
			check(&inner, root, others, item);
		else if (properties)
			differs(place, "has a key that the schema does not name:", key);
	}
}

static void check_array(const struct place *place, json_t *root, json_t *schema, json_t *value)
{
	json_t *items = json_object_get(schema, "items"), *item;
	json_t *least = json_object_get(schema, "minItems"), *most = json_object_get(schema, "maxItems");
	size_t i;

	if ((least && json_array_size(value) < (size_t)json_integer_value(least)) ||
	    (most && json_array_size(value) > (size_t)json_integer_value(most)))
		differs(place, "has too few or too many", "items");
	json_array_foreach(value, i, item)
	{
		struct place inner = {.outer = place, .index = i};

		if (items)
			check(&inner, root, items, item);
	}
}

static void check(const struct place *place, json_t *root, json_t *schema, json_t *value)
{
	static const char *const known[] = {"$schema",	     "$defs",	   "$ref",     "title",
					    "description",   "format",	   "type",     "const",
					    "enum",	     "properties", "required", "additionalProperties",
					    "propertyNames", "items",	   "minItems", "maxItems"};
	static const char prefix[] = "#/$defs/";
	json_t *keyword, *reference = json_object_get(schema, "$ref"), *fixed = json_object_get(schema, "const");
	const char *name;

	json_object_foreach(schema, name, keyword)
	{
		bool is_known = false;

		for (size_t i = 0; i < array_length(known); i++)
			is_known = is_known || strcmp(name, known[i]) == 0;
		if (!is_known)
			differs(place, "the schema uses an unknown keyword:", name);
	}
	if (reference) {
		const char *path = json_string_value(reference);
		json_t *target = json_object_get(json_object_get(root, "$defs"), path + strlen(prefix));

		if (strncmp(path, prefix, strlen(prefix)) != 0 || !target)
			differs(place, "the schema refers to nothing:", path);
		check(place, root, target, value);
	}
	if (json_object_get(schema, "type"))
		check_type(place, json_object_get(schema, "type"), value);
	if (json_object_get(schema, "enum"))
		check_enum(place, json_object_get(schema, "enum"), value);
	if (fixed && !json_equal(fixed, value))
		differs(place, "is not the constant", json_is_string(fixed) ? json_string_value(fixed) : "");
	if (json_is_object(value))
		check_object(place, root, schema, value);
	if (json_is_array(value))
		check_array(place, root, schema, value);
}

void assert_schema(json_t *schema, json_t *value)
{
	check(NULL, schema, schema, value);
}
