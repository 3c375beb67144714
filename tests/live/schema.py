"""Checks a document against a JSON Schema: the words that the schemas in reports/ use, and no others."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$defs", "title", "description", "format", "type", "properties", "required", "items", "enum", "const",
         "additionalProperties", "propertyNames", "$ref"}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root=None, at="$"):
    """Yields one line per violation."""
    root = root or schema
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{at}: the schema has words that this checker does not know: {sorted(unknown)}"
    if "$ref" in schema:
        yield from errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{at}: {value!r:.80} is not {' or '.join(types)}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r:.80} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r:.80} is not one of {schema['enum']}"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}: {name} is missing"
        for name, item in value.items():
            if "propertyNames" in schema:
                yield from errors(name, schema["propertyNames"], root, f"{at}.{name} (its name)")
            if name in properties:
                yield from errors(item, properties[name], root, f"{at}.{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from errors(item, schema["additionalProperties"], root, f"{at}.{name}")
            elif schema.get("additionalProperties") is False:
                yield f"{at}: {name} is not in the schema"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from errors(item, schema["items"], root, f"{at}[{index}]")
