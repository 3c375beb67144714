"""Memory by mapping against /proc/PID/smaps read beside it, and the cgroup's limit and kills."""

import bisect
import json
import os
import re
import sys
import time

from harness import BUILD, case, free_port, java, java_home, main, near, run_quietly, skip, start, demo_jar, trace


def smaps(pid):
    """{name of the mapping: bytes resident}, and the total. What has no name and begins where a library ends is its .bss."""
    found, name, end = {}, "", None
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ *(.*)$", line)
            if head:
                name = name if not head[3] and head[1] == end and ".so" in name else head[3]
                end = head[2]
            elif line.startswith("Rss:"):
                found[name] = found.get(name, 0) + int(line.split()[1]) * 1024
    return found, sum(found.values())


def java_memory(version):
    """A server that has gone quiet after its requests: the last snapshot and ours, a moment later, are of the same memory."""
    port = free_port()
    heap = 96 << 20
    running = start([java(version), f"-Xms{heap}", f"-Xmx{heap}", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-jar", demo_jar(), str(port)],
                    "-n", "5", "--keep-running", urls=[f"http://127.0.0.1:{port}/api/report"])
    run = running.finish()
    pid = run.report["run"]["main_pid"]
    try:
        mappings, total = smaps(pid)
    finally:
        os.kill(pid, 9)
    snapshots = {row["at"]: row for row in run.report["memory"]}
    assert set(snapshots) >= {"ready", "first_request", "warm"}, list(snapshots)
    warm = snapshots["warm"]
    near(warm["rss"], total, 0.03, "resident memory")
    for row in run.report["memory"]:
        assert sum(kind["rss"] for kind in row["by_kind"]) == row["rss"], row["at"]
        for kind in row["by_kind"]:
            # What was touched and then made inaccessible is resident, and no longer committed.
            assert max(kind["rss"], kind["committed"]) <= kind["reserved"], (row["at"], kind)
    kinds = {kind["kind"]: kind for kind in warm["by_kind"]}
    near(kinds["heap"]["rss"], heap, 0.02, "the pre-touched heap")
    libraries = sum(size for name, size in mappings.items() if ".so" in name)
    near(kinds["library"]["rss"], libraries, 0.05, "shared libraries")
    archive = sum(size for name, size in mappings.items() if name.endswith(".jsa"))
    if archive:
        near(kinds["cds"]["rss"], archive, 0.1, "the CDS archive")
    assert snapshots["ready"]["rss"] <= snapshots["warm"]["rss"] * 1.05


@case
def java_17():
    java_memory(17)


@case
def java_25():
    java_memory(25)


def smaps_lines(pid):
    """[(start, end, name, bytes resident)] by address"""
    found = []
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ *(.*)$", line)
            if head:
                found.append([int(head[1], 16), int(head[2], 16), head[3], 0])
            elif line.startswith("Rss:"):
                found[-1][3] = int(line.split()[1]) * 1024
    return found


def native_memory(pid):
    """[(start, end, kind)] of what the JVM says that it reserved, by its own bookkeeping. Any JDK's jcmd can ask it."""
    tool = os.path.join(java_home(17), "bin/jcmd")
    if not os.path.exists(tool):
        skip("JDK 17 here has no jcmd")
    kinds = {"Java Heap": "heap", "Thread Stack": "stack", "Code": "code_cache", "GC": "gc", "Metaspace": "metaspace", "Class": "class_space"}
    text = run_quietly([tool, str(pid), "VM.native_memory", "detail"]).stdout
    rows = re.findall(r"^\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] reserved (?:and committed )?(\d+)KB for (.*?)(?: from)?$", text, re.M)
    found = [(int(start, 16), int(end, 16), kinds[kind]) for start, end, size, kind in rows
             # Beside the code itself the JVM keeps maps of it, which are small and memory like any other.
             if kind in kinds and (kind != "Code" or int(size) > 16_000)]
    assert {kind for _, _, kind in found} == set(kinds.values()), text[:2000]
    return found


def kind_of_witness(told, line, address):
    name = line[2]
    if name.endswith(".jsa"):
        return "cds"
    if ".so" in name or name.endswith("/java"):
        return "library"
    if name in ("[stack]", "[heap]"):
        return {"[stack]": "stack", "[heap]": "malloc"}[name]
    if name.startswith("/"):
        return "heap" if "memfd:java_heap" in name else "file"
    return next((kind for start, end, kind in told if start <= address < end), None) if not name else None


def recorded_faults(run):
    tool = os.path.join(BUILD, "tests/tools/recording_faults")
    return [json.loads(line) for line in run_quietly([tool, run.recording]).stdout.splitlines()]


def kinds_of_addresses(version, collector):
    """The mapping of each page fault, and resident memory by mapping, against /proc/PID/smaps and the JVM's own bookkeeping,
    both taken while the server still lives. What is mapped nowhere by then, or was mapped anew after the fault, is not
    compared."""
    port = free_port()
    running = start([java(version), "-XX:NativeMemoryTracking=detail", "-Xmx192m", f"-XX:+Use{collector}", "-jar", demo_jar(), str(port)],
                    "-n", "3", "--keep-running", urls=[f"http://127.0.0.1:{port}/api/report"])
    run = running.finish()
    pid = run.report["run"]["main_pid"]
    try:
        lines, told = smaps_lines(pid), native_memory(pid)
    finally:
        os.kill(pid, 9)
    starts = [line[0] for line in lines]
    compared, wrong = {}, []
    faults = [fault for fault in recorded_faults(run) if fault["pid"] == pid]
    assert len(faults) > 2000, len(faults)
    for fault in faults:
        if fault["mapped_anew"]:
            continue
        at = bisect.bisect_right(starts, fault["address"]) - 1
        expected = kind_of_witness(told, lines[at], fault["address"]) if at >= 0 and fault["address"] < lines[at][1] else None
        if not expected:
            continue
        compared[expected] = compared.get(expected, 0) + 1
        # Of what a collector keeps, tables in proportion to the heap are told from other memory, and nothing else.
        if fault["kind"] != expected and (fault["kind"], expected) != ("malloc", "gc"):
            wrong.append((hex(fault["address"]), fault["kind"], expected, lines[at][2]))
    assert not wrong, f"{len(wrong)} of {sum(compared.values())} faults: (address, ours, expected, name) {wrong[:5]}"
    # Images made by jlink have no CDS archive.
    assert "cds" in compared or not any(line[2].endswith(".jsa") for line in lines), compared
    assert set(compared) >= {"heap", "library", "stack", "metaspace", "class_space", "code_cache", "gc"}, compared
    ours = {row["kind"]: row["rss"] for row in next(row for row in run.report["memory"] if row["at"] == "warm")["by_kind"]}
    expected = {}
    for start_at, end, name, rss in lines:
        kind = kind_of_witness(told, (start_at, end, name), start_at)
        expected[kind] = expected.get(kind, 0) + rss
    # A moment later: code goes on being compiled, and a late thread has a stack of its own.
    for kind, tolerance in (("heap", 0.05), ("metaspace", 0.05), ("class_space", 0.05), ("stack", 0.2)):
        near(ours[kind], expected[kind], tolerance, f"resident {kind}")
    # The kernel joins a collector's tables with their neighbours in one line.
    assert ours.get("gc", 0) > 0 or collector == "ZGC", ours


@case
def kinds_g1_17():
    kinds_of_addresses(17, "G1GC")


@case
def kinds_g1_25():
    kinds_of_addresses(25, "G1GC")


@case
def kinds_z_25():
    kinds_of_addresses(25, "ZGC")


@case
def kinds_serial_25():
    kinds_of_addresses(25, "SerialGC")


class Cgroup:
    """A memory cgroup of our own, of the version that is here."""

    def __init__(self, limit):
        self.path = None
        for root, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"),
                           ("/sys/fs/cgroup/unified", "memory.max")):
            path = os.path.join(root, f"warmtrace-live-{os.getpid()}")
            try:
                os.mkdir(path)
            except OSError:
                continue
            self.path = path
            try:
                with open(os.path.join(path, file), "w", encoding="ascii") as out:
                    out.write(str(limit))
                return
            except OSError:
                self.remove()
        skip("no memory cgroup can be made here")

    def remove(self):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.1)


@case
def killed_by_the_cgroup():
    """The command is killed for its memory: the status is 137, and the report says by whom."""
    limit = 48 << 20
    cgroup = Cgroup(limit)
    try:
        # Moved by a wrapper, as container tools and cgexec do it.
        script = "keep = []\nwhile True: keep.append(bytearray(1 << 20))\n"
        move = f'echo $$ >{cgroup.path}/cgroup.procs; exec "$@"'
        run = trace(["sh", "-c", move, "sh", os.path.realpath(sys.executable), "-c", script], status=137)
    finally:
        cgroup.remove()
    exit_row = run.report["run"]["exit"]
    assert (exit_row["kind"], exit_row["code"], exit_row["by_us"]) == ("signal", 9, False), exit_row
    assert exit_row["oom"] == "cgroup", exit_row
    assert run.report["machine"]["memory_limit"] == limit, run.report["machine"]
    assert run.report["machine"]["cgroup_events"]["oom_kill"] >= 1, run.report["machine"]
    assert any(finding["id"] == "oom-killed" for finding in run.report["findings"]), run.report["findings"]


main()
