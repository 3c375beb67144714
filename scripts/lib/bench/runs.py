"""Runs of the application, alone and under a tool, always with the same client and the same way of waiting for the port."""

import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time

from bench import figures, machine, process

READY_LIMIT_S, READY_STEP_S = 300, 0.01
PATH = "/api/owners"

# What is measured of each run; those of the tool itself have nothing untraced beside them.
COMPARED = [("ready_ms", "ready"), ("first_ms", "first request"), ("first_cpu_ms", "CPU of the first request"),
            ("cpu_to_first_ms", "JVM's CPU to the first response"), ("warm_ms", "warm median"),
            ("java_peak_mb", "JVM's peak memory")]
OWN = [("setup_ms", "before exec"), ("over_ms", "over after the end"), ("tool_cpu_ms", "tool's CPU"),
       ("tool_peak_mb", "tool's memory, MiB"), ("output_mb", "output, MB")]


class Failed(Exception):
    """A run that cannot be counted."""


class Application:
    def __init__(self, java, jar, warm, place):
        self.java, self.jar, self.warm, self.place = java, jar, warm, place

    def command(self, peer, port):
        # What is before the command's own exec is the tool's setting up.
        return [os.path.join(machine.TOOLS, "exec_at"), self.mark(), self.java, *peer.java_arguments(), "-jar", self.jar,
                f"--server.port={port}"]

    def mark(self):
        return os.path.join(self.place, "began")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def takes_connections(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def curl_ms(url, count):
    """Total times of requests sent one after another on one connection."""
    words = []
    for _ in range(count):
        words += ["-o", "/dev/null", url]
    done = subprocess.run(["curl", "-s", "-w", "%{time_total}\n", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"a request failed (curl: {done.returncode})")
    return [float(line) * 1000 for line in done.stdout.split()]


def wait_until_ready(around, port):
    limit = time.monotonic() + READY_LIMIT_S
    while not takes_connections(port):
        if around.poll() is not None:
            raise Failed(f"the command ended with {around.returncode} before it was ready")
        if time.monotonic() > limit:
            raise Failed(f"not ready after {READY_LIMIT_S} s")
        time.sleep(READY_STEP_S)
    return time.monotonic_ns()


def measure_end(around, java, tool):
    """SIGTERM to the JVM, and how long whoever ran it takes to be over. A tool's figures are read while it is ending."""
    found = {"tool_peak_mb": 0.0}
    pidfd = os.pidfd_open(java)
    around_pidfd = os.pidfd_open(around.pid)
    os.kill(java, signal.SIGTERM)
    if not process.wait_for_end(pidfd, 120):
        raise Failed("the JVM does not end")
    ended = time.monotonic()
    while not process.wait_for_end(around_pidfd, 0.005):
        if tool:
            found["tool_peak_mb"] = max(found["tool_peak_mb"], process.peak_mb(tool))
        if time.monotonic() > ended + 120:
            raise Failed("the tool does not end")
    found["over_ms"] = (time.monotonic() - ended) * 1000
    if tool == around.pid:
        found["tool_cpu_ms"] = process.cpu_ms(tool)
    os.close(pidfd)
    os.close(around_pidfd)
    around.wait()
    return found


def run_once(application, peer):
    for name in os.listdir(peer.place):
        if name.startswith(os.path.basename(peer.output)):
            os.unlink(os.path.join(peer.place, name))
    beside = peer.start_beside()
    if beside:
        time.sleep(2)
    try:
        return run_application(application, peer, beside)
    finally:
        if beside:
            beside.send_signal(signal.SIGINT)
            beside.wait(30)


def run_application(application, peer, beside):
    port = free_port()
    started_ns = time.monotonic_ns()
    around = subprocess.Popen(peer.wrap(application.command(peer, port)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        ready_ns = wait_until_ready(around, port)
        # The socket listens a little before the application waits on it.
        time.sleep(0.3)
        java = process.java_of(around.pid)
        tool = beside.pid if beside else around.pid if java != around.pid else None
        url = f"http://127.0.0.1:{port}{PATH}"
        before_ms = process.cpu_ms(java)
        first_ms = curl_ms(url, 1)[0]
        after_ms = process.cpu_ms(java)
        began_ns = process.noted_ns(application.mark())
        found = {"setup_ms": (began_ns - started_ns) / 1e6, "ready_ms": (ready_ns - began_ns) / 1e6,
                 "first_ms": first_ms, "first_cpu_ms": after_ms - before_ms, "cpu_to_first_ms": after_ms,
                 "warm_ms": statistics.median(curl_ms(url, application.warm)[application.warm // 3:]),
                 "java_peak_mb": process.peak_mb(java)}
        if tool:
            maps_mb, mapped_twice_mb = process.bpf_maps_mb(tool)
            peak_mb = process.peak_mb(tool)
            tool_cpu_ms = process.cpu_ms(tool)
        found |= measure_end(around, java, tool)
        if tool:
            # A ring's memory is in maps_mb once, and not where it is mapped.
            found["tool_peak_mb"] = max(found["tool_peak_mb"], peak_mb) - mapped_twice_mb + maps_mb
            found.setdefault("tool_cpu_ms", tool_cpu_ms)
        else:
            del found["tool_peak_mb"]
        if os.path.exists(peer.output):
            found["output_mb"] = os.path.getsize(peer.output) / 1e6
        return found | peer.said()
    finally:
        if around.poll() is None:
            for pid in reversed(process.descendants(around.pid)):
                os.kill(pid, signal.SIGKILL)
            around.wait()


def run_pairs(application, untraced, wanted, deadline, say):
    """Pairs of each peer and the application alone, peers in turn, in each pair now the one first and now the other.
    `wanted` is [(peer, count)]; gives {name: [(untraced, traced)]} and what each peer's last output was read as. After the
    deadline no further pair begins, but of each peer there is at least one."""
    pairs = {peer.name: [] for peer, _ in wanted}
    readings, failures, chance = {}, {}, random.Random(1)
    run_once(application, untraced)  # fills the page cache
    for number in range(max(count for _, count in wanted)):
        turn = [peer for peer, count in wanted if number < count and peer.name not in failures]
        chance.shuffle(turn)
        for peer in turn:
            if number and time.monotonic() > deadline:
                continue
            order = [untraced, peer] if (number + len(peer.name)) % 2 else [peer, untraced]
            try:
                found = {one.name: run_once(application, one) for one in order}
                if number == 0:
                    readings[peer.name] = peer.read()
            except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
                print(f"bench: {peer.name}: {error}", file=sys.stderr)
                # One that never worked is left out; one that fails now and then loses that pair.
                if not pairs[peer.name]:
                    failures[peer.name] = str(error)
                continue
            pairs[peer.name].append((found["untraced"], found[peer.name]))
        say(f"round {number + 1}")
    return pairs, readings, failures


def agreement(rows):
    """Of one tool that says what it adds: the requests over the untraced ones beside them, as curl timed them and less what the
    tool says of itself; and what it says of the first request over what curl waited for that very one."""
    less = [(untraced, traced | {"first_ms": traced["first_ms"] - traced["first_tracing_ms"],
                                 "warm_ms": traced["warm_ms"] - traced["warm_tracing_ms"]})
            for untraced, traced in rows if "first_tracing_ms" in traced]
    if not less:
        return None
    said = [({"said": traced["first_ms"]}, {"said": traced["first_said_ms"]}) for _, traced in rows if "first_said_ms" in traced]
    return {"said": figures.compare(said, "said"), "tracing_ms": {
        key: figures.middle([traced for _, traced in rows], key) for key in ("first_tracing_ms", "warm_tracing_ms")}} | {
            key: {"timed": figures.compare(rows, key), "less": figures.compare(less, key)} for key in ("first_ms", "warm_ms")}


def summarize(pairs):
    return {name: {"compared": {key: figures.compare(rows, key) for key, _ in COMPARED},
                   "own": {key: figures.middle([traced for _, traced in rows], key) for key, _ in OWN},
                   "agreement": agreement(rows)}
            for name, rows in pairs.items()}
