"""Request windows come from the server's sockets alone: whoever the client is, however the connection is used."""

import socket
import ssl
import subprocess
import sys
import threading
import time

from harness import case, curl, demo_jar, folder, free_port, java, main, program, start, trace, workload

HTTP_SERVER = "http_server"
WORK_MS = 30  # what the server's first request burns
DELAY_MS = 20  # and how long it sleeps


def passive(port, send, requests, *options, program_name=HTTP_SERVER):
    """A run in which others send: `send` is called when the server is ready; ends after `requests` of them."""
    running = start([workload(program_name), str(port), "--burn-ms", str(WORK_MS), "--first-delay-ms", str(DELAY_MS), *options],
                    "--requests", str(requests))
    running.wait_for_err(f"ready on port {port}")
    send()
    return running.finish()


def exchange(connection, text):
    """One request on an open connection; reads until its Content-Length is there."""
    connection.sendall(text)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += connection.recv(65536)
    return answer


def truth_of_first(run):
    return next(row for row in run.json_lines() if row.get("first"))


def check_window(run, route):
    """The window on the clock of the server, which notes when its read had returned and when its write had: the window begins
    before the one, and ends before the other, which the server may notice late."""
    truth = truth_of_first(run)
    cold = run.cold(route)
    exec_ns = run.events("exec")[0]["time_ns"]
    start_ns = exec_ns + cold["start_ns"]
    assert not cold["start_estimated"], cold
    assert start_ns <= truth["read_ns"], (start_ns, truth)
    assert start_ns + cold["latency_ns"] <= truth["end_ns"], (start_ns + cold["latency_ns"], truth)
    assert cold["latency_ns"] >= (WORK_MS + DELAY_MS) * 1_000_000, cold["latency_ns"]
    return cold, truth


@case
def active_equals_passive():
    """The same server and request sent by --request, and by curl on a fresh connection after two health probes: each window
    begins at the arrival and ends with the write that the server notes, within a millisecond of what the client saw."""
    port = free_port()
    active = trace([workload(HTTP_SERVER), str(port), "--burn-ms", str(WORK_MS), "--first-delay-ms", str(DELAY_MS)], "-n", "3",
                   urls=[f"http://127.0.0.1:{port}/work"])
    cold, _ = check_window(active, "GET /work")
    assert cold["client_latency_ns"] >= cold["latency_ns"], cold

    port = free_port()

    def health_then_work():
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port)):
                pass
        curl(f"http://127.0.0.1:{port}/work")
        curl(f"http://127.0.0.1:{port}/work")

    check_window(passive(port, health_then_work, 2), "GET /work")


@case
def reused_connection():
    port = free_port()

    def send():
        with socket.create_connection(("127.0.0.1", port)) as connection:
            for _ in range(5):
                exchange(connection, b"GET /again HTTP/1.1\r\nHost: here\r\n\r\n")

    run = passive(port, send, 5)
    assert len(run.requests("GET /again")) == 5, run.report["routes"]
    assert [request["cold"] for request in run.requests("GET /again")] == [True] + [False] * 4


@case
def client_agrees():
    """warmtrace's own client waits at least as long as the server's window, and hardly longer."""
    port = free_port()
    run = trace([workload(HTTP_SERVER), str(port), "--burn-ms", str(WORK_MS)], "-n", "2", urls=[f"http://127.0.0.1:{port}/"])
    for request in run.requests("GET /"):
        assert request["client_latency_ns"] >= request["latency_ns"] - 1_000_000, request
        assert request["client"]["wait_ns"] <= request["client_latency_ns"], request["client"]


@case
def pipelined():
    port = free_port()

    def send():
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET /one HTTP/1.1\r\nHost: h\r\n\r\nGET /two HTTP/1.1\r\nHost: h\r\n\r\n"
                               b"GET /three HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            while connection.recv(65536):
                pass

    run = passive(port, send, 3)
    routes = [request["route"] for request in run.requests()]
    assert routes == ["GET /one", "GET /two", "GET /three"], routes
    one, two, three = run.requests()
    assert two["start_ns"] >= one["start_ns"] + one["latency_ns"], (one, two)
    assert three["start_ns"] >= two["start_ns"] + two["latency_ns"]


