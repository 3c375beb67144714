"""Runs warmtrace on real processes and checks what it says. Standard library only.

A test file is a list of cases and a call of main():

    @case
    def opens_by_path():
        run = trace([workload("known_files"), folder])
        ...

A case passes by returning, fails by raising, and is left out by skip(reason). What every report must hold
(invariants.py) is checked on each run made by trace(). Cases print one line each, and their outcomes go to
BUILD/live-results, from where check_required.py takes them.
"""

import argparse
import atexit
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import invariants

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.environ.get("WARMTRACE_BUILD", os.path.join(SOURCE, "build"))
WARMTRACE = os.path.join(BUILD, "warmtrace")
RESULTS = os.environ.get("WARMTRACE_RESULTS", os.path.join(BUILD, "live-results"))
SLOW = float(os.environ.get("WARMTRACE_SLOW", "1"))

# A traced command is an ordinary one: nothing of the shell that runs the tests shall reach it or warmtrace by accident.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith(("SUDO_", "WARMTRACE_", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"))}
ENVIRONMENT["NO_COLOR"] = "1"

_cases = []
work = None


class Skip(Exception):
    pass


def skip(reason):
    raise Skip(reason)


def case(function):
    _cases.append(function)
    return function


# ---- what is traced ----

def workload(name):
    """A program of tests/workloads, as built or as source (scripts)."""
    for path in (os.path.join(BUILD, "tests/workloads", name), os.path.join(SOURCE, "tests/workloads", name)):
        if os.path.exists(path):
            return path
    raise AssertionError(f"{name} is not built")


def java_workload(name):
    path = os.path.join(SOURCE, "build/workloads", name)
    return path if os.path.exists(path) else skip(f"{path} is not built (tests/workloads/build-java)")


def demo_jar():
    path = os.path.join(SOURCE, "build/demo/demo.jar")
    return path if os.path.exists(path) else skip(f"{path} is not built (tests/workloads/demo/build)")


def application(path):
    path = os.path.join(SOURCE, "build/apps", path)
    return path if os.path.exists(path) else skip(f"{path} is not built (tests/apps/build)")


def java_home(version):
    """The JAVA_HOME of a JDK, as scripts/test found it or as scripts/lib/install.sh finds it."""
    home = os.environ.get(f"WARMTRACE_JDK_{version}")
    if not home:
        script = f'. "{SOURCE}/scripts/lib/install.sh" && find_jre {version}'
        home = subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout.strip()
    return home or skip(f"no JDK {version} here")


def java(version):
    return os.path.join(java_home(version), "bin/java")


def jlink_image(version, *options):
    """The folder of a run-time image that jlink makes of a JDK. Its programs come from the modules: where the JDK brings
    a C library of its own (scripts/lib/install.sh), the image gets it too."""
    home, place = java_home(version), os.path.join(folder(), "image")
    jlink, own_libc = os.path.join(home, "bin/jlink"), os.path.join(home, "lib/libc")
    if not os.path.exists(jlink):
        skip("the JDK has no jlink")
    made = run_quietly([jlink, *options, "--output", place], timeout=180)
    if made.returncode:
        skip(f"jlink cannot make an image here: {made.stdout.strip()[:200]}")
    if os.path.isdir(own_libc):
        shutil.copytree(own_libc, os.path.join(place, "lib/libc"), symlinks=True)
        moved = run_quietly(["bash", "-c", f'. "{SOURCE}/scripts/lib/install.sh" && relocate_jdk "$1"', "-", place])
        assert moved.returncode == 0, moved.stderr
    return place


def program(name):
    return shutil.which(name) or skip(f"no {name} here")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def folder():
    """A new empty folder, gone at the end."""
    return tempfile.mkdtemp(dir=work)


# ---- running warmtrace ----

class Traced:
    """A run of warmtrace that has ended. `status` as a shell has it; `report` is the JSON, or None."""

    def __init__(self, arguments, status, out, err, recording, report):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err
        self.recording, self.report = recording, report

    def json_lines(self):
        """The JSON lines that the command printed on its standard output."""
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    def events(self, *kinds):
        return events(self.recording, *kinds)

    def phase(self, name):
        return next((phase for phase in self.report["phases"] if phase["name"] == name), None)

    def count(self, name):
        return invariants.phase_sum(self.report, name)

    def milestone(self, name):
        return next((row["t_ns"] for row in self.report["milestones"] if row["name"] == name), None)

    def requests(self, route=None):
        return [request for request in self.report["requests"] if route is None or request["route"] == route]

    def cold(self, route):
        found = [request for request in self.requests(route) if request["cold"]]
        assert len(found) == 1, f"{len(found)} cold requests of {route} among {[r['route'] for r in self.report['requests']]}"
        return found[0]


