"""`warmtrace doctor`: what works on this machine, and why not where it does not."""

import re

from harness import case, main, program, run_quietly, warmtrace, wait_until_clean, WARMTRACE


@case
def everything_is_listed():
    run = warmtrace("doctor")
    assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
    rows = dict(re.findall(r"^  (\S.*?)  +(yes|no|partly)$", run.stdout, re.M))
    for probe in ("process tree", "page faults", "files and other system calls", "scheduling and wake-ups", "connections",
                  "arrival of requests"):
        assert rows.get(probe) == "yes", f"{probe}: {rows.get(probe)}\n{run.stdout}"
    # Whatever does not work has its reason beside it.
    for match in re.finditer(r"^  (\S.*?)  +(no|partly)\n(.*)", run.stdout, re.M):
        assert match[3].strip().startswith("why"), f"{match[1]} has no reason:\n{run.stdout}"


@case
def type_information_can_be_missing():
    run = run_quietly([program("env"), "WARMTRACE_WITHOUT=btf", WARMTRACE, "doctor"])
    assert re.search(r"^  \S.* +no\n +why .*/sys/kernel/btf/vmlinux", run.stdout, re.M), run.stdout + run.stderr
    assert run.returncode == 125, run.returncode
    run = run_quietly([program("env"), "WARMTRACE_WITHOUT=btf", WARMTRACE, "--", "/bin/true"])
    assert run.returncode == 125, (run.returncode, run.stderr)
    assert re.match(r"warmtrace: .*/sys/kernel/btf/vmlinux", run.stderr), run.stderr
    assert len(run.stderr.strip().splitlines()) <= 2, f"one line and a hint at most:\n{run.stderr}"


@case
def nothing_stays_behind():
    wait_until_clean()
    warmtrace("doctor")
    wait_until_clean(10)


main()
