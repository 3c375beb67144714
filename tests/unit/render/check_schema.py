"""Holds golden JSON reports against the schemas with a validator of others; exits 77 (skipped) where there is none."""

import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: python3 has no module jsonschema")
    sys.exit(77)

reports, goldens = (pathlib.Path(argument) for argument in sys.argv[1:3])
schemas = {
    "warmtrace-report/1": json.loads((reports / "report.schema.json").read_text()),
    "warmtrace-comparison/1": json.loads((reports / "comparison.schema.json").read_text()),
}
failures = checked = 0
for schema in schemas.values():
    Draft202012Validator.check_schema(schema)
for path in sorted(goldens.glob("*.json")):
    document = json.loads(path.read_bytes())
    for error in Draft202012Validator(schemas[document["schema"]]).iter_errors(document):
        print(f"{path.name}: at {error.json_path}: {error.message[:200]}")
        failures += 1
    checked += 1
print(f"{checked} documents checked, {failures} differences")
sys.exit(1 if failures or not checked else 0)
