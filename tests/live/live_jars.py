"""Reads of archives against strace: bytes, calls and offsets of the same deterministic program, in two runs of it."""

import ctypes
import mmap
import os
import shutil

from harness import SOURCE, application, case, demo_jar, folder, free_port, java, java_workload, main, program, run_quietly, skip, trace
from witness import READS, entries_read, our_reads, parse_places, parse_reads, zip_entries


def strace_reads(command):
    log = os.path.join(folder(), "strace")
    run = run_quietly([program("strace"), "-f", "-qq", "-y", "-s", "0", "-e", f"trace={READS}", "-e", "signal=none", "-o", log, *command])
    assert run.returncode == 0, run.stderr
    return parse_reads(log, ".jar")


def known_parts(version):
    parts = os.path.realpath(java_workload("known-parts.jar"))
    command = [java(version), "-Xshare:auto", "-Xint", "-cp", os.path.realpath(java_workload("known-java.jar")), "KnownClasses", parts]
    run = trace(command)
    expected = strace_reads(command)
    seen = our_reads(run)
    assert expected[parts][0] > 200, expected
    assert seen == expected, (seen, expected)
    rows = {row["path"]: row for row in run.report["jars"] if not row["nested_in"]}
    row = rows[parts]
    assert (row["reads"], row["bytes_read"]) == tuple(expected[parts]), (row, expected[parts])
    # Parts, its 197 parts, the manifest that URLClassLoader asks for, and the first entry of the archive, at whose head the
    # JDK looks for the magic number.
    assert 198 <= row["entries_read"] <= 200, row
    assert row["entries_total"] >= 198, row
    size = os.path.getsize(parts)
    assert row["bytes_wanted"] <= size, (row, size)
    for phase in row["phase_counts"].values():
        assert phase["bytes"] >= 0
    assert sum(phase["bytes"] for phase in row["phase_counts"].values()) == row["bytes_read"], row


@case
def known_parts_17():
    known_parts(17)


@case
def known_parts_25():
    known_parts(25)


@case
def nested_jar():
    """The demonstration server: 303 classes out of a jar that is an entry of its own jar, all in the first request."""
    port = free_port()
    jar = os.path.realpath(demo_jar())
    run = trace([java(25), "-jar", jar, str(port)], urls=[f"http://127.0.0.1:{port}/api/report"])
    outer = next(row for row in run.report["jars"] if row["path"] == jar and not row["nested_in"])
    inner = next((row for row in run.report["jars"] if row["nested_in"] == jar), None)
    assert inner, [row["path"] for row in run.report["jars"]]
    assert inner["path"].endswith("lib/app.jar"), inner
    first = inner["phase_counts"]["first_request"]
    assert first["entries"] >= 303, inner
    assert inner["bytes_read"] <= outer["bytes_read"], (inner, outer)
    reads = [event for event in run.events("file_read") if event["result"] > 0]
    assert outer["bytes_read"] <= sum(event["result"] for event in reads)


def entries_agree(jar, run, log):
    """Every read of the jar that strace saw, mapped to entries by Python's zipfile, and what the report says of each entry."""
    with open(jar, "rb") as file:
        entries = zip_entries(file.read())
    places = parse_places(log, jar)
    expected = entries_read(entries, places)
    seen = {}
    for row in run.report["jars"]:
        # "/srv/app.jar!/BOOT-INF/lib" of a jar in a jar in a jar
        if row["path"] != jar and not (row["nested_in"] or "").startswith(jar):
            continue
        nested = tuple(row["nested_in"].split("!/")[1:]) + (row["path"],) if row["nested_in"] else ()
        for entry in row["entries"]:
            pair = seen.setdefault((nested, entry["name"]), [0, 0])
            pair[0] += entry["reads"]
            pair[1] += entry["bytes_read"]
            assert sum(phase["bytes"] for phase in entry["phase_counts"].values()) == entry["bytes_read"], entry
            assert bool(entry["wanted_in"]) == (entry["bytes_wanted"] > 0) or entry["bytes"] == 0, entry
    differing = {key: (seen.get(key), expected.get(key)) for key in seen.keys() | expected.keys() if seen.get(key) != expected.get(key)}
    assert not differing, f"{len(differing)} of {len(expected)} entries differ (ours, witness): {dict(list(differing.items())[:5])}"
    row = next(row for row in run.report["jars"] if row["path"] == jar)
    assert (row["reads"], row["bytes_read"]) == (len(places), sum(length for _, length in places)), row["reads"]
    return places, expected


