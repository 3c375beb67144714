"""No cause is a remainder: take one kind of record out of a real recording, and the time that it explained moves into
`unexplained` or into what lies around it, and nowhere else.

Every nanosecond of every first request is compared, with and without the kind. Running time may fall back to the span
around it (class loading, a system call, an exception, a compilation) and in the end to code. A wait may fall back to
`unexplained` only, or to what it was a part of: the wait for a child whose own path is no longer known, the pause of the VM.

What has no end of its own (class loading) ends by what is known of the thread next: without a kind a little earlier or later,
never much. And what was unexplained, since records contradicted each other, may seem clear without one of them: Linux 6.18
leaves out the record of a switch a few times in ten thousand, and the time before such a gap rests on the other one alone."""

import json
import os
import subprocess

import harness
import truth
from harness import application, case, free_port, java, main, trace

# What runs: proven by the scheduling records alone.
RUNNING = ("code", "class", "exception", "file", "fault", "kernel", "jit")

# How much of a request may move over ends that are not known exactly. The steps of an initialisation are what ends most
# links: without them a link lasts to the next record of its thread, which code that only computes does not make. A class that is
# loaded is what ends its parsing: without it that lasts to the end of the search for the class.
ENDS_SHARE, ENDS_NS = 0.02, 500_000
ENDS_NS_WITHOUT = {"class_init": 3_000_000, "class_loaded": 4_000_000}

# How much of a request may go to a wrong place by rounding: a thread that is first met by the sampling timer may have run for
# a little more than its period.
ROUNDING_NS = 100_000

# By kind: what its records may have explained, and where that may go beside `unexplained`. None: anything that runs.
RULES = {
    "syscall": (("kernel", "file", "class.read", "wait", "fault", "lock", "jit", "code", "cpu"),
                RUNNING + ("wait.child",)),
    "file_open": (("file",), RUNNING),
    "file_lookup": (("file",), RUNNING),
    "file_read": (("file", "class.read", "wait", "fault"), RUNNING),
    "file_write": (("file", "wait"), RUNNING),
    "file_map": (("file", "fault"), RUNNING + ("fault",)),
    # What a major fault waits for is the disk, also without it.
    "fault": (("fault", "wait"), RUNNING + ("wait.disk",)),
    "interrupt": (("kernel.interrupt",), RUNNING),
    "exception": (("exception",), RUNNING),
    "native_throw": (("exception",), RUNNING),
    "native_catch": (("exception",), RUNNING),
    "class_load": (("class",), RUNNING),
    "class_loaded": (("class",), RUNNING),
    "class_parse": (("class",), RUNNING),
    "class_link": (("class",), RUNNING),
    "class_init": (("class", "lock"), RUNNING),
    "class_return": (("class", "code", "file", "fault"), RUNNING),
    "sample": (("code", "class"), RUNNING),
    "compile": (("jit", "code"), RUNNING),
    # JDK 17 looks again at a monitor by a timer, and only the record says that this is the same wait.
    "vm_wait": (None, ("wait.timer",)),
    # A pause is one tile; without its records the wait for the VM thread is that thread's own path.
    "gc": (("gc", "safepoint"), RUNNING + ("gc", "safepoint", "cpu", "lock", "wait")),
    "safepoint": (("gc", "safepoint"), RUNNING + ("gc", "safepoint", "cpu", "lock", "wait")),
    "vm_operation": (("gc", "safepoint", "code"), RUNNING + ("gc", "safepoint", "cpu", "lock", "wait")),
    "wake": (None, ()),
    "switch_in": (None, ("wait.timer",)), # as vm_wait: that it ran in between is what makes it the same wait
    "switch_out": (None, ()),
    # A thread's birth is its parent's act. Who waits for a thread of unknown birth is seen to wait, and no further.
    "fork": (None, ("wait.child", "lock.park", "fault.minor.other")),
    "exit": (None, ("wait.child",)),
    # Names and forms, of which no time is made.
    "thread_name": ((), ()),
    "java_thread": ((), ()),
    "stack": ((), ()),
    "frame_name": ((), ()),
    "symbol": ((), ()),
    "deoptimize": ((), ()),
    "throw": ((), ()),
    "jvm_state": ((), ()),
    "library": ((), ()),
    "residency": ((), ()),
    "archive": (("class.read", "file.read", "fault"), ("file.read", "fault")),
}


def below(cause, names):
    return any(cause == name or cause.startswith(name + ".") for name in names)


