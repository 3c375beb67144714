"""The Spring Boot application, fat jar and extracted, against independent witnesses: JFR and the JVM's log in the same run,
getrusage in the same run, strace in a paired one. Magnitudes of the fat jar: 13,300 ClassNotFoundExceptions, 297 MB of jar
reads in 10 kB blocks; extracted: 610 and 25 MB.

Threads of the application race in their start, so that paired runs differ a little: tolerances are stated at each check."""

import functools
import os
import re
import subprocess
import time
import urllib.request

from harness import ENVIRONMENT, application, case, folder, free_port, java, java_home, main, near, program, run_quietly, skip, trace
from witness import READS, compare_classes, our_reads, parse_reads

FAT, EXTRACTED = "petclinic-rest/petclinic-rest.jar", "petclinic-rest/extracted/petclinic-rest.jar"
ROUTE = "GET /api/owners"
NOT_FOUND = "java.lang.ClassNotFoundException"


def warm_files(jar):
    """Into the page cache, so that runs differ in nothing that the disk does."""
    for place, _, names in os.walk(os.path.dirname(jar)):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                while file.read(1 << 20):
                    pass


@functools.lru_cache
def traced(version, layout):
    """One plain run with default settings, used by several cases."""
    jar, port = os.path.realpath(application(layout)), free_port()
    warm_files(jar)
    return trace([java(version), "-jar", jar, f"--server.port={port}"], urls=[f"http://127.0.0.1:{port}/api/owners"], timeout=240)


def counts(rows, key, number):
    found = {}
    for row in rows:
        found[row[key]] = found.get(row[key], 0) + row[number]
    return found


@case
def nothing_is_lost():
    """With default settings, in both layouts; conservation and the rest of the invariants hold for each of the 31 requests."""
    for layout in (FAT, EXTRACTED):
        run = traced(25, layout)
        assert run.report["losses"]["events"] == 0
        totals = {event["counted_kind"]: event["count"] for event in run.events("kind_total")}
        exceptions = sum(event["count"] for event in run.events("exception"))
        assert totals[31] == exceptions, (totals[31], exceptions)
        assert len(run.requests(ROUTE)) == 31 and run.cold(ROUTE)["status"] == 200
        assert run.milestone("vm_created") < run.milestone("main_class") < run.milestone("listening") <= run.milestone("ready")
        assert run.milestone("ready") < run.milestone("first_arrival") < run.milestone("first_response")


@case
def unexplained_is_small():
    """The goal is 1 % of a cold request on the reference machine; a noisy one may take a little more."""
    for layout in (FAT, EXTRACTED):
        cold = traced(25, layout).cold(ROUTE)
        unexplained = cold["causes"].get("unexplained", 0)
        assert unexplained <= 0.02 * cold["latency_ns"], f"{layout}: {unexplained} of {cold['latency_ns']} ns"


EVENTS = ("jdk.JavaExceptionThrow", "jdk.JavaErrorThrow")


def jfr_settings():
    path = os.path.join(folder(), "exceptions.jfc")
    with open(path, "w", encoding="ascii") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0">\n')
        for event in EVENTS:
            file.write(f'<event name="{event}"><setting name="enabled">true</setting><setting name="stackTrace">false</setting>'
                       '<setting name="throttle">off</setting></event>\n')
        file.write("</configuration>\n")
    return path


def jfr_throws(version, path, event):
    tool = os.path.join(java_home(version), "bin/jfr")
    found = {}
    for name in re.findall(r"thrownClass = (\S+)", run_quietly([tool, "print", "--events", event, path]).stdout):
        found[name] = found.get(name, 0) + 1
    return found