@case
def several_at_once():
    port = free_port()

    def send():
        threads = [threading.Thread(target=curl, args=(f"http://127.0.0.1:{port}/c{i}",)) for i in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    run = passive(port, send, 7)
    assert sorted(request["route"] for request in run.requests()) == [f"GET /c{i}" for i in range(7)]


@case
def chunked_head_and_body():
    port = free_port()
    running = start([workload(HTTP_SERVER), str(port), "--chunked"], "--requests", "4")
    running.wait_for_err(f"ready on port {port}")
    curl(f"http://127.0.0.1:{port}/chunks")
    curl(f"http://127.0.0.1:{port}/chunks", "-I")
    curl(f"http://127.0.0.1:{port}/post", "-d", "x" * 5000)
    curl(f"http://127.0.0.1:{port}/close", "-H", "Connection: close")
    run = running.finish()
    assert [request["route"] for request in run.requests()] == ["GET /chunks", "HEAD /chunks", "POST /post", "GET /close"]
    assert all(request["status"] == 200 for request in run.requests()), run.requests()


@case
def split_head():
    """A head that comes in several segments: the request began with the first."""
    port = free_port()
    pause = 0.05

    def send():
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in (b"GET /sp", b"lit HTTP/1.1\r\nHo", b"st: h\r\n\r\n"):
                connection.sendall(part)
                time.sleep(pause)
            connection.recv(65536)

    run = passive(port, send, 1)
    cold = run.cold("GET /split")
    assert cold["latency_ns"] >= 2 * pause * 1e9, cold["latency_ns"]


@case
def static_program():
    port = free_port()
    run = trace([workload("http_server_static"), str(port), "--burn-ms", str(WORK_MS), "--first-delay-ms", str(DELAY_MS)], "-n", "3",
                urls=[f"http://127.0.0.1:{port}/"])
    check_window(run, "GET /")
    assert run.report["runtime"]["kind"] in ("native", "other"), run.report["runtime"]
    assert run.report["observed"].get("exceptions", "no") == "no" or "exceptions" not in run.report, run.report["observed"]


@case
def python_server():
    port = free_port()
    run = trace([sys.executable, workload("http_server.py"), str(port)], "-n", "3", urls=[f"http://127.0.0.1:{port}/"],
                timeout=180)
    assert run.cold("GET /")["status"] == 200


@case
def nginx():
    """A real server with a master and a worker, from Debian."""
    port, place = free_port(), folder()
    configuration = f"{place}/nginx.conf"
    with open(configuration, "w", encoding="ascii") as file:
        file.write(f"daemon off; master_process on; worker_processes 1; pid {place}/pid; error_log {place}/error.log;\n"
                   f"events {{}}\nhttp {{ access_log off; server {{ listen 127.0.0.1:{port}; root {place}; gzip off; "
                   "location / { return 200 'hello'; } } }\n")
    run = trace([program("nginx"), "-c", configuration], "-n", "5", urls=[f"http://127.0.0.1:{port}/x"], status=None)
    cold = run.cold("GET /x")
    assert cold["status"] == 200 and len(run.requests("GET /x")) == 6, run.report["routes"]
    assert run.report["run"]["main_pid"] != run.report["run"]["pid"], "the worker wrote the response"


@case
def tls_is_opaque():
    port, place = free_port(), folder()
    subprocess.run([program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", f"{place}/key.pem", "-out", f"{place}/cert.pem"], check=True, capture_output=True)
    running = start([program("openssl"), "s_server", "-accept", f"127.0.0.1:{port}", "-key", f"{place}/key.pem", "-cert",
                     f"{place}/cert.pem", "-www", "-quiet"], "--requests", "1")
    running.wait_for_err(f"ready on port {port}")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port)) as plain, context.wrap_socket(plain) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        while connection.recv(65536):
            pass
    run = running.finish()
    assert run.requests(), "no opaque request"
    assert all(request["protocol"] == "opaque" for request in run.requests()), run.requests()


@case
def demo():
    """The quickstart's server: a nested jar behind a class loader of its own."""
    port = free_port()
    run = trace([java(17), "-jar", demo_jar(), str(port)], urls=[f"http://127.0.0.1:{port}/api/report"], status=None)
    row = run.report["cold_vs_warm"][0]
    assert row["warm_count"] == 20 and row["cold_ns"] > 5 * row["warm_ns"], row
    absent = sum(row["count"] for row in run.report["exceptions"]
                 if row["class"] == "java.lang.ClassNotFoundException" and row["phase"] == "first_request")
    assert absent >= 290, absent


@case
def javac_serves_nothing():
    place = folder()
    with open(f"{place}/Hello.java", "w", encoding="ascii") as file:
        file.write("class Hello { public static void main(String[] a) { System.out.println(1); } }\n")
    run = trace([java(17), "-version"])
    assert not run.requests() and run.milestone("vm_created") is not None
    run = trace([program("javac"), "-d", place, f"{place}/Hello.java"])
    assert not run.requests() and run.count("classes_loaded") > 500, run.count("classes_loaded")


main()
