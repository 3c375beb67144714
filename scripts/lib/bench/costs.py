"""What one event costs in CPU time: untraced, with a probe of the same type that does nothing, with warmtrace."""

import os
import statistics
import subprocess
import time

from bench import machine, process

# What is done, how often, and which probes that do nothing are its floor.
KINDS = [("syscall", 400_000, "kernel"), ("open", 100_000, "kernel"), ("read", 200_000, "kernel"), ("fault", 200_000, "kernel"),
         ("switch", 60_000, "kernel"), ("request", 40_000, "kernel"), ("exception", 110_000, "java"), ("class", 4_400, "java")]
WORDS = {"syscall": "a system call (getppid)", "open": "an open and a close", "read": "a read of 4 KiB", "fault": "a minor page fault",
         "switch": "a switch to a thread and back", "request": "an HTTP request and its response", "exception": "an exception, 18 frames",
         "class": "a class: found, parsed, linked, initialised"}


def compile_java(place):
    home = machine.java_home()
    source = os.path.join(machine.SOURCE, "tests/workloads/EventCosts.java")
    subprocess.run([os.path.join(home, "bin/javac"), "-d", place, source], check=True)
    return home


def number(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return float(done.stdout.split()[-1])
    except (IndexError, ValueError):
        raise RuntimeError(f"'{' '.join(command)}': {done.stderr.strip()[-200:]}") from None


def measure(place, rounds, programs, say):
    """For each kind the nanoseconds untraced, at the floor, and under each of `programs` ({name: warmtrace}), in turn."""
    home = compile_java(place)
    libjvm = os.path.realpath(os.path.join(home, "lib/server/libjvm.so"))
    loader = os.path.join(machine.TOOLS, "event_load")
    found = []
    for kind, count, floor in KINDS:
        if floor == "java":
            # One compiler thread and one collector: they are not what is measured.
            command = [os.path.join(home, "bin/java"), "-XX:+UseSerialGC", "-cp", place, "EventCosts", kind, str(count)]
            empty = [os.path.join(machine.TOOLS, "empty_probes"), "entry_and_return", libjvm, "JVM_FillInStackTrace"]
        else:
            command = [loader, kind, str(count)]
            empty = [os.path.join(machine.TOOLS, "empty_probes"), "kernel"]
        ways = {"untraced": [], "floor": empty}
        if kind == "class":
            del ways["floor"]  # no single probe: there are about ten, each at the floor of `probed`
        for name, program in programs.items():
            ways[name] = [program, "record", "-q", "--as-root", "-o", os.path.join(place, "cost.wtr"), "--"]
        times = {way: [] for way in ways}
        for turn in range(rounds):
            for way in sorted(ways, reverse=bool(turn % 2)):
                times[way].append(number([*ways[way], *command]))
        added = {way: statistics.median(b - a for a, b in zip(times["untraced"], times[way])) for way in times if way != "untraced"}
        found.append({"kind": kind, "what": WORDS[kind], "untraced_ns": statistics.median(times["untraced"]), "added_ns": added,
                      "times": times})
        say(f"cost of {kind}")
    found.append(measure_uprobe(loader, rounds))
    return found


def measure_uprobe(loader, rounds):
    """A probe of user code that does nothing: what each further one at a site costs."""
    empty = [os.path.join(machine.TOOLS, "empty_probes"), "entry", loader, "event_load_probed"]
    command = [loader, "probed", "200000"]
    alone, probed = [], []
    for _ in range(rounds):
        alone.append(number(command))
        probed.append(number(empty + command))
    return {"kind": "probed", "what": "a call of a probed function", "untraced_ns": statistics.median(alone),
            "added_ns": {"floor": statistics.median(b - a for a, b in zip(alone, probed))}, "times": {"untraced": alone, "floor": probed}}


def warmtrace_starts(program, place, rounds):
    """From the start of warmtrace to the command's exec, and from the command's end to its own, without an application, ms."""
    setup, over, cpu, mark = [], [], [], os.path.join(place, "mark")
    for _ in range(rounds):
        started = time.monotonic_ns()
        around = subprocess.Popen([program, "record", "-q", "--as-root", "-o", os.path.join(place, "start.wtr"), "--",
                                   os.path.join(machine.TOOLS, "exec_at"), mark, "sleep", "0.1"])
        os.waitid(os.P_PID, around.pid, os.WEXITED | os.WNOWAIT)
        ended = time.monotonic_ns()
        cpu.append(process.cpu_ms(around.pid))
        around.wait()
        began = process.noted_ns(mark)
        setup.append((began - started) / 1e6)
        over.append((ended - began) / 1e6 - 100)
    return {"setup_ms": statistics.median(setup), "over_ms": statistics.median(over), "cpu_ms": statistics.median(cpu)}
