/* Checks a JSON value against a JSON Schema of reports/: the keywords that those use, and no others.
 *
 * Stricter than the schema itself in one point: where it names an object's properties, no other key may stand there,
 * so that a key that the schema forgot is found. A keyword that is not known fails the test: nothing passes
 * unchecked. */
#pragma once

#include <jansson.h>

/* Fails the running test with the place of the first difference. */
void assert_schema(json_t *schema, json_t *value);
