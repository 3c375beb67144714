# The comparison as JSON holds against its schema, and its causes add up to the mean first request of each side.
changed() { sed "$2" "$TESTS/served.trace" >"$1.trace" && "$WRITE_RECORDING" "$1.trace" "$1.wtr"; }
recording a.wtr
changed b 's/179ms\.\.180ms/173.000001ms..174.000001ms/'
changed c 's/179ms\.\.180ms/159.333333ms..160.000003ms/'
warmtrace compare --format json --report all.json a.wtr b.wtr c.wtr --vs c.wtr b.wtr
cat >check.py <<'END'
import json, sys
document = json.load(open("all.json"))
try:
    from jsonschema import Draft202012Validator
    for error in Draft202012Validator(json.load(open(sys.argv[1]))).iter_errors(document):
        print(error.json_path, error.message[:200])
except ImportError:
    pass
a, b = document["scenarios"]
difference, = document["differences"]
for side, scenario in (("baseline_ns", a), ("scenario_ns", b)):
    rows = sum(row[side] for row in difference["causes"])
    assert abs(rows - scenario["first_request_ns"]["mean"]) <= 0.5, (rows, scenario["first_request_ns"]["mean"])
    start = sum(row[side] for row in difference["startup_causes"])
    assert abs(start - scenario["ready_ns"]["mean"]) <= 0.5, (start, scenario["ready_ns"]["mean"])
assert all(row["change_ns"] == row["scenario_ns"] - row["baseline_ns"] for row in difference["causes"])
changes = [row["change_ns"] for row in difference["causes"]]
assert changes == sorted(changes), changes
assert a["first_request_ns"]["values"] == [40000000, 34000001, 20000003], a["first_request_ns"]
assert b["first_request_ns"]["median"] == 27000002, b["first_request_ns"]
assert difference["first_request_change"] == 27000002 / 34000001 - 1, difference["first_request_change"]
assert difference["verdict"] == "too few runs to tell", difference["verdict"]
assert a["runs"] == 3 and a["failed_runs"] == 0 and a["aot_mapped"] == 0 and not a["aot_requested"] and a["aot_reason"] is None
assert document["baseline"] == a["name"] == "set 1" and b["name"] == "set 2", (a["name"], b["name"])
print("checked")
END
python3 check.py "$TESTS/../../reports/comparison.schema.json"
