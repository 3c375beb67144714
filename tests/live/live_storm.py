"""The traced virtual machine under everything that is hard on a walker of its stacks: it must neither crash nor hang, nor
compute or count anything else than without us. WARMTRACE_STORM_MS makes it longer than its 10 s per virtual machine;
scripts/jvm-matrix runs it on the others too (WARMTRACE_JVMS, and classes that the oldest of them takes)."""

import os

from harness import case, java, java_workload, main, run_quietly, trace

DURATION_MS = int(os.environ.get("WARMTRACE_STORM_MS", "10000"))


def classes():
    return os.environ.get("WARMTRACE_STACKS_CLASSES") or java_workload("known-java.jar")


def storm(version, *options):
    jar = classes()
    run = trace([java(version), *options, "-cp", jar, "KnownStorm", str(DURATION_MS)], timeout=60 + DURATION_MS // 200,
                losses_allowed=True)
    truth = run.json_lines()[0]
    assert truth["failures"] == 0, truth
    assert truth["overflows"] > 10 and truth["classes"] > 100, truth
    # The kernel's own totals: they hold also where records were lost.
    total = next((event["count"] for event in run.events("kind_total") if event["counted_kind"] == 31), 0)
    thrown = truth["KnownStorm$DeepException"] + truth["KnownStorm$ParkedException"]
    assert total >= thrown, f"{total} exceptions counted, {thrown} thrown"
    print(f"    {version} {' '.join(options)}: {truth}, {total} exceptions counted")


def exits(version):
    """System.exit in the midst of the storm, at different moments."""
    jar = classes()
    for moment_ms in (11, 37, 83, 151, 293, 499):
        run = trace([java(version), "-cp", jar, "KnownStorm", str(moment_ms), "23"], status=23, losses_allowed=True)
        assert "fatal error" not in run.out + run.err, run.out + run.err


@case
def storm_17():
    storm(17)


@case
def storm_25():
    storm(25)


@case
def storm_25_z():
    storm(25, "-XX:+UseZGC")


@case
def exits_17():
    exits(17)


@case
def exits_25():
    exits(25)


@case
def untraced_does_the_same():
    # What the storm does is possible at all: a failure above is ours.
    tried = run_quietly([java(25), "-cp", classes(), "KnownStorm", "2000"])
    assert tried.returncode == 0 and '"failures": 0' in tried.stdout, tried.stdout + tried.stderr


def add(work, version):
    def run():
        work(version)
    run.__name__ = f"{work.__name__}_{version}"
    case(run)


for other in os.environ.get("WARMTRACE_JVMS", "").split():
    if other not in ("17", "25"):
        add(storm, other)
        add(exits, other)

main()