def report_of(recording):
    done = harness.warmtrace("report", "--format=json", recording, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without(recording, kind):
    copy = os.path.join(harness.folder(), f"without-{kind}.wtr")
    subprocess.run([os.path.join(harness.BUILD, "tests/tools/recording_without"), recording, copy, kind], check=True)
    report = report_of(copy)
    os.unlink(copy)
    return report


def next_to_gap(path):
    """The starts of the tiles that lie beside one where a record is missing."""
    gaps = [index for index, tile in enumerate(path) if tile["detail"] == "a record is missing"]
    return {path[near]["start_ns"] for gap in gaps for near in (gap - 1, gap + 1) if 0 <= near < len(path)}


def moves(before, after, doubtful):
    """{(cause, thread, new cause, new thread): ns} of one request, without the tiles that start at the `doubtful` times."""
    found = {}
    edges = sorted({tile["start_ns"] for request in (before, after) for tile in request["path"]} |
                   {before["start_ns"] + before["latency_ns"]})
    first, second = iter(before["path"]), iter(after["path"])
    a, b = next(first), next(second)
    for begin, end in zip(edges, edges[1:]):
        while a["start_ns"] + a["duration_ns"] <= begin:
            a = next(first)
        while b["start_ns"] + b["duration_ns"] <= begin:
            b = next(second)
        if a["cause"] != b["cause"] and not (a["start_ns"] in doubtful and a["thread"] == b["thread"]):
            key = (a["cause"], a["thread"], b["cause"], b["thread"])
            found[key] = found.get(key, 0) + end - begin
    return found


def check_kind(before, recording, kind):
    """The time that moved, by where it went; raises where it may not have."""
    explained, around = RULES[kind]
    report = without(recording, kind)
    harness.invariants.check_losses(report)
    wrong, moved = {}, {}
    for request in [request for request in before["requests"] if request["cold"]]:
        twin = [other for other in report["requests"] if other["start_ns"] == request["start_ns"] and
                other["latency_ns"] == request["latency_ns"]]
        if not twin:
            continue
        harness.invariants.check_request(twin[0])
        late, misplaced = 0, {}
        doubtful = next_to_gap(request["path"]) if kind in ("switch_in", "switch_out") else ()
        for (cause, thread, new_cause, new_thread), ns in moves(request, twin[0], doubtful).items():
            moved[cause, new_cause] = moved.get((cause, new_cause), 0) + ns
            is_right = new_cause == "unexplained" or (below(new_cause, around) and (explained is None or below(cause, explained)))
            is_right = is_right or cause == "unexplained"
            if not is_right and all(below(name, RUNNING) for name in (cause, new_cause)) and thread == new_thread and \
                    "class" in (cause.split(".")[0], new_cause.split(".")[0]):
                late += ns
            elif not is_right:
                misplaced[request["route"], cause, thread, new_cause, new_thread] = ns
        if sum(misplaced.values()) > ROUNDING_NS:
            wrong.update(misplaced)
        if late > ENDS_NS_WITHOUT.get(kind, ENDS_NS) + ENDS_SHARE * request["latency_ns"]:
            wrong[request["route"], "running", "", "what has no end", ""] = late
    return moved, wrong


def check_recording(recording):
    before = report_of(recording)
    present = set(before["events"]["by_kind"])
    failures = []
    for kind in RULES:
        if kind not in present:
            continue
        moved, wrong = check_kind(before, recording, kind)
        most = sorted(moved.items(), key=lambda row: -row[1])[:4]
        print(f"    without {kind}: " + (", ".join(f"{cause} → {new} {ns / 1e6:.2f}" for (cause, new), ns in most) or "nothing moves"))
        failures += [f"without {kind}: {ns / 1e6:.3f} ms of {cause} ({thread}) became {new} ({new_thread}) in {route}"
                     for (route, cause, thread, new, new_thread), ns in sorted(wrong.items(), key=lambda row: -row[1])]
    assert not failures, f"{len(failures)} moves:\n" + "\n".join(failures[:40])


@case
def known_work():
    run = truth.run_server(25, "pool", truth.KINDS, True)
    check_recording(run.recording)


@case
def known_work_17():
    run = truth.run_server(17, "loop", truth.KINDS, False)
    check_recording(run.recording)


@case
def petclinic():
    port = free_port()
    run = trace([java(25), "-jar", application("petclinic-rest/petclinic-rest.jar"), f"--server.port={port}"], "-n", "2",
                urls=[f"http://127.0.0.1:{port}/api/owners"], status=None, timeout=240)
    check_recording(run.recording)


main()
