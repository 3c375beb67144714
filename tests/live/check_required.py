"""Whether every case of required.txt was run by the live tests before this one. With CI=true one that was not is a failure,
elsewhere it is said and the test counts as skipped."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(os.environ.get("WARMTRACE_BUILD", os.path.join(HERE, "../../build")), "live-results")


def required():
    with open(os.path.join(HERE, "required.txt"), encoding="utf-8") as file:
        for line in file:
            line = line.partition("#")[0].strip()
            if line:
                yield line.split(".")


def outcome(name, case):
    try:
        with open(os.path.join(RESULTS, f"{name}.json"), encoding="utf-8") as file:
            return json.load(file).get(case, "not there")
    except (OSError, ValueError):
        return "not run"


def main():
    missing = [f"{name}.{case}: {outcome(name, case)}" for name, case in required() if outcome(name, case) not in ("passed", "failed")]
    count = len(list(required()))
    print(f"{count - len(missing)} of {count} required cases were run")
    for line in missing:
        print(f"  {line}")
    if missing:
        sys.exit(1 if os.environ.get("CI") == "true" else 77)


main()
