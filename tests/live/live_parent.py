"""warmtrace as a parent: the command behaves as without it, whatever its own parents in the tree are, and goes on when
warmtrace dies."""

import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import threading
import time

from harness import (ENVIRONMENT, WARMTRACE, case, folder, free_port, is_alive, java, main, program, run_quietly, skip, start,
                     trace, wait_until_clean, warmtrace, workload)

KILLS = 20


def both(command, **more):
    """The command's status and output, alone and traced."""
    alone = run_quietly(command, **more)
    traced = warmtrace("-q", "-o", f"{folder()}/run.wtr", "--report", "/dev/null", "--", *command, **more)
    status = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    assert traced.returncode == status, f"{command}: {traced.returncode}, alone {status}:\n{traced.stderr}"
    assert traced.stdout == alone.stdout, f"{command}: {traced.stdout!r}, alone {alone.stdout!r}"
    return traced


@case
def exit_statuses():
    for command in (["true"], ["false"], ["sh", "-c", "exit 42"], ["sh", "-c", "kill -TERM $$"], ["sh", "-c", "kill -KILL $$"],
                    ["sh", "-c", "kill -SEGV $$"]):
        both(command)


@case
def statuses_of_warmtrace():
    place = folder()
    with open(f"{place}/not-executable", "w", encoding="ascii") as file:
        file.write("data")
    for status, arguments in ((2, ["--no-such-option"]), (2, []), (127, ["--", f"{place}/absent"]),
                              (127, ["--", "no-such-program-anywhere"]), (126, ["--", f"{place}/not-executable"]),
                              (126, ["--", place])):
        run = warmtrace("-o", f"{place}/run.wtr", *arguments)
        assert run.returncode == status, (arguments, run.returncode, run.stderr)
        lines = run.stderr.strip().splitlines()
        assert 1 <= len(lines) <= 2 and all(line.startswith("warmtrace: ") for line in lines), run.stderr
        assert not os.path.exists(f"{place}/run.wtr"), "nothing was recorded, yet there is a recording"


@case
def streams_and_place():
    """Standard input, output and error, the working folder and the environment are the command's."""
    place = folder()
    script = 'read line; echo "out $line $(pwd) $MARK"; echo err >&2; exit 3'
    run = subprocess.run([WARMTRACE, "-q", "-o", f"{place}/run.wtr", "--report", "/dev/null", "--", "sh", "-c", script], input="hello\n",
                         capture_output=True, text=True, cwd=place, env={**ENVIRONMENT, "MARK": "here"}, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (3, f"out hello {place} here\n", "err\n"), run


@case
def parents_in_the_tree():
    """Each holds a JVM that maps libjvm, is held for its probes, and ends with a status of its own."""
    jvm = java(17)
    program_text = f"{jvm} -Xshare:auto -XX:+UseSerialGC -version 2>/dev/null; echo rc=$?"
    both(["bash", "-c", program_text])
    both(["bash", "-c", f"set -m; {program_text}"])
    both(["bash", "-c", f"set -m; {jvm} -version 2>/dev/null & wait $!; echo rc=$?"])
    both(["sh", "-c", f"(sh -c '{jvm} -version 2>/dev/null; exit 5'); echo rc=$?"])
    both(["timeout", "60", "sh", "-c", program_text])
    both(["setsid", "-w", "sh", "-c", program_text])
    both([sys.executable, "-c", f"import subprocess; print(subprocess.run([{jvm!r}, '-version'], stderr=-3).returncode)"])
    both(["bash", "-c", f"trap 'echo child' CHLD; {jvm} -version 2>/dev/null & wait $!; echo rc=$?"])


@case
def su_and_runuser():
    jvm = java(17)
    for command in (["runuser", "-u", "root", "--", jvm, "-version"], ["su", "root", "-c", f"{jvm} -version"]):
        program(command[0])
        run = warmtrace("-q", "-o", f"{folder()}/run.wtr", "--report", "/dev/null", "--", *command)
        assert run.returncode == 0, (command, run.returncode, run.stderr)


@case
def interactive_shell_on_a_terminal():
    place = folder()
    pid, master = pty.fork()
    if pid == 0:
        os.execve(WARMTRACE, [WARMTRACE, "-q", "-o", f"{place}/run.wtr", "--report", "/dev/null", "--", "bash", "--norc", "-i"],
                  {**ENVIRONMENT, "PS1": "ready> "})
    seen = b""

    def until(text, timeout=60):
        nonlocal seen
        end = time.monotonic() + timeout
        while text not in seen and time.monotonic() < end:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 4096)
                except OSError:
                    break
        assert text in seen, seen

    until(b"ready> ")
    os.write(master, f"{java(17)} -version; echo status=$?\n".encode())
    until(b"status=0\r\n")
    os.write(master, b"exit 9\n")
    _, status = os.waitpid(pid, 0)
    os.close(master)
    assert os.waitstatus_to_exitcode(status) == 9, (status, seen)
    assert b"Stopped" not in seen and b"no job control" not in seen, seen


@case
def signals_are_passed_on():
    """One signal to warmtrace reaches the command once; the report is written; the status is the command's."""
    script = "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    running = start(["sh", "-c", script])
    running.wait_for_out("ready")
    running.process.send_signal(signal.SIGTERM)
    run = running.finish()
    assert run.status == 7 and run.out.count("got") == 1, (run.status, run.out)


