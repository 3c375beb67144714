"""The tree: programs executed, processes and threads started, children of the JVM, other pid namespaces, outbound connections."""

import json
import os
import re
import socket
import sys
import threading

from harness import (ENVIRONMENT, WARMTRACE, case, folder, free_port, java, java_workload, main, program, run_quietly, skip, trace,
                     workload)


@case
def execs_and_forks():
    run = trace([workload("process_tree.sh")])
    truth = run.json_lines()[0]
    execs = run.events("exec")
    forks = [event for event in run.events("fork") if event["child_pid"] != event["pid"]]
    assert len(execs) == truth["execs"] == 13, [event["tail"] for event in execs]
    assert len(forks) == truth["forks"] == 10, len(forks)
    last = [event for event in run.events("exit") if event["is_last_thread"]]
    assert len(last) == truth["forks"] + 1, len(last)
    names = sorted(os.path.basename(event["tail"].rstrip("\0")) for event in execs)
    assert names.count("true") == 7 and names.count("cat") == 1 and names.count("env") == 1, names


@case
def shortest_programs():
    """Over before anything could be attached to them, but for the gate."""
    for command in (["/bin/true"], [java(17), "-version"], [java(25), "-version"]):
        run = trace(command)
        assert run.milestone("exec") == 0 and run.milestone("exit") > 0
        assert run.events("exec") and run.events("file_open")
        if "java" in command[0]:
            assert run.milestone("vm_created"), run.report["milestones"]
            assert run.count("classes_loaded") > 300, run.count("classes_loaded")


@case
def threads_and_their_names():
    script = ("import threading, time\n"
              "def work(): time.sleep(0.2)\n"
              "threads = [threading.Thread(target=work) for _ in range(7)]\n"
              "[t.start() for t in threads]; [t.join() for t in threads]\n")
    run = trace([os.path.realpath(sys.executable), "-c", script])
    assert run.count("threads_started") == 7, run.count("threads_started")
    assert len(run.report["threads"]) == 8, run.report["threads"]
    for thread in run.report["threads"]:
        assert thread["name"], thread
        assert thread["ended_ns"] is None or thread["ended_ns"] >= thread["created_ns"], thread


@case
def java_thread_names():
    """Java's own names, longer than the kernel keeps them."""
    run = trace([java(25), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    names = {thread["name"] for thread in run.report["threads"]}
    assert {"Reference Handler", "Signal Dispatcher", "Common-Cleaner", "Monitor Deflation Thread"} <= names, sorted(names)
    roles = {thread["role"] for thread in run.report["threads"]}
    assert {"main", "c1", "c2", "gc", "vm"} <= roles, roles


@case
def child_of_a_jvm():
    """ProcessBuilder: by jspawnhelper, whose opens and the child's are not the JVM's."""
    source, place = "Spawn.java", folder()
    if not os.path.exists(os.path.join(os.path.dirname(java(17)), "javac")):
        skip("no javac here")
    with open(f"{place}/{source}", "w", encoding="ascii") as file:
        file.write("public class Spawn { public static void main(String[] a) throws Exception {\n"
                   "  System.exit(new ProcessBuilder(\"/bin/sh\", \"-c\", \"cat /etc/hostname >/dev/null; exit 5\").start().waitFor()); } }\n")
    done = run_quietly([os.path.join(os.path.dirname(java(17)), "javac"), "-d", place, f"{place}/{source}"])
    assert done.returncode == 0, done.stderr
    for version in (17, 25):
        run = trace([java(version), "-cp", place, "Spawn"], status=5)
        programs = [os.path.basename(event["tail"].rstrip("\0")) for event in run.events("exec")]
        assert "jspawnhelper" in programs and "sh" in programs and "cat" in programs, programs
        jvm = run.report["run"]["pid"]
        hostname = [event for event in run.events("file_open") if event["tail"].startswith("/etc/hostname\0")]
        assert len(hostname) == 1 and hostname[0]["pid"] != jvm, hostname


@case
def jvm_below_a_jvm():
    """Each is held and probed on its own."""
    place = folder()
    javac = os.path.join(os.path.dirname(java(17)), "javac")
    if not os.path.exists(javac):
        skip("no javac here")
    with open(f"{place}/Outer.java", "w", encoding="ascii") as file:
        file.write("public class Outer { public static void main(String[] a) throws Exception {\n"
                   "  System.exit(new ProcessBuilder(a).inheritIO().start().waitFor()); } }\n")
    assert run_quietly([javac, "-d", place, f"{place}/Outer.java"]).returncode == 0
    run = trace([java(17), "-cp", place, "Outer", java(25), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    own = [event for event in run.events("exception") if event["tail"].rstrip("\0") == "KnownExceptions$OwnException"]
    assert sum(event["count"] for event in own) == 212, len(own)
    assert {event["pid"] for event in own} != {run.report["run"]["pid"]}


@case
def other_pid_namespace():
    """The command sees itself as process 2 or so; we see it as the host does."""
    unshare = program("unshare")
    run = trace([unshare, "-pf", "--mount-proc", java(17), "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    own = sum(row["count"] for row in run.report["exceptions"] if row["class"] == "KnownExceptions$OwnException")
    assert own == 212, own


@case
def warmtrace_in_a_pid_namespace():
    place = folder()
    run = run_quietly([program("unshare"), "-pf", "--mount-proc", WARMTRACE, "-o", f"{place}/x.wtr", "-f", "json", "--report", f"{place}/r.json",
                       "--", workload("known_throws")], env=ENVIRONMENT)
    if run.returncode == 125:
        # Said in one line is right too: what must not be is a report of nothing.
        assert run.stderr.startswith("warmtrace: "), run.stderr
        return
    with open(f"{place}/r.json", encoding="utf-8") as file:
        report = json.load(file)
    assert sum(row["count"] for row in report["exceptions"]) == 37, report["exceptions"]


@case
def outbound_connections():
    """Eleven connections to one peer outside the tree, three that are refused."""
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    port, closed = server.getsockname()[1], free_port()

    def serve():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            connection.sendall(b"x" * 100)
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    script = ("import socket\n"
              f"for i in range(11):\n    c = socket.create_connection(('127.0.0.1', {port})); c.sendall(b'y' * 10); c.recv(1000); c.close()\n"
              f"for i in range(3):\n    try: socket.create_connection(('127.0.0.1', {closed}))\n    except OSError: pass\n")
    try:
        run = trace([program("python3"), "-c", script])
    finally:
        server.close()
    rows = {row["peer"]: row for row in run.report["connections"]}
    there = next(row for peer, row in rows.items() if peer.endswith(f":{port}"))
    refused = next(row for peer, row in rows.items() if peer.endswith(f":{closed}"))
    assert (there["connects"], there["failed"], there["bytes_in"], there["bytes_out"]) == (11, 0, 1100, 110), there
    assert (refused["connects"], refused["failed"]) == (3, 3), refused
    assert re.match(r"127\.0\.0\.1:\d+$", there["peer"]), there


main()
