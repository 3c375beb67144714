#!/usr/bin/env python3
"""A small HTTP/1.1 server in Python whose first request is slow: it imports modules, opens files and raises exceptions.

    http_server.py PORT        PORT 0: any free one

Prints one JSON line on standard output when it listens, and one per response with what it measured itself.
GET /health leaves the first request's work alone; /missing is answered with 404.
"""

import http.server
import importlib
import json
import signal
import sys
import threading
import time

# Pure Python and of some size, and not imported by http.server: each is looked up, read and compiled or unmarshalled.
MODULES = ("decimal", "sqlite3", "xml.dom.minidom", "asyncio", "unittest", "difflib", "tarfile", "zipfile", "logging.config")
ABSENT_MODULES = 7
OPENS = 11


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The answer's head and body are two writes; without this the second waits 40 ms for the client's acknowledgement.
    disable_nagle_algorithm = True

    lock = threading.Lock()
    first_done = False
    requests = 0

    def do_GET(self):
        read_ns = time.monotonic_ns()
        first = False
        status = 404 if self.path == "/missing" else 200
        with Handler.lock:
            Handler.requests += 1
            number = Handler.requests
            if status == 200 and self.path != "/health" and not Handler.first_done:
                first = Handler.first_done = True
                first_request_work()
        body = json.dumps({"path": self.path, "rows": list(range(100))}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        end_ns = time.monotonic_ns()
        report({"request": number, "method": self.command, "status": status, "first": first, "read_ns": read_ns,
                "end_ns": end_ns, "latency_us": (end_ns - read_ns) // 1000})

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


def first_request_work():
    for name in MODULES:
        importlib.import_module(name)
    for i in range(ABSENT_MODULES):
        try:
            importlib.import_module(f"absent_module_{i}")
        except ImportError:
            pass
    for _ in range(OPENS):
        with open(__file__, "rb") as file:
            file.read()


def report(line):
    print(json.dumps(line), flush=True)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    # Not from the handler: shutdown() waits for the loop that the signal interrupts.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    report({"listening": server.server_address[1], "listen_ns": time.monotonic_ns()})
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
