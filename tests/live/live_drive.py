"""How requests are sent: several, in bursts, with bodies, by a load generator, by others."""

import os
import pty
import subprocess
import threading

from harness import ENVIRONMENT, WARMTRACE, case, curl, folder, free_port, main, program, start, trace, warmtrace, workload


def server(*options, port=None):
    port = port or free_port()
    return port, [workload("http_server"), str(port), *options]


@case
def several_in_rounds():
    """Each once in the given order, then rounds of all of them."""
    port, command = server()
    base = f"http://127.0.0.1:{port}"
    run = trace(command, "-n", "3", urls=[f"{base}/b", f"{base}/a", f"{base}/missing"])
    routes = [request["route"] for request in sorted(run.requests(), key=lambda request: request["start_ns"])]
    assert routes == ["GET /b", "GET /a", "GET /missing"] * 4, routes
    assert [request["cold"] for request in sorted(run.requests(), key=lambda request: request["start_ns"])] == [True] * 3 + [False] * 9
    assert run.cold("GET /missing")["status"] == 404
    assert [row["route"] for row in run.report["cold_vs_warm"]] == ["GET /b", "GET /a", "GET /missing"]
    # First on a new connection, then kept alive.
    assert len({event["peer_port"] for event in run.events("socket_accept")}) == 1, run.events("socket_accept")


@case
def method_header_and_body():
    port, command = server()
    base = f"http://127.0.0.1:{port}"
    arguments = ["-n", "2", "-H", "X-Every: 1", "-r", f"{base}/put", "-X", "PUT", "-d", "abc", "-H", "X-Own: 2", "-r", f"{base}/post", "-d", "a=1",
                 "-d", "b=2", "-r", f"{base}/head", "-X", "HEAD", "-r", f"{base}/get"]
    run = trace(command, *arguments)
    assert {request["route"] for request in run.requests()} == {"PUT /put", "POST /post", "HEAD /head", "GET /get"}, run.requests()
    assert all(request["status"] == 200 for request in run.requests())
    assert len(run.requests()) == 4 * 3


@case
def first_burst():
    """Five first requests at once: all are cold, and the table's cold one is the first to arrive."""
    port, command = server("--first-delay-ms", "100")
    run = trace(command, "-n", "4", "-c", "5", urls=[f"http://127.0.0.1:{port}/x"])
    cold = [request for request in run.requests("GET /x") if request["cold"]]
    assert len(cold) == 5, [(request["cold"], request["start_ns"]) for request in run.requests()]
    first = min(cold, key=lambda request: request["start_ns"])
    assert run.report["cold_vs_warm"][0]["cold_ns"] == first["latency_ns"]
    assert first["latency_ns"] >= 100_000_000, first["latency_ns"]
    assert all(request["shared"] for request in cold), [request["shared"] for request in cold]
    assert len(run.requests("GET /x")) == 9
    burst = run.report["burst"]
    assert burst["requests"] == len(burst["members"]) == 5, burst
    assert {member["request"] for member in burst["members"]} == {request["index"] for request in cold}, burst
    assert burst["longest_ns"] == max(request["latency_ns"] for request in cold), burst
    for member in burst["members"]:
        assert member["waited_ns"] == sum(wait["waited_ns"] for wait in member["waited_for"]), member
    assert burst["waited_ns"] == sum(member["awaited_ns"] for member in burst["members"]), burst


@case
def load_generator():
    """Somebody else's script drives; the run ends with it."""
    port, command = server()
    load = f"for i in 1 2 3 4 5 6 7; do {program('curl')} -s http://127.0.0.1:{port}/load >/dev/null; done"
    run = trace(command, "--load", load)
    assert len(run.requests("GET /load")) == 7, len(run.requests())
    assert run.report["run"]["exit"]["by_us"]
    assert not any(request.get("client_latency_ns") for request in run.requests())


@case
def load_after_requests():
    port, command = server()
    load = f"{program('curl')} -s http://127.0.0.1:{port}/load >/dev/null"
    run = trace(command, "-n", "2", "--load", load, urls=[f"http://127.0.0.1:{port}/own"])
    assert len(run.requests("GET /own")) == 3 and len(run.requests("GET /load")) == 1, run.requests()


@case
def others_send():
    """Without -r and --load: a line when it is ready, one for each first request of a route, the end after N."""
    port, command = server()
    running = start(command, "--requests", "5")
    running.wait_for_err(rf"ready .*{port}")
    for path in ("/one", "/one", "/two", "/missing", "/one"):
        curl(f"http://127.0.0.1:{port}{path}")
    run = running.finish()
    assert run.status == 0, run.status
    assert len(run.requests("GET /one")) == 3 and len(run.requests()) == 5
    for route in ("GET /one", "GET /two", "GET /missing"):
        assert run.err.count(f"first {route}:") == 1, run.err


