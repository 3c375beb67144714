"""Pictures and exports of real runs: read by readers that know only the formats, they add up to the report's figures."""

import json
import os
import re
import sys

from harness import SOURCE, application, case, demo_jar, free_port, java, main, run_quietly, trace, warmtrace, WARMTRACE

sys.path.insert(0, os.path.join(SOURCE, "tests/export"))
from common import expected, fields, read_csv, read_folded, read_pprof  # pylint: disable=wrong-import-position

VIEWS = ("critical-path", "on-cpu", "off-cpu", "exceptions", "faults", "classes", "files")
demo = None


def demo_run():
    global demo
    if not demo:
        port = free_port()
        demo = trace([java(25), "-jar", demo_jar(), str(port)], "-n", "10", urls=[f"http://127.0.0.1:{port}/api/report"], status=None)
    return demo


def export(recording, *options):
    path = recording + ".export"
    run = warmtrace("export", *options, "-o", path, recording)
    assert run.returncode == 0 and not run.stderr, (options, run.returncode, run.stderr)
    with open(path, "rb") as file:
        return file.read()


@case
def totals_are_the_reports():
    run = demo_run()
    for phase in ("first_request", "warm", "all", "startup"):
        for by in VIEWS:
            if phase == "startup" and by == "critical-path":
                continue
            wanted = expected(run.report, by, phase)
            total = sum(values[0] for _, values in read_folded(export(run.recording, "--format", "folded", "--by", by, "--phase", phase)))
            assert wanted is None or total == wanted, f"{by} of {phase}: {total}, the report has {wanted}"
            assert total > 0 or phase != "all", f"{by}: nothing in the whole run"
            _, samples = read_pprof(export(run.recording, "--format", "pprof", "--by", by, "--phase", phase))
            assert sum(values[0] for _, values, _ in samples) == total, f"pprof, {by} of {phase}"


@case
def path_rows_are_the_reports():
    run = demo_run()
    rows = read_csv(export(run.recording, "--format", "csv", "--phase", "all"))
    for request in run.report["requests"]:
        own = [row for row in rows if row["request"] == str(request["index"])]
        assert len(own) == len(request["path"]), request["route"]
        assert sum(int(row["duration_ns"]) for row in own) == request["latency_ns"]


@case
def off_cpu_and_on_cpu_fill_the_threads_lives():
    """On and off the CPU together are no more than all threads' lives, and most of them."""
    run = demo_run()
    total = sum(sum(values[0] for _, values in read_folded(export(run.recording, "--format", "folded", "--by", by, "--phase", "all")))
                for by in ("on-cpu", "off-cpu"))
    wall = run.report["run"]["wall_ns"]
    lives = sum(thread.get("ended_ns", wall) - thread["created_ns"] for thread in run.report["threads"])
    assert 0.97 * lives < total < 1.01 * lives, (total, lives)


@case
def perfetto_has_every_switch():
    run = demo_run()
    switches = 0
    for number, packet in fields(export(run.recording, "--format", "perfetto", "--phase", "all")):
        packet = fields(packet) if number == 1 else []
        for key, bundle in packet:
            if key == 1:
                switches += sum(4 in dict(fields(event)) for kind, event in fields(bundle) if kind == 2)
    sides = {(event["time_ns"], event["cpu"]) if "cpu" in event else event["time_ns"] for event in run.events("switch_out", "switch_in")}
    assert switches >= 0.95 * len(sides), (switches, len(sides))


@case
def page_of_petclinic():
    """One file well under the 2 MB that are allowed, with the whole path of the cold request."""
    port = free_port()
    run = trace([java(25), "-jar", application("petclinic-rest/petclinic-rest.jar"), f"--server.port={port}"], "-n", "10",
                urls=[f"http://127.0.0.1:{port}/api/owners"], status=None, timeout=300)
    place = run.recording + ".html"
    done = run_quietly([WARMTRACE, "report", "-f", "html", "--report", place, run.recording])
    assert done.returncode == 0, done.stderr
    assert os.path.getsize(place) < 2_000_000, os.path.getsize(place)
    with open(place, encoding="utf-8") as file:
        page = json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))
    assert sum(page["paths"][0]["tiles"][0::6]) == run.cold("GET /api/owners")["latency_ns"]
    assert page["flames"][0]["total"] == run.cold("GET /api/owners")["latency_ns"]


main()
