"""The tools that are compared: how each is put around the application, and how what it wrote is read afterwards."""

import json
import os
import statistics
import subprocess
import time

from bench import machine

CALLS = ["openat", "read", "pread64", "mmap"]
JFR_SETTINGS = "settings=profile,jdk.JavaExceptionThrow#enabled=true,jdk.JavaExceptionThrow#throttle=off,filename="

# The tree is followed as warmtrace follows it; each opening, reading and mapping is printed, the rest is counted.
BPFTRACE = """
tracepoint:sched:sched_process_fork /@tree[pid]/ { @tree[args->child_pid] = 1; }
tracepoint:raw_syscalls:sys_enter /@tree[pid] || pid == cpid/ { @tree[pid] = 1; @begin[tid] = nsecs; }
tracepoint:syscalls:sys_enter_openat /@tree[pid]/ { @path[tid] = args->filename; }
tracepoint:syscalls:sys_exit_openat /@path[tid]/ {
  printf("open %d %d %d %s\\n", tid, nsecs - @begin[tid], args->ret, str(@path[tid])); delete(@path[tid]); }
tracepoint:syscalls:sys_exit_read /@tree[pid]/ { printf("read %d %d %d\\n", tid, nsecs - @begin[tid], args->ret); }
tracepoint:syscalls:sys_exit_pread64 /@tree[pid]/ { printf("pread %d %d %d\\n", tid, nsecs - @begin[tid], args->ret); }
tracepoint:syscalls:sys_exit_mmap /@tree[pid]/ { printf("mmap %d %d\\n", tid, nsecs - @begin[tid]); }
software:page-faults:1 /@tree[pid]/ { @faults = count(); }
tracepoint:sched:sched_switch /@tree[pid]/ { @switches = count(); }
END { clear(@tree); clear(@begin); clear(@path); }
"""


def timed(command, **options):
    """Seconds that a command took, and its output."""
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **options)
    return time.monotonic() - began, done.stdout


class Peer:
    """A tool around, inside or beside the application."""

    name = ""
    suffix = ""
    why_not = "it is not installed and cannot be"

    def __init__(self, place):
        self.place = place
        self.output = os.path.join(place, self.name.replace("/", "-") + ".out" + self.suffix)

    def is_there(self):
        return True

    def wrap(self, command):
        """The command line that runs the application, itself a list, under the tool."""
        return command

    def java_arguments(self):
        return []

    def start_beside(self):
        """A tool of its own that watches: its process, or None."""

    def read(self):
        """What a reader waits for: {"report_s", "print_s", "events"}, as far as the tool has such."""
        return {}

    def said(self):
        """What the tool says of the requests of the run that just ended, where it does: {"first_said_ms", "first_tracing_ms",
        "warm_tracing_ms"}."""
        return {}


class Untraced(Peer):
    name = "untraced"


class Warmtrace(Peer):
    name = "warmtrace"

    def __init__(self, place, program=None, name=None):
        self.name = name or self.name
        super().__init__(place)
        self.program = program or os.path.join(machine.SOURCE, "build/warmtrace")

    def wrap(self, command):
        return [self.program, "record", "-q", "-o", self.output, "--", *command]

    def report(self):
        return json.loads(timed([self.program, "report", "--format", "json", self.output])[1])

    def said(self):
        route = self.report()["cold_vs_warm"][0]
        return {"first_said_ms": route["cold_ns"] / 1e6, "first_tracing_ms": route.get("cold_tracing_ns", 0) / 1e6,
                "warm_tracing_ms": route.get("warm_tracing_ns", 0) / 1e6}

    def read(self):
        report_s = statistics.median(timed([self.program, "report", self.output])[0] for _ in range(5))
        report = self.report()
        # A report reads and uses every event: no printing of events is faster.
        return {"report_s": report_s, "print_s": report_s, "events": report["events"]["total"], "lost": report["losses"]["events"],
                "estimated_ms": report["overhead"]["estimated_ns"] / 1e6}


