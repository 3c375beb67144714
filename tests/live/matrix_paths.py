"""petclinic-rest with each layout, collector and virtual machine, N times each (default 3): conservation to the nanosecond,
what is unexplained and what only waited. Not run by ctest: it takes a minute for each.

    WARMTRACE_BUILD=build/release python3 tests/live/matrix_paths.py [CASE...]      WARMTRACE_RUNS=N"""

import os

from apps import check_shares, petclinic
from harness import case, main

RUNS = int(os.environ.get("WARMTRACE_RUNS", "3"))


def make(version, layout, collector):
    def runs():
        failures = []
        for _ in range(RUNS):
            try:
                check_shares(*petclinic(version, layout, collector), 0.01, 0.05)
            except AssertionError as error:
                failures.append(str(error))
        assert not failures, f"{len(failures)} of {RUNS}:\n" + "\n".join(failures)
    runs.__name__ = f"petclinic_{layout}_{collector.lower()}_{version}"
    return case(runs)


for one_version in (17, 25):
    for one_layout in ("fat", "extracted"):
        for one_collector in ("G1GC", "ZGC"):
            make(one_version, one_layout, one_collector)

main()
