"""Java stacks, walked from outside, against what Java itself says of them: Throwable.getStackTrace of a thousand exceptions,
frame by frame, and samples of a program whose every possible stack is known."""

from harness import case, main
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


main()
