"""Virtual machines that are not as their makers gave them: run-time images, a libjvm without symbols, one whose file is gone.
What can be seen is exact; what cannot is said."""

import functools
import json
import os
import shutil
import socket
import subprocess
import time

from harness import ENVIRONMENT, WARMTRACE, case, folder, free_port, java_workload, jlink_image, main, run_quietly, skip, trace


@functools.lru_cache
def image():
    """A run-time image without debug information, and little in it."""
    return jlink_image(17, "--add-modules", "java.management", "--strip-debug")


def copy_of_image(name):
    place = os.path.join(folder(), name)
    shutil.copytree(image(), place, symlinks=True)
    return place, os.path.join(place, "lib/server/libjvm.so")


def known_exceptions(home):
    run = trace([os.path.join(home, "bin/java"), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    truth, counts = run.json_lines()[0], {}
    for row in run.report["exceptions"]:
        counts[row["class"]] = counts.get(row["class"], 0) + row["count"]
    for name, thrown in truth["thrown"].items():
        expected = None if name == truth["stackless"] else thrown + truth["made_not_thrown"].get(name, 0)
        assert counts.get(name) == expected, (name, counts, expected)
    return run


def wait_for_port(port):
    for _ in range(300):
        try:
            with socket.create_connection(("127.0.0.1", port)):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}")


@case
def runtime_image():
    run = known_exceptions(image())
    assert run.report["observed"]["class_find"] == "yes", run.report["not_observed_why"]
    # The JDK's classes have no line numbers there, the program's have.
    throwers = {row["class"]: row["thrown_at"] for row in run.report["exceptions"]}
    assert throwers["java.lang.ClassNotFoundException"] == "jdk.internal.loader.BuiltinClassLoader.loadClass", throwers
    # Each class that the program asks for in vain is told by its name, and who asked.
    missing = [row for row in run.report["classes"]["not_found"] if row["class"].startswith("absent.Class")]
    assert len(missing) == 101 and {row["count"] for row in missing} == {1}, missing
    assert {row["requested_by"].partition("(")[0] for row in missing} == {"KnownExceptions.main"}, missing


@case
def without_symbols():
    home, library = copy_of_image("stripped")
    stripped = run_quietly(["strip", "--strip-all", library])
    if stripped.returncode:
        skip(f"strip cannot be run here: {stripped.stdout.strip()[:200]}")
    run = known_exceptions(home)
    observed, why = run.report["observed"], run.report["not_observed_why"]
    for what in ("class_find", "class_find_ends", "class_parse", "class_link", "jit_queue_wait"):
        assert observed[what] == "no" and "stripped" in why[what], (what, observed, why)
    for what in ("exceptions", "exception_classes", "java_stacks", "class_loading", "jit", "gc"):
        assert observed[what] in ("yes", "partly"), (what, observed, why)
    assert run.report["classes"]["loaded"] > 300, run.report["classes"]


@case
def replaced_while_it_runs():
    """A process whose libjvm was taken away, and another file put in its place, as an update does."""
    home, library = copy_of_image("replaced")
    port, report = free_port(), os.path.join(folder(), "report.json")
    command = [os.path.join(home, "bin/java"), "-cp", java_workload("truth-server.jar"), "TruthServer", str(port), "thread",
               "file=/etc/passwd", f"classes={java_workload('truth-classes.jar')}", "outside=1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT) as server:
        try:
            wait_for_port(port)
            os.unlink(library)
            with open(library, "wb") as file:
                file.write(b"\x7fELF" + bytes(100_000))
            url = f"http://127.0.0.1:{port}/direct/exceptions"
            run = run_quietly([WARMTRACE, "attach", "-p", str(server.pid), "-o", os.path.join(folder(), "attached.wtr"), "-f", "json",
                               "--report", report, "-r", url, "-n", "3"], timeout=60)
        finally:
            server.kill()
    assert run.returncode == 0, run.stdout + run.stderr
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    assert found["runtime"]["version"].startswith("17.") and found["runtime"]["gc"], found["runtime"]
    rows = [row for row in found["exceptions"] if row["class"] == "TracedException"]
    assert sum(row["count"] for row in rows) == 2000, rows
    assert all(row["thrown_at"].startswith("Work.deep(Work.java:") for row in rows), rows


main()
