"""What is wrong from outside: each is one line on standard error (and a hint), the right exit status, and nothing lost that was
recorded."""

import os
import shutil
import socket

from harness import (WARMTRACE, case, folder, free_port, java, java_home, java_workload, main, program, recording_status, run_quietly,
                     skip, trace, warmtrace, workload)


def one_line(run, status, *words):
    lines = run.stderr.strip().splitlines()
    assert run.returncode == status, f"status {run.returncode}, expected {status}: {run.stderr}"
    assert lines and lines[0].startswith("warmtrace: "), run.stderr
    assert len(lines) == 1 or len(lines) == 2 and lines[1].startswith("warmtrace: hint: "), f"more than a line and a hint:\n{run.stderr}"
    for word in words:
        assert word in lines[0], f"{word!r} is not in: {lines[0]}"
    return lines


@case
def port_held_by_another():
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        place = folder()
        run = warmtrace("-o", f"{place}/x.wtr", "-r", f"http://127.0.0.1:{port}/", "--", workload("http_server"), str(port))
        one_line(run, 125, str(port), str(os.getpid()))
        assert not os.path.exists(f"{place}/x.wtr"), "a recording of nothing"


@case
def port_that_never_listens():
    port = free_port()
    run = trace(["sleep", "30"], "--ready-timeout", "1", urls=[f"http://127.0.0.1:{port}/"], status=124)
    assert "listened" in run.err, run.err
    assert run.report["run"]["exit"]["by_us"], run.report["run"]
    assert not run.report.get("requests"), run.report["requests"]


@case
def dies_before_the_first_request():
    port = free_port()
    run = trace(["sh", "-c", "cat /etc/hostname >/dev/null; exit 7"], urls=[f"http://127.0.0.1:{port}/"], status=7)
    assert run.report["run"]["exit"] == {**run.report["run"]["exit"], "kind": "exit", "code": 7, "by_us": False}
    assert any(row["path"] == "/etc/hostname" for row in run.report["files"])


@case
def dies_in_the_first_request():
    port = free_port()
    run = trace([workload("http_server"), str(port), "--die-at", "1"], urls=[f"http://127.0.0.1:{port}/x"], status=134)
    assert run.report["run"]["exit"]["kind"] == "signal" and run.report["run"]["exit"]["code"] == 6, run.report["run"]


@case
def dies_in_a_warm_request():
    """What was seen until then is reported."""
    port = free_port()
    run = trace([workload("http_server"), str(port), "--die-at", "6"], urls=[f"http://127.0.0.1:{port}/x"], status=134)
    assert len(run.requests("GET /x")) == 5, len(run.requests())
    assert run.cold("GET /x")["status"] == 200


@case
def nobody_there_to_answer():
    """Listens, and closes each connection without a word."""
    script = ("import socket\ns = socket.create_server(('127.0.0.1', PORT))\n"
              "while True:\n    c, _ = s.accept(); c.recv(1000); c.close()\n")
    port = free_port()
    run = trace([program("python3"), "-c", script.replace("PORT", str(port))], urls=[f"http://127.0.0.1:{port}/"], status=124)
    assert "no request was answered" in run.err, run.err


@case
def unwritable_output():
    run = warmtrace("-o", "/nonexistent/folder/x.wtr", "--", "true")
    one_line(run, 125, "/nonexistent/folder")
    run = warmtrace("-o", folder(), "--", "true")
    one_line(run, 125)
    place = folder()
    run = warmtrace("-o", f"{place}/x.wtr", "--report", "/nonexistent/r.json", "--", "true")
    assert run.returncode == 125 and "/nonexistent/r.json" in run.stderr, run.stderr
    # The report is lost, the recording is not.
    assert recording_status(f"{place}/x.wtr")["is_ended"]


@case
def output_through_a_link():
    """Somebody else's link where the recording goes: what it points to stays as it is."""
    place = folder()
    with open(f"{place}/precious", "w", encoding="ascii") as file:
        file.write("precious")
    os.symlink(f"{place}/precious", f"{place}/x.wtr")
    run = warmtrace("-o", f"{place}/x.wtr", "--report", f"{place}/r", "--", "true")
    with open(f"{place}/precious", encoding="ascii") as file:
        assert file.read() == "precious", run.stderr


@case
def full_disk():
    """The recording fits only in part: the command runs on, what was written can be read, the report says what is missing."""
    place = folder()
    if run_quietly(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place]).returncode != 0:
        skip("cannot mount a small file system")
    try:
        script = "import os\nfor i in range(200000): os.close(os.open('/etc/hostname', os.O_RDONLY)); os.path.exists('/etc/%d' % i)\nprint('done')\n"
        run = warmtrace("-o", f"{place}/x.wtr", "--report", "/dev/null", "--", program("python3"), "-c", script)
        assert run.stdout == "done\n", run
        assert run.returncode in (0, 125), run
        assert "space" in run.stderr.lower(), run.stderr
        assert recording_status(f"{place}/x.wtr")["events"] > 0
    finally:
        run_quietly(["umount", place])


