"""The comparisons of stacks.py over virtual machines and their options: scripts/jvm-matrix runs it, with WARMTRACE_JVMS the
versions, WARMTRACE_JDK_<version> their homes and WARMTRACE_STACKS_CLASSES a jar of the programs, compiled for JDK 8."""

import os

from harness import case, folder, java, main, run_quietly, skip
from stacks import C1, C2, INTERPRETED, NATIVE_METHOD, compare_exceptions, compare_samples

CLASSES = os.environ["WARMTRACE_STACKS_CLASSES"]
ALL = (INTERPRETED, C1, C2, NATIVE_METHOD)

# From which version on, until which (None: still), the options, and the kinds of frames that must occur.
EXCEPTION_ROWS = (
    (8, None, [], ALL),
    (8, None, ["-Xint"], [INTERPRETED]),
    (8, None, ["-XX:TieredStopAtLevel=1"], [C1]),
    (8, None, ["-XX:-TieredCompilation"], [INTERPRETED, C2]),
    (8, None, ["-XX:+UseSerialGC", "-XX:-UseCompressedOops"], ALL),
    (8, None, ["-XX:+UseParallelGC"], ALL),
    (8, 26, ["-XX:+UseG1GC", "-XX:-UseCompressedClassPointers"], ALL),
    (11, 14, ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"], ALL),
    (15, None, ["-XX:+UseZGC"], ALL),
    (21, 23, ["-XX:+UseZGC", "-XX:+ZGenerational"], ALL),
    (11, None, ["-XX:+UseShenandoahGC"], ALL),
    (11, None, ["-Xshare:off"], ALL),
    (25, None, ["-XX:+UseCompactObjectHeaders"], ALL),
    (25, None, ["-XX:+UseCompactObjectHeaders", "-XX:+UseZGC"], ALL),
    (25, None, ["-XX:+UseCompactObjectHeaders", "-XX:+UseShenandoahGC"], ALL),
)
SAMPLE_ROWS = (["-Xint"], ["-XX:TieredStopAtLevel=1"], ["-XX:-TieredCompilation"])


def accepted(version, options):
    """Skips where this VM was built without what an option asks for."""
    tried = run_quietly([java(version), *options, "-version"])
    if tried.returncode != 0:
        skip((tried.stdout + tried.stderr).splitlines()[0])


def add(name, body):
    body.__name__ = name
    case(body)


def name_of(version, options):
    return f"{version} {' '.join(options)}".rstrip()


def add_exceptions(version, options, kinds):
    def body():
        accepted(version, options)
        compare_exceptions(version, *options, virtual=version >= 21, count=400, class_path=CLASSES, kinds=kinds)
    add(f"exceptions {name_of(version, options)}", body)


def add_samples(version, options):
    def body():
        compare_samples(version, *options, class_path=CLASSES)
    add(f"samples {name_of(version, options)}", body)


def add_aot_cache(version):
    def body():
        cache = os.path.join(folder(), "stacks.aot")
        trained = run_quietly([java(version), f"-XX:AOTCacheOutput={cache}", "-cp", CLASSES, "KnownStacks", "50", "20"])
        assert os.path.exists(cache), trained.stderr
        compare_exceptions(version, f"-XX:AOTCache={cache}", virtual=True, count=400, class_path=CLASSES)
    add(f"exceptions {version} with an AOT cache", body)


for jvm in map(int, os.environ["WARMTRACE_JVMS"].split()):
    for first, last, row_options, row_kinds in EXCEPTION_ROWS:
        if first <= jvm and (last is None or jvm <= last):
            add_exceptions(jvm, row_options, row_kinds)
    for row_options in SAMPLE_ROWS:
        add_samples(jvm, row_options)
    if jvm >= 25:
        add_aot_cache(jvm)

main()