@case
def entries_of_petclinic():
    """strace in the traced tree: both see the same run. It needs ptrace, so that warmtrace must not hold the processes."""
    jar, port, log = os.path.realpath(application("petclinic-rest/petclinic-rest.jar")), free_port(), os.path.join(folder(), "strace")
    calls = READS + ",lseek,open,openat,close"
    # strace may still be attaching when the file is first opened: its own log is complete from exec on.
    run = trace([program("strace"), "-f", "-qq", "-y", "-s", "0", "--seccomp-bpf", "-e", f"trace={calls}", "-e", "signal=none",
                 "-o", log, java(25), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", jar, f"--server.port={port}"], "--no-hold", "-n", "1",
                urls=[f"http://127.0.0.1:{port}/api/owners"], timeout=240)
    places, entries = entries_agree(jar, run, log)
    assert len(places) > 20_000 and len(entries) > 10_000, (len(places), len(entries))
    assert sum(bool(nested) for nested, _ in entries) > 10_000


SERVER = """
import http.server, os, sys
port, path = int(sys.argv[1]), sys.argv[2]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        file = os.open(path, os.O_RDONLY)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
        body = str(sum(len(os.pread(file, 1 << 17, at)) for at in range(0, os.path.getsize(path), 1 << 17))).encode()
        os.close(file)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@case
def cold_and_warm_page_cache():
    """The same server, from a page cache that was emptied of its files and from a full one: each request reads a file in
    pieces, and nothing ahead of them. It is large beside the interpreter, whose pages stay, since this test runs in it."""
    place = os.path.join(SOURCE, "build", f"cold-{os.getpid()}")  # on a disk, unlike /tmp on some machines
    os.makedirs(place)
    path = os.path.join(place, "data")
    try:
        with open(path, "wb") as file:
            file.write(os.urandom(1 << 20) * 64)
        runs = {}
        for name, options in (("cold", ["--drop-caches"]), ("warm", [])):
            port = free_port()
            with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE) as pages:
                if name == "warm":
                    # Held there: a busy machine takes pages back that were read but once.
                    place_of = ctypes.c_char.from_buffer(pages)
                    if ctypes.CDLL(None, use_errno=True).mlock(ctypes.byref(place_of), ctypes.c_size_t(len(pages))) != 0:
                        skip(f"mlock: {os.strerror(ctypes.get_errno())}")
                    del place_of
                runs[name] = trace([program("python3"), "-c", SERVER, str(port), path], *options, "-n", "5", urls=[f"http://127.0.0.1:{port}/"])
    finally:
        shutil.rmtree(place)
    rows = {name: {row["path"]: row for row in run.report["page_cache"]["files"]}[path] for name, run in runs.items()}
    if rows["cold"]["resident"] > 0:
        skip(f"nothing in {place} leaves the page cache")
    cold, warm = (runs[name].report["page_cache"] for name in ("cold", "warm"))
    assert (cold["dropped"], warm["dropped"]) == (True, False)
    assert rows["warm"]["resident"] == rows["warm"]["size"] == 64 << 20, rows["warm"]
    assert (cold["state"], warm["state"]) == ("cold", "warm"), (cold, warm)
    assert any(note.startswith("The page cache was cold") for note in runs["cold"].report["notes"]), runs["cold"].report["notes"]
    assert not any(note.startswith("The page cache was") for note in runs["warm"].report["notes"]), runs["warm"].report["notes"]
    # On the critical path: the first request waits in the one, no request in the other.
    waits = {name: [request["causes"].get("wait.disk", 0) for request in run.report["requests"]] for name, run in runs.items()}
    assert waits["cold"][0] > max(waits["cold"][1:]) and not any(waits["warm"]), waits
    assert rows["cold"]["disk_ns"] >= waits["cold"][0] and rows["warm"]["disk_ns"] == 0, rows
    assert rows["cold"]["resident_at_exit"] == 64 << 20, rows["cold"]


main()
