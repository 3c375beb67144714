"""What holds in every report of a live run (design.md section 4), whatever was traced. Plain asserts; all figures are
integers."""

import json
import os

import schema

SCHEMA = json.load(open(os.path.join(os.path.dirname(__file__), "../../reports/report.schema.json"), encoding="utf-8"))

PHASES = ["launch", "vm_init", "startup", "idle", "first_request", "warm", "shutdown"]


def check(report, losses_allowed=False):
    """Raises with everything that does not hold, not only the first."""
    broken = list(schema.errors(report, SCHEMA))
    parts = [check_losses, check_phases, check_rows]
    parts += [lambda _, request=request: check_request(request) for request in report.get("requests", [])]
    parts += [lambda _, row=row: check_cold_warm(row, report) for row in report.get("cold_vs_warm", [])]
    for part in parts:
        try:
            part(report)
        except AssertionError as error:
            broken.append(str(error))
    if not losses_allowed and report["losses"]["events"] != 0:
        broken.append(f"lost events: {report['losses']}")
    if broken:
        more = f"\n  and {len(broken) - 10} more" if len(broken) > 10 else ""
        raise AssertionError("the report breaks its invariants:\n  " + "\n  ".join(broken[:10]) + more)


def check_losses(report):
    losses = report["losses"]
    assert losses["events"] == sum(losses["by_kind"].values()), losses
    assert report["events"]["total"] == sum(report["events"]["by_kind"].values()), report["events"]


def check_phases(report):
    phases = report["phases"]
    assert phases, "no phase"
    names = [phase["name"] for phase in phases]
    assert names == [name for name in PHASES if name in names], f"phases out of order: {names}"
    assert phases[0]["start_ns"] == 0, phases[0]
    for before, after in zip(phases, phases[1:]):
        assert before["end_ns"] == after["start_ns"], f"gap or overlap between phases {before['name']} and {after['name']}"
    for phase in phases:
        assert phase["end_ns"] >= phase["start_ns"], phase
        for name, value in phase["counts"].items():
            assert value >= 0, (phase["name"], name, value)
    times = [milestone["t_ns"] for milestone in report["milestones"]]
    assert times == sorted(times), f"milestones out of order: {report['milestones']}"
    assert report["milestones"][0]["name"] == "exec" and times[0] == 0, report["milestones"][0]


def check_request(request):
    """Conservation: the tiles cover the window exactly, and the causes are the sums of the tiles."""
    what = f"request {request['index']} ({request.get('route')})"
    at = request["start_ns"]
    sums = {}
    assert request["latency_ns"] > 0, what
    assert request["path"], f"{what}: no path"
    for tile in request["path"]:
        assert tile["start_ns"] == at, f"{what}: a tile starts at {tile['start_ns']}, expected {at}: {tile}"
        assert tile["duration_ns"] > 0, f"{what}: an empty tile: {tile}"
        at += tile["duration_ns"]
        sums[tile["cause"]] = sums.get(tile["cause"], 0) + tile["duration_ns"]
    assert at == request["start_ns"] + request["latency_ns"], f"{what}: tiles end at {at}"
    causes = {cause: ns for cause, ns in request["causes"].items() if ns}
    assert causes == sums, f"{what}: causes {causes} are not the tiles' sums {sums}"
    for name, value in request["counts"].items():
        assert value >= 0, (what, name, value)


def check_cold_warm(row, report):
    for column in ("cold_ns", "warm_ns", "excess_ns"):
        total = sum(cause[column] for cause in row["causes"])
        assert total == row[column], f"{row['route']}: the causes' {column} add up to {total}, not {row[column]}"
    assert row["excess_ns"] == row["cold_ns"] - row["warm_ns"], row["route"]
    assert row["warm_min_ns"] <= row["warm_median_ns"] <= row["warm_max_ns"], row["route"]
    for cause in row["causes"]:
        assert cause["excess_ns"] == cause["cold_ns"] - cause["warm_ns"], cause
    if row["route"] in [request["route"] for request in report["requests"] if request["cold"]]:
        cold = [request for request in report["requests"] if request["cold"] and request["route"] == row["route"]]
        assert row["cold_ns"] in [request["latency_ns"] for request in cold], f"{row['route']}: no cold request took that long"


def phase_sum(report, name):
    """A count over all phases; None where it was not observed."""
    values = [phase["counts"].get(name) for phase in report["phases"]]
    return None if None in values else sum(values)


def check_rows(report):
    """The lists are complete: their rows add up to the counts."""
    pairs = []
    if "files" in report:
        for column in ("opens", "failed_opens", "lookups", "failed_lookups", "reads"):
            pairs.append((column, sum(row[column] for row in report["files"])))
    if "exceptions" in report:
        pairs.append(("exceptions", sum(row["count"] for row in report["exceptions"])))
    if report.get("faults", {}).get("minor") is not None:
        pairs.append(("minor_faults", report["faults"]["minor"]))
        pairs.append(("major_faults", report["faults"]["major"]))
        for column in ("minor", "major"):
            total = sum(row[column] for row in report["faults"]["by_mapping"])
            assert total == report["faults"][column], f"faults.by_mapping: {column} {total} of {report['faults'][column]}"
    if report.get("classes", {}).get("loaded") is not None:
        pairs.append(("classes_loaded", report["classes"]["loaded"]))
        known = [count for count in report["classes"]["from"].values() if count is not None]
        assert sum(known) == report["classes"]["loaded"], report["classes"]["from"]
    if report.get("jit", {}).get("compilations") is not None:
        pairs.append(("compilations", report["jit"]["compilations"]))
    if report.get("connections") is not None:
        pairs.append(("connects", sum(row["connects"] for row in report["connections"])))
    for name, total in pairs:
        expected = phase_sum(report, name)
        if expected is not None:
            assert total == expected, f"{name}: the rows add up to {total}, the phases to {expected}"