@case
def interrupt_ends_with_a_report():
    """Ctrl-C: the terminal sends it to the whole group."""
    running = start(["sh", "-c", "echo ready; exec sleep 100"], start_new_session=True)
    running.wait_for_out("ready")
    time.sleep(0.5)  # from the echo to the exec of sleep
    os.killpg(running.process.pid, signal.SIGINT)
    run = running.finish()
    assert run.status == 130, (run.status, run.err)
    assert run.report["run"]["exit"] == {"kind": "signal", "code": 2, "by_us": False, "oom": None}, run.report["run"]


@case
def user_of_sudo():
    """With what sudo sets, the command runs as the user who called, with that user's groups; the recording is theirs."""
    place = folder()
    os.chown(place, 65534, 65534)
    environment = {**ENVIRONMENT, "SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"}
    run = warmtrace("-q", "-o", f"{place}/run.wtr", "--report", f"{place}/report.json", "--format=json", "--",
                    "sh", "-c", "id -u; id -g; touch made", env=environment, cwd=place)
    assert run.stdout.split() == ["65534", "65534"], (run.stdout, run.stderr)
    for name in ("run.wtr", "report.json", "made"):
        assert os.stat(f"{place}/{name}").st_uid == 65534, name
    assert os.stat(f"{place}/run.wtr").st_mode & 0o777 == 0o600
    with open(f"{place}/report.json", encoding="utf-8") as file:
        assert json.load(file)["run"]["user"] == "nobody"
    run = warmtrace("-q", "--as-root", "-o", f"{place}/root.wtr", "--report", "/dev/null", "--", "id", "-u", env=environment)
    assert run.stdout.strip() == "0", run.stdout


@case
def prompt_is_back_at_once():
    """The program is over within a second of the command's end (its own measure of both is on one clock)."""
    running = start([java(17), "-version"])
    began = time.monotonic()
    run = running.finish()
    wall = time.monotonic() - began
    assert wall - run.report["run"]["wall_ns"] / 1e9 < 3, (wall, run.report["run"]["wall_ns"])


@case
def killed_at_any_moment():
    """SIGKILL of warmtrace while it starts, holds the JVM or records: the command lives on and ends as it would, and no probe
    stays in the kernel."""
    chance = random.Random(17)
    place = folder()
    for attempt in range(KILLS):
        done = f"{place}/done-{attempt}"
        command = ["sh", "-c", f"{java(17)} -XX:+UseSerialGC -version 2>/dev/null; echo $? > {done}"]
        process = subprocess.Popen([WARMTRACE, "-q", "-o", f"{place}/run.wtr", "--report", "/dev/null", "--", *command],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=ENVIRONMENT, start_new_session=True)
        # From its start to beyond the end of java's: the holds lie somewhere in it.
        time.sleep(0.2 + 0.06 * attempt + chance.random() * 0.05)
        started = os.path.exists(f"/proc/{process.pid}/task/{process.pid}/children") and [
            int(pid) for pid in open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii").read().split()]
        process.kill()
        process.wait()
        end = time.monotonic() + 60
        alive = [pid for pid in started or [] if is_alive(pid)]
        while any(is_alive(pid) for pid in alive) and time.monotonic() < end:
            time.sleep(0.02)
        assert not any(is_alive(pid) for pid in alive), f"attempt {attempt}: left behind {alive}"
        if os.path.exists(done):
            with open(done, encoding="ascii") as file:
                assert file.read().strip() == "0", f"attempt {attempt}: java's status"
    wait_until_clean(60)


@case
def killed_while_holding():
    """A watchdog's reason to be: warmtrace stopped in the middle of a hold. It is ended, and the JVM goes on."""
    place = folder()
    for _ in range(8):
        process = subprocess.Popen([WARMTRACE, "-q", "-o", f"{place}/run.wtr", "--report", "/dev/null", "--", java(17), "-version"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env=ENVIRONMENT)
        held = None
        end = time.monotonic() + 20
        while held is None and time.monotonic() < end and process.poll() is None:
            try:
                children = open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii").read().split()
                for pid in children:
                    if "t (tracing stop)" in open(f"/proc/{pid}/status", encoding="ascii").read() and \
                            "libjvm" in open(f"/proc/{pid}/maps", encoding="ascii").read():
                        held = int(pid)
            except OSError:
                continue
        if held is None:
            process.wait()
            continue
        process.send_signal(signal.SIGSTOP)
        # Where the hold was over by then there is nothing for the watchdog to do, and warmtrace has to be let go on.
        goes_on = threading.Timer(25, process.send_signal, [signal.SIGCONT])
        goes_on.start()
        text = process.stderr.read()  # java's own standard error is warmtrace's
        process.wait(30)
        goes_on.cancel()
        assert process.returncode in (-signal.SIGKILL, 0), process.returncode
        assert "version" in text, text
        wait_until_clean(60)
        return
    skip("no hold was caught: the machine is too fast for this way of looking")


@case
def keeps_running_when_asked():
    port = free_port()
    run = trace([workload("http_server"), str(port)], "--keep-running", "-n", "1", urls=[f"http://127.0.0.1:{port}/"])
    pid = run.report["run"]["pid"]
    try:
        assert is_alive(pid) and run.report["run"]["exit"]["kind"] == "running", run.report["run"]
    finally:
        os.kill(pid, signal.SIGKILL)


@case
def stubborn_command_is_killed():
    port = free_port()
    command = ["sh", "-c", f"trap '' TERM; {workload('http_server')} {port} & wait; wait; wait; sleep 100"]
    run = trace(command, "--stop-timeout", "2", "-n", "1", urls=[f"http://127.0.0.1:{port}/"], status=None)
    assert any("killed" in note for note in run.report["notes"]), run.report["notes"]


main()