@case
def foreign_and_damaged_files():
    place = folder()
    good = f"{place}/good.wtr"
    warmtrace("-q", "-o", good, "--report", "/dev/null", "--", workload("known_files"), f"{place}/files")
    with open(good, "rb") as file:
        whole = file.read()
    for name, data, status in (("empty", b"", 125), ("text", b"not a recording\n" * 100, 125), ("head", whole[:20], 125)):
        with open(f"{place}/{name}", "wb") as file:
            file.write(data)
        one_line(warmtrace("report", f"{place}/{name}"), status, name)
    one_line(warmtrace("report", f"{place}/absent"), 125, "absent")
    one_line(warmtrace("report", place), 125)
    # Cut anywhere behind its head: readable up to the last whole frame, and said so.
    for share in (0.5, 0.9):
        with open(f"{place}/cut.wtr", "wb") as file:
            file.write(whole[:int(len(whole) * share)])
        run = warmtrace("report", "-f", "json", f"{place}/cut.wtr")
        if run.returncode == 125:
            one_line(run, 125, "cut.wtr")
            continue
        assert run.returncode == 0, run.stderr
        assert "cut" in run.stdout, "nothing says that the file was cut"
    for at in range(100, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x55
        with open(f"{place}/damaged.wtr", "wb") as file:
            file.write(damaged)
        run = warmtrace("report", "-f", "json", f"{place}/damaged.wtr")
        assert run.returncode in (0, 125), f"byte {at}: status {run.returncode}: {run.stderr}"


@case
def corrupted_jar():
    """On the class path: what the JVM makes of it is the JVM's; the report is there."""
    place = folder()
    with open(java_workload("known-java.jar"), "rb") as file:
        whole = file.read()
    variants = {"cut": whole[:len(whole) // 2], "empty": b"", "noise": bytes(range(256)) * 64,
                "middle": whole[:1000] + b"\xff" * 200 + whole[1200:]}
    for name, data in variants.items():
        path = f"{place}/{name}.jar"
        with open(path, "wb") as file:
            file.write(data)
        command = [java(17), "-cp", f"{path}:{java_workload('known-java.jar')}", "KnownExceptions"]
        alone = run_quietly(command)
        run = trace(command, status=alone.returncode if alone.returncode >= 0 else 128 - alone.returncode)
        assert run.out == alone.stdout, name
        assert any(row["path"] == path for row in run.report["files"]), name


@case
def docker_run_is_advised():
    """The daemon would start the program: said, and what to do instead; the command runs all the same."""
    place = folder()
    fake = f"{place}/docker"
    with open(fake, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho ran \"$@\"\nexit 3\n")
    os.chmod(fake, 0o755)
    run = warmtrace("-o", f"{place}/x.wtr", "--report", f"{place}/r", "--", fake, "run", "some/image")
    assert run.returncode == 3 and run.stdout == "ran run some/image\n", run
    assert "daemon" in run.stderr and "attach --wait-for" in run.stderr, run.stderr


@case
def tracefs_not_mounted():
    """In a mount namespace without it."""
    unshare = program("unshare")
    script = ("umount -l /sys/kernel/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null; "
              "test ! -e /sys/kernel/tracing/events || exit 99; "
              f"exec {WARMTRACE} -o {folder()}/x.wtr -f json --report {folder()}/r -- {workload('known_files')}")
    run = run_quietly([unshare, "-m", "sh", "-c", script])
    if run.returncode == 99:
        skip("tracefs cannot be unmounted here")
    assert run.returncode == 0, run.stderr


@case
def no_such_java_option():
    """The VM ends before main; its status is the command's."""
    run = trace([java(17), "-XX:+NoSuchOption", "-version"], status=1)
    assert run.report["run"]["exit"]["code"] == 1


@case
def jdk_without_notes():
    """A libjvm whose static probe points were removed: class loading is not observed, with a reason, and the rest is there."""
    if not shutil.which("objcopy"):
        skip("no objcopy here")
    home = f"{folder()}/jdk"
    run_quietly(["cp", "-a", os.path.realpath(java_home(17)), home])
    library = f"{home}/lib/server/libjvm.so"
    if run_quietly(["objcopy", "--remove-section", ".note.stapsdt", library]).returncode != 0:
        skip("objcopy cannot change this libjvm")
    run = trace([f"{home}/bin/java", "-Xshare:off", "-cp", java_workload("known-java.jar"), "KnownExceptions"])
    assert run.report["observed"]["class_loading"] in ("no", "partly"), run.report["observed"]
    assert run.report["not_observed_why"]["class_loading"], run.report["not_observed_why"]
    assert run.report.get("classes", {}).get("loaded") is None, "not observed is shown as a number"
    own = sum(row["count"] for row in run.report["exceptions"] if row["class"] == "KnownExceptions$OwnException")
    assert own == 212, own


@case
def redirects_and_errors_are_answers():
    """5xx and 3xx too; redirects are not followed."""
    script = ("import http.server, sys\n"
              "class H(http.server.BaseHTTPRequestHandler):\n"
              "    protocol_version = 'HTTP/1.1'\n"
              "    def do_GET(self):\n"
              "        self.send_response(int(self.path[1:])); self.send_header('Location', '/200'); self.send_header('Content-Length', '0'); self.end_headers()\n"
              "    def log_message(self, *a): pass\n"
              "http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), H).serve_forever()\n")
    port = free_port()
    run = trace([program("python3"), "-c", script, str(port)], "-n", "2", urls=[f"http://127.0.0.1:{port}/{code}" for code in (302, 503)])
    assert {request["route"]: request["status"] for request in run.requests()} == {"GET /302": 302, "GET /503": 503}


main()