def against_jfr(version, layout):
    """The same run: JFR notes each Throwable as it is made, an Error as an exception too, and twice. It starts while the VM
    does, so that what comes before the main class (JFR's own start among it) is not compared. Stackless ones only JFR sees:
    there are few. All others agree one by one, or nearly: a thread may throw in the moment in which JFR stops."""
    if not os.path.exists(os.path.join(java_home(version), "bin/jfr")):
        skip(f"JDK {version} here has no jfr")
    jar, port, file = os.path.realpath(application(layout)), free_port(), os.path.join(folder(), "run.jfr")
    warm_files(jar)
    run = trace([java(version), f"-XX:StartFlightRecording:filename={file},settings={jfr_settings()}", "-Xlog:jfr*=off", "-jar", jar,
                 f"--server.port={port}"], "-n", "5", urls=[f"http://127.0.0.1:{port}/api/owners"], timeout=240)
    exceptions, errors = (jfr_throws(version, file, event) for event in EVENTS)
    seen = counts([row for row in run.report["exceptions"] if row["phase"] not in ("launch", "vm_init")], "class", "count")
    assert sum(exceptions.values()) > 1000, exceptions
    # Of these some are filled once more, by fillInStackTrace() on one that is there: a trace more for us, none for JFR.
    refilled = ("java.lang.NoSuchMethodError", "java.lang.Throwable")
    differing = {name: (seen.get(name, 0), count) for name, count in ({**exceptions, **errors}).items()
                 if not count - 1 - count // 500 <= seen.get(name, 0) <= count + 1 + (15 if name in refilled else count // 500)}
    stackless = {name: pair for name, pair in differing.items() if pair[0] == 0 and pair[1] < 10}
    assert differing == stackless, f"(ours, JFR's): {differing}"
    return seen


@case
def exceptions_fat_25():
    assert against_jfr(25, FAT)[NOT_FOUND] > 10_000


@case
def exceptions_extracted_25():
    assert against_jfr(25, EXTRACTED)[NOT_FOUND] < 2_000


@case
def exceptions_fat_17():
    assert against_jfr(17, FAT)[NOT_FOUND] > 10_000


def classes(version, layout):
    """The same run: the JVM's log of loaded classes."""
    log, jar, port = os.path.join(folder(), "log"), os.path.realpath(application(layout)), free_port()
    warm_files(jar)
    run = trace([java(version), f"-Xlog:class+load:file={log}:none:filecount=0", "-jar", jar, f"--server.port={port}"],
                "-n", "5", urls=[f"http://127.0.0.1:{port}/api/owners"], timeout=240)
    ours, log_says = compare_classes(run, log)
    for kind in ("jar", "jrt", "cds", "generated"):
        near(ours.get(kind, 0), log_says.get(kind, 0), 0.01, f"classes from {kind} (ours {ours}, the log's {log_says})")


@case
def classes_fat_25():
    classes(25, FAT)


@case
def classes_extracted_25():
    classes(25, EXTRACTED)


@case
def classes_fat_17():
    classes(17, FAT)


class Served:
    """What strace runs: the application, asked 31 times, then ended."""

    def __init__(self, version, layout):
        self.jar, self.port = os.path.realpath(application(layout)), free_port()
        self.command = [java(version), "-jar", self.jar, f"--server.port={self.port}"]

    def ask(self, process):
        url = f"http://127.0.0.1:{self.port}/api/owners"
        end = time.monotonic() + 180
        answered = 0
        while answered < 31:
            assert time.monotonic() < end and process.poll() is None, "the application does not answer"
            try:
                with urllib.request.urlopen(url, timeout=30) as response:
                    response.read()
                answered += 1
            except OSError:
                time.sleep(0.1)


def strace_of(version, layout, calls):
    served, log = Served(version, layout), os.path.join(folder(), "strace")
    warm_files(served.jar)
    arguments = [program("strace"), "-f", "-qq", "-y", "-s", "256", "-e", f"trace={calls}", "-e", "signal=none", "-o", log, *served.command]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as process:
        try:
            served.ask(process)
        finally:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                for pid in file.read().split():
                    os.kill(int(pid), 15)
            process.wait(60)
    return log


def jar_reads(version, layout):
    """A paired run. Main and background threads share a file's buffer, and who comes first changes who reads what: the main
    thread's reads agree within 3 %, all together within 5 %."""
    run = traced(version, layout)
    seen = our_reads(run)
    log = strace_of(version, layout, READS)
    expected = parse_reads(log, ".jar")
    for column, what in ((0, "reads of jars"), (1, "bytes read of jars")):
        near(sum(row[column] for row in seen.values()), sum(row[column] for row in expected.values()), 0.05, what)
    names = {(event["device"], event["inode"]) for event in run.events("file_open")
             if event["result"] >= 0 and event["tail"].partition("\0")[0].endswith(".jar")}
    by_thread = {}
    for event in run.events("file_read"):
        if (event["device"], event["inode"]) in names and event["result"] >= 0:
            by_thread[event["tid"]] = by_thread.get(event["tid"], 0) + 1
    main_thread = max(row[0] for row in parse_reads(log, ".jar", by_thread=True).values())
    near(max(by_thread.values()), main_thread, 0.03, "the main thread's reads of jars")
    return sum(row[1] for row in seen.values())


@case
def jar_reads_fat_25():
    assert 200e6 < jar_reads(25, FAT) < 400e6


@case
def jar_reads_extracted_25():
    assert 15e6 < jar_reads(25, EXTRACTED) < 50e6


@case
def opens_extracted_25():
    """A paired run: failed and successful opens within 2 %."""
    run = traced(25, EXTRACTED)
    log = strace_of(25, EXTRACTED, "open,openat,openat2,creat")
    done = failed = 0
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            if re.search(r" = \d+(<|$)", line):
                done += 1
            elif " = -1 " in line:
                failed += 1
    # Outside of the tree's exec strace sees nothing either.
    near(run.count("failed_opens"), failed, 0.03, "failed opens")
    near(run.count("opens") - run.count("failed_opens"), done, 0.03, "opens that succeeded")


@case
def page_faults_against_rusage():
    """The same run: the application under a parent that asks the kernel what its child used. The kernel's count begins
    at the fork and has the exec's own pages in it."""
    script = ("import os, signal, sys\npid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])\n"
              "signal.signal(signal.SIGTERM, lambda *_: None)\n"
              "_, _, usage = os.wait4(pid, 0)\nprint('{\"pid\": %d, \"minor\": %d, \"major\": %d}' % (pid, usage.ru_minflt, usage.ru_majflt))\n")
    jar, port = os.path.realpath(application(EXTRACTED)), free_port()
    warm_files(jar)
    run = trace([program("python3"), "-c", script, java(25), "-jar", jar, f"--server.port={port}"], "-n", "5",
                urls=[f"http://127.0.0.1:{port}/api/owners"], timeout=240)
    truth = run.json_lines()[-1]
    assert truth["pid"] == run.report["run"]["main_pid"], truth
    minor = major = 0
    for fault in run.events("fault"):
        if fault["pid"] == truth["pid"]:
            major += fault["is_major"]
            minor += not fault["is_major"]
    near(minor, truth["minor"], 0.01, "minor faults")
    assert abs(major - truth["major"]) <= 0.05 * truth["major"] + 3, (major, truth)


@case
def what_the_fat_jar_costs():
    """The difference of the layouts, in the numbers of the same table."""
    fat, extracted = traced(25, FAT), traced(25, EXTRACTED)
    missing = [counts(run.report["exceptions"], "class", "count")[NOT_FOUND] for run in (fat, extracted)]
    read = [sum(row["bytes_read"] for row in run.report["jars"] if not row["nested_in"]) for run in (fat, extracted)]
    cold = [run.cold(ROUTE) for run in (fat, extracted)]
    assert missing[0] > 10 * missing[1], missing
    assert read[0] > 5 * read[1], read
    assert cold[0]["counts"]["exceptions"] > 5 * cold[1]["counts"]["exceptions"], [row["counts"] for row in cold]
    claimed, nothing = ([finding for finding in run.report["findings"] if finding["id"] == "fat-jar-class-loading"] for run in (fat, extracted))
    assert len(claimed) == 1 and not nothing, (claimed, nothing)
    # What the remedy brings where it acts. Of five pairs it was 64 % of what is claimed (docs/findings.md); one pair on a busy
    # machine was seen to be anything from 34 % to 82 %: a quarter is asked for here.
    work = [sum(row["causes"].get(cause, 0) for cause in ("class.find", "class.read", "exception.fill")) for row in cold]
    print(f"    claimed {claimed[0]['cost_ns'] / 1e6:.1f} ms, saved {(work[0] - work[1]) / 1e6:.1f} ms of {work[0] / 1e6:.1f} ms")
    assert work[0] - work[1] >= claimed[0]["cost_ns"] / 4, (work, claimed[0]["cost_ns"])
    assert claimed[0]["cost_ns"] <= work[0], (work, claimed[0]["cost_ns"])


main()
