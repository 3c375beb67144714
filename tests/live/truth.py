"""What the tests on known work share: a traced TruthServer, and what each kind of work must look like on the path."""

import json
import os
import re
import shlex
import socket
import subprocess
import threading
import time

import harness

TOLERANCE_NS = 2_000_000
TOLERANCE = 0.05

MILLISECOND = 1_000_000
TRAP_NS = 300 # a page fault's entry and exit


# ---- the server, traced ----

class OutsidePeer:
    """A peer that is not of the traced tree: answers one byte 70 ms after a question."""

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection:
                if connection.recv(16):
                    time.sleep(0.07)
                    connection.sendall(b"!")

    def close(self):
        self.listening.close()


def cold_file():
    """20 MB on the disk whose pages are not in memory."""
    path = os.path.join(harness.folder(), "twenty-megabytes")
    with open(path, "wb") as file:
        for _ in range(20):
            file.write(os.urandom(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


# Connects to PORT as often as there are paths, then asks for all of them at once. The server says what it did after it has
# answered.
ASK_AT_ONCE = """
import socket, sys, time
port, paths = int(sys.argv[1]), sys.argv[2:]
connections = [socket.create_connection(("127.0.0.1", port)) for _ in paths]
for connection, path in zip(connections, paths):
    connection.sendall(f"GET {path} HTTP/1.1\\r\\n\\r\\n".encode())
for connection in connections:
    connection.recv(65536)
time.sleep(0.3)
"""


def server_command(version, engine, port, peer, far, java_options=(), mixed=()):
    return [harness.java(version), "-Xmx512m", *java_options, "-cp", harness.java_workload("truth-server.jar"), "TruthServer",
            str(port), engine, f"file={cold_file()}", f"classes={harness.java_workload('truth-classes.jar')}",
            f"outside={peer.port}", f"mixed={','.join(mixed)}", *(["decoys"] if far else [])]


def run_server(version, engine, kinds, far, java_options=(), group=None, mixed=(), at_once=False, **more):
    """mixed: the kinds that the kind of this name does in a row. at_once: all requests at the same time."""
    port = harness.free_port()
    peer = OutsidePeer()
    command = server_command(version, engine, port, peer, far, java_options, mixed)
    if group:
        command = group.command(command)
    place = "far" if far else "direct"
    paths = [f"/{place}/{kind}" for kind in kinds]
    try:
        if at_once:
            load = shlex.join([harness.program("python3"), "-c", ASK_AT_ONCE, str(port), *paths])
            # One before them: the server also listens on its peer's port, and that one says which is meant.
            return harness.trace(command, "-n", "0", "--load", load, urls=[f"http://127.0.0.1:{port}/direct/none"], status=None, **more)
        return harness.trace(command, "-n", "1", urls=[f"http://127.0.0.1:{port}{path}" for path in paths],
                             status=None, **more)
    finally:
        peer.close()


def ask_untraced(version, kinds, far, engine="thread", mixed=()):
    """What the server measures where no probe is: {kind: piece}."""
    port = harness.free_port()
    peer = OutsidePeer()
    place = "far" if far and mixed else "direct"
    pieces = {}
    with subprocess.Popen(server_command(version, engine, port, peer, far, (), mixed), stdout=subprocess.PIPE, text=True,
                          env=harness.ENVIRONMENT) as server:
        try:
            for kind in kinds:
                for _ in range(600):
                    try:
                        with socket.create_connection(("127.0.0.1", port)) as connection:
                            connection.sendall(f"GET /{place}/{kind} HTTP/1.1\r\n\r\n".encode())
                            connection.recv(65536)
                        break
                    except OSError:
                        time.sleep(0.05)
                for _ in range(1 + len(mixed)):
                    piece = json.loads(server.stdout.readline())
                    pieces[piece["kind"]] = piece
        finally:
            server.kill()
            peer.close()
    return pieces


class HalfACpu:
    """A cgroup with a quota of half a CPU in periods of 100 ms, and the words that start a command in it."""

    def __init__(self):
        self.folder = f"/sys/fs/cgroup/cpu/warmtrace-test-{os.getpid()}"
        self.is_unified = not os.path.isdir("/sys/fs/cgroup/cpu")
        if self.is_unified:
            self.folder = f"/sys/fs/cgroup/warmtrace-test-{os.getpid()}"
        try:
            if self.is_unified:
                with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as file:
                    file.write("+cpu")
            os.mkdir(self.folder)
            self.set_quota(50_000)
        except OSError as error:
            harness.skip(f"no CPU quota can be set here: {error}")

    def set_quota(self, quota_us):
        if self.is_unified:
            self.write("cpu.max", f"{quota_us if quota_us > 0 else 'max'} 100000")
        else:
            self.write("cpu.cfs_period_us", "100000")
            self.write("cpu.cfs_quota_us", str(quota_us))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            return dict(line.split() for line in file)

    def command(self, words):
        return ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', self.folder, *words]

    def close(self):
        for _ in range(50):
            try:
                os.rmdir(self.folder)
                return
            except OSError:
                time.sleep(0.1)


class SilentResolver:
    """Words that run a command in namespaces of its own, where the only name server takes questions and never answers."""

    SCRIPT = r"""
import os, socket, subprocess, sys
silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
silent.bind(("127.0.0.1", 53))
sys.exit(subprocess.run(sys.argv[1:], pass_fds=()).returncode)
"""

    def __init__(self):
        place = harness.folder()
        self.file = os.path.join(place, "resolv.conf")
        with open(self.file, "w", encoding="ascii") as file:
            file.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        self.words = [harness.program("unshare"), "-n", "-m", "/bin/sh", "-c",
                      'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"', self.file,
                      harness.program("python3"), "-c", self.SCRIPT]
        if not harness.shutil.which("ip") or harness.run_quietly([*self.words, "true"]).returncode != 0:
            harness.skip("no network namespace of one's own here")


# ---- a piece of work on the path ----

class Stretch:
    """The path of a request from the begin to the end of the work, as the server's own clock had them."""

    def __init__(self, request, piece, zero_ns, untraced):
        self.piece, self.untraced = piece, untraced
        self.request = request
        self.begin_ns, self.end_ns = piece["begin_ns"] - zero_ns, piece["end_ns"] - zero_ns
        self.tiles = []
        for tile in request["path"]:
            begin = max(tile["start_ns"], self.begin_ns)
            end = min(tile["start_ns"] + tile["duration_ns"], self.end_ns)
            if end > begin:
                self.tiles.append((tile["cause"], tile["thread"], end - begin, tile["detail"]))

    def spans(self):
        """(thread's number, begin, end) of each tile within the work."""
        for tile in self.request["path"]:
            begin, end = max(tile["start_ns"], self.begin_ns), min(tile["start_ns"] + tile["duration_ns"], self.end_ns)
            if end > begin:
                yield tile["tid"], begin, end

    @property
    def total_ns(self):
        return self.end_ns - self.begin_ns

    def sum(self, *causes, thread=None, without=()):
        """Of the causes that are these or below these."""
        return sum(ns for cause, owner, ns, _ in self.tiles
                   if any(cause == name or cause.startswith(name + ".") for name in causes) and
                   not any(cause == name or cause.startswith(name + ".") for name in without) and
                   (thread is None or owner.startswith(thread)))

    def running(self, thread=None):
        """What a CPU was used for."""
        return sum(ns for cause, owner, ns, _ in self.tiles
                   if not cause.startswith(("cpu.", "wait.", "lock.", "safepoint.", "gc.", "jit.wait", "unexplained")) and
                   (thread is None or owner.startswith(thread)))

    def text(self):
        sums = {}
        for cause, owner, ns, _ in self.tiles:
            sums[cause, owner] = sums.get((cause, owner), 0) + ns
        rows = sorted(sums.items(), key=lambda row: -row[1])[:12]
        unknown = [f"{ns / MILLISECOND:.2f} {detail}" for cause, _, ns, detail in self.tiles if cause == "unexplained"]
        return ", ".join(f"{cause} {ns / MILLISECOND:.2f} ({owner})" for (cause, owner), ns in rows) + \
            ("; unexplained: " + ", ".join(unknown) if unknown else "")


def zero_of(run, pid):
    """The clock's value at the report's zero, and the holds, which the report takes off its times."""
    exec_ns = min(event["time_ns"] for event in run.events("exec") if event["pid"] == pid)
    return exec_ns, [(event["time_ns"] - event["duration_ns"], event["time_ns"]) for event in run.events("hold")]


def without_holds(time_ns, holds):
    held, last = 0, 0
    for begin, end in sorted(holds):
        begin = max(begin, last)
        if begin >= time_ns:
            break
        held += max(0, min(end, time_ns) - begin)
        last = max(last, end)
    return time_ns - held


def near(stretch, what, measured, truth, more_ns=0):
    allowed = max(TOLERANCE_NS, TOLERANCE * truth) + more_ns
    assert abs(measured - truth) <= allowed, \
        f"{what}: {measured / MILLISECOND:.2f} ms, the truth is {truth / MILLISECOND:.2f} ms; {stretch.text()}"
    return f"{what} {measured / MILLISECOND:.2f} of {truth / MILLISECOND:.2f}"


def near_clock(stretch, what, measured, truth):
    """Of what takes its time on the clock: while a thread on the way into it or out of it had no CPU, the clock went on."""
    displaced = stretch.sum("cpu")
    return near(stretch, what, measured + min(displaced, max(0, truth - measured)), truth)


def at_most(stretch, what, measured, limit=TOLERANCE_NS):
    assert measured <= limit, f"{what}: {measured / MILLISECOND:.2f} ms, at most {limit / MILLISECOND:.2f} ms; {stretch.text()}"


def no_lock(stretch):
    at_most(stretch, "lock", stretch.sum("lock"))


def check_burn(stretch):
    truth = stretch.piece["cpu_ns"] or stretch.total_ns - stretch.sum("cpu")
    near(stretch, "running", stretch.running(), truth)
    return near(stretch, "code", stretch.sum("code"), truth)


def check_sleep(stretch):
    return near_clock(stretch, "wait.timer", stretch.sum("wait.timer"), 60 * MILLISECOND)


def check_holder_burns(stretch):
    no_lock(stretch)
    return near(stretch, "the holder's code", stretch.sum("code", thread="holder"), stretch.piece["other_cpu_ns"])


def check_holder_sleeps(stretch):
    no_lock(stretch)
    return near_clock(stretch, "wait.timer", stretch.sum("wait.timer", thread="holder"), 50 * MILLISECOND)


def check_peer(stretch):
    at_most(stretch, "wait.network", stretch.sum("wait.network"))
    return near_clock(stretch, "the peer's wait.timer", stretch.sum("wait.timer", thread="peer"), 70 * MILLISECOND)


def check_outside_peer(stretch):
    return near(stretch, "wait.network", stretch.sum("wait.network"), stretch.total_ns - stretch.sum("cpu"))


def check_file(stretch):
    assert stretch.piece["count"] == 20 << 20, stretch.piece
    assert stretch.sum("wait.disk") > 0, f"the file was in memory; {stretch.text()}"
    return near(stretch, "file.read and wait.disk", stretch.sum("file.read", "wait.disk"),
                stretch.total_ns - stretch.sum("cpu"))


def check_heap(stretch):
    """The truth is that of an untraced run: of ten thousands of faults each probe takes milliseconds. The kernel's own way
    into a fault and out of it, before the first and after the last place where a probe can be, is not seen: that, and what a
    virtual machine's own faults make of two runs' memory, is why this limit is wider than the others."""
    running = stretch.running()
    if stretch.piece["cpu_ns"]:
        near(stretch, "running", running, stretch.piece["cpu_ns"])
    truth = stretch.untraced["heap"]
    return near(stretch, "fault.minor.heap", stretch.sum("fault.minor.heap") + stretch.piece["count"] * TRAP_NS // 2,
                truth["cpu_ns"] - truth["measured_ns"], stretch.piece["count"] * TRAP_NS // 2)


def check_exceptions(stretch):
    assert stretch.piece["count"] == 2000, stretch.piece
    at_most(stretch, "class", stretch.sum("class"))
    return near(stretch, "exception.fill", stretch.sum("exception.fill"), stretch.untraced["exceptions"]["measured_ns"])


def check_classes(stretch):
    """What is done between the loads is none of it; what displaced it is in the server's measure too, but for what came between
    two loads."""
    assert stretch.piece["count"] == 300, stretch.piece
    others = stretch.sum("cpu", "fault", "file", "kernel", "gc", "lock", "exception", "wait", "safepoint")
    least, most = stretch.piece["measured_ns"] - others, stretch.total_ns - others
    truth = min(max(stretch.sum("class"), least), most)
    # From class__loaded on, what the loader still does is no longer finding or parsing.
    return near(stretch, "class", stretch.sum("class"), truth, 300 * 10_000)


def check_quota(stretch):
    """What the burning thread did not get of the CPU; with one busy thread under a quota of half a CPU it is throttled, but
    for what others on the machine displace."""
    off = stretch.total_ns - stretch.piece["measured_ns"]
    assert off > 50 * MILLISECOND, f"it was not throttled: {stretch.piece}"
    near(stretch, "cpu", stretch.sum("cpu"), off)
    at_most(stretch, "unexplained", stretch.sum("unexplained"))
    return near(stretch, "cpu.throttled", stretch.sum("cpu.throttled"), off - stretch.sum("cpu.runnable"))


def check_counters(run, group):
    """The cgroup's own counters beside the scheduling of the tree's threads. Over the whole run they are what the cgroup still
    says. While the first request burns, both are of the same thing, within a tenth; the counters add up the queues of all CPUs, of
    which more than one may stand still. A thread is ready for a while yet after its queue is let go."""
    rows = {(row["from"], row["to"]): row for row in run.report["machine"]["cgroup_cpu"]}
    first = rows["ready", "first_request"]
    text = (f"{first['throttled_periods']} of {first['periods']} periods, {first['throttled_ns'] / MILLISECOND:.1f} ms by the counters, "
            f"{first['seen_ns'] / MILLISECOND:.1f} ms seen")
    assert first["throttled_periods"] >= 1 and first["throttled_ns"] > 50 * MILLISECOND, text
    assert first["seen_ns"] * 0.9 - 5 * MILLISECOND <= first["throttled_ns"] <= first["seen_ns"] * 1.1 * run.report["machine"]["cpus"] + 5 * MILLISECOND, text
    stat = group.read("cpu.stat")
    throttled_ns = int(stat["throttled_time"]) if "throttled_time" in stat else int(stat["throttled_usec"]) * 1000
    assert sum(row["throttled_ns"] for row in rows.values()) <= throttled_ns, f"{rows}; the cgroup says {throttled_ns}"
    return text


def check_initializer_burns(stretch):
    no_lock(stretch)
    return near(stretch, "class.init", stretch.sum("class.init", thread="initializer"), stretch.piece["other_cpu_ns"])


def check_initializer_sleeps(stretch):
    no_lock(stretch)
    return near_clock(stretch, "wait.timer", stretch.sum("wait.timer", thread="initializer"), 50 * MILLISECOND)


def check_collect(stretch):
    return near(stretch, "gc.pause", stretch.sum("gc.pause"), stretch.total_ns - stretch.sum("cpu"))


def check_stall(stretch):
    """What the collector's own log says of the thread: the stall, a pause that it meets at its end, and the way back onto the
    CPU."""
    stalled = sum(int(float(ms) * MILLISECOND) for ms in
                  re.findall(r"Allocation Stall \(" + re.escape(stretch.piece["thread"]) + r"\) ([0-9.]+)ms", stretch.out))
    assert stalled > 5 * MILLISECOND, f"the collector was fast enough: {stalled} ns of stalls"
    at_most(stretch, "gc.stall", stretch.sum("gc.stall"), stalled + TOLERANCE_NS)
    whole = stretch.sum("gc.stall", "gc.pause", "cpu.runnable")
    assert whole >= stalled, f"gc.stall {stretch.sum('gc.stall')}, the log says {stalled}; {stretch.text()}"
    assert stretch.sum("gc.stall") >= stalled // 3, f"the log says {stalled}; {stretch.text()}"
    return f"gc.stall {stretch.sum('gc.stall') / MILLISECOND:.2f} of {stalled / MILLISECOND:.2f}"


def check_future(stretch):
    no_lock(stretch)
    return near(stretch, "the task's code", stretch.sum("code") - stretch.sum("code", thread=stretch.piece["thread"] or "ForkJoinPool-"), stretch.piece["other_cpu_ns"])


def check_child(stretch):
    return near_clock(stretch, "the child's wait.timer", stretch.sum("wait.timer", thread="sleep"), 60 * MILLISECOND)


def check_name(stretch):
    return near(stretch, "wait.name", stretch.sum("wait.name"), stretch.total_ns - stretch.sum("cpu"))


# What the kinds of a mixed request sleep and wait, and of whom.
SLEEPS_MS = {"sleep": 60, "lock-sleep": 50, "monitor-sleep": 50, "initializer-sleep": 50, "peer": 70, "child": 60}


def check_mixed(stretch):
    """The whole of it: the kinds add up, and nothing is counted twice."""
    assert sum(ns for _, _, ns, _ in stretch.tiles) == stretch.total_ns, stretch.text()
    truth = sum(SLEEPS_MS.get(kind, 0) for kind in stretch.parts) * MILLISECOND
    return near_clock(stretch, "wait.timer", stretch.sum("wait.timer"), truth)


CHECKS = {
    "mixed": check_mixed,
    "burn": check_burn,
    "sleep": check_sleep,
    "monitor-burn": check_holder_burns,
    "monitor-sleep": check_holder_sleeps,
    "lock-burn": check_holder_burns,
    "lock-sleep": check_holder_sleeps,
    "peer": check_peer,
    "outside-peer": check_outside_peer,
    "file": check_file,
    "heap": check_heap,
    "exceptions": check_exceptions,
    "classes": check_classes,
    "initializer-burn": check_initializer_burns,
    "initializer-sleep": check_initializer_sleeps,
    "collect": check_collect,
    "stall": check_stall,
    "future": check_future,
    "child": check_child,
    "quota": check_quota,
    "name": check_name,
}
KINDS = [kind for kind in CHECKS if kind not in ("mixed", "quota", "name", "stall")]


def stretches(run, untraced):
    """By kind: its stretch of its request's path."""
    exec_ns, holds = zero_of(run, run.report["run"]["pid"])
    zero_ns = without_holds(exec_ns, holds)
    found = {}
    pieces = [piece for piece in run.json_lines() if piece["kind"] in CHECKS]
    for piece in pieces:
        kind = piece["kind"]
        request = run.cold(f"GET {piece['path']}")
        for name in ("begin_ns", "end_ns"):
            piece[name] = without_holds(piece[name], holds)
        found[kind] = Stretch(request, piece, zero_ns, untraced)
        found[kind].out = run.out
        found[kind].parts = [other["kind"] for other in pieces if other["path"] == piece["path"] and other is not piece]
    return found


def check_pieces(run, untraced):
    """The kinds that came out right, as {kind: what was found}, and those that did not, as {kind: why}."""
    right, wrong = {}, {}
    for kind, stretch in stretches(run, untraced).items():
        try:
            # What is between the pieces of a mixed request is none of them.
            decoys = [tile for tile in stretch.tiles if tile[1].startswith("decoy")]
            assert not decoys or kind == "mixed", f"a decoy owns {decoys[0]}"
            unexplained = stretch.sum("unexplained")
            at_most(stretch, "unexplained", unexplained, max(MILLISECOND, stretch.total_ns // 100))
            right[kind] = CHECKS[kind](stretch)
        except AssertionError as error:
            wrong[kind] = str(error)
    return right, wrong


def check_apart(run):
    """Of requests that were served at the same time none has a piece of another's time on its path."""
    served = list(stretches(run, {}).values())
    for one in served:
        for other in served:
            if one is other:
                continue
            together = min(one.end_ns, other.end_ns) - max(one.begin_ns, other.begin_ns)
            assert together >= 20 * MILLISECOND, f"{one.piece['kind']} and {other.piece['kind']} were not served at the same time"
            theirs = 0
            for tile in one.spans():
                theirs += sum(max(0, min(tile[2], mine[2]) - max(tile[1], mine[1])) for mine in other.spans() if mine[0] == tile[0])
            at_most(one, f"on the path of {other.piece['kind']} too", theirs, MILLISECOND // 10)


def check_compilations(run):
    """A thread that waits for a compilation (-Xbatch) does so until one is done, as the virtual machine's own probes say."""
    exec_ns, holds = zero_of(run, run.report["run"]["pid"])
    zero_ns = without_holds(exec_ns, holds)
    done = [without_holds(event["time_ns"], holds) - zero_ns for event in run.events("compile") if event["step"] == 2]
    waits = [tile for request in run.requests() if request["cold"] for tile in request["path"] if tile["cause"] == "jit.wait"]
    waited_ns = sum(tile["duration_ns"] for tile in waits)
    assert waited_ns >= MILLISECOND, f"{waited_ns} ns in {len(waits)} waits, {len(done)} compilations"
    for tile in waits:
        end = tile["start_ns"] + tile["duration_ns"]
        # The end is told before those that wait for it are woken: one may begin to wait in between.
        assert any(tile["start_ns"] - MILLISECOND <= time <= end for time in done) or tile["duration_ns"] < MILLISECOND // 10, \
            f"nothing was compiled by the end of {tile}"
    print(f"    jit.wait {waited_ns / MILLISECOND:.2f} ms in {len(waits)} waits; {len(done)} compilations in the run")


def best_of(tries, kinds, attempt):
    """attempt(kinds) → (right, wrong); until every kind came out right once."""
    left = list(kinds)
    wrong = {}
    for _ in range(tries):
        right, wrong = attempt(left)
        for kind, found in right.items():
            print(f"    {kind}: {found}")
        left = [kind for kind in left if kind not in right]
        for kind in left:
            print(f"    WRONG {kind}: {wrong.get(kind, 'no answer')}")
        if not left:
            return
    raise AssertionError("; ".join(f"{kind}: {wrong.get(kind, 'no answer')}" for kind in left))
