"""Java stacks, walked from outside, against what Java itself says of them: Throwable.getStackTrace of a thousand exceptions,
frame by frame, and samples of a program whose every possible stack is known."""

import os

from harness import case, folder, main, warmtrace
from truth import run_server
from stacks import INTERPRETED, compare_exceptions, compare_samples


@case
def exceptions_17():
    compare_exceptions(17)


@case
def exceptions_25():
    compare_exceptions(25, virtual=True)


@case
def exceptions_through_native_reflection():
    # Reflection by native code: Java calls it and it calls Java.
    compare_exceptions(25, "-Djdk.reflect.useNativeAccessorOnly=true", virtual=True)


@case
def exceptions_interpreted():
    compare_exceptions(25, "-Xint", virtual=True, count=400, kinds=[INTERPRETED])


@case
def exceptions_z_garbage_collector():
    compare_exceptions(25, "-XX:+UseZGC", virtual=True, count=400)


@case
def samples_17():
    for options in (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-XX:-TieredCompilation"]):
        compare_samples(17, *options)


@case
def samples_25():
    for options in (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-XX:-TieredCompilation"]):
        compare_samples(25, *options)


WAITS = (";Work.waitForMonitor;wait for a Java monitor;woken by holder", ";Work.waitForLock;java.util.concurrent.locks.ReentrantLock.lock;")


def waits(version):
    """Threads that wait for a monitor and for a lock within requests are seen in the methods that wait. Whether a request goes on
    is told to the kernel by the recorder, which on a busy machine may be late: then once more."""
    for _ in range(3):
        stacks = stacks_of_waits(version)
        missing = [frames for frames in WAITS if not any(frames in stack for stack in stacks)]
        if not missing:
            return
    raise AssertionError(f"not seen: {missing}")


def stacks_of_waits(version):
    run = run_server(version, "thread", ["monitor-sleep", "lock-sleep"], False)
    path = os.path.join(folder(), "waits")
    assert warmtrace("export", "--format", "folded", "--by", "off-cpu", "--phase", "all", "-o", path, run.recording).returncode == 0
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


@case
def waits_17():
    waits(17)


@case
def waits_25():
    waits(25)


main()
