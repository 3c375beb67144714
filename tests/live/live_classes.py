"""Classes loaded, by where they come from, against the JVM's own log (-Xlog:class+load) of the same run."""

import collections
import json
import os
import re

from harness import case, demo_jar, folder, free_port, java, java_home, java_workload, main, run_quietly, skip, trace
from witness import compare_classes


def known_classes(version):
    log = os.path.join(folder(), "log")
    parts = java_workload("known-parts.jar")
    run = trace([java(version), f"-Xlog:class+load:file={log}:none", "-cp", java_workload("known-java.jar"), "KnownClasses", parts])
    truth = run.json_lines()[0]
    ours, sources = compare_classes(run, log)
    assert ours == sources, (ours, sources)
    rows = {row["jar"]: row["classes"] for row in run.report["classes"]["by_jar"]}
    assert rows[os.path.realpath(parts)] == truth["classes"] == 198, rows
    # Each part is made in a line of its own of one of the groups' methods, in their order.
    rows = [row for row in run.report["classes"]["slowest"] if re.fullmatch(r"known\.parts\.Part\d+", row["class"])]
    lines = {}
    for row in rows:
        asked = re.fullmatch(r"known\.parts\.Parts\.(group\d)\(Parts\.java:(\d+)\)", row["requested_by"])
        assert asked, row
        lines.setdefault(asked.group(1), set()).add(int(asked.group(2)) - int(row["class"].rpartition("Part")[2]))
    assert len(rows) > 50 and all(len(offsets) == 1 for offsets in lines.values()), lines
    loaders = {row["loader"]: row["classes"] for row in run.report["classes"]["by_loader"]}
    assert loaders.pop("boot") > 300, loaders
    assert loaders == {"java.net.URLClassLoader": truth["classes"], "jdk.internal.loader.ClassLoaders$AppClassLoader": 1}, loaders
    # The loader asks its parent first.
    missing = [event for event in run.events("exception") if event["tail"].rstrip("\0") == "java/lang/ClassNotFoundException"]
    assert sum(event["count"] for event in missing) == truth["classes"], len(missing)
    each_search_ends(run)


def each_search_ends(run):
    """Whether a class is found or not, by this loader or another: behind each search's begin its end was seen, none left over."""
    assert run.report["observed"]["class_find_ends"] == "yes", run.report["not_observed_why"]
    searches, ended = collections.defaultdict(list), 0
    for event in sorted(run.events("class_load", "class_return"), key=lambda event: event["time_ns"]):
        open_ones = searches[event["tid"]]
        if event["kind"] == "class_load":
            assert not open_ones or open_ones[-1] > event["stack_pointer"], event
            open_ones.append(event["stack_pointer"])
        while event["kind"] == "class_return" and open_ones and open_ones[-1] < event["stack_pointer"]:
            open_ones.pop()
            ended += 1
    assert ended > 400 and not any(searches.values()), (ended, searches)


@case
def known_classes_17():
    known_classes(17)


@case
def known_classes_25():
    known_classes(25)


def demo(version):
    """A server whose application is in a jar nested in its own, behind a class loader of its own."""
    log, port = os.path.join(folder(), "log"), free_port()
    run = trace([java(version), f"-Xlog:class+load:file={log}:none", "-jar", demo_jar(), str(port)],
                urls=[f"http://127.0.0.1:{port}/api/report"])
    ours, sources = compare_classes(run, log)
    assert ours == sources, (ours, sources)
    cold = run.cold("GET /api/report")
    assert 303 <= cold["counts"]["classes_loaded"] <= 700, cold["counts"]


@case
def demo_17():
    demo(17)


@case
def demo_25():
    demo(25)


PRINTED = re.compile(r"\s*\d+\s+\d+\s+[%sbn! ]+?\s+([1-4])\s+(\S+)::(\S+)(?: @ -?\d+)? \(\d+ bytes\)\s*$")


def compilations(version):
    """-XX:+PrintCompilation of the same run: each compilation with its method and tier. (Wrappers of native methods, which it
    prints as tier 0, are made and not compiled.)"""
    run = trace([java(version), "-XX:+PrintCompilation", "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    printed, seen = collections.Counter(), collections.Counter()
    for line in run.out.splitlines():
        match = PRINTED.match(line)
        if match:
            printed[match[2], match[3], int(match[1])] += 1
    for event in run.events("compile"):
        if event["step"] == 1:
            _, class_name, method, _ = event["tail"].split("\0")[:4]
            seen[class_name.replace("/", "."), method, event["level"]] += 1
    assert sum(printed.values()) > 20, run.out
    # Java writes to the same file and may break a line of the VM's.
    assert not printed - seen and sum((seen - printed).values()) <= 3, (seen - printed, printed - seen)


@case
def compilations_17():
    compilations(17)


@case
def compilations_25():
    compilations(25)


def deoptimizations(version):
    """Compiled code that is given up, against the flight recorder of the same run: reason, action and method one by one."""
    tool, place = os.path.join(java_home(version), "bin/jfr"), folder()
    if not os.path.exists(tool):
        skip(f"JDK {version} here has no jfr")
    settings, file = os.path.join(place, "traps.jfc"), os.path.join(place, "run.jfr")
    with open(settings, "w", encoding="ascii") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0"><event name="jdk.Deoptimization">'
                  '<setting name="enabled">true</setting><setting name="stackTrace">false</setting></event></configuration>\n')
    run = trace([java(version), f"-XX:StartFlightRecording:filename={file},settings={settings}", "-Xlog:jfr*=off", "-Xbatch",
                 "-XX:-TieredCompilation", "-cp", java_workload("known-java.jar"), "KnownTraps"])
    truth = run.json_lines()[0]
    said = json.loads(run_quietly([tool, "print", "--json", "--events", "jdk.Deoptimization", file]).stdout)
    witness = collections.Counter()
    for event in said["recording"]["events"]:
        values = event["values"]
        owner = values["method"]["type"]["name"].replace("/", ".")
        witness[f"{owner}.{values['method']['name']}:{values['lineNumber']}", values["reason"], values["action"]] += 1
    ours = collections.Counter()
    for row in run.report["deoptimizations"]:
        method, _, place = row["method"].partition("(")
        ours[f"{method}:{place.rstrip(')').rpartition(':')[2]}", row["reason"], row["action"]] += row["count"]
    # JFR begins and ends within the run, and what it does itself is not in its own record.
    own = [{key: count for key, count in counts.items() if key[0].startswith("KnownTraps.")} for counts in (ours, witness)]
    assert own[0] == own[1], own
    traps = sum(count for (method, reason, _), count in ours.items() if method.startswith("KnownTraps.trap") and reason == "unstable_if")
    assert traps == truth["traps"] == 7, own
    assert sum(ours.values()) <= run.report["jit"]["deoptimizations"], (ours, run.report["jit"])


@case
def deoptimizations_17():
    deoptimizations(17)


@case
def deoptimizations_25():
    deoptimizations(25)


main()