class Running:
    """warmtrace at work on a command, until finish()."""

    def __init__(self, arguments, recording, report_path, **popen):
        self.arguments, self.recording, self.report_path = arguments, recording, report_path
        self.out_file = tempfile.TemporaryFile("w+", dir=work, errors="replace")
        self.err_file = tempfile.TemporaryFile("w+", dir=work, errors="replace")
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("env", ENVIRONMENT)
        self.process = subprocess.Popen(arguments, stdout=self.out_file, stderr=self.err_file, **popen)

    def text(self, file):
        file.flush()
        with open(f"/proc/self/fd/{file.fileno()}", encoding="utf-8", errors="replace") as again:
            return again.read()

    def out(self):
        return self.text(self.out_file)

    def err(self):
        return self.text(self.err_file)

    def wait_for(self, condition, what, timeout=60):
        """Until condition() is true; its value is returned."""
        end = time.monotonic() + timeout * SLOW
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            if self.process.poll() is not None:
                raise AssertionError(f"warmtrace ended ({self.process.returncode}) before {what}:\n{self.err()}{self.out()}")
            time.sleep(0.01)
        raise AssertionError(f"no {what} within {timeout} s:\n{self.err()}{self.out()}")

    def wait_for_out(self, pattern, timeout=60):
        return self.wait_for(lambda: re.search(pattern, self.out()), f"{pattern!r} on standard output", timeout)

    def wait_for_err(self, pattern, timeout=60):
        return self.wait_for(lambda: re.search(pattern, self.err()), f"{pattern!r} on standard error", timeout)

    def child(self):
        """The pid of the command."""
        def find():
            children = open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii").read().split()
            return next((int(pid) for pid in children if os.path.exists(f"/proc/{pid}/exe")), None)
        return self.wait_for(find, "child of warmtrace")

    def finish(self, timeout=120, losses_allowed=False, check=True):
        try:
            self.process.wait(timeout * SLOW)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.arguments} did not end within {timeout} s:\n{self.err()}") from None
        code = self.process.returncode
        report = None
        if self.report_path and os.path.exists(self.report_path) and os.path.getsize(self.report_path) > 0:
            with open(self.report_path, encoding="utf-8") as file:
                report = json.load(file)
        run = Traced(self.arguments, 128 - code if code < 0 else code, self.out(), self.err(), self.recording, report)
        if check:
            assert report is not None, f"no report (status {run.status}):\n{run.err}"
            invariants.check(report, losses_allowed)
        return run


def start(command, *options, urls=(), wrapper=(), **popen):
    """Starts warmtrace on a command, with its report in a file; see Running."""
    place = folder()
    recording, report = os.path.join(place, "run.wtr"), os.path.join(place, "report.json")
    requests = [word for url in urls for word in ("--request", url)]
    arguments = [*wrapper, WARMTRACE, "-o", recording, "--format=json", "--report", report, *requests, *options, "--", *command]
    return Running(arguments, recording, report, **popen)


def trace(command, *options, urls=(), status=0, timeout=120, losses_allowed=False, check=True, **more):
    """Runs warmtrace on a command to the end, checks its exit status (None: any) and the report's invariants."""
    run = start(command, *options, urls=urls, **more).finish(timeout, losses_allowed, check)
    assert status is None or run.status == status, f"exit status {run.status}, expected {status}:\n{run.err}{run.out}"
    return run


def warmtrace(*arguments, timeout=60, **more):
    """Any other call of the program."""
    more.setdefault("env", ENVIRONMENT)
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([WARMTRACE, *arguments], capture_output=True, text=True, errors="replace", timeout=timeout * SLOW, **more)


def events(recording, *kinds):
    """The records of these kinds, as dicts, in file order."""
    tool = os.path.join(BUILD, "tests/tools/recording_events")
    with subprocess.Popen([tool, recording, *kinds], stdout=subprocess.PIPE, text=True) as process:
        found = [json.loads(line) for line in process.stdout]
    assert process.returncode == 0, f"recording_events failed on {recording}"
    return found


def recording_status(recording):
    tool = os.path.join(BUILD, "tests/tools/recording_events")
    return json.loads(subprocess.run([tool, "--status", recording], capture_output=True, text=True, check=True).stdout)


# ---- witnesses ----

def near(value, expected, tolerance, what):
    """tolerance: a share of what is expected, stated by the caller."""
    assert abs(value - expected) <= tolerance * expected, \
        f"{what}: {value}, the witness says {expected} (tolerance {tolerance:.0%})"