class Jfr(Peer):
    name = "jfr"
    suffix = ".jfr"

    def __init__(self, place, home):
        super().__init__(place)
        self.home = home

    def java_arguments(self):
        return ["-XX:StartFlightRecording:" + JFR_SETTINGS + self.output, "-Xlog:jfr*=off", "-Xlog:jfr+startup=off"]

    def read(self):
        jfr = os.path.join(self.home, "bin/jfr")
        report_s, summary = timed([jfr, "summary", self.output])
        print_s, _ = timed([jfr, "print", self.output])
        counts = [line.split() for line in summary.decode().splitlines() if line.startswith(" ")]
        return {"report_s": report_s, "print_s": print_s,
                "events": sum(int(words[1]) for words in counts if len(words) == 3 and words[1].isdigit())}


class AsyncProfiler(Jfr):
    name = "async-profiler"

    def is_there(self):
        return machine.async_profiler() is not None

    def java_arguments(self):
        return [f"-agentpath:{machine.async_profiler()}=start,event=ctimer,interval=1ms,jfr,file={self.output}"]


class Strace(Peer):
    name = "strace"

    def is_there(self):
        return machine.have("strace")

    def wrap(self, command):
        return ["strace", "-f", "-T", "-o", self.output, "-e", "trace=" + ",".join(CALLS), *command]

    def read(self):
        with open(self.output, "rb") as file:
            return {"events": sum(1 for _ in file)}


class PerfRecord(Peer):
    name = "perf-record"
    arguments = ["-F", "999", "-e", "cpu-clock", "-g"]

    def is_there(self):
        return machine.have("perf")

    def wrap(self, command):
        return ["perf", "record", "-q", *self.arguments, "-o", self.output, "--", *command]

    def read(self):
        report_s, _ = timed(["perf", "report", "--stdio", "-i", self.output], stdin=subprocess.DEVNULL)
        print_s, _ = timed(["perf", "script", "-i", self.output], stdin=subprocess.DEVNULL)
        _, lines = timed(["perf", "script", "-F", "comm,tid,time,event", "-i", self.output], stdin=subprocess.DEVNULL)
        return {"report_s": report_s, "print_s": print_s, "events": len(lines.splitlines())}


class PerfTrace(Peer):
    name = "perf-trace"

    def is_there(self):
        return machine.have("perf")

    def wrap(self, command):
        return ["perf", "trace", "-o", self.output, "-e", ",".join(CALLS), "--", *command]

    def read(self):
        with open(self.output, "rb") as file:
            return {"events": sum(1 for _ in file)}


class Bpftrace(Peer):
    name = "bpftrace"

    def is_there(self):
        return machine.have("bpftrace")

    def wrap(self, command):
        script = os.path.join(self.place, "equivalent.bt")
        with open(script, "w", encoding="ascii") as file:
            file.write(BPFTRACE)
        # bpftrace takes the command as one string, splits it at blanks, and runs nothing but ELF files.
        wrapper = os.path.join(self.place, "bpftrace-command")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in command) + "\n")
        return ["bpftrace", "-q", "-o", self.output, "-c", "/bin/sh " + wrapper, script]

    def read(self):
        with open(self.output, "rb") as file:
            return {"events": sum(1 for _ in file)}


class Opensnoop(Peer):
    name = "opensnoop"

    def is_there(self):
        return machine.have("opensnoop")

    def start_beside(self):
        with open(self.output, "wb") as file:
            return subprocess.Popen(["opensnoop"], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)

    def read(self):
        with open(self.output, "rb") as file:
            return {"events": sum(1 for _ in file)}


def all_peers(place, home):
    return [Warmtrace(place), Jfr(place, home), AsyncProfiler(place, home), Strace(place), PerfRecord(place), PerfTrace(place),
            Bpftrace(place), Opensnoop(place)]