@case
def no_warm_rounds():
    port, command = server()
    run = trace(command, "-n", "0", urls=[f"http://127.0.0.1:{port}/x"])
    assert len(run.requests()) == 1 and run.cold("GET /x")


@case
def slow_to_listen_and_to_accept():
    """Ready is the first wait for a connection, not listen()."""
    port, command = server("--listen-delay-ms", "150", "--accept-delay-ms", "200")
    run = trace(command, "-n", "3", urls=[f"http://127.0.0.1:{port}/x"])
    listening, ready = run.milestone("listening"), run.milestone("ready")
    assert listening >= 150_000_000, listening
    assert 200_000_000 <= ready - listening <= 300_000_000, (listening, ready)
    assert run.milestone("first_arrival") > ready


@case
def time_out_of_a_request():
    port, command = server("--first-delay-ms", "3000")
    run = trace(command, "--request-timeout", "1", "-n", "1", urls=[f"http://127.0.0.1:{port}/x"], status=None)
    assert run.status in (0, 124), run.status
    assert "not answered" in run.err, run.err


@case
def samples_are_dense_in_requests():
    """The timer's period changes where a request arrives."""
    port, command = server("--touch", "60000")
    run = trace(command, "-n", "3", urls=[f"http://127.0.0.1:{port}/x"])
    arrival_ns = min(event["time_ns"] for event in run.events("socket_arrival"))
    samples = run.events("sample")
    assert {sample["period_ns"] for sample in samples} <= {1_000_000, 10_000_000}, samples
    assert all(sample["period_ns"] == 10_000_000 for sample in samples if sample["time_ns"] < arrival_ns), samples
    assert any(sample["period_ns"] == 1_000_000 for sample in samples), samples


@case
def overhead_measured():
    """With the same command without probes: twice, and the requests again where there are any."""
    runs = os.path.join(folder(), "runs")
    count = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
    run = trace(["/bin/sh", "-c", f"echo >> {runs}; {count}"], "--measure-overhead")
    with open(runs, "rb") as file:
        assert len(file.read()) == 3
    assert 0.3 < run.report["overhead"]["measured_ratio"] < 3, run.report["overhead"]
    assert run.report["overhead"]["estimated_ns"] > 0, run.report["overhead"]
    port, command = server()
    run = trace(command, "--measure-overhead", "-n", "2", urls=[f"http://127.0.0.1:{port}/x"])
    assert run.report["overhead"]["measured_ratio"] > 0, run.report["overhead"]


@case
def report_later_is_the_same():
    """Offline equals live: the same bytes from the file."""
    port, command = server("--touch", "33")
    running = start(command, "-n", "3", urls=[f"http://127.0.0.1:{port}/x"])
    run = running.finish()
    again = os.path.join(folder(), "again.json")
    for _ in range(2):
        assert warmtrace("report", "--format=json", "--report", again, run.recording).returncode == 0
        with open(again, "rb") as later, open(running.report_path, "rb") as live:
            assert later.read() == live.read()


def on_a_terminal(*arguments):
    """What a run writes to standard error, where that is a terminal of its own."""
    master, slave = pty.openpty()
    out = []

    def read():
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:
                return
            if not data:
                return
            out.append(data)

    with subprocess.Popen([WARMTRACE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, cwd=folder(),
                          env={**ENVIRONMENT, "TERM": "xterm"}) as process:
        os.close(slave)
        reader = threading.Thread(target=read)
        reader.start()
        assert process.wait(60) == 0, b"".join(out)
    reader.join()
    os.close(master)
    return b"".join(out).decode()


@case
def progress_on_a_terminal():
    """One line that is written over, with stage, time, events and requests; nothing of it remains, and none of it in a file."""
    port, command = server("--first-delay-ms", "700")
    arguments = ["--report", "/dev/null", "--command-output", "log", "-n", "1", "-r", f"http://127.0.0.1:{port}/x", "--", *command]
    text = on_a_terminal(*arguments)
    rows = [row.split("\r\x1b[K") for row in text.split("\r\n")]
    written = [part for row in rows for part in row if "events" in part]
    assert any(part.startswith("warmtrace: first requests, 0.") and part.endswith("requests") for part in written), text
    # What is left of each row when the next begins.
    assert not any("events" in row[-1] for row in rows), text
    assert any("first GET /x: 200" in row[-1] for row in rows), text
    run = warmtrace(*arguments, cwd=folder())
    assert run.returncode == 0 and "events" not in run.stderr and "first GET /x" in run.stderr, run.stderr
    assert "events" not in on_a_terminal("-q", *arguments)


main()
