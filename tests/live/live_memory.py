"""Memory by mapping against /proc/PID/smaps read beside it, and the cgroup's limit and kills."""

import os
import re
import sys
import time

from harness import case, free_port, java, main, near, skip, start, demo_jar, trace


def smaps(pid):
    """{name of the mapping: kB resident}, and the total."""
    found, name = {}, None
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$", line)
            if head:
                name = head[1]
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