def run_quietly(command, timeout=120, **more):
    more.setdefault("env", ENVIRONMENT)
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout * SLOW, **more)


def curl(url, *options, timeout=60):
    return run_quietly([program("curl"), "-s", "-S", "-o", "/dev/null", "-w", "%{json}\n", *options, url], timeout)


def held_by_others():
    """Ids of programs and links that another warmtrace on this machine holds at the moment: (programs, links, pids)."""
    programs, links, pids = set(), set(), set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                words = file.read().split("\0")
            if int(pid) == os.getpid() or WARMTRACE in words[0] or any(work in word for word in words):
                continue
            for descriptor in os.listdir(f"/proc/{pid}/fdinfo"):
                with open(f"/proc/{pid}/fdinfo/{descriptor}", encoding="ascii", errors="replace") as file:
                    fields = dict(re.findall(r"^(prog_id|link_id):\s*(\d+)", file.read(), re.M))
                if fields:
                    pids.add(int(pid))
                    programs.add(int(fields.get("prog_id", 0)))
                    links.add(int(fields.get("link_id", 0)))
        except OSError:
            continue
    return programs, links, pids


def left_over():
    """Probes and programs of ours that the kernel still holds; {} when all is clean."""
    found = {}
    tool = shutil.which("bpftool") or "/usr/sbin/bpftool"

    def listed(what):
        return json.loads(subprocess.run([tool, "-j", what, "show"], capture_output=True, text=True).stdout or "[]")

    # Of a cgroup's devices, of systemd's: not tracing.
    others = ("cgroup_device", "cgroup_skb", "cgroup_sysctl", "sched_cls", "iter", "cgroup")
    rows = {what: listed(what) for what in ("prog", "link", "perf")}
    programs, links, pids = held_by_others()
    for what, held in (("prog", programs), ("link", links)):
        mine = [row.get("name") or row.get("id") for row in rows[what] if str(row.get("type", "")) not in others and row["id"] not in held]
        if mine:
            found[what] = mine
    perf = [row for row in rows["perf"] if row.get("pid") not in pids]
    if perf:
        found["perf"] = perf
    return found


def wait_until_clean(timeout=30):
    end = time.monotonic() + timeout * SLOW
    while True:
        rest = left_over()
        if not rest:
            return
        assert time.monotonic() < end, f"left in the kernel {timeout} s after the end: {rest}"
        time.sleep(0.1)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# ---- the frame ----

def machine_reason():
    if os.geteuid() != 0:
        return "not root"
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        return "the kernel has no BTF (/sys/kernel/btf/vmlinux)"
    return None


def run_case(function):
    started = time.monotonic()
    try:
        function()
        outcome, why = "passed", ""
    except Skip as reason:
        outcome, why = "skipped", str(reason)
    except Exception as error:  # pylint: disable=broad-except
        outcome = "failed"
        # The way from the case to the failure; the frames below it belong to the standard library.
        frames = [f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}: {frame.line}"
                  for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(HERE)]
        why = "\n".join([f"{type(error).__name__}: {error}", *frames[1:]]).replace("\n", "\n    ")
    print(f"{outcome:8} {time.monotonic() - started:6.1f} s  {function.__name__}" + (f": {why}" if why else ""), flush=True)
    return outcome, why


def main():
    global work
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", help="run these cases only")
    parser.add_argument("--keep", action="store_true", help="keep the recordings and say where they are")
    arguments = parser.parse_args()
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    unknown = set(arguments.cases) - {function.__name__ for function in _cases}
    if unknown:
        sys.exit(f"{name}: no such case: {', '.join(sorted(unknown))}")

    work = tempfile.mkdtemp(prefix="warmtrace-live-")
    os.chmod(work, 0o755)
    if arguments.keep:
        print(f"recordings are kept in {work}")
    else:
        atexit.register(shutil.rmtree, work, ignore_errors=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    reason = machine_reason()
    outcomes = {}
    for function in _cases:
        if arguments.cases and function.__name__ not in arguments.cases:
            continue
        outcomes[function.__name__] = ("skipped", reason) if reason else run_case(function)
    if reason:
        print(f"skipped: {reason}")
    os.makedirs(RESULTS, exist_ok=True)
    if not arguments.cases:
        with open(os.path.join(RESULTS, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump({case_name: outcome for case_name, (outcome, _) in outcomes.items()}, file)
    kinds = [outcome for outcome, _ in outcomes.values()]
    print(f"{name}: {kinds.count('passed')} passed, {kinds.count('failed')} failed, {kinds.count('skipped')} skipped")
    if "failed" in kinds:
        sys.exit(1)
    sys.exit(77 if kinds and "passed" not in kinds else 0)
