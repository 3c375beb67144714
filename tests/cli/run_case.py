"""Runs one command line test: run_case.py SCRIPT PROGRAM WRITE_RECORDING

SCRIPT.sh is a bash script that runs in an empty folder of its own with `warmtrace` on its path. What it writes and how it
ends must be what stands beside it: SCRIPT.stdout, SCRIPT.stderr (absent: nothing) and SCRIPT.exit (absent: 0). In these
files `...` stands for any text within a line, and a line that is only `...` for any number of lines.

WARMTRACE_BLESS=1 rewrites the files of tests that fail. Exit status 77: the test cannot run here and says why.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def line_matches(pattern, line):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("..."))), line) is not None


def matches(pattern, lines):
    """Whether the lines are what the pattern's lines say."""
    if not pattern:
        return not lines
    if pattern[0] == "...":
        return any(matches(pattern[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and line_matches(pattern[0], lines[0]) and matches(pattern[1:], lines[1:])


def read(path, default):
    return path.read_text() if path.exists() else default


def bless(path, text, default):
    if text == default:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)


def run(script, program, write_recording):
    # Readable by all: some tests give up root in it.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warmtrace-cli-"))
    folder.chmod(0o777)
    tools = folder / ".bin"
    tools.mkdir()
    shutil.copy(program, tools / "warmtrace")
    environment = {
        "PATH": f"{tools}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "TESTS": str(script.parent),
        "WRITE_RECORDING": write_recording,
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    try:
        return subprocess.run(["bash", "-c", '. "$TESTS/lib.sh"; . "$0"', script], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, errors="backslashreplace")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    script = pathlib.Path(sys.argv[1])
    result = run(script, sys.argv[2], sys.argv[3])
    if result.returncode == SKIPPED:
        print(result.stdout, end="")
        return SKIPPED

    failures = 0
    for suffix, text, default in ((".stdout", result.stdout, ""), (".stderr", result.stderr, ""),
                                  (".exit", f"{result.returncode}\n", "0\n")):
        path = script.with_suffix(suffix)
        expected = read(path, default)
        if matches(expected.splitlines(), text.splitlines()):
            continue
        if os.environ.get("WARMTRACE_BLESS") == "1":
            bless(path, text, default)
            print(f"rewritten: {path.name}")
            continue
        failures += 1
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                                   f"expected {path.name}", f"actual {suffix[1:]}"))
    return 1 if failures else 0


sys.exit(main())
