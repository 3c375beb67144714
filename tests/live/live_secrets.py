"""Secrets never get into a recording, and the file is for its owner only (design.md section 8)."""

import os
import subprocess

from harness import BUILD, ENVIRONMENT, WARMTRACE, case, folder, free_port, main, program, run_quietly, trace, workload

MARK = "s3cretMark"


def all_bytes(recording):
    """The recording and everything in it, unpacked."""
    tool = os.path.join(BUILD, "tests/tools/recording_events")
    text = subprocess.run([tool, recording], stdout=subprocess.PIPE, check=True).stdout
    with open(recording, "rb") as file:
        return text + file.read()


def assert_absent(run, *marks):
    everything = all_bytes(run.recording)
    report = str(run.report).encode()
    for mark in marks:
        assert mark.encode() not in everything, f"{mark} is in the recording"
        assert mark.encode() not in report, f"{mark} is in the report"
        assert mark not in run.err, f"{mark} was printed"


@case
def headers_of_requests():
    """Sent by warmtrace itself and by another client; the server reads them in pieces."""
    port = free_port()
    run = trace([workload("http_server"), str(port)], "-n", "3", "-H", f"Authorization: Bearer {MARK}1", "-H", f"Cookie: session={MARK}2",
                "-H", f"X-Api-Key: {MARK}3", urls=[f"http://127.0.0.1:{port}/x"])
    assert run.cold("GET /x")["status"] == 200
    assert_absent(run, f"{MARK}1", f"{MARK}2", f"{MARK}3")


@case
def user_info_and_query():
    port = free_port()
    run = trace([workload("http_server"), str(port)], "-n", "1", urls=[f"http://someone:{MARK}4@127.0.0.1:{port}/x?token={MARK}5&page=2"])
    assert run.cold("GET /x")["status"] == 200
    assert_absent(run, f"{MARK}4", f"{MARK}5")


@case
def arguments_and_variables():
    environment = {**ENVIRONMENT, "DB_PASSWORD": f"{MARK}6", "JAVA_OPTS": f"-Ddb.password={MARK}7"}
    run = trace(["sh", "-c", "true", "x", f"--password={MARK}8", "--token", f"{MARK}9", f"-Dapi.secret={MARK}0"], env=environment)
    assert_absent(run, *(f"{MARK}{digit}" for digit in "67890"))
    assert "***" in str(run.report["run"]["command"]), run.report["run"]["command"]


@case
def outgoing_requests():
    """The command as a client, of a server outside the tree."""
    port = free_port()
    server = subprocess.Popen([workload("http_server"), str(port)], stdout=subprocess.DEVNULL)
    try:
        run = trace([program("curl"), "-s", "-o", "/dev/null", "--retry", "5", "--retry-connrefused", "-H", f"Authorization: Basic {MARK}a",
                     f"http://127.0.0.1:{port}/x?password={MARK}b"])
    finally:
        server.kill()
        server.wait()
    assert_absent(run, f"{MARK}a", f"{MARK}b")


@case
def mode_of_the_file():
    place = folder()
    os.umask(0)
    try:
        run_quietly([WARMTRACE, "-q", "-o", f"{place}/x.wtr", "--report", "/dev/null", "--", "true"])
    finally:
        os.umask(0o022)
    assert os.stat(f"{place}/x.wtr").st_mode & 0o777 == 0o600, oct(os.stat(f"{place}/x.wtr").st_mode)


main()
