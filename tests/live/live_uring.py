"""Waits in io_uring_enter are named by what ended them. The server measures what passes within its calls."""

import os
import subprocess

from harness import case, folder, free_port, main, skip, trace, workload
from truth import OutsidePeer

MILLISECOND = 1_000_000
KINDS = ["timer", "peer", "thread", "disk", "memory"]
SIZE = 8 << 20


def some_file():
    """On the disk, unless the folder for temporary files is in memory."""
    path = os.path.join(folder(), "file")
    with open(path, "wb") as file:
        file.write(os.urandom(SIZE))
        file.flush()
        os.fsync(file.fileno())
    return path


def sums(request, *names, thread=None):
    return sum(tile["duration_ns"] for tile in request["path"]
               if any(tile["cause"] == name or tile["cause"].startswith(name + ".") for name in names) and thread in (None, tile["tid"]))


def within(what, value, truth):
    """5 % or 2 ms, whichever is larger."""
    assert abs(value - truth) <= max(0.05 * truth, 2 * MILLISECOND), f"{what}: {value / MILLISECOND:.2f} ms, not {truth / MILLISECOND:.2f}"
    print(f"    {what}: {value / MILLISECOND:.2f} of {truth / MILLISECOND:.2f} ms")


@case
def waits_of_a_ring():
    server = workload("known_uring")
    probe = subprocess.run([server, "--probe"], capture_output=True, text=True, check=False)
    if probe.returncode:
        skip(f"io_uring may not be used here: {probe.stdout.strip()}")
    port, peer = free_port(), OutsidePeer()
    try:
        run = trace([server, str(port), str(peer.port), some_file()], "-n", "0",
                    urls=[f"http://127.0.0.1:{port}/{kind}" for kind in KINDS], status=None)
    finally:
        peer.close()
    truth = {}
    for line in run.json_lines():
        truth.setdefault(line["kind"], line)
    for kind in KINDS:
        cold, wait_ns = run.cold(f"GET /{kind}"), truth[kind]["wait_ns"]
        others = [tile for tile in cold["path"] if tile["cause"] in ("unexplained", "wait.other")]
        if kind == "memory":
            # The kernel has it done by a thread of its own, which is none of the program's.
            assert all("iou-wrk" in tile["detail"] or tile["duration_ns"] < MILLISECOND for tile in others), others
        else:
            # A little is what the recorder's own snapshots hold up.
            assert sum(tile["duration_ns"] for tile in others) <= max(0.02 * cold["latency_ns"], MILLISECOND), (kind, others)
        ready_ns = sums(cold, "cpu.runnable")
        if kind == "timer":
            within("timer", sums(cold, "wait.timer"), wait_ns - ready_ns)
        elif kind == "peer":
            within("peer", sums(cold, "wait.network"), wait_ns - ready_ns)
        elif kind == "thread":
            burned = sum(tile["duration_ns"] for tile in cold["path"] if tile["tid"] != cold["path"][-1]["tid"]
                         and tile["cause"] not in ("wait.timer", "cpu.runnable"))
            within("thread", burned, truth[kind]["other_cpu_ns"])
        elif kind == "disk":
            # The file may lie in memory here, or the disk's work is done by the time of the first look.
            calls_ns = sums(cold, "kernel.syscall", "wait.disk", "cpu.runnable", "kernel.interrupt", "fault")
            within("disk, with the calls' own time", calls_ns, wait_ns)
            print(f"    wait.disk alone: {sums(cold, 'wait.disk') / MILLISECOND:.2f} ms")
        if kind != "disk":
            assert sums(cold, "wait.disk") <= MILLISECOND, (kind, cold["causes"])


main()
