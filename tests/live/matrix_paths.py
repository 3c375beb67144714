"""petclinic-rest with each layout, collector and virtual machine, and Quarkus and Micronaut, N times each (default 3):
conservation to the nanosecond, what is unexplained and what only waited. Not run by ctest: it takes a minute for each.

    WARMTRACE_BUILD=build/release python3 tests/live/matrix_paths.py [CASE...]      WARMTRACE_RUNS=N"""

import os

from apps import check_shares, micronaut, petclinic, quarkus
from harness import case, main

RUNS = int(os.environ.get("WARMTRACE_RUNS", "3"))


def make(name, attempt, most_unexplained, most_unnamed=None):
    def runs():
        failures = []
        for _ in range(RUNS):
            try:
                check_shares(*attempt(), most_unexplained, most_unnamed)
            except AssertionError as error:
                failures.append(str(error))
        assert not failures, f"{len(failures)} of {RUNS}:\n" + "\n".join(failures)
    runs.__name__ = name
    return case(runs)


def make_petclinic(version, layout, collector):
    make(f"petclinic_{layout}_{collector.lower()}_{version}", lambda: petclinic(version, layout, collector), 0.01, 0.05)


for one_version in (17, 25):
    for one_layout in ("fat", "extracted"):
        for one_collector in ("G1GC", "ZGC"):
            make_petclinic(one_version, one_layout, one_collector)
make("quarkus_25", lambda: quarkus(25), 0.02)
make("micronaut_25", lambda: micronaut(25), 0.02)

main()
